//! Tests of invalid inputs and outputs. They check the whole message and the exit code, and that no incomplete file
//! is left.

use crate::common::{Scratch, brain};
use arcuate_core::{Affine, Grid, Tractogram, Volume};
use arcuate_io::{TractogramOptions, WriteOptions, read_weights, write_image, write_tractogram};

const SHAPE: [usize; 3] = [24, 28, 22];

/// Changes the values of an image in the folder.
fn change(scratch: &Scratch, name: &str, change: impl FnOnce(&mut Volume<f32>)) {
    let mut image = scratch.volume(name);
    change(&mut image);
    scratch.write_image(name, &image);
}

/// Writes streamlines as `tracks.trx` in the space of the series.
fn write_tracks(scratch: &Scratch, tracks: &Tractogram) {
    let grid = *scratch.volume("mask.nii.gz").grid();
    write_tractogram(&scratch.path("tracks.trx"), tracks, Some(&grid), &TractogramOptions::default())
        .unwrap();
}

fn truth(scratch: &Scratch) -> Tractogram {
    scratch.tractogram("truth_streamlines.trx")
}

#[test]
fn truncated_image() {
    let brain = brain();
    let whole = brain.read("dwi.nii.gz");
    brain.write("dwi.nii.gz", &whole[..whole.len() / 2]);
    let result = brain.run("fit tensor dwi.nii.gz --out maps");
    let (before, after) = result.errors.trim_end().split_once(" (after ").expect("where the data end");
    let (bytes, advice) = after.split_once(" decompressed bytes); ").expect("how many bytes there are");
    assert_eq!(before, "error: dwi.nii.gz: the compressed data end early");
    assert!(bytes.parse::<usize>().unwrap() < 4 * 14 * SHAPE.iter().product::<usize>());
    assert_eq!((result.code, advice), (1, "copy or download the file again"));
    assert!(!brain.path("maps").exists());
}

#[test]
fn damaged_image() {
    let brain = brain();
    let mut bytes = brain.read("dwi.nii.gz");
    let middle = bytes.len() / 2;
    bytes[middle..middle + 64].fill(0xff);
    brain.write("dwi.nii.gz", bytes);
    let result = brain.run("fit tensor dwi.nii.gz --out maps");
    assert!(
        result.errors.starts_with("error: dwi.nii.gz: ") && result.errors.lines().count() == 1,
        "{}",
        result.errors
    );
    assert_eq!(result.code, 1);
    assert!(!brain.path("maps").exists());
}

#[test]
fn missing_files() {
    let brain = brain();
    let no = |name: &str| format!("error: {name}: no such file; check the path");
    for command in [
        "run no.nii.gz --out out",
        "fit tensor no.nii.gz --out out",
        "mask no.nii.gz --out out.nii.gz",
        "info no.nii.gz",
        "convert no.nii.gz out.mif",
        "track tensor no.nii.gz --out out.tck",
        "fit tensor dwi.nii.gz --mask no.nii.gz --out out",
        "run dwi.nii.gz --labels no.nii.gz --out out",
        "evaluate life truth_streamlines.trx --dwi no.nii.gz --out out",
        "connectome truth_streamlines.trx --labels no.nii.gz --out out",
    ] {
        brain.fail(command, 1, &no("no.nii.gz"));
    }
    for command in [
        "evaluate life no.tck --dwi dwi.nii.gz --out out",
        "connectome no.tck --labels labels.nii.gz --out out",
        "convert no.tck out.tck",
    ] {
        brain.fail(command, 1, &no("no.tck"));
    }
    brain.fail("fit tensor dwi.nii.gz --bval no.bval --bvec dwi.bvec --out out", 1, &no("no.bval"));
    brain.fail("fit tensor dwi.nii.gz --gradients no.b --out out", 1, &no("no.b"));
    brain.fail(
        "connectome truth_streamlines.trx --labels labels.nii.gz --weights no.txt --out out",
        1,
        &no("no.txt"),
    );
}

#[test]
fn unknown_endings() {
    let brain = brain();
    brain.write("dwi.img7", "x");
    brain.write("notes.doc", "x");
    brain.fail(
        "fit tensor dwi.img7 --out out",
        2,
        "error: dwi.img7: the ending of this file name is not an image format; give a file that ends in \
         .nii, .nii.gz, .mif or .mif.gz (.hdr, .mih and .mgz can only be read)",
    );
    brain.fail(
        "info notes.doc",
        1,
        "error: notes.doc: the ending of this file name is not one that Arcuate knows; give an image (.nii \
         .nii.gz .hdr .mif .mif.gz .mih .mgz), a tractogram (.tck .trk .trx .tck.gz .trk.gz), a gradient \
         table, a surface (.gii .annot .asc .srf .vtk) or a connectivity matrix (.npz .dot _1.mtx)",
    );
    for (arguments, subject) in
        [("convert notes.doc out.tck", "notes.doc"), ("convert dwi.nii.gz out.doc", "out.doc")]
    {
        brain.fail(
            arguments,
            2,
            &format!(
                "error: {subject}: the ending of this file name is not one that Arcuate knows; use the \
                 file name ending of an image (.nii .nii.gz .mif .mif.gz), a tractogram (.tck .trk .trx \
                 .tck.gz .trk.gz), a gradient table (.bvec .b .scheme .prtcl), a surface (.gii .annot .asc \
                 .srf) or a matrix (.npz .dot _1.mtx)"
            ),
        );
    }
    brain.fail(
        "convert dwi.nii.gz out.tck",
        2,
        "error: out.tck: dwi.nii.gz cannot be converted to the file type of the output; choose an output of the same \
         type: image, tractogram, gradient table, surface or matrix",
    );
    brain.fail(
        "evaluate life notes.doc --dwi dwi.nii.gz --out out",
        2,
        "error: notes.doc: `.doc` is not the ending of a tractogram format; use .tck, .trk, .trx, .tck.gz \
         or .trk.gz",
    );
}

