//! Runs all stages together, and each stage alone, on a simulated brain with known connections.

use crate::common::{Files, Scratch, WITH_MESHES, brain_with_meshes, small_brain};
use arcuate_connect::{ConnectomeOptions, connectome};
use arcuate_core::{Affine, Grid, Structure, Volume};
use arcuate_io::{
    CiftiAxis, CiftiFile, GradientReading, WriteOptions, read_gradients, read_surface, read_surface_file,
    read_weights, write_image,
};
use arcuate_phantom::{ComparisonOptions, PhantomOptions, compare_with_truth, default_gradients, simulate};
use serde_json::Value;
use std::sync::OnceLock;

/// Simulates a brain with voxels of 4 mm in `brain/` and writes the results of `run` to `results/`, once for
/// all tests.
fn evaluated() -> &'static Files {
    static FILES: OnceLock<Files> = OnceLock::new();
    FILES.get_or_init(|| {
        let scratch = Scratch::new();
        let result = scratch.succeed("simulate --out brain --voxel-size 4 --directions 32 --b0s 3");
        assert_eq!(result, "15 bundles between 30 regions, 35 measurements: brain\n");
        let result = scratch.succeed(&format!("{RUN} --device cpu --select 5000 --out results"));
        assert!(result.ends_with("report: results/report.html\n"), "{result}");
        scratch.files(".")
    })
}

/// Uses tensors and LiFE instead of the defaults for these data. `crossing_fibres` tests FODs.
const RUN: &str =
    "run brain/dwi.nii.gz --tracking tensor --labels brain/labels.nii.gz --label-names brain/labels.txt";

/// Returns the number after `before` in the output of a command.
fn number_after(result: &str, before: &str) -> f64 {
    let place = result.find(before).unwrap_or_else(|| panic!("no `{before}` in {result}"));
    let rest = &result[place + before.len()..];
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(rest.len());
    let digits = rest[..end].trim_end_matches(['.', ',']).replace(',', "");
    digits.parse().unwrap_or_else(|e| panic!("{before}{rest}: {e}"))
}

#[test]
fn true_connections_are_found_and_false_ones_removed() {
    let scratch = Scratch::with(evaluated());
    let options = PhantomOptions { voxel_size_mm: 4.0, seed: 0, ..PhantomOptions::default() };
    let phantom = simulate(&default_gradients(32, 2000.0, 3).unwrap(), &options).unwrap();
    let dwi = scratch.volume("brain/dwi.nii.gz");
    assert!(dwi.values() == phantom.dwi.values(), "the command simulates what the library does");

    let tracks = scratch.tractogram("results/life/tracks_weighted.trx");
    let weights = read_weights(&scratch.path("results/life/life_weights.txt")).unwrap();
    assert_eq!((tracks.len(), weights.len()), (5000, 5000));
    let eigenvectors = scratch.volume("results/tensor/eigenvectors.nii.gz");
    let principal = scratch.volume("results/tensor/principal_direction.nii.gz");
    assert!(principal.values() == eigenvectors.channels_at(&[0, 1, 2]).values());
    let found = compare_with_truth(
        &phantom,
        &tracks,
        Some(&weights),
        Some(&principal),
        &ComparisonOptions::default(),
    )
    .unwrap();
    let after = found.after.expect("a score of the supported streamlines");
    // Measured: 15 of 15 bundles before and after, 716 false connections before and 153 after, and 1.1° at an
    // SNR of 30.
    assert!(found.before.bundles_found() >= 14, "{}", found.before.bundles_found());
    assert!(after.bundles_found() >= 14, "{}", after.bundles_found());
    assert!(found.before.invalid > 100, "nothing to remove: {}", found.before.invalid);
    assert!(2 * after.invalid <= found.before.invalid, "{} of {}", after.invalid, found.before.invalid);
    let angle = found.median_angular_error.expect("voxels of one bundle");
    assert!(angle < 2.5 && found.single_bundle_voxels > 200, "{angle}° in {}", found.single_bundle_voxels);
    // The mask contains the brain and the CSF around it.
    let mask = arcuate_io::read_mask(&scratch.path("results/mask.nii.gz")).unwrap();
    let dice = mask.dice(&phantom.brain_mask);
    assert!(dice > 0.9, "{dice}");
}

#[test]
fn streamlines_explain_the_signal() {
    let scratch = Scratch::with(evaluated());
    let mean = |name: &str| {
        let image = scratch.volume(name);
        let numbers: Vec<f64> =
            image.values().iter().filter(|v| v.is_finite()).map(|&v| f64::from(v)).collect();
        numbers.iter().sum::<f64>() / numbers.len() as f64
    };
    // Measured: the mean falls from 79.0 to 39.8.
    let (before, after) =
        (mean("results/life/life_rmse_before.nii.gz"), mean("results/life/life_rmse_after.nii.gz"));
    assert!(after < 0.6 * before, "{before} → {after}");
    let trace = scratch.text("results/life/life_trace.csv");
    let last = trace.lines().last().unwrap().split(',').collect::<Vec<_>>();
    assert!(last[3].parse::<f64>().unwrap() <= 1e-4, "LiFE did not converge: {last:?}");
    let supported = scratch.tractogram("results/life/tracks_supported.trx");
    let weights = read_weights(&scratch.path("results/life/life_weights.txt")).unwrap();
    assert_eq!(supported.len(), weights.iter().filter(|&&w| w > 0.0).count());
    assert!(weights.iter().all(|&w| w >= 0.0));
}

