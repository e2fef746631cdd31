//! Quality checks of a diffusion series before any fit: mean images, noise, and outlier measurements.

use crate::unlike_volumes::{FAR, UnlikeVolume, median, spread, unlike_volumes};
use arcuate_core::{GradientTable, Mask, Result, Volume};
use rayon::prelude::*;

/// Minimum number of measurements without diffusion weighting that a noise estimate needs.
const ENOUGH_B0: usize = 3;
/// Minimum number of measurements in a shell. In smaller shells, outliers are not searched.
const ENOUGH_OF_A_SHELL: usize = 5;
/// Minimum signal of a tissue voxel in the mean image without diffusion weighting, as a fraction of the
/// image's signal level.
const TISSUE: f64 = 0.25;
/// Minimum number of tissue voxels in a slice. The mean signal of a slice with this number of voxels is
/// insensitive to noise.
const ENOUGH_OF_A_SLICE: usize = 30;
/// Minimum number of tissue voxels in a slice, as a fraction of the number in the slice with most tissue.
/// Slices with fewer tissue voxels are not checked.
const FULL_ENOUGH: f64 = 0.2;
/// Minimum fraction by which the mean signal of a slice with signal dropout is below the mean that the
/// neighbouring slices predict. The difference must also exceed [`FAR`] robust standard deviations.
const MIN_RELATIVE_DROP: f64 = 0.2;

/// The results of the quality checks of a scan.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ScanQuality {
    /// Mean image of the measurements without diffusion weighting. If there are none, the mean of all
    /// measurements.
    pub mean_b0: Volume<f32>,
    /// Mean image of the diffusion-weighted measurements. If there are none, the mean of all measurements.
    pub mean_weighted: Volume<f32>,
    /// Signal-to-noise ratio of the measurements without diffusion weighting: their mean divided by their
    /// standard deviation, as the median over the mask. `None` if there are fewer than three such
    /// measurements.
    pub signal_to_noise: Option<f64>,
    /// Slices that are much darker than their neighbouring slices in one measurement only. Each slice is
    /// compared with the same slice in the other measurements of the shell.
    pub dropped_slices: Vec<DroppedSlice>,
    /// Measurements that are much less similar to their shell than the other measurements of the same shell.
    pub unlike_volumes: Vec<UnlikeVolume>,
    /// Number of measurements that were compared with the other measurements of their shell.
    pub compared: usize,
}

/// A slice along the third image axis with signal dropout in one measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct DroppedSlice {
    /// Index of the measurement, from 0.
    pub measurement: usize,
    /// Index of the slice, from 0.
    pub slice: usize,
    /// Mean signal of the slice, divided by the mean signal that the neighbouring slices predict.
    pub ratio: f64,
}

/// Checks a series: the noise within the mask, and slices and volumes in all tissue of the image. The mask
/// has the grid of the series. Slices and volumes are compared over the whole image, whatever the mask is.
/// The reason is that a slice of a small mask (white matter or a region) has few fibre directions. Its
/// brightness then depends on the gradient direction.
pub fn scan_quality(dwi: &Volume<f32>, gradients: &GradientTable, mask: &Mask) -> Result<ScanQuality> {
    let b0 = gradients.b0_indices();
    let mean_b0 = mean_unweighted(dwi, gradients)?;
    let tissue = tissue(&mean_b0)?;
    let mut found = ScanQuality {
        mean_b0,
        mean_weighted: mean_of(dwi, &gradients.weighted_indices())?,
        signal_to_noise: signal_to_noise(dwi, &b0, mask),
        dropped_slices: Vec::new(),
        unlike_volumes: Vec::new(),
        compared: 0,
    };
    let slices = slice_means(dwi, &tissue);
    for (_, shell) in gradients.measurements_by_shell() {
        if shell.len() >= ENOUGH_OF_A_SHELL {
            found.compared += shell.len();
            found.dropped_slices.extend(dropped_slices(&slices, &shell));
            found.unlike_volumes.extend(unlike_volumes(dwi, &tissue, &shell));
        }
    }
    found.dropped_slices.sort_by_key(|dropped| (dropped.measurement, dropped.slice));
    found.unlike_volumes.sort_by_key(|unlike| unlike.measurement);
    Ok(found)
}

