//! Tests of `response`, `fit csd` and `track fod` on a simulated brain with realistic tissues.

use crate::common::{Files, Scratch, kept};
use arcuate_core::{Volume, statistics};
use arcuate_io::{WriteOptions, write_image};

/// Returns a brain with CSF, grey and white matter, two weighted shells, a bias field, and voxels of 5 mm.
fn brain() -> Files {
    kept("crossing-fibres", |scratch| {
        scratch.succeed(
            "simulate --out kept --voxel-size 5 --shells 0:4,1000:20,2500:30 --tissues --snr 40 --streamlines-per-bundle 4",
        );
    })
}

/// Removes all but four slices from the mask, so that deconvolution takes a second.
fn keep_slices(scratch: &Scratch) {
    let mut mask = scratch.volume("mask.nii.gz");
    let grid = *mask.grid();
    let middle = grid.shape()[2] / 2;
    for voxel in 0..grid.len() {
        if !(middle - 2..middle + 2).contains(&grid.coordinates(voxel)[2]) {
            mask.values_mut()[voxel] = 0.0;
        }
    }
    scratch.write_volume("mask.nii.gz", &mask);
}

/// Returns voxels with more than 90 % white matter.
fn white(scratch: &Scratch) -> Vec<usize> {
    let tissues = scratch.volume("truth_5tt.nii.gz");
    (0..tissues.grid().len()).filter(|&voxel| tissues.voxel(voxel)[2] > 0.9).collect()
}

/// Returns the median angle in degrees between the first peak and the true one, in voxels that one bundle fills.
fn angle(scratch: &Scratch, peaks: &str) -> f64 {
    let (peaks, truth) = (scratch.volume(peaks), scratch.volume("truth_peaks.nii.gz"));
    let length = |v: &[f32]| v[..3].iter().map(|c| f64::from(c * c)).sum::<f64>().sqrt();
    let mut angles: Vec<f64> = white(scratch)
        .into_iter()
        .filter(|&voxel| length(truth.voxel(voxel)) > 0.85)
        .map(|voxel| {
            let (a, b) = (peaks.voxel(voxel), truth.voxel(voxel));
            let inner: f64 = (0..3).map(|n| f64::from(a[n] * b[n])).sum();
            (inner.abs() / length(a).max(1e-9) / length(b)).min(1.0).acos().to_degrees()
        })
        .collect();
    assert!(angles.len() > 30, "{} voxels of one bundle", angles.len());
    statistics::median(&mut angles).unwrap()
}

const TRUE: &str = "truth_response_wm.txt,truth_response_gm.txt,truth_response_csf.txt";