#[test]
fn gradient_tables_that_do_not_match_the_series() {
    let brain = brain();
    let bvec = brain.text("dwi.bvec");
    let short: Vec<String> =
        bvec.lines().map(|line| line.rsplit_once(' ').expect("several directions").0.to_owned()).collect();
    brain.write("short.bvec", short.join("\n"));
    brain.fail(
        "fit tensor dwi.nii.gz --bval dwi.bval --bvec short.bvec --out out",
        1,
        "error: short.bvec: 13 directions for 14 volumes; give the bval and bvec files of this image",
    );
    brain.write("short.bval", "0 0 1000 1000\n");
    brain.fail(
        "fit tensor dwi.nii.gz --bval short.bval --bvec dwi.bvec --out out",
        1,
        "error: short.bval: 4 b-values for 14 volumes; give the bval and bvec files of this image",
    );
    brain.write("words.bval", "0 0 1000 lots\n");
    brain.fail(
        "fit tensor dwi.nii.gz --bval words.bval --bvec dwi.bvec --out out",
        1,
        "error: words.bval: line 1 has `lots`, which is not a number; check that this is the right file",
    );
    brain.write("alone.nii.gz", brain.read("dwi.nii.gz"));
    brain.fail(
        "fit tensor alone.nii.gz --out out",
        1,
        "error: alone.nii.gz: its diffusion weighting is unknown; give --bval and --bvec, or --gradients",
    );
}

#[test]
fn insufficient_directions_are_reported_before_the_mask_is_computed() {
    let scratch = brain();
    scratch.write("resp/response_wm.txt", "# Shells: 0,1000\n10000 0 0\n5000 -2000 300\n");
    scratch.write("resp/response_csf.txt", "# Shells: 0,1000\n30000\n1500\n");
    let b_values = String::from_utf8(scratch.read("dwi.bval")).unwrap();
    let angles = (0..b_values.split_whitespace().count()).map(|n| (0.2 * n as f64).sin_cos());
    let (x, y): (Vec<String>, Vec<String>) = angles.map(|(x, y)| (x.to_string(), y.to_string())).unzip();
    let zeros = vec!["0"; x.len()].join(" ");
    scratch.write("plane.bvec", format!("{}\n{}\n{zeros}\n", x.join(" "), y.join(" ")));
    // No brain can be found in this series, because all its values are equal.
    change(&scratch, "dwi.nii.gz", |dwi| dwi.values_mut().fill(1.0));
    for option in ["", "--normalise"] {
        let result = scratch.run(&format!(
            "fit csd dwi.nii.gz --bval dwi.bval --bvec plane.bvec --responses resp --out out {option}"
        ));
        assert_eq!(result.code, 1, "{}", result.errors);
        let problem = "the shell has 12 different directions, which do not determine the coefficients of \
                       order 2; use directions spread over the whole sphere, at least 6";
        assert!(result.errors.contains(problem), "{}", result.errors);
        assert!(!result.errors.contains("mask"), "{}", result.errors);
        assert!(!scratch.path("out").exists());
    }
}

#[test]
fn series_without_unweighted_measurements() {
    let brain = brain();
    brain.write("none.bval", "700 700".to_owned() + &" 1000".repeat(12));
    let bvec = brain.text("dwi.bvec");
    // Directions for the two volumes that had b = 0.
    let rows: Vec<String> = bvec
        .lines()
        .enumerate()
        .map(|(axis, line)| {
            let rest = line.split(' ').skip(2).collect::<Vec<_>>().join(" ");
            format!("{} {} {rest}", u8::from(axis == 0), u8::from(axis == 1))
        })
        .collect();
    brain.write("none.bvec", rows.join("\n"));
    brain.fail(
        "evaluate life truth_streamlines.trx --dwi dwi.nii.gz --bval none.bval --bvec none.bvec --out out",
        1,
        "error: none.bval, none.bvec: no measurement has b ≤ 50 s/mm², so S₀ is \
         unknown; give a series with b = 0 volumes, or \
         raise --b0-threshold",
    );
    brain.write("one.bval", "1000 ".repeat(14));
    brain.fail(
        "fit tensor dwi.nii.gz --bval one.bval --bvec none.bvec --mask mask.nii.gz --out out",
        1,
        "error: one.bval, none.bvec: one shell without b = 0 cannot separate S0 from diffusion; add a b = \
         0 volume, raise \
         --b0-threshold to the smallest b, or add a second shell",
    );
}

