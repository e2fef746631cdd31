//! Tests of `arcuate evaluate commit` with invalid inputs. They check the whole message and the exit code, and that
//! no incomplete file is left.

use crate::common::{Scratch, brain};
use arcuate_core::{Column, Point, Scalars, Tractogram, Volume};
use arcuate_io::{TractogramOptions, WriteOptions, read_weights, write_image, write_tractogram};

const COMMIT: &str =
    "evaluate commit truth_streamlines.trx --dwi dwi.nii.gz --peaks truth_peaks.nii.gz --out out";

fn peaks(scratch: &Scratch, change: impl Fn(&mut [f32])) {
    let mut peaks = scratch.volume("truth_peaks.nii.gz");
    peaks.values_mut().chunks_exact_mut(9).for_each(change);
    scratch.write_image("truth_peaks.nii.gz", &peaks);
}

/// Writes a map on the grid of the brain with the same value in every voxel.
fn map(scratch: &Scratch, name: &str, value: f32) {
    let grid = *scratch.volume("mask.nii.gz").grid();
    write_image(&scratch.path(name), &Volume::filled(grid, 1, value), &WriteOptions::default()).unwrap();
}

/// Writes streamlines as `truth_streamlines.trx` in the space of the series.
fn write_tracks(scratch: &Scratch, tracks: &Tractogram) {
    let grid = *scratch.volume("mask.nii.gz").grid();
    let path = scratch.path("truth_streamlines.trx");
    write_tractogram(&path, tracks, Some(&grid), &TractogramOptions::default()).unwrap();
}

fn truth(scratch: &Scratch) -> Tractogram {
    scratch.tractogram("truth_streamlines.trx")
}

/// Returns the streamlines after `change`, without their groups and data.
fn changed(tracks: &Tractogram, change: impl Fn(usize, &mut Vec<Point>)) -> Tractogram {
    let mut changed = Tractogram::new();
    for n in 0..tracks.len() {
        let mut streamline = tracks.streamline(n).to_vec();
        change(n, &mut streamline);
        changed.push(&streamline);
    }
    changed
}

#[test]
fn peaks_in_another_frame() {
    let brain = brain();
    // The affine of the brain is diagonal and positive, so FSL's axes are the scanner axes with x negated.
    peaks(&brain, |peaks| {
        for x in [0, 3, 6] {
            peaks[x] = -peaks[x];
        }
    });
    let result = brain.run(COMMIT);
    let wanted = "error: truth_peaks.nii.gz: streamlines agree with them to 0.";
    assert!(result.errors.starts_with(wanted) && result.errors.lines().count() == 1, "{}", result.errors);
    let advice = "in FSL's axes (mean |cos|); say --peaks-frame fsl, or scanner to take them as they are\n";
    assert!(result.errors.ends_with(advice), "{}", result.errors);
    assert_eq!((result.code, brain.path("out").exists()), (1, false));
    brain.succeed(&format!("{COMMIT} --peaks-frame fsl"));
    let result = brain.run(&format!("{COMMIT} --peaks-frame scanner --force"));
    assert!(result.errors.starts_with("warning: truth_peaks.nii.gz: streamlines agree"), "{}", result.errors);
    assert_eq!((result.code, result.errors.lines().count()), (0, 1));
}

#[test]
fn peaks_upside_down() {
    let brain = brain();
    peaks(&brain, |peaks| {
        for z in [2, 5, 8] {
            peaks[z] = -peaks[z];
        }
    });
    let result = brain.run(COMMIT);
    let advice = "with the z component negated (mean |cos|); correct the peaks, or say --peaks-frame scanner to take \
                  them as they are\n";
    assert!(result.errors.lines().count() == 1 && result.errors.ends_with(advice), "{}", result.errors);
    assert_eq!((result.code, brain.path("out").exists()), (1, false));
}

