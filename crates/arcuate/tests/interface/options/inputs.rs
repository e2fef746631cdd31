//! The input files for the command lines of `table.txt`: a small brain with two shells, and results of other
//! commands for this brain. Some files do not belong to this brain.

use crate::common::{Files, Scratch, kept};
use arcuate_core::{Grid, Volume};
use arcuate_io::{SavedState, StateKind};
use std::f64::consts::PI;
use std::fmt::Write;

/// Directions spread over the half sphere.
fn directions(count: usize) -> impl Iterator<Item = [f64; 3]> {
    (0..count).map(move |n| {
        let z = (n as f64 + 0.5) / count as f64;
        let (angle, r) = (PI * (1.0 + 5_f64.sqrt()) * (n as f64 + 0.5), (1.0 - z * z).sqrt());
        [r * angle.cos(), r * angle.sin(), z]
    })
}

/// A gradient table in MRtrix's format: two measurements at b = 0 and two shells. `row` formats one
/// measurement.
fn gradients(row: impl Fn([f64; 3], f64) -> String) -> String {
    let mut text = [row([0.0; 3], 0.0), row([0.0; 3], 0.0)].concat();
    for (b, count) in [(1000.0, 15), (2000.0, 20)] {
        text.extend(directions(count).map(|direction| row(direction, b)));
    }
    text
}

fn image(scratch: &Scratch, name: &str, grid: &Grid, channels: usize, values: Vec<f32>) {
    let volume = Volume::new(*grid, channels, values).unwrap();
    scratch.write_image(name, &volume);
}

/// A matrix of 40 seeds by 7 targets in FSL's format. It has no distinct clusters, so different starts find
/// different clusters.
fn matrix(scratch: &Scratch) {
    let mut text = String::new();
    for column in 1..=7_u32 {
        for row in 1..=40_u32 {
            let value = row.wrapping_mul(2_654_435_761).wrapping_mul(column * column + 3) >> 24;
            if value % 3 > 0 {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{row}  {column}  {value}");
            }
        }
    }
    scratch.write("seeds.dot", text + "40  7  0\n");
}