#[test]
fn nan_and_negative_signals() {
    let brain = brain();
    let mask = brain.volume("mask.nii.gz");
    let inside: Vec<usize> = (0..mask.grid().len()).filter(|&v| mask.values()[v] > 0.5).collect();
    let (broken, negative, dead) = (inside[500], inside[600], inside[700]);
    change(&brain, "dwi.nii.gz", |dwi| {
        dwi.voxel_mut(broken)[5] = f32::NAN;
        dwi.voxel_mut(negative)[7] = -3.0;
        dwi.voxel_mut(dead).fill(f32::NAN);
    });
    let result = brain.succeed_with(
        "fit tensor dwi.nii.gz --mask mask.nii.gz --out maps",
        &format!(
            "warning: tensor: 1 of {} voxels could not be computed (1 with a value that is not finite), and 1 measurement was not \
             used (1 not finite); 1 measurement at or near zero was raised to a millionth of its voxel's largest",
            inside.len()
        ),
    );
    assert_eq!(result, format!("{} voxels fitted, maps in maps\n", inside.len() - 1));
    let fa = brain.volume("maps/fa.nii.gz");
    assert!(fa.values().iter().all(|v| v.is_finite()));
    assert!(fa.values()[broken] > 0.0);
    assert_eq!(fa.values()[dead], 0.0);
    // Also process the series with the whole `run` command.
    let result = brain.run("run dwi.nii.gz --mask mask.nii.gz --select 200 --out out");
    assert_eq!(result.code, 0, "{}", result.errors);
    assert!(result.errors.starts_with("warning: tensor: 1 of "), "{}", result.errors);
    for weight in read_weights(&brain.path("out/life/life_weights.txt")).unwrap() {
        assert!(weight.is_finite() && weight >= 0.0);
    }
    for name in ["tensor/tensor", "tensor/md", "tensor/colour_fa", "track_density"] {
        let image = brain.volume(&format!("out/{name}.nii.gz"));
        assert!(image.values().iter().all(|v| v.is_finite()), "{name}");
    }
    let rmse = brain.volume("out/life/life_rmse_after.nii.gz");
    assert!(
        rmse.values().iter().all(|v| v.is_finite())
            && rmse.values().iter().filter(|v| **v > 0.0).count() > 100
    );
    assert_eq!(rmse.values()[dead], 0.0, "nothing is said of a voxel without signal");
    assert!(brain.text("out/report.html").contains("1 measurement was not used (1 not finite)"));
}

#[test]
fn result_folders_must_not_have_file_endings() {
    let brain = brain();
    for (command, name, folder) in [
        ("fit tensor dwi.nii.gz", "dt.mif", "dt"),
        ("fit ball-1-stick dwi.nii.gz", "a/fit.nii.gz", "a/fit"),
        ("run dwi.nii.gz", "Run.HTML", "Run"),
        ("connectome truth_streamlines.trx --labels labels.nii.gz", "matrix.csv", "matrix"),
        // The name is rejected before the series is read. This series does not exist.
        ("response missing.nii.gz", "response.txt", "response"),
    ] {
        let ending = &name[folder.len()..].to_lowercase();
        let problem = format!("the result is a folder, but the name ends in {ending}, as a file");
        let advice = format!("use --out {folder}, or another name without this ending");
        brain.fail(&format!("{command} --out {name}"), 2, &format!("error: {name}: {problem}; {advice}"));
    }
    std::fs::create_dir(brain.path("old.nii")).unwrap();
    brain.succeed("connectome truth_streamlines.trx --labels labels.nii.gz --out old.nii");
}

#[test]
fn info_continues_after_an_invalid_file() {
    let brain = brain();
    let result = brain.run("info nothere.nii dwi.bval notes.doc mask.nii.gz gone.tck");
    let errors: Vec<&str> = result.errors.lines().map(|line| line.split(": ").nth(1).unwrap()).collect();
    assert_eq!(
        (result.code, &errors[..]),
        (1, &["nothere.nii", "notes.doc", "gone.tck"][..]),
        "{}",
        result.errors
    );
    assert_eq!(result.output, brain.succeed("info dwi.bval mask.nii.gz"));
    let result = brain.run("info --json mask.nii.gz nothere.nii");
    let files: serde_json::Value = serde_json::from_str(&result.output).unwrap();
    assert_eq!((result.code, &files[0]["kind"], &files[1]["kind"]), (1, &"image".into(), &"error".into()));
    assert_eq!(result.errors, format!("error: {}\n", files[1]["error"].as_str().unwrap()));
}

#[test]
fn masks_that_do_not_match_the_image() {
    let brain = brain();
    change(&brain, "white_matter.nii.gz", |mask| mask.values_mut().fill(0.0));
    for command in ["fit tensor", "run"] {
        brain.fail(
            &format!("{command} dwi.nii.gz --mask white_matter.nii.gz --out out"),
            1,
            "error: white_matter.nii.gz: the mask is empty; give a mask with voxels above 0.5",
        );
    }
    let other = Grid::new([20, 28, 22], Affine::scaling([5.0; 3], [0.0; 3])).unwrap();
    write_image(&brain.path("other.nii.gz"), &Volume::filled(other, 1, 1u8), &WriteOptions::default())
        .unwrap();
    let message = "error: other.nii.gz: the image size 20 × 28 × 22 differs from the size 24 × 28 × 22 of \
                   the diffusion series; resample the image to the grid of the diffusion series";
    brain.fail("fit tensor dwi.nii.gz --mask other.nii.gz --out out", 1, message);
    brain.fail(
        "evaluate life truth_streamlines.trx --dwi dwi.nii.gz --mask other.nii.gz --out out",
        1,
        message,
    );
    let moved = Grid::new(SHAPE, Affine::scaling([5.0; 3], [0.0; 3])).unwrap();
    write_image(&brain.path("moved.nii.gz"), &Volume::filled(moved, 1, 1u8), &WriteOptions::default())
        .unwrap();
    brain.fail(
        "fit tensor dwi.nii.gz --mask moved.nii.gz --out out",
        1,
        "error: moved.nii.gz: the image is at another place in space than the diffusion series (same size, \
         different affine); resample the image to the grid of the diffusion series",
    );
}

