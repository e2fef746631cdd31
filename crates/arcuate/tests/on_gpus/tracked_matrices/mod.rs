//! Matrices that are counted during tracking equal matrices that are counted from the written streamlines, for any
//! number of threads.

mod interrupted;
mod parts;

use crate::common::Scratch;
use arcuate_core::{
    Affine, BrainElements, BrainModel, BrainModels, Cancel, Control, ErrorKind, Grid, Mask, Measure, Point,
    Structure, Tractogram, Volume,
};
use arcuate_io::{
    CiftiAxis, CiftiFile, CiftiWriter, read_axis_tsv, read_mask, read_matrix, read_matrix_csv,
    read_surface_file,
};
use arcuate_pipeline::host::LibraryHost;
use arcuate_pipeline::job::{Job, JobOptions};
use arcuate_pipeline::record::Record;
use arcuate_pipeline::regions::RegionFile;
use arcuate_pipeline::stages::TrackSamples;
use arcuate_pipeline::stages::tracking::{ProductName, Products, SampleSeedNumber};
use arcuate_pipeline::tracked_matrix::{MatrixFormat, MatrixKind, MatrixRequest};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Voxels of 2 mm: 20 × 8 × 8.
fn grid() -> Grid {
    Grid::new([20, 8, 8], Affine::scaling([2.0; 3], [-20.0, -8.0, -8.0])).unwrap()
}

/// Writes samples of fibres that vary around x, with different samples in each voxel. Also writes masks of seeds and
/// regions.
fn samples() -> Scratch {
    let scratch = Scratch::new();
    let grid = grid();
    std::fs::create_dir(scratch.path("x.bedpostX")).unwrap();
    let wander = |amount: f32, middle: f32| {
        let values = (0..grid.len() * 4).map(|n| {
            let hash = (n as u32).wrapping_mul(2_654_435_761) >> 20;
            middle + amount * (hash as f32 / 2048.0 - 1.0)
        });
        Volume::new(grid, 4, values.collect()).unwrap()
    };
    scratch.write_volume("x.bedpostX/merged_th1samples.nii.gz", &wander(0.5, std::f32::consts::FRAC_PI_2));
    scratch.write_volume("x.bedpostX/merged_ph1samples.nii.gz", &wander(0.5, std::f32::consts::PI));
    scratch.write_volume("x.bedpostX/merged_f1samples.nii.gz", &wander(0.0, 0.6));
    scratch.write_volume("x.bedpostX/nodif_brain_mask.nii.gz", &Volume::filled(grid, 1, 1.0));
    let region = |name: &str, inside: &dyn Fn([usize; 3]) -> bool| {
        let values = (0..grid.len()).map(|voxel| f32::from(u8::from(inside(grid.coordinates(voxel)))));
        scratch.write_volume(name, &Volume::new(grid, 1, values.collect()).unwrap());
    };
    region("seeds.nii", &|[x, y, z]| [9, 10, 13].contains(&x) && (3..6).contains(&y) && (3..5).contains(&z));
    region("left.nii", &|[x, ..]| x < 4);
    region("right.nii", &|[x, y, _]| x > 15 && y < 5);
    scratch
}

/// Returns the sorted voxels of a mask that contain points of a streamline.
fn voxels(mask: &Mask, line: &[Point]) -> BTreeSet<usize> {
    let at = |point: &Point| mask.grid().voxel_at(point.map(f64::from));
    line.iter().filter_map(at).filter(|&voxel| mask.contains(voxel)).collect()
}

type Entries = BTreeMap<(u64, u64), f64>;

/// Returns the entries of a matrix above 0. The keys are the numbers of the voxels of row and column.
fn entries(scratch: &Scratch, name: &str, tables: [&str; 2]) -> Entries {
    let matrix = read_matrix(&scratch.path(name)).unwrap();
    let [rows, columns] = tables.map(|table| read_axis_tsv(&scratch.path(table)).unwrap());
    let [height, width] = matrix.shape();
    assert_eq!([height, width], [rows.len(), columns.len()]);
    let mut found = Entries::new();
    for row in 0..height {
        for column in 0..width {
            let count = matrix.get(&Measure::Count, row, column).unwrap();
            if count > 0.0 {
                found.insert((rows.numbers()[row], columns.numbers()[column]), count);
            }
        }
    }
    assert!(found.len() > 20, "{} are too few to compare", found.len());
    found
}

