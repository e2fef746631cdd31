//! Computes the values of the metric field at the voxels, several voxels at a time. The steps lead from the
//! measured tensor to the metric in voxel coordinates, or to the logarithm of the tensor. `kernels.cu`
//! performs the same operations on GPUs. Always change both files together.

use super::elements::{ELEMENTS, rebuilt};
use super::repair::{Found, Repair, Sharpening};
use arcuate_core::{Mask, Volume};
use arcuate_numbers::elementary::double;
use arcuate_numbers::{Lanes, Operations, Symmetric, Vector, adjugate, dot, times};
use arcuate_numbers::{eigensystem, fractional_anisotropy};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

/// Data from which the values are computed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) tensor: &'a Volume<f32>,
    /// Mask of the voxels in which repaired tensors are counted.
    pub(super) mask: Option<&'a Mask>,
    /// Logarithm of the factor that multiplies the metric in each voxel, for [`Scale::Factors`].
    pub(super) factors: Option<&'a [f64]>,
    /// Matrix that converts a displacement in voxels to mm.
    pub(super) to_mm: [[f64; 3]; 3],
}

/// Factor s of the inverse tensor in the metric s D⁻¹.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    One,
    /// The factor s is the determinant of the tensor (adjugate metric).
    Determinant,
    /// The factor s is different in each voxel (conformal metric).
    Factors,
}

/// The steps from a measured tensor to the tensor of the metric.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recipe {
    pub(super) repair: Repair,
    pub(super) gain: f64,
    pub(super) sharpening: Option<Sharpening>,
    pub(super) scale: Scale,
}

/// Quantity to compute in each voxel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VoxelValue {
    /// The tensor D, which is repaired, multiplied by the gain, and sharpened.
    Tensor,
    /// The metric s Aᵀ D⁻¹ A in voxel coordinates, where A converts voxels to mm.
    Metric,
    /// The matrix logarithm log (D / s), for spline interpolation.
    Logarithm,
}

/// Numbers of tensors in the mask that were zero, indefinite, or not finite.
pub(super) type Counts = [u64; 3];

/// Number of voxels that a thread processes at a time.
const CHUNK: usize = 1024;

