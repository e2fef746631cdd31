//! Tensors made fit for a metric: checked, repaired, brought to the mask's mean diffusivity, multiplied, sharpened.

use crate::options::refused;
use arcuate_compute::elementary::double;
use arcuate_core::{Deviator, Error, Mask, Result, Volume};
use rayon::prelude::*;

/// Tensors to a power, by their eigenvalues, where their anisotropy is low or where it is high.
///
/// Powers above 1 make tensors more anisotropic and rays keep closer to the principal direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sharpening {
    /// The power, any number (`--sharpen`).
    pub exponent: f64,
    /// On which side of `fa` (`--sharpen-side`).
    pub side: SharpenedSide,
    /// The fractional anisotropy that divides them, 0 to 1 (`--sharpen-fa`).
    pub fa: f64,
}

/// Which tensors are sharpened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharpenedSide {
    /// Those of a fractional anisotropy below the limit.
    Below,
    /// The others.
    Above,
}

impl Sharpening {
    pub(super) fn check(&self) -> Result<()> {
        if !(self.exponent.is_finite() && self.exponent.abs() <= 20.0) {
            return Err(refused("--sharpen", self.exponent, "a power from -20 to 20"));
        }
        crate::options::fraction("--sharpen-fa", self.fa).map(|_| ())
    }

    fn is_for(&self, fa: f64) -> bool {
        match self.side {
            SharpenedSide::Below => fa < self.fa,
            SharpenedSide::Above => fa >= self.fa,
        }
    }
}

/// What was found and mended before tracking. Counts are of the mask's voxels, or of the whole image without one.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Repairs {
    /// Voxels looked at.
    pub voxels: u64,
    /// Tensors of zeros: isotropic now, with the mean diffusivity.
    pub zero: u64,
    /// Tensors with an eigenvalue below a hundredth of the mean diffusivity, which noise makes negative: it has that value
    /// now.
    pub indefinite: u64,
    /// Tensors with a value that is not a number, or infinite: isotropic now.
    pub not_a_number: u64,
    /// Mean diffusivity of the other voxels, in the unit of the tensors.
    pub mean_diffusivity: f64,
}

/// Smallest eigenvalue of a tensor, in units of the mean diffusivity.
const SMALLEST: f64 = 0.01;

/// Voxels whose sum is one number: the sum is the same however many threads there are.
const CHUNK: usize = 1024;
/// Partial sums of a chunk.
const STRIDES: usize = 32;

/// How the tensor of a voxel becomes one of a mean diffusivity of about 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Repair {
    mean: f64,
    gain: f64,
    sharpening: Option<Sharpening>,
}

/// A voxel's tensor as it was found.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Found {
    Sound,
    Zero,
    Indefinite,
    NotANumber,
}

impl Repair {
    /// Looks at all tensors. Fails where no voxel has a tensor with diffusion in it.
    pub(super) fn of(
        tensor: &Volume<f32>,
        mask: Option<&Mask>,
        gain: f64,
        sharpening: Option<Sharpening>,
    ) -> Result<(Self, Repairs)> {
        if tensor.channels() != 6 {
            let problem = format!("it has {} values a voxel", tensor.channels());
            return Err(Error::invalid("tensor image", problem, "give six: D11 D22 D33 D12 D13 D23"));
        }
        let inside = |voxel: usize| mask.is_none_or(|mask| mask.contains(voxel));
        let chunk = |n: usize| {
            let (mut sums, mut count) = ([0.0f64; STRIDES], 0u64);
            for voxel in n * CHUNK..tensor.grid().len().min((n + 1) * CHUNK) {
                let mean = mean(tensor.voxel(voxel));
                if inside(voxel) && mean > 0.0 && mean.is_finite() {
                    sums[voxel % STRIDES] += mean;
                    count += 1;
                }
            }
            (sums.into_iter().fold(0.0, |sum, part| sum + part), count)
        };
        let chunks = tensor.grid().len().div_ceil(CHUNK);
        let parts: Vec<(f64, u64)> = (0..chunks).into_par_iter().map(chunk).collect();
        let (sum, count) = parts.iter().fold((0.0, 0), |(sum, count), part| (sum + part.0, count + part.1));
        let repair = Self { mean: sum / count as f64, gain, sharpening };
        if count == 0 {
            let advice = "check its order and axes, and the mask";
            return Err(Error::invalid("tensor image", "no voxel has a mean diffusivity above 0", advice));
        }
        let count = |n: usize| {
            let mut repairs = Repairs::default();
            for voxel in (n * CHUNK..tensor.grid().len().min((n + 1) * CHUNK)).filter(|&voxel| inside(voxel))
            {
                repairs.voxels += 1;
                match repair.sound(tensor.voxel(voxel)).1 {
                    Found::Sound => {}
                    Found::Zero => repairs.zero += 1,
                    Found::Indefinite => repairs.indefinite += 1,
                    Found::NotANumber => repairs.not_a_number += 1,
                }
            }
            repairs
        };
        let add = |a: Repairs, b: Repairs| Repairs {
            voxels: a.voxels + b.voxels,
            zero: a.zero + b.zero,
            indefinite: a.indefinite + b.indefinite,
            not_a_number: a.not_a_number + b.not_a_number,
            ..a
        };
        let repairs = (0..chunks).into_par_iter().map(count).reduce(Repairs::default, add);
        Ok((repair, Repairs { mean_diffusivity: repair.mean, ..repairs }))
    }

