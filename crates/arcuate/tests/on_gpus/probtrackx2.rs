//! FSL's probtrackx2 with its own syntax, on straight fibres with known results.

use crate::common::fsl::{leftwards, rightwards};
use crate::common::{CommandOutput, Scratch};
use arcuate_core::{Affine, Grid, Volume};
use arcuate_io::read_volume_as;
use std::ffi::OsStr;

/// Voxels of 2 mm.
const SHAPE: [usize; 3] = [20, 5, 5];
/// Fibres run along x. No step of 0.32 voxels ends on the border of two voxels, so the voxel of each point is
/// known.
const USUAL: &str =
    "-s box.bedpostX/merged -m box.bedpostX/nodif_brain_mask --steplength=0.64 -P 50 --forcedir --dir=out";
/// Number of steps from a seed to the first point in the voxel at a distance of 0, 1, 2, … voxels.
const STEPS: [u32; 10] = [0, 2, 5, 8, 11, 15, 18, 21, 24, 27];
const STEP_MM: f64 = 0.64;

fn grid(affine: Affine) -> Grid {
    Grid::new(SHAPE, affine).unwrap()
}

/// Writes an image that is 1 where `inside` is true and 0 elsewhere.
fn mask(scratch: &Scratch, name: &str, grid: &Grid, inside: impl Fn([usize; 3]) -> bool) {
    let values = (0..grid.len()).map(|voxel| f32::from(u8::from(inside(grid.coordinates(voxel))))).collect();
    scratch.write_volume(name, &Volume::new(*grid, 1, values).unwrap());
}

/// Writes the samples, a seed in the middle, and masks of planes across the fibres.
fn made(affine: Affine) -> Scratch {
    let (scratch, grid) = (Scratch::new(), grid(affine));
    // A sample with φ = 0 has no direction.
    for (name, value) in [("th", std::f32::consts::FRAC_PI_2), ("ph", std::f32::consts::PI), ("f", 0.8)] {
        scratch.write_volume(
            &format!("box.bedpostX/merged_{name}1samples.nii.gz"),
            &Volume::filled(grid, 2, value),
        );
    }
    mask(&scratch, "box.bedpostX/nodif_brain_mask.nii.gz", &grid, |_| true);
    mask(&scratch, "seed.nii.gz", &grid, |at| at == [10, 2, 2]);
    for x in [3, 5, 15, 16] {
        mask(&scratch, &format!("at{x}.nii.gz"), &grid, |at| at[0] == x);
    }
    mask(&scratch, "apart.nii.gz", &grid, |at| at[1] == 0);
    scratch
}

fn usual() -> Scratch {
    made(leftwards())
}

/// Runs a command that must succeed without output on standard error and give the same files on an emulated
/// GPU.
fn succeed(scratch: &Scratch, options: &str) -> String {
    let result = succeed_as(scratch, USUAL, options);
    if let Some(folder) = arcuate_emulation::library_folder("probtrackx2") {
        let on_gpu = [
            ("ARCUATE_DEVICE", OsStr::new("cuda:0")),
            ("LD_LIBRARY_PATH", folder.as_os_str()),
            ("ARCUATE_NO_FALLBACK", OsStr::new("1")),
        ];
        let again = scratch.run_with(&format!("probtrackx2 {USUAL} {options} --dir=gpu"), &on_gpu);
        assert_eq!((again.code, again.errors.as_str()), (0, ""), "{options} on a GPU\n{}", again.output);
        let (expected, found) = (scratch.files("out"), scratch.files("gpu"));
        for (name, bytes) in &found {
            if !["arcuate.json", "probtrackx.log"].contains(&name.as_str()) {
                assert!(expected.get(name) == Some(bytes), "{options}: {name} is another on a GPU");
            }
        }
        assert!(found.len() > 2, "{options}: {:?}", found.keys());
        std::fs::remove_dir_all(scratch.path("gpu")).unwrap();
    }
    result
}

fn succeed_as(scratch: &Scratch, first: &str, options: &str) -> String {
    let result = scratch.run(&format!("probtrackx2 {first} {options}"));
    assert_eq!((result.code, result.errors.as_str()), (0, ""), "{options}\n{}", result.output);
    result.output
}

/// Returns the values along the fibre through the seed. All other values must be 0.
fn along(scratch: &Scratch, name: &str) -> Vec<f64> {
    let volume = scratch.volume(name);
    let grid = *volume.grid();
    for voxel in 0..grid.len() {
        let [_, y, z] = grid.coordinates(voxel);
        assert!((y, z) == (2, 2) || volume.values()[voxel] == 0.0, "{name}: beside the fibre");
    }
    (0..grid.shape()[0]).map(|x| f64::from(volume.values()[grid.index([x, 2, 2])])).collect()
}

/// Returns values along the fibre: `count` in the voxels of `range`, 0 elsewhere.
fn only(range: std::ops::RangeInclusive<usize>, count: f64) -> Vec<f64> {
    (0..SHAPE[0]).map(|x| if range.contains(&x) { count } else { 0.0 }).collect()
}

fn way_total(scratch: &Scratch) -> f64 {
    scratch.text("out/waytotal").trim().parse().unwrap()
}

