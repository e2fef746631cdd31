//! Tests of `arcuate evaluate commit` with files, on a simulated brain with known connections and on a real scan.

use crate::common::{Files, Scratch, small_brain};
use arcuate_core::{Scalars, Tractogram, Volume};
use arcuate_io::{TractogramOptions, read_weights, write_tractogram};
use arcuate_test_support::real_data;
use std::sync::OnceLock;

/// Uses the diffusivities of the simulated bundles, grey matter and CSF.
const COMMIT: &str = "evaluate commit tracks.trx --dwi dwi.nii.gz --mask white_matter.nii.gz --peaks \
                      truth_peaks.nii.gz --radial-diffusivities 0.85 --isotropic-diffusivities 0.8,3 --out out";

const DIFFUSIVITIES: &str = "--radial-diffusivities 0.85 --isotropic-diffusivities 0.8,3";

/// Writes the small brain and `tracks.trx`, which has one false streamline per true streamline. A false streamline
/// is a true one that is moved by 20 mm along y and −15 mm along z, so that it crosses the simulated fibres.
fn brain() -> Scratch {
    let scratch = Scratch::with(small_brain());
    let truth = scratch.tractogram("truth_streamlines.trx");
    let mut tracks = Tractogram::new();
    for n in 0..truth.len() {
        tracks.push(truth.streamline(n));
    }
    for n in 0..truth.len() {
        let moved: Vec<_> = truth.streamline(n).iter().map(|&[x, y, z]| [x, y + 20.0, z - 15.0]).collect();
        tracks.push(&moved);
    }
    let groups = truth.groups.members.iter().map(|(name, members)| (name.clone(), members.clone()));
    tracks.groups.members.extend(groups);
    let false_ones = truth.groups.members.iter().map(|(name, members)| {
        (format!("false_{name}"), members.iter().map(|n| n + truth.len() as u32).collect())
    });
    tracks.groups.members.extend(false_ones);
    let grid = *scratch.volume("mask.nii.gz").grid();
    let path = scratch.path("tracks.trx");
    write_tractogram(&path, &tracks, Some(&grid), &TractogramOptions::default()).unwrap();
    scratch
}

/// Returns the files after one run with the default model. All tests share this run.
fn evaluated() -> &'static Files {
    static FILES: OnceLock<Files> = OnceLock::new();
    FILES.get_or_init(|| {
        let brain = brain();
        brain.succeed(&format!("{COMMIT} --predicted --compat"));
        brain.files(".")
    })
}

fn weights(scratch: &Scratch, name: &str) -> Vec<f64> {
    read_weights(&scratch.path(name)).unwrap()
}

/// Mean weight of the true and of the false streamlines.
fn means(weights: &[f64]) -> [f64; 2] {
    let (truth, wrong) = weights.split_at(150);
    [truth, wrong].map(|part| part.iter().sum::<f64>() / part.len() as f64)
}

#[test]
fn true_streamlines_have_larger_weights_than_false_ones() {
    let scratch = Scratch::with(evaluated());
    let weights = weights(&scratch, "out/commit_weights.txt");
    assert_eq!(weights.len(), 300);
    let [truth, wrong] = means(&weights);
    // Measured values: 0.0151 and 0.0015 mean signal per mm.
    assert!(truth > 5.0 * wrong, "{truth} {wrong}");
    // Other programs can read the file: it has one number per line.
    let text = scratch.text("out/commit_weights.txt");
    assert_eq!(text.lines().filter(|line| !line.starts_with('#')).count(), 300);

    let all = scratch.tractogram("out/tracks_weighted.trx");
    let Scalars::F32(column) = all.per_streamline["commit_weights"].values() else { panic!("no f32") };
    assert!(column.iter().zip(&weights).all(|(a, b)| *a == *b as f32));
    let some = scratch.tractogram("out/tracks_supported.trx");
    assert_eq!(some.len(), weights.iter().filter(|&&w| w > 0.0).count());
}