/// Two BIDS data sets with two participants each, `qs` and `qsiprep`, and the state of one scan in `work`.
fn data_set(scratch: &Scratch) {
    let made_by = r#"{"Name": "qs", "BIDSVersion": "1.9.0", "DatasetType": "derivative", "GeneratedBy": [{"Name": "prep"}]}"#;
    for root in ["qs", "qsiprep"] {
        scratch.write(&format!("{root}/dataset_description.json"), made_by);
        for participant in ["01", "02"] {
            let name = format!("{root}/sub-{participant}/dwi/sub-{participant}_desc");
            for (from, to) in [
                ("dwi.nii.gz", "preproc_dwi.nii.gz"),
                ("dwi.bval", "preproc_dwi.bval"),
                ("dwi.bvec", "preproc_dwi.bvec"),
                ("mask.nii.gz", "brain_mask.nii.gz"),
            ] {
                scratch.write(&format!("{name}-{to}"), scratch.read(from));
            }
        }
    }
    let state = serde_json::json!(
        {"scan": "sub-01", "participant": "01", "stage": "done", "since": "2026-01-01T00:00:00Z", "version": "1"}
    );
    let path = scratch.path("work/sub-01/state.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let kind = StateKind { name: "state of a scan", version: 2 };
    SavedState { path: &path, kind, remedy: "" }.write_json(&state).unwrap();
}

/// The input files. Creating them takes some seconds, so two tests share them.
pub(crate) fn make() -> Files {
    kept("inputs", |scratch| {
        for (name, bytes) in made() {
            scratch.write(&format!("kept/{name}"), bytes);
        }
    })
}

fn made() -> Files {
    let scratch = Scratch::new();
    let plain = |[x, y, z]: [f64; 3], b: f64| format!("{x:.6} {y:.6} {z:.6} {b}\n");
    let table = gradients(plain);
    scratch.write("two.b", &table);
    scratch.succeed("simulate --out . --voxel-size 8 --gradients two.b --streamlines-per-bundle 4");
    std::fs::remove_file(scratch.path("arcuate.json")).unwrap();
    tables(&scratch, &table);
    for command in [
        "fit tensor dwi.nii.gz --mask mask.nii.gz --out maps",
        "convert truth_streamlines.trx t.tck",
        "fit ball-2-sticks dwi.nii.gz --mask white_matter.nii.gz --method mcmc --burn-in 20 --jumps 40 --interval 10 --out samples",
        "fit ball-1-stick dwi.nii.gz --mask white_matter.nii.gz --method mcmc --burn-in 5 --jumps 20 --interval 5 --save-state \
         --out state",
        "track samples samples --per-seed 2 --out visits --part 1/1",
        "simulate kspace --size 12,12 --out k",
        "simulate kspace --size 12,12 --coils 2 --out kc",
        "recon k/ksp.cfl --trajectory k/traj.cfl --size 12,12 --save-q q_12.npy --out q.nii",
    ] {
        let result = scratch.run(command);
        assert_eq!(result.code, 0, "{command}: {}", result.errors);
    }
    for name in ["tensor.nii.gz", "fa.nii.gz"] {
        std::fs::copy(scratch.path("maps").join(name), scratch.path(name)).unwrap();
    }
    images(&scratch);
    let streamlines = scratch.tractogram("t.tck").len();
    let weights: Vec<String> = (0..streamlines).map(|n| format!("{}\n", (n % 7) as f64 / 6.0)).collect();
    scratch.write("weights.txt", weights.concat());
    matrix(&scratch);
    scratch.write("shift.mat", "1 0 0 8\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
    for (tissue, response) in [
        ("wm", "3500 0 0 0\n2000 -600 100 -10\n1300 -700 230 -60\n"),
        ("gm", "4400\n2000\n900\n"),
        ("csf", "12000\n620\n40\n"),
    ] {
        scratch.write(&format!("responses/response_{tissue}.txt"), response);
    }
    scratch.write("few.toml", "[fit.ball-2-sticks]\nburn-in = 5\njumps = 10\ninterval = 5\n");
    scratch.write("cutoff.toml", "[track.tensor]\ncutoff = 0.4\n");
    scratch.write("object.txt", "1 0 0 0 60 60 60 0\n");
    models(&scratch);
    data_set(&scratch);
    scratch.files(".")
}

/// Variants of the gradient table that change the results, and a column with a time for each measurement.
fn tables(scratch: &Scratch, table: &str) {
    let text = scratch.text("dwi.bval");
    let mut b_values: Vec<&str> = text.split_whitespace().collect();
    b_values[3] = "0";
    scratch.write("b0.bval", b_values.join(" ") + "\n");
    let text = scratch.text("dwi.bvec");
    let rows: Vec<&str> = text.lines().collect();
    scratch.write("x.bvec", [rows[1], rows[0], rows[2], ""].join("\n"));
    scratch.write("x.b", gradients(|[x, y, z], b| format!("{y:.6} {x:.6} {z:.6} {b}\n")));
    let mut lines: Vec<&str> = table.lines().collect();
    lines.rotate_right(1);
    scratch.write("swapped.b", lines.join("\n") + "\n");
    let delta: Vec<String> = (0..lines.len()).map(|n| format!("{}\n", 20 + n)).collect();
    scratch.write("delta.txt", delta.concat());
}

/// Masks, points and other images on the grid of the brain.
fn images(scratch: &Scratch) {
    let white = scratch.volume("white_matter.nii.gz");
    let grid = *white.grid();
    let inside: Vec<usize> = (0..grid.len()).filter(|&voxel| white.values()[voxel] > 0.5).collect();
    let some = &inside[inside.len() / 2..][..4];
    let values = (0..grid.len()).map(|voxel| f32::from(u8::from(some.contains(&voxel)))).collect();
    image(scratch, "few.nii.gz", &grid, 1, values);
    for (from, to) in [("few", "a/seed"), ("few", "b/seed"), ("white_matter", "b/target")] {
        scratch.write(&format!("protocols/{to}.nii.gz"), scratch.read(&format!("{from}.nii.gz")));
    }
    let mut points = String::new();
    for &voxel in &some[..3] {
        let [x, y, z] = grid.centre(voxel);
        writeln!(points, "{x} {y} {z}").unwrap();
    }
    scratch.write("points.txt", points);
    let labels = scratch.volume("labels.nii.gz");
    let first = labels.values().iter().map(|&label| f32::from(u8::from(label == 1.0))).collect();
    image(scratch, "cortex.nii", &grid, 1, first);
    image(scratch, "deviations.nii.gz", &grid, 9, vec![0.02; 9 * grid.len()]);
    image(scratch, "fod.nii.gz", &grid, 6, distributions(&scratch.volume("truth_peaks.nii.gz")));
    tissues(scratch, &white, &labels);
    let steps = (0..grid.len()).map(|voxel| 0.5 + (voxel % 5) as f32 / 10.0).collect();
    image(scratch, "steps.nii.gz", &grid, 1, steps);
}

/// A five-tissue image. Labelled regions are cortex, and the rest of the white matter is white matter. All
/// other voxels are lesions, in which streamlines may end.
fn tissues(scratch: &Scratch, white: &arcuate_core::Volume<f32>, labels: &arcuate_core::Volume<f32>) {
    let of_voxel = |voxel: usize| match (labels.values()[voxel] > 0.0, white.values()[voxel] > 0.5) {
        (true, _) => [1.0, 0.0, 0.0, 0.0, 0.0],
        (_, true) => [0.0, 0.0, 1.0, 0.0, 0.0],
        _ => [0.0, 0.0, 0.0, 0.0, 1.0],
    };
    let grid = *white.grid();
    image(scratch, "tissues.nii.gz", &grid, 5, (0..grid.len()).flat_map(of_voxel).collect());
}

/// Spherical harmonics up to degree 2 of fibres along the peaks, in MRtrix's order.
fn distributions(peaks: &arcuate_core::Volume<f32>) -> Vec<f32> {
    let of_voxel = |voxel: usize| {
        let mut sum = [0.0; 6];
        for peak in peaks.voxel(voxel).chunks(3) {
            let length = peak.iter().map(|c| c * c).sum::<f32>().sqrt();
            let [x, y, z] = [0, 1, 2].map(|n| peak[n] / length.max(1e-6));
            let (two, one) = (1.092_548_4, 0.315_391_6);
            let harmonics = [
                0.282_094_8,
                two * x * y,
                -two * y * z,
                one * (3.0 * z * z - 1.0),
                -two * x * z,
                0.5 * two * (x * x - y * y),
            ];
            sum.iter_mut().zip(harmonics).for_each(|(sum, harmonic)| *sum += length * harmonic);
        }
        sum
    };
    (0..peaks.grid().len()).flat_map(of_voxel).collect()
}

/// Models that need one value for each measurement or for each voxel.
fn models(scratch: &Scratch) {
    let signal = "[parameters.s0]\nunit = \"signal\"\nbounds = [0, inf]\nstart = \"mean_b0\"\n\n[parameters.d]\n\
                  unit = \"mm²/s\"\nbounds = [0, 5e-3]\nstart = 1e-3\n";
    let column = "name = \"timed\"\nsignal = \"s0 * exp(-b * d) * exp(-te / 1000 [ms])\"\n";
    scratch.write(
        "column.toml",
        format!("{column}\n[measurements.te]\nunit = \"ms\"\nbounds = [0, 500]\n\n{signal}"),
    );
    let map = "name = \"mapped\"\nsignal = \"s0 * exp(-b * d) * m\"\n";
    scratch.write("map.toml", format!("{map}\n[maps.m]\nunit = \"1\"\nbounds = [0, 2]\n\n{signal}"));
}
