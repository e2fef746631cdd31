//! `track geodesic`: results, and errors for invalid inputs.

use crate::common::{Files, Scratch, small_brain};
use arcuate_core::{Affine, Grid, Tractogram, Volume};
use arcuate_io::read_tractogram_grid;
use serde_json::Value;

/// A tensor in mm²/s, in the order D11 D22 D33 D12 D13 D23.
const ALONG_X: [f32; 6] = [1.7e-3, 0.3e-3, 0.3e-3, 0.0, 0.0, 0.0];

/// A grid of 20 × 8 × 8 voxels with these sizes in mm.
fn grid(sizes: [f64; 3]) -> Grid {
    Grid::new([20, 8, 8], Affine::scaling(sizes, [-20.0, -8.0, -8.0])).unwrap()
}

/// A field of tensors along x. The masks a, b and c have four voxels at x = 2, 17 and 0, in the middle of y
/// and z.
fn field_of(sizes: [f64; 3]) -> Scratch {
    let scratch = Scratch::new();
    let grid = grid(sizes);
    let tensor = Volume::new(grid, 6, ALONG_X.repeat(grid.len())).unwrap();
    scratch.write_volume("tensor.nii.gz", &tensor);
    for (name, column) in [("a.nii.gz", 2), ("b.nii.gz", 17), ("c.nii.gz", 0)] {
        let mut mask = Volume::filled(grid, 1, 0.0);
        for (y, z) in [(3, 3), (4, 3), (3, 4), (4, 4)] {
            mask.values_mut()[grid.index([column, y, z])] = 1.0;
        }
        scratch.write_volume(name, &mask);
    }
    scratch
}

fn field() -> Scratch {
    field_of([2.0; 3])
}

fn record(scratch: &Scratch, folder: &str) -> Value {
    scratch.json(&format!("{folder}/arcuate.json"))
}

/// The rows of a table with two columns: a name and a number.
fn counts(record: &Value, title: &str) -> Vec<(String, u64)> {
    let tables = record["tables"].as_array().unwrap();
    let table = tables.iter().find(|table| table["title"] == title).unwrap_or_else(|| panic!("{title}"));
    let rows = table["rows"].as_array().unwrap().iter();
    rows.map(|row| (row[0].as_str().unwrap().to_owned(), row[1].as_u64().unwrap())).collect()
}

/// The files without the record, which contains times.
fn untimed(files: Files) -> Files {
    files.into_iter().filter(|(name, _)| name != "arcuate.json").collect()
}

/// Connects a and b with initial directions in a cone about the principal direction. Few directions of the
/// whole sphere would reach the four voxels 30 mm away.
const CONNECT: &str = "track geodesic tensor.nii.gz --seed-mask a.nii.gz --targets b.nii.gz --initial-directions cone --cone 10 \
                       --per-seed 400";