#[test]
fn images_with_reordered_voxels_are_in_the_same_space() {
    let brain = brain();
    let mask = brain.volume("mask.nii.gz");
    // Reverses the order of voxels along x. The affine keeps each voxel at the same position.
    let [mut x, y, z] = mask.grid().affine().rows();
    x[3] += x[0] * (SHAPE[0] - 1) as f64;
    x[0] = -x[0];
    let grid = Grid::new(SHAPE, Affine::from_rows([x, y, z]).unwrap()).unwrap();
    let values = mask.values().chunks_exact(SHAPE[0]).flat_map(|row| row.iter().rev().copied()).collect();
    let mirrored = Volume::new(grid, 1, values).unwrap();
    brain.write_image("mirrored.nii", &mirrored);
    brain.succeed("fit tensor dwi.nii.gz --mask mask.nii.gz --out straight");
    brain.succeed("fit tensor dwi.nii.gz --mask mirrored.nii --out mirrored");
    assert!(brain.read("straight/tensor.nii.gz") == brain.read("mirrored/tensor.nii.gz"));
    write_tractogram(&brain.path("t.trk"), &truth(&brain), Some(&grid), &TractogramOptions::default())
        .unwrap();
    brain.succeed("evaluate life t.trk --dwi dwi.nii.gz --out life");
}

#[test]
fn images_of_the_wrong_kind() {
    let brain = brain();
    brain.write("mask.bval", brain.read("dwi.bval"));
    brain.write("mask.bvec", brain.read("dwi.bvec"));
    for command in
        ["fit tensor mask.nii.gz --out out", "run mask.nii.gz --out out", "mask mask.nii.gz --out m.nii"]
    {
        brain.fail(
            command,
            1,
            "error: mask.nii.gz: it is a 3-D image, not a diffusion series; give the 4-D series of all measurements",
        );
    }
    brain.fail(
        "track tensor mask.nii.gz --out out.tck",
        1,
        "error: mask.nii.gz: a tensor image has 6 volumes, not 1; make a tensor image with `arcuate fit \
         tensor`",
    );
    brain.fail(
        "track tensor dwi.nii.gz --out out.tck",
        1,
        "error: dwi.nii.gz: a tensor image has 6 volumes, not 14; make a tensor image with `arcuate fit \
         tensor`",
    );
}

#[test]
fn empty_and_single_point_streamlines_have_zero_weight() {
    let brain = brain();
    let known = truth(&brain);
    let mut tracks = Tractogram::new();
    tracks.push(known.streamline(0));
    tracks.push(&[]);
    tracks.push(&known.streamline(1)[..1]);
    tracks.push(known.streamline(2));
    write_tracks(&brain, &tracks);
    brain.succeed("evaluate life tracks.trx --dwi dwi.nii.gz --out out");
    let weights = read_weights(&brain.path("out/life_weights.txt")).unwrap();
    assert_eq!(weights.len(), 4);
    assert_eq!((weights[1], weights[2]), (0.0, 0.0));
    assert!(weights[0] > 0.0 && weights[3] > 0.0, "{weights:?}");
    let result = brain.succeed("connectome tracks.trx --labels labels.nii.gz --out matrices");
    assert_eq!(result, "2 of 4 streamlines join two of 30 regions; 0 have both ends in one\n");
    assert_eq!(brain.text("matrices/connectome_assignments.txt").lines().count(), 4);
    let kept = brain.tractogram("out/tracks_weighted.trx");
    assert_eq!(kept.offsets(), tracks.offsets());
}

#[test]
fn empty_tractograms() {
    let brain = brain();
    write_tracks(&brain, &Tractogram::new());
    brain.fail(
        "evaluate life tracks.trx --dwi dwi.nii.gz --out out",
        1,
        "error: tracks.trx: no streamline passes a voxel of the mask; check that the tractogram belongs to \
         this scan (same subject, same space, RAS mm)",
    );
    let result = brain.succeed("connectome tracks.trx --labels labels.nii.gz --out matrices");
    assert_eq!(result, "0 of 0 streamlines join two of 30 regions; 0 have both ends in one\n");
}

#[test]
fn streamlines_outside_the_volume() {
    let brain = brain();
    let known = truth(&brain);
    let far =
        |by: f32| -> Vec<[f32; 3]> { known.streamline(1).iter().map(|&[x, y, z]| [x + by, y, z]).collect() };
    let mut tracks = Tractogram::new();
    tracks.push(known.streamline(0));
    tracks.push(&far(1000.0));
    tracks.push(&far(-1000.0));
    tracks.push(&far(1.0e8));
    write_tracks(&brain, &tracks);
    let result = brain.run("evaluate life tracks.trx --dwi dwi.nii.gz --out out");
    assert_eq!(result.code, 0, "{}", result.errors);
    let (share, rest) = result.errors.split_once(" % ").expect("a share");
    assert!(share.strip_prefix("warning: ").unwrap().parse::<u32>().unwrap() > 60, "{share}");
    assert_eq!(
        rest.trim_end(),
        "of the streamline points are outside the used voxels; check that tractogram and series belong \
         together"
    );
    let weights = read_weights(&brain.path("out/life_weights.txt")).unwrap();
    assert!(weights[0] > 0.0);
    assert_eq!(weights[1..], [0.0; 3]);
}

