//! `density`, `maps`, `edit` and `sample`: results, and errors of invalid inputs.

use crate::common::{Scratch, brain};
use arcuate_core::{Column, Grid, Measure, Scalars, StreamlineSink, Tractogram, Volume};
use arcuate_io::{TractogramOptions, read_weights, write_tractogram};

fn grid(scratch: &Scratch) -> Grid {
    *scratch.volume("mask.nii.gz").grid()
}

/// An image that is 1 in the given voxels.
fn write_region(scratch: &Scratch, name: &str, voxels: &[[usize; 3]]) {
    let grid = grid(scratch);
    let mut volume = Volume::filled(grid, 1, 0.0);
    for &voxel in voxels {
        volume.values_mut()[grid.index(voxel)] = 1.0;
    }
    scratch.write_volume(name, &volume);
}

/// Writes four streamlines along the axes through the voxel (10, 10, 10). The coordinates are in voxel edges from
/// its centre. The file `four.trx` also has data of all kinds.
fn write_four(scratch: &Scratch, name: &str) -> Tractogram {
    let grid = grid(scratch);
    let at = |offset: [f64; 3]| {
        grid.affine().apply(std::array::from_fn(|axis| 10.0 + offset[axis])).map(|c| c as f32)
    };
    let mut four = Tractogram::new();
    four.push(&[at([0.0; 3]), at([3.0, 0.0, 0.0])]);
    four.push(&[at([-1.0, 0.0, 0.0]), at([0.0; 3]), at([1.0, 0.0, 0.0])]);
    four.push(&[at([0.0, -2.0, 0.0]), at([0.0, 2.0, 0.0])]);
    four.push(&[at([0.0; 3])]);
    if name == "four.trx" {
        let column = |values: Vec<f32>| Column::new(1, Scalars::F32(values)).unwrap();
        four.per_point.insert("number".into(), column((0..8u8).map(f32::from).collect()));
        four.per_streamline.insert("twice".into(), column(vec![0.0, 2.0, 4.0, 6.0]));
        four.groups.members.insert("odd".into(), vec![1, 3]);
    }
    write_tractogram(&scratch.path(name), &four, Some(&grid), &TractogramOptions::default()).unwrap();
    four
}

/// The bytes of a result do not depend on the number of threads.
fn same_with_any_threads(scratch: &Scratch, command: &str, out: &str) {
    let bytes = [1, 2, 5].map(|threads| {
        scratch.succeed(&format!("{command} --out {out} --threads {threads} --force"));
        scratch.read(out)
    });
    assert!(bytes[0] == bytes[1] && bytes[0] == bytes[2], "{command}");
}

#[test]
fn density_of_four_streamlines() {
    let brain = brain();
    write_four(&brain, "four.tck");
    brain.write("weights.txt", "1\n0.5\n2\n4\n");
    let voxel = |name: &str, voxel: [usize; 3]| {
        let map = brain.volume(name);
        map.voxel(map.grid().index(voxel)).to_vec()
    };
    let mut n = 0;
    let mut map = |options: &str| {
        n += 1;
        let result = brain.succeed(&format!("density four.tck --like dwi.nii.gz --out {n}.nii.gz {options}"));
        (format!("{n}.nii.gz"), result)
    };
    let (counts, result) = map("");
    assert_eq!(result, "4 streamlines through 9 voxels\n");
    assert_eq!(brain.volume(&counts).channels(), 1);
    assert_eq!(voxel(&counts, [10, 10, 10]), [4.0]);
    assert_eq!(voxel(&counts, [11, 10, 10]), [2.0]);
    assert_eq!(voxel(&counts, [13, 10, 10]), [1.0]);
    assert_eq!(voxel(&map("--weights weights.txt").0, [10, 10, 10]), [7.5]);
    let close = |found: Vec<f32>, expected: &[f64]| {
        assert_eq!(found.len(), expected.len());
        for (a, b) in found.iter().zip(expected) {
            // Single precision of coordinates up to 70 mm.
            assert!((f64::from(*a) - b).abs() < 1e-4, "{found:?} {expected:?}");
        }
    };
    // The lengths in the voxel are half an edge, one edge and one edge. An edge is 5 mm.
    close(voxel(&map("--by-length").0, [10, 10, 10]), &[12.5]);
    // The lengths are 15, 10 and 20 mm. A single point has no length.
    close(voxel(&map("--kind lengths").0, [10, 10, 10]), &[15.0]);
    close(voxel(&map("--kind lengths --weights weights.txt").0, [10, 10, 10]), &[(15.0 + 5.0 + 40.0) / 3.5]);
    let by_length = (2.5 * 15.0 + 5.0 * 10.0 + 5.0 * 20.0) / 12.5;
    close(voxel(&map("--kind lengths --by-length").0, [10, 10, 10]), &[by_length]);
    let norm = 5f64.sqrt();
    close(voxel(&map("--kind directional").0, [10, 10, 10]), &[6.0 / norm, 3.0 / norm, 0.0]);
    same_with_any_threads(
        &brain,
        "density truth_streamlines.trx --like mask.nii.gz --kind directional",
        "d.nii.gz",
    );
}