#[test]
fn two_regions_of_a_uniform_field_are_connected_by_straight_lines() {
    let scratch = field();
    let result = scratch.succeed(&format!("{CONNECT} --best 20 --out out"));
    assert!(
        result.starts_with("b: ") && result.contains(", 20 kept, connectivity measure up to "),
        "{result}"
    );
    assert_eq!(scratch.listing("out"), ["arcuate.json", "connections.tsv", "streamlines.trx"]);
    assert!(
        read_tractogram_grid(&scratch.path("out/streamlines.trx")).unwrap().unwrap().matches(&grid([2.0; 3]))
    );
    let found = scratch.tractogram("out/streamlines.trx");
    assert_eq!(found.groups.members["b"], (0..20).collect::<Vec<u32>>());
    let of = |name: &str| found.per_streamline[name].values().to_f64();
    let (cm, length, drift) = (of("cm"), of("length"), of("drift"));
    assert!(cm.is_sorted_by(|a, b| a >= b), "strongest first: {cm:?}");
    assert_eq!(found.per_point["cm"].rows(), found.positions().len());
    // A straight line along x has the measure √(D11 / mean diffusivity) = √(1.7 / 0.7667). No connection is
    // stronger.
    let maximum = (1.7f64 / (2.3 / 3.0)).sqrt();
    assert!(
        (cm[0] - maximum).abs() < 0.02 && cm.iter().all(|&cm| cm <= maximum + 1e-3),
        "{cm:?} of {maximum}"
    );
    for (n, streamline) in found.iter().enumerate() {
        let (first, last) = (streamline[0], streamline[streamline.len() - 1]);
        let chord = (0..3).map(|axis| f64::from(last[axis] - first[axis]).powi(2)).sum::<f64>().sqrt();
        // In a uniform field geodesics are straight; positions are single precision.
        assert!((found.length(n) - chord).abs() < 1e-3 * chord && (length[n] - chord).abs() < 1e-2 * chord);
        assert!(drift[n] < 1e-4, "{}", drift[n]);
        let voxel = grid([2.0; 3]).voxel_at(last.map(f64::from)).expect("inside");
        assert_eq!(grid([2.0; 3]).coordinates(voxel)[0], 17, "cut where the target begins");
    }
    let table = scratch.text("out/connections.tsv");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows[0], ["rank", "target", "cm", "length_mm", "drift"]);
    assert_eq!(rows.len(), 21);
    for (n, row) in rows[1..].iter().enumerate() {
        assert_eq!((row[0], row[1]), ((n + 1).to_string().as_str(), "b"));
        assert_eq!(f64::from(row[2].parse::<f32>().unwrap()), cm[n]);
    }
    let record = record(&scratch, "out");
    assert_eq!(record["figures"]["targets reached"]["value"], "1 of 1");
    assert_eq!(record["figures"]["streamlines"]["value"], 20);
    let ends: u64 = counts(&record, "Why rays ended").iter().map(|(_, number)| number).sum();
    assert_eq!(ends, 2 * 4 * 400, "both ways of every direction");
    assert_eq!(record["options"]["targets"], serde_json::json!(["b.nii.gz"]));
    // The report has the histogram, and the viewer can colour the streamlines by connectivity.
    scratch.succeed("report out");
    let page = scratch.text("out/report.html");
    assert!(page.contains("Connectivity measure of the streamlines") && page.contains("Why rays ended"));
    assert!(page.contains(r#""quantity":{"atStart":true,"logarithmic":false,"name":"connectivity"}"#));
}

#[test]
fn connections_are_selected_by_rank_threshold_and_voxel() {
    let scratch = field();
    scratch.succeed(&format!("{CONNECT} --targets c.nii.gz --best 3 --out best"));
    let best = scratch.tractogram("best/streamlines.trx");
    assert_eq!((best.groups.members["b"].len(), best.groups.members["c"].len()), (3, 3));
    let measures = |minimum: f64, folder: &str| {
        scratch.succeed(&format!("{CONNECT} --min-connectivity {minimum} --out {folder}"));
        scratch.tractogram(&format!("{folder}/streamlines.trx")).per_streamline["cm"].values().to_f64()
    };
    let (any, strong) = (measures(0.1, "any"), measures(1.47, "strong"));
    assert!(!strong.is_empty() && strong.len() < any.len(), "{any:?}");
    assert_eq!(strong, any[..strong.len()]);
    assert!(strong.iter().all(|&cm| cm >= 1.47) && any[strong.len()] < 1.47, "{any:?}");
    scratch.succeed(&format!("{CONNECT} --one-per-voxel --out each"));
    let each = scratch.tractogram("each/streamlines.trx");
    let grid = grid([2.0; 3]);
    let mut voxels: Vec<usize> = each
        .iter()
        .map(|streamline| grid.voxel_at(streamline[streamline.len() - 1].map(f64::from)).expect("inside"))
        .collect();
    let all = voxels.len();
    voxels.sort_unstable();
    voxels.dedup();
    assert!(all > 0 && voxels.len() == all, "{all} connections to {} voxels", voxels.len());
}

#[test]
fn all_writes_every_ray() {
    let scratch = field();
    let result = scratch.succeed("track geodesic tensor.nii.gz --seed-mask a.nii.gz --all --out out");
    assert!(
        result.starts_with("4 streamlines of ")
            && result.contains(" mm on average (median ")
            && result.ends_with(") from 4 seeds\n"),
        "{result}"
    );
    assert_eq!(scratch.listing("out"), ["arcuate.json", "streamlines.trx"]);
    let rays = scratch.tractogram("out/streamlines.trx");
    assert_eq!((rays.len(), rays.groups.members.len()), (4, 0));
    assert_eq!(rays.per_point["cm"].rows(), rays.positions().len());
    for name in ["cm", "length", "drift"] {
        assert_eq!(rays.per_streamline[name].rows(), 4, "{name}");
    }
    // Each ray runs along x through its seed, from one side of the image to the other.
    for streamline in rays.iter() {
        let (first, last) = (streamline[0], streamline[streamline.len() - 1]);
        assert!((last[0] - first[0]).abs() > 34.0, "{first:?} to {last:?}");
        assert!(streamline.iter().all(|p| (p[1] - first[1]).abs() < 1e-3 && (p[2] - first[2]).abs() < 1e-3));
    }
    let ends = counts(&record(&scratch, "out"), "Why rays ended");
    assert!(ends.contains(&("edge of the image".to_owned(), 8)), "{ends:?}");
    // With --one-way, the number of streamlines is the same, and each streamline starts at its seed.
    scratch.succeed("track geodesic tensor.nii.gz --seed-mask a.nii.gz --all --one-way --out half");
    let half = scratch.tractogram("half/streamlines.trx");
    assert_eq!(half.len(), 4);
    assert!(half.iter().all(|streamline| (streamline[0][0] + 16.0).abs() < 1e-3));
    // If no option gives seeds, every voxel with a high FA is a seed. Other seeds are a grid in a mask,
    // points with a cone of directions, and random positions.
    scratch.succeed("track geodesic tensor.nii.gz --all --max-length 10 --out everywhere");
    assert_eq!(scratch.tractogram("everywhere/streamlines.trx").len(), 20 * 8 * 8);
    scratch.succeed("track geodesic tensor.nii.gz --all --mask b.nii.gz --seed-grid 2 --out inside");
    assert_eq!(scratch.tractogram("inside/streamlines.trx").len(), 4 * 8);
    scratch.write("points.txt", "0 0 0\n2 0 0\n");
    let rays = "--initial-directions cone --per-seed 7 --cone 20 --field trilinear --integrator runge-kutta --precision double";
    scratch
        .succeed(&format!("track geodesic tensor.nii.gz --all --seed-points points.txt {rays} --out cone"));
    assert_eq!(scratch.tractogram("cone/streamlines.trx").len(), 14);
    scratch.succeed("track geodesic tensor.nii.gz --all --seed-mask a.nii.gz --seeds 11 --out random");
    assert_eq!(scratch.tractogram("random/streamlines.trx").len(), 11);
}

#[test]
fn outputs_do_not_depend_on_threads() {
    let scratch = field();
    for (name, options) in [
        ("connections", "--targets b.nii.gz --targets c.nii.gz --per-seed 300"),
        ("rays", "--all --initial-directions sphere --per-seed 50 --seeds 9 --random-seed 4"),
    ] {
        let command = format!("track geodesic tensor.nii.gz --seed-mask a.nii.gz {options}");
        scratch.succeed(&format!("{command} --threads 1 --out {name}_one"));
        scratch.succeed(&format!("{command} --threads 2 --out {name}_two"));
        let [one, two] = ["one", "two"].map(|n| untimed(scratch.files(&format!("{name}_{n}"))));
        assert!(one == two, "{name}");
    }
}

#[test]
fn geodesics_do_not_depend_on_voxel_anisotropy() {
    let scratch = field_of([2.0, 1.0, 3.5]);
    scratch.succeed("track geodesic tensor.nii.gz --seed-mask a.nii.gz --all --out out");
    let rays = scratch.tractogram("out/streamlines.trx");
    assert_eq!(rays.len(), 4);
    for streamline in rays.iter() {
        let first = streamline[0];
        assert!(streamline.iter().all(|p| (p[1] - first[1]).abs() < 1e-3 && (p[2] - first[2]).abs() < 1e-3));
    }
}

#[test]
fn unreached_targets_give_a_warning_with_the_nearest_distance() {
    let scratch = field();
    let command =
        "track geodesic tensor.nii.gz --seed-mask a.nii.gz --targets b.nii.gz --max-length 12 --out out";
    let result = scratch.run(command);
    assert_eq!((result.code, result.output.as_str()), (0, ""), "{}", result.errors);
    assert!(
        result.errors.starts_with(
            "warning: b: no ray (path from a seed in one direction) reaches this target; the nearest ray \
             comes within "
        ) && result.errors.lines().count() == 1,
        "{}",
        result.errors
    );
    let found = scratch.tractogram("out/streamlines.trx");
    assert_eq!(found.groups.members.keys().collect::<Vec<_>>(), ["b (nearest approach)"]);
    assert_eq!(record(&scratch, "out")["figures"]["targets reached"]["value"], "0 of 1");
    assert!(scratch.text("out/connections.tsv").contains("1\tb (nearest approach)\t"));
}

#[test]
fn seeds_outside_the_image_are_reported() {
    let scratch = field();
    scratch.write("outside.txt", "500 0 0\n");
    let command = "track geodesic tensor.nii.gz --seed-points outside.txt";
    for rays in ["--all", "--targets b.nii.gz"] {
        let result = scratch.run(&format!("{command} {rays} --out out"));
        assert_eq!((result.code, result.output.as_str()), (1, ""), "{}", result.errors);
        assert!(result.errors.starts_with("error: ") && result.errors.contains("seed"), "{}", result.errors);
        assert_eq!(result.errors.lines().count(), 1, "{}", result.errors);
        assert!(!scratch.path("out").exists(), "nothing is left behind");
    }
    scratch.write("some.txt", "500 0 0\n0 0 0\n");
    scratch.succeed_with(
        "track geodesic tensor.nii.gz --seed-points some.txt --all --out out",
        "warning: 2 of 4 rays (paths from a seed in one direction) were not followed: their seeds are \
         outside the image or --mask, or have an FA below --cutoff",
    );
}

#[test]
fn nan_tensors_are_reported_and_passed() {
    let scratch = field();
    let grid = grid([2.0; 3]);
    let mut tensor = Volume::new(grid, 6, ALONG_X.repeat(grid.len())).unwrap();
    let there = grid.index([10, 3, 3]) * 6;
    tensor.values_mut()[there..there + 6].fill(f32::NAN);
    scratch.write_volume("nan.nii.gz", &tensor);
    scratch.succeed_with(
        "track geodesic nan.nii.gz --seed-mask a.nii.gz --all --out out",
        "warning: nan.nii.gz: 1 of 1280 tensors have values that are not numbers; these tensors are treated \
         as isotropic",
    );
    let rays = scratch.tractogram("out/streamlines.trx");
    assert_eq!(rays.len(), 4);
    assert!(rays.positions().iter().flatten().all(|c| c.is_finite()));
    let repaired = counts(&record(&scratch, "out"), "Repaired tensors");
    assert!(repaired.contains(&("not a number, now isotropic".to_owned(), 1)), "{repaired:?}");
}

#[test]
fn images_without_tensors_give_one_line_errors() {
    let scratch = field();
    let grid = grid([2.0; 3]);
    scratch.write_volume("five.nii.gz", &Volume::filled(grid, 5, 1e-3));
    let result = scratch.run("track geodesic five.nii.gz --seed-mask a.nii.gz --all --out out");
    assert_eq!(result.code, 1);
    assert!(
        result.errors.starts_with("error: five.nii.gz: ") && result.errors.lines().count() == 1,
        "{}",
        result.errors
    );
    // In FSL's order, off-diagonal elements are at the places of diagonal elements.
    let rows = [1.7e-3, 0.0, 0.0, 0.3e-3, 0.0, 0.3e-3];
    scratch.write_volume("fsl.nii.gz", &Volume::new(grid, 6, rows.repeat(grid.len())).unwrap());
    let result = scratch.run("track geodesic fsl.nii.gz --seed-mask a.nii.gz --all --out wrong");
    assert!(
        result.errors.contains(
            "fsl.nii.gz: 100 % of the tensors in this image have a negative eigenvalue; check --tensor-order"
        ),
        "{}",
        result.errors
    );
    assert!(
        result.errors.contains("1280 of 1280 tensors have an eigenvalue below 0.01 of the mean"),
        "{}",
        result.errors
    );
    // The eigenvalues are so small that sharpening takes them out of the range of single precision.
    scratch.write_volume(
        "flat.nii.gz",
        &Volume::new(grid, 6, [1.7e-3, 3e-4, 1e-6, 0.0, 0.0, 0.0].repeat(grid.len())).unwrap(),
    );
    let result = scratch.run(
        "track geodesic flat.nii.gz --seed-mask a.nii.gz --all --sharpen 20 --sharpen-side above --out stuck",
    );
    assert!(
        result.errors.contains(
            "warning: flat.nii.gz: 8 of 8 rays (paths from a seed in one direction) stopped because no step \
             was possible; "
        ),
        "{}",
        result.errors
    );
    let other = Grid::new([20, 8, 9], *grid.affine()).unwrap();
    scratch.write_volume("other.nii.gz", &Volume::filled(other, 1, 1.0));
    for options in ["--all --mask other.nii.gz", "--targets other.nii.gz"] {
        let result =
            scratch.run(&format!("track geodesic tensor.nii.gz --seed-mask a.nii.gz {options} --out out"));
        assert_eq!(result.code, 1);
        assert!(
            result.errors.starts_with("error: other.nii.gz: ") && result.errors.contains("the tensor image"),
            "{}",
            result.errors
        );
    }
    scratch.write_volume("empty.nii.gz", &Volume::filled(grid, 1, 0.0));
    scratch.fail(
        "track geodesic tensor.nii.gz --seed-mask a.nii.gz --targets empty.nii.gz --out out",
        1,
        "error: empty.nii.gz: the mask is empty; give a mask with voxels above 0.5",
    );
    scratch.write_volume(
        "isotropic.nii.gz",
        &Volume::new(grid, 6, [1e-3, 1e-3, 1e-3, 0.0, 0.0, 0.0].repeat(grid.len())).unwrap(),
    );
    scratch.fail(
        "track geodesic isotropic.nii.gz --all --out out",
        1,
        "error: isotropic.nii.gz: no voxel has an FA from 0.2 to 1, as a seed needs; give --seed-mask, or \
         check --mask",
    );
}

#[test]
fn incompatible_options_give_one_line_errors() {
    let scratch = field();
    scratch.write("points.txt", "0 0 0\n");
    let wrong = |options: &str, message: &str| {
        let command = format!("track geodesic tensor.nii.gz {options} --out out");
        scratch.fail(&command, 2, &format!("error: {message}"));
    };
    let all = "--seed-mask a.nii.gz --all";
    let to_b = "--seed-mask a.nii.gz --targets b.nii.gz";
    wrong(
        "--targets b.nii.gz --seed-grid 2",
        "--seed-mask: connections need seeds; give --seed-mask, or other seeds",
    );
    wrong("--best 3", "--best: there are no targets to connect; leave it out, or give --targets");
    // Connections are ranked among all rays, and end at their targets.
    for (option, message) in [
        ("--select 5", "--select: connections are limited for each target; give --best instead"),
        (
            "--part 1/2",
            "--part: connections are ranked among all rays (paths from a seed in one direction) of a run, so \
             the run cannot be divided; leave out this option, or keep every ray instead of the connections \
             to targets",
        ),
        (
            "--matrix seeds",
            "--matrix: connections are ranked for each target, and rows of a matrix need all rays of a seed; \
             leave out this option, or keep every ray instead of the connections to targets",
        ),
        (
            "--products target-counts",
            "--products: only the strongest connections to each target are kept, and target-counts need all; \
             leave out target-counts, or keep every ray instead of the connections to targets",
        ),
        (
            "--at-max-length discard",
            "--at-max-length: a connection ends at its target, before --max-length; leave out this option, \
             or keep every ray instead of the connections to targets",
        ),
    ] {
        wrong(&format!("{to_b} {option}"), message);
    }
    wrong(
        &format!("{all} --seed-cutoff 0.3"),
        "--seed-cutoff: seeds are chosen by another option, which are used in any voxel; remove \
         --seed-cutoff, or remove the option that gives the seeds",
    );
    wrong(
        &format!("{all} --matrix seeds --measure length"),
        "--measure: lengths of a matrix are counted in steps, and these steps differ in length; leave out this \
         option, or track with steps of one length",
    );
    for option in ["--best 3", "--min-connectivity 1", "--one-per-voxel"] {
        let name = option.split(' ').next().unwrap();
        let expected =
            format!("{name}: --all keeps every ray; leave it out, or give --targets instead of --all");
        wrong(&format!("{all} {option}"), &expected);
    }
    wrong(&format!("{to_b} --best 0"), "--best: 0 connections would be kept; give 1 or more");
    wrong(
        &format!("{to_b} --min-connectivity 0"),
        "--min-connectivity: 0 is not a connectivity measure; give a number above 0",
    );
    wrong(
        &format!("{all} --per-seed 5"),
        "--per-seed: --initial-directions principal is one direction; leave it out, or choose --initial-directions sphere or cone",
    );
    wrong(
        &format!("{to_b} --cone 5"),
        "--cone: the initial directions are not a cone; leave it out, or choose --initial-directions cone",
    );
    wrong(
        &format!("{to_b} --one-way"),
        "--one-way: directions of the sphere are always followed one way; leave it out, or choose \
         --initial-directions principal or \
         cone",
    );
    wrong(
        &format!("{all} --integrator heun --step-tolerance 1e-4"),
        "--step-tolerance: this --integrator has a fixed step length; leave it out, or choose --integrator \
         adaptive",
    );
    for option in ["--sharpen-fa 0.2", "--sharpen-side above"] {
        let name = option.split(' ').next().unwrap();
        wrong(
            &format!("{all} {option}"),
            &format!("{name}: no tensor is sharpened; leave it out, or give --sharpen"),
        );
    }
    wrong(
        &format!("{all} --step-tolerance 1e-7"),
        "--step-tolerance: the step tolerance 0.0000001 is below the rounding error of single precision; \
         give 1e-6 or more, or --precision double",
    );
    wrong(
        &format!("{all} --step 2.5"),
        "--step: the step of 2.5 mm is longer than the shortest voxel edge of 2 mm; use a shorter step, \
         for example 0.1 voxel",
    );
    wrong(
        "--seed-mask a.nii.gz --targets b.nii.gz --targets ./b.nii.gz",
        "--targets: two targets are called `b`; give the files different names",
    );
    for (options, name) in [
        ("--step 0", "--step"),
        ("--gain 0", "--gain"),
        ("--sharpen nan", "--sharpen"),
        ("--sharpen 2 --sharpen-fa 2", "--sharpen-fa"),
        ("--step-tolerance 1", "--step-tolerance"),
        ("--cutoff 2", "--cutoff"),
        ("--angle 0", "--angle"),
        ("--max-length 0", "--max-length"),
        ("--max-steps 0", "--max-steps"),
        ("--initial-directions sphere --per-seed 0", "--per-seed"),
        ("--initial-directions cone --cone 100", "--cone"),
        ("--seed-grid 0", "--seed-grid"),
        ("--seeds 0", "--seeds"),
    ] {
        let result = scratch.run(&format!("track geodesic tensor.nii.gz {all} {options} --out out"));
        assert_eq!(result.code, 2, "{options}: {}", result.errors);
        assert!(
            result.errors.starts_with(&format!("error: {name}: ")) && result.errors.lines().count() == 1,
            "{options}: {}",
            result.errors
        );
        assert!(!scratch.path("out").exists(), "{options}");
    }
}

/// Lengths of streamlines, as the sum of their segments in mm.
fn lengths(tractogram: &Tractogram) -> Vec<f64> {
    (0..tractogram.len()).map(|n| tractogram.length(n)).collect()
}

#[test]
fn lengths_include_both_rays() {
    let scratch = field();
    let command = "track geodesic tensor.nii.gz --seed-mask a.nii.gz";
    // Seeds are 5 mm from one side of the image and 35 mm from the other.
    for options in ["", " --avoid c.nii.gz --judged-by half"] {
        scratch.succeed(&format!("{command} --max-length 20{options} --out stop.trx --force"));
        let stopped = scratch.tractogram("stop.trx");
        assert_eq!(stopped.len(), 4, "{options}");
        for (length, stored) in
            lengths(&stopped).iter().zip(stopped.per_streamline["length"].values().to_f64())
        {
            assert!((19.0..20.001).contains(length), "{options}: {length}");
            assert!((length - stored).abs() < 1e-3, "the data are those of the shorter streamline");
        }
    }
    scratch.succeed(&format!("{command} --max-length 20 --at-max-length discard --out discard.trx"));
    assert_eq!(scratch.tractogram("discard.trx").len(), 0);
    scratch.succeed(&format!("{command} --min-length 44 --out long.trx"));
    assert_eq!(scratch.tractogram("long.trx").len(), 0);
    scratch.succeed(&format!("{command} --min-length 30 --out all.trx"));
    assert_eq!(scratch.tractogram("all.trx").len(), 4);
    // A file without streamlines still has the names of the data per streamline.
    assert!(scratch.tractogram("long.trx").per_streamline.contains_key("drift"));
    // The length limits also apply to connections. These connections are about 30 mm long.
    for (limit, kept) in [("--min-length 29", 20), ("--min-length 32", 0), ("--max-length 32", 20)] {
        let result = scratch.succeed(&format!("{CONNECT} --best 20 {limit} --out connections --force"));
        assert!(result.contains(&format!(" rays reach it, {kept} kept, ")), "{limit}: {result}");
    }
}

#[test]
fn rays_start_from_all_kinds_of_seeds() {
    let scratch = field();
    scratch.write("points.txt", "0 0 0\n2 0 0\n");
    let count = |options: &str| {
        scratch.succeed(&format!("track geodesic tensor.nii.gz {options} --out rays.trx --force"));
        scratch.tractogram("rays.trx").len()
    };
    assert_eq!(count("--seed-mask a.nii.gz"), 4, "centres of voxels");
    assert_eq!(count("--select 7"), 7);
    assert_eq!(count("--seed-weights a.nii.gz --seeds 9"), 9);
    assert_eq!(count("--seed-mask a.nii.gz --seed-anywhere"), 4);
    let sphere = "--initial-directions sphere --per-seed 6";
    assert_eq!(count(&format!("--seed-points points.txt {sphere}")), 12, "rays of each point");
    assert_eq!(count(&format!("--seed-mask a.nii.gz --seeds 3 {sphere}")), 18);
    assert_eq!(count(&format!("--seed-mask a.nii.gz --seeds 3 {sphere} --select 10")), 10);
    assert_eq!(count("--seed-cutoff 0.5 --max-length 10"), 20 * 8 * 8);
    let result = scratch.run("track geodesic tensor.nii.gz --seed-cutoff 0.95 --out none.trx");
    assert_eq!(result.code, 1);
    assert!(result.errors.contains("no voxel has an FA from 0.95 to 1"), "{}", result.errors);
}

#[test]
fn connections_can_have_other_products() {
    let scratch = field();
    scratch.succeed(&format!("{CONNECT} --best 20 --products streamlines,visits --out both"));
    let found = scratch.tractogram("both/streamlines.trx");
    assert_eq!(found.groups.members["b"].len(), 20);
    let visits = scratch.volume("both/visits.nii.gz");
    let grid = grid([2.0; 3]);
    let mut expected = vec![0.0f32; grid.len()];
    for streamline in found.iter() {
        let mut voxels: Vec<usize> =
            streamline.iter().filter_map(|point| grid.voxel_at(point.map(f64::from))).collect();
        voxels.sort_unstable();
        voxels.dedup();
        for voxel in voxels {
            expected[voxel] += 1.0;
        }
    }
    assert_eq!(visits.values(), expected);
    // With --all, targets are only counted.
    scratch.succeed("track geodesic tensor.nii.gz --seed-mask a.nii.gz --all --targets b.nii.gz --products target-counts --out counts");
    let counts = scratch.volume("counts/seeds_to_b.nii.gz");
    assert_eq!(counts.values().iter().sum::<f32>(), 4.0, "each ray along x passes it");
}

#[test]
fn runs_can_use_geodesic_tracking() {
    let brain = Scratch::with(small_brain());
    let command = "run dwi.nii.gz --mask mask.nii.gz --labels labels.nii.gz --tracking geodesic";
    brain.fail(
        &format!("{command} --select 30 --out out"),
        2,
        "error: --select: geodesic tracking gives a streamline for each seed and stops at no number; leave it out, or set \
         seeds in [track.geodesic] of a recipe",
    );
    brain.write("r.toml", "[track.geodesic]\nseeds = 40\nfield = \"trilinear\"\n");
    let command = format!("{command} --recipe r.toml");
    let plan = brain.succeed(&format!("{command} --out out --dry-run"));
    let track = "arcuate track geodesic out/tensor/tensor.nii.gz --mask mask.nii.gz --field trilinear --seeds 40 --out \
                 out/geodesic\n";
    assert!(plan.contains(track) && plan.contains("evaluate life out/geodesic/streamlines.trx"), "{plan}");
    let result = brain.run(&format!("{command} --out out"));
    assert_eq!(result.code, 0, "{}", result.errors);
    assert_eq!(brain.tractogram("out/geodesic/streamlines.trx").len(), 40);
    assert_eq!(brain.tractogram("out/life/tracks_weighted.trx").len(), 40);
    let record = record(&brain, "out");
    let shown = |title: &str| {
        let files = record["files"].as_array().unwrap().iter();
        files.filter(|file| file["title"] == title && file.get("picture").is_some()).count()
    };
    assert_eq!(shown("Fractional anisotropy"), 1);
    assert!(record["steps"].as_array().unwrap().contains(&"geodesic/arcuate.json".into()));
    let page = brain.text("out/report.html");
    assert!(page.contains("Connectivity measure of the streamlines") && page.contains("Why rays ended"));
    brain.write("r.toml", "[track.geodesic]\ntargets = \"mask.nii.gz\"\n");
    let result = brain.run(&format!("{command} --out again"));
    assert_eq!(
        result.errors,
        "error: r.toml, line 2: `targets` is not possible in a run, which keeps every ray; remove it, or \
         run `arcuate track geodesic` separately\n"
    );
}
