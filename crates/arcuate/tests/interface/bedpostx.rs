//! Tests of FSL's bedpostx, xfibres and their helper programs with FSL's interface.

use crate::common::fsl::{directions, leftwards, oblique, rightwards, succeed, write_gradients};
use crate::common::{CommandOutput, Scratch};
use arcuate_core::{Affine, Grid, Volume};
use arcuate_io::{WriteOptions, describe_image, write_image};
use std::path::Path;

/// Chains that are just long enough to find a direction.
const SHORT: &str = "-b 50 -j 50 -s 5";
const SHORT_XFIBRES: &str = "--burnin=50 --njumps=50 --sampleevery=5";
const SHAPE: [usize; 3] = [4, 3, 2];

/// Returns the fibre direction of a voxel along FSL's axes, which `bvecs` uses.
fn fibre(index: usize) -> [f64; 3] {
    let all = [[0.6, 0.0, 0.8], [0.0, 0.8, -0.6], [0.36, 0.48, 0.8], [0.8, -0.6, 0.0], [-0.48, 0.64, 0.6]];
    all[index % all.len()]
}

/// Writes a subject with known fibres to `folder`. The noise is small and the same in every run. All voxels but one
/// are in the mask.
fn subject(scratch: &Scratch, folder: &str, affine: Affine) {
    let grid = Grid::new(SHAPE, affine).unwrap();
    let directions = directions(30);
    let mut values = Vec::new();
    for index in 0..grid.len() {
        let fibre = fibre(index);
        for (n, gradient) in directions.iter().enumerate() {
            let along: f64 = gradient.iter().zip(fibre).map(|(a, b)| a * b).sum();
            let b = if n < 2 { 0.0 } else { 1000.0 };
            let (d, f) = (1.5e-3f64, 0.6);
            let signal = (1.0 - f) * (-b * d).exp() + f * (-b * d * along * along).exp();
            let noise = ((index * 7919 + n * 104_729) as f64 * 0.618_034).fract() - 0.5;
            values.push((1000.0 * signal + 20.0 * noise) as f32);
        }
    }
    let dwi = Volume::new(grid, directions.len(), values).unwrap();
    let inside = (0..grid.len()).map(|index| f32::from(index != 1)).collect();
    let mask = Volume::new(grid, 1, inside).unwrap();
    std::fs::create_dir_all(scratch.path(folder)).unwrap();
    let write = |name: &str, volume: &Volume<f32>| {
        write_image(&scratch.path(&format!("{folder}/{name}")), volume, &WriteOptions::default()).unwrap();
    };
    write("data.nii.gz", &dwi);
    write("nodif_brain_mask.nii.gz", &mask);
    write_gradients(scratch, &format!("{folder}/"), &directions);
}

/// Turns the gradients of a subject by 0.3 rad about y and lengthens them by 10 % in every voxel. Writes the series
/// with these gradients and the image `grad_dev`.
fn deviate(scratch: &Scratch, folder: &str) {
    let (sin, cos) = 0.3f64.sin_cos();
    // The matrix is stored row by row.
    let turn = [[1.1 * cos, 0.0, 1.1 * sin], [0.0, 1.1, 0.0], [-1.1 * sin, 0.0, 1.1 * cos]];
    let mut dwi = scratch.volume(&format!("{folder}/data.nii.gz"));
    let directions = directions(30);
    let mut deviations = Volume::filled(*dwi.grid(), 9, 0.0f32);
    for index in 0..dwi.grid().len() {
        let fibre = fibre(index);
        for (n, gradient) in directions.iter().enumerate().skip(2) {
            let turned = turn.map(|row| row.iter().zip(gradient).map(|(a, b)| a * b).sum::<f64>());
            let along: f64 = turned.iter().zip(fibre).map(|(a, b)| a * b).sum();
            let (b, d, f) = (1000.0 * 1.21, 1.5e-3f64, 0.6);
            let signal = (1.0 - f) * (-b * d).exp() + f * (-1000.0 * d * along * along).exp();
            dwi.voxel_mut(index)[n] = (1000.0 * signal) as f32;
        }
        for (n, out) in deviations.voxel_mut(index).iter_mut().enumerate() {
            // `grad_dev` stores the matrix column by column, without the identity.
            *out = (turn[n % 3][n / 3] - f64::from(u8::from(n % 4 == 0))) as f32;
        }
    }
    for (name, volume) in [("data", &dwi), ("grad_dev", &deviations)] {
        let path = scratch.path(&format!("{folder}/{name}.nii.gz"));
        write_image(&path, volume, &WriteOptions::default()).unwrap();
    }
}

