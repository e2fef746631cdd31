//! Interpretation of gradient tables: units of b, lengths of directions, directions that are not numbers,
//! missing files, and diffusivities that are implausible as a result.

use crate::common::{Scratch, brain, small_brain};
use arcuate_core::Volume;

/// The numbers of a file, line by line.
fn rows(scratch: &Scratch, name: &str) -> Vec<Vec<f64>> {
    let text = scratch.text(name);
    text.lines().map(|line| line.split_whitespace().map(|word| word.parse().unwrap()).collect()).collect()
}

fn put(scratch: &Scratch, name: &str, rows: &[Vec<f64>]) {
    let line = |row: &Vec<f64>| row.iter().map(f64::to_string).collect::<Vec<_>>().join(" ") + "\n";
    scratch.write(name, rows.iter().map(line).collect::<String>());
}

/// Applies `f` to every b-value in the file.
fn change_b(scratch: &Scratch, f: impl Fn(f64) -> f64) {
    let b_values = rows(scratch, "dwi.bval");
    put(scratch, "dwi.bval", &[b_values.concat().into_iter().map(f).collect()]);
}

/// Multiplies each direction by `length`, a function of the number of the measurement.
fn stretch(scratch: &Scratch, length: impl Fn(usize) -> f64) {
    let directions: Vec<Vec<f64>> = rows(scratch, "dwi.bvec")
        .iter()
        .map(|row| row.iter().enumerate().map(|(n, c)| c * length(n)).collect())
        .collect();
    put(scratch, "dwi.bvec", &directions);
}

const STATE_UNIT: &str =
    "give their unit with --b-unit: s/m2, ms/um2, or s/mm2 to use the numbers as they are";

/// Commands that read a series and its gradient table.
const COMMANDS: [&str; 10] = [
    "fit tensor dwi.nii.gz --mask mask.nii.gz --out out",
    "fit ball-1-stick dwi.nii.gz --mask mask.nii.gz --out out",
    "fit ball-1-stick dwi.nii.gz --mask mask.nii.gz --method mcmc --burn-in 5 --jumps 5 --out out",
    "mask dwi.nii.gz --out out.nii.gz",
    "track bootstrap dwi.nii.gz --out out.tck",
    "evaluate life truth_streamlines.trx --dwi dwi.nii.gz --out out",
    "evaluate commit truth_streamlines.trx --dwi dwi.nii.gz --model ball-and-stick --out out",
    "run dwi.nii.gz --out out",
    "convert dwi.nii.gz out.mif",
    "convert dwi.bval out.b --reference dwi.nii.gz",
];

#[test]
fn every_command_rejects_implausible_b_values_without_a_unit() {
    let brain = brain();
    for (factor, number) in [
        (1e6, "1e9, is too large for s/mm², and would do in s/m²"),
        (1e-3, "1, is too small for s/mm², and would do in ms/µm²"),
    ] {
        let scratch = Scratch::with(small_brain());
        change_b(&scratch, |b| b * factor);
        for command in COMMANDS {
            let message = format!("error: dwi.bval: its largest b-value, {number}; {STATE_UNIT}");
            scratch.fail(command, 2, &message);
        }
        let shown = scratch.succeed("info dwi.bval");
        assert!(shown.contains(&format!("  {:<22} its largest b-value, {number}", "warning")), "{shown}");
        let unit = if factor > 1.0 { "s/m2" } else { "ms/um2" };
        let tensor = |scratch: &Scratch, unit: &str| {
            scratch.succeed(&format!("fit tensor dwi.nii.gz --mask mask.nii.gz --out stated --force {unit}"));
            scratch.read("stated/tensor.nii.gz")
        };
        // Conversion from ms/µm² may change the last bits, so only results for s/m² are compared.
        let (stated, plain) = (tensor(&scratch, &format!("--b-unit {unit}")), tensor(&brain, ""));
        if factor > 1.0 {
            assert!(stated == plain);
        }
        scratch.succeed(&format!("convert dwi.bval mm.b --reference dwi.nii.gz --b-unit {unit}"));
        assert!(scratch.succeed("info mm.b").contains("2 × b 0, 12 × b 1000"));
    }
    // A run passes the options to its steps.
    let steps = brain.succeed("run dwi.nii.gz --out out --b-unit s/mm2 --bvec-lengths ignore --dry-run");
    let with = |line: &&str| line.contains("--b-unit s/mm2") && line.contains("--bvec-lengths ignore");
    assert!(steps.lines().filter(with).count() >= 3, "{steps}");
}