/// Returns the mean image of the measurements without diffusion weighting. If there are none, returns the
/// mean of all measurements.
pub fn mean_unweighted(dwi: &Volume<f32>, gradients: &GradientTable) -> Result<Volume<f32>> {
    mean_of(dwi, &gradients.b0_indices())
}

/// Returns the mean of the measurements with the given indices in every voxel. If the list of indices is
/// empty, returns the mean of all measurements.
fn mean_of(dwi: &Volume<f32>, measurements: &[usize]) -> Result<Volume<f32>> {
    let all: Vec<usize> = (0..dwi.channels()).collect();
    let measurements = if measurements.is_empty() { &all } else { measurements };
    let of_voxel = |signals: &[f32]| {
        let mean =
            measurements.iter().map(|&m| f64::from(signals[m])).sum::<f64>() / measurements.len() as f64;
        if mean.is_finite() { mean as f32 } else { 0.0 }
    };
    let values = dwi.values().par_chunks_exact(dwi.channels()).map(of_voxel).collect();
    Volume::new(*dwi.grid(), 1, values)
}

fn signal_to_noise(dwi: &Volume<f32>, b0: &[usize], mask: &Mask) -> Option<f64> {
    if b0.len() < ENOUGH_B0 {
        return None;
    }
    let n = b0.len() as f64;
    let of_voxel = |voxel: usize| {
        let signals = dwi.voxel(voxel);
        let mean = b0.iter().map(|&m| f64::from(signals[m])).sum::<f64>() / n;
        let square = b0.iter().map(|&m| (f64::from(signals[m]) - mean).powi(2)).sum::<f64>();
        mean / (square / (n - 1.0)).sqrt()
    };
    let ratios: Vec<f64> = mask.indices().into_par_iter().map(of_voxel).collect();
    median(ratios.into_iter().filter(|ratio| ratio.is_finite()))
}

/// Returns the standard deviation of the noise in some voxels, from the repeated measurements without
/// diffusion weighting. If `relative` is true, the signals of each voxel are first divided by their mean. The
/// variance of the noise is the median over the voxels of the variance over these measurements. It is divided
/// by the median that this variance has for normal noise of variance 1. Returns `None` if there are fewer
/// than three such measurements, or if no voxel has a finite variance.
pub fn noise_at_b0(
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    voxels: &[usize],
    relative: bool,
) -> Option<f64> {
    let b0 = gradients.b0_indices();
    if b0.len() < ENOUGH_B0 {
        return None;
    }
    let n = b0.len() as f64;
    let of_voxel = |&voxel: &usize| {
        let signals = dwi.voxel(voxel);
        let mean = b0.iter().map(|&m| f64::from(signals[m])).sum::<f64>() / n;
        let square = b0.iter().map(|&m| (f64::from(signals[m]) - mean).powi(2)).sum::<f64>();
        let variance = square / (n - 1.0);
        if relative { variance / mean.powi(2) } else { variance }
    };
    let variances: Vec<f64> = voxels.par_iter().map(of_voxel).collect();
    let variance = median(variances.into_iter().filter(|variance| variance.is_finite()))?;
    // The median of the χ² distribution with k degrees of freedom is k (1 − 2/(9k))³. The error of this
    // formula is at most 1 % for k ≥ 2 (Wilson and Hilferty 1931, doi:10.1073/pnas.17.12.684).
    let usual = (1.0 - 2.0 / (9.0 * (n - 1.0))).powi(3);
    Some((variance / usual).sqrt())
}