/// Writes a subject whose voxels are stored from right to left.
fn usual(scratch: &Scratch) {
    subject(scratch, "sub", leftwards());
}

/// Runs the program under another name.
#[cfg(unix)]
fn run_as(scratch: &Scratch, name: &str, arguments: &str, environment: &[(&str, &str)]) -> CommandOutput {
    let link = scratch.path(&format!("bin/{name}"));
    std::fs::create_dir_all(scratch.path("bin")).unwrap();
    let _ = std::os::unix::fs::symlink(assert_cmd::cargo::cargo_bin("arcuate"), &link);
    let output = std::process::Command::new(link)
        .args(arguments.split_whitespace())
        .current_dir(scratch.path(""))
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    CommandOutput::of(arguments, &output)
}

/// |cos| of the angle between a direction and the fibre of a voxel.
fn along(direction: [f64; 3], index: usize) -> f64 {
    direction.iter().zip(fibre(index)).map(|(a, b)| a * b).sum::<f64>().abs()
}

fn vector(theta: f32, phi: f32) -> [f64; 3] {
    let (theta, phi) = (f64::from(theta), f64::from(phi));
    [theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos()]
}

#[test]
fn bedpostx_writes_the_files_of_fsl() {
    let scratch = Scratch::new();
    usual(&scratch);
    let image = scratch.volume("sub/data.nii.gz").channel(0);
    scratch.write_image("sub/nodif.nii.gz", &image);
    let result = succeed(&scratch, &format!("bedpostx sub -n 2 {SHORT}"));
    assert!(result.contains("23 voxels"), "{result}");
    let names: Vec<String> =
        scratch.listing("sub.bedpostX").into_iter().map(|name| name.replace(".nii.gz", "")).collect();
    let mut wanted = [
        "bvals",
        "bvecs",
        "commands.txt",
        "logs/",
        "logs/arcuate.json",
        "logs/example_voxel.csv",
        "logs/mean_b0",
        "logs/mean_weighted",
        "logs/scan_directions.csv",
        "logs/scan_mask",
        "mean_S0samples",
        "mean_d_stdsamples",
        "mean_dsamples",
        "mean_fsumsamples",
        "nodif_brain",
        "nodif_brain_mask",
        "xfms/",
        "xfms/eye.mat",
        "dyads2_thr0.05",
        "dyads2_thr0.05_modf2",
    ]
    .map(str::to_owned)
    .to_vec();
    for fibre in 1..=2 {
        wanted.extend([format!("dyads{fibre}"), format!("dyads{fibre}_dispersion")]);
        for what in ["f", "th", "ph"] {
            wanted.extend(["merged", "mean"].map(|kind| format!("{kind}_{what}{fibre}samples")));
        }
    }
    wanted.sort();
    assert_eq!(names, wanted);
    let read = |name: &str| scratch.volume(&format!("sub.bedpostX/{name}.nii.gz"));
    for (name, channels) in [
        ("merged_th2samples", 10),
        ("merged_f1samples", 10),
        ("mean_ph1samples", 1),
        ("dyads1", 3),
        ("dyads2_thr0.05_modf2", 3),
        ("dyads2_dispersion", 1),
        ("nodif_brain", 1),
    ] {
        let volume = read(name);
        assert_eq!(volume.channels(), channels, "{name}");
        assert!(volume.grid().matches(image.grid()), "{name}");
        assert!(volume.voxel(1).iter().all(|value| *value == 0.0), "{name}: outside the mask");
        assert!(volume.values().iter().all(|value| value.is_finite()), "{name}");
        let file = scratch.path(&format!("sub.bedpostX/{name}.nii.gz"));
        assert_eq!(describe_image(&file).unwrap().data_type.to_string(), "32-bit floating point", "{name}");
    }
    assert_eq!(read("nodif_brain").voxel(0), image.voxel(0));
    assert_eq!(scratch.read("sub.bedpostX/bvecs"), scratch.read("sub/bvecs"));
    assert_eq!(
        scratch.read("sub.bedpostX/nodif_brain_mask.nii.gz"),
        scratch.read("sub/nodif_brain_mask.nii.gz")
    );
    let mat: Vec<String> =
        scratch.text("sub.bedpostX/xfms/eye.mat").split_whitespace().map(String::from).collect();
    assert_eq!(mat.join(" "), "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1");
    assert!(scratch.text("sub.bedpostX/commands.txt").contains("--nf=2"));
    // The mean images are the means of the samples. The image of the sum is the sum of the mean fractions.
    let (f1, f2, sum) = (read("mean_f1samples"), read("mean_f2samples"), read("mean_fsumsamples"));
    let (series, theta, mean_theta) =
        (read("merged_f1samples"), read("merged_th1samples"), read("mean_th1samples"));
    let [s0, d] = ["mean_S0samples", "mean_dsamples"].map(&read);
    for voxel in (0..f1.grid().len()).filter(|voxel| *voxel != 1) {
        let mean = |values: &[f32]| values.iter().sum::<f32>() / values.len() as f32;
        assert!((mean(series.voxel(voxel)) - f1.voxel(voxel)[0]).abs() < 1e-6);
        assert!((mean(theta.voxel(voxel)) - mean_theta.voxel(voxel)[0]).abs() < 1e-5);
        assert!((f1.voxel(voxel)[0] + f2.voxel(voxel)[0] - sum.voxel(voxel)[0]).abs() < 1e-6);
        assert!(f1.voxel(voxel)[0] >= f2.voxel(voxel)[0], "the largest part comes first");
        // One shell hardly distinguishes a second fibre, or a distribution of diffusivities, from one fibre.
        assert!((sum.voxel(voxel)[0] - 0.6).abs() < 0.3, "{}", sum.voxel(voxel)[0]);
        assert!((s0.voxel(voxel)[0] / 1000.0 - 1.0).abs() < 0.05);
        assert!((d.voxel(voxel)[0] / 1.5e-3 - 1.0).abs() < 0.5, "{}", d.voxel(voxel)[0]);
    }
}