#[test]
fn fsl_programs_explain_how_to_convert_the_table() {
    let brain = brain();
    for (from, to) in
        [("dwi.nii.gz", "data.nii.gz"), ("mask.nii.gz", "nodif_brain_mask.nii.gz"), ("dwi.bvec", "bvecs")]
    {
        brain.write(&format!("sub/{to}"), brain.read(from));
    }
    change_b(&brain, |b| b * 1e6);
    brain.write("sub/bvals", brain.read("dwi.bval"));
    let result = brain.run("bedpostx sub -n 1 -b 5 -j 5 -s 1");
    assert_ne!(result.code, 0);
    let expected = "sub/bvals: its largest b-value, 1e9, is too large for s/mm², and would do in s/m²; FSL reads s/mm² and unit \
                    vectors: write them so, arcuate convert sub/bvals NEW.bval --reference sub/data.nii.gz, with --b-unit or \
                    --bvec-lengths";
    assert!(result.errors.contains(expected), "{}", result.errors);
    assert!(!brain.path("sub.bedpostX").exists());
    // The suggested command works.
    brain.succeed("convert sub/bvals new.bval --reference sub/data.nii.gz --b-unit s/m2");
    assert!(brain.succeed("info new.bval").contains("2 × b 0, 12 × b 1000"));
}

#[test]
fn simulation_tables_are_checked() {
    let brain = brain();
    brain.write(
        "si.b",
        "0 0 0 0\n1 0 0 1e9\n0 1 0 1e9\n0 0 1 1e9\n0.6 0.8 0 1e9\n0.6 0 0.8 1e9\n0 0.6 0.8 1e9\n",
    );
    let message = "error: si.b: its largest b-value, 1e9, is too large for s/mm², and would do in s/m²; write it in s/mm² and \
                   with unit vectors: arcuate convert si.b new.b, with --b-unit or --bvec-lengths";
    brain.fail("simulate --out s --voxel-size 8 --gradients si.b", 2, message);
}

#[test]
fn differing_vector_lengths_are_reported_or_need_an_option() {
    let scratch = brain();
    // A faulty conversion can leave such lengths. The first two measurements have b = 0.
    stretch(&scratch, |n| [0.86, 0.5, 1.19][n % 3]);
    let range = "dwi.bvec: the directions of its weighted measurements are 0.500 to 1.190 long; they count as unit vectors \
                 (--bvec-lengths scale: b times the squared length)";
    scratch.succeed_with("fit tensor dwi.nii.gz --mask mask.nii.gz --out out", &format!("warning: {range}"));
    assert!(scratch.text("out/arcuate.json").contains("0.500 to 1.190 long"));
    scratch.succeed("fit tensor dwi.nii.gz --mask mask.nii.gz --out said --bvec-lengths ignore");
    assert!(scratch.read("out/tensor.nii.gz") == scratch.read("said/tensor.nii.gz"));
    assert!(scratch.succeed("info dwi.bvec").contains("0.500 to 1.190 long"));

    // Rounding to three decimals causes no warning.
    let scratch = brain();
    let rounded: Vec<Vec<f64>> = rows(&scratch, "dwi.bvec")
        .iter()
        .map(|row| row.iter().map(|c| (1e3 * c).round() / 1e3).collect())
        .collect();
    put(&scratch, "dwi.bvec", &rounded);
    scratch.succeed("fit tensor dwi.nii.gz --mask mask.nii.gz --out out");
    assert!(!scratch.succeed("info dwi.bvec").contains("warning"));

    // The lengths encode two shells at one nominal b-value. Every command requires --bvec-lengths.
    let scratch = brain();
    stretch(&scratch, |n| if n % 2 == 0 { 1.0 } else { 0.5f64.sqrt() });
    let hidden = "error: dwi.bvec: the directions of its weighted measurements are 0.707 to 1.000 long, as if b = 1000 were 2 \
                  shells of 500, 1000 s/mm²; give their meaning with --bvec-lengths: scale (b times the squared length, as MRtrix does) or ignore (b as it is written, as FSL does)";
    for command in COMMANDS {
        scratch.fail(command, 2, hidden);
    }
    for (meaning, shells) in [("scale", "6 × b 500, 6 × b 1000"), ("ignore", "12 × b 1000")] {
        scratch.succeed(&format!(
            "convert dwi.bvec {meaning}.b --reference dwi.nii.gz --bvec-lengths {meaning}"
        ));
        assert!(scratch.succeed(&format!("info {meaning}.b")).contains(shells), "{meaning}");
    }
}

