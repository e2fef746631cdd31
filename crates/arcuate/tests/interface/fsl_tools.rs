//! FSL's dtifit and the programs about samples and maps of seeds, as their callers know them, and links of their names.

use crate::common::fsl::{directions, leftwards, oblique, rightwards, succeed, write_gradients};
use crate::common::{CommandOutput, Scratch};
use arcuate_core::{Affine, Grid, Volume};
use arcuate_io::describe_image;

const SHAPE: [usize; 3] = [4, 3, 2];
const FILES: &str = "-m mask -r bvecs -b bvals";
const D: [f64; 3] = [1.7e-3, 0.4e-3, 0.2e-3];
const S0: f64 = 800.0;

fn b_value(measurement: usize) -> f64 {
    if measurement < 2 { 0.0 } else { 1000.0 }
}

/// Eigenvectors of a voxel along FSL's axes, those of `bvecs`.
fn frame(index: usize) -> [[f64; 3]; 3] {
    let all = [
        [[0.6, 0.0, 0.8], [0.8, 0.0, -0.6], [0.0, 1.0, 0.0]],
        [[0.0, 0.8, -0.6], [1.0, 0.0, 0.0], [0.0, 0.6, 0.8]],
        [[0.36, 0.48, 0.8], [0.8, -0.6, 0.0], [0.48, 0.64, -0.6]],
    ];
    all[index % all.len()]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A series of known tensors, in which all voxels but the second are in the mask.
fn series(affine: Affine) -> Scratch {
    let scratch = Scratch::new();
    let grid = Grid::new(SHAPE, affine).unwrap();
    let directions = directions(20);
    let mut values = Vec::new();
    for index in 0..grid.len() {
        for (n, gradient) in directions.iter().enumerate() {
            let along: f64 =
                frame(index).iter().zip(D).map(|(axis, d)| d * dot(*axis, *gradient).powi(2)).sum();
            values.push((S0 * (-b_value(n) * along).exp()) as f32);
        }
    }
    scratch.write_image("data.nii.gz", &Volume::new(grid, directions.len(), values).unwrap());
    let inside = (0..grid.len()).map(|index| u8::from(index != 1)).collect();
    scratch.write_image("mask.nii.gz", &Volume::new(grid, 1, inside).unwrap());
    write_gradients(&scratch, "", &directions);
    scratch
}

#[test]
fn tensors_are_written_as_dtifit_files() {
    for affine in [leftwards(), rightwards(), oblique()] {
        let scratch = series(affine);
        succeed(&scratch, &format!("dtifit -k data {FILES} --out=out/dti --sse --save_tensor -V"));
        let names = ["FA", "L1", "L2", "L3", "MD", "MO", "S0", "V1", "V2", "V3", "sse", "tensor"];
        assert_eq!(scratch.listing("out"), names.map(|name| format!("dti_{name}.nii.gz")));
        let map = |name: &str| scratch.volume(&format!("out/dti_{name}.nii.gz"));
        let maps = names.map(|name| (name, map(name)));
        for (name, volume) in &maps {
            assert!(volume.grid().matches(scratch.volume("data.nii.gz").grid()), "{name}");
            assert!(volume.voxel(1).iter().all(|value| *value == 0.0), "{name}: outside the mask");
            let file = scratch.path(&format!("out/dti_{name}.nii.gz"));
            assert_eq!(describe_image(&file).unwrap().data_type.to_string(), "32-bit floating point");
        }
        let [mean, spread] = [D.iter().sum::<f64>() / 3.0, D.iter().map(|d| d * d).sum::<f64>()];
        let fa = (1.5 * D.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / spread).sqrt();
        for voxel in (0..maps[0].1.grid().len()).filter(|voxel| *voxel != 1) {
            let close = |name: &str, wanted: f64| {
                let found = f64::from(map(name).voxel(voxel)[0]);
                // Signals are single precision.
                assert!((found / wanted - 1.0).abs() < 1e-5, "{name}, voxel {voxel}: {found} for {wanted}");
            };
            close("FA", fa);
            close("MD", mean);
            close("S0", S0);
            for (n, d) in D.into_iter().enumerate() {
                close(&format!("L{}", n + 1), d);
                let vector = map(&format!("V{}", n + 1));
                let vector: [f64; 3] = std::array::from_fn(|axis| f64::from(vector.voxel(voxel)[axis]));
                assert!(dot(vector, frame(voxel)[n]).abs() > 0.99999, "V{}, voxel {voxel}", n + 1);
            }
            assert!(map("sse").voxel(voxel)[0] < 1e-9);
            let places = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
            for (found, (a, b)) in map("tensor").voxel(voxel).iter().zip(places) {
                let wanted: f64 = frame(voxel).iter().zip(D).map(|(axis, d)| d * axis[a] * axis[b]).sum();
                assert!((f64::from(*found) - wanted).abs() < 1e-8, "element {a}{b} of voxel {voxel}");
            }
        }
    }
}

/// Two signals at b = 0 that are apart by e^±0.2: with equal weights their logarithms' mean is S₀'s, and 2 · 0.2² is left.
#[test]
fn measurements_have_equal_weights_without_wls() {
    let scratch = series(leftwards());
    let mut dwi = scratch.volume("data.nii.gz");
    for voxel in 0..dwi.grid().len() {
        for (n, factor) in [0.2f32.exp(), (-0.2f32).exp()].into_iter().enumerate() {
            dwi.voxel_mut(voxel)[n] *= factor;
        }
    }
    scratch.write_image("data.nii.gz", &dwi);
    succeed(&scratch, &format!("dtifit --data=data.nii.gz {FILES} -o ols --sse"));
    succeed(&scratch, &format!("dtifit --data=data.nii.gz {FILES} -o wls --sse -w"));
    let value = |name: &str| f64::from(scratch.volume(&format!("{name}.nii.gz")).voxel(0)[0]);
    assert!((value("ols_S0") / S0 - 1.0).abs() < 1e-5, "{}", value("ols_S0"));
    assert!((value("ols_L1") / D[0] - 1.0).abs() < 1e-5);
    assert!((value("ols_sse") - 0.08).abs() < 1e-5, "{}", value("ols_sse"));
    // Weights e^±0.4 move the mean of the logarithms by 0.2 · tanh 0.4; one shell says nothing of S₀.
    let moved = (value("wls_S0") / S0).ln();
    assert!((moved - 0.2 * 0.4f64.tanh()).abs() < 1e-5, "{moved}");
    assert!(!scratch.path("ols_tensor.nii.gz").exists());
}

#[test]
fn cropped_fits_keep_their_position() {
    for (affine, first) in [(leftwards(), 0), (rightwards(), 2)] {
        let scratch = series(affine);
        succeed(&scratch, &format!("dtifit -k data {FILES} -o all"));
        // Without the word the numbers mean nothing.
        succeed(&scratch, &format!("dtifit -k data {FILES} -o same -X 2 -y 1"));
        assert_eq!(scratch.volume("same_FA.nii.gz").grid().shape(), SHAPE);
        let output = scratch.run_with(
            &format!("dtifit -k data {FILES} -o part --littlebit -x 0 -X 2 --ymin=1 -z 0 -Z 1"),
            &[("FSLOUTPUTTYPE", "NIFTI".as_ref())],
        );
        assert_eq!((output.code, output.errors.as_str()), (0, ""));
        let (all, part) = (scratch.volume("all_V1.nii.gz"), scratch.volume("part_V1.nii"));
        assert_eq!(part.grid().shape(), [2, 2, 1]);
        for index in 0..part.grid().len() {
            let [i, j, k] = part.grid().coordinates(index);
            let place = all.grid().index([i + first, j + 1, k]);
            assert_eq!(part.voxel(index), all.voxel(place));
            let (a, b) = (part.grid().centre(index), all.grid().centre(place));
            assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5), "{a:?} for {b:?}");
        }
    }
}

