//! Output files of a reconstruction.

use super::options::Recon;
use crate::output_files::{Kind, Map, OutputFile};
use crate::record::{Record, Table, name_of};
use arcuate_core::{ComplexArray, Grid, Result, Volume};
use arcuate_io::{NIFTI_ENDINGS, begin_cfl, begin_image, finish_together, has_ending};
use arcuate_phantom::compare_images;
use arcuate_pipeline::job::Job;
use arcuate_recon::{Element, Reconstruction};
use arcuate_solve::CurvePoint;
use std::path::{Path, PathBuf};

/// Returns true if the image is written as a BART array.
pub(super) fn is_array(path: &Path) -> bool {
    has_ending(path, &[".cfl"])
}

/// Returns the path of a file next to the image: `image.nii.gz` has `image_phase.nii.gz`.
fn companion_path(image: &Path, what: &str) -> PathBuf {
    let name = name_of(image);
    let (stem, ending) = name.split_at(name.find('.').unwrap_or(name.len()));
    // A file next to a BART array, such as the error map, has real values. It is therefore written as a NIfTI
    // image.
    let ending = if is_array(image) || ending.is_empty() { NIFTI_ENDINGS[1] } else { ending };
    image.with_file_name(format!("{stem}_{what}{ending}"))
}

/// Returns the output files of a reconstruction.
pub(super) fn files(command: &Recon) -> Vec<PathBuf> {
    let mut files = arcuate_io::files_of_array(&command.out);
    if has_phase(command) {
        files.push(companion_path(&command.out, "phase"));
    }
    if command.truth.is_some() {
        files.push(companion_path(&command.out, "error"));
    }
    files
}

fn has_phase(command: &Recon) -> bool {
    !command.complex && !is_array(&command.out)
}

/// Returns the output files as shown in a report.
pub(super) fn output_files(command: &Recon) -> Vec<OutputFile> {
    let map = Kind::Map(Map::default());
    let mut output_files = if has_phase(command) {
        let phase = Kind::Map(Map {
            unit: "rad".into(),
            window: Some([-std::f32::consts::PI, std::f32::consts::PI]),
            ..Map::default()
        });
        vec![
            OutputFile::shown(name_of(&command.out), "Magnitude", map.clone()),
            OutputFile::shown(name_of(&companion_path(&command.out, "phase")), "Phase", phase),
        ]
    } else {
        files(command)[..arcuate_io::files_of_array(&command.out).len()]
            .iter()
            .map(|path| OutputFile::file(name_of(path), "Complex image"))
            .collect()
    };
    if command.truth.is_some() {
        let error =
            OutputFile::shown(name_of(&companion_path(&command.out, "error")), "Error of the magnitude", map);
        output_files.push(error.with_caption(
            "Magnitude less the true one, after the image was multiplied with the complex number that takes it nearest \
             to the truth.",
        ));
    }
    output_files
}

/// Writes all files of the image or none. Compares the image with the truth if one is given.
pub(super) fn write<T: Element>(
    command: &Recon,
    grid: &Grid,
    done: &Reconstruction<T>,
    truth: Option<&[[f32; 2]]>,
    record: &mut Record,
    job: &Job,
) -> Result<()> {
    let image: Vec<[f32; 2]> =
        done.image.as_chunks::<2>().0.iter().map(|value| value.map(|part| part.double() as f32)).collect();
    let options = job.image_options();
    let volume = |values: Vec<f32>| Volume::new(*grid, 1, values);
    let mut files = Vec::new();
    if let Some(truth) = truth {
        let error = compare_images(&image, truth)?;
        record.figure("NRMSE to the truth", error.nrmse).key();
        record.measure("PSNR", error.psnr, "dB");
        files.push(begin_image(
            &companion_path(&command.out, "error"),
            &volume(error.differences)?,
            &options,
        )?);
    }
    if is_array(&command.out) {
        files.extend(begin_cfl(&command.out, &ComplexArray::new(grid.shape().to_vec(), image)?)?);
    } else if command.complex {
        files.push(begin_image(&command.out, &Volume::new(*grid, 1, image)?, &options)?);
    } else {
        let phase = image.iter().map(|value| value[1].atan2(value[0])).collect();
        files.push(begin_image(&companion_path(&command.out, "phase"), &volume(phase)?, &options)?);
        let magnitude = image.iter().map(|value| value[0].hypot(value[1])).collect();
        files.push(begin_image(&command.out, &volume(magnitude)?, &options)?);
    }
    finish_together(files)
}

/// Returns a table of the λ values that were tried.
pub(super) fn curve(curve: &[CurvePoint]) -> Table {
    let row = |point: &CurvePoint| {
        vec![
            point.lambda.into(),
            point.misfit.max(0.0).sqrt().into(),
            point.penalty.sqrt().into(),
            point.iterations.into(),
        ]
    };
    Table {
        title: "Choice of λ".to_owned(),
        section: String::new(),
        text: "Solutions for the λ that were tried, in their order: how well they explain the data, and how large the \
               penalty is."
            .to_owned(),
        columns: ["λ", "‖d − Fρ‖", "‖Wρ‖", "iterations"].map(String::from).to_vec(),
        rows: curve.iter().map(row).collect(),
    }
}