#[test]
fn volumes_without_direction_are_counted_in_their_shell_and_can_be_dropped() {
    let scratch = brain();
    // The last measurement becomes a trace volume with b = 2000.
    let (mut b_values, mut directions) = (rows(&scratch, "dwi.bval"), rows(&scratch, "dwi.bvec"));
    let last = b_values[0].len() - 1;
    b_values[0][last] = 2000.0;
    for row in &mut directions {
        row[last] = 0.0;
    }
    put(&scratch, "dwi.bval", &b_values);
    put(&scratch, "dwi.bvec", &directions);
    let shells = "2 × b 0, 11 × b 1000, 1 × b 2000; 1 has no direction (s/mm²)";
    let shown = scratch.succeed("info dwi.bval");
    assert!(shown.contains(shells), "{shown}");
    let json: serde_json::Value = serde_json::from_str(&scratch.succeed("info --json dwi.bval")).unwrap();
    assert_eq!(json[0]["gradients"]["without_direction"], serde_json::json!([last]), "{json}");
    scratch.succeed("convert dwi.nii.gz all.mif");
    assert!(scratch.succeed("info all.mif").contains(shells));
    scratch.succeed("convert dwi.nii.gz some.nii.gz --shells 0,1000");
    let shown = scratch.succeed("info some.bval");
    assert!(shown.contains("2 × b 0, 11 × b 1000 (s/mm²)"), "{shown}");
    assert_eq!(scratch.volume("some.nii.gz").channels(), last);
    scratch.succeed("fit tensor some.nii.gz --mask mask.nii.gz --out out");
    scratch.fail(
        "fit tensor dwi.nii.gz --mask mask.nii.gz --out refused",
        1,
        "error: dwi.bvec: measurement 14 (counted from 1) has b = 2000 s/mm² but no direction; give its \
         direction, or b = 0, or raise \
         --b0-threshold",
    );
    scratch.fail(
        "convert dwi.nii.gz none.nii.gz --shells 3000",
        2,
        "error: --shells: no measurement has b = 3000 s/mm²; the series has 2 × b 0, 11 × b 1000, 1 × b \
         2000; 1 has no direction",
    );
}

#[test]
fn implausible_vectors_are_rejected() {
    let scratch = brain();
    stretch(&scratch, |_| 40.0);
    let problem = "the vectors of its weighted measurements are 4.000e1 long, which are no directions";
    for command in COMMANDS {
        let result = scratch.run(command);
        assert_eq!(result.code, 2, "{command}: {}", result.errors);
        assert!(
            result.errors.starts_with(&format!("error: dwi.bvec: {problem}")),
            "{command}: {}",
            result.errors
        );
    }
    assert!(scratch.succeed("info dwi.bvec").contains(problem));
    scratch.succeed("fit tensor dwi.nii.gz --mask mask.nii.gz --out out --bvec-lengths ignore");
}

#[test]
fn options_that_do_not_apply_to_the_input_are_rejected() {
    let brain = brain();
    for option in ["--b-unit s/mm2", "--bvec-lengths scale"] {
        let name = option.split(' ').next().unwrap();
        brain.fail(
            &format!("convert truth_streamlines.trx a.tck {option}"),
            2,
            &format!("error: {name}: it is for gradient tables; leave it out"),
        );
        brain.fail(
            &format!("convert mask.nii.gz a.nii {option}"),
            2,
            &format!("error: {name}: mask.nii.gz has no gradient table; leave it out"),
        );
    }
}