#[test]
fn the_connectome_contains_the_known_connections() {
    let scratch = Scratch::with(evaluated());
    let counts = matrix(&scratch.text("results/connectome/connectome_counts.csv"));
    let regions = scratch.text("results/connectome/connectome_regions.csv");
    let names: Vec<&str> = regions.lines().skip(1).map(|l| l.rsplit(',').next().unwrap()).collect();
    assert_eq!((counts.len(), names.len()), (30, 30));
    for (a, row) in counts.iter().enumerate() {
        for (b, count) in row.iter().enumerate() {
            assert_eq!(*count, counts[b][a], "not symmetric");
        }
    }
    // The true streamlines define the pairs of regions that the bundles connect.
    let truth = scratch.tractogram("brain/truth_streamlines.trx");
    let labels = arcuate_io::read_labels(&scratch.path("brain/labels.nii.gz")).unwrap();
    let known = connectome(&truth, &labels, None, &ConnectomeOptions::default()).unwrap();
    let mut pairs: Vec<(u32, u32)> = known.assignments.iter().flatten().copied().collect();
    pairs.sort_unstable();
    pairs.dedup_by_key(|p| (p.0.min(p.1), p.0.max(p.1)));
    let index = |region: u32| known.matrix.rows().place(u64::from(region)).unwrap();
    let joined = pairs.iter().filter(|(a, b)| counts[index(*a)][index(*b)] >= 5.0).count();
    assert!(pairs.len() >= 15 && joined >= 14, "{joined} of {}", pairs.len());
}

fn matrix(csv: &str) -> Vec<Vec<f64>> {
    csv.lines().map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect()
}

#[test]
fn the_report_is_self_contained_and_reproducible() {
    let scratch = Scratch::with(evaluated());
    let page = scratch.text("results/report.html");
    for (place, _) in page.match_indices("src=").chain(page.match_indices("href=")) {
        let value = page[place..].split_once('=').unwrap().1.trim_start_matches(['"', '\'']);
        let outside = ["http:", "https:", "//", "file:"].iter().any(|start| value.starts_with(start));
        let in_text = page[place..].starts_with("href=") && value.starts_with("https://doi.org/");
        assert!(!outside || in_text, "{}", &value[..80.min(value.len())]);
    }
    for text in ["@import", "<iframe", "<object"] {
        assert!(!page.contains(text), "{text}");
    }
    for text in ["Fractional anisotropy", "Connectome", "Convergence", "dwi.nii.gz", "10.1038/nmeth.3098"] {
        assert!(page.contains(text), "{text}");
    }
    scratch.fail(
        "report results",
        2,
        "error: results/report.html: it is there already; choose another name, or give --force to replace \
         the existing file",
    );
    assert_eq!(scratch.succeed("report results --force"), "report: results/report.html\n");
    assert!(scratch.text("results/report.html") == page, "another page");
    scratch.succeed("report results --out page.html");
    assert!(scratch.text("page.html") == page, "another page");
}

/// The report does not show files of an earlier run in the same folder.
#[test]
fn the_report_ignores_results_of_earlier_runs() {
    let scratch = Scratch::with(evaluated());
    assert!(scratch.text("results/report.html").contains("Sum of the weights"));
    scratch.succeed("run brain/dwi.nii.gz --tracking tensor --select 1000 --out results --force");
    assert!(!scratch.path("results/connectome/connectome_weights.csv").exists());
    assert!(!scratch.text("results/report.html").contains("Sum of the weights"));
    scratch.succeed("report results --out again.html");
    assert!(!scratch.text("again.html").contains("Sum of the weights"));
}

#[test]
fn connectomes_without_weights_contain_counts() {
    let scratch = Scratch::with(evaluated());
    let command = "connectome results/life/tracks_weighted.trx --labels brain/labels.nii.gz";
    scratch.succeed(&format!("{command} --out counts"));
    scratch.succeed("report counts");
    let page = scratch.text("counts/report.html");
    assert!(page.contains("Number of streamlines between") && !page.contains("Sum of the weights"));
    scratch.succeed(&format!("{command} --weights results/life/life_weights.txt --out weights"));
    scratch.succeed("report weights");
    assert!(scratch.text("weights/report.html").contains("Sum of the weights"));
}

#[test]
fn the_record_contains_what_determines_the_result() {
    let scratch = Scratch::with(evaluated());
    let record: Value = scratch.json("results/arcuate.json");
    let track: Value = scratch.json("results/tracks.trx.json");
    assert_eq!(record["options"]["random-seed"], 0);
    assert_eq!(record["options"]["select"], 5000);
    assert_eq!(record["options"]["b0-threshold"], 50);
    assert_eq!(record["choices"]["device"], "cpu");
    assert_eq!(track["options"]["cutoff"], 0.2);
    assert_eq!(track["options"]["method"], "tensor");
    assert_eq!(track["choices"]["step"], "2 mm");
    // The record counts what happened to the seeds, and the counts add up.
    let rows = track["tables"][0]["rows"].as_array().unwrap();
    let count = |start: &str| -> u64 {
        let found = rows.iter().filter(|row| row[0].as_str().unwrap().starts_with(start));
        found.map(|row| row[1].as_u64().unwrap()).sum()
    };
    let (tried, kept) = (count("seeds tried"), track["figures"]["streamlines"]["value"].as_u64().unwrap());
    assert_eq!(tried, kept + count("seeds outside") + count("seeds in") + count("seeds of"));
    assert_eq!(count("ends"), 2 * (kept + count("seeds of")));
    assert_eq!(track["figures"]["mean length"]["unit"], "mm");
    assert!(count("ends in too low anisotropy") > 1000);
    assert_eq!(record["figures"]["mean length"], track["figures"]["mean length"]);
}