#[test]
fn maps_are_consistent() {
    let scratch = Scratch::with(evaluated());
    let map = |name: &str| scratch.volume(&format!("out/commit_{name}.nii.gz"));
    let [intra, extra, isotropic] = ["intra", "extra", "isotropic"].map(map);
    let fraction = map("intra_fraction");
    let (signal, series) = (map("signal"), scratch.volume("dwi.nii.gz"));
    let (rmse, nrmse, segments) = (map("rmse"), map("nrmse"), map("segments"));
    let mut seen = 0;
    for voxel in 0..intra.grid().len() {
        let value = |map: &Volume<f32>| f64::from(map.values()[voxel]);
        if value(&segments) == 0.0 {
            assert!(value(&intra) == 0.0 && value(&rmse) == 0.0 && signal.voxel(voxel)[0] == 0.0);
            continue;
        }
        seen += 1;
        let total = value(&intra) + value(&extra) + value(&isotropic);
        // Single precision has seven digits.
        assert!((value(&fraction) - value(&intra) / total).abs() < 1e-6);
        let measured = series.voxel(voxel);
        let unit = f64::from(measured[0]).midpoint(f64::from(measured[1]));
        // All compartments have the signal 1 at b = 0. The operator has an error of 1e-5 per compartment.
        assert!((f64::from(signal.voxel(voxel)[0]) / unit - total).abs() < 1e-4 * total.max(1.0));
        let squares = measured.iter().zip(signal.voxel(voxel)).map(|(y, p)| f64::from(y - p).powi(2));
        let error = (squares.sum::<f64>() / 14.0).sqrt() / unit;
        assert!((value(&rmse) - error).abs() < 1e-4, "{} {error}", value(&rmse));
        let size = measured.iter().map(|y| f64::from(*y).powi(2)).sum::<f64>();
        assert!((value(&nrmse) - error * unit * (14.0 / size).sqrt()).abs() < 1e-4);
    }
    assert!(seen > 300, "{seen}");
}

#[test]
fn results_with_the_names_of_other_programs() {
    let scratch = Scratch::with(evaluated());
    let compatible = "out/Results_StickZeppelinBall";
    assert_eq!(
        scratch.listing(compatible),
        [
            "compartment_EC.nii.gz",
            "compartment_IC.nii.gz",
            "compartment_ISO.nii.gz",
            "fit_NRMSE.nii.gz",
            "fit_RMSE.nii.gz",
            "fit_signal_estimated.nii.gz",
            "streamline_weights.txt",
        ]
    );
    let rows = scratch.text(&format!("{compatible}/streamline_weights.txt"));
    let ours = weights(&scratch, "out/commit_weights.txt");
    assert_eq!(rows.lines().count(), 300);
    for (row, weight) in rows.lines().zip(&ours) {
        // The format of C's %.5e.
        assert!(row.len() == 11 && &row[7..8] == "e" && !row[8..].starts_with(char::is_numeric), "{row}");
        assert!((row.parse::<f64>().unwrap() - weight).abs() <= 5e-6 * weight);
    }
    for (theirs, name) in
        [("compartment_IC", "intra"), ("compartment_ISO", "isotropic"), ("fit_RMSE", "rmse")]
    {
        let theirs = scratch.volume(&format!("{compatible}/{theirs}.nii.gz"));
        let ours = scratch.volume(&format!("out/commit_{name}.nii.gz"));
        assert!(theirs.values() == ours.values() && ours.values().iter().all(|v| v.is_finite()), "{name}");
    }
    // This signal is normalised to 1 at b = 0.
    let signal = scratch.volume(&format!("{compatible}/fit_signal_estimated.nii.gz"));
    assert_eq!(signal.channels(), 14);
    assert!(signal.values().iter().all(|&s| (0.0..3.0).contains(&s)));
}

#[test]
fn the_record_and_the_report_describe_the_run() {
    let scratch = Scratch::with(evaluated());
    scratch.succeed("report out");
    let page = scratch.text("out/report.html");
    for text in [
        "Convex Optimization Modeling",
        "Intra-axonal fraction",
        "Segments in a voxel",
        "Convergence",
        "streamlines supported",
        "10.1109/TMI.2014.2352414",
        "tracks.trx",
        "stick-zeppelin-ball",
    ] {
        assert!(page.contains(text), "{text}");
    }
    let trace = scratch.text("out/commit_trace.csv");
    let last: Vec<&str> = trace.lines().last().unwrap().split(',').collect();
    assert!(last[3].parse::<f64>().unwrap() <= 1e-5, "{last:?}");
}

#[test]
fn weights_give_a_connectome() {
    let scratch = Scratch::with(evaluated());
    scratch.succeed(
        "connectome tracks.trx --labels labels.nii.gz --weights out/commit_weights.txt --out weighted",
    );
    scratch.succeed("connectome out/tracks_supported.trx --labels labels.nii.gz --out pruned");
    let sum = |name: &str| -> f64 {
        let text = scratch.text(name);
        text.lines().flat_map(|row| row.split(',')).map(|cell| cell.parse::<f64>().unwrap()).sum()
    };
    let total: f64 = weights(&scratch, "out/commit_weights.txt").iter().sum();
    let weighted = sum("weighted/connectome_weights.csv");
    // The matrix has each pair twice. A streamline without regions at its ends is in no pair.
    assert!(weighted > 0.5 * total && weighted <= 2.0 * total * (1.0 + 1e-6), "{weighted} {total}");
    assert!(sum("pruned/connectome_counts.csv") < sum("weighted/connectome_counts.csv"));
}

