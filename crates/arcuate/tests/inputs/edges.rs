//! Tests of edge cases: signals of any scale, tables of unusual sizes, missing names, ineffective options, and
//! little memory.

use crate::common::{Scratch, brain, with_memory_limit};
use arcuate_core::{Grid, Orientations, Volume};
use arcuate_io::{WriteOptions, read_weights, write_image};
use std::io::Read;

/// Writes a copy of the series with every value changed, and a copy of its gradient table.
fn change(scratch: &Scratch, name: &str, change: impl Fn(f32) -> f32) {
    let series = scratch.volume("dwi.nii.gz").map(change);
    scratch.write_image(&format!("{name}.nii.gz"), &series);
    for ending in ["bval", "bvec"] {
        scratch.write(&format!("{name}.{ending}"), scratch.read(&format!("dwi.{ending}")));
    }
}

#[test]
fn life_weights_do_not_depend_on_the_signal_scale() {
    let brain = brain();
    // The factors are powers of two, about 1e10 and 1e-30. They change only the exponents, so every bit of the
    // results must stay the same.
    let (huge, tiny) = (33f64.exp2(), (-100f64).exp2());
    change(&brain, "huge", |s| huge as f32 * s);
    change(&brain, "tiny", |s| tiny as f32 * s);
    let life = |name: &str, more: &str| {
        let result = brain.run(&format!(
            "evaluate life truth_streamlines.trx --dwi {name}.nii.gz --out {name} {more} --force"
        ));
        assert_eq!((result.code, result.errors.as_str()), (0, ""), "{name}");
        let figures = brain.json(&format!("{name}/arcuate.json"))["figures"].clone();
        let figure = |start: &str| {
            let found = figures.as_object().unwrap().iter().find(|(name, _)| name.starts_with(start));
            found.unwrap_or_else(|| panic!("{start}: {figures}")).1["value"].as_f64().unwrap()
        };
        let of = ["mean RMSE without", "mean RMSE with weighted", "objective"].map(figure);
        (read_weights(&brain.path(&format!("{name}/life_weights.txt"))).unwrap(), of)
    };
    for more in ["", "--regularise lasso --lambda 0.1", "--solver sbbnnls --iterations 2000"] {
        let (expected, [before, after, objective]) = life("dwi", more);
        assert!(expected.iter().any(|&w| w > 0.0) && after < before);
        for (name, factor) in [("huge", huge), ("tiny", tiny)] {
            let (weights, [b, a, o]) = life(name, more);
            assert!(weights == expected, "{name} {more}");
            let figures = [b / factor, a / factor, o / (factor * factor)];
            assert_eq!(figures, [before, after, objective], "{name} {more}");
        }
    }
}

/// Simulates a brain with this number of axes per shell and two measurements at b = 0.
fn brain_of(shells: &[(u32, usize)]) -> Scratch {
    let scratch = Scratch::new();
    let mut rows = vec!["0 0 0 0".to_owned(); 2];
    for &(b, axes) in shells {
        for [x, y, z] in Orientations::half_sphere(axes).directions() {
            rows.push(format!("{x} {y} {z} {b}"));
        }
    }
    scratch.write("table.b", rows.join("\n") + "\n");
    scratch.succeed("simulate --out brain --voxel-size 6 --gradients table.b --streamlines-per-bundle 4");
    Scratch::with(&scratch.files("brain"))
}