#[test]
fn results_do_not_depend_on_threads() {
    let scratch = Scratch::with(evaluated());
    for threads in [1, 2] {
        scratch.succeed(&format!("{RUN} --select 1000 --threads {threads} --out with{threads}"));
    }
    let (one, two) = (scratch.files("with1"), scratch.files("with2"));
    assert_eq!(one.keys().collect::<Vec<_>>(), two.keys().collect::<Vec<_>>());
    // Records, reports and traces contain times.
    let timed = |name: &str| [".json", ".html", "_trace.csv"].iter().any(|ending| name.ends_with(ending));
    let same: Vec<&String> = one.keys().filter(|name| !timed(name)).collect();
    assert!(same.len() >= 20, "{same:?}");
    for name in same {
        assert!(one[name] == two[name], "{name} depends on the number of threads");
    }
    // The last column of the trace contains times.
    let untimed = |files: &Files| -> Vec<String> {
        let text = String::from_utf8(files["life/life_trace.csv"].clone()).unwrap();
        text.lines().map(|line| line.rsplit_once(',').unwrap().0.to_owned()).collect()
    };
    assert_eq!(untimed(&one), untimed(&two));
    // Another random seed gives another tractogram.
    scratch.succeed(&format!("{RUN} --select 1000 --random-seed 1 --out seed1"));
    assert!(scratch.read("seed1/tracks.trx") != one["tracks.trx"]);
    assert!(scratch.read("seed1/tensor/tensor.nii.gz") == one["tensor/tensor.nii.gz"]);
}

#[test]
fn separate_steps_give_the_results_of_the_run() {
    let scratch = Scratch::with(evaluated());
    let same = |a: &str, b: &str| assert!(scratch.read(a) == scratch.read(b), "{a} differs from {b}");
    scratch.succeed("mask brain/dwi.nii.gz --out mask.nii.gz");
    same("mask.nii.gz", "results/mask.nii.gz");
    let result = scratch.succeed("fit tensor brain/dwi.nii.gz --mask mask.nii.gz --out tensor");
    assert!(result.ends_with(" voxels fitted, maps in tensor\n"), "{result}");
    for name in
        ["tensor", "s0", "residual", "fa", "md", "ad", "rd", "eigenvalues", "eigenvectors", "colour_fa"]
    {
        same(&format!("tensor/{name}.nii.gz"), &format!("results/tensor/{name}.nii.gz"));
    }
    scratch.succeed(
        "evaluate life results/life/tracks_weighted.trx --dwi brain/dwi.nii.gz --mask mask.nii.gz --out life",
    );
    for name in ["life_weights.txt", "life_rmse_before.nii.gz", "life_rmse_after.nii.gz"] {
        same(&format!("life/{name}"), &format!("results/life/{name}"));
    }
    let result = scratch.succeed(
        "connectome life/tracks_weighted.trx --labels brain/labels.nii.gz --label-names brain/labels.txt --weights \
         life/life_weights.txt --out connectome",
    );
    assert!(number_after(&result, "") > 3000.0, "{result}");
    for name in ["counts.csv", "counts.npy", "weights.csv", "lengths.csv", "regions.csv", "assignments.txt"] {
        same(&format!("connectome/connectome_{name}"), &format!("results/connectome/connectome_{name}"));
    }
}

#[test]
fn tracking_writes_every_format() {
    let scratch = Scratch::with(evaluated());
    let command =
        "track tensor results/tensor/tensor.nii.gz --select 500 --cutoff 0.2 --min-length 20 --angle 45";
    let mut read = Vec::new();
    for ending in ["tck", "trk", "trx"] {
        let result = scratch.succeed(&format!("{command} --out tracks.{ending}"));
        assert!(result.starts_with("500 streamlines of "), "{result}");
        // The bundles of the phantom are 20 to 122 mm long, 84 mm on average.
        let length = number_after(&result, "streamlines of ");
        assert!(length > 40.0 && length < 120.0, "{result}");
        read.push(scratch.tractogram(&format!("tracks.{ending}")));
    }
    for other in &read[1..] {
        assert_eq!(other.offsets(), read[0].offsets());
        for (a, b) in other.positions().iter().zip(read[0].positions()) {
            // The format .trk moves the origin and back in 32-bit numbers.
            assert!((0..3).all(|axis| (a[axis] - b[axis]).abs() < 1e-4), "{a:?} {b:?}");
        }
    }
    // Other methods, integrators and kinds of seeds.
    scratch.write("points.txt", "# x y z\n0 0 20\n-20 10 10\n");
    for (options, fewest) in [
        ("--method fact --seeds 2000", 100),
        ("--method deflection --deflection-f 0.3 --seeds 2000", 100),
        ("--integrator runge-kutta --step 1 --curvature-radius 2 --seeds 2000", 100),
        ("--seed-grid 1 --one-way --seed-cutoff 0.4", 100),
        ("--seed-mask brain/white_matter.nii.gz --seeds 2000 --mask results/mask.nii.gz", 100),
        ("--seed-weights results/tensor/fa.nii.gz --seeds 2000 --max-length 60", 100),
        ("--seed-points points.txt --min-length 0", 0),
    ] {
        let result = scratch
            .succeed(&format!("track tensor results/tensor/tensor.nii.gz {options} --out other.tck --force"));
        let streamlines = number_after(&result, "") as usize;
        assert!(streamlines >= fewest, "{options}: {result}");
        assert_eq!(scratch.tractogram("other.tck").len(), streamlines);
        if options.contains("--max-length 60") {
            let tracks = scratch.tractogram("other.tck");
            assert!((0..tracks.len()).all(|n| tracks.length(n) <= 60.01));
        }
        if options.contains("--seed-points") {
            assert_eq!(number_after(&result, "from ") as usize, 2);
        }
    }
}

