//! Prepares the data for a fit of signal models: averages of the signal over gradient directions, and
//! gradient deviations.

use crate::series::Series;
use crate::space::{ImageOnGrid, Volumes};
use arcuate_core::{Grid, Result, Volume};
use arcuate_model::averaged_for;
use arcuate_model::fit::in_scanner_axes;
use arcuate_model::language::Model;
use std::path::Path;

/// If the models describe averages of the signal over gradient directions, returns a series of these
/// averages. If not, returns `None`.
pub(super) fn averaged(models: &[Model], series: &Series) -> Result<Option<Series>> {
    let averaged = averaged_for(models, &series.dwi, &series.gradients)?;
    Ok(averaged.map(|(dwi, gradients)| Series { dwi, gradients, files: series.files.clone() }))
}

/// Reads an image of gradient deviations (nine volumes) on the voxel grid of the series. Returns the
/// deviations in scanner axes.
pub(super) fn deviations(path: &Path, grid: &Grid) -> Result<Volume<f32>> {
    let whose = "the diffusion series";
    let advice = "give grad_dev as it was written";
    let nine = Volumes { count: 9, not: "and deviations of gradients nine", advice };
    let image = ImageOnGrid::check(path, grid, whose, Some(nine))?.in_its_order(whose)?.read()?;
    Ok(in_scanner_axes(&image))
}