#[test]
fn tissues_and_distributions_agree_with_the_phantom() {
    let scratch = Scratch::with(&brain());
    let result = scratch
        .succeed(&format!("fit csd dwi.nii.gz --responses {TRUE} --mask mask.nii.gz --normalise --out csd"));
    assert!(result.contains("deconvolved into white matter, grey matter, cerebrospinal fluid"), "{result}");
    assert_eq!(
        scratch.listing("csd"),
        [
            "arcuate.json",
            "csf.nii.gz",
            "field.nii.gz",
            "gm.nii.gz",
            "peak_amplitude.nii.gz",
            "peaks.nii.gz",
            "vf.nii.gz",
            "wm_fod.nii.gz"
        ]
    );
    // At SNR 40, the error of the white-matter amount of a voxel is about 0.01 of 0.28. Up to a tenth of a voxel is
    // other tissue.
    let (found, truth) = (scratch.volume("csd/wm_fod.nii.gz"), scratch.volume("truth_fod.nii.gz"));
    assert_eq!((found.channels(), truth.channels()), (45, 45));
    let white = white(&scratch);
    let error: f64 = white
        .iter()
        .map(|&voxel| f64::from((found.voxel(voxel)[0] - truth.voxel(voxel)[0]).abs()))
        .sum::<f64>()
        / white.len() as f64;
    assert!(error < 0.01, "{error}");
    let angle = angle(&scratch, "csd/peaks.nii.gz");
    assert!(angle < 2.0, "{angle}");
    // The estimated field is the bias of the phantom.
    let (field, bias) = (scratch.volume("csd/field.nii.gz"), scratch.volume("truth_bias.nii.gz"));
    let mask = scratch.volume("mask.nii.gz");
    let inside: Vec<usize> = (0..mask.values().len()).filter(|&voxel| mask.values()[voxel] > 0.5).collect();
    let ratio: Vec<f64> =
        inside.iter().map(|&voxel| f64::from(field.values()[voxel] / bias.values()[voxel])).collect();
    let mean = ratio.iter().sum::<f64>() / ratio.len() as f64;
    let worst = ratio.iter().map(|ratio| (ratio / mean - 1.0).abs()).fold(0.0, f64::max);
    // The bias is ±20 %. A polynomial of third order approximates it to a tenth of that.
    assert!(worst < 0.03, "{worst}");
    // Streamlines that follow these FODs have lengths in the default range.
    let result = scratch.succeed("track fod csd/wm_fod.nii.gz --select 400 --random-seed 2 --out tracks.trx");
    assert!(result.starts_with("400 streamlines"), "{result}");
    let tracks = scratch.tractogram("tracks.trx");
    tracks.check().unwrap();
    assert!((0..tracks.len()).all(|n| tracks.length(n) > 19.9 && tracks.length(n) < 250.1));
    // The page shows the distributions, peaks, tissues, and input responses.
    scratch.succeed("report csd");
    let page = scratch.text("csd/report.html");
    for part in [
        r#""kind":"distributions""#,
        r#""kind":"sticks""#,
        "Response functions",
        "along fibres",
        "b 2500 s/mm²",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains(r#""names":["cerebrospinal fluid","grey matter","white matter"]"#));
    // The report shows the tracked image only if the image has not changed since.
    scratch.succeed("report tracks.trx");
    assert!(scratch.text("tracks.trx.html").contains(r#""kind":"distributions""#));
    std::fs::copy(scratch.path("truth_fod.nii.gz"), scratch.path("csd/wm_fod.nii.gz")).unwrap();
    scratch.succeed("report tracks.trx --force");
    assert!(!scratch.text("tracks.trx.html").contains(r#""kind":"distributions""#));
    // One image contains all tissues, with CSF first and white matter last.
    let (all, csf) = (scratch.volume("csd/vf.nii.gz"), scratch.volume("csd/csf.nii.gz"));
    assert_eq!(all.channels(), 3);
    assert!((0..all.grid().len()).all(|voxel| all.voxel(voxel)[0] == csf.voxel(voxel)[0]));
    assert!((0..all.grid().len()).all(|voxel| all.voxel(voxel)[2] == found.voxel(voxel)[0]));
}

#[test]
fn one_shell_is_deconvolved_by_its_own_response() {
    let scratch = Scratch::with(&brain());
    let result = scratch.succeed(
        "response dwi.nii.gz --method single-fibre --voxels 40 --mask white_matter.nii.gz --out responses",
    );
    assert!(result.contains("40 voxels of white matter"), "{result}");
    assert_eq!(scratch.listing("responses"), ["arcuate.json", "response_voxels.nii.gz", "response_wm.txt"]);
    let response = scratch.text("responses/response_wm.txt");
    assert!(response.starts_with("# Shells: 2500\n"), "{response}");
    let numbers: Vec<f64> =
        response.lines().nth(1).unwrap().split_whitespace().map(|word| word.parse().unwrap()).collect();
    let truth = scratch.text("truth_response_wm.txt");
    let expected: Vec<f64> =
        truth.lines().last().unwrap().split_whitespace().map(|word| word.parse().unwrap()).collect();
    // Voxels with the sharpest response are in the brightest part of the bias field, which is up to 20 % above the
    // mean. The shape is compared after scaling.
    let factor = numbers[0] / expected[0];
    assert!((0.85..1.25).contains(&factor), "{factor}");
    for n in 1..3 {
        let ratio = numbers[n] / factor / expected[n];
        assert!((0.85..1.15).contains(&ratio), "degree {}: {ratio}", 2 * n);
    }
    scratch.succeed("fit csd dwi.nii.gz --responses responses --mask mask.nii.gz --out csd");
    let angle = angle(&scratch, "csd/peaks.nii.gz");
    assert!(angle < 2.5, "{angle}");
}

/// Few voxels of 5 mm contain only one tissue. The response of CSF is near the truth. The response of white matter
/// is from the brightest part of the bias field. The response of grey matter is from a mixture.
#[test]
fn responses_of_tissues_are_estimated() {
    let scratch = Scratch::with(&brain());
    let result = scratch.run("response dwi.nii.gz --mask mask.nii.gz --method tissues --out responses");
    assert!(result.code == 0 && result.output.contains("voxels of grey matter"), "{}", result.errors);
    // Few voxels of 5 mm contain only one tissue.
    let few = |line: &str| {
        line.starts_with("warning: the response of ") && line.contains(", fewer than 20, and may be wrong")
    };
    assert!(result.errors.lines().count() > 0 && result.errors.lines().all(few), "{}", result.errors);
    let numbers = |name: &str| -> Vec<Vec<f64>> {
        let text = scratch.text(name);
        let rows = text.lines().filter(|line| !line.starts_with('#'));
        rows.map(|row| row.split_whitespace().map(|word| word.parse().unwrap()).collect()).collect()
    };
    for (tissue, within) in [("wm", 0.25), ("gm", 0.25), ("csf", 0.05)] {
        let (found, truth) = (
            numbers(&format!("responses/response_{tissue}.txt")),
            numbers(&format!("truth_response_{tissue}.txt")),
        );
        assert_eq!(found.len(), 3, "{tissue}");
        // At b = 0 and at b = 1000.
        for shell in 0..2 {
            let ratio = found[shell][0] / truth[shell][0];
            assert!((ratio - 1.0).abs() < within, "{tissue}, shell {shell}: {ratio}");
        }
    }
    assert!(numbers("responses/response_wm.txt")[2][1] < 0.0, "a fibre's signal is lowest along it");
    let voxels = scratch.volume("responses/response_voxels.nii.gz");
    let mut seen: Vec<i32> = voxels.values().iter().map(|&value| value as i32).collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen, [0, 1, 2, 3]);
}

#[test]
fn responses_that_do_not_match_are_rejected() {
    let scratch = Scratch::with(&brain());
    scratch.fail(
        "fit csd dwi.nii.gz --responses . --mask mask.nii.gz --out csd",
        1,
        "error: .: the folder has no response_wm.txt; run `arcuate response`, or give the response files",
    );
    scratch.fail(
        "fit csd dwi.nii.gz --responses truth_response_wm.txt --normalise --mask mask.nii.gz --out csd",
        2,
        "error: --normalise: there is one tissue, whose sum with others cannot be brought to one scale; \
         give responses of several tissues, or remove this option",
    );
    scratch.write("two.txt", "3500 0 0\n1700 -600 110\n");
    for responses in ["two.txt,truth_response_csf.txt", "truth_response_gm.txt", "dwi.bval", "none.txt"] {
        let refused =
            scratch.run(&format!("fit csd dwi.nii.gz --responses {responses} --mask mask.nii.gz --out csd"));
        assert_eq!(refused.code, 1, "{responses}: {}", refused.errors);
        assert_eq!(refused.errors.lines().count(), 1, "{}", refused.errors);
    }
    let refused = scratch.run("response dwi.nii.gz --order 5 --out responses");
    assert!(
        refused.code == 2 && refused.errors.contains("--order: 5 is not an even number"),
        "{}",
        refused.errors
    );
    assert!(!scratch.path("csd").exists() && !scratch.path("responses").exists());
}

/// Writes a response with changed numbers and, if `reverse`, with its rows in reverse order.
fn write_response(
    scratch: &Scratch,
    name: &str,
    tissue: &str,
    change: impl Fn(usize, f64) -> f64,
    reverse: bool,
) {
    let text = scratch.text(&format!("truth_response_{tissue}.txt"));
    let rows = text.lines().filter(|line| !line.starts_with('#')).map(|row| {
        let numbers = row.split_whitespace().map(|word| word.parse::<f64>().unwrap()).enumerate();
        numbers.map(|(n, number)| change(n, number).to_string()).collect::<Vec<_>>().join(" ")
    });
    let mut rows: Vec<String> = rows.collect();
    if reverse {
        rows.reverse();
    }
    scratch.write(name, rows.join("\n"));
}

#[test]
fn contradictory_responses_are_rejected_and_doubts_are_reported() {
    let scratch = Scratch::with(&brain());
    keep_slices(&scratch);
    let [wm, gm, csf] = ["wm", "gm", "csf"].map(|tissue| format!("truth_response_{tissue}.txt"));
    write_response(&scratch, "reversed.txt", "wm", |_, number| number, true);
    write_response(&scratch, "tiny.txt", "wm", |_, number| 1e-300 * number, false);
    write_response(&scratch, "twice.txt", "gm", |_, number| 2.0 * number, false);
    write_response(&scratch, "fiftieth.txt", "wm", |_, number| 0.02 * number, false);
    let fit = "fit csd dwi.nii.gz --mask mask.nii.gz --out csd";
    for (given, part) in [
        (
            format!("{gm},{wm},{csf}"),
            format!("error: {gm}: this response is isotropic, but the response of grey matter is not"),
        ),
        (
            format!("{wm},{csf},{csf}"),
            format!("error: {csf}: this response is the same as the response of grey matter"),
        ),
        (
            format!("{wm},{gm},twice.txt"),
            "error: twice.txt: this response is a multiple of the response of grey matter".into(),
        ),
        (
            format!("reversed.txt,{gm},{csf}"),
            "error: reversed.txt: the mean signal of the response rises by ".into(),
        ),
        (format!("tiny.txt,{gm},{csf}"), "error: tiny.txt: the signal of the response is ".into()),
    ] {
        let result = scratch.run(&format!("{fit} --responses {given}"));
        assert!(result.code == 1 && result.errors.starts_with(&part), "{given}: {}", result.errors);
        assert_eq!(result.errors.lines().count(), 1, "{}", result.errors);
        assert!(!scratch.path("csd").exists());
    }
    for (given, part) in [
        (format!("{wm},{csf},{gm}"), "CSF falls more slowly with b than that of the response of grey matter"),
        (format!("fiftieth.txt,{gm},{csf}"), "the response of white matter may be of another unit"),
    ] {
        let result = scratch.run(&format!("{fit} --responses {given} --force"));
        assert!(result.code == 0 && result.errors.contains(part), "{given}: {}", result.errors);
        assert!(scratch.text("csd/arcuate.json").contains(part), "the record has the warning");
    }
    // The series is in another unit than the responses.
    let series = scratch.volume("dwi.nii.gz").map(|signal| 1e30 * signal);
    scratch.write_image("dwi.nii.gz", &series);
    let result = scratch.run(&format!("{fit} --responses {TRUE} --force"));
    assert!(
        result.code == 1
            && result.errors.contains("the signal of the response is ")
            && result.errors.contains("smaller"),
        "{}",
        result.errors
    );
}

#[test]
fn small_masks_give_warnings_about_responses() {
    let scratch = Scratch::with(&brain());
    let mask = scratch.volume("mask.nii.gz");
    let grid = *mask.grid();
    let middle = grid.shape().map(|size| size / 2);
    let is_near = |voxel: usize| grid.coordinates(voxel).iter().zip(middle).all(|(c, m)| c.abs_diff(m) < 6);
    let values =
        (0..grid.len()).map(|voxel| if is_near(voxel) { mask.values()[voxel] } else { 0.0 }).collect();
    write_image(
        &scratch.path("small.nii.gz"),
        &Volume::new(grid, 1, values).unwrap(),
        &WriteOptions::default(),
    )
    .unwrap();
    let result = scratch.run("response dwi.nii.gz --mask small.nii.gz --method tissues --out responses");
    let warnings =
        result.errors.lines().filter(|line| line.contains(", fewer than 20, and may be wrong")).count();
    assert!(result.code == 0 && warnings > 0, "{}", result.errors);
    assert!(scratch.text("responses/arcuate.json").contains("fewer than 20"));
}

/// Returns a figure of a record.
fn figure(scratch: &Scratch, record: &str, name: &str) -> u64 {
    let record: serde_json::Value = scratch.json(record);
    record["figures"][name]["value"].as_u64().unwrap_or_else(|| panic!("{name}: {}", record["figures"]))
}

#[test]
fn deconvolution_counts_voxels_without_results() {
    let scratch = Scratch::with(&brain());
    keep_slices(&scratch);
    let (series, mask) = (scratch.volume("dwi.nii.gz"), scratch.volume("mask.nii.gz"));
    let inside: Vec<usize> = (0..mask.grid().len()).filter(|&voxel| mask.values()[voxel] > 0.5).collect();
    let write = |change: &dyn Fn(&mut Volume<f32>)| {
        let mut changed = series.clone();
        change(&mut changed);
        scratch.write_image("dwi.nii.gz", &changed);
    };
    let fit = format!("fit csd dwi.nii.gz --responses {TRUE} --mask mask.nii.gz --out csd --force");
    scratch.succeed(&fit);
    let good = scratch.volume("csd/wm_fod.nii.gz");
    // One volume is not finite or is negative. The other volumes are used.
    for value in [f32::NAN, f32::INFINITY, -1e6] {
        write(&|dwi| (0..dwi.grid().len()).for_each(|voxel| dwi.voxel_mut(voxel)[30] = value));
        let result = scratch.run(&fit);
        let count = inside.len();
        let kind = if value.is_finite() { "negative" } else { "not finite" };
        let expected =
            format!("warning: deconvolution: {count} measurements were not used ({count} {kind})\n");
        assert_eq!((result.code, result.errors.as_str()), (0, expected.as_str()));
        assert!(result.output.contains(&format!("{count} voxels deconvolved")), "{}", result.output);
        let found = scratch.volume("csd/wm_fod.nii.gz");
        let difference = |voxel: &usize| f64::from((found.voxel(*voxel)[0] - good.voxel(*voxel)[0]).abs());
        let mean = inside.iter().map(difference).sum::<f64>() / count as f64;
        assert!(mean < 0.01, "{value}: {mean}");
        assert_eq!(figure(&scratch, "csd/arcuate.json", "measurements not used"), count as u64);
    }
    // Five voxels have no signal, and three voxels have no finite value at b = 0.
    write(&|dwi| {
        inside[..5].iter().for_each(|&voxel| dwi.voxel_mut(voxel).fill(0.0));
        inside[5..8].iter().for_each(|&voxel| dwi.voxel_mut(voxel)[..4].fill(f32::NAN));
    });
    let result = scratch.run(&fit);
    let (all, left) = (inside.len(), inside.len() - 8);
    let expected = format!(
        "warning: deconvolution: 8 of {all} voxels could not be computed (5 without a signal above 0, 3 with too few usable \
         measurements)\n"
    );
    assert_eq!((result.code, result.errors.as_str()), (0, expected.as_str()));
    assert!(result.output.contains(&format!("{left} voxels deconvolved")), "{}", result.output);
    for (name, value) in [
        ("voxels computed", left as u64),
        ("voxels not computed", 8),
        ("voxels not computed, without a signal above 0", 5),
        ("voxels not computed, with too few usable measurements", 3),
    ] {
        assert_eq!(figure(&scratch, "csd/arcuate.json", name), value, "{name}");
    }
    // The estimation of responses also excludes the volume.
    write(&|dwi| (0..dwi.grid().len()).for_each(|voxel| dwi.voxel_mut(voxel)[30] = f32::NAN));
    let result = scratch.run("response dwi.nii.gz --mask mask.nii.gz --out responses");
    let expected = format!("warning: response: {all} measurements were not used ({all} not finite)");
    assert!(result.code == 0 && result.errors.lines().any(|line| line == expected), "{}", result.errors);
    // The series has no positive value.
    for (value, problem) in [
        (0.0, "all of its values are 0"),
        (
            -5.0,
            "all of its values are 0 or \
        negative",
        ),
    ] {
        write(&|dwi| dwi.values_mut().fill(value));
        for command in [fit.as_str(), "response dwi.nii.gz --mask mask.nii.gz --out responses --force"] {
            let result = scratch.run(command);
            let expected = format!("error: dwi.nii.gz: {problem}; ");
            assert!(result.code == 1 && result.errors.starts_with(&expected), "{command}: {}", result.errors);
        }
    }
}

/// Returns the fraction of streamline ends that are in a voxel with grey matter.
fn ends_in_grey(scratch: &Scratch, tracks: &str) -> f64 {
    let (tissues, lines) = (scratch.volume("truth_5tt.nii.gz"), scratch.tractogram(tracks));
    let is_grey = |p: &[f32; 3]| {
        let voxel = tissues.grid().voxel_at(p.map(f64::from));
        voxel.is_some_and(|voxel| tissues.voxel(voxel)[0] + tissues.voxel(voxel)[1] > 0.05)
    };
    let ends: Vec<[f32; 3]> = (0..lines.len())
        .flat_map(|n| {
            let line = lines.streamline(n);
            [line[0], line[line.len() - 1]]
        })
        .collect();
    ends.iter().filter(|p| is_grey(p)).count() as f64 / ends.len() as f64
}

#[test]
fn the_tracking_source_of_a_run_depends_on_the_series() {
    let scratch = Scratch::with(&brain());
    // Voxels of 5 mm are too large to balance the tissues, and few of them contain only one tissue.
    let result = scratch.run(
        "run dwi.nii.gz --mask mask.nii.gz --five-tissues truth_5tt.nii.gz --select 300 --evaluate none --out out",
    );
    let warnings: Vec<&str> = result.errors.lines().collect();
    let unbalanced = "warning: dwi.nii.gz: tissues: no balance between them makes their sum the same \
                      everywhere; the FODs and tissue fractions are not normalised";
    assert!(
        result.code == 0
            && warnings.len() == 2
            && warnings[0].starts_with("warning: the response of white matter rests on ")
            && warnings[1] == unbalanced,
        "{}",
        result.errors
    );
    let result = result.output;
    let why = "streamlines follow fibre orientation distributions: 2 shells tell fibres from other tissues";
    assert!(result.contains(why), "{result}");
    for file in
        ["responses/response_gm.txt", "csd/gm.nii.gz", "csd/peaks.nii.gz", "tracks.trx", "report.html"]
    {
        assert!(scratch.path("out").join(file).is_file(), "{file}");
    }
    let record = scratch.text("out/arcuate.json");
    assert!(record.contains("\"what streamlines follow\": \"fibre orientation distributions"), "{record}");
    assert!(ends_in_grey(&scratch, "out/tracks.trx") > 0.95);
    // The page shows the tissues, and it colours streamlines by the tissues at their ends.
    let page = scratch.text("out/report.html");
    assert!(page.contains("Tissues used in tracking") && page.contains("cortex to nucleus"));
    // `--dry-run` lists the commands of a run, also with other sources of tracking.
    let words = "run dwi.nii.gz --mask mask.nii.gz --out out --dry-run";
    let lines = scratch.succeed(words);
    let has = |part: &str| lines.contains(part);
    assert!(has("arcuate response dwi.nii.gz") && has("arcuate fit csd dwi.nii.gz"), "{lines}");
    assert!(has("arcuate track fod out/csd/wm_fod.nii.gz") && has("arcuate evaluate commit"), "{lines}");
    assert!(has("--peaks out/csd/peaks.nii.gz"), "{lines}");
    let tensors = scratch.succeed(&format!("{words} --tracking tensor"));
    assert!(
        tensors.contains("arcuate track tensor") && tensors.contains("arcuate evaluate life"),
        "{tensors}"
    );
    let samples = scratch.succeed(&format!("{words} --tracking samples"));
    assert!(
        samples.contains("arcuate track samples") && samples.contains("arcuate evaluate commit"),
        "{samples}"
    );
}

#[test]
fn invalid_tissue_images_are_rejected() {
    let scratch = Scratch::with(&brain());
    let track = "track fod truth_fod.nii.gz --select 20 --out t.tck";
    for (options, code, result) in [
        ("--five-tissues mask.nii.gz", 1, "error: mask.nii.gz: the 5TT image has 1 volumes, not 5"),
        ("--seed-interface", 2, "--five-tissues"),
        ("--no-cropping", 2, "--five-tissues"),
        (
            "--five-tissues truth_5tt.nii.gz --seed-interface --seed-mask mask.nii.gz",
            2,
            "cannot be used with",
        ),
        (
            "--five-tissues truth_5tt.nii.gz --method peaks --back-tracking",
            2,
            "error: --back-tracking: tracking has no random steps",
        ),
    ] {
        let ran = scratch.run(&format!("{track} {options}"));
        assert!(ran.code == code && ran.errors.contains(result), "{options}: {} {}", ran.code, ran.errors);
    }
    let ran = scratch.run("run dwi.nii.gz --tracking geodesic --five-tissues truth_5tt.nii.gz --out g");
    assert!(
        ran.code == 2 && ran.errors.contains("--five-tissues: shortest paths do not use tissues"),
        "{}",
        ran.errors
    );
    // This transform moves the tissue image away from the FOD image.
    scratch.write("away.mat", "1 0 0 300\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
    let ran = scratch.run(&format!("{track} --five-tissues truth_5tt.nii.gz --masks-to-dwi away.mat"));
    assert!(
        ran.code == 1 && ran.errors.contains("are outside the brain of this 5TT image"),
        "{}",
        ran.errors
    );
}

/// The coefficients have the order of DIPY's older basis, with cosines before sines.
#[test]
fn distributions_in_another_basis_are_reported() {
    let scratch = Scratch::with(&brain());
    scratch.succeed("fit csd dwi.nii.gz --responses truth_response_wm.txt,truth_response_csf.txt --mask white_matter.nii.gz --out csd");
    assert!(scratch.path("csd/csf.nii.gz").exists() && !scratch.path("csd/gm.nii.gz").exists());
    let track = "track fod csd/wm_fod.nii.gz --select 50 --out tracks.tck";
    scratch.succeed(track);
    let right = scratch.volume("csd/wm_fod.nii.gz");
    let mut values = right.values().to_vec();
    for voxel in values.chunks_exact_mut(right.channels()) {
        let mut first = 0;
        for degree in
            (0..).step_by(2).take_while(|degree| (degree + 1) * (degree + 2) / 2 <= right.channels())
        {
            voxel[first..=first + 2 * degree].reverse();
            first += 2 * degree + 1;
        }
    }
    let other = Volume::new(*right.grid(), right.channels(), values).unwrap();
    scratch.write_image("csd/wm_fod.nii.gz", &other);
    let ran = scratch.run(&format!("{track} --force"));
    assert!(
        ran.code == 0 && ran.errors.contains("of the squared amplitudes of its FODs are negative"),
        "{}",
        ran.errors
    );
}

#[test]
fn wrong_gradient_axes_are_reported() {
    let scratch = Scratch::with(&brain());
    let tensors = "fit tensor dwi.nii.gz --mask mask.nii.gz --force --out tensor";
    let result = scratch.run(tensors);
    assert!(result.code == 0 && !result.errors.contains("gradient"), "{}", result.errors);
    let result = scratch.run(&format!("{tensors} --gradient-axes=y,x,z"));
    assert!(
        result.code == 0 && result.errors.contains("give --gradient-axes y,x,z if they are wrong"),
        "{}",
        result.errors
    );
}
