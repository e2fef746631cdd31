//! The signals that a fitted model predicts, and the residuals (measured minus predicted signals).

use crate::job::Job;
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::series::Series;
use arcuate_core::{Result, Volume};
use arcuate_io::write_image;
use arcuate_model::fit::{FitOptions, ModelFit, Status, predicted_series};
use arcuate_model::language::Model;
use rayon::prelude::*;
use std::path::Path;

const PREDICTED: &str = "predicted.nii.gz";
const RESIDUALS: &str = "residuals.nii.gz";

/// Describes the files of the predicted signals and of the residuals.
pub(super) fn output_files() -> [OutputFile; 2] {
    let of = |what: &str| format!("{what} of each measurement that was fitted, a volume for each");
    [
        OutputFile::file(PREDICTED, of("Predicted signal")).with_content(
            "Signal that the model predicts from the maps, one volume per fitted measurement, 0 in voxels that were not fitted",
        ),
        OutputFile::file(RESIDUALS, of("Measured minus predicted signal")).with_content(
            "Measured minus predicted signal, one volume per fitted measurement, 0 in voxels that were not fitted",
        ),
    ]
}

/// Writes the signals that model number `which` predicts, and its residuals, into the subfolder `below` of
/// the results.
pub(super) fn write(
    (folder, below): (&OutputFolder, &Path),
    (models, which, fit): (&[Model], usize, &ModelFit),
    series: &Series,
    options: &FitOptions,
    job: &Job,
) -> Result<()> {
    let Series { dwi, gradients, .. } = series;
    let image = job.image_options();
    let file = |name: &str| folder.file(&below.join(name).to_string_lossy());
    let mut predicted = predicted_series(models, which, fit, gradients, options)?;
    write_image(&file(PREDICTED), &predicted, &image)?;
    subtract(&mut predicted, dwi, &options.measurements.of(gradients)?, fit);
    write_image(&file(RESIDUALS), &predicted, &image)
}

/// Replaces predicted signals by residuals (measured minus predicted signals). The residual is 0 if the
/// measured signal is not a finite number, or if the voxel was not fitted.
fn subtract(predicted: &mut Volume<f32>, dwi: &Volume<f32>, measurements: &[usize], fit: &ModelFit) {
    let of_voxels = predicted.values_mut().par_chunks_mut(measurements.len()).enumerate();
    of_voxels.for_each(|(voxel, predicted)| {
        if !Status::ALL[fit.status.voxel(voxel)[0] as usize].0.is_fitted() {
            return;
        }
        for (out, &m) in predicted.iter_mut().zip(measurements) {
            let difference = dwi.voxel(voxel)[m] - *out;
            *out = if difference.is_finite() { difference } else { 0.0 };
        }
    });
}