#[test]
fn directions_use_fsl_axes_for_any_voxel_order() {
    let scratch = Scratch::new();
    for (name, affine) in [("left", leftwards()), ("right", rightwards()), ("oblique", oblique())] {
        subject(&scratch, name, affine);
        succeed(&scratch, &format!("bedpostx {name} -n 1 -model 1 {SHORT}"));
        let read = |of: &str| scratch.volume(&format!("{name}.bedpostX/{of}.nii.gz"));
        let (dyads, theta, phi) = (read("dyads1"), read("merged_th1samples"), read("merged_ph1samples"));
        let (mean_theta, mean_phi) = (read("mean_th1samples"), read("mean_ph1samples"));
        let dispersion = read("dyads1_dispersion");
        for voxel in (0..dyads.grid().len()).filter(|voxel| *voxel != 1) {
            let dyad = dyads.voxel(voxel);
            let dyad = [0, 1, 2].map(|n| f64::from(dyad[n]));
            // The noise of 1 % changes the direction by at most about 3°.
            assert!(along(dyad, voxel) > 0.998, "{name}, voxel {voxel}: {dyad:?} for {:?}", fibre(voxel));
            assert!((dyad.iter().map(|c| c * c).sum::<f64>() - 1.0).abs() < 1e-5);
            assert!((0.0..0.01).contains(&dispersion.voxel(voxel)[0]));
            for (theta, phi) in theta.voxel(voxel).iter().zip(phi.voxel(voxel)) {
                assert!(along(vector(*theta, *phi), voxel) > 0.99, "{name}, voxel {voxel}");
            }
            let of_means = vector(mean_theta.voxel(voxel)[0], mean_phi.voxel(voxel)[0]);
            assert!(along(of_means, voxel) > 0.998, "{name}, voxel {voxel}: {of_means:?}");
        }
    }
}