#[test]
fn peaks_of_no_or_another_image() {
    let brain = brain();
    brain.fail(
        &COMMIT.replace("truth_peaks", "mask"),
        1,
        "error: mask.nii.gz: the image has 1 values per voxel, which are not 1 to 5 peaks of three values; \
         give x, y, z of each peak along the fourth dimension",
    );
    peaks(&brain, |peaks| peaks.fill(0.0));
    brain.fail(
        COMMIT,
        1,
        "error: truth_peaks.nii.gz: no voxel that streamlines pass has a peak; check that the peaks belong \
         to this scan",
    );
    brain.succeed("simulate --out other --voxel-size 6 --directions 12 --b0s 2");
    brain.fail(
        &COMMIT.replace("truth_peaks", "other/truth_peaks"),
        1,
        "error: other/truth_peaks.nii.gz: the image size 20 × 24 × 19 differs from the size 24 × 28 × 22 of \
         the diffusion series; resample the image to the grid of the diffusion series",
    );
    brain.fail(
        &format!("{COMMIT} --model ball-and-stick"),
        2,
        "error: --peaks: the model ball-and-stick has no compartments along peaks; leave out this option, or \
         choose another --model",
    );
}

#[test]
fn streamlines_of_another_space() {
    let brain = brain();
    let nearby = changed(&truth(&brain), |_, points| points.iter_mut().for_each(|p| p[0] += 500.0));
    write_tracks(&brain, &nearby);
    brain.fail(
        COMMIT,
        1,
        "error: truth_streamlines.trx: no streamline passes a voxel of the mask; check that the tractogram \
         belongs to this scan (same subject, same space, RAS mm)",
    );
    map(&brain, "empty.nii.gz", 0.0);
    brain.fail(
        &format!("{COMMIT} --mask empty.nii.gz"),
        1,
        "error: empty.nii.gz: the mask is empty; give a mask with voxels above 0.5",
    );
}

#[test]
fn nan_points_are_rejected() {
    let brain = brain();
    // A .trk file cannot store the groups.
    write_tracks(&brain, &changed(&truth(&brain), |_, _| ()));
    brain.succeed("convert truth_streamlines.trx tracks.trk");
    let mut bytes = brain.read("tracks.trk");
    // The x coordinate of the first point follows the header and the number of points.
    bytes[1004..1008].copy_from_slice(&f32::NAN.to_le_bytes());
    brain.write("tracks.trk", bytes);
    brain.fail(
        &COMMIT.replace("truth_streamlines.trx", "tracks.trk"),
        1,
        "error: tracks.trk: streamline 0 has a position that is not a number; the file is damaged; copy it \
         again or create it again",
    );
}

/// Repeated points, streamlines with one point, and empty streamlines do not change the weights of other
/// streamlines.
#[test]
fn zero_length_segments_do_not_count() {
    let brain = brain();
    let tracks = truth(&brain);
    brain.succeed(COMMIT);
    let expected = read_weights(&brain.path("out/commit_weights.txt")).unwrap();
    let mut doubled = changed(&tracks, |_, points| {
        *points = points.iter().flat_map(|&point| [point, point]).collect();
    });
    doubled.push(&[tracks.streamline(0)[5]; 4]);
    doubled.push(&tracks.streamline(0)[5..6]);
    doubled.push(&[]);
    write_tracks(&brain, &doubled);
    brain.succeed(&format!("{COMMIT} --force"));
    let weights = read_weights(&brain.path("out/commit_weights.txt")).unwrap();
    assert_eq!(weights[..150], expected);
    assert_eq!(weights[150..], [0.0; 3]);
    write_tracks(&brain, &Tractogram::new());
    brain.fail(
        &COMMIT.replace("--out out", "--out other"),
        1,
        "error: truth_streamlines.trx: it has no streamline; give one that has",
    );
}

#[test]
fn streamlines_outside_the_length_range() {
    let brain = brain();
    brain.fail(
        &format!("{COMMIT} --min-length 1000"),
        1,
        "error: truth_streamlines.trx: all 150 streamlines of the tractogram are shorter than 1000 mm or \
         longer than inf mm; allow other lengths, or check that the unit of the tractogram is mm",
    );
    brain.fail(
        &format!("{COMMIT} --min-length 100 --max-length 50"),
        2,
        "error: --max-length: the maximum length 50 mm is less than --min-length; give a larger maximum \
         length",
    );
}