#[test]
fn unsupported_dtifit_options_are_reported_by_name() {
    let scratch = series(leftwards());
    let line = |more: &str| format!("dtifit -k data {FILES} {more}");
    let refused = "leave it out, or have FSL's dtifit do it";
    for (more, code, message) in [
        ("-o a --kurt", 1, format!("--kurt: kurtosis is not fitted here; {refused}")),
        ("-o a --kurtdir", 1, format!("--kurtdir: kurtosis is not fitted here; {refused}")),
        ("-o a --cni=x.txt", 1, format!("--cni: confounds are not fitted here; {refused}")),
        (
            "-o a --gradnonlin=g",
            1,
            format!(
                "--gradnonlin: the tensor is fitted here for gradients that are the same in every voxel; {refused}"
            ),
        ),
        ("", 2, "--out: the option is missing; give the prefix of the file names of the output maps".to_owned()),
        (
            "-o a --littlebit -x 3 -X 2",
            1,
            "--xmin, --xmax: 3 to 2 is not a range of voxels along an axis of 4 voxels; count voxels from 0; \
             the end of the range is one after the last voxel"
                .to_owned(),
        ),
        (
            "-o a --littlebit -Z x",
            2,
            "--zmax: `x` is not a valid number for this option; give another".to_owned(),
        ),
        (
            "-o a --tensor",
            2,
            "--tensor: unknown option; write long options as --name=value; -h lists all options".to_owned(),
        ),
        (
            "-o a -m nothing",
            1,
            "nothing: there is no such image; give the name of an image, with or without .nii.gz".to_owned(),
        ),
        (
            "-o a --littlebit -x 1 -X 2 -Y 1 -Z 1",
            1,
            "mask: no voxel is inside; give a mask that covers the brain".to_owned(),
        ),
    ] {
        let message = message.replace("mask: no", "mask.nii.gz: no");
        scratch.fail(&line(more), code, &format!("error: {message}"));
    }
    let small = Grid::new([4, 3, 1], leftwards()).unwrap();
    scratch.write_image("small.nii.gz", &Volume::filled(small, 1, 1u8));
    scratch.fail(
        &line("-o a -m small"),
        1,
        "error: small.nii.gz: the image size 4 × 3 × 1 differs from the size 4 × 3 × 2 of the data; give a \
         mask computed from this series",
    );
    scratch.fail(
        "dtifit -k data -o a",
        2,
        "error: --mask: it is missing; --data, --mask, --bvecs and --bvals are needed; -h lists all options",
    );
    let help = scratch.run("dtifit");
    assert!(help.code == 0 && help.output.contains("NAME_V1"), "{}", help.output);
}