#[test]
fn life_fits_the_level_of_each_shell() {
    let brain = brain_of(&[(300, 6), (1000, 15), (3000, 20)]);
    // The signal is isotropic and the same in every voxel: 900 exp(−0.8e-3 b).
    let series = brain.volume("dwi.nii.gz");
    let b_values =
        [(0, 2), (300, 6), (1000, 15), (3000, 20)].map(|(b, axes)| vec![f64::from(b); axes]).concat();
    let decay = |b: &f64| 900.0 * (-0.8e-3 * b).exp() as f32;
    let flat: Vec<f32> = (0..series.grid().len()).flat_map(|_| b_values.iter().map(decay)).collect();
    let flat = Volume::new(*series.grid(), b_values.len(), flat).unwrap();
    brain.write_image("flat.nii.gz", &flat);
    for ending in ["bval", "bvec"] {
        brain.write(&format!("flat.{ending}"), brain.read(&format!("dwi.{ending}")));
    }
    let warning = "warning: LiFE does not use 6 × b 300, which have far fewer gradient directions than 15 × \
                   b 1000, 20 × b 3000; to use these measurements, list their shells in --shells";
    let life = "evaluate life truth_streamlines.trx";
    let result = brain.succeed_with(&format!("{life} --dwi flat.nii.gz --out flat"), warning);
    assert!(result.starts_with("0 of 60 streamlines supported; "), "{result}");
    let weights = |name: &str| read_weights(&brain.path(&format!("{name}/life_weights.txt"))).unwrap();
    assert!(weights("flat").iter().all(|&w| w == 0.0));
    brain.succeed_with(&format!("{life} --dwi dwi.nii.gz --out both"), warning);
    brain.succeed(&format!("{life} --dwi dwi.nii.gz --shells 300,1000,3000 --out three"));
    brain.succeed(&format!("{life} --dwi dwi.nii.gz --shells 3000 --out one"));
    assert!(weights("both") != weights("three") && weights("both") != weights("one"));
    let explained =
        |name: &str| brain.json(&format!("{name}/arcuate.json"))["choices"]["shells explained"].clone();
    assert_eq!(explained("both"), "15 × b 1000, 20 × b 3000 s/mm²");
    assert_eq!(explained("one"), "20 × b 3000 s/mm²");
    brain.fail(
        &format!("{life} --dwi dwi.nii.gz --shells 2000 --out no"),
        2,
        "error: --shells: no measurement has b = 2000 s/mm²; the series has 2 × b 0, 6 × b 300, 15 × b \
         1000, 20 × b 3000",
    );

    // `run` selects the same shells and prints the same warning.
    let result = brain.run("run dwi.nii.gz --mask mask.nii.gz --tracking tensor --select 50 --out run");
    assert_eq!(result.code, 0, "{}", result.errors);
    assert!(result.errors.contains(warning), "{}", result.errors);
    assert_eq!(explained("run/life"), "15 × b 1000, 20 × b 3000 s/mm²");
}

#[test]
fn life_rejects_tables_without_shells_with_advice() {
    let ramp: Vec<(u32, usize)> = (1..=8).map(|n| (400 * n, 3 + (n as usize) / 8)).collect();
    let brain = brain_of(&ramp);
    let result = "error: dwi.bval, dwi.bvec: its 25 weighted measurements make no shells: no b-value has more than 4 axes; choose shells with --shells, or evaluate with COMMIT, which models the decay with b";
    brain.fail("evaluate life truth_streamlines.trx --dwi dwi.nii.gz --out out", 1, result);
    // `run` rejects the table before its first step.
    brain.fail("run dwi.nii.gz --mask mask.nii.gz --select 50 --out out", 1, result);
}

#[test]
fn series_without_positive_values_are_rejected_by_every_command() {
    let brain = brain();
    let advice = "check that the file is complete, and that it was converted with the right scaling";
    change(&brain, "dark", |_| 0.0);
    change(&brain, "negated", |s| -s);
    change(&brain, "broken", |_| f32::NAN);
    for (name, problem) in [
        ("dark", "all of its values are 0"),
        ("negated", "all of its values are 0 or negative"),
        ("broken", "all of its values are infinite or not numbers"),
    ] {
        let message = format!("error: {name}.nii.gz: {problem}; {advice}");
        for command in [
            "fit tensor @ --mask mask.nii.gz --out out",
            "fit tensor @ --out out",
            "fit ball-1-stick @ --mask mask.nii.gz --out out",
            "fit ball-1-stick @ --mask mask.nii.gz --method mcmc --out out",
            "mask @ --out out.nii.gz",
            "response @ --mask mask.nii.gz --out out",
            "evaluate life truth_streamlines.trx --dwi @ --out out",
            "evaluate commit truth_streamlines.trx --dwi @ --peaks truth_peaks.nii.gz --out out",
            "track bootstrap @ --mask mask.nii.gz --out out.tck",
            "run @ --mask mask.nii.gz --out out",
        ] {
            brain.fail(&command.replace('@', &format!("{name}.nii.gz")), 1, &message);
        }
        let fsl = format!("dtifit -k {name}.nii.gz -m mask.nii.gz -r dwi.bvec -b dwi.bval -o out");
        let result = brain.run(&fsl);
        assert!(result.code != 0 && result.errors.contains(problem), "{fsl}: {}", result.errors);
    }
}