#[test]
fn gradient_deviations_are_used() {
    let scratch = Scratch::new();
    for (name, affine) in [("left", leftwards()), ("right", rightwards()), ("oblique", oblique())] {
        subject(&scratch, name, affine);
        let line = format!("bedpostx {name} -g -n 1 -model 1 {SHORT}");
        let message = format!(
            "error: {name}: the folder has no grad_dev; add the missing file to the folder (images as \
             .nii.gz or .nii)"
        );
        scratch.fail(&line, 1, &message);
        deviate(&scratch, name);
        succeed(&scratch, &line);
        let files = "--mask=FOLDER/nodif_brain_mask --bvals=FOLDER/bvals --bvecs=FOLDER/bvecs"
            .replace("FOLDER", name);
        succeed(
            &scratch,
            &format!("xfibres --data={name}/data {files} {SHORT_XFIBRES} --logdir={name}.without"),
        );
        let [with, without] = ["bedpostX", "without"].map(|of| {
            let read = |image: &str| scratch.volume(&format!("{name}.{of}/{image}.nii.gz"));
            [read("dyads1"), read("mean_dsamples")]
        });
        for voxel in (0..with[0].grid().len()).filter(|voxel| *voxel != 1) {
            let cosine =
                |dyads: &Volume<f32>| along([0, 1, 2].map(|n| f64::from(dyads.voxel(voxel)[n])), voxel);
            assert!(cosine(&with[0]) > 0.999, "{name}, voxel {voxel}: {}", cosine(&with[0]));
            assert!((with[1].voxel(voxel)[0] / 1.5e-3 - 1.0).abs() < 0.05);
            // No fibre is along y, so the rotation changes all fibre directions.
            assert!(cosine(&without[0]) < 0.99, "{name}, voxel {voxel}: {}", cosine(&without[0]));
            assert!(without[1].voxel(voxel)[0] > 1.6e-3);
        }
    }
    // The parts read the series and the deviations through the notes that `split_parts_gpu` wrote.
    let files = "--mask=left/nodif_brain_mask --bvals=left/bvals --bvecs=left/bvecs";
    let options = "--nf=1 --model=1 --bi=50 --nj=50 --se=5";
    succeed(
        &scratch,
        "split_parts_gpu left/data left/nodif_brain_mask left/bvals left/bvecs left/grad_dev 1 2 p",
    );
    for part in 0..2 {
        let notes = format!("--data=p/data_{part} --gradnonlin=p/grad_dev_{part}");
        succeed(&scratch, &format!("xfibres_gpu {notes} {files} {options} left {part} 2 23"));
    }
    let whole = scratch.read("left.bedpostX/dyads1.nii.gz");
    let line = format!("merge_parts_gpu --data=left/data {files} {options}");
    assert_eq!(scratch.run(&format!("{line} 23 2 left")).code, 1, "sampled with deviations, joined without");
    succeed(&scratch, &format!("{line} --gradnonlin=left/grad_dev 23 2 left"));
    assert!(scratch.read("left.bedpostX/dyads1.nii.gz") == whole);
}