#[test]
fn virtual_lesions_measure_the_evidence_of_a_bundle() {
    let scratch = Scratch::with(evaluated());
    let truth = scratch.tractogram("brain/truth_streamlines.trx");
    let numbers: Vec<String> = truth.groups.members["arcuate_left"].iter().map(u32::to_string).collect();
    scratch.write("group.txt", numbers.join("\n"));
    let life = "evaluate life brain/truth_streamlines.trx --dwi brain/dwi.nii.gz";
    let result = scratch.succeed(&format!(
        "{life} --lesion arcuate_left --lesion group.txt --lesion cingulum_right --out one"
    ));
    let lines: Vec<&str> = result.lines().collect();
    assert_eq!(lines.len(), 4, "{result}");
    // The first two lines describe the same group, given by name and by numbers.
    assert_eq!(
        lines[0].replace("without arcuate_left", ""),
        lines[1].replace("without group.txt", ""),
        "{result}"
    );
    let errors = |line: &str| (number_after(line, "RMSE "), number_after(line, "becomes "));
    for line in &lines[..3] {
        let (with, without) = errors(line);
        assert!(without > 1.05 * with, "{line}");
        assert!(number_after(line, "evidence ") > 1.0, "{line}");
        assert!(number_after(line, "distance ") > 0.0, "{line}");
    }
    assert!(lines[3].contains(" of 3000 streamlines supported; mean RMSE "), "{result}");
    // With `--refit`, other streamlines replace a part of the lesion, so the error is at most that without a
    // refit.
    let result = scratch.succeed(&format!("{life} --lesion arcuate_left --refit --out two"));
    let ((with, hole), (with_again, refitted)) = (errors(lines[0]), errors(result.lines().next().unwrap()));
    assert_eq!(with, with_again);
    assert!(refitted < hole && refitted > with, "{with} {refitted} {hole}");
    // The report of an evaluation shows its lesions.
    scratch.succeed("report one");
    assert!(scratch.text("one/report.html").contains("Virtual lesions"));
}

#[test]
fn life_data_options_and_solvers_agree() {
    let scratch = Scratch::with(evaluated());
    let life =
        "evaluate life brain/truth_streamlines.trx --dwi brain/dwi.nii.gz --mask brain/white_matter.nii.gz";
    let mut errors = Vec::new();
    for (n, options) in [
        "",
        "--solver sbbnnls",
        "--precision double",
        "--node-value length",
        "--eigenvalues 1.7,0.3,0.3 --orientations 500",
    ]
    .iter()
    .enumerate()
    {
        let result = scratch.run(&format!("{life} {options} --out life{n}"));
        assert_eq!(result.code, 0, "{}", result.errors);
        errors.push((number_after(&result.output, "RMSE "), number_after(&result.output, "without, ")));
    }
    let (none, reference) = errors[0];
    for (before, after) in &errors {
        assert_eq!(*before, none);
        assert!(after < before);
    }
    // The first three runs solve one problem with two solvers and two precisions. Their minima agree within the
    // tolerance of the solver.
    for (_, after) in &errors[1..3] {
        assert!((after / reference - 1.0).abs() < 2e-3, "{errors:?}");
    }
    let result = scratch.run(&format!("{life} --normalise-signal --out relative"));
    assert_eq!(result.code, 0, "{}", result.errors);
    let relative = scratch.volume("relative/life_rmse_after.nii.gz");
    let largest = relative.values().iter().copied().filter(|v| v.is_finite()).fold(0.0, f32::max);
    assert!(largest < 1.0, "errors relative to S₀ are fractions of it, not {largest}");
}