#[test]
fn direction_tables_converge_to_exact_directions() {
    let brain = brain();
    let error = |orientations: &str| {
        brain.succeed(&format!("{COMMIT} --orientations {orientations} --force"));
        weights(&brain, "out/commit_weights.txt")
    };
    let exact = error("exact");
    let distance = |other: &[f64]| {
        let square = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
        square(&mut exact.iter().zip(other).map(|(a, b)| a - b)) / square(&mut exact.iter().copied())
    };
    let (coarse, fine) = (distance(&error("100")), distance(&error("10000")));
    // The mean error of the directions is 4° with 100 orientations and 0.4° with 10,000 orientations.
    assert!(fine < 0.5 * coarse && fine < 0.1, "{coarse} {fine}");
    brain.write("directions.txt", "1 0 0\n0 1 0\n0 0 1\n1 1 0\n1 0 1\n0 1 1\n1 1 1\n");
    assert!(distance(&error("directions.txt")) > coarse);
}

/// Group-sparse regularisation removes most false groups and keeps most true groups.
#[test]
fn groups_are_kept_or_removed_together() {
    let brain = brain();
    let grouped =
        format!("{COMMIT} --regularise group-sparse --groups all --lambda 0.2 --lambda-curve 4 --debias");
    brain.succeed(&grouped);
    let tracks = brain.tractogram("tracks.trx");
    let weights = weights(&brain, "out/commit_weights.txt");
    let lives = |members: &[u32]| members.iter().any(|&n| weights[n as usize] > 0.0);
    let [mut truth, mut wrong] = [0, 0];
    for (name, members) in tracks.groups.members.iter().filter(|(_, members)| lives(members)) {
        assert!(!members.is_empty());
        *(if name.starts_with("false_") { &mut wrong } else { &mut truth }) += 1;
    }
    assert!(truth >= 10 && wrong <= 5, "{truth} {wrong}");
    let curve = brain.text("out/commit_lambda_curve.csv");
    let rows: Vec<Vec<f64>> = curve
        .lines()
        .skip(1)
        .map(|row| row.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect())
        .collect();
    assert_eq!(rows.len(), 4);
    // The number of groups with support is 0 at the largest penalty and never decreases as the penalty decreases.
    assert_eq!(rows[0][9], 0.0);
    assert!(rows.windows(2).all(|pair| pair[0][9] <= pair[1][9]), "{curve}");
    assert_eq!(rows[3][9], f64::from(truth + wrong));
    brain.succeed("report out");
    assert!(brain.text("out/report.html").contains("Path of penalties"));
    // A file with the same groups gives the same weights.
    let mut names = vec!["-"; 300];
    for (name, members) in &tracks.groups.members {
        for &n in members {
            names[n as usize] = name;
        }
    }
    brain.write("groups.txt", names.join("\n"));
    brain.succeed(&format!("{} --force", grouped.replace("all", "groups.txt")));
    assert_eq!(self::weights(&brain, "out/commit_weights.txt"), weights);
}

/// Each model runs with the inputs that it needs. One of the runs uses double precision.
#[test]
fn every_model_explains_something() {
    let brain = brain();
    let timings = "--big-delta 40 --small-delta 20 --echo-time 80";
    let without_peaks = COMMIT.replace("--peaks truth_peaks.nii.gz ", "").replace(DIFFUSIVITIES, "");
    let with_peaks = COMMIT.replace(DIFFUSIVITIES, "");
    for command in [
        format!("{with_peaks} --model stick-zeppelin-ball --intra-fractions 0.5,0.7 --merge-b0"),
        format!("{with_peaks} --model cylinder-zeppelin-ball {timings} --radii 1,3 --demean"),
        format!("{with_peaks} --model gdr-cylinders {timings} --gamma-radii 4:0.5 --precision double"),
        format!("{without_peaks} --model ball-and-stick --solver fista --no-normalise-kernels"),
        format!("{with_peaks} --model volume-fractions --no-normalise-signal"),
    ] {
        brain.succeed(&format!("{command} --tolerance 1e-3 --force"));
        let weights = weights(&brain, "out/commit_weights.txt");
        assert!(weights.len() == 300 && weights.iter().sum::<f64>() > 0.0, "{command}");
    }
    // Each of the two radii has a column.
    let command =
        format!("{with_peaks} --model cylinder-zeppelin-ball {timings} --radii 1,3 --tolerance 1e-3");
    brain.succeed(&command.replace("--out out", "--out radii"));
    let text = brain.text("radii/commit_weights_by_response.csv");
    let sums: Vec<f64> =
        text.lines().map(|row| row.split(',').map(|cell| cell.parse::<f64>().unwrap()).sum()).collect();
    for (sum, weight) in sums.iter().zip(weights(&brain, "radii/commit_weights.txt")) {
        assert!((sum - weight).abs() <= 1e-6 * weight);
    }
}