#[test]
fn divided_runs_give_the_same_bytes() {
    let scratch = Scratch::new();
    usual(&scratch);
    subject(&scratch, "parts", leftwards());
    let options = "--nf=2 --model=2 --bi=50 --nj=50 --se=5 --fudge=1 --cnonlinear";
    succeed(&scratch, &format!("bedpostx sub -n 2 {SHORT}"));
    let files = "--mask=parts/nodif_brain_mask --bvals=parts/bvals --bvecs=parts/bvecs";
    let begin = "parts/data parts/nodif_brain_mask parts/bvals parts/bvecs";
    succeed(&scratch, &format!("split_parts_gpu {begin} NULL 0 3 parts.bedpostX"));
    for part in 0..3 {
        let data = format!("--data=parts.bedpostX/data_{part}");
        succeed(&scratch, &format!("xfibres_gpu {data} {files} {options} parts {part} 3 23"));
    }
    let data = "--data=parts/data";
    succeed(&scratch, &format!("merge_parts_gpu {data} {files} {options} 23 3 parts"));
    assert!(!scratch.path("parts.bedpostX/xfms/eye.mat").exists(), "it is not finished yet");
    succeed(&scratch, &format!("bedpostx_postproc_gpu.sh {data} {files} {options} 23 3 parts /usr/bin"));
    let [mut whole, mut parts] = ["sub", "parts"].map(|of| scratch.files(&format!("{of}.bedpostX")));
    for files in [&mut whole, &mut parts] {
        // Only a run on the whole series writes the report data of the scan.
        files.retain(|name, _| !name.starts_with("logs/"));
        files.remove("commands.txt");
    }
    assert_eq!(whole.keys().collect::<Vec<_>>(), parts.keys().collect::<Vec<_>>());
    for (name, bytes) in &whole {
        assert!(*bytes == parts[name], "{name}");
    }
    // Parts are rejected if they are missing or were sampled with other options.
    let result = scratch.run(&format!("merge_parts_gpu {data} {files} {options} 23 3 parts"));
    assert_eq!(result.code, 1);
    assert!(result.errors.contains("part_0000.samples: no such file"), "{}", result.errors);
    succeed(&scratch, &format!("xfibres_gpu {data} {files} {options} parts 0 1 23"));
    let result = scratch.run(&format!("merge_parts_gpu {data} {files} {options} --seed=5 23 1 parts"));
    assert_eq!(result.code, 1);
    assert!(result.errors.contains("sampled with other options"), "{}", result.errors);
}

#[test]
fn xfibres_writes_its_own_files() {
    let scratch = Scratch::new();
    usual(&scratch);
    let files = "-k sub/data -m sub/nodif_brain_mask -r sub/bvecs -b sub/bvals";
    succeed(&scratch, &format!("xfibres {files} --nf=1 {SHORT_XFIBRES} --ld=out --rician"));
    let names = scratch.listing("out").join(" ").replace(".nii.gz", "");
    assert_eq!(
        names,
        "arcuate.json dsamples dyads1 f1samples mean_S0samples mean_dsamples mean_f1samples mean_tausamples ph1samples \
         tausamples th1samples"
    );
    // The mean square of the noise is 20²/12, so τ is about 0.03.
    let tau = scratch.volume("out/mean_tausamples.nii.gz");
    for voxel in (0..tau.grid().len()).filter(|voxel| *voxel != 1) {
        assert!((0.01..0.08).contains(&tau.voxel(voxel)[0]), "{}", tau.voxel(voxel)[0]);
    }
    // If the folder exists, the program appends `+` to its name. With `--forcedir`, it writes to the existing
    // folder.
    succeed(&scratch, &format!("xfibres {files} {SHORT_XFIBRES} --logdir=out"));
    assert!(scratch.path("out+/th1samples.nii.gz").exists());
    succeed(&scratch, &format!("xfibres {files} {SHORT_XFIBRES} --logdir=out+ --forcedir"));
    assert!(!scratch.path("out++").exists());
}