#[test]
fn streamlines_pass_the_whole_fibre() {
    for affine in [leftwards(), rightwards()] {
        let scratch = made(affine);
        let result = succeed(&scratch, "-x seed --opd");
        assert_eq!(result, "", "nothing is said that was not asked for");
        assert_eq!(scratch.text("out/waytotal"), "50  \n");
        assert_eq!(along(&scratch, "out/fdt_paths.nii.gz"), only(0..=19, 50.0));
        let mut listing = scratch.listing("out");
        listing.sort();
        assert_eq!(listing, ["arcuate.json", "fdt_paths.nii.gz", "probtrackx.log", "waytotal"]);
    }
}

#[test]
fn distances_are_along_the_streamline() {
    let scratch = usual();
    succeed(&scratch, "-x seed.nii.gz --opd --pd --ompl -o density");
    let (sums, means) =
        (along(&scratch, "out/density.nii.gz"), along(&scratch, "out/density_lengths.nii.gz"));
    for (away, steps) in STEPS.into_iter().enumerate() {
        for x in [10 - away, 10 + away] {
            let length = f64::from(steps) * STEP_MM;
            assert!((means[x] - length).abs() < 1e-4, "{x}: {} {length}", means[x]);
            assert!((sums[x] - 50.0 * length).abs() < 1e-3, "{x}: {} {length}", sums[x]);
        }
    }
}

#[test]
fn masks_reject_and_stop_half_streamlines() {
    let scratch = usual();
    for (options, expected, total) in [
        // Only the half towards higher x is rejected, not the whole streamline.
        ("--avoid=at15", only(0..=10, 50.0), 50.0),
        ("--avoid=both.txt", only(0..=19, 0.0), 0.0),
        // --forcefirststep ignores --avoid only at the seed. Steps of 1.28 mm leave the seed voxel with the
        // first step.
        ("--avoid=seed --steplength=1.28", only(0..=19, 0.0), 0.0),
        ("--avoid=seed --steplength=1.28 --forcefirststep", only(0..=19, 50.0), 50.0),
        ("--avoid=seed --forcefirststep", only(0..=19, 0.0), 0.0),
        ("--stop=seed", only(10..=10, 50.0), 50.0),
        ("--stop=seed --forcefirststep", only(0..=19, 50.0), 50.0),
        // The point in the region is kept.
        ("--stop=at15", only(0..=15, 50.0), 50.0),
        // The point after the region is discarded.
        ("--wtstop=wide", only(0..=15, 50.0), 50.0),
        // A streamline does not stop when it leaves the region that contains its seed.
        ("--wtstop=around", only(0..=19, 50.0), 50.0),
        ("--distthresh=12", only(0..=19, 50.0), 50.0),
        ("--distthresh=19.5", only(0..=10, 50.0), 50.0),
        ("-S 20", only(7..=13, 50.0), 50.0),
        ("--noprobinterpol -f --modeuler -l", vec![], 0.0),
        ("--noprobinterpol -l --modeuler", only(0..=19, 50.0), 50.0),
        ("--waypoints=both.txt", only(0..=19, 50.0), 50.0),
        ("--waypoints=both.txt --onewaycondition", only(0..=19, 0.0), 0.0),
        ("--waypoints=both.txt --waycond=OR --onewaycondition", only(0..=19, 50.0), 50.0),
        ("--waypoints=at15 --waycond=OR --onewaycondition", only(10..=19, 50.0), 50.0),
        ("--waypoints=apart_and.txt --waycond=OR --onewaycondition", only(10..=19, 50.0), 50.0),
        ("--waypoints=apart_and.txt", only(0..=19, 0.0), 0.0),
    ] {
        scratch.write("both.txt", "at15 at5");
        scratch.write("apart_and.txt", "apart.nii.gz\nat15.nii.gz\n");
        mask(&scratch, "wide.nii.gz", &grid(leftwards()), |[x, ..]| (13..=15).contains(&x));
        mask(&scratch, "around.nii.gz", &grid(leftwards()), |[x, ..]| (9..=11).contains(&x));
        let options = format!("-x seed --opd {options}");
        if expected.is_empty() {
            // With -f, a streamline continues at each step with a probability of only 0.8.
            succeed(&scratch, &options);
            let found = along(&scratch, "out/fdt_paths.nii.gz");
            assert!(found[10] == 50.0 && found[12] < 50.0 && found[0] < 5.0, "{found:?}");
            continue;
        }
        let result = scratch.run(&format!("probtrackx2 {USUAL} {options}"));
        assert_eq!((result.code, result.errors.as_str()), (0, ""), "{options}");
        assert_eq!(along(&scratch, "out/fdt_paths.nii.gz"), expected, "{options}");
        assert_eq!(way_total(&scratch), total, "{options}");
        assert_eq!(result.output.contains("all 50 streamlines were rejected"), total == 0.0, "{options}");
    }
}

#[test]
fn ordered_waypoints_must_be_passed_in_order() {
    let scratch = usual();
    scratch.write("both.txt", "at15\nat5\n");
    let options = "-x seed --opd --waypoints=both.txt --wayorder -P 400";
    succeed(&scratch, options);
    let total = way_total(&scratch);
    // The first half starts in either direction with equal probability. The tolerance is six standard
    // deviations.
    assert!((total - 200.0).abs() < 60.0, "{total}");
    assert_eq!(along(&scratch, "out/fdt_paths.nii.gz"), only(0..=19, total));
    // A first half that misses the region is rejected. A second half is kept if one of the halves passes the
    // region.
    succeed(&scratch, "-x seed --opd --waypoints=at15 --waycond=OR -P 400");
    let found = along(&scratch, "out/fdt_paths.nii.gz");
    assert_eq!((way_total(&scratch), found[15]), (400.0, 400.0));
    assert!((found[5] - 200.0).abs() < 60.0, "{found:?}");
}

