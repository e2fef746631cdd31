//! What is fitted, as it is made of what was measured.

use crate::series::Series;
use crate::space::{OnGrid, Volumes};
use arcuate_core::{Error, Grid, Result, Volume};
use arcuate_model::average_directions;
use arcuate_model::fit::in_scanner_axes;
use arcuate_model::language::Model;
use std::path::Path;

/// The series of averages over directions, where models are of these.
pub(super) fn averaged(models: &[Model], series: &Series) -> Result<Option<Series>> {
    let (of_averages, others): (Vec<&Model>, Vec<&Model>) =
        models.iter().partition(|model| model.averages_directions());
    match (of_averages.first(), others.first()) {
        (None, _) => Ok(None),
        (Some(average), Some(other)) => {
            let (average, other) = (average.name(), other.name());
            let problem = format!("{average} is of averages over directions, and {other} is not");
            Err(Error::usage("MODEL", problem, "fit them one after the other"))
        }
        (Some(_), None) => {
            let (dwi, gradients) = average_directions(&series.dwi, &series.gradients)?;
            Ok(Some(Series { dwi, gradients, files: series.files.clone() }))
        }
    }
}

/// Deviations of gradients on the grid of the series.
pub(super) fn deviations(path: &Path, grid: &Grid) -> Result<Volume<f32>> {
    let whose = "the diffusion series";
    let advice = "give grad_dev as it was written";
    let nine = Volumes { count: 9, not: "and deviations of gradients nine", advice };
    let image = OnGrid::check(path, grid, whose, Some(nine))?.in_its_order(whose)?.read()?;
    Ok(in_scanner_axes(&image))
}
