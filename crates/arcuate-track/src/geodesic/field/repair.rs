//! Repairs and sharpens tensors so that they define a metric, and divides them by the mean diffusivity of the mask.

use super::constants;
use super::elements::rebuilt;
use crate::options::refused;
use arcuate_core::{Error, Mask, Result, Volume};
use arcuate_numbers::eigensystem;
use arcuate_numbers::{Lanes, Operations, Symmetric, adjugate};
use rayon::prelude::*;

/// Sharpening of tensors: raises the eigenvalues of tensors with low or with high anisotropy to a power.
///
/// A power above 1 makes tensors more anisotropic, so that rays stay closer to the principal direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sharpening {
    /// The power, from -20 to 20 (`--sharpen`).
    pub exponent: f64,
    /// Tensors that are sharpened: those with a fractional anisotropy below `fa`, or those at or above it
    /// (`--sharpen-side`).
    pub side: SharpenedSide,
    /// Fractional anisotropy, from 0 to 1, that separates the tensors that are sharpened from those that are
    /// not (`--sharpen-fa`).
    pub fa: f64,
}

/// The tensors that are sharpened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SharpenedSide {
    /// Sharpen tensors with a fractional anisotropy below the limit.
    Below,
    /// Sharpen tensors with a fractional anisotropy at or above the limit.
    Above,
}

impl Sharpening {
    pub(in crate::geodesic) fn check(&self) -> Result<()> {
        if !(self.exponent.is_finite() && self.exponent.abs() <= 20.0) {
            return Err(refused("‘sharpen’", self.exponent, "a power from -20 to 20"));
        }
        crate::options::fraction("‘sharpen_fa’", self.fa).map(|_| ())
    }

    #[inline(always)]
    pub(super) fn is_for(&self, fa: f64) -> bool {
        match self.side {
            SharpenedSide::Below => fa < self.fa,
            SharpenedSide::Above => fa >= self.fa,
        }
    }
}

/// Numbers of tensors that were repaired before tracking. They are counted in the mask or, if there is no
/// mask, in the whole image.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Repairs {
    /// Number of voxels in the mask or, if there is no mask, in the image.
    pub voxels: u64,
    /// Number of tensors that are zero. They are replaced by isotropic tensors with the mean diffusivity.
    pub zero: u64,
    /// Number of tensors with an eigenvalue outside the limits, which are 0.01 and 10⁶ times the mean
    /// diffusivity. Noise can make an eigenvalue negative. An eigenvalue outside the limits is replaced by
    /// the limit.
    pub indefinite: u64,
    /// Number of tensors with a NaN or infinite element. They are replaced by isotropic tensors with the mean
    /// diffusivity.
    pub not_a_number: u64,
    /// Mean diffusivity of the voxels in the mask with a valid tensor, in the unit of the tensors.
    pub mean_diffusivity: f64,
}

/// Minimum and maximum eigenvalue of a repaired tensor, in units of the mean diffusivity. The ratio of these
/// limits is far from the rounding limit of double precision. If the logarithm of a tensor were undefined in
/// a single voxel, the spline would be invalid everywhere.
const SMALLEST: f64 = constants::SMALLEST;
const LARGEST: f64 = constants::LARGEST;

/// Number of voxels in a group (chunk) that is summed at a time, and number of partial sums in a chunk. Voxel
/// n is added to partial sum n mod [`STRIDES`]. This fixed order makes the sum independent of the number of
/// threads.
pub(super) const CHUNK: usize = constants::CHUNK as usize;
const STRIDES: usize = 32;

/// Transforms the tensor of a voxel into a positive definite tensor in units of the mean diffusivity.
#[derive(Debug, Clone, Copy)]
pub(in crate::geodesic) struct Repair {
    mean: f64,
    pub(super) inverse_mean: f64,
}

/// State of a voxel's tensor before the repair: valid, zero, indefinite, or not a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Found {
    Sound,
    Zero,
    Indefinite,
    NotANumber,
}