#[test]
fn networks_count_streamlines_that_pass_another_region() {
    let scratch = usual();
    mask(&scratch, "a.nii.gz", &grid(leftwards()), |at| at == [3, 2, 2]);
    mask(&scratch, "b.nii.gz", &grid(leftwards()), |at| at == [12, 2, 2]);
    mask(&scratch, "c.nii.gz", &grid(leftwards()), |at| at == [3, 0, 0]);
    scratch.write("regions.txt", "a b.nii.gz\nc");
    succeed(&scratch, "--network -x regions.txt --opd --ompl --omatrix1 --fopd=at5");
    // This distribution is the sum over all regions.
    assert_eq!(along(&scratch, "out/fdt_paths_alt.nii.gz"), only(5..=5, 100.0));
    assert_eq!(scratch.text("out/waytotal"), "50  \n50  \n0  \n");
    assert_eq!(scratch.text("out/fdt_network_matrix"), "0  50  0  \n50  0  0  \n0  0  0  \n");
    // The other region begins 8.5 voxels away, so 27 steps of 0.64 mm are needed.
    assert_eq!(scratch.text("out/fdt_network_matrix_lengths"), "0  17.28  0  \n17.28  0  0  \n0  0  0  \n");
    // Halves that do not pass the other region are rejected. From each region, one half continues beyond the
    // other region.
    let both: Vec<f64> = only(0..=12, 50.0).iter().zip(only(3..=19, 50.0)).map(|(a, b)| a + b).collect();
    assert_eq!(along(&scratch, "out/fdt_paths.nii.gz"), both);
    assert_eq!(scratch.text("out/fdt_matrix1.dot"), "1  2  50\n2  1  50\n3  3  0\n");
    assert_eq!(scratch.text("out/fdt_matrix1_lengths.dot"), "1  2  17.28\n2  1  17.28\n3  3  0\n");
    assert_eq!(
        scratch.text("out/coords_for_fdt_matrix1"),
        "3  2  2  0  1  \n12  2  2  1  2  \n3  0  0  2  3  \n"
    );
}

#[test]
fn seeds_by_seeds_has_the_order_of_fsl() {
    for (affine, rows) in [
        (leftwards(), "5  2  2  0  1  \n10  2  2  0  2  \n12  2  2  0  3  \n"),
        (rightwards(), "12  2  2  0  1  \n10  2  2  0  2  \n5  2  2  0  3  \n"),
    ] {
        let scratch = made(affine);
        mask(&scratch, "seeds.nii.gz", &grid(affine), |at| [[5, 2, 2], [10, 2, 2], [12, 2, 2]].contains(&at));
        succeed(&scratch, "-x seeds --omatrix1");
        assert_eq!(scratch.text("out/coords_for_fdt_matrix1"), rows);
        let all = "1  2  50\n1  3  50\n2  1  50\n2  3  50\n3  1  50\n3  2  50\n3  3  0\n";
        assert_eq!(scratch.text("out/fdt_matrix1.dot"), all);
        // Whole streamlines have about 62 points at a distance of 0.64 mm, so they are about 40 mm long.
        succeed(&scratch, "-x seeds --omatrix1 --distthresh1=35");
        assert_eq!(scratch.text("out/fdt_matrix1.dot"), all);
        succeed(&scratch, "-x seeds --omatrix1 --distthresh1=45");
        assert_eq!(scratch.text("out/fdt_matrix1.dot"), "3  3  0\n");
        assert_eq!(way_total(&scratch), 150.0);
    }
}

#[test]
fn seeds_by_voxels_of_a_coarser_image() {
    let scratch = usual();
    // The corner and the axes are those of the seed image.
    let coarse = Grid::new([10, 3, 3], Affine::scaling([-4.0, 4.0, 4.0], [10.0, -5.0, 0.0])).unwrap();
    let mut values = vec![0.0; coarse.len()];
    values[coarse.index([7, 1, 1])] = 2.0;
    values[coarse.index([5, 1, 1])] = 1.0;
    values[coarse.index([0, 1, 1])] = 0.5;
    values[coarse.index([5, 0, 1])] = 1.0;
    scratch.write_volume("coarse.nii.gz", &Volume::new(coarse, 1, values).unwrap());
    succeed(&scratch, "-x seed --omatrix2 --target2=coarse");
    // The voxel with 0.5 is not a target, because targets have integer values. The voxel of the seed is a
    // target.
    assert_eq!(scratch.text("out/fdt_matrix2.dot"), "1  2  50\n1  3  50\n1  3  0\n");
    assert_eq!(scratch.text("out/coords_for_fdt_matrix2"), "10  2  2  0  1  \n");
    let columns = "5  0  1  \n5  1  1  \n7  1  1  \n";
    assert_eq!(scratch.text("out/tract_space_coords_for_fdt_matrix2"), columns);
    let lookup = read_volume_as::<i32>(&scratch.path("out/lookup_tractspace_fdt_matrix2.nii.gz")).unwrap();
    assert_eq!(
        [[5, 0, 1], [5, 1, 1], [7, 1, 1], [0, 1, 1]].map(|at| lookup.values()[coarse.index(at)]),
        [1, 2, 3, 0]
    );
}