#[test]
fn every_model_writes_its_parameters() {
    let scratch = Scratch::new();
    usual(&scratch);
    let files = "--data=sub/data --mask=sub/nodif_brain_mask --bvecs=sub/bvecs --bvals=sub/bvals";
    for (options, quantities) in [
        ("--nf=2 --model=3", "R S0 d d_std"),
        ("--nf=1 --model=3 --Rfudge=1 --noard", "R S0 d d_std"),
        ("--nf=3 --f0 --ardf0 --allard", "S0 d f0"),
        ("--nf=1 --f0 --model=2", "S0 d d_std f0"),
        ("--nf=5 --model=1", "S0 d"),
    ] {
        succeed(&scratch, &format!("xfibres {files} {options} {SHORT_XFIBRES} --logdir=out --forcedir"));
        let mut found: Vec<String> = scratch
            .listing("out")
            .iter()
            .filter_map(|name| name.strip_prefix("mean_")?.strip_suffix("samples.nii.gz"))
            .filter(|name| *name != "f" && !(name.starts_with('f') && name.len() == 2 && *name != "f0"))
            .map(str::to_owned)
            .collect();
        found.sort();
        assert_eq!(found.join(" "), quantities, "{options}");
        let dyads = scratch.volume("out/dyads1.nii.gz");
        let d = scratch.volume("out/mean_dsamples.nii.gz");
        for voxel in (0..dyads.grid().len()).filter(|voxel| *voxel != 1) {
            let dyad = dyads.voxel(voxel);
            // Fits of several fibres to one fibre spread its direction, and these short chains have not converged.
            assert!(along([0, 1, 2].map(|n| f64::from(dyad[n])), voxel) > 0.95, "{options}, voxel {voxel}");
            assert!((1e-4..5e-3).contains(&d.voxel(voxel)[0]), "{options}: {}", d.voxel(voxel)[0]);
        }
        if options.contains("model=3") {
            let ratio = scratch.volume("out/mean_Rsamples.nii.gz");
            let inside = ratio.values().iter().filter(|value| **value > 0.0);
            assert!(inside.clone().all(|value| (0.07..0.26).contains(value)), "{:?}", ratio.values());
            let spread = inside.clone().fold(0.0f32, |maximum, value| maximum.max((value - 0.13).abs()));
            assert!(spread > 1e-4, "it moves");
        }
        std::fs::remove_dir_all(scratch.path("out")).unwrap();
    }
}

#[test]
fn errors_are_one_line_with_the_exit_code_of_fsl() {
    let scratch = Scratch::new();
    usual(&scratch);
    let no_option = "unknown option; write long options as --name=value; -h lists all options";
    for (arguments, code, message) in [
        ("bedpostx sub --frob=1", 2, format!("--frob: {no_option}")),
        ("bedpostx sub word", 2, format!("word: {no_option}")),
        ("bedpostx sub -n", 2, "-n: it has no value; write its value after it".into()),
        ("bedpostx sub --seed 5", 2, "--seed: it has no value; write =VALUE after it".into()),
        (
            "bedpostx sub -n many",
            2,
            "--nfibres: `many` is not a valid number for this option; give \
                                     another"
                .into(),
        ),
        ("bedpostx sub -model 4", 2, "--model: there is no model 4; give 1, 2 or 3".into()),
        ("bedpostx sub -n 0", 1, "--nfibres: 0 fibres cannot be sampled; give 1 to 16".into()),
        (
            "bedpostx sub --noard --allard",
            1,
            "--allard: it contradicts --noard; remove one of the two".into(),
        ),
        (
            "bedpostx sub -s 2000",
            1,
            "--njumps, --sampleevery: 1250 jumps with one sample every 2000 jumps give no samples; use \
             more jumps, or a smaller sampling interval"
                .into(),
        ),
        (
            "bedpostx sub --data=other",
            1,
            "--data: bedpostx reads the files of the subject's folder; remove this option and use -g, which \
             reads grad_dev, or call xfibres"
                .into(),
        ),
        (
            "bedpostx nobody",
            1,
            "nobody: there is no such folder; give the folder with data, nodif_brain_mask, bvals and bvecs"
                .into(),
        ),
        (
            "xfibres --data=sub/data",
            2,
            "--mask: it is missing; --data, --mask, --bvecs and --bvals are needed; -h lists all options"
                .into(),
        ),
        (
            "xfibres_gpu 0 1",
            2,
            "xfibres_gpu: the command has 2 words after its options, but needs 4; `xfibres_gpu -h` lists them"
                .into(),
        ),
        (
            "split_parts_gpu sub/data sub/nodif_brain_mask sub/bvals sub/bvecs NULL 0 30 o",
            1,
            "the number of parts: 23 voxels cannot be divided into 30 parts; give a number of parts from 1 \
             to the number of voxels in the mask"
                .into(),
        ),
    ] {
        scratch.fail(arguments, code, &format!("error: {message}"));
    }
    let usage = scratch.run("bedpostx");
    assert_eq!(usage.code, 1);
    assert!(usage.output.contains("Usage: arcuate bedpostx SUBJECT"), "{}", usage.output);
    let result = scratch.run_with("bedpostx sub", &[("ARCUATE_DEVICE", "gpu".as_ref())]);
    assert_eq!(result.code, 2);
    assert!(result.errors.starts_with("error: ARCUATE_DEVICE: `gpu`: expected auto"), "{}", result.errors);
    let result = scratch.run_with("bedpostx sub", &[("FSLOUTPUTTYPE", "NIFTI_PAIR".as_ref())]);
    assert_eq!(result.code, 1);
    assert!(
        result.errors.starts_with("error: FSLOUTPUTTYPE: `NIFTI_PAIR` is not a supported"),
        "{}",
        result.errors
    );
    let result = scratch.run("--quiet bedpostx sub");
    assert_eq!(result.code, 2);
    assert!(result.errors.contains("begin the command with `arcuate bedpostx`"), "{}", result.errors);
}