/// Images of one row of voxels.
fn row(scratch: &Scratch, name: &str, values: &[f32]) {
    let grid = Grid::new([values.len(), 1, 1], leftwards()).unwrap();
    scratch.write_image(name, &Volume::new(grid, 1, values.to_vec()).unwrap());
}

#[test]
fn the_largest_of_several_seed_maps_is_found() {
    let scratch = Scratch::new();
    row(&scratch, "seeds_to_a.nii.gz", &[0.0, 5.0, 2.0, 3.0, -1.0]);
    row(&scratch, "seeds_to_b.nii.gz", &[0.0, 4.0, 7.0, 3.0, -2.0]);
    row(&scratch, "seeds_to_c.nii.gz", &[0.0, 1.0, 8.0, 0.0, 0.0]);
    let result = succeed(&scratch, "find_the_biggest seeds_to_a seeds_to_b.nii.gz seeds_to_c biggest.nii.gz");
    assert_eq!(result, "1 seeds_to_a.nii.gz\n2 seeds_to_b.nii.gz\n3 seeds_to_c.nii.gz\n");
    assert_eq!(scratch.volume("biggest.nii.gz").values(), [0.0, 1.0, 3.0, 1.0, 0.0]);
    let description = describe_image(&scratch.path("biggest.nii.gz")).unwrap();
    assert_eq!(description.data_type.to_string(), "32-bit signed integer");
    row(&scratch, "short.nii.gz", &[1.0; 3]);
    for (line, code, message) in [
        (
            "a",
            2,
            "find_the_biggest: the command has one word, but takes MAP … OUT; `find_the_biggest -h` says more",
        ),
        ("no out", 1, "no: there is no such image; give the name of an image, with or without .nii.gz"),
        (
            "seeds_to_a short out",
            1,
            "short.nii.gz: the size or place of the map differs from the size or place of seeds_to_a.nii.gz; \
             give one 3-D map per target, all for the same seeds",
        ),
        (
            "seeds_to_a s.asc out",
            1,
            "s.asc: this file is a surface, but seeds_to_a is an image; give maps that have the same seeds",
        ),
    ] {
        scratch.fail(&format!("find_the_biggest {line}"), code, &format!("error: {message}"));
    }
    let result = scratch.run("find_the_biggest seeds_to_a seeds_to_b seeds_to_a");
    assert_eq!(result.code, 1, "an input is no place for the result: {}", result.errors);
}

