//! Tensor images that other programs wrote: their order, and whether they hold tensors at all.

use arcuate_core::{DiffusionTensor, Error, Mask, Result, Volume};
use arcuate_io::read_volume;
use arcuate_model::{TensorOrder, indefinite_share, tensors_in_order};
use std::path::Path;

/// More tensors than this are indefinite by a wrong order, not by noise: of a real scan fitted with all its air 14 % are, of
/// one read in a wrong order 91 % or more.
const INDEFINITE_BY_NOISE: f64 = 0.5;

/// Reads a tensor image into Arcuate's order and scanner axes, with a warning where its order may be another.
pub fn read_tensor(path: &Path, order: impl Into<TensorOrder>) -> Result<Volume<f32>> {
    let tensor = tensors_in_order(read_volume(path)?, order.into()).map_err(|e| e.about(path.display()))?;
    let share = indefinite_share(&tensor);
    if share > INDEFINITE_BY_NOISE {
        tracing::warn!(
            "{}: {:.0} % of its tensors have a negative eigenvalue; check ‘tensor_order’",
            path.display(),
            100.0 * share
        );
    }
    Ok(tensor)
}

/// Mean diffusivities between these, in mm²/s, are of tissue, living or fixed, or of fluid; free water at 37 °C has 3e-3.
const POSSIBLE_DIFFUSIVITY: [f64; 2] = [1e-5, 2e-2];

/// Looks at the tensors of an image that are to be used: fails where there is none (all are 0, or no numbers), and warns of
/// diffusivities that are in another unit than mm²/s, and of tensors that are no numbers, for which `not_numbers` says what
/// comes of them.
pub fn check_tensors(
    path: &Path,
    tensor: &Volume<f32>,
    mask: Option<&Mask>,
    not_numbers: Option<&str>,
) -> Result<()> {
    let (mut count, mut sum, mut missing) = (0u64, 0.0, 0u64);
    for (voxel, elements) in tensor.values().chunks_exact(6).enumerate() {
        if elements.iter().all(|&d| d == 0.0) || mask.is_some_and(|mask| !mask.contains(voxel)) {
            continue;
        }
        if elements.iter().any(|d| !d.is_finite()) {
            missing += 1;
            continue;
        }
        count += 1;
        let elements = std::array::from_fn(|n| f64::from(elements[n]));
        sum += DiffusionTensor(elements).mean_diffusivity().max(0.0);
    }
    let what = if mask.is_some() { "voxel of the mask" } else { "voxel" };
    if count == 0 {
        let problem = format!("no {what} has a tensor: all are 0 or no numbers");
        return Err(Error::invalid(path.display(), problem, "check the image and the mask"));
    }
    if let (Some(consequence), true) = (not_numbers, missing > 0) {
        let tensors = missing + count;
        tracing::warn!(
            "{}: {missing} of {tensors} tensors hold values that are not numbers; {consequence}",
            path.display()
        );
    }
    let mean = sum / count as f64;
    let possible = |mean: f64| (POSSIBLE_DIFFUSIVITY[0]..=POSSIBLE_DIFFUSIVITY[1]).contains(&mean);
    if mean > 0.0 && !possible(mean) {
        let units = [("µm²/ms", 1e-3), ("m²/s", 1e6), ("µm²/s", 1e-6)];
        let likely = units.iter().find(|(_, factor)| possible(mean * factor));
        let likely = likely.map_or_else(String::new, |(unit, _)| format!(", as if they were in {unit}"));
        tracing::warn!(
            "{}: the mean diffusivity of its tensors is {mean:.2e}{likely}; Arcuate takes them as mm²/s, in which free water \
             has 3e-3",
            path.display()
        );
    }
    Ok(())
}
