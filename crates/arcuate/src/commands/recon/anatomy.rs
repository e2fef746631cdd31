//! Reads the anatomical image that an edge-preserving penalty uses, and resamples it to the voxels of the
//! reconstructed image.

use super::read::{Input, centred};
use arcuate_core::{Error, Grid, Result, Volume};
use arcuate_io::read_volume;
use arcuate_recon::reference_on;
use std::path::Path;

/// An anatomical reference on the voxels of the reconstructed image.
pub(super) struct Anatomy {
    /// Value of each voxel; `None` outside the reference image.
    pub(super) values: Vec<Option<f32>>,
    /// Description of the resampling; `None` if the reference was already on this grid.
    pub(super) resampled: Option<String>,
}

/// Reads a reference and resamples it to the voxels of the reconstructed image.
///
/// If the position of either image is unknown, an image of the same size is used voxel by voxel.
pub(super) fn read<T>(path: &Path, input: &Input<T>) -> Result<Anatomy> {
    let reference = read_volume(path)?;
    let (here, there) = (&input.frame, reference.grid());
    let is_known = input.grid.is_placed() && there.is_placed();
    let [[x, y, z], [nx, ny, nz]] = [there.shape(), here.shape()];
    let invalid = |problem: String, advice: &str| Err(Error::invalid(path.display(), problem, advice));
    if reference.channels() != 1 {
        return invalid(
            format!("the image has {} volumes, not one", reference.channels()),
            "give a 3-D image",
        );
    }
    if let Some(n) = reference.values().iter().position(|value| !value.is_finite()) {
        return invalid(format!("voxel {n} is not finite"), "give an image that has a number everywhere");
    }
    let is_there = if is_known {
        here.matches(there)
    } else {
        there.shape() == here.shape() && (input.size_unknown || same_size(here, there))
    };
    if is_there {
        let values = reference.into_values().into_iter().map(Some).collect();
        return Ok(Anatomy { values, resampled: None });
    }
    if input.size_unknown {
        let problem = format!(
            "it has {x} × {y} × {z} voxels, the image has {nx} × {ny} × {nz}, and the voxel size of the \
             image is not known"
        );
        return invalid(problem, "give --like or --fov, or a reference on the image's voxels");
    }
    if input.grid.is_placed() && !is_known {
        let problem = format!(
            "it has no position in space, and its {x} × {y} × {z} voxels differ from the {nx} × {ny} × \
             {nz} voxels of the image"
        );
        return invalid(
            problem,
            "give a reference with a position in space, or one on the voxel grid of \
                                 the image",
        );
    }
    // If the header of the anatomical image has no position either, the centres and the axes of both fields
    // of view are assumed to coincide.
    let reference = if there.is_placed() {
        reference
    } else {
        let grid = centred(there.shape(), there.voxel_sizes())?;
        Volume::new(grid, 1, reference.into_values())?
    };
    let values = reference_on(here, &reference);
    let known = values.iter().flatten().count();
    if known == 0 {
        let advice = if is_known {
            "give a reference of the same place"
        } else {
            "give the position of the image with --like, without --fov, or give another reference"
        };
        return invalid("it does not overlap the image in space".to_owned(), advice);
    }
    let share = 100.0 * known as f64 / values.len() as f64;
    if share < 50.0 {
        tracing::warn!(
            "{}: the anatomical image contains only {share:.0} % of the voxels of the reconstructed image; \
             check that both images show the same part of the body",
            path.display()
        );
    }
    let place = if is_known { "" } else { ", the middle of the field of view taken for 0" };
    let resampled =
        format!("resampled from {x} × {y} × {z} voxels, which hold {share:.0} % of the image{place}");
    Ok(Anatomy { values, resampled: Some(resampled) })
}

/// Returns true if voxel sizes differ by less than half a voxel over the whole image.
fn same_size(here: &Grid, there: &Grid) -> bool {
    let (sizes, others) = (here.voxel_sizes(), there.voxel_sizes());
    // In an image of one slice, the slice thickness is not compared. It does not matter for neighbours within
    // the slice.
    let mut axes = (0..3).filter(|&axis| here.shape()[axis] > 1);
    axes.all(|axis| (sizes[axis] - others[axis]).abs() * here.shape()[axis] as f64 <= 0.5 * sizes[axis])
}