#[test]
fn tractograms_survive_a_round_trip() {
    let scratch = Scratch::with(small_brain());
    let original = scratch.tractogram("truth_streamlines.trx");
    scratch.succeed_with(
        "convert truth_streamlines.trx a.tck",
        "warning: a.tck: a .tck stores only positions, so these data are not written: arcuate_left, arcuate_right, \
         callosum_body, cingulum_left, \
         cingulum_right, corticospinal_left, corticospinal_right, forceps_major, forceps_minor, \
         inferior_fronto_occipital_left, inferior_fronto_occipital_right, inferior_longitudinal_left, \
         inferior_longitudinal_right, short_parietal_left, short_parietal_right (write .trx to keep them)",
    );
    scratch.fail(
        "convert a.tck b.trk",
        2,
        "error: b.trk: this tractogram format stores the image space of the streamlines, which is not known; give an \
         image in the space of the streamlines with --reference, or write .tck",
    );
    for command in [
        "a.tck b.trx --reference dwi.nii.gz",
        "b.trx c.trk",
        "c.trk d.tck",
        "b.trx folder.trx --folder",
        "folder.trx e.tck",
        "b.trx f64.trx --positions f64",
        "f64.trx f.tck",
        "b.trx f16.trx --positions f16",
        "f16.trx g.tck",
    ] {
        assert_eq!(scratch.succeed(&format!("convert {command}")), "", "{command}");
    }
    // 16-bit numbers have 11 binary digits: a spacing of 0.03 mm below 64 mm. Rounding changes each of the
    // three coordinates by at most half of this.
    for (name, tolerance) in [("d", 0.01), ("e", 0.0), ("f", 0.0), ("g", 0.03)] {
        let again = scratch.tractogram(&format!("{name}.tck"));
        assert_eq!(again.offsets(), original.offsets(), "{name}");
        let farthest = again
            .positions()
            .iter()
            .zip(original.positions())
            .map(|(a, b)| (0..3).map(|n| f64::from(a[n] - b[n]).powi(2)).sum::<f64>().sqrt())
            .fold(0.0, f64::max);
        assert!(farthest <= tolerance, "{name}: {farthest} mm");
    }
    // The format .trx keeps groups.
    scratch.succeed("convert truth_streamlines.trx whole.trx --positions f64");
    let whole = scratch.tractogram("whole.trx");
    assert_eq!(whole.groups, original.groups);
}

#[test]
fn images_survive_a_round_trip() {
    let scratch = Scratch::with(small_brain());
    scratch.succeed("convert dwi.nii.gz dwi.mif --gradients dwi.bvec");
    let result = scratch.succeed("convert dwi.mif back.nii --nifti-2");
    assert_eq!(result, "gradient table: back.bval and back.bvec\n");
    let (first, again) = (scratch.volume("dwi.nii.gz"), scratch.volume("back.nii"));
    assert!(first.values() == again.values());
    assert!(first.grid().matches(again.grid()));
    // A fit gives the same result with the gradient table in the header, with the separate gradient files, and
    // with those of the copy.
    let maps = |name: &str| format!("maps_of_{}", name.replace('.', "_"));
    for name in ["dwi.nii.gz", "dwi.mif", "back.nii"] {
        scratch.succeed(&format!("fit tensor {name} --mask mask.nii.gz --out {}", maps(name)));
    }
    let fa = |name: &str| scratch.volume(&format!("{}/fa.nii.gz", maps(name)));
    let reference = fa("dwi.nii.gz");
    for name in ["dwi.mif", "back.nii"] {
        for (a, b) in fa(name).values().iter().zip(reference.values()) {
            // The tables differ because their numbers are rounded to text.
            assert!((a - b).abs() < 1e-4, "{name}: {a} {b}");
        }
    }
    // Labels remain integers.
    scratch.succeed("convert labels.nii.gz labels.mif");
    scratch.succeed("convert labels.mif labels-2.nii.gz");
    let result = scratch.succeed("info labels.nii.gz labels-2.nii.gz");
    let types: Vec<&str> = result.lines().filter(|line| line.trim_start().starts_with("values")).collect();
    assert!(types.len() == 2 && types[0] == types[1] && types[0].contains("integer"), "{types:?}");
}

fn table(path: &std::path::Path, affine: &Affine) -> arcuate_core::GradientTable {
    read_gradients(path, affine, None).unwrap().table(&GradientReading::default()).unwrap()
}