#[test]
fn fractions_are_computed_where_the_sum_exceeds_the_threshold() {
    let scratch = Scratch::new();
    row(&scratch, "in/a.nii.gz", &[0.0, 6.0, 30.0, 99.0]);
    row(&scratch, "in/b.nii.gz", &[0.0, 2.0, 10.0, 1.0]);
    succeed(&scratch, "proj_thresh in/a in/b 40");
    let values = |name: &str| scratch.volume(name).into_values();
    assert_eq!(values("in/a_proj_seg_thr_40.nii.gz"), [0.0, 0.0, 0.75, 0.99]);
    assert_eq!(values("in/b_proj_seg_thr_40.nii.gz"), [0.0, 0.0, 0.25, 0.01]);
    assert_eq!(values("total.nii.gz"), [0.0, 8.0, 40.0, 100.0]);
    succeed(&scratch, "proj_thresh in/a in/b 0.0");
    assert_eq!(values("in/a_proj_seg_thr_0.nii.gz"), [0.0, 0.75, 0.75, 0.99]);
    scratch.fail(
        "proj_thresh in/a in/b",
        2,
        "error: THRESHOLD: the last argument, `in/b`, is not a threshold; give a threshold of 0 or more",
    );
    scratch.fail(
        "proj_thresh in/a -1",
        2,
        "error: THRESHOLD: the last argument, `-1`, is not a threshold; give a threshold of 0 or more",
    );
}

/// A triangle with values at its corners.
fn triangle(scratch: &Scratch, name: &str, [a, b, c]: [f32; 3]) {
    let text = format!("#!ascii file\n3 1\n1.5 0 0 {a}\n0 2.5 0 {b}\n0 0 3.5 {c}\n0 1 2 0\n");
    scratch.write(name, text);
}

#[test]
fn seeds_can_be_vertices() {
    let scratch = Scratch::new();
    triangle(&scratch, "a.asc", [0.0, 9.0, 3.0]);
    triangle(&scratch, "b.asc", [0.0, 1.0, 5.0]);
    succeed(&scratch, "find_the_biggest a.asc b.asc out");
    succeed(&scratch, "proj_thresh a.asc b.asc 9");
    let lines =
        |name: &str| -> Vec<String> { scratch.text(name).lines().skip(2).map(str::to_owned).collect() };
    assert_eq!(lines("out.asc"), ["1.5 0 0 0", "0 2.5 0 1", "0 0 3.5 2", "0 1 2 0"]);
    assert_eq!(lines("a_proj_seg_thr_9.asc")[..3], ["1.5 0 0 0", "0 2.5 0 0.9", "0 0 3.5 0"]);
    assert_eq!(lines("total.asc")[..3], ["1.5 0 0 0", "0 2.5 0 10", "0 0 3.5 8"]);
    scratch.succeed("convert a.asc a.gii --mesh-space caret");
    scratch.succeed("convert b.asc b.gii --mesh-space caret");
    succeed(&scratch, "find_the_biggest a.gii b.gii from_gifti");
    scratch.succeed("convert from_gifti.gii from_gifti.asc");
    assert_eq!(lines("from_gifti.asc"), lines("out.asc"));
    scratch.write("c.asc", "#!ascii\n1 0\n0 0 0 1\n");
    scratch.fail(
        "find_the_biggest a.asc c.asc out",
        1,
        "error: c.asc: this map has 1 values, but a.asc has 3 vertices; give maps that have the same seeds",
    );
}