#[test]
fn every_command_reports_uncomputed_voxels_with_the_same_text() {
    let brain = brain();
    let mask = brain.volume("mask.nii.gz");
    let inside: Vec<usize> = (0..mask.grid().len()).filter(|&v| mask.values()[v] > 0.5).collect();
    let mut dwi = brain.volume("dwi.nii.gz");
    dwi.voxel_mut(inside[500]).fill(0.0);
    dwi.voxel_mut(inside[600]).fill(f32::NAN);
    dwi.voxel_mut(inside[700])[5] = f32::NAN;
    dwi.voxel_mut(inside[700])[6] = f32::INFINITY;
    brain.write_image("dwi.nii.gz", &dwi);
    let all = inside.len();
    let missing = format!(
        "2 of {all} voxels could not be computed (1 without a signal above 0, 1 with a value that is not finite)"
    );
    let unused = "2 measurements were not used (2 not finite)";
    for (command, what) in [
        ("fit tensor dwi.nii.gz --mask mask.nii.gz --out out", "tensor"),
        ("fit ball-1-stick dwi.nii.gz --mask mask.nii.gz --out out", "ball-1-stick"),
        (
            "fit ball-1-stick dwi.nii.gz --mask mask.nii.gz --method mcmc --burn-in 5 --jumps 10 --interval 5 --out out",
            "ball-1-stick",
        ),
    ] {
        let result = brain.run(&format!("{command} --force"));
        let expected = format!("warning: {what}: {missing}, and {unused}");
        assert!(result.code == 0, "{}", result.errors);
        assert!(
            result.errors.lines().any(|line| line.starts_with(&expected)),
            "{command}: {}",
            result.errors
        );
        let figures = brain.json("out/arcuate.json")["figures"].clone();
        for (name, value) in [
            ("voxels computed", all - 2),
            ("voxels not computed", 2),
            ("voxels not computed, without a signal above 0", 1),
            ("voxels not computed, with a value that is not finite", 1),
            ("measurements not used", 2),
        ] {
            assert_eq!(figures[name]["value"], value, "{command}: {name}: {figures}");
        }
    }
    // COMMIT needs all measurements of a voxel.
    let missing = format!(
        "warning: COMMIT: 3 of {all} voxels could not be computed (1 without a signal above 0, 2 with a value that is not finite)"
    );
    let commit = "evaluate commit truth_streamlines.trx --dwi dwi.nii.gz --peaks truth_peaks.nii.gz --tolerance 0.1 --out commit --force";
    let result = brain.run(&format!("{commit} --mask mask.nii.gz"));
    assert!(result.code == 0 && result.errors.lines().any(|line| line == missing), "{}", result.errors);
    let figures = brain.json("commit/arcuate.json")["figures"].clone();
    assert_eq!(figures["voxels not computed"]["value"], 3, "{figures}");
    // Without a mask, voxels of the background without signal are not reported.
    let result = brain.run(commit);
    let of_signal =
        |line: &str| line.contains("1 with a value that is not finite") && !line.contains("without a signal");
    let lines: Vec<&str> =
        result.errors.lines().filter(|line| line.starts_with("warning: COMMIT: 1 of ")).collect();
    assert!(result.code == 0 && lines.len() == 1 && of_signal(lines[0]), "{}", result.errors);
}