#[test]
fn gradient_tables_are_converted_with_their_image() {
    let scratch = Scratch::with(small_brain());
    scratch.succeed("convert dwi.bvec scanner.b --reference dwi.nii.gz");
    let scanner = table(&scratch.path("scanner.b"), &Affine::identity());
    assert_eq!(scanner.len(), 14);
    let images = [
        ("flipped", [[-5.0, 0.0, 0.0, 60.0], [0.0, 5.0, 0.0, -70.0], [0.0, 0.0, 5.0, -50.0]]),
        // Two oblique images, one right-handed and one left-handed, with rotations of about 20° and 30°.
        ("oblique", [[4.7, -1.6, 0.4, -60.0], [1.5, 4.0, -2.6, -70.0], [0.5, 2.5, 4.3, -50.0]]),
        ("mirrored", [[-4.7, -1.6, 0.4, 60.0], [-1.5, 4.0, -2.6, -70.0], [-0.5, 2.5, 4.3, -50.0]]),
    ];
    for (name, rows) in images {
        // The axes are made orthogonal, as they are in images of scanners.
        let affine = Affine::from_rows(orthogonal(rows)).unwrap();
        let grid = Grid::new([4, 4, 4], affine).unwrap();
        write_image(
            &scratch.path(&format!("{name}.nii")),
            &Volume::filled(grid, 14, 1.0f32),
            &WriteOptions::default(),
        )
        .unwrap();
        for ending in ["bvec", "scheme"] {
            scratch.succeed(&format!("convert scanner.b {name}.{ending} --reference {name}.nii"));
            scratch.succeed(&format!("convert {name}.{ending} {name}-{ending}.b --reference {name}.nii"));
            let again = table(&scratch.path(&format!("{name}-{ending}.b")), &affine);
            for n in 0..scanner.len() {
                assert!((again.b_values()[n] - scanner.b_values()[n]).abs() < 1.0, "{name} {ending}");
                let (a, b) = (again.directions()[n], scanner.directions()[n]);
                assert!((0..3).all(|axis| (a[axis] - b[axis]).abs() < 1e-5), "{name} {ending}: {a:?} {b:?}");
            }
        }
    }
    // In FSL's convention, an image and the same image with its voxels in reverse order along x have the same
    // table.
    let straight = directions(&scratch.text("dwi.bvec"));
    let flipped = directions(&scratch.text("flipped.bvec"));
    for (n, d) in scanner.directions().iter().enumerate() {
        for (axis, sign) in [-1.0, 1.0, 1.0].into_iter().enumerate() {
            assert!((straight[axis][n] - sign * d[axis]).abs() < 1e-5, "{n}");
            assert!((flipped[axis][n] - sign * d[axis]).abs() < 1e-5, "{n}");
        }
    }
    assert!(scratch.text("oblique.bvec") != scratch.text("dwi.bvec"));
    assert_eq!(scratch.text("oblique.bval"), scratch.text("flipped.bval"));
    // Either file name selects the pair of files, in lower or upper case.
    for (name, other) in [("a.bval", "a.bvec"), ("B.BVEC", "B.BVAL"), ("bvals", "bvecs")] {
        scratch.succeed(&format!("convert scanner.b {name} --reference dwi.nii.gz"));
        let (bvals, bvecs) = if name.to_lowercase().contains("bval") { (name, other) } else { (other, name) };
        assert_eq!(scratch.text(bvals), scratch.text("oblique.bval"), "{name}");
        assert_eq!(directions(&scratch.text(bvecs)).len(), 3, "{name}");
    }
    scratch.fail(
        "convert scanner.b oblique.bval --reference dwi.nii.gz",
        2,
        "error: oblique.bval: it is there already; choose another name, or give --force to replace \
         the existing file",
    );
    std::fs::remove_file(scratch.path("a.bval")).unwrap();
    scratch.fail(
        "convert scanner.b a.bval --reference dwi.nii.gz",
        2,
        "error: a.bvec: it is there already; choose another name, or give --force to replace \
         the existing file",
    );
    scratch.fail(
        "convert dwi.bvec alone.b",
        2,
        "error: dwi.bvec: the gradient directions are in image axes, so the image to which they belong is \
         needed; give this image with --reference",
    );
}

/// Returns the matrix with columns that are orthogonalised one after another and have a length of 5 mm.
fn orthogonal(mut rows: [[f64; 4]; 3]) -> [[f64; 4]; 3] {
    for column in 0..3 {
        for before in 0..column {
            let projection: f64 = (0..3).map(|r| rows[r][column] * rows[r][before]).sum::<f64>() / 25.0;
            (0..3).for_each(|r| rows[r][column] -= projection * rows[r][before]);
        }
        let length = (0..3).map(|r| rows[r][column].powi(2)).sum::<f64>().sqrt();
        (0..3).for_each(|r| rows[r][column] *= 5.0 / length);
    }
    rows
}

fn directions(text: &str) -> Vec<Vec<f64>> {
    text.lines().map(|line| line.split_whitespace().map(|word| word.parse().unwrap()).collect()).collect()
}

#[test]
fn info_describes_files() {
    let scratch = Scratch::with(small_brain());
    for command in [
        "truth_streamlines.trx tracks.trk",
        "tracks.trk tracks.tck",
        "tracks.tck folder.trx --folder --positions f16 --reference dwi.nii.gz",
        "dwi.nii.gz dwi.mif.gz --gradients dwi.bvec",
        "labels.nii.gz labels.nii --nifti-2",
        "dwi.bvec table.b --reference dwi.nii.gz",
        "dwi.bvec table.scheme --reference dwi.nii.gz",
    ] {
        assert_eq!(scratch.run(&format!("convert {command}")).code, 0, "{command}");
    }
    for name in [
        "dwi.nii.gz",
        "dwi.mif.gz",
        "labels.nii",
        "truth_streamlines.trx",
        "folder.trx",
        "tracks.trk",
        "tracks.tck",
        "dwi.bval",
        "dwi.bvec",
        "table.b",
        "table.scheme",
    ] {
        insta::assert_snapshot!(format!("info-{name}"), scratch.succeed(&format!("info {name}")));
    }
    let result = scratch.succeed("info dwi.bvec dwi.bval");
    assert_eq!(result, format!("{}\n{}", scratch.succeed("info dwi.bvec"), scratch.succeed("info dwi.bval")));
    assert_eq!(scratch.succeed("info dwi.bvec --quiet"), scratch.succeed("info dwi.bvec"));
}