/// Reads the streamlines of a run.
fn tracks(scratch: &Scratch, folder: &str) -> Tractogram {
    let tractogram = scratch.tractogram(&format!("{folder}/streamlines.trx"));
    assert!(tractogram.len() > 100);
    tractogram
}

const TRACK: &str =
    "track samples x.bedpostX --preset probtrackx --seed-mask seeds.nii --per-seed 20 --streamlines";

#[test]
fn seeds_by_targets_agrees_with_the_written_streamlines() {
    let scratch = samples();
    scratch.succeed(&format!(
        "{TRACK} --matrix targets --targets left.nii --measure length,by-length --out out"
    ));
    let tables = ["out/matrix_rows.tsv", "out/matrix_columns.tsv"];
    let counted = entries(&scratch, "out/matrix_counts.npz", tables);
    // All streamlines are accepted, so streamline n starts at seed n / 20.
    let (lines, seeds) = (tracks(&scratch, "out"), read_mask(&scratch.path("seeds.nii")).unwrap());
    assert_eq!(lines.len(), 20 * seeds.count());
    let left = read_mask(&scratch.path("left.nii")).unwrap();
    let mut expected = Entries::new();
    for (n, line) in lines.iter().enumerate() {
        for voxel in voxels(&left, line) {
            *expected.entry((seeds.indices()[n / 20] as u64, voxel as u64)).or_default() += 1.0;
        }
    }
    assert_eq!(counted, expected);
    let read = |name: &str, measure: &Measure| {
        read_matrix(&scratch.path(name)).unwrap().values(measure).unwrap().to_vec()
    };
    let counts = read("out/matrix_counts.npz", &Measure::Count);
    let lengths = read("out/matrix_lengths.npz", &Measure::MeanLength);
    let sums = read("out/matrix_sum_length.npz", &Measure::Sum("length".into()));
    for ((count, length), sum) in counts.iter().zip(&lengths).zip(&sums) {
        assert!((count * length - sum).abs() < 1e-9 * sum && *length >= 8.0);
    }
    // The number of threads does not change the results.
    scratch.succeed(&format!(
        "{TRACK} --matrix targets --targets left.nii --measure length,by-length --threads 1 --out one"
    ));
    for name in ["matrix_counts.npz", "matrix_lengths.npz", "matrix_sum_length.npz", "matrix_rows.tsv"] {
        let [one, all] =
            ["one", "out"].map(|folder| std::fs::read(scratch.path(&format!("{folder}/{name}"))).unwrap());
        assert_eq!(one, all, "{name}");
    }
}

#[test]
fn pairs_are_passed_by_one_streamline() {
    let scratch = samples();
    scratch.succeed(&format!("{TRACK} --matrix pairs --targets left.nii,right.nii --out out"));
    let tables = ["out/matrix_rows.tsv", "out/matrix_columns.tsv"];
    let counted = entries(&scratch, "out/matrix_counts.npz", tables);
    let [left, right] = ["left.nii", "right.nii"].map(|name| read_mask(&scratch.path(name)).unwrap());
    let mut expected = Entries::new();
    for line in tracks(&scratch, "out").iter() {
        for a in voxels(&left, line) {
            for b in voxels(&right, line) {
                *expected.entry((a as u64, b as u64)).or_default() += 1.0;
            }
        }
    }
    assert_eq!(counted, expected);
    scratch.succeed(&format!("{TRACK} --matrix pairs --targets left.nii --out symmetric"));
    let table = "symmetric/matrix_voxels.tsv";
    let symmetric = entries(&scratch, "symmetric/matrix_counts.npz", [table, table]);
    assert!(symmetric.iter().all(|(&(a, b), count)| a != b && symmetric[&(b, a)] == *count));
}

#[test]
fn seeds_by_seeds_has_an_empty_diagonal() {
    let scratch = samples();
    scratch.succeed(&format!("{TRACK} --matrix seeds --matrix-format npz,dot,dconn --out out"));
    scratch.succeed("track samples x.bedpostX --preset probtrackx --seed-mask seeds.nii --per-seed 20 --matrix targets --targets seeds.nii --out all");
    let of = |folder: &str| {
        let tables = ["rows", "columns"].map(|axis| format!("{folder}/matrix_{axis}.tsv"));
        entries(&scratch, &format!("{folder}/matrix_counts.npz"), [&tables[0], &tables[1]])
    };
    let mut with_own = of("all");
    assert!(with_own.iter().filter(|((a, b), _)| a == b).all(|(_, count)| *count == 20.0));
    with_own.retain(|(a, b), _| a != b);
    assert_eq!(of("out"), with_own);
    let npz = read_matrix(&scratch.path("out/matrix_counts.npz")).unwrap();
    for name in ["out/matrix_counts.dot", "out/matrix_counts.dconn.nii"] {
        let other = read_matrix(&scratch.path(name)).unwrap();
        for (row, column) in (0..18).flat_map(|row| (0..18).map(move |column| (row, column))) {
            let value = |m: &arcuate_core::ConnectivityMatrix| m.get(&Measure::Count, row, column);
            assert_eq!(value(&other), value(&npz), "{name}");
        }
    }
}