#[test]
fn missing_files_and_masks_that_do_not_match_are_reported() {
    let scratch = Scratch::new();
    usual(&scratch);
    for (missing, words) in [
        (&["data.nii.gz"][..], "data"),
        (&["nodif_brain_mask.nii.gz"], "nodif_brain_mask"),
        (&["bvals"], "bvals"),
        (&["bvecs"], "bvecs"),
        (&["data.nii.gz", "bvals", "bvecs"], "data, no bvals, no bvecs"),
    ] {
        let moved =
            |name: &str| (scratch.path(&format!("sub/{name}")), scratch.path(&format!("{name}.away")));
        for name in missing {
            let (from, to) = moved(name);
            std::fs::rename(from, to).unwrap();
        }
        let message = format!(
            "error: sub: the folder has no {words}; add the missing file to the folder (images as .nii.gz or \
             .nii)"
        );
        scratch.fail("bedpostx sub", 1, &message);
        for name in missing {
            let (from, to) = moved(name);
            std::fs::rename(to, from).unwrap();
        }
    }
    let small = Grid::new([4, 3, 1], leftwards()).unwrap();
    let mask = Volume::filled(small, 1, 1.0f32);
    scratch.write_image("sub/nodif_brain_mask.nii.gz", &mask);
    scratch.fail(
        "bedpostx sub",
        1,
        "error: sub/nodif_brain_mask.nii.gz: the image size 4 × 3 × 1 differs from the size 4 × 3 × 2 of the \
         data; give a mask computed from this series",
    );
}

#[test]
fn ambiguous_file_names_are_rejected() {
    let scratch = Scratch::new();
    usual(&scratch);
    deviate(&scratch, "sub");
    let companion_path = |name: &str, other: &str, line: &str| {
        scratch.write(&format!("sub/{other}"), scratch.read(&format!("sub/{name}")));
        let message = format!(
            "error: sub/{name}: {other} exists, too, and it is not clear which of the two files to use; \
             remove the file that is out of date"
        );
        scratch.fail(line, 1, &message);
        std::fs::remove_file(scratch.path(&format!("sub/{other}"))).unwrap();
    };
    for name in ["data", "nodif_brain_mask", "grad_dev"] {
        companion_path(&format!("{name}.nii.gz"), &format!("{name}.nii"), "bedpostx sub -g");
    }
    companion_path("bvals", "bvals.txt", "bedpostx sub -g");
    let xfibres = "xfibres -k sub/data -m sub/nodif_brain_mask -r sub/bvecs -b sub/bvals --logdir=out";
    companion_path("data.nii.gz", "data.nii", xfibres);
}

