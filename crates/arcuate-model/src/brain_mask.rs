use crate::median::median_filter;
use crate::morphology::{close, fill_holes, largest_component};
use crate::otsu::otsu_threshold;
use crate::tensor::check_series;
use arcuate_core::{Control, Error, GradientTable, Mask, Result, Volume, VoxelCounts};
use rayon::prelude::*;

/// Number of voxels that a CPU thread processes as one task.
const TASK: usize = 4096;

/// Options of [`brain_mask`]. All lengths are in voxels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MaskOptions {
    /// Radius of the median filter, in voxels. The filter replaces a voxel by the median of the cube of 2 ·
    /// `median_radius` + 1 voxels per side around it.
    pub median_radius: usize,
    /// Number of times that the median filter is applied to an image.
    pub median_passes: usize,
    /// Radius in voxels of the ball that closes the mask. Gaps in the mask that the ball cannot enter are
    /// filled.
    pub closing_radius: usize,
}

impl Default for MaskOptions {
    fn default() -> Self {
        Self { median_radius: 1, median_passes: 2, closing_radius: 2 }
    }
}

/// Computes a brain mask from a diffusion series. The mean b = 0 image and the mean diffusion-weighted image
/// are each median filtered and thresholded by Otsu's method. The mask is the union of the two thresholded
/// images, reduced to its largest connected component, closed, and with holes filled.
///
/// CSF is so bright in the mean b = 0 image that the threshold may separate CSF from tissue. The mean
/// diffusion-weighted image shows tissue but no CSF. Together, both images cover the brain. If the series has
/// only b = 0 or only weighted measurements, one image suffices. (DIPY's `median_otsu` uses a single image.)
/// Non-finite and negative signals count as 0, and a warning reports non-finite signals inside the mask.
/// Slices are assumed to be stacked along the third voxel axis, so that a hole in the mask may be open at
/// both ends of this axis.
///
/// # Errors
/// Returns an error if series and gradient table do not match, or if no voxel is brighter than the
/// background.
pub fn brain_mask(dwi: &Volume<f32>, gradients: &GradientTable, options: &MaskOptions) -> Result<Mask> {
    check_series(dwi, gradients)?;
    let grid = *dwi.grid();
    let shape = grid.shape();
    let mut bright = vec![false; grid.len()];
    for measurements in [gradients.b0_indices(), gradients.weighted_indices()] {
        if measurements.is_empty() {
            continue;
        }
        let mut image = mean_image(dwi, &measurements);
        for _ in 0..options.median_passes {
            image = median_filter(&image, shape, options.median_radius);
        }
        if let Some(threshold) = otsu_threshold(&image) {
            bright.iter_mut().zip(&image).for_each(|(bright, &value)| *bright |= value > threshold);
        }
    }
    let brain = fill_holes(&close(&largest_component(&bright, shape), shape, options.closing_radius), shape);
    let mask = Mask::new(grid, brain)?;
    if mask.count() == 0 {
        return Err(Error::invalid(
            "diffusion series",
            "the brain cannot be distinguished from the background",
            "check the images, or give a brain mask",
        ));
    }
    VoxelCounts::of_series(dwi, &mask).warn("brain mask", &Control::default());
    Ok(mask)
}