#[test]
fn tensors_are_fitted_to_suitable_shells() {
    let brain = Scratch::new();
    let mut rows = vec!["0 0 0 0".to_owned()];
    let directions = arcuate_core::Orientations::half_sphere(15);
    for b in [1000, 3000] {
        rows.extend(directions.directions().iter().map(|[x, y, z]| format!("{x} {y} {z} {b}")));
    }
    brain.write("table.b", rows.join("\n"));
    brain.succeed("simulate --out s --voxel-size 8 --gradients table.b --streamlines-per-bundle 2 --snr 0");
    let result = brain.succeed("fit tensor s/dwi.nii.gz --mask s/mask.nii.gz --out inner");
    let expected =
        "the tensor is fitted to 1 × b 0, 15 × b 1000; 15 other measurements are left to richer models\n";
    assert!(result.starts_with(expected), "{result}");
    assert!(
        !brain
            .succeed("fit tensor s/dwi.nii.gz --mask s/mask.nii.gz --max-b 4000 --out all")
            .contains("fitted to")
    );
    brain.succeed("fit tensor s/dwi.nii.gz --mask s/mask.nii.gz --shells 1000 --out named");
    brain.succeed("fit tensor s/dwi.nii.gz --mask s/mask.nii.gz --shells 3000 --out outer");
    let md = |name: &str| brain.read(&format!("{name}/md.nii.gz"));
    assert!(md("inner") == md("named") && md("inner") != md("all") && md("outer") != md("all"));
    brain.fail(
        "fit tensor s/dwi.nii.gz --mask s/mask.nii.gz --shells 1000,2000 --out none",
        2,
        "error: --shells: no measurement has b = 2000 s/mm²; the series has 1 × b 0, 15 × b 1000, 15 × b \
         3000",
    );
    brain.fail(
        "fit tensor s/dwi.nii.gz --mask s/mask.nii.gz --max-b 0 --out none",
        2,
        "error: --max-b: 0 s/mm² leaves no measurement; give a b-value above 0",
    );
    // `convert --shells` extracts shells with their gradient table.
    assert_eq!(
        brain.succeed("convert s/dwi.nii.gz b3000.nii --shells 0,3000"),
        "gradient table: b3000.bval and b3000.bvec\n"
    );
    let result = brain.succeed("info b3000.nii b3000.bval");
    assert!(result.contains("8 × ") || result.contains("× 16"), "{result}");
    assert!(result.contains("1 × b 0, 15 × b 3000"), "{result}");
    brain.succeed("convert s/dwi.nii.gz some.mif --volumes 0,16-30");
    let (a, b) = (brain.volume("b3000.nii"), brain.volume("some.mif"));
    assert!(a.values() == b.values() && a.channels() == 16);
    assert!(brain.succeed("info some.mif").contains("1 × b 0, 15 × b 3000"));
}

#[test]
fn gradient_tables_of_fsl_and_hcp_are_found() {
    let brain = brain();
    for (from, to) in
        [("dwi.nii.gz", "hcp/data.nii.gz"), ("dwi.bval", "hcp/bvals"), ("dwi.bvec", "hcp/bvecs")]
    {
        brain.write(to, brain.read(from));
    }
    brain.succeed("mask hcp/data.nii.gz --out a.nii.gz");
    brain.succeed("mask dwi.nii.gz --out b.nii.gz");
    assert!(brain.read("a.nii.gz") == brain.read("b.nii.gz"));
    let inputs = brain.json("a.nii.gz.json")["inputs"].clone();
    let names: Vec<&str> =
        inputs.as_array().unwrap().iter().map(|input| input["path"].as_str().unwrap()).collect();
    assert_eq!(names, ["hcp/data.nii.gz", "hcp/bvals", "hcp/bvecs"]);
}