#[test]
fn networks_count_passed_regions() {
    let scratch = samples();
    scratch.write("list.txt", "seeds.nii\nleft.nii right.nii\n");
    let track = "track samples x.bedpostX --preset probtrackx --per-seed 4 --matrix network --measure length";
    scratch.succeed(&format!("{track} --seed-list list.txt --out out"));
    scratch.succeed(&format!("{track} --seed-list seeds.nii,left.nii,right.nii --out same"));
    let read = |folder: &str| read_matrix(&scratch.path(&format!("{folder}/matrix_counts.npz"))).unwrap();
    let matrix = read("out");
    assert_eq!(matrix, read("same"));
    assert_eq!((matrix.shape(), matrix.rows().name(1)), ([3, 3], Some("left")));
    let at = |row, column| matrix.get(&Measure::Count, row, column).unwrap();
    assert!((0..3).all(|n| at(n, n) == 0.0));
    assert!(at(2, 0) > 0.0 && at(2, 1) > 0.0 && at(1, 0) > 0.0);
    scratch.succeed("report out");
    let page = scratch.text("out/report.html");
    assert!(
        page.contains("matrix of 3 regions") && page.contains("Number of streamlines, SciPy, as a circle")
    );
    // Without the other regions, the streamlines of the first region have the same random numbers. Their counts equal
    // those of `--targets`.
    scratch.succeed("track samples x.bedpostX --preset probtrackx --seed-mask seeds.nii --per-seed 4 --targets left.nii,right.nii --products target-counts --out targets");
    for (column, name) in [(1, "left"), (2, "right")] {
        let hits = scratch.volume(&format!("targets/seeds_to_{name}.nii.gz"));
        let hits: f64 = hits.values().iter().map(|&hits| f64::from(hits)).sum();
        assert!(hits > 0.0 && hits == at(0, column), "{name}: {hits} and {}", at(0, column));
    }
}

/// Streamlines of GPUs equal those of the CPU bit for bit. Their order does not depend on the number of GPUs.
#[test]
fn matrices_do_not_depend_on_the_number_of_gpus() {
    let Some(folder) = arcuate_emulation::library_folder("matrices of the command line") else { return };
    let scratch = samples();
    let driver = [
        ("LD_LIBRARY_PATH", folder.as_os_str()),
        ("ARCUATE_EMULATION_DEVICES", OsStr::new("2")),
        ("ARCUATE_NO_FALLBACK", OsStr::new("1")),
    ];
    for kind in ["seeds", "targets --targets left.nii", "pairs --targets left.nii,right.nii"] {
        // If no streamlines are written, the GPUs count the rows.
        let track =
            format!("{} --matrix {kind} --measure length --force", TRACK.replace(" --streamlines", ""));
        // The second run overwrites the files of the first run and must not delete its own files.
        for _ in 0..2 {
            scratch.succeed(&format!("{track} --device cpu --out cpu"));
        }
        let matrices = |folder: &str| {
            let mut files = scratch.files(folder);
            files.retain(|name, _| name.starts_with("matrix_"));
            files
        };
        for (device, out) in [("cuda:0", "one"), ("cuda:0,1", "two")] {
            let result = scratch.run_with(&format!("{track} --device {device} --out {out}"), &driver);
            assert_eq!((result.code, result.errors.as_str()), (0, ""), "{kind} on {device}");
            assert!(matrices(out).len() >= 4 && matrices(out) == matrices("cpu"), "{kind} on {device}");
            // With --resume, a run is saved in parts. This run has only one part.
            if !kind.starts_with("pairs") {
                let words = format!("{track} --resume --device {device} --out parts");
                let result = scratch.run_with(&words, &driver);
                assert_eq!((result.code, result.errors.as_str()), (0, ""), "{kind} on {device}");
                assert!(matrices("parts") == matrices("cpu"), "{kind} on {device}, to be gone on with");
            }
            // Parts of the CPU and of GPUs are merged.
            for (part, by) in [("1/3", device), ("2/3", "cpu"), ("3/3", device)] {
                let words = format!("{track} --part {part} --device {by} --out shared");
                let result = scratch.run_with(&words, &driver);
                assert_eq!((result.code, result.errors.as_str()), (0, ""), "{kind} on {by}");
            }
            scratch.succeed("merge shared.parts --force");
            assert!(matrices("shared") == matrices("cpu"), "{kind} on {device}, in parts");
        }
    }
}