#[test]
fn elements_by_elements() {
    let scratch = usual();
    let lattice = grid(leftwards());
    mask(&scratch, "two.nii.gz", &lattice, |at| [[7, 2, 2], [12, 2, 2], [12, 3, 2]].contains(&at));
    mask(&scratch, "one.nii.gz", &lattice, |at| at == [14, 2, 2]);
    succeed(&scratch, "-x seed --omatrix3 --target3=two --ompl");
    assert_eq!(scratch.text("out/fdt_matrix3.dot"), "1  2  50\n3  3  0\n");
    // The two targets are eight steps away on one side and five steps on the other.
    assert_eq!(scratch.text("out/fdt_matrix3_lengths.dot"), "1  2  8.32\n3  3  0\n");
    assert_eq!(scratch.text("out/coords_for_fdt_matrix3").lines().count(), 3);
    succeed(&scratch, "-x seed --omatrix3 --target3=two --lrtarget3=one --pd");
    // The column is 11 steps away from the seed. The rows are 8 steps away on the other side and 5 steps on the
    // same side. The distances are 19 and 6 steps, summed over 50 streamlines.
    assert_eq!(scratch.text("out/fdt_matrix3.dot"), "1  1  608\n2  1  192\n3  1  0\n");
    assert_eq!(scratch.text("out/tract_space_coords_for_fdt_matrix3"), "14  2  2  0  1  \n");
    succeed(&scratch, "-x seed --omatrix3 --target3=two --distthresh3=45");
    assert_eq!(scratch.text("out/fdt_matrix3.dot"), "3  3  0\n");
}

#[test]
fn voxels_by_seeds_with_fibres() {
    let scratch = usual();
    let lattice = grid(leftwards());
    mask(&scratch, "voxels.nii.gz", &lattice, |at| [[10, 2, 2], [12, 2, 2], [12, 4, 4]].contains(&at));
    mask(&scratch, "column.nii.gz", &lattice, |at| [[10, 4, 4], [8, 2, 2]].contains(&at));
    let numbers = |name: &str| -> Vec<i64> {
        scratch
            .read(name)
            .chunks_exact(8)
            .map(|bytes| i64::from_le_bytes(bytes.try_into().unwrap()))
            .collect()
    };
    // All streamlines follow one fibre. The distances are 0 mm and five steps of 0.64 mm, in whole mm.
    let code = |length: i64| (50 << 32) + 1000 * 1001 * 1001 + length;
    succeed(&scratch, "-x seed --omatrix4 --target4=voxels");
    assert_eq!(scratch.text("out/fdt_matrix4_1.mtx"), "3\n1\n");
    assert_eq!(numbers("out/fdt_matrix4_2.mtx"), [2]);
    assert_eq!(numbers("out/fdt_matrix4_3.mtx"), [0, code(0), 1, code(3)]);
    assert_eq!(scratch.text("out/tract_space_coords_for_fdt_matrix4").lines().next(), Some("10  2  2  "));
    assert_eq!(scratch.text("out/coords_for_fdt_matrix4"), "10  2  2  0  1  \n");
    succeed(&scratch, "-x seed --omatrix4 --target4=voxels --colmask4=column");
    assert_eq!(scratch.text("out/fdt_matrix4_1.mtx"), "3\n2\n");
    assert_eq!(numbers("out/fdt_matrix4_2.mtx"), [2, 0]);
    assert_eq!(numbers("out/fdt_matrix4_3.mtx"), [0, code(0), 1, code(3)]);
}

#[test]
fn targets_are_counted_for_each_seed() {
    let scratch = usual();
    mask(&scratch, "seeds.nii.gz", &grid(leftwards()), |at| [[10, 2, 2], [10, 0, 2]].contains(&at));
    scratch.write("targets.txt", "at15.nii.gz apart");
    succeed(&scratch, "-x seeds --os2t --s2tastext --targetmasks=targets.txt --ompl");
    assert_eq!(scratch.text("out/matrix_seeds_to_all_targets"), "50  50  \n50  0  \n");
    let at = |name: &str, place: [usize; 3]| {
        let volume = scratch.volume(name);
        volume.values()[volume.grid().index(place)]
    };
    for (name, one, other) in [("seeds_to_at15", 50.0, 50.0), ("seeds_to_apart", 50.0, 0.0)] {
        let name = format!("out/{name}.nii.gz");
        assert_eq!([at(&name, [10, 0, 2]), at(&name, [10, 2, 2]), at(&name, [9, 2, 2])], [one, other, 0.0]);
    }
    // The first target is 15 steps away. A target that contains the seed is reached after one step.
    assert_eq!(scratch.text("out/matrix_seeds_to_all_targets_lengths"), "9.6  0.64  \n9.6  0  \n");
    scratch.write("lists.txt", "seed.nii.gz seeds.nii.gz");
    succeed(&scratch, "-x lists.txt --os2t --targetmasks=at15 --otargetpaths --opathdir --waypoints=at5");
    assert_eq!(way_total(&scratch), 150.0);
    // If the half towards lower x is the second half, the first half is rejected and no half passes the target.
    let [one, other] =
        [("out/seeds_0_to_at15.nii.gz", [10, 2, 2]), ("out/seeds_1_to_at15.nii.gz", [10, 2, 2])]
            .map(|(name, place)| at(name, place));
    assert!(one > 0.0 && one < 50.0 && other > 0.0 && other < 50.0, "{one} {other}");
    let through = at("out/target_paths_at15.nii.gz", [18, 2, 2]);
    assert_eq!(through, one + other);
    assert_eq!(at("out/target_paths_at15.nii.gz", [2, 2, 2]), through);
    let directions = scratch.volume("out/target_localdir_at15.nii.gz");
    assert!((directions.voxel(directions.grid().index([4, 2, 2]))[0].abs() - 1.0).abs() < 1e-6);
}