#[test]
fn connectome_rows_follow_the_label_names() {
    let brain = brain();
    brain.write("names.txt", "3 c\n1 a\n999 nowhere\n2 b\n");
    let result = brain
        .run("connectome truth_streamlines.trx --labels labels.nii.gz --label-names names.txt --out out");
    assert_eq!(result.code, 0);
    let left_out = "warning: labels.nii.gz: 27 regions have no name in names.txt and are not used: 4, 5, 6, 7, 8, 9, 10, 11, \
                    12, 13, …\n";
    assert!(result.errors.starts_with(left_out), "{}", result.errors);
    let regions = brain.text("out/connectome_regions.csv");
    let rows: Vec<&str> = regions.lines().skip(1).collect();
    assert_eq!(rows, ["0,1,a", "1,2,b", "2,3,c", "3,999,nowhere"]);
    assert_eq!(brain.text("out/connectome_counts.csv").lines().count(), 4);
}

#[test]
fn eigenvector_images_are_rejected_as_peaks() {
    let brain = brain();
    brain.succeed("fit tensor dwi.nii.gz --mask mask.nii.gz --out maps");
    let commit = "evaluate commit truth_streamlines.trx --dwi dwi.nii.gz --mask white_matter.nii.gz --iterations 3 \
                  --tolerance 0.5";
    brain.fail(
        &format!("{commit} --peaks maps/eigenvectors.nii.gz --out out"),
        1,
        "error: maps/eigenvectors.nii.gz: its voxels hold three unit vectors at right angles: the eigenvectors of a tensor, \
         of which only the first is the direction of fibres; give the first alone: principal_direction.nii.gz of `arcuate \
         fit tensor`",
    );
    let result = brain.run(&format!("{commit} --peaks maps/principal_direction.nii.gz --out out"));
    assert_eq!(result.code, 0, "{}", result.errors);
}

#[test]
fn options_without_effect_are_errors() {
    let brain = brain();
    brain.succeed("fit tensor dwi.nii.gz --mask mask.nii.gz --out maps");
    let track = "track tensor maps/tensor.nii.gz --out t.tck";
    let connectome = "connectome truth_streamlines.trx --labels labels.nii.gz --out c";
    for (command, option) in [
        ("convert dwi.nii.gz a.mif --positions f64", "--positions"),
        ("convert dwi.nii.gz a.mif --nifti-2", "--nifti-2"),
        ("convert dwi.nii.gz a.nii --reference mask.nii.gz", "--reference"),
        ("convert truth_streamlines.trx a.trk --folder", "--folder"),
        ("convert truth_streamlines.trx a.trk --gradients dwi.bvec", "--gradients"),
        ("convert dwi.bvec a.b --reference dwi.nii.gz --volumes 1", "--volumes"),
        (&format!("{track} --deflection-f 0.3"), "--deflection-f"),
        (&format!("{track} --method fact --integrator euler"), "--integrator"),
        (&format!("{track} --method fact --step 1"), "--step"),
        (&format!("{connectome} --assignment end-voxel --assignment-radius 7"), "--assignment-radius"),
        ("evaluate life truth_streamlines.trx --dwi dwi.nii.gz --out l --lambda 0.1", "--lambda"),
        ("evaluate life truth_streamlines.trx --dwi dwi.nii.gz --out l --regularise lasso", "--regularise"),
    ] {
        let result = brain.run(command);
        assert!(
            result.code == 2 && result.errors.starts_with(&format!("error: {option}: ")),
            "{command}: {}",
            result.errors
        );
    }
    let result = brain.run("track tensor maps/tensor.nii.gz --out t.tck --seed-grid 100000");
    assert!(result.code == 2 && result.errors.starts_with("error: --seed-grid: "), "{}", result.errors);
}

#[test]
fn failed_thread_creation_gives_one_line() {
    let brain = brain();
    // The memory limit is enough for the program, but not for the stacks of thousands of threads.
    let result = with_memory_limit(&brain, 1_000_000, "mask dwi.nii.gz --out m.nii.gz --threads 4096");
    assert!(
        result.errors.starts_with("error: --threads: 4096 threads are not available ("),
        "{}",
        result.errors
    );
    assert_eq!((result.code, result.errors.lines().count()), (2, 1), "{}", result.errors);
}