#[test]
fn invalid_matrix_requests_are_rejected() {
    let scratch = samples();
    let seeds = "--seed-mask seeds.nii --per-seed 1";
    for (words, result) in [
        (format!("{seeds} --matrix targets --out out"), "--matrix: there are no target voxels"),
        (
            format!("{seeds} --matrix seeds --out out.tck"),
            "out.tck: this file can contain only streamlines; to write a --matrix, give a folder as --out",
        ),
        (format!("{seeds} --matrix network --out out"), "--matrix: a network joins two regions"),
        (format!("{seeds} --matrix seeds --target-columns left.nii --out out"), "--target-columns: "),
        (
            "--seed-mask seeds.nii --seeds 9 --matrix seeds --out out".to_owned(),
            "--matrix: its rows are seeds",
        ),
        (
            format!("{seeds} --matrix pairs --targets left.nii,right.nii,seeds.nii --out out"),
            "--targets: with more than two masks",
        ),
        (
            "--per-seed 1 --matrix network --seed-list left.nii,right.nii --matrix-format dconn --out out"
                .to_owned(),
            "--matrix-format: regions are not vertices",
        ),
        (
            "--per-seed 1 --matrix network --seed-list left.nii,right.nii --targets seeds.nii --out out"
                .to_owned(),
            "--targets: a network counts by its regions",
        ),
    ] {
        let run = scratch.run(&format!("track samples x.bedpostX --preset probtrackx {words}"));
        assert!(run.code != 0 && run.errors.contains(result), "{words}: {}", run.errors);
    }
}

/// A tetrahedron inside the image.
const WHITE: &str = "#!ascii a tetrahedron\n4 4\n-9 -6 -6 0\n-9 5 -6 0\n-9 0 5 0\n-5 0 0 0\n0 1 2 0\n0 3 1 0\n0 2 3 0\n1 3 2 0\n";

/// Returns the number of streamlines with a point in a mask for each seed. Each seed has 20 streamlines.
fn passing(scratch: &Scratch, lines: &Tractogram, mask: &str) -> Vec<usize> {
    let mask = read_mask(&scratch.path(mask)).unwrap();
    let lines: Vec<&[Point]> = lines.iter().collect();
    lines
        .chunks(20)
        .map(|of_seed| of_seed.iter().filter(|line| !voxels(&mask, line).is_empty()).count())
        .collect()
}