/// Returns the voxels of tissue. The signal level of the image is the mean of its signals, weighted by the
/// signals themselves. This mean is near the signal of tissue, whatever the amount of background.
fn tissue(mean: &Volume<f32>) -> Result<Mask> {
    let above_zero = mean.values().iter().map(|value| f64::from(*value)).filter(|value| *value > 0.0);
    let (sum, squares) =
        above_zero.fold((0.0, 0.0), |(sum, squares), value| (sum + value, squares + value * value));
    let least = if sum > 0.0 { TISSUE * squares / sum } else { f64::INFINITY };
    Mask::new(*mean.grid(), mean.values().iter().map(|value| f64::from(*value) >= least).collect())
}

/// Returns the mean signal of each measurement in each slice, slice by slice. The result is `None` for slices
/// with very little tissue.
fn slice_means(dwi: &Volume<f32>, tissue: &Mask) -> Vec<Option<Vec<f64>>> {
    let [nx, ny, nz] = dwi.grid().shape();
    let sums = |slice: usize| {
        let (mut sums, mut count) = (vec![0.0; dwi.channels()], 0usize);
        for voxel in slice * nx * ny..(slice + 1) * nx * ny {
            let signals = dwi.voxel(voxel);
            if tissue.contains(voxel) && signals.iter().all(|signal| signal.is_finite()) {
                sums.iter_mut().zip(signals).for_each(|(sum, signal)| *sum += f64::from(*signal));
                count += 1;
            }
        }
        (sums, count)
    };
    let of_slices: Vec<(Vec<f64>, usize)> = (0..nz).into_par_iter().map(sums).collect();
    let fullest = of_slices.iter().map(|(_, count)| *count).max().unwrap_or(0);
    let mean = |(sums, count): (Vec<f64>, usize)| {
        let is_full = count >= ENOUGH_OF_A_SLICE && count as f64 >= FULL_ENOUGH * fullest as f64;
        is_full.then(|| sums.into_iter().map(|sum| sum / count as f64).collect())
    };
    of_slices.into_iter().map(mean).collect()
}