#[test]
fn other_regions_have_path_distributions() {
    let scratch = usual();
    succeed(&scratch, "-x seed --fopd=at15 --opathdir --ompl --savepaths");
    assert_eq!(along(&scratch, "out/fdt_paths_alt.nii.gz"), only(15..=15, 50.0));
    let length = along(&scratch, "out/fdt_paths_alt_lengths.nii.gz")[15];
    assert!((length - 15.0 * STEP_MM).abs() < 1e-5, "{length}");
    let directions = scratch.volume("out/fdt_paths_localdir.nii.gz");
    for x in 0..20 {
        let [a, b, c] = directions.voxel(directions.grid().index([x, 2, 2])).try_into().unwrap();
        assert!((f32::abs(a) - 1.0).abs() < 1e-6 && b == 0.0 && c == 0.0, "{x}");
    }
    let text = scratch.text("out/saved_paths.txt");
    let heads: Vec<usize> = text.lines().filter_map(|line| line.strip_prefix("# ")?.parse().ok()).collect();
    assert_eq!((heads.len(), heads.iter().sum::<usize>() + 50), (50, text.lines().count()));
    // Both halves begin at the seed.
    assert_eq!(text.lines().nth(1), Some("10 2 2"));
    assert!(text.lines().nth(2).is_some_and(|line| ["10.32 2 2", "9.68 2 2"].contains(&line)), "{text:.60}");
    assert_eq!(text.lines().filter(|line| *line == "10 2 2").count(), 100);
}

#[test]
fn each_seed_point_has_its_own_results() {
    let scratch = usual();
    scratch.write("points.txt", "10 2 2\n4 2 2\n");
    succeed(
        &scratch,
        "--simple -x points.txt --opd --seedref=seed --s2tastext --targetmasks=at15 --stop=at15",
    );
    for name in ["out/fdt_paths_10_2_2.nii.gz", "out/fdt_paths_4_2_2.nii.gz"] {
        assert_eq!(along(&scratch, name), only(0..=15, 50.0));
    }
    assert_eq!(scratch.text("out/matrix_seeds_to_all_targets"), "50  \n50  \n");
    assert!(!scratch.path("out/waytotal").exists());
    // The same points as three rows.
    scratch.write("rows.txt", "x y z\n10 4\n2 2\n2 2\n");
    succeed(&scratch, "--simple -x rows.txt --opd -o p");
    assert_eq!(along(&scratch, "out/p_4_2_2.nii.gz"), only(0..=19, 50.0));
}

/// Returns an ASCII surface: a plane across the fibres at `x`, in voxels, with the given values at its
/// vertices.
fn plane(x: f64, values: [u8; 4]) -> String {
    let corners = [[-1.0, -1.0], [9.0, -1.0], [-1.0, 9.0], [9.0, 9.0]];
    let vertices = corners.iter().zip(values).map(|([y, z], value)| format!("{x} {y} {z} {value}\n"));
    format!("#!ascii plane\n4 2\n{}0 1 2 0\n1 3 2 0\n", vertices.collect::<String>())
}

#[test]
fn surfaces_can_be_regions_and_seeds() {
    for (affine, mirrored) in [(leftwards(), false), (rightwards(), true)] {
        let scratch = made(affine);
        scratch.write("plane", plane(14.2, [0; 4]));
        let vtk = "# vtk DataFile Version 3.0\nplane\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n14.2 -1 -1\n14.2 9 -1\n\
                   14.2 -1 9\n14.2 9 9\nPOLYGONS 2 8\n3 0 1 2\n3 1 3 2\n";
        scratch.write("plane.vtk", vtk);
        // The coordinates are in mm from the first voxel.
        scratch.write("first.asc", plane(28.4, [1; 4]));
        let right = |range: std::ops::RangeInclusive<usize>, count: f64| {
            let mut line = only(range, count);
            if mirrored {
                line.reverse();
            }
            line
        };
        let seed = if mirrored { 9 } else { 10 };
        mask(&scratch, "own.nii.gz", &grid(affine), |at| at == [seed, 2, 2]);
        for (options, expected) in [
            ("--meshspace=vox --stop=plane", right(0..=14, 50.0)),
            ("--meshspace=vox --stop=plane.vtk", right(0..=14, 50.0)),
            ("--meshspace=first --stop=first.asc", right(0..=14, 50.0)),
            ("--meshspace=vox --avoid=plane", right(0..=10, 50.0)),
            ("--meshspace=vox --waypoints=plane --onewaycondition", right(10..=19, 50.0)),
        ] {
            succeed(&scratch, &format!("-x own --opd {options}"));
            assert_eq!(along(&scratch, "out/fdt_paths.nii.gz"), expected, "{options}");
        }
    }
    let scratch = usual();
    // The only seed is the vertex on the fibre.
    scratch.write("seeds.asc", "#!ascii\n3 1\n10 2 2 1\n10 30 2 0\n10 2 30 0\n0 1 2 0\n");
    scratch.write("plane.asc", plane(14.2, [0; 4]));
    succeed(
        &scratch,
        "-x seeds.asc --seedref=seed --meshspace=vox --opd --os2t --targetmasks=at15 --fopd=plane.asc --omatrix1 --omatrix2 --target2=at15",
    );
    assert_eq!(along(&scratch, "out/fdt_paths.nii.gz"), only(0..=19, 50.0));
    let text = scratch.text("out/seeds_to_at15.asc");
    assert!(text.starts_with("#!ascii") && text.contains("\n3 1\n10 2 2 50\n10 30 2 0\n"), "{text}");
    assert_eq!(scratch.text("out/coords_for_fdt_matrix1"), "10  2  2  0  0  \n");
    assert_eq!(scratch.text("out/fdt_matrix1.dot"), "1  1  0\n");
    // Streamlines cross one of the two triangles, and all vertices of this triangle are counted.
    let alternative = arcuate_io::read_surface_file(&scratch.path("out/fdt_paths_alt.gii")).unwrap();
    assert_eq!(alternative.maps[0].values, [50.0, 50.0, 50.0, 0.0]);
    assert!(scratch.text("out/fdt_matrix2.dot").ends_with("1  25  0\n"));
}