#[test]
fn running_out_of_memory_gives_one_line() {
    let brain = brain();
    // A sparse file of 1 GiB of float values.
    let image = brain.path("large.nii");
    let small = std::fs::read(brain.path("dwi.nii.gz")).unwrap();
    let mut header = Vec::new();
    flate2::read::MultiGzDecoder::new(&small[..]).take(352).read_to_end(&mut header).unwrap();
    for (place, edge) in [(42, 1024i16), (44, 512), (46, 512), (48, 1)] {
        header[place..place + 2].copy_from_slice(&edge.to_le_bytes());
    }
    std::fs::write(&image, &header).unwrap();
    std::fs::File::options().write(true).open(&image).unwrap().set_len(352 + (1 << 30)).unwrap();
    let result = with_memory_limit(&brain, 700_000, "convert large.nii copy.nii --threads 2");
    assert!(
        result.errors.starts_with("error: memory: 1024.0 MiB more are not available; "),
        "{}",
        result.errors
    );
    assert_eq!((result.code, result.errors.lines().count()), (1, 1), "{}", result.errors);
    assert!(!brain.listing("").iter().any(|name| name.contains("copy.nii") || name.contains("partial")));
    // `density` reads only the header of this image, but its maps have the same number of voxels.
    let density = "density truth_streamlines.trx --like large.nii --out d.nii --threads 2";
    let result = with_memory_limit(&brain, 700_000, density);
    let expected = "error: --like large.nii: maps of its voxels need 3.00 GiB of memory, which this machine \
                    does not have available; give an image of fewer voxels\n";
    assert_eq!((result.code, result.errors.as_str()), (1, expected));
}

#[test]
fn maps_do_not_depend_on_the_voxel_order() {
    let brain = brain();
    let commit = "evaluate commit truth_streamlines.trx --dwi dwi.nii.gz --mask white_matter.nii.gz --iterations 5 \
                  --tolerance 1e-9";
    let confidence = brain.volume("white_matter.nii.gz");
    // The map differs between voxels. The second copy is stored in reverse order along the first axis.
    let grid = *confidence.grid();
    let values: Vec<f32> = (0..grid.len()).map(|voxel| 0.5 + (voxel % 7) as f32 / 10.0).collect();
    let straight = Volume::new(grid, 1, values).unwrap();
    let [nx, ..] = grid.shape();
    let rows = grid.affine().rows().map(|[x, y, z, t]| [-x, y, z, t + (nx as f64 - 1.0) * x]);
    let turned = Grid::new(grid.shape(), arcuate_core::Affine::from_rows(rows).unwrap()).unwrap();
    let order = turned.order_in(&grid).unwrap();
    let turn = |image: &Volume<f32>| {
        let values = order.iter().flat_map(|&voxel| image.voxel(voxel).to_vec()).collect();
        Volume::new(turned, image.channels(), values).unwrap()
    };
    let peaks = brain.volume("truth_peaks.nii.gz");
    for (name, image) in [("a", &straight), ("b", &turn(&straight)), ("peaks_b", &turn(&peaks))] {
        write_image(&brain.path(&format!("{name}.nii.gz")), image, &WriteOptions::default()).unwrap();
    }
    for (name, options) in [
        ("one", "--confidence a.nii.gz --peaks truth_peaks.nii.gz"),
        ("two", "--confidence b.nii.gz --peaks peaks_b.nii.gz"),
        ("three", "--peaks truth_peaks.nii.gz"),
    ] {
        let result = brain.run(&format!("{commit} {options} --out {name}"));
        assert_eq!(result.code, 0, "{}", result.errors);
    }
    let weights = |name: &str| brain.read(&format!("{name}/commit_weights.txt"));
    assert!(weights("one") == weights("two") && weights("one") != weights("three"));
}