#[test]
fn dyads_are_the_principal_directions_of_the_samples() {
    let scratch = Scratch::new();
    let grid = Grid::new([3, 1, 1], rightwards()).unwrap();
    let write = |name: &str, values: [[f32; 4]; 3]| {
        scratch.write_image(name, &Volume::new(grid, 4, values.concat()).unwrap());
    };
    let (h, a) = (std::f32::consts::FRAC_PI_2, 0.1f32);
    // About x, by a to both sides, once of the other sign; nothing; and about z.
    write("th.nii.gz", [[h, h, h, h], [0.0; 4], [0.0, a, 0.0, a]]);
    write("ph.nii.gz", [[a, -a, a, std::f32::consts::PI - a], [0.0; 4], [0.0, h, 0.0, -h]]);
    row(&scratch, "mask.nii.gz", &[1.0, 1.0, 0.0]);
    succeed(&scratch, "make_dyadic_vectors th ph all");
    let all = scratch.volume("all.nii.gz");
    let close = |a: &[f32], b: &[f64]| a.iter().zip(b).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-5);
    // π/2 in single precision is a little more: which end is up is rounding.
    let along: Vec<f32> = all.voxel(0).iter().map(|c| c.abs()).collect();
    assert!(close(&along, &[1.0, 0.0, 0.0]), "{along:?}");
    assert_eq!(all.voxel(1), [0.0; 3], "no samples");
    assert!(close(all.voxel(2), &[0.0, 0.0, 1.0]), "{:?}", all.voxel(2));
    let (sin, cos) = f64::from(a).sin_cos();
    let dispersion = scratch.volume("all_dispersion.nii.gz");
    assert!(
        close(dispersion.values(), &[sin * sin, 0.0, (1.0 - cos * cos) / 2.0]),
        "{:?}",
        dispersion.values()
    );
    // As nipype writes numbers; the mask is of the other hand, so that its voxels are those of the other end.
    succeed(&scratch, "make_dyadic_vectors th ph mask out/dyads.nii.gz 50.000000");
    let names = ["dyads.nii.gz", "dyads_cones50.nii.gz", "dyads_dispersion.nii.gz"];
    assert_eq!(scratch.listing("out"), names);
    let cones = scratch.volume("out/dyads_cones50.nii.gz");
    assert!(close(cones.values(), &[0.0, 0.0, 0.0]), "two of four samples are along z: {:?}", cones.values());
    succeed(&scratch, "make_dyadic_vectors th ph mask out/dyads 51");
    let cones = scratch.volume("out/dyads_cones51.nii.gz");
    assert!((f64::from(cones.voxel(2)[0]) - f64::from(a).to_degrees()).abs() < 1e-4, "{:?}", cones.values());
    assert_eq!(cones.voxel(0), [0.0], "outside the mask");
    row(&scratch, "one.nii.gz", &[1.0; 3]);
    for (line, code, message) in [
        (
            "th ph",
            2,
            "make_dyadic_vectors: the command has 2 words, but takes THETA PHI [MASK] OUT [PERCENT]; \
             `make_dyadic_vectors -h` says \
             more",
        ),
        (
            "th ph mask out 200",
            2,
            "PERCENT: `200` is not a percentage of the samples; give a number from 0 \
                                   to 100",
        ),
        ("th no out", 1, "no: there is no such image; give the name of an image, with or without .nii.gz"),
        (
            "th one new",
            1,
            "one.nii.gz: the size 3 × 1 × 1 voxels with 1 samples of φ differs from the size 3 × 1 × 1 \
             voxels with 4 samples of θ; give the samples of both angles of one fibre",
        ),
    ] {
        scratch.fail(&format!("make_dyadic_vectors {line}"), code, &format!("error: {message}"));
    }
}

#[test]
fn matrices_of_several_runs_are_summed() {
    let scratch = Scratch::new();
    scratch.write("1/m.dot", "1  1  2\n2  1  0.5\n2  3  4\n2  3  0\n");
    scratch.write("2/m.dot", "2  1  1\n1  2  3\n2  3  0\n");
    scratch.write("1/coords_for_m", "5 6 7 0 1\n5 6 8 0 2\n");
    scratch.write("list", "1/m.dot 2/m\n1/m.dot");
    succeed(&scratch, "fdt_matrix_merge list sum.dot");
    assert_eq!(scratch.text("sum.dot"), "1  1  4\n2  1  2\n1  2  3\n2  3  8\n2  3  0\n");
    assert!(scratch.text("coords_for_sum").starts_with('5'));
    scratch.write("3.dot", "3  3  0\n");
    scratch.write("other", "1/m.dot 3.dot");
    scratch.write("gone", "1/m.dot nothing");
    scratch.write("empty", "\n");
    for (line, code, message) in [
        (
            "list",
            2,
            "fdt_matrix_merge: the command has one word, but takes LIST OUT; `fdt_matrix_merge -h` says more",
        ),
        (
            "other new",
            1,
            "3.dot: the matrix size 3 × 3 differs from the size of 1/m.dot, 2 × 3; give matrices that \
             have the same seeds as rows",
        ),
        (
            "gone new",
            1,
            "gone: the list contains the file nothing, which does not exist; list existing .dot files in the \
             text file",
        ),
        ("empty new", 1, "empty: the text file names no file; list existing .dot files in the text file"),
        (
            "list new -omatrix4",
            1,
            "-omatrix4: matrices of the fourth kind (.mtx) are not summed here; give matrices as .dot files, \
             or use FSL's own fdt_matrix_merge",
        ),
    ] {
        scratch.fail(&format!("fdt_matrix_merge {line}"), code, &format!("error: {message}"));
    }
}

