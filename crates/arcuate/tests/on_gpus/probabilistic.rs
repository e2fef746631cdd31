//! `track samples`, `track peaks` and `track bootstrap`: their results, and their errors for invalid inputs.

use crate::common::{Scratch, small_brain};
use arcuate_core::{Affine, Grid, Measure, Point, Volume, length, statistics};
use arcuate_io::{HeaderNotes, WriteOptions, read_axis_tsv, read_matrix_npz, read_surface, write_image};
use serde_json::Value;
use std::ffi::OsStr;

/// A grid of 20 × 8 × 8 voxels of 2 mm.
fn grid() -> Grid {
    Grid::new([20, 8, 8], Affine::scaling([2.0; 3], [-20.0, -8.0, -8.0])).unwrap()
}

/// A mask of the voxels with these x.
fn plane(scratch: &Scratch, name: &str, x: usize) {
    let grid = grid();
    let inside = (0..grid.len()).map(|voxel| f32::from(u8::from(grid.coordinates(voxel)[0] == x))).collect();
    scratch.write_volume(name, &Volume::new(grid, 1, inside).unwrap());
}

/// Writes files of bedpostX for fibres along x, with θ = π/2 and φ = π. The voxels are right-handed, so the x axis of bedpostX is
/// opposite to that of the scanner.
fn samples() -> Scratch {
    let scratch = Scratch::new();
    let grid = grid();
    std::fs::create_dir(scratch.path("x.bedpostX")).unwrap();
    let constant = |value: f32| Volume::filled(grid, 4, value);
    for (name, value) in [("th", std::f32::consts::FRAC_PI_2), ("ph", std::f32::consts::PI), ("f", 0.6)] {
        scratch.write_volume(&format!("x.bedpostX/merged_{name}1samples.nii.gz"), &constant(value));
    }
    scratch.write_volume("x.bedpostX/nodif_brain_mask.nii.gz", &Volume::filled(grid, 1, 1.0));
    for x in [2, 10, 17] {
        plane(&scratch, &format!("x{x}.nii.gz"), x);
    }
    scratch
}

const TRACK: &str = "track samples x.bedpostX --seed-mask x10.nii.gz --per-seed 3";

#[test]
fn visit_maps_count_passing_streamlines() {
    let scratch = samples();
    scratch.succeed(&format!(
        "{TRACK} --preset probtrackx --waypoints x17.nii.gz --targets x2.nii.gz --stop x17.nii.gz \
         --products visits,lengths,streamlines,target-counts --out out"
    ));
    assert_eq!(
        scratch.listing("out"),
        [
            "anatomy.nii.gz",
            "arcuate.json",
            "lengths.nii.gz",
            "regions.nii.gz",
            "seeds_to_x2.nii.gz",
            "streamlines.trx",
            "visits.nii.gz",
            "visits_by_length.nii.gz",
            "visits_normalised.nii.gz"
        ]
    );
    let grid = grid();
    let at =
        |name: &str, x: usize| scratch.volume(&format!("out/{name}.nii.gz")).values()[grid.index([x, 4, 4])];
    // All streamlines go from the middle to x = 17. Some of them also go in the opposite direction.
    assert_eq!((at("visits", 10), at("visits", 17), at("visits", 18)), (3.0, 3.0, 0.0));
    let down = at("visits", 3);
    assert!(down <= 3.0 && at("seeds_to_x2", 10) == down);
    assert!((at("visits_normalised", 10) - 1.0 / 64.0).abs() < 1e-6);
    // x = 17 is 14 mm from the seed. The first point in this voxel is 13 mm from the seed.
    assert_eq!((at("lengths", 17), at("visits_by_length", 17)), (13.0, 39.0));
    let record = scratch.json("out/arcuate.json");
    let figures = record["figures"].to_string();
    assert!(figures.contains("streamlines accepted"), "{figures}");
    assert_eq!(scratch.tractogram("out/streamlines.trx").len(), 3 * 64);
}

#[test]
fn tractograms_do_not_depend_on_the_number_of_threads() {
    let scratch = samples();
    scratch.succeed(&format!("{TRACK} --seed-anywhere --out one.tck --threads 1"));
    scratch.succeed(&format!("{TRACK} --seed-anywhere --out three.tck --threads 3"));
    assert!(scratch.tractogram("one.tck") == scratch.tractogram("three.tck"));
    scratch.succeed("track samples x.bedpostX --select 25 --out some.trx");
    assert_eq!(scratch.tractogram("some.trx").len(), 25);
}

#[test]
fn peaks_and_bootstrap_tensors_can_be_tracked() {
    let scratch = samples();
    // Each voxel has two peaks. The second is shorter and perpendicular to the first.
    let peaks = [0.8, 0.0, 0.0, 0.0, 0.4, 0.0].repeat(grid().len());
    scratch.write_volume("peaks.nii.gz", &Volume::new(grid(), 6, peaks).unwrap());
    scratch.succeed("track peaks peaks.nii.gz --seed-mask x10.nii.gz --per-seed 1 --out peaks.tck");
    for streamline in scratch.tractogram("peaks.tck").as_batch().iter() {
        let [first, last] = [streamline[0], streamline[streamline.len() - 1]];
        assert!((last[0] - first[0]).abs() > 35.0 && (last[1] - first[1]).abs() < 1e-3);
    }
    scratch.succeed(
        "track peaks peaks.nii.gz --initial-fibre 2 --seed-mask x10.nii.gz --per-seed 1 --min-length 0 --out across.tck",
    );
    assert!(scratch.tractogram("across.tck").positions().iter().all(|p| p[0].abs() < 1e-3));

    let brain = Scratch::with(small_brain());
    brain.succeed("track bootstrap dwi.nii.gz --replicates 10 --select 200 --out residuals.tck");
    brain.succeed(
        "track bootstrap dwi.nii.gz --replicates 10 --resampling signs --select 200 --out signs.tck",
    );
    assert_eq!(brain.tractogram("residuals.tck").len(), 200);
    assert!(brain.read("residuals.tck") != brain.read("signs.tck"));
}

