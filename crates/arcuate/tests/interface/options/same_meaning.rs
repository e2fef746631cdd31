//! The same option does the same for every source of tracking, and every source has the same products.

use crate::common::Scratch;
use crate::options::inputs;
use arcuate_core::{Point, length};
use std::collections::BTreeSet;

/// Sources and their inputs.
const SOURCES: [(&str, &str); 6] = [
    ("tensor", "tensor.nii.gz"),
    ("fod", "fod.nii.gz"),
    ("samples", "samples"),
    ("peaks", "truth_peaks.nii.gz"),
    ("bootstrap", "dwi.nii.gz --mask white_matter.nii.gz"),
    ("geodesic", "tensor.nii.gz --all --integrator runge-kutta"),
];

/// Runs a command, which may warn.
fn run(scratch: &Scratch, command: &str) {
    let result = scratch.run(command);
    assert_eq!(result.code, 0, "{command}: {}", result.errors);
}

fn steps(line: &[Point]) -> Vec<[f64; 3]> {
    let step = |pair: &[Point]| std::array::from_fn(|n| f64::from(pair[1][n]) - f64::from(pair[0][n]));
    line.windows(2).map(step).collect()
}

fn norm(step: &[f64; 3]) -> f64 {
    step.iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// The turn between two steps, in degrees.
fn turn(pair: &[[f64; 3]]) -> f64 {
    let product: f64 = pair[0].iter().zip(&pair[1]).map(|(a, b)| a * b).sum();
    (product / (norm(&pair[0]) * norm(&pair[1]))).clamp(-1.0, 1.0).acos().to_degrees()
}

#[test]
fn propagation_options_have_the_same_meaning_for_every_source() {
    let scratch = Scratch::with(&inputs::make());
    for (source, input) in SOURCES {
        let line = format!("track {source} {input} --step 2 --angle 30 --min-length 30 --max-length 60");
        for (how, options) in [("stop", ""), ("discard", " --at-max-length discard")] {
            let name = format!("{source}_{how}.tck");
            run(&scratch, &format!("{line} --select 40{options} --out {name}"));
            let lines = scratch.tractogram(&name);
            assert_eq!(lines.len(), 40, "{name}");
            let lengths: Vec<f64> = lines.iter().map(length).collect();
            let longest = lengths.iter().copied().fold(0.0, f64::max);
            assert!(lengths.iter().all(|&length| length > 29.0) && longest < 60.01, "{name}: {lengths:?}");
            // Long ones are there only if they are not rejected.
            assert!(how == "discard" || longest > 54.0, "{name}: {longest}");
            for line in lines.iter() {
                let steps = steps(line);
                // A geodesic moves at one speed in the metric, so its steps in mm differ by some per cent.
                let lengths = if source == "geodesic" { 1.8..2.25 } else { 1.9..2.001 };
                assert!(steps.iter().all(|step| lengths.contains(&norm(step))), "{name}");
                // The halves of a streamline may leave the seed in directions that are drawn one by one.
                let sharp = steps.windows(2).filter(|pair| turn(pair) > 30.5).count();
                assert!(sharp <= 1, "{name}: {sharp} turns");
            }
        }
        // Points in the middle of streamlines: each gives a streamline.
        let middle = |line: &[Point]| line[line.len() / 2].map(|c| c.to_string()).join(" ") + "\n";
        let points: String =
            scratch.tractogram(&format!("{source}_stop.tck")).iter().take(3).map(middle).collect();
        scratch.write("middles.txt", &points);
        run(
            &scratch,
            &format!(
                "track {source} {input} --seed-points middles.txt --min-length 0 --out points.tck --force"
            ),
        );
        let of_points = scratch.tractogram("points.tck").len();
        assert!((1..=3).contains(&of_points), "{source}: {of_points} of three points");
    }
}

#[test]
fn every_source_has_the_same_products_and_parts() {
    let scratch = Scratch::with(&inputs::make());
    let mut names: Option<BTreeSet<String>> = None;
    for (source, input) in SOURCES {
        // The streamlines of a seed of geodesic tracking leave it in different directions.
        let directions = if source == "geodesic" { " --initial-directions sphere" } else { "" };
        let line = format!(
            "track {source} {input} --seed-mask few.nii.gz --per-seed 20 --seed-anywhere --min-length 0{directions}"
        );
        let all = "--targets cortex.nii --labels labels.nii.gz --matrix seeds --products visits,lengths,streamlines,target-counts";
        let (whole, parts) = (format!("{source}_whole"), format!("{source}_parts"));
        run(&scratch, &format!("{line} {all} --out {whole}"));
        for part in ["1/2", "2/2"] {
            run(&scratch, &format!("{line} {all} --part {part} --out {parts}"));
        }
        run(&scratch, &format!("merge {parts}.parts"));
        let files = |folder: &str| {
            let mut files = scratch.files(folder);
            files.retain(|name, _| !name.ends_with("arcuate.json"));
            files
        };
        let (whole_files, part_files) = (files(&whole), files(&parts));
        assert_eq!(whole_files.keys().collect::<Vec<_>>(), part_files.keys().collect::<Vec<_>>(), "{source}");
        for (name, bytes) in &whole_files {
            assert!(part_files[name] == *bytes, "{source}: {name} of parts");
        }
        let found: BTreeSet<String> = whole_files.keys().cloned().collect();
        assert!(found.len() >= 12, "{source}: {found:?}");
        assert_eq!(*names.get_or_insert_with(|| found.clone()), found, "{source}");
        // Neither the products nor the name of the result change a streamline.
        run(&scratch, &format!("{line} --out {source}.tck"));
        let lines = scratch.tractogram(&format!("{whole}/streamlines.trx"));
        assert!(
            !lines.is_empty() && lines.iter().eq(scratch.tractogram(&format!("{source}.tck")).iter()),
            "{source}"
        );
        run(&scratch, &format!("{line} --products visits --out {source}_visits.nii.gz"));
        assert!(
            scratch.read(&format!("{source}_visits.nii.gz"))
                == scratch.read(&format!("{whole}/visits.nii.gz"))
        );
    }
}