#[test]
fn finished_subjects_are_rejected_and_unfinished_ones_are_repeated() {
    let scratch = Scratch::new();
    usual(&scratch);
    std::fs::rename(scratch.path("sub/bvals"), scratch.path("sub/bvals.txt")).unwrap();
    std::fs::rename(scratch.path("sub/bvecs"), scratch.path("sub/bvecs.txt")).unwrap();
    let line = format!("bedpostx sub/ -n 1 {SHORT}");
    succeed(&scratch, &line);
    assert!(scratch.path("sub.bedpostX/bvals").exists());
    let before = scratch.files("sub.bedpostX");
    scratch.fail(
        &line,
        1,
        "error: sub.bedpostX/xfms/eye.mat: this subject is processed already; to process the subject again, \
         first remove the folder sub.bedpostX",
    );
    std::fs::remove_file(scratch.path("sub.bedpostX/xfms/eye.mat")).unwrap();
    // If the last image cannot be written, the folder is not marked as complete.
    let last = scratch.path("sub.bedpostX/mean_d_stdsamples.nii.gz");
    std::fs::remove_file(&last).unwrap();
    std::fs::create_dir(&last).unwrap();
    let result = scratch.run(&line);
    assert!(result.code == 1 && result.errors.contains("mean_d_stdsamples.nii.gz"), "{}", result.errors);
    assert!(!scratch.path("sub.bedpostX/xfms/eye.mat").exists());
    std::fs::remove_dir(&last).unwrap();
    scratch.write("sub.bedpostX/dyads1.nii.gz", "unfinished");
    succeed(&scratch, &line);
    let again = scratch.files("sub.bedpostX");
    assert!(before["dyads1.nii.gz"] == again["dyads1.nii.gz"], "the same draws");
    let files = "--data=sub/data --mask=sub/nodif_brain_mask --bvals=sub/bvals.txt --bvecs=sub/bvecs.txt";
    succeed(&scratch, &format!("xfibres {files} --model=2 {SHORT_XFIBRES}"));
    assert!(scratch.read("logdir/dyads1.nii.gz") == again["dyads1.nii.gz"], "the same by xfibres");
    succeed(&scratch, &format!("xfibres {files} --model=2 {SHORT_XFIBRES} --seed=1 --logdir=other"));
    assert!(scratch.read("other/dyads1.nii.gz") != again["dyads1.nii.gz"], "other draws");
}

#[cfg(unix)]
#[test]
fn the_program_runs_under_fsl_names() {
    let scratch = Scratch::new();
    subject(&scratch, "bedpostx", leftwards());
    // This is nipype's call.
    let arguments = "bedpostx -b 50 --burnin_noard=0 --forcedir -n 1 -j 50 -s 5 --updateproposalevery=40";
    let result =
        run_as(&scratch, "bedpostx", arguments, &[("FSLOUTPUTTYPE", "NIFTI"), ("ARCUATE_DEVICE", "cpu")]);
    assert_eq!((result.code, result.errors.as_str(), result.steps.len()), (0, "", 0), "{}", result.output);
    let names = scratch.listing("bedpostx.bedpostX");
    assert!(
        names.contains(&"dyads1.nii".to_owned()) && names.contains(&"xfms/eye.mat".to_owned()),
        "{names:?}"
    );
    assert!(names.contains(&"nodif_brain_mask.nii".to_owned()));
    assert!(!names.concat().contains(".gz"), "{names:?}");
    subject(&scratch, "gpu", leftwards());
    let result =
        run_as(&scratch, "bedpostx_gpu", &format!("gpu -NJOBS 4 -Q short -QSYS 1 -c -n 1 {SHORT}"), &[]);
    assert_eq!((result.code, result.errors.as_str()), (0, ""), "{}", result.output);
    assert!(Path::new(&scratch.path("gpu.bedpostX/xfms/eye.mat")).exists());
    for name in [
        "bedpostx",
        "bedpostx_gpu",
        "xfibres",
        "xfibres_gpu",
        "split_parts_gpu",
        "merge_parts_gpu",
        "bedpostx_postproc_gpu.sh",
    ] {
        let result = run_as(&scratch, name, "-h", &[]);
        assert_eq!((result.code, result.errors.as_str()), (2, ""), "{name}");
        assert!(result.output.contains("ARCUATE_DEVICE"), "{name}: {}", result.output);
    }
    assert!(scratch.succeed("bedpostx -h") == scratch.succeed("help bedpostx"));
    assert!(scratch.succeed("setup names").contains("bedpostx"));
}