#[test]
fn masks_are_mapped_by_a_matrix() {
    let scratch = samples();
    // FSL's coordinates (mm) of both images differ only by 4 mm along x. This axis is opposite to that of the scanner.
    scratch.write("shift.mat", "1 0 0 4\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
    scratch.succeed(&format!(
        "{TRACK} --masks-to-dwi shift.mat --stop x17.nii.gz --step 0.5 --max-steps 400 --out moved.tck"
    ));
    // The seeds at x = 10 are at x = 8 of the images. The stop region at x = 17 is at x = 15.
    let furthest = scratch.tractogram("moved.tck").positions().iter().map(|p| p[0]).fold(f32::MIN, f32::max);
    assert!((furthest - 9.0).abs() < 0.6, "{furthest}");
}

#[test]
fn invalid_requests_give_one_line_errors() {
    let scratch = samples();
    let copy = |from: &str, to: &str| std::fs::copy(scratch.path(from), scratch.path(to)).map(drop).unwrap();
    // Folder a has no φ, folder b has another number of samples, and folder c has a mask of another shape.
    for folder in ["a.bedpostX", "b.bedpostX", "c.bedpostX", "d.bedpostX", "e.bedpostX"] {
        std::fs::create_dir(scratch.path(folder)).unwrap();
        for name in ["merged_th1samples", "merged_ph1samples", "merged_f1samples", "nodif_brain_mask"] {
            copy(&format!("x.bedpostX/{name}.nii.gz"), &format!("{folder}/{name}.nii.gz"));
        }
    }
    std::fs::remove_file(scratch.path("a.bedpostX/merged_ph1samples.nii.gz")).unwrap();
    scratch.write_volume("b.bedpostX/merged_ph1samples.nii.gz", &Volume::filled(grid(), 3, 1.0));
    let other = Grid::new([4; 3], Affine::identity()).unwrap();
    scratch.write_volume("c.bedpostX/nodif_brain_mask.nii.gz", &Volume::filled(other, 1, 1.0));
    // Folder d has a third fibre without a second one. Folder e has samples that are not numbers.
    copy("x.bedpostX/merged_f1samples.nii.gz", "d.bedpostX/merged_f3samples.nii.gz");
    scratch.write_volume("e.bedpostX/merged_f1samples.nii.gz", &Volume::filled(grid(), 4, f32::NAN));
    scratch.write_volume("peaks.nii.gz", &Volume::filled(grid(), 3, 1.0));
    scratch.write("flat.mat", "1 0 0 0\n1 0 0 0\n0 0 1 0\n0 0 0 1\n");
    scratch.write_volume("empty.nii.gz", &Volume::filled(grid(), 1, 0.0));
    let regions = (0..grid().len()).map(|voxel| f32::from(u8::from(grid().coordinates(voxel)[0] < 9)) + 1.0);
    scratch.write_volume("two.nii.gz", &Volume::new(grid(), 1, regions.collect()).unwrap());
    let far = Grid::new([4; 3], Affine::scaling([1.0; 3], [500.0; 3])).unwrap();
    scratch.write_volume("far.nii.gz", &Volume::filled(far, 1, 1.0));
    scratch.write_volume("odd.nii.gz", &Volume::filled(grid(), 4, 1.0));
    scratch.write("bad.mat", "1 2 3\n");
    // A mask on another grid in the same coordinates. The second header has the code of MNI coordinates.
    let finer = Grid::new([40, 16, 16], Affine::scaling([1.0; 3], [-20.0, -8.0, -8.0])).unwrap();
    let path = scratch.path("mni.nii");
    write_image(&path, &Volume::filled(finer, 1, 1.0), &WriteOptions::default()).unwrap();
    scratch.succeed("track samples x.bedpostX --seed-mask mni.nii --per-seed 1 --out as_it_is");
    let mut bytes = scratch.read("mni.nii");
    bytes[254] = 4;
    scratch.write("mni.nii", bytes);
    let seed = "--seed-mask x10.nii.gz --out out";
    for (words, beginning) in [
        ("track samples nowhere --out out".to_owned(), "error: nowhere: there is no such folder"),
        (
            "track samples a.bedpostX --out out".to_owned(),
            "error: a.bedpostX: merged_ph1samples.nii.gz is missing",
        ),
        (
            "track samples b.bedpostX --out out".to_owned(),
            "error: b.bedpostX/merged_ph1samples.nii.gz: the file of fibre samples has 3 volumes",
        ),
        ("track samples c.bedpostX --out out".to_owned(), "error: c.bedpostX/nodif_brain_mask.nii.gz: "),
        (
            format!("track samples x.bedpostX --waypoints empty.nii.gz {seed}"),
            "error: empty.nii.gz: no voxel is inside",
        ),
        (
            format!("track samples x.bedpostX --waypoints far.nii.gz {seed}"),
            "error: far.nii.gz: this waypoint region is outside",
        ),
        (
            format!("track samples x.bedpostX --waypoints x2.nii.gz --avoid x2.nii.gz {seed}"),
            "error: x2.nii.gz: this waypoint region is inside the regions that streamlines must avoid",
        ),
        (
            "track samples x.bedpostX --seed-mask far.nii.gz --out out".to_owned(),
            "error: far.nii.gz: no seed is",
        ),
        (
            "track peaks odd.nii.gz --out out".to_owned(),
            "error: odd.nii.gz: the image of peaks has 4 volumes, which is not a multiple",
        ),
        (
            format!("track samples x.bedpostX --waypoints-in-order {seed}"),
            "error: --waypoints-in-order: there are no",
        ),
        (
            "track samples x.bedpostX --seed-mask mni.nii --out out".to_owned(),
            "error: mni.nii: the header states MNI coordinates, but the header of x.bedpostX/",
        ),
        (
            format!("track samples x.bedpostX --masks-to-dwi bad.mat {seed}"),
            "error: bad.mat: it is not a matrix",
        ),
        (
            format!("track samples x.bedpostX --masks-to-dwi odd.nii.gz {seed}"),
            "error: --masks-to-dwi: a field does",
        ),
        (
            format!("track samples x.bedpostX --initial-fibre 2 {seed}"),
            "error: --initial-fibre: fibre 2 was requested",
        ),
        (
            format!("track samples x.bedpostX --targets x2.nii.gz,x2.nii.gz {seed}"),
            "error: --targets: two targets",
        ),
        (
            format!("track samples x.bedpostX --angle 0 {seed}"),
            "error: --angle: the angle is 0 degrees, but must be",
        ),
        (
            "track samples x.bedpostX --lengths --out a.tck".to_owned(),
            "error: a.tck: this file can contain only streamlines; to write --products lengths, give a \
             folder as --out",
        ),
        (
            "track samples x.bedpostX --labels two.nii.gz --out a.tck".to_owned(),
            "error: a.tck: this file can contain only streamlines; to write a connectome of --labels, give a \
             folder as --out",
        ),
        (
            "track samples x.bedpostX --out a.npz".to_owned(),
            "error: a.npz: this file can contain only a connectome; to write --products streamlines, give a \
             folder as --out",
        ),
        (
            "track samples x.bedpostX --labels two.nii.gz --lengths --out a.npz".to_owned(),
            "error: a.npz: this file can contain only a connectome; to write --products lengths, give a \
             folder as --out",
        ),
        (
            format!("track samples x.bedpostX --labels empty.nii.gz {seed}"),
            "error: empty.nii.gz: no voxel has",
        ),
        (
            format!("track samples x.bedpostX --labels two.nii.gz --assignment-radius 0 {seed}"),
            "error: --assignment-radius: 0 mm",
        ),
        (
            "track samples x.bedpostX --targets x2.nii.gz:3 --out a.tck".to_owned(),
            "error: x2.nii.gz: no voxel of the image has the label 3",
        ),
        (
            "track samples x.bedpostX --threshold 0.1 --out a.tck".to_owned(),
            "error: --threshold: it is a limit of visits_normalised.nii.gz, which is not written",
        ),
        (
            "track samples d.bedpostX --out out".to_owned(),
            "error: d.bedpostX: merged_th2samples.nii.gz is missing",
        ),
        (
            "track samples e.bedpostX --out out".to_owned(),
            "error: e.bedpostX/merged_f1samples.nii.gz: the image has values that are not numbers",
        ),
        (format!("track samples x.bedpostX --masks-to-dwi flat.mat {seed}"), "error: flat.mat: "),
        (
            format!("track samples x.bedpostX --min-half-length 15 --max-length 10 {seed}"),
            "error: --max-length: it is below the shortest half",
        ),
        (
            "track peaks peaks.nii.gz --min-peak 100 --out out".to_owned(),
            "error: peaks.nii.gz: no voxel has a peak",
        ),
        ("track samples nowhere --out out".to_owned(), "error: nowhere: "),
        (format!("track samples x.bedpostX --waypoints typo.nii.gz {seed}"), "error: typo.nii.gz: "),
        (format!("track samples x.bedpostX --fibres n=f {seed}"), "error: --fibres: the fibres of bedpostX"),
    ] {
        let before = scratch.listing(".");
        let result = scratch.run(&words);
        assert!(result.errors.starts_with(beginning), "{words}\n{}", result.errors);
        assert_eq!((result.errors.trim_end().lines().count(), result.output.as_str()), (1, ""), "{words}");
        assert!((1..=2).contains(&result.code), "{words}");
        assert_eq!(scratch.listing("."), before, "{words} left something behind");
    }
}

#[test]
fn masks_are_mapped_by_relative_and_absolute_displacement_fields() {
    let scratch = samples();
    // The shift from the images to the masks is −4 mm, and the shift back is 4 mm. The fields contain displacements, or positions in
    // FSL's coordinates (mm).
    let field = |shift: f32, absolute: bool| {
        let grid = grid();
        let value = |voxel: usize| {
            let [i, j, k] = grid.coordinates(voxel).map(|n| 2.0 * n as f32);
            if absolute { [38.0 - i + shift, j, k] } else { [shift, 0.0, 0.0] }
        };
        Volume::new(grid, 3, (0..grid.len()).flat_map(value).collect()).unwrap()
    };
    for (name, absolute) in [("relative", false), ("absolute", true)] {
        scratch.write_volume(&format!("{name}_there.nii.gz"), &field(-4.0, absolute));
        scratch.write_volume(&format!("{name}_back.nii.gz"), &field(4.0, absolute));
        scratch.succeed(&format!(
            "{TRACK} --masks-to-dwi {name}_there.nii.gz --dwi-to-masks {name}_back.nii.gz --stop x17.nii.gz --step 0.5 \
             --max-steps 400 --out {name}.tck"
        ));
        let positions = scratch.tractogram(&format!("{name}.tck"));
        let furthest = positions.positions().iter().map(|p| p[0]).fold(f32::MIN, f32::max);
        assert!((furthest - 9.0).abs() < 0.6, "{name} {furthest}");
        // The seeds at x = 10 are at x = 8 of the images.
        let seeds = positions.positions().iter().filter(|p| (p[0] - -4.0).abs() < 1e-3).count();
        assert!(seeds >= 3 * 64, "{name} {seeds}");
    }
    // A field may be on another grid than the images that it maps.
    let coarse = Grid::new([4, 2, 2], Affine::scaling([10.0; 3], [-20.0, -8.0, -8.0])).unwrap();
    for (name, shift) in [("coarse_there.nii", -4.0), ("coarse_back.nii", 4.0)] {
        let field = [shift, 0.0, 0.0].repeat(coarse.len());
        scratch.write_volume(name, &Volume::new(coarse, 3, field).unwrap());
    }
    scratch.succeed(&format!(
        "{TRACK} --masks-to-dwi coarse_there.nii --dwi-to-masks coarse_back.nii --stop x17.nii.gz --step 0.5 \
         --max-steps 400 --out coarse.tck"
    ));
    assert!(scratch.tractogram("coarse.tck") == scratch.tractogram("relative.tck"));
    // Surfaces have no FSL coordinates. The field back uses the coordinates of the surfaces' space.
    scratch.write("seeds.asc", cuboid([-0.5, -1.0, -1.0], [0.5, 1.0, 1.0]));
    scratch.succeed("convert seeds.asc seeds.surf.gii --mesh-space caret");
    let line = "track samples x.bedpostX --seed-surfaces seeds.surf.gii --per-seed 2 --step 1 --min-length 0";
    scratch.succeed(&format!(
        "{line} --masks-to-dwi relative_there.nii.gz --dwi-to-masks relative_back.nii.gz --out vertices.tck"
    ));
    let moved = scratch.tractogram("vertices.tck");
    let at =
        |x: f32| moved.positions().iter().filter(|p| (p[0] - x).abs() < 1e-3 && p[1].abs() == 1.0).count();
    assert!(at(-4.5) >= 8 && at(-3.5) >= 8, "{} {}", at(-4.5), at(-3.5));
    scratch.write("shift.mat", "1 0 0 4\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
    let result = scratch.run(&format!("{line} --masks-to-dwi shift.mat --out vertices2.tck"));
    assert!(result.code != 0 && result.errors.contains("only surfaces are given"), "{}", result.errors);
    // The header of spline coefficients must describe their field. This header does not.
    let mut bytes = scratch.read("coarse_there.nii");
    bytes[68..70].copy_from_slice(&2007_i16.to_le_bytes());
    scratch.write("coefficients.nii", bytes);
    let result = scratch.run(&format!(
        "{TRACK} --masks-to-dwi coefficients.nii --dwi-to-masks relative_back.nii.gz --out out"
    ));
    assert!(
        result
            .errors
            .starts_with("error: coefficients.nii: the header states impossible spline coefficients:"),
        "{}",
        result.errors
    );
}

#[test]
fn vertices_have_seeds_in_proportion_to_area() {
    let scratch = samples();
    scratch.write("seeds.asc", cuboid([-0.5, -1.0, -1.0], [0.5, 1.0, 1.0]));
    scratch.succeed("convert seeds.asc seeds.surf.gii --mesh-space caret");
    let line = "track samples x.bedpostX --seed-surfaces seeds.surf.gii --seeds 97 --step 0.3 --min-length 0";
    scratch.succeed(&format!("{line} --out by_area.tck"));
    let lines = scratch.tractogram("by_area.tck");
    assert_eq!(lines.len(), 97);
    let surface = read_surface(&scratch.path("seeds.surf.gii"), None).unwrap();
    let (areas, whole) = (surface.vertex_areas(), 16.0);
    let found: Vec<usize> = surface
        .vertices()
        .iter()
        .map(|vertex| {
            let is_here = |point: &Point| (0..3).all(|axis| (point[axis] - vertex[axis]).abs() < 1e-4);
            (0..lines.len()).filter(|&n| lines.streamline(n).iter().any(is_here)).count()
        })
        .collect();
    assert_eq!(found.iter().sum::<usize>(), 97, "{found:?} {areas:?}");
    for (count, area) in found.iter().zip(&areas) {
        assert!((*count as f64 - 97.0 * area / whole).abs() <= 1.0, "{found:?} {areas:?}");
    }
    assert!(
        found.iter().max() > found.iter().min().map(|minimum| minimum + minimum / 2).as_ref(),
        "{found:?}"
    );
    // The number of threads does not change the streamlines. Some options are refused.
    scratch.succeed(&format!("{line} --threads 1 --out again.tck"));
    assert!(scratch.tractogram("again.tck") == lines);
    for (options, problem) in [
        ("--seed-mask x.bedpostX/nodif_brain_mask.nii.gz --out m.tck", "voxels have none"),
        (
            "--targets x17.nii.gz --products target-counts --out maps",
            "vertices have streamlines by their areas",
        ),
        ("--matrix seeds --out matrix", "each with as many streamlines as the others"),
    ] {
        let result = scratch.run(&format!("{line} {options}"));
        assert!(result.code != 0 && result.errors.contains(problem), "{options}: {}", result.errors);
    }
}

/// Writes an ITK warp that moves all points by `shift` mm along the first LPS axis.
fn warp(scratch: &Scratch, name: &str, shift: f32) {
    let field = Volume::new(grid(), 3, [shift, 0.0, 0.0].repeat(grid().len())).unwrap();
    let notes = HeaderNotes { dimensions: vec![20, 8, 8, 1, 3], ..HeaderNotes::default() };
    write_image(&scratch.path(name), &field, &WriteOptions { notes, ..WriteOptions::default() }).unwrap();
    let mut bytes = scratch.read(name);
    bytes[68..70].copy_from_slice(&1007_i16.to_le_bytes());
    scratch.write(name, bytes);
}

#[test]
fn masks_are_mapped_by_ants_transforms() {
    let scratch = samples();
    scratch.write("shift.mat", "1 0 0 4\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
    let follow = |options: &str, out: &str| {
        scratch.succeed(&format!(
            "{TRACK} {options} --stop x17.nii.gz --step 0.5 --max-steps 400 --out {out}.tck"
        ));
        scratch.tractogram(&format!("{out}.tck"))
    };
    let expected = follow("--masks-to-dwi shift.mat", "flirt");
    // The transform that resamples masks to the images maps points of the images to the masks: by 4 mm along the first LPS axis.
    let text = |by: f64| {
        format!(
            "#Insight Transform File V1.0\nTransform: TranslationTransform_double_3_3\nParameters: {by} 0 0\n\
             FixedParameters:\n"
        )
    };
    scratch.write("whole.txt", text(-4.0));
    scratch.write("half.txt", text(-2.0));
    warp(&scratch, "1Warp.nii", -2.0);
    warp(&scratch, "1InverseWarp.nii", 2.0);
    for (n, options) in [
        "--masks-to-dwi whole.txt",
        "--masks-to-dwi half.txt,half.txt",
        "--masks-to-dwi whole.txt --masks-to-dwi half.txt,half.txt:inverse",
        "--masks-to-dwi 1Warp.nii,half.txt --dwi-to-masks half.txt:inverse,1InverseWarp.nii",
    ]
    .into_iter()
    .enumerate()
    {
        let found = follow(options, &format!("ants_{n}"));
        assert_eq!(found.len(), expected.len(), "{options}");
        let distances = found.positions().iter().zip(expected.positions());
        let furthest = distances.flat_map(|(a, b)| [0, 1, 2].map(|axis| (a[axis] - b[axis]).abs()));
        assert!(furthest.fold(0.0, f32::max) < 1e-4, "{options}");
    }
    for (options, beginning) in [
        ("--masks-to-dwi 1Warp.nii", "error: --masks-to-dwi: a field does not define its inverse"),
        (
            "--masks-to-dwi 1Warp.nii --dwi-to-masks 1InverseWarp.nii:inverse",
            "error: 1InverseWarp.nii: it is a field, which cannot be inverted here",
        ),
        (
            "--masks-to-dwi 1Warp.nii,1Warp.nii --dwi-to-masks 1InverseWarp.nii",
            "error: 1Warp.nii: it is a second field on the same way",
        ),
        (
            "--masks-to-dwi whole.txt --dwi-to-masks half.txt",
            "error: --dwi-to-masks: the way back is that of the matrix",
        ),
        ("--masks-to-dwi whole.txt,shift.mat", "error: --masks-to-dwi: transforms of FSL do not go together"),
        ("--masks-to-dwi [whole.txt,1]", "error: --masks-to-dwi [whole.txt: the syntax `[FILE,1]` of ANTs"),
        ("--masks-to-dwi missing.h5", "error: missing.h5: no such file"),
    ] {
        let result = scratch.run(&format!("{TRACK} {options} --out refused.tck"));
        assert!(result.code != 0 && result.errors.starts_with(beginning), "{options}\n{}", result.errors);
    }
}

/// Returns a row of the table of the outcomes of streamlines.
fn became(record: &Value, what: &str) -> (u64, String) {
    let tables = record["tables"].as_array().unwrap();
    let table = tables.iter().find(|table| table["title"] == "Streamlines").unwrap();
    let rows = table["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row[0] == what).unwrap_or_else(|| panic!("{what}: {rows:?}"));
    (row[1].as_u64().unwrap(), row[2].as_str().unwrap().to_owned())
}

/// Writes fractions of 0.6 below x = 10 and of 0.1 elsewhere. The orientations are those of `samples`.
fn faint_beyond_the_middle(scratch: &Scratch) {
    let grid = grid();
    let fraction = |voxel| if grid.coordinates(voxel)[0] < 10 { 0.6 } else { 0.1 };
    let fractions = (0..grid.len()).flat_map(|voxel| [fraction(voxel); 4]).collect();
    scratch.write_volume("x.bedpostX/merged_f1samples.nii.gz", &Volume::new(grid, 4, fractions).unwrap());
}

#[test]
fn tractograms_start_in_white_matter_and_report_exclusions() {
    let scratch = samples();
    faint_beyond_the_middle(&scratch);
    // Streamlines that begin beyond the stop region are about 5 mm long. The others are about 35 mm long.
    let result = scratch.succeed("track samples x.bedpostX --seeds 200 --stop x2.nii.gz --out some.tck");
    assert!(
        result.contains("seeds in 640 of 1280 voxels, whose fibres together have a fraction of 0.2 or more"),
        "{result}"
    );
    assert!(
        result.contains(
            "at most 45° between steps of 1 mm, which corresponds to a radius of curvature of 1.31 mm; \
             fibres above 0.05; at least 20 mm"
        ),
        "{result}"
    );
    let record = scratch.json("some.tck.json");
    let (short, share) = became(&record, "shorter than the minimum");
    assert!((20..120).contains(&short), "{short}");
    assert_eq!(share, format!("{:.1} %", short as f64 / 2.0));
    assert!(result.contains(&format!("{share} shorter than the minimum")), "{result}");
    let choices = record["choices"].to_string();
    for choice in ["640 of 1280 voxels", "a radius of curvature of 1.31 mm", "fractions above 0.05", "20 mm"]
    {
        assert!(choices.contains(choice), "{choice}: {choices}");
    }
    // With a lower limit, or with a mask, streamlines also begin elsewhere.
    let result = scratch.succeed("track samples x.bedpostX --seeds 200 --seed-cutoff 0.05 --out all.tck");
    assert!(result.contains("seeds in 1280 of 1280 voxels"), "{result}");
    let result =
        scratch.succeed("track samples x.bedpostX --seeds 200 --seed-mask x17.nii.gz --out mask.tck");
    assert!(!result.contains("seeds in"), "{result}");
    for (words, beginning) in [
        ("--seed-cutoff 0.7", "error: x.bedpostX: no voxel has fibre fractions whose sum is at least 0.7;"),
        (
            "--seed-cutoff 1.5",
            "error: --seed-cutoff: the smallest fibre fraction at a seed, 1.5, is not from 0 to 1;",
        ),
        ("--seed-cutoff 0.3 --seed-mask x10.nii.gz", "error: "),
    ] {
        let result = scratch.run(&format!("track samples x.bedpostX {words} --out none.tck"));
        assert!(result.code != 0 && result.errors.starts_with(beginning), "{words}\n{}", result.errors);
        assert!(!scratch.path("none.tck").exists());
    }
}

#[test]
fn the_probtrackx_preset_has_the_probtrackx_defaults() {
    let scratch = samples();
    faint_beyond_the_middle(&scratch);
    scratch.succeed("track samples x.bedpostX --preset probtrackx --per-seed 1 --out plain");
    scratch.succeed(
        "track samples x.bedpostX --products visits --per-seed 1 --step 0.5 --angle 78.463040967 --cutoff 0.01 --min-length 0 \
         --seed-cutoff 0 --out stated",
    );
    assert!(scratch.read("plain/visits.nii.gz") == scratch.read("stated/visits.nii.gz"));
    assert_eq!(became(&scratch.json("plain/arcuate.json"), "accepted").0, 1280);
}

#[test]
fn the_default_minimum_length_follows_voxel_size_and_maximum_length() {
    let scratch = Scratch::new();
    // The image is 6 mm long. Ten voxels are 3 mm long.
    let grid = Grid::new([20, 8, 8], Affine::scaling([0.3; 3], [-3.0, -1.2, -1.2])).unwrap();
    let peaks = [1.0, 0.0, 0.0].repeat(grid.len());
    scratch.write_volume("peaks.nii.gz", &Volume::new(grid, 3, peaks).unwrap());
    let lengths = |name: &str| -> Vec<f32> {
        let ends = |line: &[[f32; 3]]| (line[0][0] - line[line.len() - 1][0]).abs();
        scratch.tractogram(name).as_batch().iter().map(ends).collect()
    };
    scratch.succeed("track peaks peaks.nii.gz --seeds 100 --out small.tck");
    let small = lengths("small.tck");
    assert!(small.len() > 50 && small.iter().all(|length| *length > 2.99), "{small:?}");
    scratch.succeed("track peaks peaks.nii.gz --seeds 100 --max-steps 16 --out few.tck");
    let few = lengths("few.tck");
    assert!(few.len() > 90 && few.iter().all(|length| *length < 2.2), "{few:?}");
    // Four steps of 0.15 mm are 0.6 mm. No whole number of steps of 0.5 mm is between the two limits.
    scratch.succeed(
        "track peaks peaks.nii.gz --seeds 100 --max-steps 6 --min-length 0.55 --max-length 0.65 --out between.tck",
    );
    assert!(lengths("between.tck").iter().all(|length| (length - 0.6).abs() < 1e-3));
}

#[test]
fn whole_brain_tractograms_connect_connected_regions() {
    let scratch = Scratch::new();
    scratch.succeed(
        "simulate --out brain --voxel-size 4 --directions 32 --b-value 1000 --b0s 4 --random-seed 7",
    );
    scratch.succeed(
        "fit ball-2-sticks brain/dwi.nii.gz --mask brain/mask.nii.gz --method mcmc --burn-in 200 --jumps 200 --interval 8 \
         --out fit",
    );
    scratch.succeed("track samples fit --select 4000 --out tracks.tck");
    let tractogram = scratch.tractogram("tracks.tck");
    let mut lengths: Vec<f64> = tractogram
        .as_batch()
        .iter()
        .map(|line| {
            let squares =
                line.windows(2).map(|pair| (0..3).map(|n| (pair[1][n] - pair[0][n]).powi(2)).sum::<f32>());
            squares.map(|square| f64::from(square.sqrt())).sum()
        })
        .collect();
    lengths.sort_by(f64::total_cmp);
    let median = statistics::quantile_of_sorted(&lengths, 0.5).unwrap();
    assert!(median > 35.0, "{median} mm in the median, 8.5 with what maps have");
    assert!(lengths[0] > 19.9, "{} mm", lengths[0]);

    scratch.succeed("connectome tracks.tck --labels brain/labels.nii.gz --out matrices");
    let counts: Vec<Vec<f64>> = scratch
        .text("matrices/connectome_counts.csv")
        .lines()
        .map(|line| line.split(',').map(|cell| cell.trim().parse().unwrap()).collect())
        .collect();
    assert_eq!(counts.len(), 30);
    let (mut joined, mut right, mut found, mut wrong) = (0.0, 0.0, 0, 0);
    for (i, row) in counts.iter().enumerate() {
        for (j, &count) in row.iter().enumerate().skip(i + 1) {
            // Bundle n joins the regions 2 n + 1 and 2 n + 2.
            let is_true = i % 2 == 0 && j == i + 1;
            joined += count;
            right += if is_true { count } else { 0.0 };
            found += i32::from(is_true && count >= 4.0);
            wrong += i32::from(!is_true && count >= 4.0);
        }
    }
    // With the former defaults of maps, the results were 3 %, 75 % and 8 true pairs.
    assert!(joined > 0.2 * 4000.0, "{joined} of 4000 join two regions");
    assert!(right > 0.95 * joined, "{right} of {joined} join the regions of a bundle");
    assert!(found >= 13 && wrong <= 6, "{found} true pairs, {wrong} false ones");
}

/// Writes an image with the regions 4 and 9 at the ends and the region 6 in the middle.
fn labels(scratch: &Scratch) {
    let grid = grid();
    let region = |voxel| match grid.coordinates(voxel)[0] {
        0..3 => 4.0,
        10 => 6.0,
        17.. => 9.0,
        _ => 0.0,
    };
    scratch
        .write_volume("labels.nii.gz", &Volume::new(grid, 1, (0..grid.len()).map(region).collect()).unwrap());
}

#[test]
fn connections_are_counted_without_storing_streamlines() {
    let scratch = samples();
    labels(&scratch);
    let track = "track samples x.bedpostX --seed-mask x10.nii.gz --per-seed 40 --stop x2.nii.gz";
    scratch.succeed(&format!("{track} --products visits --labels labels.nii.gz --out counted"));
    scratch.succeed(&format!("{track} --labels labels.nii.gz --streamlines --out kept"));
    scratch.succeed("connectome kept/streamlines.trx --labels labels.nii.gz --out matrices");
    for name in ["connectome_counts.csv", "connectome_counts.npy", "connectome_regions.csv"] {
        let matrices = scratch.read(&format!("matrices/{name}"));
        assert_eq!(scratch.read(&format!("counted/{name}")), matrices, "{name}");
        assert_eq!(scratch.read(&format!("kept/{name}")), matrices, "{name}");
    }
    assert_eq!(scratch.text("counted/connectome_counts.csv"), "0,0,2560\n0,0,0\n2560,0,0\n");
    let lengths = |folder: &str| -> Vec<f64> {
        let text = scratch.text(&format!("{folder}/connectome_lengths.csv"));
        text.lines().flat_map(|line| line.split(',')).map(|number| number.parse().unwrap()).collect()
    };
    assert!(lengths("counted")[2] > 25.0);
    for (counted, other) in lengths("counted").into_iter().zip(lengths("matrices")) {
        // Lengths are summed in fractions of a millimetre.
        assert!((counted - other).abs() <= 1.0 / 65536.0, "{counted} {other}");
    }
    let record = scratch.json("counted/arcuate.json");
    for (name, count) in
        [("streamlines that join two regions", 2560), ("streamlines with both ends in one region", 0)]
    {
        assert_eq!(record["figures"][name]["value"], count);
    }
    assert!(!scratch.path("counted/streamlines.trx").exists());

    // Sparse matrices without other results have the same entries.
    scratch.succeed(&format!("{track} --labels labels.nii.gz --out sparse.npz"));
    assert!(scratch.path("sparse.npz.json").exists() && !scratch.path("sparse.npz").exists());
    for (measure, name) in [(Measure::Count, "counts"), (Measure::MeanLength, "lengths")] {
        let rows = read_axis_tsv(&scratch.path("sparse_regions.tsv")).unwrap();
        let file = scratch.path(&format!("sparse_{name}.npz"));
        let sparse = read_matrix_npz(&file, rows, None, measure.clone()).unwrap();
        let text = scratch.text(&format!("counted/connectome_{name}.csv"));
        for (row, line) in text.lines().enumerate() {
            for (column, number) in line.split(',').enumerate() {
                let entry = sparse.get(&measure, row, column).unwrap_or(0.0);
                assert_eq!(entry, number.parse::<f64>().unwrap(), "{name} {row} {column}");
            }
        }
    }

    // An emulated GPU gives the same bits.
    if let Some(driver) = arcuate_emulation::library_folder("connections of the command line") {
        let environment = [("LD_LIBRARY_PATH", driver.as_os_str()), ("ARCUATE_NO_FALLBACK", OsStr::new("1"))];
        let on_gpu = format!("{track} --products visits --labels labels.nii.gz --device cuda --out there");
        let result = scratch.run_with(&on_gpu, &environment);
        assert_eq!(result.code, 0, "{}", result.errors);
        for name in ["connectome_counts.csv", "connectome_lengths.npy", "visits.nii.gz"] {
            assert_eq!(
                scratch.read(&format!("there/{name}")),
                scratch.read(&format!("counted/{name}")),
                "{name}"
            );
        }
        assert!(scratch.text("there/arcuate.json").contains("Emulated GPU"));
    }
}

#[test]
fn labels_of_an_image_are_regions() {
    let scratch = samples();
    labels(&scratch);
    let track = "track samples x.bedpostX --seed-mask x10.nii.gz --per-seed 3";
    // The regions 4 and 9 are the ends. The seeds are in the region 6, which is not a target.
    let result = scratch.succeed(&format!(
        "{track} --products target-counts --targets labels.nii.gz:4,labels.nii.gz:9 --out maps"
    ));
    assert!(result.contains("192 of 192"), "{result}");
    for name in ["seeds_to_labels_4", "seeds_to_labels_9"] {
        let hits = scratch.volume(&format!("maps/{name}.nii.gz"));
        assert_eq!(hits.values().iter().sum::<f32>(), 192.0, "{name}");
    }
    // Masks of the same voxels give the same streamlines. The record of a tractogram has the counts.
    for (regions, files) in [
        ("--stop labels.nii.gz:4 --waypoints labels.nii.gz:9", "--stop low.nii.gz --waypoints high.nii.gz"),
        ("--avoid labels.nii.gz:4", "--avoid low.nii.gz"),
    ] {
        let grid = grid();
        for (name, range) in [("low.nii.gz", 0..3), ("high.nii.gz", 17..20)] {
            let inside = |voxel: usize| f32::from(u8::from(range.contains(&grid.coordinates(voxel)[0])));
            scratch.write_volume(name, &Volume::new(grid, 1, (0..grid.len()).map(inside).collect()).unwrap());
        }
        for (regions, out) in [(regions, "labels.tck"), (files, "masks.tck")] {
            // If one half is excluded, the other half is at most 20 mm long.
            let track = format!("{track} --min-length 5 --targets labels.nii.gz:9");
            scratch.succeed(&format!("{track} {regions} --force --out {out}"));
        }
        let lines = |name: &str| scratch.tractogram(name);
        assert!(lines("labels.tck").len() > 100 && lines("labels.tck") == lines("masks.tck"), "{regions}");
        let record = scratch.text("labels.tck.json");
        assert!(record.contains("labels_9"), "{record}");
    }
}

#[test]
fn reported_lengths_agree_with_the_points() {
    let scratch = samples();
    let peaks = [0.5, 0.3, 0.2].repeat(grid().len());
    scratch.write_volume("peaks.nii.gz", &Volume::new(grid(), 3, peaks).unwrap());
    let track = "track peaks peaks.nii.gz --select 300 --step 0.5";
    for (folder, more) in [("all", ""), ("some", "--min-length 20 --max-length 25")] {
        let result = scratch.succeed(&format!("{track} {more} --out {folder}.tck"));
        let streamlines = scratch.tractogram(&format!("{folder}.tck"));
        let mut lengths: Vec<f64> = streamlines.iter().map(length).collect();
        lengths.sort_by(f64::total_cmp);
        if !more.is_empty() {
            // The limits hold exactly, although the sum of 40 steps of 0.5 mm can be slightly below 20 mm.
            assert!(lengths[0] >= 20.0 && lengths[299] <= 25.0, "{} to {}", lengths[0], lengths[299]);
        }
        let mean = lengths.iter().sum::<f64>() / 300.0;
        let median = lengths[149].midpoint(lengths[150]);
        assert!(result.contains(&format!(", {mean:.1} mm on average (median {median:.1})")), "{result}");
        let figures = scratch.json(&format!("{folder}.tck.json"))["figures"].clone();
        for (name, expected) in [("mean length", mean), ("median length", median)] {
            assert_eq!(figures[name]["unit"], "mm");
            assert!((figures[name]["value"].as_f64().unwrap() - expected).abs() < 1e-4, "{figures}");
        }
    }
    let kept = scratch.succeed("edit some.tck --min-length 20 --max-length 25 --out again.tck");
    assert_eq!(kept, "300 of 300 streamlines kept\n");
    // Maps have no points. Their lengths are the lengths of the steps.
    let result = scratch.succeed(&format!("{TRACK} --products visits --out maps"));
    let (_, length) = result.split_once(" accepted (100.0 %), ").unwrap();
    let length: f64 = length.strip_suffix(" mm on average\n").unwrap().parse().unwrap();
    assert!((36.0..41.0).contains(&length), "{result}");
}

#[test]
fn steps_larger_than_voxels_are_rejected_or_reported() {
    let brain = Scratch::with(small_brain());
    brain.succeed("fit tensor dwi.nii.gz --mask mask.nii.gz --out t");
    let geodesic = "track geodesic t/tensor.nii.gz --seed-mask white_matter.nii.gz --all --out out";
    brain.fail(
        &format!("{geodesic} --step 7.5"),
        2,
        "error: --step: the step of 7.5 mm is longer than the shortest voxel edge of 5 mm; use a shorter \
         step, for example 0.1 voxel",
    );
    for (n, track) in [
        "track tensor t/tensor.nii.gz --select 20 --min-length 0",
        "track tensor t/tensor.nii.gz --select 20 --min-length 0 --integrator euler",
        "track peaks t/principal_direction.nii.gz --select 20",
        "track bootstrap dwi.nii.gz --mask white_matter.nii.gz --replicates 2 --select 20",
    ]
    .into_iter()
    .enumerate()
    {
        let track = format!("{track} --out out{n}.tck");
        brain.fail(
            &format!("{track} --step 50"),
            2,
            "error: --step: the step of 50 mm is 10.0 voxels of 5.000 mm; use half a voxel or less; the \
             maximum is two voxels",
        );
        brain.succeed_with(
            &format!("{track} --step 7.5"),
            "warning: --step: 7.5 mm are 1.5 voxels of 5.000 mm: streamlines pass voxels without looking at \
             them and cut corners; take half a voxel or less",
        );
        brain.succeed(&format!("{track} --step 5 --force"));
    }
}

#[test]
fn ambiguous_file_names_are_rejected_unless_one_is_given() {
    let scratch = samples();
    let other = |name: &str| {
        scratch.write(&format!("x.bedpostX/{name}.nii"), scratch.read(&format!("x.bedpostX/{name}.nii.gz")));
    };
    for name in ["merged_ph1samples", "merged_f1samples", "nodif_brain_mask"] {
        other(name);
        scratch.fail(
            &format!("{TRACK} --out out"),
            1,
            &format!(
                "error: x.bedpostX/{name}.nii.gz: {name}.nii exists, too, and it is not clear which of the \
                 two files to use; remove the file that is out of date"
            ),
        );
        if name == "nodif_brain_mask" {
            scratch.succeed(&format!("{TRACK} --mask x.bedpostX/{name}.nii --out out"));
        }
        std::fs::remove_file(scratch.path(&format!("x.bedpostX/{name}.nii"))).unwrap();
    }
    scratch.succeed(&format!("{TRACK} --out out --force"));
}

#[test]
fn peak_tracking_does_not_depend_on_peak_length() {
    let scratch = samples();
    let mut streamlines = Vec::new();
    for length in [1.0, 1e-12, 1e-13, 1e-30] {
        let mut peaks = Volume::filled(grid(), 3, 0.0f32);
        peaks
            .values_mut()
            .chunks_exact_mut(3)
            .for_each(|peak| peak.copy_from_slice(&[length, 0.5 * length, 0.0]));
        scratch.write_volume("peaks.nii.gz", &peaks);
        scratch.succeed(
            "track peaks peaks.nii.gz --seed-mask x10.nii.gz --per-seed 3 --streamlines --out p --force",
        );
        streamlines.push(scratch.tractogram("p/streamlines.trx"));
    }
    assert!(streamlines[0].positions().len() > 10 * streamlines[0].len());
    assert!(streamlines.iter().all(|other| *other == streamlines[0]));
}

#[test]
fn peaks_use_the_stated_axes() {
    let scratch = samples();
    // The peaks are oblique, so that a wrong sign changes the streamlines. In FSL's axes, x of right-handed voxels is reversed.
    for (name, x) in [("scanner", 1.0f32), ("fsl", -1.0)] {
        let peaks = [x, 0.5, 0.0].repeat(grid().len());
        scratch.write_volume(&format!("{name}.nii.gz"), &Volume::new(grid(), 3, peaks).unwrap());
    }
    let followed = |options: &str| {
        let line = "--seed-mask x10.nii.gz --per-seed 3 --streamlines --out p --force";
        scratch.succeed(&format!("track peaks {options} {line}"));
        scratch.tractogram("p/streamlines.trx")
    };
    let expected = followed("scanner.nii.gz");
    assert!(expected.positions().len() > 10 * expected.len());
    assert_eq!(followed("scanner.nii.gz --peaks-frame scanner"), expected);
    assert_eq!(followed("scanner.nii.gz --peaks-frame image"), expected);
    assert_eq!(followed("fsl.nii.gz --peaks-frame fsl"), expected);
    assert_ne!(followed("fsl.nii.gz"), expected);
}

/// Returns the text of the surface of a box, in scanner coordinates (mm).
fn cuboid(low: [f64; 3], high: [f64; 3]) -> String {
    let corner = |n: usize| [0, 1, 2].map(|axis| if n >> axis & 1 == 0 { low[axis] } else { high[axis] });
    let vertices: Vec<String> = (0..8).map(corner).map(|[x, y, z]| format!("{x} {y} {z} 0\n")).collect();
    let vertices = vertices.concat();
    let triangles = "0 2 1 0\n1 2 3 0\n4 5 6 0\n5 7 6 0\n0 1 4 0\n1 5 4 0\n2 6 3 0\n3 6 7 0\n0 4 2 0\n2 4 6 0\n1 3 5 0\n3 7 5 0\n";
    format!("#!ascii a box\n8 12\n{vertices}{triangles}")
}

#[test]
fn surfaces_can_be_regions_and_seeds() {
    let scratch = samples();
    // The fibres are parallel to x. The box is wider than the image and begins at x = 3 mm, between centres of voxels.
    scratch.write("box.asc", cuboid([3.0, -100.0, -100.0], [9.0, 100.0, 100.0]));
    scratch.succeed("convert box.asc box.surf.gii --mesh-space caret");
    scratch.write("seeds.asc", cuboid([-0.5, -1.0, -1.0], [0.5, 1.0, 1.0]));
    scratch.succeed("convert seeds.asc lh.seeds.surf.gii --mesh-space caret --structure CORTEX_LEFT");
    let track =
        "track samples x.bedpostX --seed-surfaces lh.seeds.surf.gii --per-seed 2 --step 1 --min-length 0";
    let ends = |options: &str| -> (usize, f32, f32) {
        scratch.succeed(&format!("{track} {options} --out t.tck --force"));
        let tracks = scratch.tractogram("t.tck");
        let x = |point: &[f32; 3]| point[0];
        let (minimum, maximum) =
            tracks.positions().iter().map(x).fold((f32::MAX, f32::MIN), |(a, b), x| (a.min(x), b.max(x)));
        (tracks.len(), minimum, maximum)
    };
    // Each of the eight vertices has two streamlines through the whole image.
    let (count, _, maximum) = ends("");
    assert_eq!(count, 16);
    assert!(maximum > 15.0, "{maximum}");
    // The first point after the surface is less than a step from it. The same applies to the inside of the box.
    for stop in ["box.surf.gii", "box.surf.gii:inside"] {
        let (count, _, maximum) = ends(&format!("--stop {stop}"));
        assert!(count == 16 && maximum > 3.0 && maximum < 4.1, "{stop}: {count} {maximum}");
    }
    let (_, _, maximum) = ends("--stop-on-exit box.surf.gii");
    assert!(maximum > 7.9 && maximum <= 9.0, "{maximum}");
    // The halves towards higher x are removed.
    let (count, _, maximum) = ends("--avoid box.surf.gii:inside");
    assert!(count == 16 && maximum < 0.6, "{count} {maximum}");
    // A second box separates the vertices of the two sides. Each side has four vertices.
    scratch.write("gate.asc", cuboid([0.1, -100.0, -100.0], [0.3, 100.0, 100.0]));
    scratch.succeed("convert gate.asc gate.surf.gii --mesh-space caret");
    assert_eq!(ends("--waypoints box.surf.gii --waypoints-one-way --avoid gate.surf.gii").0, 8);
    let (_, minimum, _) = ends("--seed-depth 0.4 --stop lh.seeds.surf.gii");
    assert!(minimum < -0.5 && minimum > -1.6, "{minimum}");
    // The same region selects streamlines of a file.
    ends("");
    let result = scratch.run("edit t.tck --out kept.tck --avoid box.surf.gii");
    assert!(
        result.code == 0 && result.errors.contains("no streamline matches all options"),
        "{}",
        result.errors
    );

    scratch.write("open.asc", "#!ascii open\n3 1\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 1 2 0\n");
    scratch.succeed("convert open.asc open.surf.gii --mesh-space caret");
    scratch.write("far.asc", cuboid([303.0, 0.0, 0.0], [309.0, 10.0, 10.0]));
    scratch.succeed("convert far.asc far.surf.gii --mesh-space caret");
    scratch.succeed("convert box.asc rh.left.surf.gii --mesh-space caret --structure CORTEX_LEFT");
    scratch.succeed("convert far.asc lh.right.surf.gii --mesh-space caret --structure CORTEX_RIGHT");
    scratch.write("right.asc", cuboid([-20.0, 0.0, 0.0], [-10.0, 10.0, 10.0]));
    scratch.succeed("convert right.asc rh.surf.gii --mesh-space caret --structure CORTEX_RIGHT");
    for (options, message) in [
        (
            "--stop box.asc",
            "error: box.asc: the surface file does not state its coordinate space; convert it first",
        ),
        ("--stop open.surf.gii:inside", "error: open.surf.gii:inside: the surface is not closed: 3 edges"),
        (
            "--waypoints far.surf.gii",
            "error: far.surf.gii: this waypoint region is outside the voxels that have fibre orientations",
        ),
        ("--stop box.surf.gii:outside", "the text after the name of the surface is not known"),
        (
            "--stop rh.left.surf.gii,rh.surf.gii",
            "error: rh.left.surf.gii: this surface is a left hemisphere, but is to the right of",
        ),
        ("--seed-radius 1 --seeds 5", "cannot be used with"),
    ] {
        let result = scratch.run(&format!("{track} {options} --out u.tck --force"));
        assert!(result.code != 0 && result.errors.contains(message), "{options}: {}", result.errors);
    }
    let result =
        scratch.run("track samples x.bedpostX --seed-surfaces far.surf.gii --per-seed 2 --out u.tck --force");
    assert!(
        result.code != 0 && result.errors.contains("error: far.surf.gii: no seed is in a voxel"),
        "{}",
        result.errors
    );
}

#[test]
fn streamlines_do_not_depend_on_products_and_names() {
    let scratch = samples();
    let run = |options: &str, out: &str| {
        scratch.succeed(&format!("track samples x.bedpostX --targets x2.nii.gz {options} --out {out}"));
    };
    for (options, presets) in
        [("--select 40", ""), ("--seed-mask x10.nii.gz --per-seed 3", "--preset probtrackx")]
    {
        let options = format!("{options} {presets} --random-seed 5 --force");
        run(&format!("{options} --products streamlines"), "a.trx");
        run(&format!("{options} --products streamlines"), "folder");
        run(&format!("{options} --products visits,lengths,target-counts,streamlines"), "all");
        run(&format!("{options} --products visits"), "visits.nii.gz");
        let alone = scratch.tractogram("a.trx");
        assert!(alone.len() >= 40);
        assert!(scratch.tractogram("folder/streamlines.trx") == alone, "{options}");
        assert!(scratch.tractogram("all/streamlines.trx") == alone, "{options}");
        let visits = |name: &str| scratch.volume(name);
        assert!(visits("visits.nii.gz").values() == visits("all/visits.nii.gz").values(), "{options}");
        // The map counts the streamlines of the tractogram.
        let grid = *visits("visits.nii.gz").grid();
        let mut counts = vec![0.0f32; grid.len()];
        for line in alone.iter() {
            let voxels: std::collections::BTreeSet<usize> =
                line.iter().filter_map(|point| grid.voxel_at(point.map(f64::from))).collect();
            for voxel in voxels {
                counts[voxel] += 1.0;
            }
        }
        let differ = counts.iter().zip(visits("visits.nii.gz").values()).filter(|(a, b)| a != b).count();
        // Points on the face between two voxels are rounded to one of them.
        assert!(differ * 50 <= grid.len(), "{options}: {differ} of {} voxels", grid.len());
    }
    // Without --products, a folder has only streamlines.
    run("--select 40", "default");
    assert_eq!(scratch.listing("default"), ["arcuate.json", "streamlines.trx"]);
}

#[test]
fn names_that_do_not_suit_the_products_are_rejected_first() {
    let scratch = Scratch::new();
    for (words, error) in [
        (
            "--products visits --out a.trx",
            "a.trx: this file can contain only streamlines; to write --products visits, give a folder as \
             --out",
        ),
        (
            "--out a.nii.gz",
            "a.nii.gz: this file can contain only visits; to write --products streamlines, give a folder as \
             --out",
        ),
        (
            "--out a.vtk",
            "a.vtk: the result is a folder, but the name ends in .vtk, as a file; use --out a, or another \
             name without this ending",
        ),
        (
            "--out a.tkr",
            "a.tkr: .tkr differs by a letter from .trk, the ending of a file; use --out a for a folder, or correct the ending for \
             a file",
        ),
    ] {
        // The folder of samples does not exist.
        scratch.fail(&format!("track samples nowhere {words}"), 2, &format!("error: {error}"));
    }
}