/// Finds slices that are much darker than their neighbouring slices in one measurement of a shell. The
/// gradient direction affects the brightness of neighbouring slices equally. Head motion during one pulse
/// affects one slice only.
fn dropped_slices(slices: &[Option<Vec<f64>>], shell: &[usize]) -> Vec<DroppedSlice> {
    // For each slice of each measurement: the mean signal of the slice, divided by the median of the same
    // slice over the shell.
    let relative: Vec<Option<Vec<f64>>> = slices
        .iter()
        .map(|means| {
            let means = means.as_ref()?;
            let usual = median(shell.iter().map(|&m| means[m])).filter(|usual| *usual > 0.0)?;
            Some(shell.iter().map(|&m| means[m] / usual).collect())
        })
        .collect();
    let mut ratios = Vec::new();
    for (slice, own) in relative.iter().enumerate() {
        let Some(own) = own else { continue };
        let near = [slice.wrapping_sub(2), slice.wrapping_sub(1), slice + 1, slice + 2];
        let neighbours: Vec<&Vec<f64>> =
            near.iter().filter_map(|&near| relative.get(near).and_then(Option::as_ref)).collect();
        for (place, &measurement) in shell.iter().enumerate() {
            let expected =
                median(neighbours.iter().map(|of_slice| of_slice[place])).filter(|ratio| *ratio > 0.0);
            if let Some(expected) = expected {
                ratios.push(DroppedSlice { measurement, slice, ratio: own[place] / expected });
            }
        }
    }
    let spread = spread(ratios.iter().map(|dropped| dropped.ratio));
    let least = 1.0 - MIN_RELATIVE_DROP.max(FAR * spread);
    ratios.retain(|dropped| dropped.ratio < least);
    ratios
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_compute::{Purpose, Random};
    use arcuate_core::{Affine, Grid};

    const SHAPE: [usize; 3] = [12, 12, 10];

    /// Creates the simulated series of a brain whose brightness depends on position and gradient direction.
    /// It has four measurements without diffusion weighting and eight with weighting. The noise has a
    /// standard deviation of 10.
    fn series() -> (Volume<f32>, GradientTable, Mask) {
        let grid = Grid::new(SHAPE, Affine::identity()).unwrap();
        let directions: Vec<[f64; 3]> = (0..12)
            .map(|m| if m < 4 { [0.0; 3] } else { [(f64::from(m)).cos(), (f64::from(m)).sin(), 0.0] })
            .collect();
        let b_values = (0..12).map(|m| if m < 4 { 0.0 } else { 1000.0 }).collect();
        let gradients = GradientTable::new(&directions, b_values, 50.0).unwrap();
        let mut dwi = Volume::filled(grid, 12, 0.0f32);
        let mut random = Random::new(7, Purpose::Resampling, 0);
        for voxel in 0..grid.len() {
            let [i, j, k] = grid.coordinates(voxel);
            let base = 500.0 + 30.0 * i as f64 + 10.0 * (j as f64).sin() + 5.0 * k as f64;
            for m in 0..12 {
                let weighted = if m < 4 { 1.0 } else { 0.5 + 0.05 * directions[m][0] };
                dwi.voxel_mut(voxel)[m] = (base * weighted + 10.0 * random.normal()) as f32;
            }
        }
        let mask = Mask::full(grid);
        (dwi, gradients, mask)
    }

    #[test]
    fn the_estimated_noise_at_b0_is_correct() {
        let (dwi, gradients, mask) = series();
        let voxels = mask.indices();
        // The estimated noise is from 1,440 voxels with four measurements each. Its standard error is 1.3 %,
        // and the approximation of the median of χ² adds 1 %.
        let noise = noise_at_b0(&dwi, &gradients, &voxels, false).unwrap();
        assert!((noise / 10.0 - 1.0).abs() < 0.06, "{noise}");
        // The mean signal of each voxel is between 500 and 900.
        let relative = noise_at_b0(&dwi, &gradients, &voxels, true).unwrap();
        assert!((10.0 / 900.0..10.0 / 500.0).contains(&relative), "{relative}");
        assert_eq!(noise_at_b0(&dwi, &gradients, &[], false), None);
        let two = gradients.of_measurements(&[0, 1, 4, 5]);
        assert_eq!(noise_at_b0(&dwi.channels_at(&[0, 1, 4, 5]), &two, &voxels, false), None);
    }

    #[test]
    fn good_scans_have_no_outliers() {
        let (dwi, gradients, mask) = series();
        let found = scan_quality(&dwi, &gradients, &mask).unwrap();
        assert_eq!((found.dropped_slices.len(), found.unlike_volumes.len()), (0, 0));
        assert_eq!(found.compared, 8, "four are too few to compare");
        // The mean signal is about 690, and the noise is 10. The median over voxels of the standard deviation
        // of four measurements is slightly below the true value.
        let ratio = found.signal_to_noise.unwrap();
        assert!((60.0..90.0).contains(&ratio), "{ratio}");
        let centre = |volume: &Volume<f32>| volume.values()[volume.grid().index([6, 6, 5])];
        assert!((centre(&found.mean_b0) - 702.2).abs() < 15.0, "{}", centre(&found.mean_b0));
        assert!((centre(&found.mean_weighted) - 351.0).abs() < 25.0);
        // Two measurements give no noise estimate.
        let few = GradientTable::new(&[[0.0; 3], [0.0; 3]], vec![0.0; 2], 50.0).unwrap();
        let found = scan_quality(&dwi.channels_at(&[0, 1]), &few, &mask).unwrap();
        assert_eq!((found.signal_to_noise, found.compared), (None, 0));
    }

    #[test]
    fn only_the_slice_with_signal_dropout_is_found() {
        let (mut dwi, gradients, mask) = series();
        for j in 0..12 {
            for i in 0..12 {
                let voxel = dwi.grid().index([i, j, 4]);
                dwi.voxel_mut(voxel)[9] *= 0.5;
            }
        }
        let found = scan_quality(&dwi, &gradients, &mask).unwrap();
        let [dropped] = found.dropped_slices[..] else { panic!("{:?}", found.dropped_slices) };
        assert_eq!((dropped.measurement, dropped.slice), (9, 4));
        assert!((dropped.ratio - 0.5).abs() < 0.02);
        // A measurement that is darker in all slices has no slice with signal dropout.
        let (mut dwi, gradients, mask) = series();
        (0..dwi.grid().len()).for_each(|voxel| dwi.voxel_mut(voxel)[9] *= 0.6);
        assert!(scan_quality(&dwi, &gradients, &mask).unwrap().dropped_slices.is_empty());
    }

    #[test]
    fn moved_volumes_are_detected() {
        let (mut dwi, gradients, mask) = series();
        let original = dwi.clone();
        for voxel in 0..dwi.grid().len() {
            let [i, j, k] = dwi.grid().coordinates(voxel);
            let from = dwi.grid().index([(i + 5) % 12, j, k]);
            dwi.voxel_mut(voxel)[6] = original.voxel(from)[6];
        }
        let found = scan_quality(&dwi, &gradients, &mask).unwrap();
        let [unlike] = found.unlike_volumes[..] else { panic!("{:?}", found.unlike_volumes) };
        assert_eq!(unlike.measurement, 6);
        assert!(unlike.correlation < 0.5 && unlike.usual > 0.9, "{unlike:?}");
    }

    #[test]
    fn nan_values_are_ignored() {
        let (mut dwi, gradients, mask) = series();
        dwi.voxel_mut(3)[2] = f32::NAN;
        dwi.voxel_mut(70)[8] = f32::INFINITY;
        let found = scan_quality(&dwi, &gradients, &mask).unwrap();
        assert_eq!((found.dropped_slices.len(), found.unlike_volumes.len()), (0, 0));
        assert!(found.mean_b0.values().iter().chain(found.mean_weighted.values()).all(|v| v.is_finite()));
        let nothing = Mask::new(*mask.grid(), vec![false; mask.grid().len()]).unwrap();
        let found = scan_quality(&dwi, &gradients, &nothing).unwrap();
        assert_eq!((found.signal_to_noise, found.dropped_slices.len()), (None, 0));
    }

    /// Tests a mask in which one slice has fibres of a single direction, so that a measurement with this
    /// gradient direction is dark in this slice. Slices must be compared over the whole image, whatever the
    /// mask is.
    #[test]
    fn slices_are_compared_over_the_whole_image_for_any_mask() {
        let (mut dwi, gradients, mask) = series();
        let fibres: Vec<usize> = (0..dwi.grid().len())
            .filter(|&voxel| {
                let [i, j, k] = dwi.grid().coordinates(voxel);
                k == 4 && i < 6 && j < 6
            })
            .collect();
        for &voxel in &fibres {
            dwi.voxel_mut(voxel)[9] *= 0.5;
        }
        let is_fibre = |voxel: usize| {
            let [i, j, _] = dwi.grid().coordinates(voxel);
            i < 6 && j < 6
        };
        let white = Mask::new(*mask.grid(), (0..mask.grid().len()).map(is_fibre).collect()).unwrap();
        let within = dropped_slices(&slice_means(&dwi, &white), &(4..12).collect::<Vec<_>>());
        assert_eq!(within.len(), 1, "the mask alone shows a slice that is darker");
        for mask in [&white, &mask] {
            let found = scan_quality(&dwi, &gradients, mask).unwrap();
            assert_eq!((found.dropped_slices.len(), found.unlike_volumes.len()), (0, 0));
        }
        // A slice with signal dropout is found with any mask.
        for j in 0..12 {
            for i in 0..12 {
                let voxel = dwi.grid().index([i, j, 7]);
                dwi.voxel_mut(voxel)[6] *= 0.5;
            }
        }
        for mask in [&white, &mask] {
            let found = scan_quality(&dwi, &gradients, mask).unwrap();
            let [dropped] = found.dropped_slices[..] else { panic!("{:?}", found.dropped_slices) };
            assert_eq!((dropped.measurement, dropped.slice), (6, 7));
        }
    }
}