#[test]
fn the_demo_compares_with_the_truth() {
    let scratch = Scratch::new();
    let result = scratch.run("demo --out demo --voxel-size 6 --shells 0:3,1000:12,2000:20 --select 1000");
    // With voxels this large, few voxels contain only one tissue, and some tensors are fitted to two tissues.
    let known = [
        "warning: tensor: 12 voxels have a negative eigenvalue",
        "warning: the response of white matter rests",
    ];
    let is_known = |line: &str| known.iter().any(|start| line.starts_with(start));
    assert!(result.code == 0 && result.errors.lines().all(is_known), "{}", result.errors);
    let result = result.output;
    let record: Value = scratch.json("demo/results/arcuate.json");
    let figure = |name: &str| {
        let text = record["figures"][name]["value"].as_str().unwrap_or_else(|| panic!("{name}: {record}"));
        number_after(&format!(": {text}"), ": ")
    };
    assert!(figure("bundles found, all → supported streamlines") >= 9.0, "{record}");
    assert!(figure("median angular error, single-bundle voxels") < 4.0, "{record}");
    let simulated = &record["figures"]["simulated connections"]["value"];
    assert_eq!(simulated, 15);
    let count =
        |name: &str| record["figures"][name]["value"].as_u64().unwrap_or_else(|| panic!("{name}: {record}"));
    let compared = count("supported streamlines compared with the simulation");
    let joined = count("supported streamlines that join two regions");
    assert!(joined + count("supported streamlines that end outside all regions") <= compared && compared > 0);
    assert!(result.ends_with("report: demo/results/report.html\n"), "{result}");
    let page = scratch.text("demo/results/report.html");
    assert!(page.contains("Compared with the truth") && page.contains("arcuate_left"));
    // The output of the command and the start of the page have the same judgements.
    let judged =
        |line: &&str| ["good: ", "doubtful: ", "bad: "].iter().any(|verdict| line.starts_with(verdict));
    let judgements: Vec<&str> = result.lines().filter(judged).collect();
    assert_eq!(judgements.len(), 3, "{result}");
    // Doubtful and bad results come first, so the verdicts decide which sentences are shown.
    let known = [" of the 15 connections", " without a true connection", " end outside all regions"];
    let is_of_truth = |judgement: &&str| known.iter().any(|part| judgement.contains(part));
    assert!(judgements.iter().any(is_of_truth), "{result}");
    for judgement in &judgements {
        let (_, sentence) = judgement.split_once(": ").unwrap();
        assert!(page.contains(&format!("<p>{sentence}</p>")), "{sentence}");
    }
    // The demo uses the defaults of `run`: CSD and COMMIT.
    for file in ["csd/wm_fod.nii.gz", "commit/commit_weights.txt", "connectome/connectome_counts.csv"] {
        assert!(scratch.path(&format!("demo/results/{file}")).is_file(), "{file}");
    }
    scratch.fail(
        "demo --out demo",
        2,
        "error: demo/brain/dwi.nii.gz: it is there already; choose another name, or give --force to replace \
         the existing file",
    );
}

#[test]
fn force_replaces_results_with_another_grid() {
    let scratch = Scratch::new();
    for (name, size) in [("coarse", 9), ("fine", 8)] {
        let options = "--directions 8 --b0s 1 --streamlines-per-bundle 2";
        scratch.succeed(&format!("simulate --out {name} --voxel-size {size} {options}"));
    }
    let run =
        |name: &str| format!("run {name}/dwi.nii.gz --tracking tensor --evaluate none --select 20 --out out");
    scratch.succeed(&run("coarse"));
    // The grid of the mask of the first run differs from the grid of the second series.
    scratch.succeed_with(
        &format!("{} --force", run("fine")),
        "warning: tensor: 7 voxels have a negative eigenvalue (5 of them an FA above 1, 2 an MD below 0)",
    );
    let grid = |file: &str| *scratch.volume(file).grid();
    assert!(grid("out/mask.nii.gz").matches(&grid("fine/dwi.nii.gz")));
    // A mask of the user on another grid is an error.
    let result = scratch.run(&format!("{} --mask coarse/mask.nii.gz --force", run("fine")));
    assert_eq!(result.code, 1, "{}", result.errors);
    assert!(result.errors.contains("coarse/mask.nii.gz: the image size "), "{}", result.errors);
}

#[test]
fn penalties_remove_streamlines_and_are_recorded() {
    let scratch = Scratch::with(evaluated());
    let life = "evaluate life results/life/tracks_weighted.trx --dwi brain/dwi.nii.gz";
    let supported = |folder: &str, more: &str| {
        scratch.succeed(&format!("{life} --out {folder} {more}"));
        let weights = read_weights(&scratch.path(&format!("{folder}/life_weights.txt"))).unwrap();
        weights.iter().filter(|&&w| w > 0.0).count()
    };
    let (plain, penalised) =
        (supported("plain", ""), supported("penalised", "--regularise lasso --lambda 0.3"));
    assert!(penalised > 0 && 2 * penalised < plain, "{penalised} of {plain}");
    scratch.succeed("report penalised");
    for file in ["arcuate.json", "report.html"] {
        let text = scratch.text(&format!("penalised/{file}"));
        assert!(text.contains("λ of the penalty, in the unit of Mᵀy"), "{file}");
        assert!(text.contains("objective ½‖y − Mw‖² + λ Σ w"), "{file}");
    }
    assert!(!scratch.text("plain/arcuate.json").contains("λ Σ w"));
}