#[test]
fn nan_directions_count_as_missing_in_every_format() {
    let brain = brain();
    brain.succeed("convert dwi.bvec table.b --reference dwi.nii.gz");
    brain.succeed("convert dwi.bvec table.scheme --reference dwi.nii.gz");
    brain.succeed("convert dwi.bvec table.prtcl --reference dwi.nii.gz");
    brain.succeed("convert dwi.nii.gz dwi.mif");
    brain.succeed("fit tensor dwi.nii.gz --mask mask.nii.gz --out plain");
    let tables = ["table.b", "table.scheme", "table.prtcl"];
    for name in tables {
        let text = brain.text(name);
        let zeros = |line: &str| line.split([' ', ',']).take(3).all(|word| word == "0" || word == "-0");
        let no_number =
            |line: &str| if zeros(line) { line.replacen("0 0 0", "nan nan nan", 1) } else { line.into() };
        let changed: Vec<String> = text.lines().map(no_number).collect();
        assert_eq!(changed.iter().filter(|line| line.starts_with("nan")).count(), 2, "{name}: {text}");
        brain.write(name, changed.join("\n") + "\n");
        brain.succeed(&format!(
            "fit tensor dwi.nii.gz --gradients {name} --mask mask.nii.gz --out out --force"
        ));
        assert!(brain.succeed(&format!("info {name}")).contains("2 × b 0, 12 × b 1000"));
        let [fa, plain] = ["out", "plain"].map(|f| brain.volume(&format!("{f}/fa.nii.gz")));
        // The table contains rounded decimal numbers.
        assert!(fa.values().iter().zip(plain.values()).all(|(a, b)| (a - b).abs() < 1e-4), "{name}");
    }
    // In the header of a .mif file, each of two lines becomes 6 bytes longer.
    let bytes = brain.read("dwi.mif");
    let end = bytes.windows(5).position(|five| five == b"\nEND\n").unwrap();
    let header = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let changed = header.replace("dw_scheme: 0,0,0,0\n", "dw_scheme: nan,nan,nan,0\n");
    assert!(changed.len() == header.len() + 12, "{header}");
    // The data move by 64 bytes to make space for the longer header.
    let data = header.rsplit_once(' ').unwrap().1.parse::<usize>().unwrap();
    let grown = changed.replace(&format!("file: . {data}"), &format!("file: . {}", data + 64));
    let mut file = format!("{grown}\nEND\n").into_bytes();
    file.resize(data + 64, 0);
    file.extend(&bytes[data..]);
    brain.write("nan.mif", file);
    brain.succeed("fit tensor nan.mif --mask mask.nii.gz --out header");
    assert!(brain.succeed("info nan.mif").contains("2 × b 0, 12 × b 1000"));
    assert!(
        brain.read("header/tensor.nii.gz") == {
            brain.succeed("fit tensor dwi.mif --mask mask.nii.gz --out header2");
            brain.read("header2/tensor.nii.gz")
        }
    );
}

#[test]
fn missing_bval_or_bvec_files_are_reported() {
    for (there, gone, what) in [("dwi.bval", "dwi.bvec", "directions"), ("dwi.bvec", "dwi.bval", "b-values")]
    {
        let brain = brain();
        std::fs::remove_file(brain.path(gone)).unwrap();
        let half = format!("dwi.nii.gz: its {what} are missing: {there} is there, {gone} is not");
        brain.fail(
            "fit tensor dwi.nii.gz --mask mask.nii.gz --out out",
            1,
            &format!("error: {half}; give --bval and --bvec, or --gradients"),
        );
        brain.succeed_with(
            "convert dwi.nii.gz out.mif",
            &format!("warning: {half}, so the gradient table is not converted"),
        );
    }
    let brain = brain();
    for name in ["dwi.bval", "dwi.bvec"] {
        std::fs::remove_file(brain.path(name)).unwrap();
    }
    let nothing =
        "error: dwi.nii.gz: its diffusion weighting is unknown; give --bval and --bvec, or --gradients";
    brain.fail("fit tensor dwi.nii.gz --mask mask.nii.gz --out out", 1, nothing);
}

