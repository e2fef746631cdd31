//! Operators whose products run on GPUs, and what is common to all who ask them for products.

mod cuda;
#[cfg(test)]
mod dense {
    mod cuda;
    pub(crate) use cuda::DenseOnGpus;
}
mod products;

pub(crate) use cuda::{AdjointSums, Totals, combined, exchange, grid};
#[cfg(test)]
pub(crate) use dense::DenseOnGpus;
pub use products::{adjoint_on_gpus, forward_on_gpus};

use crate::Real;
use arcuate_compute::cuda::{Buffer, Gpus, Stream};
use arcuate_core::Result;
use std::ops::Range;

/// An operator whose products run on GPUs. Its data are split between them by ranges; each GPU holds all unknowns.
///
/// Adjoint products are added up in 64-bit fixed point, in units of one over a given scale: such sums do not depend on
/// any order, so that they have the same bits for any cut of the work and any number of GPUs. With [`Bounds`] the scale
/// is chosen such that no sum can overflow.
pub trait CudaOperator<T: Real>: Sync {
    /// The GPUs it lies on.
    fn gpus(&self) -> &Gpus;

    /// The data of the `n`-th GPU.
    fn rows_on(&self, n: usize) -> Range<usize>;

    /// What its products cannot exceed.
    fn bounds(&self) -> Bounds;

    /// How many *raw* sums an adjoint product leaves, where these are not one for each unknown: an operator whose
    /// unknowns are linear combinations of fewer sums (the responses of a streamline, say, all from the coefficients of
    /// one basis) need not add up, nor send between GPUs, more of them than there are. None where products leave one
    /// sum for each unknown.
    fn raw_sums(&self) -> Option<usize> {
        None
    }

    /// Queues, on the `n`-th GPU, the making of one sum for each unknown of `raw` sums that are complete, which is to
    /// say added up over all GPUs. Both are fixed-point numbers of the same scale; `sums` is overwritten. GPUs must
    /// make the same bits of the same raw sums. Asked only of operators that have raw sums; others have theirs already.
    ///
    /// Fails on buffers of other lengths than [`raw_sums`](Self::raw_sums) and the number of unknowns.
    fn expand(&self, n: usize, stream: &Stream, raw: &Buffer<u64>, sums: &mut Buffer<u64>) -> Result<()> {
        let _ = n;
        Ok(sums.view_mut().copy_from_device(stream, raw.view())?)
    }

    /// Number of pairs that [`Products::norms`] takes on the `n`-th GPU.
    fn norms_on(&self, n: usize) -> usize;

    /// Says that the GPUs failed: what is asked of the operator from now on is computed on the processor.
    fn give_up(&self);

    /// Queues products on the `n`-th GPU. Numbers that are not finite show in the norms; fixed-point sums cannot hold
    /// them.
    ///
    /// Fails on buffers of other lengths than [`Products`] states.
    fn products(&self, n: usize, stream: &Stream, what: Products<'_, T>) -> Result<()>;
}

/// Bounds of an operator A, to scale fixed-point sums by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// max |Ax| ≤ `image` · max |x|: the largest sum of a row's magnitudes, or more.
    pub image: f64,
    /// max |Aᵀy| ≤ `adjoint` · max |y|: the largest sum of a column's magnitudes, or more. Where the operator has raw
    /// sums, it bounds those as well.
    pub adjoint: f64,
}

/// What a [`CudaOperator`] is to compute: the image of unknowns, the adjoint of data, or, with both, the image and the
/// adjoint of that image.
pub struct Products<'a, T: Real> {
    /// All unknowns. Where given, u = A x is computed of these; else u is taken from `data`.
    pub unknowns: Option<&'a Buffer<T>>,
    /// u is added to `data` instead of written there.
    pub carry: bool,
    /// The data of this GPU, as many as [`CudaOperator::rows_on`] says.
    pub data: &'a mut Buffer<T>,
    /// Where given, Aᵀu, times the first number of the second buffer, is added to the first as two's complement: one
    /// sum for each unknown, or as many raw ones as [`CudaOperator::raw_sums`] says.
    pub sums: Option<(&'a mut Buffer<u64>, &'a Buffer<f64>)>,
    /// Where given, as many pairs as [`CudaOperator::norms_on`] says, which add up to (‖u‖², ‖data‖²), are written;
    /// only with `unknowns`.
    pub norms: Option<&'a mut Buffer<f64>>,
}

/// Bytes that a solver keeps on each GPU beside its operator, for plans of memory: `rows` data and `norms` pairs there,
/// `columns` unknowns, and `raw_sums` as [`CudaOperator::raw_sums`] says.
pub fn solver_bytes<T: Real>(rows: usize, columns: usize, norms: usize, raw_sums: Option<usize>) -> u64 {
    let real = size_of::<T>();
    // The sums of this GPU, those of the others, and room for one of these; those that raw ones are expanded to.
    let sums = raw_sums.map_or(3 * columns, |raw| 3 * raw + columns);
    // Vectors of unknowns; measured, residual and image; pairs. Each rounded up by the driver.
    (columns * 6 * real + sums * 8 + rows * 3 * real + norms * 16 + (64 << 10)) as u64
}