/// Returns the six matrix elements of each voxel, and the numbers of repaired tensors.
pub(super) fn values(source: &Source, recipe: &Recipe, what: VoxelValue) -> (Vec<[f64; 6]>, Counts) {
    let mut values = vec![[0.0; 6]; source.tensor.grid().len()];
    let chunks = values.par_chunks_mut(CHUNK).enumerate();
    let counts = chunks
        .map(|(n, out)| {
            arcuate_numbers::Arch::new().dispatch(Chunk { source, recipe, what, begin: n * CHUNK, out })
        })
        .reduce(Counts::default, |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
    (values, counts)
}

struct Chunk<'a, 's> {
    source: &'a Source<'s>,
    recipe: &'a Recipe,
    what: VoxelValue,
    begin: usize,
    out: &'a mut [[f64; 6]],
}

impl WithSimd for Chunk<'_, '_> {
    type Output = Counts;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Counts {
        const W: usize = 4;
        let Self { source, recipe, what, begin, out } = self;
        let mut counts = Counts::default();
        for (n, out) in out.chunks_mut(W).enumerate() {
            let first = begin + n * W;
            // SIMD lanes after the last voxel compute the last voxel again.
            let last = first + out.len() - 1;
            let mut tensors = [source.tensor.voxel(first); W];
            let mut factors = Lanes::all(0.0);
            for lane in 0..W {
                let voxel = last.min(first + lane);
                tensors[lane] = source.tensor.voxel(voxel);
                if let (Scale::Factors, Some(all)) = (recipe.scale, source.factors) {
                    factors.0[lane] = all[voxel];
                }
            }
            let (plain, found) = recipe.repair.sound(tensors);
            let tensor = recipe.multiplied(&plain);
            let powers = recipe.powers(&tensor);
            let values = match what {
                VoxelValue::Tensor => raised(&tensor, powers),
                VoxelValue::Metric => recipe.metric(&tensor, powers, factors, &source.to_mm),
                VoxelValue::Logarithm => recipe.logarithm(&tensor, powers, factors),
            };
            for (lane, out) in out.iter_mut().enumerate() {
                for k in 0..6 {
                    out[k] = values[k].0[lane];
                }
                if source.mask.is_none_or(|mask| mask.contains(first + lane)) {
                    match found[lane] {
                        Found::Sound => {}
                        Found::Zero => counts[0] += 1,
                        Found::Indefinite => counts[1] += 1,
                        Found::NotANumber => counts[2] += 1,
                    }
                }
            }
        }
        counts
    }
}

impl Recipe {
    #[inline(always)]
    fn multiplied<const W: usize>(&self, plain: &Symmetric<f64, W>) -> Symmetric<f64, W> {
        let mut tensor = *plain;
        for k in 0..6 {
            tensor[k] = plain[k] * Lanes::all(self.gain);
        }
        tensor
    }

    /// Returns the power to which each tensor is raised. The power is 1 for tensors that are not sharpened.
    /// Returns `None` if no tensor is sharpened.
    #[inline(always)]
    fn powers<const W: usize>(&self, tensor: &Symmetric<f64, W>) -> Option<Lanes<f64, W>> {
        let sharpening = self.sharpening?;
        let anisotropy = fractional_anisotropy(tensor);
        let mut powers = Lanes::all(1.0);
        let mut any = false;
        for n in 0..W {
            if sharpening.is_for(anisotropy.0[n]) {
                powers.0[n] = sharpening.exponent;
                any = true;
            }
        }
        any.then_some(powers)
    }

    /// Returns log s, where s is the factor of the inverse tensor. `values` are the logarithms of the
    /// tensor's eigenvalues.
    #[inline(always)]
    fn shift<const W: usize>(&self, values: &Vector<f64, W>, factors: Lanes<f64, W>) -> Lanes<f64, W> {
        match self.scale {
            Scale::One => Lanes::all(0.0),
            Scale::Determinant => values[0] + values[1] + values[2],
            Scale::Factors => factors,
        }
    }

    #[inline(always)]
    fn metric<const W: usize>(
        &self,
        tensor: &Symmetric<f64, W>,
        powers: Option<Lanes<f64, W>>,
        factors: Lanes<f64, W>,
        to_mm: &[[f64; 3]; 3],
    ) -> Symmetric<f64, W> {
        let (mut inverse, determinant) = adjugate(tensor);
        let scale = match self.scale {
            Scale::One => Lanes::all(1.0),
            Scale::Determinant => determinant,
            Scale::Factors => factors.exponential(),
        };
        let factor = scale / determinant;
        for element in &mut inverse {
            *element = *element * factor;
        }
        if let Some(powers) = powers {
            let (mut values, vectors) = logarithms(tensor, powers);
            let shift = self.shift(&values, factors);
            for value in &mut values {
                *value = (shift - *value).exponential();
            }
            inverse = where_sharpened(powers, &rebuilt(&values, &vectors), &inverse);
        }
        // The products aᵀ S b of all columns a and b of the matrix A.
        let mut columns = [[factor; 3]; 3];
        let mut turned = columns;
        for c in 0..3 {
            for r in 0..3 {
                columns[c][r] = Lanes::all(to_mm[r][c]);
            }
            turned[c] = times(&inverse, columns[c]);
        }
        let mut result = inverse;
        for (k, (a, b)) in ELEMENTS.into_iter().enumerate() {
            result[k] = dot(columns[a], turned[b]);
        }
        result
    }

    #[inline(always)]
    fn logarithm<const W: usize>(
        &self,
        tensor: &Symmetric<f64, W>,
        powers: Option<Lanes<f64, W>>,
        factors: Lanes<f64, W>,
    ) -> Symmetric<f64, W> {
        let (mut values, vectors) = logarithms(tensor, powers.unwrap_or(Lanes::all(1.0)));
        let shift = self.shift(&values, factors);
        for value in &mut values {
            *value = *value - shift;
        }
        rebuilt(&values, &vectors)
    }
}

/// Returns the tensors raised to their powers.
#[inline(always)]
fn raised<const W: usize>(tensor: &Symmetric<f64, W>, powers: Option<Lanes<f64, W>>) -> Symmetric<f64, W> {
    let Some(powers) = powers else { return *tensor };
    let (mut values, vectors) = logarithms(tensor, powers);
    for value in &mut values {
        *value = value.exponential();
    }
    where_sharpened(powers, &rebuilt(&values, &vectors), tensor)
}

/// Returns the eigenvectors of tensors that are raised to powers, and the logarithms of the eigenvalues of
/// these powers. Both are computed from the original tensors, because a power of a tensor may have
/// eigenvalues below the rounding error of its elements.
#[inline(always)]
fn logarithms<const W: usize>(
    tensor: &Symmetric<f64, W>,
    powers: Lanes<f64, W>,
) -> (Vector<f64, W>, [Vector<f64, W>; 3]) {
    let (mut values, vectors) = eigensystem(tensor);
    for value in &mut values {
        *value = powers * logarithm(*value);
    }
    (values, vectors)
}

/// Returns the sharpened tensor in lanes whose tensor is sharpened, and the original tensor in the other
/// lanes.
#[inline(always)]
fn where_sharpened<const W: usize>(
    powers: Lanes<f64, W>,
    sharp: &Symmetric<f64, W>,
    plain: &Symmetric<f64, W>,
) -> Symmetric<f64, W> {
    let mut result = *plain;
    for n in 0..W {
        if powers.0[n] != 1.0 {
            for k in 0..6 {
                result[k].0[n] = sharp[k].0[n];
            }
        }
    }
    result
}

/// Returns the natural logarithm.
#[inline(always)]
fn logarithm<const W: usize>(x: Lanes<f64, W>) -> Lanes<f64, W> {
    let mut result = x;
    let mut normal = true;
    for n in 0..W {
        result.0[n] = double::ln_normal(x.0[n]);
        normal &= x.0[n] >= f64::MIN_POSITIVE && x.0[n] < f64::INFINITY;
    }
    if !normal {
        for n in 0..W {
            result.0[n] = double::ln(x.0[n]);
        }
    }
    result
}