#[test]
fn pulses_in_other_units_are_rejected() {
    let brain = brain();
    // δ = 20 ms, Δ = 40 ms, 40 mT/m.
    let scheme = |pulses: &str| {
        let axes = arcuate_core::Orientations::half_sphere(12);
        let row = |[x, y, z]: &[f64; 3]| format!("{x} {y} {z} {pulses}");
        let weighted: Vec<String> = axes.directions().iter().map(row).collect();
        let zero = format!("0 0 0 0 {}\n", pulses.split_once(' ').unwrap().1);
        format!("VERSION: STEJSKALTANNER\n{}{}\n", zero.repeat(2), weighted.join("\n"))
    };
    let fit = "fit tensor dwi.nii.gz --gradients a.scheme --mask mask.nii.gz --out out";
    brain.write("a.scheme", scheme("0.04 0.04 0.02 0.08"));
    brain.succeed(fit);
    for (pulses, message) in [
        (
            "0.04 40 20 80",
            "a.scheme, line 2: Δ = 40 s exceeds what any scanner can do; the number may be \
                           in ms",
        ),
        ("40 0.04 0.02 0.08", "a.scheme: its pulses make b-values of up to 1.5267"),
        (
            "0.04 0.04 0.02 80",
            "a.scheme, line 2: TE = 80 s exceeds what any scanner can do; the number may be in ms",
        ),
    ] {
        brain.write("a.scheme", scheme(pulses));
        for command in
            [fit.replace("--out out", "--out other"), "convert a.scheme b.b --reference dwi.nii.gz".into()]
        {
            let result = brain.run(&command);
            assert!(
                result.code != 0 && result.errors.starts_with(&format!("error: {message}")),
                "{}",
                result.errors
            );
            assert!(result.errors.contains("give |G| in T/m and Δ, δ and TE in s"), "{}", result.errors);
        }
    }
    // Protocols have b-values and pulses. The two must agree.
    let protocol = |columns: &str, row: &str| format!("#gx,gy,gz,{columns}\n0 0 1 {row}\n");
    for (columns, row, message) in [
        ("b,Delta,delta,TE", "1e9 40 20 80", "a.prtcl, line 2: Δ = 40 s exceeds what any scanner can do"),
        (
            "b,G,Delta,delta,TE",
            "1.5267e9 4 0.04 0.02 0.08",
            "a.prtcl: measurement 1 (counted from 1) has b = 1527 s/mm², but its pulses give 1.527e7 s/mm²",
        ),
        (
            "b,Delta,delta,TE",
            "1000 0.04 0.02 0.08",
            "a.prtcl: its largest b-value, 1000, is too small for s/m², and would do in s/mm²",
        ),
    ] {
        brain.write("a.prtcl", protocol(columns, row));
        let result = brain.run("convert a.prtcl b.b --reference dwi.nii.gz");
        assert!(
            result.code != 0 && result.errors.starts_with(&format!("error: {message}")),
            "{}",
            result.errors
        );
    }
    brain.succeed("convert a.prtcl b.b --reference dwi.nii.gz --b-unit s/mm2");
    assert!(brain.succeed("info b.b").contains("1 × b 1000"));
    // The options take milliseconds, but these values are in seconds.
    let result = brain.run(
        "evaluate commit truth_streamlines.trx --dwi dwi.nii.gz --model cylinder-zeppelin-ball --big-delta 0.04 \
         --small-delta 0.02 --echo-time 0.08 --out commit",
    );
    assert!(
        result.code != 0 && result.errors.contains("--big-delta, --small-delta, --echo-time: |G| = "),
        "{}",
        result.errors
    );
}

#[test]
fn implausible_diffusivities_are_reported_with_a_guess() {
    let brain = brain();
    let told = |command: &str, warning: &str| {
        let result = brain.run(command);
        assert!(
            result.code == 0 && result.errors.contains(warning),
            "{command}: {} {}",
            result.code,
            result.errors
        );
    };
    // The b-values are in s/m², but --b-unit states s/mm².
    let b_values = brain.read("dwi.bval");
    change_b(&brain, |b| b * 1e6);
    told(
        "fit tensor dwi.nii.gz --mask mask.nii.gz --b-unit s/mm2 --out si",
        "µm²/ms, but tissue has values from 0.1 to 3 µm²/ms: b-values in s/m² that are read as s/mm² cause \
         such values",
    );
    assert!(brain.text("si/arcuate.json").contains("b-values in s/m²"));
    brain.write("dwi.bval", &b_values);
    // The b-values are a tenth of the true values.
    change_b(&brain, |b| 0.1 * b);
    told(
        "fit tensor dwi.nii.gz --mask mask.nii.gz --out tenth",
        ": check b-values and that the signal is a magnitude",
    );
    told(
        "fit ball-1-stick dwi.nii.gz --mask mask.nii.gz --out stick",
        "the median diffusivity of ball-1-stick is ",
    );
    brain.write("dwi.bval", &b_values);
    brain.succeed("fit tensor dwi.nii.gz --mask mask.nii.gz --out plain");
    // The tensor is in µm²/ms instead of mm²/s.
    let tensor: Volume<f32> = brain.volume("plain/tensor.nii.gz").map(|d| 1e3 * d);
    brain.write_image("micro.nii.gz", &tensor);
    told("maps micro.nii.gz --out micro", "and so do diffusivities in µm²/ms");
    // Diffusivities in options are checked, too.
    let life = "evaluate life truth_streamlines.trx --dwi dwi.nii.gz --iterations 3 --force --out life";
    told(
        &format!("{life} --eigenvalues 1.7e-3,0.3e-3,0.3e-3"),
        "--eigenvalues: 0.0017 µm²/ms is not a diffusivity of tissue: it looks like mm²/s",
    );
    told(
        &format!("{life} --eigenvalues 1700,300,300"),
        "--eigenvalues: 1700 µm²/ms is not a diffusivity of tissue: it looks like µm²/s",
    );
    told(
        "evaluate commit truth_streamlines.trx --dwi dwi.nii.gz --model ball-and-stick --axial-diffusivity 17 --iterations 3 \
         --out commit",
        "--axial-diffusivity: 17 µm²/ms is not a diffusivity of tissue: free water of body temperature has 3",
    );
}