#[test]
fn targets_are_counted_for_voxels_and_vertices() {
    let scratch = samples();
    scratch.write("white.asc", WHITE);
    scratch.succeed("convert white.asc lh.white.surf.gii --mesh-space caret --structure CORTEX_LEFT");
    let line = "track samples x.bedpostX --preset probtrackx --per-seed 20 --min-length 0 --seed-surfaces lh.white.surf.gii";
    scratch.succeed(&format!(
        "{line} --seed-mask seeds.nii --targets left.nii,right.nii --products target-counts,streamlines --out out"
    ));
    let lines = tracks(&scratch, "out");
    let seeds = read_mask(&scratch.path("seeds.nii")).unwrap();
    assert_eq!(lines.len(), 20 * (seeds.count() + 4));
    for target in ["left", "right"] {
        let expected = passing(&scratch, &lines, &format!("{target}.nii"));
        let (of_voxels, of_vertices) = expected.split_at(seeds.count());
        let image = scratch.volume(&format!("out/seeds_to_{target}.nii.gz"));
        let found: Vec<f32> = seeds.indices().into_iter().map(|voxel| image.values()[voxel]).collect();
        assert_eq!(found, of_voxels.iter().map(|&n| n as f32).collect::<Vec<f32>>());
        assert_eq!(image.values().iter().sum::<f32>(), found.iter().sum::<f32>());
        let surface = scratch.path(&format!("out/seeds_to_{target}_lh_white.shape.gii"));
        let surface = read_surface_file(&surface).unwrap();
        assert_eq!(surface.structure, Some(Structure::CORTEX_LEFT));
        let values = &surface.maps[0].values;
        assert_eq!(*values, of_vertices.iter().map(|&n| n as f32).collect::<Vec<f32>>());
        assert!(of_voxels.iter().sum::<usize>() > 20 && of_vertices.iter().any(|&n| n > 0), "{expected:?}");
    }
    // Seed points at the centres of the same voxels give the same counts, as a table.
    let places: Vec<String> = seeds
        .indices()
        .into_iter()
        .map(|voxel| seeds.grid().centre(voxel).map(|c| c.to_string()).join(" "))
        .collect();
    scratch.write("points.txt", places.join("\n"));
    scratch.succeed(
        "track samples x.bedpostX --preset probtrackx --per-seed 20 --min-length 0 --seed-points points.txt --targets left.nii \
         --products target-counts --out points",
    );
    let table = scratch.text("points/seeds_to_left.tsv");
    let image = scratch.volume("out/seeds_to_left.nii.gz");
    let of_voxel = |(voxel, place): (usize, &String)| {
        format!("{}\t{}\n", place.replace(' ', "\t"), image.values()[voxel])
    };
    let expected: String = seeds.indices().into_iter().zip(&places).map(of_voxel).collect();
    assert_eq!(table, format!("x\ty\tz\tstreamlines\n{expected}"));

    // If all seeds are vertices, there is no image. Vertices that are not seeds have the value 0.
    scratch.write("ends.asc", WHITE.replace("-9 5 -6 0", "-9 5 -6 1").replace("-5 0 0 0", "-5 0 0 1"));
    scratch.succeed(
        "track samples x.bedpostX --preset probtrackx --per-seed 20 --min-length 0 --seed-surfaces lh.white.surf.gii:ends.asc \
         --targets left.nii --products target-counts,streamlines --out some",
    );
    assert!(!scratch.path("some/seeds_to_left.nii.gz").exists());
    let lines = scratch.tractogram("some/streamlines.trx");
    let expected = passing(&scratch, &lines, "left.nii");
    assert!(lines.len() == 40 && expected.iter().all(|&n| n > 0), "{expected:?}");
    let some = read_surface_file(&scratch.path("some/seeds_to_left_lh_white_ends.shape.gii")).unwrap();
    assert_eq!(some.maps[0].values, [0.0, expected[0] as f32, 0.0, expected[1] as f32]);
    let result = scratch
        .run(&format!("{line},lh.white.surf.gii --targets left.nii --products target-counts --out other"));
    assert!(
        result.code != 0 && result.errors.contains("two surfaces have the name `lh_white`"),
        "{}",
        result.errors
    );
}