#[test]
fn groups_that_do_not_match_the_streamlines() {
    let brain = brain();
    brain.write("groups.txt", "left\n".repeat(149));
    brain.fail(
        &format!("{COMMIT} --regularise group-sparse --lambda 0.1 --groups groups.txt"),
        1,
        "error: groups.txt: 149 rows for 150 streamlines; give the name of a group for each streamline, one a line",
    );
    brain.write("groups.txt", "-\n".repeat(150));
    brain.fail(
        &format!("{COMMIT} --regularise group-sparse --lambda 0.1 --groups groups.txt"),
        1,
        "error: groups: no streamline is in one; give each streamline the name of its group",
    );
    let result = brain.run(&format!("{COMMIT} --regularise group-sparse --lambda 0.1 --groups arcuate"));
    let wanted = "error: --groups arcuate: no file and no group of the tractogram is called `arcuate`; give \
                  a file with one group name per streamline, or choose some of the groups arcuate_left, \
                  arcuate_right, ";
    assert!(result.errors.starts_with(wanted), "{}", result.errors);
    assert_eq!((result.code, brain.path("out").exists()), (2, false));
}

#[test]
fn models_with_missing_requirements() {
    let brain = brain();
    let timings = "--big-delta 40 --small-delta 20 --echo-time 50";
    let cylinders = format!("{COMMIT} --model cylinder-zeppelin-ball");
    brain.fail(
        &cylinders,
        1,
        "error: --model cylinder-zeppelin-ball: the radii of its cylinders show only with |G|, Δ, δ and TE, which the gradient table \
         lacks; give a Camino scheme of version STEJSKALTANNER, a .prtcl with G (or b), Delta, delta and TE, or \
         --big-delta, --small-delta and --echo-time",
    );
    brain.fail(
        &format!("{cylinders} {timings}"),
        1,
        "error: --big-delta, --small-delta, --echo-time: Δ + δ = 0.06 s exceeds the echo time of 0.05 s; \
         check the times Δ, δ and TE, which are in ms",
    );
    for (options, message) in [
        (
            "--model gdr-cylinders",
            "--gamma-radii: the model gdr-cylinders needs the distribution of its radii; give the shape and \
             the scale (µm) of the gamma distribution",
        ),
        (
            "--radii 2",
            "--radii: the model stick-zeppelin-ball does not have this parameter; leave out this option, or \
             choose another --model",
        ),
        ("--model scalar-map", "--dwi: the model scalar-map needs a map; give --scalar-map"),
        (
            "--big-delta 40 --small-delta 20 --echo-time 80",
            "--big-delta: the model stick-zeppelin-ball has no radii that depend on the timings of the \
             gradient pulses; remove the timings, or choose another --model",
        ),
    ] {
        brain.fail(&format!("{COMMIT} {options}"), 2, &format!("error: {message}"));
    }
    brain.fail(
        "evaluate commit truth_streamlines.trx --model scalar-map --scalar-map dwi.nii.gz --out out",
        1,
        "error: dwi.nii.gz: the image has 14 volumes, not one; give a 3-D map",
    );
    brain.fail(
        "evaluate commit truth_streamlines.trx --scalar-map mask.nii.gz --out out",
        2,
        "error: --scalar-map: the model stick-zeppelin-ball needs a diffusion series; give --dwi, or \
         --model scalar-map",
    );
    // Options of a diffusion series have no effect on a map and are rejected.
    for option in ["--min-b0 0.5", "--b-step 100", "--gradients table.b", "--big-delta 40"] {
        let result = brain.run(&format!(
            "evaluate commit truth_streamlines.trx --model scalar-map --scalar-map mask.nii.gz --out out {option}"
        ));
        assert!(result.errors.contains("cannot be used with"), "{option}: {}", result.errors);
        assert_eq!((result.code, brain.path("out").exists()), (2, false));
    }
    let no_peaks = COMMIT.replace("--peaks truth_peaks.nii.gz ", "");
    for option in [
        "--zeppelin-axial-diffusivity 1.2",
        "--radial-diffusivities 0.5",
        "--intra-fractions 0.5",
        "--lambda-extra 0.1",
    ] {
        let name = option.split(' ').next().unwrap();
        let problem = "without peaks there are no extra-axonal compartments; give --peaks, or leave out this \
                       option";
        brain.fail(&format!("{no_peaks} {option}"), 2, &format!("error: {name}: {problem}"));
    }
    brain.fail(
        &format!("{no_peaks} --model volume-fractions --demean"),
        2,
        "error: --demean: this option removes all compartments of the model volume-fractions; leave out this \
         option, or choose another --model",
    );
    brain.fail(
        &format!("{COMMIT} --b0-threshold 1000"),
        1,
        "error: dwi.bval, dwi.bvec: all measurements count as b = 0 (b ≤ 1000 s/mm²); check the gradient \
         table, or lower --b0-threshold",
    );
    brain.fail(
        &format!("{COMMIT} --isotropic-diffusivities 3e-3"),
        2,
        "error: --isotropic-diffusivities 3e-3: 0.003 is too small: give µm²/ms, 1.7 for 1.7e-3 mm²/s; see `arcuate evaluate commit --help`",
    );
}