#[test]
fn impossible_lesions() {
    let brain = brain();
    let mut tracks = truth(&brain);
    let streamlines = tracks.len();
    let far: Vec<[f32; 3]> = tracks.streamline(0).iter().map(|&[x, y, z]| [x + 1000.0, y, z]).collect();
    tracks.push(&far);
    tracks.groups.members.insert("far".to_owned(), vec![streamlines as u32]);
    write_tracks(&brain, &tracks);
    brain.write("far.txt", streamlines.to_string());
    brain.write("beyond.txt", format!("0 1 {}", streamlines + 1));
    for (group, error) in [
        (
            "far",
            "--lesion far, a group of tracks.trx: its streamlines pass no evaluated voxel; choose a group of \
             streamlines that pass the mask",
        ),
        (
            "far.txt",
            "--lesion far.txt: its streamlines pass no evaluated voxel; choose a group of streamlines that \
             pass the mask",
        ),
        (
            "beyond.txt",
            "--lesion beyond.txt: the lesion has streamline number 151 (counted from 0), but there are 151 \
             streamlines; count streamlines from 0",
        ),
    ] {
        let line = format!("evaluate life tracks.trx --dwi dwi.nii.gz --lesion {group} --out out");
        brain.fail(&line, 1, &format!("error: {error}"));
    }
}

#[test]
fn tractograms_in_another_space() {
    let brain = brain();
    // The origins of two scanners can differ by this distance.
    let known = truth(&brain);
    let mut away = Tractogram::new();
    for streamline in known.iter() {
        away.push(&streamline.iter().map(|&[x, y, z]| [x + 400.0, y, z]).collect::<Vec<_>>());
    }
    write_tracks(&brain, &away);
    brain.fail(
        "evaluate life tracks.trx --dwi dwi.nii.gz --out out",
        1,
        "error: tracks.trx: no streamline passes a voxel of the mask; check that the tractogram belongs to \
         this scan (same subject, same space, RAS mm)",
    );
    // The points are in the right space, although the header describes another image.
    let other = Grid::new([40, 40, 40], Affine::scaling([3.0; 3], [-60.0; 3])).unwrap();
    write_tractogram(&brain.path("other.trk"), &known, Some(&other), &TractogramOptions::default()).unwrap();
    brain.succeed_with(
        "evaluate life other.trk --dwi dwi.nii.gz --out out",
        "warning: other.trk: the header of the tractogram describes another image (the image size 40 × 40 × \
         40 differs from the size 24 × 28 × 22 of the diffusion series); the points are still read as RAS mm",
    );
    // A parcellation usually has its own grid, so this command does not warn.
    brain.succeed("connectome other.trk --labels labels.nii.gz --out matrices");
}

#[test]
fn damaged_tractograms() {
    let brain = brain();
    write_tractogram(&brain.path("tracks.tck"), &truth(&brain), None, &TractogramOptions::default()).unwrap();
    let whole = brain.read("tracks.tck");
    brain.write("tracks.tck", &whole[..whole.len() - 40]);
    let result = brain.run("evaluate life tracks.tck --dwi dwi.nii.gz --out out");
    assert_eq!(result.code, 0);
    // A killed tracker leaves a file like this, in which all streamlines but the last are complete.
    assert!(
        result.errors.contains("warning: tracks.tck: the file has no end mark, so it is incomplete "),
        "{}",
        result.errors
    );
    assert!(result.errors.contains("its 149 complete streamlines are read\n"), "{}", result.errors);
    std::fs::remove_dir_all(brain.path("out")).unwrap();
    let archive = brain.read("truth_streamlines.trx");
    brain.write("tracks.trx", &archive[..archive.len() / 2]);
    let result = brain.run("connectome tracks.trx --labels labels.nii.gz --out out");
    assert_eq!(result.code, 1);
    assert!(
        result.errors.starts_with("error: tracks.trx: ") && result.errors.lines().count() == 1,
        "{}",
        result.errors
    );
    assert!(!brain.path("out").exists());
}

#[test]
fn unwritable_outputs() {
    let brain = brain();
    brain.write("file", "x");
    brain.fail(
        "fit tensor dwi.nii.gz --out file",
        2,
        "error: file: this path is a file, not a folder; choose another --out",
    );
    brain.fail(
        "fit tensor dwi.nii.gz --out file/below",
        1,
        "error: file/below: a part of its path is a file, not a folder; choose another output folder",
    );
    brain.fail(
        "mask dwi.nii.gz --out file/mask.nii.gz",
        1,
        "error: file/mask.nii.gz: a part of its path is a file, not a folder; choose another output folder",
    );
    // Commands create missing output folders and remove them if the command fails.
    brain.succeed("mask dwi.nii.gz --out new/below/result.nii.gz");
    brain.succeed("convert truth_streamlines.trx new/other/tracks.trx");
    brain.fail(
        "convert no.nii.gz newer/below/result.nii.gz",
        1,
        "error: no.nii.gz: no such file; check the path",
    );
}

#[test]
#[cfg(target_os = "linux")]
fn read_only_file_systems() {
    // Nobody can write to /proc, not even root.
    let brain = brain();
    let result = brain.run("fit tensor dwi.nii.gz --out /proc/arcuate");
    assert_eq!(result.code, 1);
    assert!(
        result.errors.starts_with("error: /proc/arcuate: ") && result.errors.lines().count() == 1,
        "{}",
        result.errors
    );
}