/// Runs a program of a folder by its name.
#[cfg(unix)]
fn call(scratch: &Scratch, program: &str, arguments: &str) -> CommandOutput {
    let output = std::process::Command::new(scratch.path(program))
        .args(arguments.split_whitespace())
        .current_dir(scratch.path(""))
        .output()
        .unwrap();
    CommandOutput::of(arguments, &output)
}

#[cfg(unix)]
#[test]
fn fsl_names_are_links_to_this_program() {
    let scratch = series(leftwards());
    let names = scratch.succeed("setup names");
    for name in ["bedpostx", "xfibres", "dtifit", "find_the_biggest", "bedpostx_postproc_gpu.sh"] {
        assert!(names.lines().any(|line| line == name), "{names}");
    }
    let result = scratch.succeed("setup names fsl/bin");
    assert!(result.contains("export PATH=") && result.contains("/fsl/bin:\"$PATH\""), "{result}");
    let mut wanted: Vec<&str> = names.lines().collect();
    wanted.sort_unstable();
    assert_eq!(scratch.listing("fsl/bin"), wanted);
    assert!(scratch.path("fsl/bin/dtifit").is_symlink());
    let done = call(&scratch, "fsl/bin/dtifit", &format!("-k data {FILES} -o dti"));
    assert_eq!((done.code, done.errors.as_str()), (0, ""));
    assert!(scratch.path("dti_FA.nii.gz").is_file());
    // FSL's programs end with 2 for help, and so do they by FSL's names.
    for name in ["dtifit", "find_the_biggest", "proj_thresh", "make_dyadic_vectors", "fdt_matrix_merge"] {
        let help = call(&scratch, &format!("fsl/bin/{name}"), "");
        assert!(help.code == 2 && help.output.contains(name), "{name}: {}", help.output);
        assert_eq!(scratch.run(&format!("{name} -h")).code, 0);
    }
    // Once more, over links that lead nowhere now.
    std::fs::remove_file(scratch.path("fsl/bin/dtifit")).unwrap();
    std::os::unix::fs::symlink("/nowhere/arcuate", scratch.path("fsl/bin/dtifit")).unwrap();
    scratch.succeed("setup names fsl/bin");
    assert_eq!(call(&scratch, "fsl/bin/dtifit", "").code, 2);
}

#[cfg(unix)]
#[test]
fn files_of_fsl_are_not_overwritten_and_shadowed_programs_are_reported() {
    let scratch = Scratch::new();
    scratch.write("theirs/dtifit", "#!/bin/sh\necho FSL\n");
    let message = "error: theirs/dtifit: it is there already, and no link that this command has made; give another folder";
    scratch.fail("setup names theirs", 1, message);
    scratch.fail("setup names theirs --force", 1, message);
    let folder = |name: &str| scratch.path(name).canonicalize().unwrap().display().to_string();
    let theirs = folder("theirs");
    let with = |path: &str| scratch.run_with("setup names ours", &[("PATH", path.as_ref())]).output;
    let result = with(&theirs);
    assert!(result.contains(&format!("dtifit is {theirs}/dtifit still\n")), "{result}");
    assert!(result.contains("export PATH="), "{result}");
    let ours = folder("ours");
    let result = with(&format!("{ours}:{theirs}"));
    assert!(
        result.contains(&format!("dtifit is this program now, in place of {theirs}/dtifit\n")),
        "{result}"
    );
    assert!(!result.contains("export") && !result.contains("bedpostx is"), "{result}");
    let result = with(&format!("{theirs}:{ours}"));
    assert!(
        result.contains("dtifit is") && result.contains("still") && result.contains("export"),
        "{result}"
    );
    assert_eq!(scratch.run("names ours --list").code, 2);
    scratch.write("file", "");
    assert_eq!(scratch.run("setup names file").code, 1, "a file is no folder");
}