#[test]
fn invalid_penalties() {
    let brain = brain();
    for (options, message) in [
        (
            "--regularise lasso --lambda -0.1",
            "--lambda: -0.1 is not a possible strength of a penalty; give a strength of 0 or more",
        ),
        (
            "--regularise lasso --lambda nan",
            "--lambda: `nan` is not a finite number; give a finite number, or leave the option out",
        ),
        (
            "--lambda-extra -1",
            "--lambda-extra: -1 is not a possible strength of a penalty; give a strength of 0 or more",
        ),
        (
            "--lambda-isotropic 2",
            "--lambda-isotropic: 2 is not a fraction of the smallest penalty that sets all weights to 0; \
             give a number from 0 to 1, or \
             --absolute-lambda",
        ),
        ("--regularise lasso", "--regularise: its strength is not said; give --lambda, such as 0.1"),
        ("--lambda 0.1", "--lambda: it has no effect without a penalty; give --regularise"),
        (
            "--regularise sparse-group --lambda 0.1 --groups all",
            "--lambda: 1 numbers for 2 penalties; give one number, and two with commas between for sparse-group",
        ),
        ("--regularise group-sparse --lambda 0.1", "--regularise: the groups are not said; give --groups"),
        (
            "--groups all",
            "--groups: it has no effect without a penalty on groups; give --regularise \
                          group-sparse",
        ),
        ("--debias", "--debias: without a penalty there is no bias; give --regularise"),
        (
            "--regularise lasso --lambda 0.1 --solver barzilai-borwein",
            "--solver: barzilai-borwein takes no penalties; choose fista",
        ),
        (
            "--regularise lasso --lambda 0.1 --lambda-curve 1",
            "--lambda-curve: this number of penalty strengths is not possible for the curve of fits; give 2 \
             to 1000",
        ),
        (
            "--regularise lasso --lambda 0 --lambda-curve 4",
            "--lambda-curve: no curve leads to this --lambda from the smallest that leaves nothing; give a --lambda above 0 \
             and below 1",
        ),
        (
            "--regularise sparse-group --groups all --lambda 0,1 --lambda-curve 4",
            "--lambda-curve: no curve leads to this --lambda from the smallest that leaves nothing; give a --lambda above 0 \
             and below 1",
        ),
        ("--tolerance -1", "--tolerance: -1 is not a fraction; give a number of at least 0 and below 1"),
        ("--gap 1.5", "--gap: 1.5 is not a fraction; give a number of at least 0 and below 1"),
        (
            "--min-b0 2",
            "--min-b0: 2 is not a fraction of the mean b = 0 signal, from 0 to below 1; give a number of at \
             least 0 and below 1",
        ),
        (
            "--b-step nan",
            "--b-step: `nan` is not a finite number; give a finite number, or leave the option out",
        ),
        (
            "--blur-spacing 0.5",
            "--blur-spacing: this option has no effect without blur copies of streamlines; give \
             --blur-core-extent or --blur-gauss-extent",
        ),
        (
            "--blur-core-extent 1 --blur-gauss-min 0.5",
            "--blur-gauss-min: there is no border it could be of; give --blur-gauss-extent",
        ),
        (
            "--orientations 3",
            "--orientations: 3 orientations are not possible for a table; give 6 to \
                              65536, or exact",
        ),
    ] {
        brain.fail(&format!("{COMMIT} {options}"), 2, &format!("error: {message}"));
    }
    brain.fail(&format!("{COMMIT} --orientations no.txt"), 1, "error: no.txt: no such file; check the path");
}