impl Repair {
    /// Creates the repair from the mean diffusivity of the mask's tensors. Returns an error if no tensor has a mean
    /// diffusivity above 0.
    pub(in crate::geodesic) fn of(tensor: &Volume<f32>, mask: Option<&Mask>) -> Result<Self> {
        let inside = |voxel: usize| mask.is_none_or(|mask| mask.contains(voxel));
        let chunk = |n: usize| {
            let (mut sums, mut count) = ([0.0f64; STRIDES], 0u32);
            for voxel in n * CHUNK..tensor.grid().len().min((n + 1) * CHUNK) {
                let mean = mean(tensor.voxel(voxel));
                if inside(voxel) && mean > 0.0 && mean < f64::INFINITY {
                    sums[voxel % STRIDES] += mean;
                    count += 1;
                }
            }
            (sums.into_iter().fold(0.0, |sum, part| sum + part), count)
        };
        let chunks = tensor.grid().len().div_ceil(CHUNK);
        let (sums, counts): (Vec<f64>, Vec<u32>) = (0..chunks).into_par_iter().map(chunk).unzip();
        Self::of_sums(&sums, &counts)
    }

    /// Creates the repair from two values for each chunk of voxels: the sum of the mean diffusivities above
    /// 0, and their number. Returns an error if there is no such voxel.
    pub(super) fn of_sums(sums: &[f64], counts: &[u32]) -> Result<Self> {
        let sum = sums.iter().fold(0.0, |sum, part| sum + part);
        let count: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        if count == 0 {
            let advice = "check its order and axes, and the mask";
            return Err(Error::invalid("tensor image", "all mean diffusivities are 0 or negative", advice));
        }
        let mean = sum / count as f64;
        Ok(Self { mean, inverse_mean: 1.0 / mean })
    }

    /// Returns the mean diffusivity.
    pub(super) fn mean(&self) -> f64 {
        self.mean
    }

    /// Returns the repaired tensors, which are positive definite and in units of the mean diffusivity. Also
    /// returns the state in which each tensor was found.
    #[inline(always)]
    pub(super) fn sound<const W: usize>(&self, tensors: [&[f32]; W]) -> (Symmetric<f64, W>, [Found; W]) {
        const ISOTROPIC: [f64; 6] = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
        let mut found = [Found::Sound; W];
        let mut relative = [Lanes::all(0.0); 6];
        for n in 0..W {
            let (mut finite, mut zero) = (true, true);
            for k in 0..6 {
                finite &= tensors[n][k].is_finite();
                zero &= tensors[n][k] == 0.0;
            }
            let anything = finite && !zero;
            for k in 0..6 {
                let element = f64::from(tensors[n][k]) * self.inverse_mean;
                relative[k].0[n] = if anything { element } else { ISOTROPIC[k] };
            }
            if !anything {
                found[n] = if finite { Found::Zero } else { Found::NotANumber };
            }
        }
        // This is Sylvester's criterion: D − 0.01 · I is positive definite if its leading minors are
        // positive.
        let smallest = Lanes::all(SMALLEST);
        let mut less = relative;
        for k in 0..3 {
            less[k] = relative[k] - smallest;
        }
        let (minors, determinant) = adjugate(&less);
        let trace = relative[0] + relative[1] + relative[2];
        let mut all = true;
        for n in 0..W {
            let positive = less[0].0[n] > 0.0 && minors[2].0[n] > 0.0 && determinant.0[n] > 0.0;
            if !(positive && trace.0[n] < LARGEST) {
                found[n] = Found::Indefinite;
                all = false;
            }
        }
        if !all {
            let (mut values, vectors) = eigensystem(&relative);
            for value in &mut values {
                let above = value.if_above(smallest, *value, smallest);
                *value = Lanes::all(LARGEST).if_above(above, above, Lanes::all(LARGEST));
            }
            let mended = rebuilt(&values, &vectors);
            for n in 0..W {
                if found[n] == Found::Indefinite {
                    for k in 0..6 {
                        relative[k].0[n] = mended[k].0[n];
                    }
                }
            }
        }
        (relative, found)
    }

    /// Returns the tensor with which connectivity is measured: repaired, in units of the mean diffusivity,
    /// and not sharpened.
    pub(in crate::geodesic) fn plain(&self, tensor: &[f32]) -> [f64; 6] {
        self.sound([tensor]).0.map(|element| element.0[0])
    }
}