#[test]
fn seeds_can_be_in_another_space() {
    let scratch = usual();
    // Finer voxels with the same corner need no transform.
    let fine = Grid::new([40, 10, 10], Affine::scaling([-1.0, 1.0, 1.0], [10.0, -5.0, 0.0])).unwrap();
    mask(&scratch, "fine.nii.gz", &fine, |at| at == [20, 4, 4]);
    mask(&scratch, "fine_stop.nii.gz", &fine, |[x, ..]| x >= 30);
    succeed(&scratch, "-x fine --opd --stop=fine_stop");
    let volume = scratch.volume("out/fdt_paths.nii.gz");
    assert_eq!(volume.grid().shape(), [40, 10, 10]);
    let at = |volume: &Volume<f32>, x: usize| volume.values()[volume.grid().index([x, 4, 4])];
    assert_eq!([at(&volume, 20), at(&volume, 29), at(&volume, 32)], [50.0, 50.0, 0.0]);
    // The matrix shifts by two voxels. The file of --invxfm is not read.
    mask(&scratch, "moved.nii.gz", &grid(leftwards()), |at| at == [8, 2, 2]);
    scratch.write("move.mat", "1 0 0 4\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
    succeed(&scratch, "-x moved --opd --xfm=move.mat --invxfm=nothing.mat --stop=at15");
    // x = 15 in the seed space is x = 17 in the space of the samples. The fibre ends at x = 19 there, which is
    // x = 17 in the seed space.
    assert_eq!(along(&scratch, "out/fdt_paths.nii.gz"), only(0..=15, 50.0));
    // The first point outside the mask is counted, too, if it is inside the grid of the seeds.
    let is_moved = |scratch: &Scratch| {
        let found = along(scratch, "out/fdt_paths.nii.gz");
        assert_eq!((&found[..18], found[19]), (&[50.0; 18][..], 0.0));
    };
    succeed(&scratch, "-x moved --opd --xfm=move.mat");
    is_moved(&scratch);
    // A deformation field and its inverse. Each is in the mm of its own image.
    let field = |name: &str, by: f32| {
        let values = (0..grid(leftwards()).len()).flat_map(|_| [by, 0.0, 0.0]).collect();
        scratch.write_volume(name, &Volume::new(grid(leftwards()), 3, values).unwrap());
    };
    field("there.nii.gz", -4.0);
    field("back.nii.gz", 4.0);
    succeed(&scratch, "-x moved --opd --xfm=there --invxfm=back");
    is_moved(&scratch);
    let failed = scratch.run(&format!("probtrackx2 {USUAL} -x moved --xfm=there"));
    let result = "error: --xfm: a field does not define its inverse; also give the inverse of the deformation \
                field as --invxfm\n";
    assert_eq!((failed.code, failed.errors.as_str()), (1, result));
}

#[test]
fn streamlines_start_as_the_options_state() {
    let scratch = usual();
    succeed(&scratch, "-x seed --opd --sampvox=3 -P 500");
    let volume = scratch.volume("out/fdt_paths.nii.gz");
    let companion_path = volume.values()[volume.grid().index([10, 3, 2])];
    assert!(companion_path > 20.0 && companion_path < 250.0, "{companion_path}");
    let first = scratch.read("out/fdt_paths.nii.gz");
    succeed(&scratch, "-x seed --opd --sampvox=3 -P 500");
    assert_eq!(scratch.read("out/fdt_paths.nii.gz"), first, "the same again");
    succeed(&scratch, "-x seed --opd --sampvox=3 -P 500 --rseed=7");
    assert_ne!(scratch.read("out/fdt_paths.nii.gz"), first, "another seed");
    // Streamlines follow the second fibre, which is along y, only if they start along it.
    let lattice = grid(leftwards());
    for (name, value) in
        [("th", std::f32::consts::FRAC_PI_2), ("ph", std::f32::consts::FRAC_PI_2), ("f", 0.3)]
    {
        let name = format!("box.bedpostX/merged_{name}2samples.nii.gz");
        scratch.write_volume(&name, &Volume::filled(lattice, 2, value));
    }
    let across = |options: &str| {
        succeed(&scratch, &format!("-x seed --opd {options}"));
        let volume = scratch.volume("out/fdt_paths.nii.gz");
        [[10, 4, 2], [15, 2, 2]].map(|at| volume.values()[lattice.index(at)])
    };
    assert_eq!(across(""), [0.0, 50.0]);
    assert_eq!(across("--fibst=2"), [50.0, 0.0]);
    assert_eq!(across("--fibst=2 --randfib=1"), [50.0, 0.0]);
    let [y, x] = across("--randfib=3 -P 400");
    assert!(y + x == 400.0 && (y - 200.0).abs() < 60.0, "{x} {y}");
    // A fibre below the threshold is not used.
    assert_eq!(across("--randfib=1 --fibthresh=0.5"), [0.0, 50.0]);
}

#[test]
fn folders_and_formats_agree_with_fsl() {
    let scratch = usual();
    let usual = "-s box.bedpostX/merged -m box.bedpostX/nodif_brain_mask -x seed -P 5";
    for _ in 0..3 {
        succeed_as(&scratch, usual, "");
    }
    for name in ["logdir", "logdir+", "logdir++"] {
        assert_eq!(scratch.text(&format!("{name}/waytotal")), "5  \n");
    }
    succeed_as(&scratch, usual, "--dir=logdir --forcedir --nsamples=7 -V 1");
    assert_eq!(scratch.text("logdir/waytotal"), "7  \n");
    let log = scratch.text("logdir/probtrackx.log");
    assert_eq!(log.matches("probtrackx2 -s box.bedpostX/merged").count(), 2, "{log}");
    let result = scratch
        .run_with(&format!("probtrackx2 {usual} --opd --dir=plain"), &[("FSLOUTPUTTYPE", "NIFTI".as_ref())]);
    assert_eq!((result.code, scratch.path("plain/fdt_paths.nii").exists()), (0, true));
    // Older programs write these names.
    for name in ["th", "ph", "f"] {
        let from = scratch.path(&format!("box.bedpostX/merged_{name}1samples.nii.gz"));
        std::fs::create_dir_all(scratch.path("old")).unwrap();
        std::fs::rename(from, scratch.path(&format!("old/merged_{name}samples.nii.gz"))).unwrap();
    }
    let old = "-s old/merged -m box.bedpostX/nodif_brain_mask.nii.gz -x seed -P 5 --dir=older";
    let result = succeed_as(&scratch, old, "--usef=0.05 --osampfib --onewayonly");
    assert_eq!((result.as_str(), scratch.text("older/waytotal").as_str()), ("", "5  \n"));
}

#[cfg(unix)]
#[test]
fn the_program_runs_under_fsl_names() {
    let scratch = usual();
    std::fs::create_dir_all(scratch.path("bin")).unwrap();
    let program = assert_cmd::cargo::cargo_bin("arcuate");
    for (name, arguments, code) in [
        ("probtrackx2", "-h", 2),
        ("probtrackx2_gpu", &format!("{USUAL} -x seed"), 0),
        ("probtrackx2", "", 2),
    ] {
        let link = scratch.path(&format!("bin/{name}"));
        let _ = std::os::unix::fs::symlink(&program, &link);
        let output = std::process::Command::new(link)
            .args(arguments.split_whitespace())
            .current_dir(scratch.path(""))
            .env("CUDA_VISIBLE_DEVICES", "")
            .output()
            .unwrap();
        assert_eq!(CommandOutput::of(arguments, &output).code, code, "{name} {arguments}");
    }
    assert!(scratch.succeed("probtrackx2 -h").contains("-x, --seed"));
}

#[test]
fn errors_are_one_line_with_the_exit_code_of_fsl() {
    let scratch = usual();
    scratch.write("list.txt", "at5 nowhere");
    scratch.write("one.txt", "at5");
    scratch.write("empty.txt", "\n");
    scratch.write("table.txt", "1 2\n3 4\n");
    let lattice = grid(leftwards());
    mask(&scratch, "none.nii.gz", &lattice, |_| false);
    mask(&scratch, "small.nii.gz", &Grid::new([4, 5, 5], leftwards()).unwrap(), |_| true);
    let far = Grid::new([19, 5, 5], Affine::scaling([-2.0, 2.0, 2.0], [90.0, -5.0, 0.0])).unwrap();
    mask(&scratch, "far.nii.gz", &far, |at| at == [9, 2, 2]);
    let refused = "remove it, or use FSL's program";
    for (options, code, message) in [
        ("--frob=1", 2, "--frob: unknown option; write long options as --name=value; -h lists all options".to_owned()),
        ("word", 2, "word: unknown option; write long options as --name=value; -h lists all options".into()),
        ("--stop at5", 2, "--stop: it has no value; write =VALUE after it".into()),
        ("-P many", 2, "--nsamples: `many` is not a valid number for this option; give another".into()),
        ("--nsamples=0", 1, "--nsamples: 0 streamlines per seed give no result; give 1 or more".into()),
        ("--randfib=4", 2, "--randfib: 4 is not a rule; give one of the rules 0, 1, 2 or 3".into()),
        ("--waycond=XOR", 2, "--waycond: `XOR` is not a condition; give AND or OR".into()),
        ("--meshspace=tkras", 2, "--meshspace: `tkras` is not a coordinate space of surfaces; give caret, \
                                  freesurfer, first or vox".into()),
        ("--distthresh1=-1", 2, "--distthresh1: the length -1 mm is not at least 0; give a length in mm".into()),
        ("--omatrix2", 1, "--omatrix2: it needs another option; also give --target2".into()),
        ("--omatrix3", 1, "--omatrix3: it needs another option; also give --target3".into()),
        ("--omatrix4", 1, "--omatrix4: it needs another option; also give --target4".into()),
        ("--os2t", 1, "--os2t: it needs another option; also give --targetmasks".into()),
        ("--network", 1, "seed: a network needs a text file of two regions or more; give a text file of \
                          regions as --seed, or remove --network".into()),
        ("--network -x one.txt", 1, "one.txt: a network needs a text file of two regions or more; give a \
                                     text file of regions as --seed, or remove --network".into()),
        ("--network --waypoints=at5", 1, "--waypoints: with --network the regions of --seed are the only \
                                          waypoints; remove one of the two options".into()),
        ("--simple --omatrix1", 1, "--omatrix1: this result needs seed regions, but --simple uses single \
                                    points; remove one of the two options".into()),
        ("--simple -x table.txt", 1, "table.txt: it is a table of 2 rows and 2 columns; as --seed, give a \
                                      text file with the x, y and z of one seed voxel per line".into()),
        ("--prefdir=at5", 1, format!("--prefdir: this option is not available: a preferred direction is \
                                      not supported; {refused}")),
        ("--whim=at5", 1, format!("--whim: this option is not available: it belongs to a newer version, \
                                   and its meaning is not documented; {refused}")),
        ("--avoid=nowhere", 1, "nowhere: there is no such file; as --avoid, give an image (with or without \
                                .nii.gz), a surface, or a text file that lists such files".into()),
        ("--stop=list.txt", 1, "list.txt: the text file lists nowhere, but there is no such image or \
                                surface; list files of regions (with or without .nii.gz) whose names have no \
                                spaces".into()),
        ("--stop=empty.txt", 1, "empty.txt: the text file names no region; list the files of the regions in \
                                 this text file".into()),
        ("--stop=small", 1, "small.nii.gz: the image size 4 × 5 × 5 differs from the size 20 × 5 × 5 of \
                             seed.nii.gz; give a region that was resampled to its grid".into()),
        ("-x far", 1, "far.nii.gz: the header puts this image up to 80 mm away from \
                       box.bedpostX/nodif_brain_mask.nii.gz; give the transform with --xfm, or resample it \
                       into the space of the samples".into()),
        ("-x none", 1, "none.nii.gz: no voxel and no vertex is inside; give seed regions that have values \
                        other than 0".into()),
        ("--waypoints=none", 1, "none.nii.gz: no voxel is inside, so that no streamline can pass it; give another as --waypoints".into()),
        ("--xfm=nowhere", 1, "nowhere: there is no such file; give a FLIRT matrix or a FNIRT field as --xfm".into()),
        ("-m nowhere", 1, "nowhere: there is no such image; give the name of an image, with or without \
                           .nii.gz".into()),
        (
            "-s box.bedpostX",
            1,
            "box.bedpostX: it is a folder of bedpostX, not the beginning of the names of its samples; add /merged: \
             box.bedpostX/merged"
                .into(),
        ),
        ("-s nowhere/merged", 1, "nowhere: merged_th1samples.nii.gz is missing; run bedpostx again, or copy the whole folder".into()),
        ("--target2=list.txt --omatrix2", 1, "list.txt: the text file lists nowhere, but there is no such \
                                              image or surface; list files of regions (with or without \
                                              .nii.gz) whose names have no spaces".into()),
        ("--fibst=2", 1, "--fibst: fibre 2 was requested, but there are 1 fibres; give the number of a fibre \
                          that exists".into()),
    ] {
        let result = scratch.run(&format!("probtrackx2 {USUAL} -x seed {options}"));
        assert_eq!((result.code, result.errors.as_str()), (code, format!("error: {message}\n").as_str()), "{options}");
    }
    // The folder lacks a file because bedpostx has not finished.
    std::fs::remove_file(scratch.path("box.bedpostX/merged_ph1samples.nii.gz")).unwrap();
    let result = scratch.run(&format!("probtrackx2 {USUAL} -x seed"));
    let message = "error: box.bedpostX: merged_ph1samples.nii.gz is missing; run bedpostx again, or copy the whole folder\n";
    assert_eq!((result.code, result.errors.as_str()), (1, message));
    assert!(!scratch.path("out").exists(), "nothing is left of what did not begin");
    let needed = "-s (--samples), -m (--mask) and -x (--seed) are needed; -h lists all options";
    for (line, name) in [("", "-s, --samples"), ("-s a", "-m, --mask"), ("-s a -m b", "-x, --seed")] {
        scratch.fail(&format!("probtrackx2 {line}"), 2, &format!("error: {name}: it is missing; {needed}"));
    }
}

#[test]
fn options_without_effect_are_reported() {
    let scratch = usual();
    mask(&scratch, "none.nii.gz", &grid(leftwards()), |_| false);
    let result = succeed(&scratch, "-x seed --wayorder --distthresh1=3 --targetmasks=at5 --avoid=none");
    for line in [
        "--wayorder has no effect without --waypoints",
        "--distthresh1 has no effect without --omatrix1",
        "--targetmasks has no effect without --os2t",
        "none.nii.gz: no voxel is inside this region, so --avoid has no effect",
    ] {
        assert!(result.contains(&format!("warning: {line}\n")), "{line}: {result}");
    }
}