#[test]
fn the_simulated_brain_has_meshes() {
    let scratch = Scratch::new();
    let simulate = "simulate --out brain --voxel-size 5 --directions 6 --b0s 1 --streamlines-per-bundle 5";
    assert_eq!(format!("{simulate} --meshes"), format!("simulate --out brain {WITH_MESHES}"));
    for (name, bytes) in brain_with_meshes() {
        scratch.write(&format!("brain/{name}"), bytes);
    }
    let at = |name: &str| scratch.path(&format!("brain/surfaces/{name}"));
    let grid = *scratch.volume("brain/dwi.nii.gz").grid();
    let record: Value = scratch.json("brain/arcuate.json");
    let figure = |name: String| record["figures"][&name]["value"].as_u64().unwrap() as usize;

    let mut of_cortex = 0;
    for (side, structure) in [("left", Structure::CORTEX_LEFT), ("right", Structure::CORTEX_RIGHT)] {
        let [white, pial] = ["white", "pial"].map(|name| {
            let surface = read_surface(&at(&format!("{side}.{name}.surf.gii")), None).unwrap();
            assert_eq!(surface.structure(), Some(structure));
            surface.require_closed(name).unwrap();
            surface
        });
        assert!(
            white.triangles() == pial.triangles() && white.volume() > 0.0 && pial.volume() > white.volume()
        );
        assert_eq!(figure(format!("vertices, {side}")), white.vertices().len());
        assert_eq!(figure(format!("triangles, {side}")), white.triangles().len());
        let cortex = read_surface_file(&at(&format!("{side}.cortex.shape.gii"))).unwrap();
        let regions = read_surface_file(&at(&format!("{side}.regions.label.gii"))).unwrap();
        assert_eq!((cortex.structure, regions.structure), (Some(structure), Some(structure)));
        let (cortex, regions) = (&cortex.maps[0].values, &regions.labels[0]);
        let count = cortex.iter().filter(|is| **is == 1.0).count();
        assert_eq!(count + cortex.iter().filter(|is| **is == 0.0).count(), white.vertices().len());
        assert_eq!(figure(format!("vertices of the cortex, {side}")), count);
        of_cortex += count;
        // Each region is on the side of its name, where the bundle ends.
        let names = arcuate_io::read_label_names(&scratch.path("brain/labels.txt")).unwrap();
        for (number, name) in names {
            let vertices = regions.vertices_of(number as i32).len();
            assert_eq!(regions.table[&(number as i32)].name, name);
            assert_eq!(vertices > 50, name.ends_with(side), "{name}: {vertices} vertices on the {side}");
        }
    }

    let numbers = arcuate_io::read_labels(&at("subcortical.nii.gz")).unwrap();
    assert_eq!(numbers.regions(), [10, 12, 49, 51]);
    assert!(numbers.grid().matches(&grid));
    let names = arcuate_io::read_label_names(&at("subcortical.txt")).unwrap();
    assert_eq!(names[&51], "Right-Putamen");
    let thalamus = read_surface(&at("thalamus_right.surf.gii"), None).unwrap();
    assert_eq!(thalamus.structure(), Structure::of_name("THALAMUS_RIGHT"));
    assert!(thalamus.vertices().iter().all(|p| (2.9..13.1).contains(&p[0])));

    let cifti = CiftiFile::open(&at("grayordinates.dscalar.nii")).unwrap();
    let CiftiAxis::BrainModels(models) = cifti.rows() else { panic!("{:?}", cifti.rows()) };
    let structures: Vec<String> = models.models().iter().map(|model| model.structure.to_string()).collect();
    let expected =
        ["CortexLeft", "CortexRight", "ThalamusLeft", "PutamenLeft", "ThalamusRight", "PutamenRight"];
    assert_eq!(structures, expected);
    let in_nuclei = numbers.values().iter().filter(|number| **number != 0).count();
    assert_eq!(models.len(), of_cortex + in_nuclei);
    assert_eq!(models.volume().unwrap().shape(), grid.shape());

    // The grayordinates are used as seeds.
    let white = "brain/surfaces/left.white.surf.gii,brain/surfaces/right.white.surf.gii";
    let seeds = format!("--seed-cifti brain/surfaces/grayordinates.dscalar.nii --white {white}");
    // Bundles begin in only a part of the cortex.
    scratch.succeed_with(
        &format!("track peaks brain/truth_peaks.nii.gz {seeds} --per-seed 1 --out tracks.trx"),
        "warning: 59809 of 74426 streamlines have a seed in a voxel without orientations; check that seeds \
         and orientations are in the same space",
    );
    let tracks = scratch.tractogram("tracks.trx");
    assert!(tracks.len() > 1000, "{}", tracks.len());

    // Without `--meshes`, `--force` removes the meshes of an earlier command. Other existing files are not
    // overwritten.
    scratch.succeed(&format!("{simulate} --force"));
    assert!(scratch.path("brain/dwi.nii.gz").exists() && !scratch.path("brain/surfaces").exists());
    let mine = scratch.path("other/surfaces/left.pial.surf.gii");
    std::fs::create_dir_all(mine.parent().unwrap()).unwrap();
    std::fs::write(&mine, "mine").unwrap();
    scratch.fail(
        &simulate.replace("--out brain", "--out other --meshes"),
        2,
        "error: other/surfaces/left.pial.surf.gii: it is there already; choose another name, or give --force to replace \
         the existing file",
    );
    assert!(!scratch.path("other/dwi.nii.gz").exists());
}