#[test]
fn numbers_that_overflow_give_no_result() {
    let brain = brain();
    map(&brain, "confidence.nii.gz", 3e38);
    brain.fail(
        &format!("{COMMIT} --confidence confidence.nii.gz"),
        1,
        "error: confidence.nii.gz: numbers in the fit exceed the range of its precision (single or double); \
         scale signals and --confidence to usual sizes, or use --precision double",
    );
}

#[test]
fn invalid_confidence_maps() {
    let brain = brain();
    let command = format!("{COMMIT} --confidence confidence.nii.gz");
    map(&brain, "confidence.nii.gz", -1.0);
    brain.fail(
        &command,
        1,
        "error: confidence.nii.gz: voxel (0, 0, 0), counted from 0, has the value -1; give a map with values \
         of 0 or more",
    );
    map(&brain, "confidence.nii.gz", 0.0);
    brain.fail(
        &command,
        1,
        "error: confidence.nii.gz: no voxel of the mask has one above 0; give a map with values above 0 in \
         the voxels of the mask",
    );
}

#[test]
fn results_are_not_overwritten() {
    let brain = brain();
    brain.write("out/commit_trace.csv", "mine");
    let there = |name: &str| {
        format!(
            "error: {name}: it is there already; choose another name, or give --force to replace the \
             existing file"
        )
    };
    brain.fail(COMMIT, 2, &there("out/commit_trace.csv"));
    brain.write("other/Results_StickZeppelinBall/streamline_weights.txt", "mine");
    brain.fail(
        &format!("{} --compat", COMMIT.replace("--out out", "--out other")),
        2,
        &there("other/Results_StickZeppelinBall/streamline_weights.txt"),
    );
}

#[test]
fn inputs_are_not_overwritten_even_with_force() {
    let brain = brain();
    let tracks = brain.read("truth_streamlines.trx");
    brain.write("out/tracks_supported.trx", &tracks);
    brain.fail(
        &format!("{} --force", COMMIT.replace("truth_streamlines.trx", "out/../out/tracks_supported.trx")),
        2,
        "error: out/../out/tracks_supported.trx: it is an input, and the results would be written over it; choose another \
         --out",
    );
    brain.fail(
        "evaluate life out/tracks_supported.trx --dwi dwi.nii.gz --out out --force",
        2,
        "error: out/tracks_supported.trx: it is an input, and the results would be written over it; choose another --out",
    );
    assert!(brain.read("out/tracks_supported.trx") == tracks);
    brain.write("other/Results_StickZeppelinBall", "mine");
    brain.fail(
        &format!("{} --compat", COMMIT.replace("--out out", "--out other")),
        2,
        "error: other/Results_StickZeppelinBall: this path is a file, not a folder; choose another --out",
    );
}