#[test]
#[cfg(unix)]
fn a_folder_without_permission() {
    use std::os::unix::fs::PermissionsExt;
    let brain = brain();
    let folder = brain.path("closed");
    std::fs::create_dir(&folder).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o555)).unwrap();
    if std::fs::write(folder.join("probe"), "x").is_ok() {
        eprintln!("skipped: a_folder_without_permission, for this user may write everywhere");
        return;
    }
    brain.fail(
        "fit tensor dwi.nii.gz --out closed",
        1,
        "error: closed: permission to write there is denied; choose another output folder",
    );
    brain.fail(
        "mask dwi.nii.gz --out closed/mask.nii.gz",
        1,
        "error: closed/mask.nii.gz: permission to write there is denied; choose another output folder",
    );
}

/// A file system of 256 KiB, which is unmounted on drop. Only root can mount it.
#[cfg(target_os = "linux")]
struct TinyDisk(std::path::PathBuf);

#[cfg(target_os = "linux")]
impl TinyDisk {
    fn mount(at: std::path::PathBuf) -> Option<Self> {
        std::fs::create_dir_all(&at).unwrap();
        let mut mount = std::process::Command::new("mount");
        let status = mount.args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"]).arg(&at).output();
        status.is_ok_and(|output| output.status.success()).then_some(Self(at))
    }
}

#[cfg(target_os = "linux")]
impl Drop for TinyDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(&self.0).status();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk() {
    let brain = brain();
    let Some(_disk) = TinyDisk::mount(brain.path("disk")) else {
        eprintln!("skipped: a_full_disk, for this user may not mount a small file system");
        return;
    };
    let full = |name: &str| {
        format!("error: disk/{name}: the disk is full; free some space or choose another output folder")
    };
    brain.fail("convert dwi.nii.gz disk/dwi.nii", 1, &full("dwi.nii"));
    brain.fail("convert dwi.nii.gz disk/dwi.nii.gz", 1, &full("dwi.nii.gz"));
    brain.fail("convert dwi.nii.gz disk/dwi.mif", 1, &full("dwi.mif"));
    brain.write("big.tck", many_streamlines(&brain));
    for ending in ["tck", "trk", "trx"] {
        let name = format!("big.{ending}");
        brain.fail(&format!("convert big.tck disk/{name} --reference mask.nii.gz"), 1, &full(&name));
    }
    brain.fail("convert big.tck disk/folder.trx --folder --reference mask.nii.gz", 1, &full("folder.trx"));
    // These streamlines are written while tracking continues.
    brain.succeed("fit tensor dwi.nii.gz --mask mask.nii.gz --out maps");
    for name in ["tracks.tck", "tracks.trk", "tracks.trx"] {
        let command = format!("track tensor maps/tensor.nii.gz --select 2000 --cutoff 0.2 --out disk/{name}");
        brain.fail(&command, 1, &full(name));
    }
    // After a failed `run`, every file is complete and no temporary file is left.
    let result = brain.run("run dwi.nii.gz --select 500 --out disk/out");
    assert_eq!(result.code, 1);
    assert!(
        result.errors.ends_with(": the disk is full; free some space or choose another output folder\n"),
        "{}",
        result.errors
    );
    let told = |line: &&str| !line.starts_with("warning: ");
    assert_eq!(result.errors.lines().filter(told).count(), 1, "{}", result.errors);
    for name in brain.listing("disk/out") {
        assert!(!name.contains("partial"), "{name}");
        if name.contains(".json") || name.ends_with('/') {
            continue;
        }
        brain.succeed(&format!("info disk/out/{name}"));
    }
}

/// Returns the bytes of a tractogram that is larger than the tiny disk.
#[cfg(unix)]
fn many_streamlines(brain: &Scratch) -> Vec<u8> {
    let known = truth(brain);
    let mut many = Tractogram::new();
    for _ in 0..10 {
        known.iter().for_each(|streamline| many.push(streamline));
    }
    let path = brain.path("many.tck");
    write_tractogram(&path, &many, None, &TractogramOptions::default()).unwrap();
    let bytes = brain.read("many.tck");
    std::fs::remove_file(path).unwrap();
    assert!(bytes.len() > 1 << 20);
    bytes
}

#[test]
#[cfg(unix)]
fn file_size_limits() {
    let brain = brain();
    brain.write("big.tck", many_streamlines(&brain));
    let before = brain.listing(".");
    for (command, name) in [
        ("convert dwi.nii.gz dwi.nii", "dwi.nii"),
        ("convert big.tck big.trx --reference mask.nii.gz", "big.trx"),
        ("convert big.tck big.trk --reference mask.nii.gz", "big.trk"),
    ] {
        let result = crate::common::with_file_size_limit(&brain, 128, command);
        assert_eq!(
            (result.code, result.errors.as_str()),
            (
                1,
                &*format!(
                    "error: {name}: it is larger than a file may be here; raise the limit or choose another output folder\n"
                )
            )
        );
        assert_eq!(brain.listing("."), before);
    }
}