#[test]
fn density_rejects_invalid_inputs() {
    let brain = brain();
    write_four(&brain, "four.tck");
    brain.write("three.txt", "1\n2\n3\n");
    brain.write("five.txt", "1\n2\n3\n4\n5\n");
    let density = "density four.tck --like mask.nii.gz --out d.nii.gz";
    brain.fail(
        &format!("{density} --weights three.txt"),
        1,
        "error: three.txt: there are 3 weights, but at least 4 streamlines; give one weight per streamline",
    );
    brain.fail(
        &format!("{density} --weights five.txt"),
        1,
        "error: five.txt: there are 5 weights, but 4 streamlines; give one weight per streamline",
    );
    // An error of the tractogram is not reported as an error of the weights.
    let mut damaged = brain.read("four.tck");
    // The last point is followed by a separator and the end mark. Each of them has 12 bytes.
    let point = damaged.len() - 12 * 3;
    damaged[point..point + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    brain.write("damaged.tck", damaged);
    brain.write("four.txt", "1\n2\n3\n4\n");
    for command in [
        "density damaged.tck --like mask.nii.gz --out d.nii.gz",
        "connectome damaged.tck --labels labels.nii.gz --out c",
    ] {
        let result = brain.run(&format!("{command} --weights four.txt"));
        assert!(result.errors.starts_with("error: damaged.tck: "), "{}", result.errors);
    }
    brain.fail(
        "density four.tck --like four.tck --out d.nii.gz",
        2,
        "error: four.tck: the ending of this file name is not an image format; give a file that ends in \
         .nii, .nii.gz, .mif or .mif.gz (.hdr, .mih and .mgz can only be read)",
    );
    brain.fail(
        "density four.tck --like mask.nii.gz --out mask.nii.gz --force",
        2,
        "error: mask.nii.gz: it is an input, and the results would be written over it; choose another --out",
    );
    let mut far = Tractogram::new();
    far.push(&[[900.0; 3], [910.0; 3]]);
    write_tractogram(&brain.path("far.tck"), &far, None, &TractogramOptions::default()).unwrap();
    brain.succeed_with(
        "density far.tck --like mask.nii.gz --out far.nii.gz",
        "warning: no streamline passes a voxel of mask.nii.gz; check that tractogram and image belong \
         together",
    );
}

#[test]
fn maps_agree_with_the_fit() {
    let brain = brain();
    brain.succeed("fit tensor dwi.nii.gz --mask mask.nii.gz --out fit");
    let result = brain.succeed("maps fit/tensor.nii.gz --out maps");
    let inside = brain.volume("mask.nii.gz").values().iter().filter(|&&m| m > 0.0).count();
    assert_eq!(result, format!("maps of {inside} voxels in maps\n"));
    for name in ["fa", "md", "ad", "rd", "eigenvalues", "eigenvectors", "colour_fa"] {
        let name = format!("{name}.nii.gz");
        assert!(brain.volume(&format!("fit/{name}")) == brain.volume(&format!("maps/{name}")), "{name}");
    }
    let vectors = brain.volume("maps/eigenvectors.nii.gz");
    let direction = brain.volume("maps/principal_direction.nii.gz");
    assert_eq!(direction.channels(), 3);
    for voxel in 0..vectors.grid().len() {
        assert_eq!(direction.voxel(voxel), &vectors.voxel(voxel)[..3]);
    }
    let westin = ["linearity", "planarity", "sphericity"].map(|n| brain.volume(&format!("maps/{n}.nii.gz")));
    let mode = brain.volume("maps/mode.nii.gz");
    for (voxel, &fa) in brain.volume("maps/fa.nii.gz").values().iter().enumerate() {
        let sum: f32 = westin.iter().map(|map| map.values()[voxel]).sum();
        // Three roundings to single precision.
        assert!((sum - if fa == 0.0 { 0.0 } else { 1.0 }).abs() < 1e-5, "{sum}");
        assert!(mode.values()[voxel].abs() <= 1.0);
    }
    brain.succeed("maps fit/tensor.nii.gz --mask white_matter.nii.gz --out white");
    let white = brain.volume("white_matter.nii.gz");
    let (all, within) = (brain.volume("maps/fa.nii.gz"), brain.volume("white/fa.nii.gz"));
    for (voxel, &inside) in white.values().iter().enumerate() {
        let expected = if inside > 0.5 { all.values()[voxel] } else { 0.0 };
        assert_eq!(within.values()[voxel], expected);
    }
    assert!(brain.listing("maps").contains(&"arcuate.json".to_owned()));
}

#[test]
fn tensors_of_other_programs_are_read() {
    let brain = brain();
    brain.succeed("fit tensor dwi.nii.gz --mask mask.nii.gz --out fit");
    let tensor = brain.volume("fit/tensor.nii.gz");
    // The image's axes point right, front and up, where FSL's x points left.
    assert!(tensor.grid().affine().determinant() > 0.0);
    let stored = |order: [usize; 6], signs: [f32; 6]| {
        let voxels = tensor.values().chunks_exact(6);
        let values =
            voxels.flat_map(|d| std::array::from_fn::<f32, 6, _>(|n| signs[n] * d[order[n]])).collect();
        Volume::new(*tensor.grid(), 6, values).unwrap()
    };
    // Arcuate's order is D11 D22 D33 D12 D13 D23.
    let fsl = stored([0, 3, 4, 1, 5, 2], [1.0, -1.0, -1.0, 1.0, 1.0, 1.0]);
    let dipy = stored([0, 3, 1, 4, 5, 2], [1.0, -1.0, 1.0, -1.0, 1.0, 1.0]);
    brain.write_volume("fsl.nii.gz", &fsl);
    brain.write_volume("dipy.nii.gz", &dipy);
    brain.succeed("maps fit/tensor.nii.gz --out arcuate");
    brain.succeed("track tensor fit/tensor.nii.gz --select 50 --out arcuate.tck");
    brain.succeed("maps fit/tensor.nii.gz --tensor-order mrtrix --out mrtrix");
    for program in ["fsl", "dipy"] {
        brain.succeed(&format!("maps {program}.nii.gz --tensor-order {program} --out {program}"));
        brain.succeed(&format!(
            "track tensor {program}.nii.gz --tensor-order {program} --select 50 --out {program}.tck"
        ));
        assert!(brain.tractogram(&format!("{program}.tck")) == brain.tractogram("arcuate.tck"));
        let result = brain.run(&format!("maps {program}.nii.gz --out wrong_{program}"));
        assert_eq!(result.code, 0);
        let (before, after) =
            result.errors.split_once(" % of the tensors in this image ").expect("a warning");
        assert_eq!(before.trim_end_matches(char::is_numeric), format!("warning: {program}.nii.gz: "));
        assert_eq!(after, "have a negative eigenvalue; check --tensor-order\n");
        assert!(
            brain
                .run(&format!("track tensor {program}.nii.gz --select 5 --out w.tck --force"))
                .errors
                .contains(after)
        );
    }
    for program in ["mrtrix", "fsl", "dipy"] {
        for name in ["fa.nii.gz", "principal_direction.nii.gz"] {
            let (ours, theirs) =
                (brain.read(&format!("arcuate/{name}")), brain.read(&format!("{program}/{name}")));
            assert!(ours == theirs, "{program} {name}");
        }
    }
    brain.fail(
        "maps mask.nii.gz --out out",
        1,
        "error: mask.nii.gz: a tensor image has 6 volumes, not 1; make a tensor image with `arcuate fit \
         tensor`",
    );
}

#[test]
fn edit_keeps_data_and_groups() {
    let brain = brain();
    let four = write_four(&brain, "four.trx");
    write_region(&brain, "beside.nii.gz", &[[11, 10, 10]]);
    write_region(&brain, "above.nii.gz", &[[10, 11, 10]]);
    let kept = |options: &str| {
        let result = brain.succeed(&format!("edit four.trx --out kept.trx --force {options}"));
        let kept = brain.tractogram("kept.trx");
        assert_eq!(result, format!("{} of 4 streamlines kept\n", kept.len()));
        kept
    };
    assert_eq!(kept("--waypoints beside.nii.gz"), four.select(&[0, 1]));
    assert_eq!(kept("--waypoints beside.nii.gz --region-test points"), four.select(&[1]));
    assert_eq!(kept("--avoid above.nii.gz --region-test ends"), four);
    assert_eq!(kept("--avoid beside.nii.gz"), four.select(&[2, 3]));
    assert_eq!(kept("--avoid beside.nii.gz --avoid above.nii.gz"), four.select(&[3]));
    assert_eq!(kept("--min-length 12 --max-length 17"), four.select(&[0]));
    assert_eq!(kept("--skip 1 --select 2"), four.select(&[1, 2]));
    let odd = kept("--skip 1");
    assert_eq!(odd.groups.members["odd"], [0, 2]);
    assert_eq!(odd.per_streamline["twice"].values().to_f64(), [2.0, 4.0, 6.0]);
    assert_eq!(odd.per_point["number"].values().to_f64(), [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    brain.write("weights.txt", "1\n0.5\n0.25\n4\n");
    assert_eq!(
        kept("--weights weights.txt --min-weight 0.25 --max-weight 1 --weights-out kept.txt"),
        four.select(&[0, 1, 2])
    );
    assert_eq!(read_weights(&brain.path("kept.txt")).unwrap(), [1.0, 0.5, 0.25]);
    same_with_any_threads(
        &brain,
        "edit truth_streamlines.trx --waypoints white_matter.nii.gz --min-length 50",
        "kept.trx",
    );
}

#[test]
fn edit_applies_regions_like_tracking() {
    let brain = brain();
    let four = write_four(&brain, "four.trx");
    for (name, voxel) in
        [("left", [9, 10, 10]), ("middle", [10, 10, 10]), ("beside", [11, 10, 10]), ("above", [10, 11, 10])]
    {
        write_region(&brain, &format!("{name}.nii.gz"), &[voxel]);
    }
    let edited = |options: &str, result: &str| {
        assert_eq!(brain.succeed(&format!("edit four.trx --out kept.trx --force {options}")), result);
        brain.tractogram("kept.trx")
    };
    let kept = |options: &str, which: &[usize]| {
        let kept = edited(options, &format!("{} of 4 streamlines kept\n", which.len()));
        assert_eq!(kept, four.select(which), "{options}");
    };
    // Regions can be separated by commas or given by repeated options. Streamlines must pass all regions, or any of
    // them.
    kept("--waypoints left.nii.gz,beside.nii.gz", &[1]);
    kept("--waypoints left.nii.gz --waypoints beside.nii.gz", &[1]);
    kept("--waypoints beside.nii.gz,above.nii.gz --waypoint-condition any", &[0, 1, 2]);
    kept("--avoid beside.nii.gz,above.nii.gz", &[3]);
    let order = "--waypoints-in-order --waypoints";
    kept(&format!("{order} left.nii.gz,middle.nii.gz,beside.nii.gz"), &[1]);
    kept(&format!("{order} beside.nii.gz,middle.nii.gz,left.nii.gz"), &[1]);
    let none = "warning: no streamline matches all options; kept.trx is empty";
    brain.succeed_with(
        &format!("edit four.trx --out kept.trx --force {order} middle.nii.gz,left.nii.gz,beside.nii.gz"),
        none,
    );
    // A streamline is cut at its first point in the region. Its start is not tested. Points after the cut are
    // ignored.
    let cut = edited("--stop middle.nii.gz", "4 of 4 streamlines kept; 1 cut\n");
    assert_eq!(cut.offsets(), [0, 2, 4, 6, 7]);
    assert_eq!(cut.per_point["number"].values().to_f64(), [0.0, 1.0, 2.0, 3.0, 5.0, 6.0, 7.0]);
    let line = "edit four.trx --out kept.trx --force --stop middle.nii.gz --waypoints beside.nii.gz --region-test points";
    brain.succeed_with(line, none);
    let cut = edited("--stop-on-exit middle.nii.gz --select 2", "2 of 4 streamlines kept; 1 cut\n");
    assert_eq!(cut.offsets(), [0, 2, 4]);
    // Each target becomes a group.
    let result = "3 of 4 streamlines kept\n2 of them meet beside\n1 of them meet above\n";
    let reached = edited("--targets beside.nii.gz,above.nii.gz --min-length 1", result);
    let members = &reached.groups.members;
    assert_eq!((&members["beside"], &members["above"], &members["odd"]), (&vec![0, 1], &vec![2], &vec![1]));
    let options = "--targets beside.nii.gz --waypoints middle.nii.gz --stop left.nii.gz";
    brain.succeed_with(
        &format!("edit four.trx --out kept.tck {options}"),
        "warning: kept.tck: a .tck stores only positions, so these data are not written: number, odd, twice \
         (write .trx to keep them)",
    );
    write_region(&brain, "odd.nii.gz", &[[10, 10, 10]]);
    for (options, code, message) in [
        (
            "--targets odd.nii.gz",
            1,
            "four.trx: the tractogram already has a group with the name of the target `odd`; give the \
             target's file another name",
        ),
        (
            "--targets odd.nii.gz,./odd.nii.gz",
            2,
            "--targets: two targets are called `odd`; give the files different names",
        ),
        (
            "--waypoint-condition any",
            2,
            "--waypoint-condition: there are no waypoints; give --waypoints, or remove it",
        ),
        (
            "--waypoints-in-order",
            2,
            "--waypoints-in-order: there are no waypoints; give --waypoints, or remove it",
        ),
    ] {
        brain.fail(&format!("edit four.trx --out no.trx {options}"), code, &format!("error: {message}"));
    }
}

#[test]
fn edit_joins_tractograms() {
    let brain = brain();
    let four = write_four(&brain, "four.trx");
    let plain = write_four(&brain, "four.tck");
    brain.write("weights.txt", "1\n2\n3\n4\n5\n6\n7\n8\n");
    let result = brain.succeed(
        "edit four.trx four.trx --out eight.trx --weights weights.txt --min-weight 3 --max-weight 6",
    );
    assert_eq!(result, "4 of 8 streamlines kept\n");
    let joined = brain.tractogram("eight.trx");
    let mut expected = four.select(&[2, 3]);
    expected.take(four.select(&[0, 1]).as_batch()).unwrap();
    expected.groups.members.insert("odd".into(), vec![1, 3]);
    assert_eq!(joined, expected);
    brain.succeed_with(
        "edit four.tck four.trx --out mixed.trx",
        "warning: mixed.trx: not all inputs have the same: dropped: number, twice",
    );
    assert_eq!(brain.tractogram("mixed.trx").groups.members["odd"], [5, 7]);
    brain.succeed("edit four.tck four.tck --out two.tck --select 6");
    let two = brain.tractogram("two.tck");
    assert_eq!((two.len(), two.streamline(5)), (6, plain.streamline(1)));
    brain.succeed_with(
        "edit four.trx --out four_again.tck",
        "warning: four_again.tck: a .tck stores only positions, so these data are not written: number, odd, \
         twice (write .trx to keep them)",
    );
    assert_eq!(brain.tractogram("four_again.tck"), plain);
    brain.succeed("edit four.tck --out referred.trx --reference mask.nii.gz");
    assert_eq!(brain.tractogram("referred.trx"), plain);
    brain.succeed_with(
        "edit four.tck --min-length 500 --out none.tck",
        "warning: no streamline matches all options; none.tck is empty",
    );
    assert!(brain.tractogram("none.tck").is_empty());
}

#[test]
fn edit_rejects_invalid_options_and_options_without_effect() {
    let brain = brain();
    write_four(&brain, "four.tck");
    write_region(&brain, "empty.nii.gz", &[]);
    brain.write("three.txt", "1\n2\n3\n");
    for (options, code, message) in [
        (
            "--region-test ends",
            2,
            "--region-test: there is no region to meet; give one with --waypoints, --avoid or --targets",
        ),
        (
            "--weights three.txt",
            2,
            "--weights: the weights have no effect; give --min-weight, --max-weight or --weights-out, or \
             remove --weights",
        ),
        (
            "--reference mask.nii.gz",
            2,
            "--reference: a .tck does not store the image of its space; remove this option, or write .trk or \
             .trx",
        ),
        (
            "--weights three.txt --weights-out out.tck",
            2,
            "out.tck: two results of this command would have this name; give each of them another",
        ),
        (
            "--min-length 9 --max-length 3",
            2,
            "--max-length: the maximum 3 is smaller than the minimum 9 of --min-length; exchange the two",
        ),
        ("--select 0", 2, "--select: 0 streamlines are none; give 1 or more"),
        (
            "--waypoints empty.nii.gz",
            1,
            "empty.nii.gz: no voxel is inside; give a mask with voxels above 0.5",
        ),
        (
            "--weights three.txt --min-weight 1",
            1,
            "three.txt: there are 3 weights, but at least 4 streamlines; give one weight per streamline",
        ),
        ("--waypoints no.nii.gz", 1, "no.nii.gz: no such file; check the path"),
    ] {
        brain.fail(&format!("edit four.tck --out out.tck {options}"), code, &format!("error: {message}"));
    }
    brain.write("five.txt", "1\n2\n3\n4\n5\n");
    brain.fail(
        "edit four.tck --out out.tck --weights five.txt --min-weight 1",
        1,
        "error: five.txt: there are 5 weights, but 4 streamlines; give one weight per streamline",
    );
    brain.fail(
        "edit four.tck --out out.trx",
        2,
        "error: out.trx: this tractogram format stores the image space of the streamlines, which is not \
         known; give an image in the space of the streamlines with --reference, or write .tck",
    );
    brain.fail(
        "edit four.tck --out four.tck --force",
        2,
        "error: four.tck: it is an input, and the results would be written over it; choose another --out",
    );
    let result = brain.run("edit four.tck --out out.tck --min-weight 3");
    assert_eq!(result.code, 2);
    assert!(result.errors.contains("--weights <FILE>"), "{}", result.errors);
}

/// An image whose value is the voxel's first index.
fn write_slope(scratch: &Scratch, name: &str) {
    let grid = grid(scratch);
    let values = (0..grid.len()).map(|voxel| grid.coordinates(voxel)[0] as f32).collect();
    scratch.write_volume(name, &Volume::new(grid, 1, values).unwrap());
}

#[test]
fn samples_of_four_streamlines() {
    let brain = brain();
    write_four(&brain, "four.tck");
    let four = write_four(&brain, "four.trx");
    write_slope(&brain, "slope.nii.gz");
    assert_eq!(brain.succeed("sample four.tck slope.nii.gz --out points.txt"), "8 points of 4 streamlines\n");
    // Points have single precision, so values differ in the last digits.
    let numbers = |name: &str, separator: char| -> Vec<Vec<f32>> {
        let text = brain.text(name);
        let rows = text.lines().map(|line| line.split(separator).map(|word| word.parse::<f32>().unwrap()));
        rows.map(|row| row.map(|value| (1e4 * value).round() / 1e4).collect()).collect()
    };
    let expected: [&[f32]; 4] = [&[10.0, 13.0], &[9.0, 10.0, 11.0], &[10.0, 10.0], &[10.0]];
    assert_eq!(numbers("points.txt", ' '), expected);
    brain.succeed("sample four.tck slope.nii.gz --out points.csv --nearest");
    assert_eq!(brain.text("points.csv"), "10,13\n9,10,11\n10,10\n10\n");
    brain.succeed("sample four.tck slope.nii.gz --out mean.txt --statistic mean --nearest");
    assert_eq!(brain.text("mean.txt"), "11.5\n10\n10\n10\n");
    for (statistic, expected) in
        [("median", "11.5\n10\n10\n10\n"), ("min", "10\n9\n10\n10\n"), ("max", "13\n11\n10\n10\n")]
    {
        brain.succeed(&format!(
            "sample four.tck slope.nii.gz --out s.txt --statistic {statistic} --nearest --force"
        ));
        assert_eq!(brain.text("s.txt"), expected);
    }
    brain.succeed("sample four.trx slope.nii.gz --out valued.trx --nearest");
    let mut valued = brain.tractogram("valued.trx");
    let slope = valued.per_point.remove("slope").unwrap();
    assert_eq!(slope.values().to_f64(), [10.0, 13.0, 9.0, 10.0, 11.0, 10.0, 10.0, 10.0]);
    assert_eq!(valued, four);
    brain.succeed("sample four.tck slope.nii.gz --out valued.trk --nearest --statistic max --name largest");
    let valued = brain.tractogram("valued.trk");
    assert_eq!(valued.per_streamline["largest"].values().to_f64(), [13.0, 11.0, 10.0, 10.0]);
    same_with_any_threads(&brain, "sample truth_streamlines.trx slope.nii.gz", "s.txt");
    same_with_any_threads(&brain, "sample truth_streamlines.trx slope.nii.gz --statistic mean", "s.csv");
}

#[test]
fn sample_reports_outside_points_and_rejects_invalid_inputs() {
    let brain = brain();
    write_slope(&brain, "slope.nii.gz");
    let mut far = Tractogram::new();
    far.push(&[[0.0; 3], [900.0, 0.0, 0.0]]);
    far.push(&[]);
    write_tractogram(&brain.path("far.tck"), &far, None, &TractogramOptions::default()).unwrap();
    let warning = "warning: 1 of 2 streamline points are outside slope.nii.gz and get the value 0";
    brain.succeed_with("sample far.tck slope.nii.gz --out far.txt --nearest", warning);
    assert_eq!(brain.text("far.txt"), "12 0\n\n");
    brain.succeed_with("sample far.tck slope.nii.gz --out mean.txt --nearest --statistic min", warning);
    assert_eq!(brain.text("mean.txt"), "0\nNaN\n");
    write_four(&brain, "four.trx");
    for (command, code, message) in [
        (
            "sample far.tck slope.nii.gz --out far.nii.gz",
            2,
            "far.nii.gz: the ending of this file name is not a format that can store the values; use .txt, \
             .csv, .trx, .trk or .trk.gz",
        ),
        (
            "sample far.tck slope.nii.gz --out new.txt --name slope",
            2,
            "--name: values in a text file have no name; remove --name, or write a .trx file",
        ),
        (
            "sample far.tck dwi.nii.gz --out new.txt",
            1,
            "dwi.nii.gz: the image has 14 values per voxel; give a 3-D image",
        ),
        (
            "sample four.trx slope.nii.gz --name number --out new.trx",
            2,
            "four.trx: the tractogram already has values with the name `number`; choose another --name",
        ),
        (
            "sample four.trx slope.nii.gz --out four.trx --force",
            2,
            "four.trx: it is an input, and the results would be written over it; choose another --out",
        ),
    ] {
        brain.fail(command, code, &format!("error: {message}"));
    }
}

#[test]
fn streamlines_within_one_region_are_not_connections() {
    let scratch = brain();
    let grid = grid(&scratch);
    let mut labels = Volume::filled(grid, 1, 0.0);
    let at = |voxel: [usize; 3]| grid.centre(grid.index(voxel)).map(|c| c as f32);
    let (a, b, nowhere) = ([3, 4, 5], [9, 4, 5], [3, 9, 9]);
    labels.values_mut()[grid.index(a)] = 1.0;
    labels.values_mut()[grid.index(b)] = 2.0;
    scratch.write_volume("two.nii.gz", &labels);
    let write = |name: &str, ends: &[[[usize; 3]; 2]]| {
        let mut streamlines = Tractogram::new();
        for &[from, to] in ends {
            streamlines.push(&[at(from), at([6, 6, 6]), at(to)]);
        }
        write_tractogram(&scratch.path(name), &streamlines, None, &TractogramOptions::default()).unwrap();
    };
    write("all.tck", &[[a, b], [b, a], [a, a], [b, b], [a, a], [a, nowhere]]);
    let result = scratch.succeed("connectome all.tck --labels two.nii.gz --out all");
    assert_eq!(result, "2 of 6 streamlines join two of 2 regions; 3 have both ends in one\n");
    assert_eq!(scratch.text("all/connectome_counts.csv"), "2,2\n2,1\n");
    let record: serde_json::Value = scratch.json("all/arcuate.json");
    let figure = |name: &str| record["figures"][name]["value"].as_u64().unwrap();
    assert_eq!(figure("streamlines that join two regions"), 2);
    assert_eq!(figure("streamlines with both ends in one region"), 3);
    // Sparse matrices have one file for each measure.
    let result = scratch.succeed("connectome all.tck --labels two.nii.gz --out new/m.npz");
    assert_eq!(result, "2 of 6 streamlines join two of 2 regions; 3 have both ends in one\n");
    let mut names: Vec<String> = std::fs::read_dir(scratch.path("new"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let expected = [
        "m.npz.json",
        "m_assignments.txt",
        "m_counts.npz",
        "m_lengths.npz",
        "m_regions.tsv",
        "m_weights.npz",
    ];
    assert_eq!(names, expected);
    let rows = arcuate_io::read_axis_tsv(&scratch.path("new/m_regions.tsv")).unwrap();
    assert_eq!(rows.numbers(), [1, 2]);
    let counts = arcuate_io::read_matrix_npz(&scratch.path("new/m_counts.npz"), rows, None, Measure::Count);
    assert_eq!(counts.unwrap().values(&Measure::Count), Some(&[2.0, 2.0, 1.0][..]));
    assert_eq!(scratch.text("new/m_assignments.txt"), scratch.text("all/connectome_assignments.txt"));
    scratch.fail(
        "connectome all.tck --labels two.nii.gz --out new/m.npz",
        2,
        "error: new/m_counts.npz: it is there already; choose another name, or give --force to replace the \
         existing file",
    );
    write("within.tck", &[[a, a], [a, nowhere]]);
    scratch.succeed_with(
        "connectome within.tck --labels two.nii.gz --out within",
        "warning: no streamline connects two regions; 1 of 2 streamlines have both ends in one region; \
         check the parcellation and the lengths of the streamlines",
    );
}