#[test]
fn seeds_of_a_cifti_file_have_its_order() {
    let scratch = samples();
    scratch.write("white.asc", WHITE);
    scratch.succeed("convert white.asc lh.white.surf.gii --mesh-space caret --structure CORTEX_LEFT");
    // The order of the voxels differs from that of a mask: z is fastest, and x and y decrease. The vertices are not
    // sorted, and one is missing.
    let voxels_of = |xs: &[u32]| -> Vec<[u32; 3]> {
        xs.iter().flat_map(|&x| (3..5).rev().flat_map(move |y| (3..5).map(move |z| [x, y, z]))).collect()
    };
    let voxels = voxels_of(&[10, 8]);
    let thalamus = Structure::of_name("THALAMUS_RIGHT").unwrap();
    let models = vec![
        BrainModel { structure: thalamus, elements: BrainElements::Voxels(voxels.clone()) },
        BrainModel {
            structure: Structure::CORTEX_LEFT,
            elements: BrainElements::Vertices { surface: 4, numbers: vec![3, 0, 2] },
        },
    ];
    let models = BrainModels::new(models, Some(grid())).unwrap();
    let axes =
        [CiftiAxis::BrainModels(models.clone()), CiftiAxis::Scalars(vec!["nothing that counts".to_owned()])];
    let mut writer = CiftiWriter::create(&scratch.path("seeds.dscalar.nii"), &axes[0], &axes[1]).unwrap();
    (0..models.len()).for_each(|_| writer.write_row(&[0.0]).unwrap());
    writer.finish().unwrap();

    let line = "track samples x.bedpostX --preset probtrackx --seed-cifti seeds.dscalar.nii --per-seed 20 --min-length 0";
    scratch.succeed(&format!(
        "{line} --white lh.white.surf.gii --streamlines --matrix seeds --matrix-format npz,dconn --out out"
    ));
    let dense = CiftiFile::open(&scratch.path("out/matrix_counts.dconn.nii")).unwrap();
    assert_eq!([dense.rows(), dense.columns()], [&axes[0]; 2]);
    let sparse = read_matrix(&scratch.path("out/matrix_counts.npz")).unwrap();
    assert_eq!(sparse.shape(), [models.len(); 2]);
    let lines = tracks(&scratch, "out");
    assert_eq!(lines.len(), 20 * models.len());
    let mut values = vec![0.0; models.len()];
    let mut met = 0;
    for row in 0..models.len() {
        dense.read_row(row, &mut values).unwrap();
        for (column, voxel) in voxels.iter().enumerate() {
            let passes = |line: &&[Point]| {
                let at = |point: &Point| grid().voxel_at(point.map(f64::from));
                line.iter().filter_map(at).any(|at| grid().coordinates(at) == voxel.map(|c| c as usize))
            };
            let of_row: Vec<&[Point]> = lines.iter().skip(20 * row).take(20).collect();
            let count = of_row.iter().filter(|line| passes(line)).count();
            if row != column {
                assert_eq!(values[column], count as f64, "{row} {column}");
                met += count;
            }
        }
        for (column, &value) in values.iter().enumerate() {
            assert_eq!(sparse.get(&Measure::Count, row, column).unwrap(), value, "{row} {column}");
        }
        // Streamlines from voxels and from other vertices pass the vertices.
        met += values[voxels.len()..].iter().map(|count| *count as usize).sum::<usize>();
    }
    assert!(met > 100, "{met}");

    // The number of streamlines of each seed that pass a target, in the same order.
    scratch.succeed(&format!(
        "{line} --white lh.white.surf.gii --targets left.nii --products target-counts --out counted"
    ));
    let counts = CiftiFile::open(&scratch.path("counted/seeds_to_left.dscalar.nii")).unwrap();
    assert_eq!(counts.rows(), &axes[0]);
    let of_seeds = passing(&scratch, &lines, "left.nii");
    let mut count = [0.0];
    for (row, expected) in of_seeds.iter().enumerate() {
        counts.read_row(row, &mut count).unwrap();
        assert_eq!(count[0], *expected as f64, "{row}");
    }
    assert!(of_seeds.iter().sum::<usize>() > 20);

    // An identity transform changes nothing.
    scratch.write("same.mat", "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
    scratch.succeed(&format!(
        "{line} --white lh.white.surf.gii --matrix seeds --masks-to-dwi same.mat --out same"
    ));
    assert!(scratch.read("same/matrix_counts.npz") == scratch.read("out/matrix_counts.npz"));

    // With this depth, streamlines of vertices start at other points.
    scratch.succeed(&format!(
        "{line} --white lh.white.surf.gii --seed-depth 1 --streamlines --matrix seeds --out deep"
    ));
    assert_ne!(tracks(&scratch, "deep"), lines);
    for (options, words) in [
        (
            "",
            "the CIFTI-2 file has vertices of CortexLeft, but no surface of this structure is given; give \
             its surface as --white",
        ),
        ("--white lh.white.surf.gii --seed-mask seeds.nii", "cannot be used with"),
        (
            "--white lh.white.surf.gii,lh.white.surf.gii",
            "this surface belongs to the brain structure CortexLeft, and so does lh.white.surf.gii",
        ),
    ] {
        let result = scratch.run(&format!("{line} {options} --out other"));
        assert!(result.code != 0 && result.errors.contains(words), "{options}: {}", result.errors);
        assert!(!scratch.path("other").exists(), "{options}");
    }
}

#[test]
fn the_report_shows_example_rows_on_surfaces() {
    let scratch = samples();
    scratch.write("white.asc", WHITE);
    scratch.succeed("convert white.asc lh.white.surf.gii --mesh-space caret --structure CORTEX_LEFT");
    scratch.succeed(&format!(
        "{TRACK} --min-length 0 --matrix targets --targets lh.white.surf.gii,left.nii --stop lh.white.surf.gii \
         --products visits --out out"
    ));
    let matrix = read_matrix(&scratch.path("out/matrix_counts.npz")).unwrap();
    let rows = read_axis_tsv(&scratch.path("out/matrix_rows.tsv")).unwrap();
    let shown = read_surface_file(&scratch.path("out/matrix_rows_on_lh_white.func.gii")).unwrap();
    assert_eq!(shown.structure, Some(Structure::CORTEX_LEFT));
    let maps = &shown.maps;
    assert!((2..=8).contains(&maps.len()), "{}", maps.len());
    let mut met = 0.0;
    for map in maps {
        // The name of a voxel in the table begins with its position.
        let place = map.name.strip_prefix("from voxel ").and_then(|name| name.strip_suffix(" of seeds.nii"));
        let place = place.unwrap_or_else(|| panic!("{}", map.name));
        let row =
            (0..rows.len()).find(|&row| rows.name(row).unwrap().starts_with(&format!("{place} "))).unwrap();
        for (vertex, &value) in map.values.iter().enumerate() {
            assert_eq!(
                f64::from(value),
                matrix.get(&Measure::Count, row, vertex).unwrap(),
                "{} {vertex}",
                map.name
            );
        }
        met += map.values.iter().sum::<f32>();
    }
    assert!(met > 20.0, "{met}");
    // The record states the seed of each map, and it matches the schema.
    let record: serde_json::Value = scratch.json("out/arcuate.json");
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/reference/arcuate.schema.json");
    let schema = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    assert!(jsonschema::is_valid(&schema, &record));
    let files = record["files"].as_array().unwrap();
    let file = files.iter().find(|file| file["name"] == "matrix_rows_on_lh_white.func.gii").unwrap();
    assert_eq!(file["picture"]["places"].as_array().unwrap().len(), maps.len());

    scratch.succeed("report out");
    let page = scratch.text("out/report.html");
    let has = |page: &str, what: &str| page.contains(&format!("id=\"{what}\""));
    for what in ["viewer-surface-0", "viewer-values-0-0", "viewer-map-0", "viewer-regions"] {
        assert!(has(&page, what), "{what}");
    }
    assert!(
        page.contains(&format!("\"name\":\"{}\"", maps[0].name))
            && page.contains("<h2>Streamlines in 3-D</h2>")
    );
    // If a surface file changes after the run, neither the surface nor values on it are shown.
    scratch.write("other.asc", WHITE.replace("-5 0 0 0", "-4 0 0 0"));
    scratch.succeed("convert other.asc lh.white.surf.gii --mesh-space caret --structure CORTEX_LEFT --force");
    scratch.succeed("report out --force");
    let page = scratch.text("out/report.html");
    assert!(
        !has(&page, "viewer-surface-0") && !has(&page, "viewer-values-0-0") && has(&page, "viewer-map-0")
    );
    // A report without streamlines has a viewer, too.
    scratch.succeed(
        "track samples x.bedpostX --preset probtrackx --seed-mask seeds.nii --per-seed 20 --out visits",
    );
    scratch.succeed("report visits");
    let page = scratch.text("visits/report.html");
    assert!(has(&page, "viewer-map-0") && page.contains("<h2>In 3-D</h2>"));
}

#[test]
fn a_matrix_of_several_files_is_summed_over_them() {
    let scratch = samples();
    for (name, moved) in [("lh.white", "-9"), ("lh.near", "-3")] {
        scratch.write(&format!("{name}.asc"), WHITE.replace("\n-9 ", &format!("\n{moved} ")));
        scratch.succeed(&format!(
            "convert {name}.asc {name}.surf.gii --mesh-space caret --structure CORTEX_LEFT"
        ));
    }
    scratch.succeed(
        "track samples x.bedpostX --preset probtrackx --seed-mask seeds.nii --seed-surfaces lh.white.surf.gii,lh.near.surf.gii --per-seed 20 \
         --min-length 0 --matrix seeds --out out",
    );
    let matrix = read_matrix(&scratch.path("out/matrix_counts.npz")).unwrap();
    let voxels = read_mask(&scratch.path("seeds.nii")).unwrap().count();
    let part = |element: usize| element.saturating_sub(voxels - 4) / 4;
    assert_eq!([0, voxels - 1, voxels, voxels + 3, voxels + 4].map(part), [0, 0, 1, 1, 2]);
    let mut expected = vec![0.0; 9];
    for row in 0..voxels + 8 {
        for column in 0..voxels + 8 {
            expected[3 * part(row) + part(column)] += matrix.get(&Measure::Count, row, column).unwrap();
        }
    }
    let (shape, sums) = read_matrix_csv(&scratch.path("out/matrix_parts_counts.csv")).unwrap();
    assert_eq!((shape, &sums), ([3, 3], &expected));
    assert!(expected.iter().filter(|sum| **sum > 10.0).count() >= 5, "{expected:?}");
    let names = scratch.text("out/matrix_parts.csv");
    assert!(names.contains("seeds") && names.contains("lh_white") && names.contains("lh_near"), "{names}");
    scratch.succeed("report out");
    let page = scratch.text("out/report.html");
    assert!(
        page.contains("The matrix, summed over files or structures") && page.contains("matrix of 3 regions")
    );
}

#[test]
fn interrupted_runs_continue() {
    let scratch = samples();
    let work = |out: &str, resume: Option<Duration>| {
        let mut work = TrackSamples::new(scratch.path("x.bedpostX"), scratch.path(out));
        work.tracking.seeds.mask = Some(scratch.path("seeds.nii"));
        work.tracking.seeds.number = SampleSeedNumber::Each(20);
        work.tracking.constraints.targets = vec![RegionFile::of(&scratch.path("left.nii")).unwrap()];
        work.tracking.products =
            Products::only([ProductName::Visits, ProductName::Lengths, ProductName::TargetCounts]);
        work.tracking.matrix = Some(MatrixRequest {
            kind: MatrixKind::Seeds,
            targets: Vec::new(),
            target_columns: Vec::new(),
            seed_list: Vec::new(),
            lists: Vec::new(),
            measures: vec![Measure::MeanLength],
            forms: vec![MatrixFormat::Npz, MatrixFormat::Dot],
        });
        work.tracking.resume = resume;
        work
    };
    let job =
        |control: Control| Job::new(LibraryHost { control, ..LibraryHost::default() }, JobOptions::default());
    work("whole", None).run(&job(Control::default())).unwrap();

    // Each of the 18 seeds is a part. The first run is cancelled after the seventh seed, and the second run after the
    // twelfth.
    let every = Some(Duration::ZERO);
    let mut begun = Vec::new();
    for maximum in [120, 220] {
        let (cancel, first) = (Cancel::default(), Arc::new(AtomicU64::new(u64::MAX)));
        let (to_cancel, minimum) = (cancel.clone(), Arc::clone(&first));
        let control = Control::default().with_cancel(&cancel).with_progress(move |done, all| {
            assert_eq!(all, 360);
            // A part without streamlines reports no progress.
            minimum.fetch_min(done, Ordering::Relaxed);
            if done > maximum {
                to_cancel.set();
            }
        });
        let ended = work("parts", every).run(&job(control)).unwrap_err();
        assert_eq!(ended.kind(), ErrorKind::Cancelled, "{ended}");
        begun.push(first.load(Ordering::Relaxed));
        assert_eq!(scratch.listing("parts"), ["matrix.part", "tracking.part"]);
    }
    assert_eq!(begun, [20, 160], "the second run begins behind the seven seeds that the first has done");
    // A run with other options neither continues nor deletes the interrupted run.
    let mut other = work("parts", every);
    other.tracking.seeds.number = SampleSeedNumber::Each(21);
    let refused = other.run(&job(Control::default())).unwrap_err().to_string();
    assert!(refused.contains("tracking.part: it belongs to an interrupted run with other data"), "{refused}");
    // A killed run can leave incomplete rows. Bytes after the saved rows are ignored.
    let mut rows = scratch.read("parts/matrix.part");
    rows.extend([7; 100]);
    std::fs::write(scratch.path("parts/matrix.part"), rows).unwrap();

    // The continued run can have longer parts.
    work("parts", Some(Duration::from_secs(60))).run(&job(Control::default())).unwrap();
    let files = |folder: &str| {
        let mut files = scratch.files(folder);
        files.remove("arcuate.json").expect("a record");
        files
    };
    let (whole, parts) = (files("whole"), files("parts"));
    assert!(whole.len() >= 8, "{:?}", whole.keys());
    assert_eq!(parts.keys().collect::<Vec<_>>(), whole.keys().collect::<Vec<_>>());
    for (name, bytes) in &whole {
        assert!(parts[name] == *bytes, "{name}");
    }
    let figures = |folder: &str| Record::read(&scratch.path(folder)).unwrap().figures;
    assert_eq!(figures("parts"), figures("whole"));

    let result =
        scratch.run("track samples x.bedpostX --preset probtrackx --seed-mask seeds.nii --resume --out no");
    assert!(result.code != 0 && result.errors.contains("--matrix"), "{}", result.errors);
    for (words, problem) in [
        (
            "--matrix pairs --targets left.nii,right.nii",
            "--resume: only rows of seeds are done one after the other",
        ),
        ("--matrix seeds --streamlines", "are not kept when a run is interrupted"),
    ] {
        let result = scratch.run(&format!(
            "track samples x.bedpostX --preset probtrackx --seed-mask seeds.nii {words} --resume --out no"
        ));
        assert!(result.code != 0 && result.errors.contains(problem), "{words}: {}", result.errors);
    }
}