    /// The tensor in units of the mean diffusivity, positive definite.
    fn sound(&self, tensor: &[f32]) -> ([f64; 6], Found) {
        let isotropic = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
        if tensor.iter().any(|element| !element.is_finite()) {
            return (isotropic, Found::NotANumber);
        }
        if tensor.iter().all(|&element| element == 0.0) {
            return (isotropic, Found::Zero);
        }
        let mut relative = [0.0; 6];
        for n in 0..6 {
            relative[n] = f64::from(tensor[n]) / self.mean;
        }
        if exceeds(relative, SMALLEST) {
            return (relative, Found::Sound);
        }
        let mut system = Deviator::of(relative).eigensystem();
        for value in &mut system.values {
            *value = if *value > SMALLEST { *value } else { SMALLEST };
        }
        (rebuilt(system.values, &system.vectors), Found::Indefinite)
    }

    /// The tensor that connectivity is measured with: in units of the mean diffusivity, positive definite.
    pub(super) fn plain(&self, tensor: &[f32]) -> [f64; 6] {
        self.sound(tensor).0
    }

    /// The tensor of the metric: the plain one, multiplied and sharpened.
    pub(super) fn sharpened(&self, tensor: &[f32]) -> [f64; 6] {
        let plain = self.plain(tensor).map(|element| element * self.gain);
        let deviator = Deviator::of(plain);
        match self.sharpening {
            Some(sharpening) if sharpening.is_for(deviator.fractional_anisotropy()) => {
                let system = deviator.eigensystem();
                let power = |value: f64| double::exp(sharpening.exponent * double::ln(value));
                rebuilt(system.values.map(power), &system.vectors)
            }
            _ => plain,
        }
    }

    /// What connectivity's measure of length is multiplied with where it is taken from the metric of
    /// [`sharpened`](Self::sharpened) tensors.
    pub(super) fn is_plain_but_for_gain(&self) -> Option<f64> {
        self.sharpening.is_none().then_some(self.gain)
    }
}

fn mean(tensor: &[f32]) -> f64 {
    (f64::from(tensor[0]) + f64::from(tensor[1]) + f64::from(tensor[2])) / 3.0
}

/// Whether all eigenvalues exceed `limit`: Sylvester's criterion for D − limit · I.
pub(super) fn exceeds([xx, yy, zz, xy, xz, yz]: [f64; 6], limit: f64) -> bool {
    let (xx, yy, zz) = (xx - limit, yy - limit, zz - limit);
    let second = xx * yy - xy * xy;
    let determinant = xx * (yy * zz - yz * yz) + xy * (yz * xz - xy * zz) + xz * (xy * yz - yy * xz);
    xx > 0.0 && second > 0.0 && determinant > 0.0
}