#[test]
fn existing_results_are_not_overwritten() {
    let brain = brain();
    brain.write("truth_tracks.trx", "mine");
    brain.write("mask.bvec", "mine");
    let there = |name: &str| {
        format!(
            "error: {name}: it is there already; choose another name, or give --force to replace the \
             existing file"
        )
    };
    for (command, name) in [
        ("mask dwi.nii.gz --out mask.nii.gz", "mask.nii.gz"),
        ("convert truth_streamlines.trx truth_tracks.trx", "truth_tracks.trx"),
        ("simulate --out . --voxel-size 8", "./dwi.nii.gz"),
        ("track tensor dwi.nii.gz --out truth_streamlines.trx", "truth_streamlines.trx"),
        ("convert dwi.bvec mask.bvec --reference dwi.nii.gz", "mask.bvec"),
    ] {
        brain.fail(command, 2, &there(name));
    }
    // The record in this folder lists the input, which `--force` would therefore remove.
    for command in [
        "fit tensor dwi.nii.gz",
        "run dwi.nii.gz",
        "connectome truth_streamlines.trx --labels labels.nii.gz",
        "evaluate life truth_streamlines.trx --dwi dwi.nii.gz",
    ] {
        let error =
            "error: .: it is an input, and the results would be written over it; choose another --out";
        brain.fail(&format!("{command} --out ."), 2, error);
    }
    let before = brain.read("mask.nii.gz");
    let found = brain.succeed("mask dwi.nii.gz --out mask.nii.gz --force");
    assert!(found.ends_with(" voxels inside\n"), "{found}");
    assert!(brain.read("mask.nii.gz") != before);
    // An existing file is kept if the new result fails, even with `--force`.
    brain.write("broken.nii.gz", &before[..before.len() / 2]);
    let kept = brain.read("labels.nii.gz");
    assert_eq!(brain.run("convert broken.nii.gz labels.nii.gz --force").code, 1);
    assert!(brain.read("labels.nii.gz") == kept);
}

#[test]
fn weights_of_another_tractogram() {
    let brain = brain();
    brain.write("weights.txt", "1\n2\n3\n");
    brain.fail(
        "connectome truth_streamlines.trx --labels labels.nii.gz --weights weights.txt --out out",
        1,
        "error: weights.txt: there are 3 weights, but at least 150 streamlines; give one weight per \
         streamline",
    );
    brain.write("weights.txt", "1\n".repeat(200));
    brain.fail(
        "connectome truth_streamlines.trx --labels labels.nii.gz --weights weights.txt --out out",
        1,
        "error: weights.txt: there are 200 weights, but 150 streamlines; give one weight per streamline",
    );
}

#[test]
fn invalid_options() {
    let brain = brain();
    let life = "evaluate life truth_streamlines.trx --dwi dwi.nii.gz --out out";
    for (eigenvalues, shown) in
        [("0,0,0", "0,0,0"), ("1,0.5,0.2", "1,0.5,0.2"), ("1,2,2", "1,2,2"), ("nan,0,0", "NaN,0,0")]
    {
        brain.fail(
            &format!("{life} --eigenvalues {eigenvalues}"),
            2,
            &format!(
                "error: --eigenvalues: {shown} µm²/ms are not possible eigenvalues of a fascicle's \
                 tensor; give λ₁ ≥ λ₂ = λ₃ ≥ 0, such as 1,0,0 or 1.7,0.3,0.3"
            ),
        );
    }
    for (eigenvalues, word) in [("a,b,c", "a"), ("1,x,0", "x"), ("1,x,0,0", "x"), ("1,,0", "")] {
        brain.fail(
            &format!("{life} --eigenvalues {eigenvalues}"),
            2,
            &format!(
                "error: --eigenvalues {eigenvalues}: `{word}` is not a number; see `arcuate evaluate life --help`"
            ),
        );
    }
    for eigenvalues in ["1,2", "1,2,3,4"] {
        brain.fail(
            &format!("{life} --eigenvalues {eigenvalues}"),
            2,
            &format!(
                "error: --eigenvalues {eigenvalues}: expected three numbers such as 1.7,0.3,0.3; see `arcuate evaluate life --help`"
            ),
        );
    }
    brain.fail(
        &format!("{life} --tolerance 2"),
        2,
        "error: --tolerance: 2 is not a fraction; give a number of at least 0 and below 1",
    );
    for l1 in ["1", "-0.1"] {
        brain.fail(
            &format!("{life} --regularise lasso --lambda={l1}"),
            2,
            &format!("error: --lambda: {l1} is not a fraction; give a number of at least 0 and below 1"),
        );
    }
    brain.fail(
        &format!("{life} --regularise lasso --lambda=NaN"),
        2,
        "error: --lambda: `NaN` is not a finite number; give a finite number, or leave the option out",
    );
    brain.fail(
        &format!("{life} --orientations 3"),
        2,
        "error: --orientations: 3 orientations are not possible for a dictionary; give 6 to 65536",
    );
    brain.fail(
        &format!("{life} --lesion nothing"),
        2,
        "error: --lesion nothing: no group or file has this name; give a text file of streamline numbers, \
         or one of the groups arcuate_left, arcuate_right, callosum_body, cingulum_left, cingulum_right, \
         corticospinal_left, \
         corticospinal_right, forceps_major, forceps_minor, inferior_fronto_occipital_left, \
         inferior_fronto_occipital_right, inferior_longitudinal_left, inferior_longitudinal_right, short_parietal_left, \
         short_parietal_right",
    );
    brain.write("numbers.txt", "1 2 three");
    brain.fail(
        &format!("{life} --lesion numbers.txt"),
        1,
        "error: numbers.txt: `three` is not a streamline number; count from 0",
    );
    brain.write("directions.txt", "1 0 0\n0 1\n");
    brain.fail(
        &format!("{life} --orientations directions.txt"),
        1,
        "error: directions.txt: line 2 has 2 numbers, not three; each line must be a direction, x y z in \
         scanner axes",
    );
    brain.fail(
        "connectome truth_streamlines.trx --labels labels.nii.gz --assignment-radius 0 --out out",
        2,
        "error: --assignment-radius: 0 mm is not a search radius; give a radius above 0 mm, or choose the \
         assignment by end voxels",
    );
    for threads in ["0", "5000"] {
        brain.fail(
            &format!("devices --threads {threads}"),
            2,
            &format!("error: --threads: {threads} is not a possible number of threads; give 1 to 4096"),
        );
    }
}

