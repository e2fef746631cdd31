//! Times the complete `arcuate bedpostx` command, including file access, on a subject of UK Biobank size.

use crate::fit::{Acquisition, BIOBANK, simulate, table};
use crate::measure::{arcuate, median, quietly};
use crate::options::Options;
use crate::outcome::Outcome;
use arcuate_core::{Grid, Volume};
use arcuate_io::{WriteOptions, fsl_gradients, write_image};
use arcuate_model::models::model;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

pub(crate) fn run(options: &Options) -> Outcome {
    let own = &options.fit;
    let voxels = own.fit_voxels.unwrap_or(BIOBANK.voxels);
    let device = own.fit_on.open(None)?.to_string();
    let folder = tempfile::tempdir()?;
    let subject = folder.path().join("subject");
    std::fs::create_dir(&subject)?;
    println!("bedpostx-biobank: {voxels} voxels, from files to files");
    let measured = write_subject(&subject, voxels, &BIOBANK)?;
    println!("    the series is {:.0} MB, compressed", measured as f64 * 1e-6);
    for fibres in [2, 3] {
        let (mut times, mut written) = (Vec::new(), 0);
        for turn in 0..=options.turns {
            let results = folder.path().join("subject.bedpostX");
            if results.exists() {
                std::fs::remove_dir_all(&results)?;
            }
            let mut command = Command::new(arcuate()?);
            command.arg("bedpostx").arg(&subject).args(["-n", &fibres.to_string(), "-model", "1"]);
            command.env("ARCUATE_DEVICE", &device);
            command.env("ARCUATE_THREADS", options.threads.to_string());
            let started = Instant::now();
            quietly(&mut command)?;
            if turn > 0 {
                times.push(started.elapsed().as_secs_f64());
            }
            written = bytes_in(&results)?;
            if turn == options.turns {
                say_steps(&std::fs::read_to_string(results.join("logs/arcuate.json"))?);
            }
        }
        println!(
            "    -n {fibres} -model 1: {:.2} s, {:.0} MB of results; {:.0} such subjects a day",
            median(&times),
            written as f64 * 1e-6,
            86400.0 / median(&times)
        );
    }
    Ok(())
}

/// Writes the folder of a simulated subject in FSL's layout. Returns the size of the file of the diffusion
/// series, in bytes.
fn write_subject(subject: &Path, voxels: usize, acquisition: &Acquisition) -> Outcome<u64> {
    let table = table(acquisition)?;
    let (dwi, _) = simulate(&model("ball-2-sticks")?, &table, voxels, acquisition.snr)?;
    let grid = Grid::new([100, 100, dwi.grid().len().div_ceil(10_000)], *dwi.grid().affine())?;
    let channels = dwi.channels();
    let mut values = dwi.into_values();
    values.resize(grid.len() * channels, 0.0);
    let inside: Vec<f32> = (0..grid.len()).map(|voxel| f32::from(u8::from(voxel < voxels))).collect();
    let options = WriteOptions::default();
    let data = subject.join("data.nii.gz");
    write_image(&data, &Volume::new(grid, channels, values)?, &options)?;
    write_image(&subject.join("nodif_brain_mask.nii.gz"), &Volume::new(grid, 1, inside)?, &options)?;
    fsl_gradients::write(&subject.join("bvals"), &subject.join("bvecs"), &table, grid.affine())?;
    Ok(std::fs::metadata(data)?.len())
}

/// Prints the time of each step of the `arcuate bedpostx` command, in seconds. The record of the command (a
/// JSON file) has these times in its object `seconds`.
fn say_steps(record: &str) {
    let of_steps = record.split_once("\"seconds\"").and_then(|(_, rest)| rest.split_once('}'));
    for line in of_steps.iter().flat_map(|(steps, _)| steps.lines().skip(1)) {
        println!("       {}", line.trim().trim_end_matches(','));
    }
}

fn bytes_in(folder: &Path) -> Outcome<u64> {
    let mut sum = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        sum += if entry.file_type()?.is_dir() { bytes_in(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(sum)
}