/// Σ λᵢ eᵢ eᵢᵀ.
pub(super) fn rebuilt(values: [f64; 3], vectors: &[[f64; 3]; 3]) -> [f64; 6] {
    let mut result = [0.0; 6];
    for (n, (a, b)) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
        result[n] = values[0] * vectors[0][a] * vectors[0][b]
            + values[1] * vectors[1][a] * vectors[1][b]
            + values[2] * vectors[2][a] * vectors[2][b];
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, DiffusionTensor, Grid};

    fn volume(tensors: &[[f32; 6]]) -> Volume<f32> {
        let grid = Grid::new([tensors.len(), 1, 1], Affine::identity()).unwrap();
        Volume::new(grid, 6, tensors.concat()).unwrap()
    }

    const SOUND: [f32; 6] = [2.0e-3, 5.0e-4, 5.0e-4, 0.0, 0.0, 0.0];

    #[test]
    fn each_kind_is_found_and_mended() {
        let tensor = volume(&[SOUND, [0.0; 6], [1e-3, 1e-3, -5e-4, 2e-4, 0.0, 0.0], [f32::NAN; 6]]);
        let (repair, repairs) = Repair::of(&tensor, None, 1.0, None).unwrap();
        // Of the sound and the indefinite one: 1.0e-3 and 0.5e-3.
        assert!((repairs.mean_diffusivity - 0.75e-3).abs() < 1e-9);
        assert_eq!((repairs.voxels, repairs.zero, repairs.indefinite, repairs.not_a_number), (4, 1, 1, 1));
        assert_eq!(repair.plain(tensor.voxel(1)), [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(repair.plain(tensor.voxel(3)), [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
        let mended = DiffusionTensor(repair.plain(tensor.voxel(2))).eigensystem();
        let found = DiffusionTensor([1e-3, 1e-3, -5e-4, 2e-4, 0.0, 0.0].map(|d| d / 0.75e-3)).eigensystem();
        assert!((mended.values[2] - SMALLEST).abs() < 1e-12);
        for n in 0..2 {
            // The tensors come in single precision.
            assert!((mended.values[n] - found.values[n]).abs() < 1e-6);
        }
    }

    #[test]
    fn a_mask_says_whose_mean_counts() {
        let tensor = volume(&[SOUND, [9e-3, 9e-3, 9e-3, 0.0, 0.0, 0.0]]);
        let mask = Mask::new(*tensor.grid(), vec![true, false]).unwrap();
        let (_, repairs) = Repair::of(&tensor, Some(&mask), 1.0, None).unwrap();
        assert!((repairs.mean_diffusivity - 1e-3).abs() < 1e-9 && repairs.voxels == 1);
    }

    #[test]
    fn sharpening_raises_eigenvalues_to_a_power_on_its_side_alone() {
        let turned = [1.2e-3, 1.3e-3, 5e-4, 6e-4, 1e-4, -1e-4];
        let round = [1.0e-3, 1.0e-3, 1.1e-3, 0.0, 0.0, 0.0];
        let tensor = volume(&[turned, round]);
        for (side, first, second) in [(SharpenedSide::Above, 2.5, 1.0), (SharpenedSide::Below, 1.0, 2.5)] {
            let sharpening = Sharpening { exponent: 2.5, side, fa: 0.3 };
            let (repair, _) = Repair::of(&tensor, None, 1.0, Some(sharpening)).unwrap();
            for (voxel, power) in [(0, first), (1, second)] {
                let plain = DiffusionTensor(repair.plain(tensor.voxel(voxel))).eigensystem();
                let sharp = DiffusionTensor(repair.sharpened(tensor.voxel(voxel))).eigensystem();
                for n in 0..3 {
                    assert!((sharp.values[n] / plain.values[n].powf(power) - 1.0).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn gain_multiplies() {
        let tensor = volume(&[SOUND]);
        let (repair, _) = Repair::of(&tensor, None, 4.0, None).unwrap();
        let (plain, multiplied) = (repair.plain(tensor.voxel(0)), repair.sharpened(tensor.voxel(0)));
        assert_eq!(multiplied, plain.map(|element| 4.0 * element));
    }

    #[test]
    fn an_image_without_diffusion_is_refused() {
        for (tensor, problem) in [
            (volume(&[[0.0; 6]; 3]), "no voxel has a mean diffusivity above 0"),
            (Volume::filled(Grid::new([2, 1, 1], Affine::identity()).unwrap(), 7, 1.0), "it has 7 values"),
        ] {
            let message = Repair::of(&tensor, None, 1.0, None).err().unwrap().to_string();
            assert!(message.contains(problem), "{message}");
        }
    }
}