/// Returns the mean of the given measurements (volumes of the series) in every voxel. Negative and non-finite
/// signals count as 0.
fn mean_image(dwi: &Volume<f32>, measurements: &[usize]) -> Vec<f32> {
    let mut image = vec![0.0; dwi.grid().len()];
    image.par_chunks_mut(TASK).enumerate().for_each(|(task, image)| {
        for (n, mean) in image.iter_mut().enumerate() {
            let values = dwi.voxel(task * TASK + n);
            let signal = |&m: &usize| if values[m].is_finite() { f64::from(values[m].max(0.0)) } else { 0.0 };
            *mean = (measurements.iter().map(signal).sum::<f64>() / measurements.len() as f64) as f32;
        }
    });
    image
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_compute::{Purpose, Random};
    use arcuate_core::{Affine, Grid};

    /// Creates a simulated series that shows an ellipsoid of tissue with a ventricle in a noisy background.
    /// If `open` is true, the image ends inside the ventricle.
    fn phantom(b: &[f64], open: bool) -> (Volume<f32>, GradientTable, Mask) {
        let shape = [40, 48, if open { 12 } else { 24 }];
        let grid = Grid::new(shape, Affine::scaling([2.0; 3], [0.0; 3])).unwrap();
        let mut random = Random::new(9, Purpose::Noise, 0);
        let mut values = Vec::new();
        let mut inside = Vec::new();
        for index in 0..grid.len() {
            let [x, y, z] = grid.coordinates(index).map(|c| c as f64);
            let offset = [x - 19.5, y - 23.5, z - 11.5];
            let ellipsoid = |a: [f64; 3]| (0..3).map(|n| (offset[n] / a[n]).powi(2)).sum::<f64>() <= 1.0;
            let (brain, csf) = (ellipsoid([15.0, 19.0, 10.0]), ellipsoid([4.0, 6.0, 4.0]));
            inside.push(brain);
            for &b in b {
                let signal = match (brain, csf) {
                    (_, true) => 2000.0 * (-3e-3 * b).exp(),
                    (true, false) => 700.0 * (-0.8e-3 * b).exp(),
                    _ => 0.0,
                };
                values.push((signal + 25.0 * random.normal().abs()) as f32);
            }
        }
        let gradients = GradientTable::new(&vec![[1.0, 0.0, 0.0]; b.len()], b.to_vec(), 50.0).unwrap();
        (Volume::new(grid, b.len(), values).unwrap(), gradients, Mask::new(grid, inside).unwrap())
    }

    #[test]
    fn a_simulated_brain_is_found_for_any_b_values() {
        for (b, open) in [
            (&[0.0, 1000.0, 1000.0][..], false),
            (&[0.0, 1000.0, 1000.0][..], true),
            (&[0.0][..], false),
            (&[1000.0, 1000.0, 1000.0][..], false),
            (&[1000.0, 1000.0, 1000.0][..], true),
            (&[0.0, 0.0, 3000.0, 3000.0, 3000.0, 3000.0][..], false),
        ] {
            let (dwi, gradients, truth) = phantom(b, open);
            let mask = brain_mask(&dwi, &gradients, &MaskOptions::default()).unwrap();
            let dice = mask.dice(&truth);
            assert!(dice > 0.98, "{b:?} {open}: {dice}");
        }
    }

    #[test]
    fn impossible_values_do_not_change_the_mask() {
        let (mut dwi, gradients, truth) = phantom(&[0.0, 1000.0, 1000.0], false);
        let mut random = Random::new(10, Purpose::Noise, 0);
        for value in dwi.values_mut() {
            match random.below(100) {
                0 => *value = f32::NAN,
                1 => *value = f32::INFINITY,
                2 => *value = -1e9,
                _ => {}
            }
        }
        let mask = brain_mask(&dwi, &gradients, &MaskOptions::default()).unwrap();
        assert!(mask.dice(&truth) > 0.97);
        let counts = VoxelCounts::of_series(&dwi, &mask);
        let inside = mask.indices();
        let bad =
            inside.iter().flat_map(|&voxel| dwi.voxel(voxel)).filter(|value| !value.is_finite()).count();
        assert!(bad > 100 && (counts.not_finite, counts.computed()) == (bad, inside.len()));
    }

    #[test]
    fn images_without_contrast_are_an_error() {
        let (dwi, gradients, _) = phantom(&[0.0, 1000.0], false);
        let constant = dwi.map(|_| 7.0);
        let error = brain_mask(&constant, &gradients, &MaskOptions::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "diffusion series: the brain cannot be distinguished from the background; check the images, or \
             give a brain mask"
        );
        for (value, part) in [
            (f32::NAN, "all of its values are infinite or not numbers"),
            (0.0, "all of its values are 0"),
            (-5.0, "all of its values are 0 or negative"),
        ] {
            let broken = dwi.map(|_| value);
            let message = brain_mask(&broken, &gradients, &MaskOptions::default()).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
        let first = dwi.channel(0);
        assert!(brain_mask(&first, &gradients, &MaskOptions::default()).is_err());
    }
}