/// In voxels without a peak, streamlines explain the signal that extra-axonal compartments would explain.
#[test]
fn voxels_without_peaks_are_counted() {
    for nothing in [0.0, f32::NAN] {
        let brain = brain();
        let mut peaks = brain.volume("truth_peaks.nii.gz");
        let grid = *peaks.grid();
        for voxel in (0..grid.len()).filter(|&voxel| grid.coordinates(voxel)[0] < 12) {
            peaks.voxel_mut(voxel).fill(nothing);
        }
        brain.write_image("truth_peaks.nii.gz", &peaks);
        let result = brain.run(COMMIT);
        let segments = brain.volume("out/commit_segments.nii.gz");
        let passed: Vec<usize> = (0..grid.len()).filter(|&voxel| segments.values()[voxel] > 0.0).collect();
        let is_peak = |c: &f32| *c != 0.0 && c.is_finite();
        let bare = passed.iter().filter(|&&voxel| !peaks.voxel(voxel).iter().any(is_peak)).count();
        let share = 100.0 * bare as f64 / passed.len() as f64;
        assert!(share > 40.0, "{share}");
        let wanted = format!(
            "warning: truth_peaks.nii.gz: {bare} of {} voxels that streamlines pass ({share:.1} %) have no \
             peak and therefore no extra-axonal compartment; the signal of such a compartment is attributed \
             to the streamlines\n",
            passed.len()
        );
        assert_eq!((result.code, result.errors.as_str()), (0, wanted.as_str()));
        let record: serde_json::Value = brain.json("out/arcuate.json");
        assert_eq!(record["figures"]["voxels with streamlines but without a peak"]["value"], bare);
    }
}

#[test]
fn the_summary_line_states_that_a_fit_stopped_early() {
    let brain = brain();
    let so_far = " of 150 streamlines supported so far (the fit stopped before its tolerance); ";
    for evaluate in [COMMIT, "evaluate life truth_streamlines.trx --dwi dwi.nii.gz --out out"] {
        let result = brain.run(&format!("{evaluate} --iterations 1 --force"));
        assert!(result.code == 0 && result.output.contains(so_far), "{}", result.output);
        assert!(brain.text("out/arcuate.json").contains("\"end of the fit\""));
        let result = brain.succeed(&format!("{evaluate} --iterations 100000 --force"));
        assert!(result.contains(" of 150 streamlines supported; "), "{result}");
        assert!(!brain.text("out/arcuate.json").contains("\"end of the fit\""));
    }
}

#[test]
fn fits_that_stop_early_are_reported() {
    let brain = brain();
    let result = brain
        .run(&format!("{COMMIT} --regularise lasso --lambda 0.1 --lambda-curve 3 --debias --iterations 2"));
    let wanted = "warning: 3 of 3 fits with a penalty stopped before they converged to --tolerance 1e-5; give \
                  more --iterations or a larger --tolerance, so that these fits converge\nwarning: COMMIT \
                  stopped before it converged to --tolerance 1e-5; give more --iterations or a larger \
                  --tolerance, so that the fit converges\n";
    assert_eq!((result.code, result.errors.as_str()), (0, wanted));
}

/// The data of streamlines and the groups are kept in the results.
#[test]
fn streamline_data_are_kept() {
    let brain = brain();
    let mut tracks = truth(&brain);
    let numbers = (0..150).map(|n| n as f32).collect();
    tracks.per_streamline.insert("number".into(), Column::new(1, Scalars::F32(numbers)).unwrap());
    write_tracks(&brain, &tracks);
    brain.succeed(COMMIT);
    let supported = brain.tractogram("out/tracks_supported.trx");
    let weights = read_weights(&brain.path("out/commit_weights.txt")).unwrap();
    let expected: Vec<f32> = (0..150).filter(|&n| weights[n] > 0.0).map(|n| n as f32).collect();
    assert!(!expected.is_empty() && expected.len() < 150);
    let Scalars::F32(numbers) = supported.per_streamline["number"].values() else {
        panic!("of another type")
    };
    assert_eq!(numbers, &expected);
    assert!(supported.per_streamline.contains_key("commit_weights") && !supported.groups.is_empty());
}