fn mean(tensor: &[f32]) -> f64 {
    (f64::from(tensor[0]) + f64::from(tensor[1]) + f64::from(tensor[2])) / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geodesic::field::Plan;
    use crate::geodesic::field::values::{VoxelValue, values};
    use crate::geodesic::options::{GeodesicOptions, Metric};
    use arcuate_core::{Affine, DiffusionTensor, Grid};

    fn volume(tensors: &[[f32; 6]]) -> Volume<f32> {
        let grid = Grid::new([tensors.len(), 1, 1], Affine::identity()).unwrap();
        Volume::new(grid, 6, tensors.concat()).unwrap()
    }

    /// Returns the repaired and sharpened tensors from which the metric is computed, and the numbers of
    /// repaired tensors.
    fn prepared(tensor: &Volume<f32>, options: &GeodesicOptions) -> (Vec<[f64; 6]>, Repairs) {
        let repair = Repair::of(tensor, options.mask.as_ref()).unwrap();
        let plan = Plan::new(tensor, options, repair).unwrap();
        let (tensors, counts) = values(&plan.source(), &plan.own, VoxelValue::Tensor);
        (tensors, plan.repairs(counts))
    }

    fn eigenvalues(tensor: [f64; 6]) -> [f64; 3] {
        DiffusionTensor(tensor).eigensystem().values
    }

    const SOUND: [f32; 6] = [2.0e-3, 5.0e-4, 5.0e-4, 0.0, 0.0, 0.0];

    #[test]
    fn each_kind_of_invalid_tensor_is_repaired() {
        let indefinite = [1e-3, 1e-3, -5e-4, 2e-4, 0.0, 0.0];
        let spoilt = [f32::NAN, 1.0, 1.0, f32::INFINITY, 0.0, 0.0];
        let tensor = volume(&[SOUND, [0.0; 6], indefinite, spoilt, SOUND]);
        let (tensors, repairs) = prepared(&tensor, &GeodesicOptions::default());
        // The expected mean diffusivity is the mean over the valid tensors (1.0e-3) and the indefinite tensor
        // (0.5e-3).
        let mean = 2.5e-3 / 3.0;
        assert!((repairs.mean_diffusivity - mean).abs() < 1e-9);
        assert_eq!((repairs.voxels, repairs.zero, repairs.indefinite, repairs.not_a_number), (5, 1, 1, 1));
        assert_eq!(tensors[1], [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(tensors[3], [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
        let (mended, found) = (eigenvalues(tensors[2]), eigenvalues(indefinite.map(|d| f64::from(d) / mean)));
        assert!((mended[2] - SMALLEST).abs() < 1e-12);
        for n in 0..2 {
            // The input tensors have single precision.
            assert!((mended[n] - found[n]).abs() < 1e-6);
        }
        // A tensor that is repaired alone has the same bits as one that is repaired together with others.
        let repair = Repair::of(&tensor, None).unwrap();
        for (voxel, together) in tensors.iter().enumerate() {
            assert_eq!(repair.plain(tensor.voxel(voxel)), *together);
        }
    }

    #[test]
    fn the_mask_limits_the_mean_and_the_repair_counts() {
        let tensor = volume(&[SOUND, [9e-3, 9e-3, 9e-3, 0.0, 0.0, 0.0], [0.0; 6]]);
        let mask = Mask::new(*tensor.grid(), vec![true, false, false]).unwrap();
        let options = GeodesicOptions { mask: Some(mask), ..GeodesicOptions::default() };
        let (_, repairs) = prepared(&tensor, &options);
        assert!((repairs.mean_diffusivity - 1e-3).abs() < 1e-9 && repairs.voxels == 1 && repairs.zero == 0);
    }

    #[test]
    fn sharpening_applies_only_to_the_selected_side() {
        let turned = [1.2e-3, 1.3e-3, 5e-4, 6e-4, 1e-4, -1e-4];
        let round = [1.0e-3, 1.0e-3, 1.1e-3, 0.0, 0.0, 0.0];
        let tensor = volume(&[turned, round]);
        let (plain, _) = prepared(&tensor, &GeodesicOptions::default());
        for (side, powers) in [(SharpenedSide::Above, [2.5, 1.0]), (SharpenedSide::Below, [1.0, 2.5])] {
            let sharpening = Some(Sharpening { exponent: 2.5, side, fa: 0.3 });
            let (sharp, _) = prepared(&tensor, &GeodesicOptions { sharpening, ..GeodesicOptions::default() });
            for voxel in 0..2 {
                let (plain, sharp) = (eigenvalues(plain[voxel]), eigenvalues(sharp[voxel]));
                for n in 0..3 {
                    assert!((sharp[n] / plain[n].powf(powers[voxel]) - 1.0).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn powers_keep_the_smallest_eigenvalues() {
        // The first tensor is rotated and has eigenvalues of 2.4, 0.6 and 0.01 times the mean diffusivity,
        // one of which is repaired. The second tensor is extreme; its eigenvalues are limited.
        let found = DiffusionTensor([1.2, 1.3, 0.5, 0.6, 0.1, -0.1]).eigensystem();
        let turned = |values: [f64; 3]| {
            let values = values.map(|value| Lanes([1e-3 * value]));
            rebuilt(&values, &found.vectors.map(|v| v.map(|c| Lanes([c])))).map(|element| element.0[0] as f32)
        };
        let tensor =
            volume(&[turned([2.39, 0.6, 0.02]), turned([2.4, 0.6, -0.3]), [3e3, 3e3, 3e3, 9e12, 0.0, 0.0]]);
        let mask = Some(Mask::new(*tensor.grid(), vec![true, true, false]).unwrap());
        let sharpening = Some(Sharpening { exponent: 12.0, side: SharpenedSide::Above, fa: 0.1 });
        for metric in [Metric::Inverse, Metric::Adjugate] {
            let options =
                GeodesicOptions { sharpening, metric, mask: mask.clone(), ..GeodesicOptions::default() };
            let plan = Plan::new(&tensor, &options, Repair::of(&tensor, mask.as_ref()).unwrap()).unwrap();
            let (logarithms, _) = values(&plan.source(), &plan.own, VoxelValue::Logarithm);
            let (metrics, _) = values(&plan.source(), &plan.own, VoxelValue::Metric);
            for voxel in 0..3 {
                let plain =
                    eigenvalues(plan.repair.plain(tensor.voxel(voxel))).map(|value| 12.0 * value.ln());
                let shift = if metric == Metric::Adjugate { plain.iter().sum() } else { 0.0 };
                let (logarithm, metric) = (eigenvalues(logarithms[voxel]), eigenvalues(metrics[voxel]));
                for n in 0..3 {
                    let expected = plain[n] - shift;
                    assert!((logarithm[n] - expected).abs() < 1e-6 * expected.abs().max(1.0), "{voxel} {n}");
                    // Only the largest eigenvalue of the metric is checked. The smaller eigenvalues are below
                    // the rounding error of the largest one.
                    let largest = (-(plain[2] - shift)).exp();
                    assert!(metric.iter().all(|value| value.is_finite()));
                    assert!((metric[0] / largest - 1.0).abs() < 1e-5, "{voxel}: {} {largest}", metric[0]);
                }
            }
        }
    }

    #[test]
    fn gain_multiplies_the_metric() {
        let tensor = volume(&[SOUND]);
        let (plain, _) = prepared(&tensor, &GeodesicOptions::default());
        let (multiplied, _) = prepared(&tensor, &GeodesicOptions { gain: 4.0, ..GeodesicOptions::default() });
        assert_eq!(multiplied[0], plain[0].map(|element| 4.0 * element));
    }

    #[test]
    fn images_without_diffusion_are_rejected() {
        let message = Repair::of(&volume(&[[0.0; 6]; 3]), None).unwrap_err().to_string();
        assert!(message.contains("all mean diffusivities are 0 or negative"), "{message}");
        let seven = Volume::filled(Grid::new([2, 1, 1], Affine::identity()).unwrap(), 7, 1.0);
        let message = crate::geodesic::field::check(&seven).unwrap_err().to_string();
        assert!(message.contains("the tensor image has 7 values"), "{message}");
    }
}