/// The model scalar-map explains a map by streamline lengths. The second map is the fit of the first map.
#[test]
fn maps_are_explained_by_streamline_lengths() {
    let brain = brain();
    brain.succeed(COMMIT);
    let segments = brain.volume("out/commit_segments.nii.gz");
    brain.succeed("evaluate commit tracks.trx --model scalar-map --scalar-map white_matter.nii.gz --out first --mask mask.nii.gz");
    let explained = brain.volume("first/commit_intra.nii.gz");
    brain.write_image("known.nii.gz", &explained);
    brain.succeed(
        "evaluate commit tracks.trx --model scalar-map --scalar-map known.nii.gz --out second --mask mask.nii.gz",
    );
    let again = brain.volume("second/commit_nrmse.nii.gz");
    // The relative error is not defined if the map is 0.
    assert!(!again.values().iter().any(|error| error.is_infinite()));
    let worst = again.values().iter().zip(segments.values()).filter(|(error, _)| error.is_finite());
    let mean = worst.clone().map(|(error, _)| f64::from(*error)).sum::<f64>() / worst.count() as f64;
    // An exact solution exists. The tolerance on the gradient limits how close the fit is to it.
    assert!(mean < 0.02, "{mean}");
}

#[test]
fn voxels_with_higher_confidence_have_more_influence() {
    let brain = brain();
    let grid = *brain.volume("mask.nii.gz").grid();
    let mut confidence = Volume::filled(grid, 1, 1.0);
    for (voxel, value) in confidence.values_mut().iter_mut().enumerate() {
        *value = if voxel % 24 < 12 { 1.0 } else { 0.01 };
    }
    brain.write_image("sure.nii.gz", &confidence);
    brain.succeed(COMMIT);
    brain.succeed(&format!("{COMMIT} --confidence sure.nii.gz").replace("--out out", "--out sure"));
    let errors = |folder: &str| {
        let map = brain.volume(&format!("{folder}/commit_rmse.nii.gz"));
        let mut sums = [0.0; 2];
        for (voxel, value) in map.values().iter().enumerate().filter(|(_, value)| value.is_finite()) {
            sums[usize::from(voxel % 24 >= 12)] += f64::from(*value).powi(2);
        }
        sums
    };
    let (plain, sure) = (errors("out"), errors("sure"));
    assert!(sure[0] < plain[0] && sure[1] > plain[1], "{plain:?} {sure:?}");
}

#[test]
fn a_real_scan_is_explained() {
    let Some(dwi) = real_data("philips_dwi/dwi.nii.gz") else { return };
    let file = |name: &str| dwi.with_file_name(name).display().to_string();
    let scratch = Scratch::new();
    let result = scratch.succeed(&format!(
        "evaluate commit {} --dwi {} --bval {} --bvec {} --peaks {} --mask {} --radial-diffusivities 0.51 \
         --isotropic-diffusivities 1.7,3 --tolerance 1e-4 --out out",
        file("tracks.tck"),
        file("dwi.nii.gz"),
        file("dwi.bval"),
        file("dwi.bvec"),
        file("peaks.nii.gz"),
        file("wm_fa02.nii.gz")
    ));
    assert!(result.contains(" of 5000 streamlines supported"), "{result}");
    let map = |name: &str| scratch.volume(&format!("out/commit_{name}.nii.gz"));
    let segments = map("segments");
    let mean = |name: &str| {
        let image = map(name);
        // Only voxels of the problem count. Other voxels are 0.
        let voxels = image.values().iter().zip(segments.values()).filter(|(_, segments)| **segments > 0.0);
        let numbers: Vec<f64> = voxels.map(|(&v, _)| f64::from(v)).collect();
        numbers.iter().sum::<f64>() / numbers.len() as f64
    };
    // Measured value: 0.131. dmri-commit converged to 0.129 on the same problem, with 500 directions and 4 % fewer
    // voxels.
    let nrmse = mean("nrmse");
    assert!((0.125..0.137).contains(&nrmse), "{nrmse}");
    // Measured values: 0.22, 0.65 and 0.13.
    let fractions = ["intra", "extra", "isotropic"].map(|name| mean(&format!("{name}_fraction")));
    assert!((fractions.iter().sum::<f64>() - 1.0).abs() < 1e-4, "{fractions:?}");
    assert!((0.15..0.3).contains(&fractions[0]) && fractions[2] < 0.25, "{fractions:?}");
    let weights = weights(&scratch, "out/commit_weights.txt");
    let supported = weights.iter().filter(|&&w| w > 0.0).count();
    // Measured value: 3,750.
    assert!(weights.len() == 5000 && (3000..4500).contains(&supported), "{supported}");
}