/// The same for [`fista`](crate::fista()), with `groups` of unknowns, which keeps a little more than the other solvers.
pub fn proximal_solver_bytes<T: Real>(
    rows: usize,
    columns: usize,
    norms: usize,
    raw_sums: Option<usize>,
    groups: usize,
) -> u64 {
    let real = size_of::<T>();
    // A third residual and, where there are groups, their members, starts and weights.
    let of_groups = if groups > 0 { 4 * columns + 12 * groups } else { 0 };
    // The products of vectors of the processor that a look at the duality gap takes in between: data, unknowns, sums.
    let of_look = (rows + columns) * real + (raw_sums.unwrap_or(0) + columns) * 8;
    solver_bytes::<T>(rows, columns, norms, raw_sums) + (rows * real + of_groups + of_look) as u64
}

/// The scale of 64-bit fixed-point sums that stay below `limit`, and one over it: a power of two that takes them below
/// 2⁶². NaN where the limit is not finite, so that it shows in everything that is scaled.
pub fn fixed_point_scale(limit: f64) -> [f64; 2] {
    if limit == 0.0 {
        return [1.0; 2];
    }
    if !(limit.is_finite() && limit < 1e300) {
        return [f64::NAN; 2];
    }
    let exponent = (limit.to_bits() >> 52) as i32 - 1022;
    let shift = (62 - exponent).min(1000);
    [2f64.powi(shift), 2f64.powi(-shift)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        LinearOperator, NonNegativeLeastSquares, StoppingRule, checks, projected_barzilai_borwein, sbbnnls,
    };
    use arcuate_compute::{Purpose, Random};

    #[test]
    fn raw_sums_serve_products_and_solvers_on_any_number_of_gpus() {
        if !arcuate_emulation::available("raw sums") {
            return;
        }
        let (rows, columns, raw) = (57, 14, 5);
        let mut random = Random::new(2, Purpose::Resampling, 0);
        let basis: Vec<f64> = (0..rows * raw).map(|_| random.normal()).collect();
        let expansion: Vec<i32> = (0..columns * raw).map(|_| random.below(4) as i32 - 1).collect();
        let y: Vec<f64> = (0..rows).map(|_| 3.0 * random.normal()).collect();
        let single: Vec<f32> = y.iter().map(|&y| y as f32).collect();
        let rule = StoppingRule { tolerance: 1e-9, iterations: 2000 };
        let mut objectives = Vec::new();
        for ordinals in [&[0][..], &[0, 1]] {
            // A machine under test may have one GPU.
            let Ok(gpus) = Gpus::open(ordinals) else { continue };
            let factored = |gpus| DenseOnGpus::<f64>::factored(gpus, raw, basis.clone(), expansion.clone());
            let operator = factored(gpus.clone());
            // Of the fixed-point sums: 2⁻⁶⁰ of the largest for each of the rows.
            checks::all(&operator, 1e-14);
            let (mut expected, mut got) = (vec![0.0; columns], vec![f64::NAN; columns]);
            operator.reference.adjoint(&y, &mut expected);
            operator.adjoint(&y, &mut got);
            assert!(checks::relative_difference(&got, &expected) <= 1e-14);
            let start = vec![0.0; columns];
            let problem = NonNegativeLeastSquares::new(&operator, &y).with_l1(0.1);
            let reference = NonNegativeLeastSquares::new(&operator.reference, &y).with_l1(0.1);
            let expected = projected_barzilai_borwein(&reference, &start, &rule, |_| true).objective;
            let same_scale =
                DenseOnGpus::<f32>::factored(gpus.clone(), raw, basis.clone(), expansion.clone());
            let mut of_single = vec![0.0; columns];
            same_scale.adjoint(&single, &mut of_single);
            for solution in [
                projected_barzilai_borwein(&problem, &start, &rule, |_| true),
                sbbnnls(&problem, &start, &rule, |_| true),
            ] {
                assert!(!operator.has_failed());
                // The square of the gradient that remains.
                assert!((solution.objective - expected).abs() <= 1e-12 * expected);
                objectives.push((ordinals.len(), solution.objective, got.clone(), of_single.clone()));
            }
        }
        // Same bits: fixed-point sums do not depend on the cut.
        assert!(objectives.iter().all(|o| (&o.2, &o.3) == (&objectives[0].2, &objectives[0].3)));
    }

    #[test]
    fn fixed_point_sums_keep_below_2_to_62_and_scales_are_powers_of_two() {
        for limit in [1e-300, 0.75, 1.0, 3.0, 1e20, 1e299] {
            let [scale, unit] = fixed_point_scale(limit);
            assert_eq!((scale * unit, scale.log2().fract()), (1.0, 0.0), "{limit:e}");
            assert!(limit * scale < 2f64.powi(62), "{limit:e}");
            assert!(limit * scale >= 2f64.powi(60) || scale == 2f64.powi(1000), "{limit:e}");
        }
        assert_eq!(fixed_point_scale(0.0), [1.0; 2]);
        assert!(fixed_point_scale(f64::NAN)[0].is_nan() && fixed_point_scale(2e300)[1].is_nan());
    }
}
