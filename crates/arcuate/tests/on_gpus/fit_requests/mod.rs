//! Tests of `arcuate fit MODEL` and `arcuate fit --list`: maps, messages, and exit codes.

mod chains;
mod files;
mod overrides;
mod relaxometry;
mod samples;
mod sidecars;
mod signals;

use crate::common::Scratch;
use arcuate_core::{Affine, GradientTable, Grid, Orientations, Volume};
use arcuate_io::read_volume;
use arcuate_model::fit::Prediction;
use arcuate_model::models::model;

/// A gradient table with three measurements at b = 0, then `directions` measurements at each b-value.
fn table(b_values: &[f64], directions: usize) -> GradientTable {
    let (mut all, mut b) = (vec![[1.0, 0.0, 0.0]; 3], vec![0.0; 3]);
    for b_value in b_values {
        all.extend(Orientations::half_sphere(directions).directions());
        b.extend(vec![*b_value; directions]);
    }
    GradientTable::new(&all, b, 50.0).unwrap()
}

/// The signal that a model predicts for these parameter values.
fn predicted(name: &str, table: &GradientTable, numbers: &[f64]) -> Vec<f32> {
    let signals = Prediction::new(&model(name).unwrap(), table, &[]).unwrap().signals(numbers);
    signals.into_iter().map(|signal| signal as f32).collect()
}

/// Writes an image with one row of voxels. Each voxel has one or more channels.
fn write_row(scratch: &Scratch, name: &str, voxels: &[Vec<f32>]) {
    let grid = Grid::new([voxels.len(), 1, 1], Affine::identity()).unwrap();
    let volume = Volume::new(grid, voxels[0].len(), voxels.concat()).unwrap();
    scratch.write_image(name, &volume);
}

/// A folder with the series `dwi.nii.gz`, its gradient table and a mask of all of its voxels.
fn series(table: &GradientTable, voxels: &[Vec<f32>]) -> Scratch {
    let scratch = Scratch::new();
    write_row(&scratch, "dwi.nii.gz", voxels);
    write_row(&scratch, "mask.nii.gz", &vec![vec![1.0]; voxels.len()]);
    let line = |value: &dyn Fn(usize) -> f64| {
        (0..table.len()).map(|m| value(m).to_string()).collect::<Vec<_>>().join(" ") + "\n"
    };
    let weighted = |m: usize| f64::from(u8::from(table.b_values()[m] > 50.0));
    scratch.write("dwi.bval", line(&|m| table.b_values()[m]));
    // FSL's x is negated if the determinant of the affine is positive.
    let axes = [-1.0, 1.0, 1.0].into_iter().enumerate();
    let rows = axes.map(|(axis, sign)| line(&|m| sign * weighted(m) * table.directions()[m][axis]));
    scratch.write("dwi.bvec", rows.collect::<String>());
    scratch
}

/// A series with one voxel for each direction: a ball and a stick in this direction, at b = 1000 and 2000.
fn sticks(directions: &[[f64; 3]]) -> Scratch {
    let table = table(&[1000.0, 2000.0], 20);
    let voxel = |n: &[f64; 3]| predicted("ball-1-stick", &table, &[1000.0, 1.2e-3, 0.6, n[0], n[1], n[2]]);
    series(&table, &directions.iter().map(voxel).collect::<Vec<_>>())
}

const DIRECTIONS: [[f64; 3]; 2] = [[0.6, 0.0, 0.8], [0.0, 0.8, 0.6]];

/// The values of a map. The channels of a voxel are adjacent.
fn map(scratch: &Scratch, name: &str) -> Vec<f32> {
    read_volume(&scratch.path(name)).unwrap_or_else(|e| panic!("{name}: {e}")).values().to_vec()
}

/// The command line of a fit on the CPU, with the mask of all voxels.
fn fit(arguments: &str) -> String {
    let (models, options) = arguments.split_once(' ').unwrap_or((arguments, ""));
    format!("fit {models} dwi.nii.gz --mask mask.nii.gz --device cpu {options}")
}

/// The value of a figure in a record.
fn figure(scratch: &Scratch, record: &str, name: &str) -> serde_json::Value {
    let record: serde_json::Value = serde_json::from_slice(&scratch.read(record)).unwrap();
    record["figures"][name]["value"].clone()
}

/// The model file of `ball-1-stick` with these text replacements.
fn changed(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(
        arcuate_model::models::model_text("ball-1-stick").unwrap().to_owned(),
        |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        },
    )
}