#[test]
fn invalid_seed_points() {
    let brain = brain();
    brain.succeed("fit tensor dwi.nii.gz --mask mask.nii.gz --out maps");
    brain.write("points.txt", "# seeds\n1 2 3 junk\n");
    brain.fail(
        "track tensor maps/tensor.nii.gz --seed-points points.txt --out tracks.tck",
        1,
        "error: points.txt: line 2 has `junk`, which is not a number; check that this is the right file",
    );
    brain.write("points.txt", "# seeds\n");
    brain.fail(
        "track tensor maps/tensor.nii.gz --seed-points points.txt --out tracks.tck",
        1,
        "error: points.txt: it holds no point; give x y z in RAS mm, a point a line",
    );
}

/// A wrong option is reported before any work: no file is written, not even the mask of the first stage.
#[test]
fn tracking_options_are_checked_before_the_first_stage() {
    let brain = brain();
    brain.fail(
        "run dwi.nii.gz --select 0 --out out",
        2,
        "error: --select: 0 streamlines are wanted; give 1 or more",
    );
    for (option, message) in [
        ("step = 0", "--step: 0 is not a length above 0 mm; give a length above 0 mm"),
        ("cutoff = 2", "--cutoff: 2 is not a number from 0 to 1; give a number from 0 to 1"),
        (
            "angle = -5",
            "--angle: -5 is not an angle above 0 and up to 90 degrees; give an angle above 0 and up to \
             90 degrees",
        ),
        (
            "max-length = 5",
            "--max-length: the maximum length of 5 mm is smaller than the minimum length of 20 mm; raise \
             --max-length or lower --min-length",
        ),
    ] {
        brain.write("recipe.toml", format!("[track.tensor]\n{option}\n"));
        let expected = format!("error: recipe.toml, line 2: {message}");
        brain.fail("run dwi.nii.gz --recipe recipe.toml --out out", 2, &expected);
    }
}

/// If nobody reads the output, the command still finishes its work, without a message or a panic.
#[cfg(unix)]
#[test]
fn closed_output_pipes() {
    let brain = brain();
    for arguments in ["info dwi.nii.gz", "completions bash", "convert dwi.nii.gz dwi.mif"] {
        let output = std::process::Command::new("sh")
            .arg("-c")
            // The reader exits before the command starts.
            .arg("{ sleep 0.2; \"$0\" \"$@\"; echo $? >&2; } | true")
            .arg(assert_cmd::cargo::cargo_bin("arcuate"))
            .args(arguments.split_whitespace())
            .current_dir(brain.path(""))
            .output()
            .expect("a shell");
        let result = String::from_utf8_lossy(&output.stderr);
        let result: Vec<&str> =
            result.lines().filter(|line| !line.starts_with("arcuate convert: ")).collect();
        assert_eq!(result, ["0"], "{arguments}");
    }
    assert!(brain.path("dwi.mif").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn unwritable_standard_output() {
    let brain = brain();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = std::process::Command::new(assert_cmd::cargo::cargo_bin("arcuate"))
        .args(["info", "dwi.nii.gz"])
        .current_dir(brain.path(""))
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "error: standard output: the disk is full; free some space or choose another output folder\n"
    );
    assert_eq!(output.status.code(), Some(1));
}

/// Inputs and outputs can have names that are not UTF-8.
#[cfg(target_os = "linux")]
#[test]
fn file_names_that_are_not_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let brain = brain();
    let name = |bytes: &[u8]| std::ffi::OsStr::from_bytes(bytes).to_owned();
    for ending in [".nii.gz", ".bval", ".bvec"] {
        let renamed = name(&[b"d\xffi", ending.as_bytes()].concat());
        std::fs::copy(brain.path(&format!("dwi{ending}")), brain.path("").join(renamed)).unwrap();
    }
    let out = name(b"out\xff");
    let output = std::process::Command::new(assert_cmd::cargo::cargo_bin("arcuate"))
        .arg("run")
        .arg(name(b"d\xffi.nii.gz"))
        .args(["--mask", "mask.nii.gz", "--quiet", "--select", "200", "--out"])
        .arg(&out)
        .current_dir(brain.path(""))
        .output()
        .unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
    let record = std::fs::read_to_string(brain.path("").join(&out).join("arcuate.json")).unwrap();
    assert!(record.contains("d\u{fffd}i.bvec") && record.contains("out\u{fffd}"), "{record}");
    assert!(brain.path("").join(&out).join("report.html").exists());
}

#[test]
fn unreadable_records() {
    let brain = brain();
    brain.fail("report no", 1, "error: no/arcuate.json: no such file; check the path");
    brain.write("arcuate.json", "{\"title\": 3}");
    brain.fail(
        "report .",
        1,
        "error: ./arcuate.json: it is not the record of a command (invalid type: integer `3`, expected a \
         string at line 1 column 11); \
         run the command again",
    );
    let half = brain.text("arcuate.json");
    brain.write("arcuate.json", &half[..half.len() / 2]);
    let result = brain.run("report .");
    assert_eq!(result.code, 1);
    assert!(
        result.errors.starts_with("error: ./arcuate.json: it is not the record of a command (EOF"),
        "{}",
        result.errors
    );
    assert!(!brain.path("report.html").exists());
}
