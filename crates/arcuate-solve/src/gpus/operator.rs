//! Traits of operators on GPUs.

use crate::Real;
use arcuate_compute::cuda::{Buffer, Gpu, Gpus, Stream};
use arcuate_core::{Error, Result, narrow};
use std::ops::Range;

/// The product AᵀA of an operator on one GPU, with whole vectors in the memory of that GPU. Conjugate
/// gradients need no other product.
pub trait DeviceNormal<T: Real>: Sync {
    /// Returns the GPU of the operator.
    fn gpu(&self) -> &Gpu;

    /// Queues out = AᵀA · unknowns on the GPU. `out` is overwritten.
    ///
    /// Returns an error if a buffer does not have one element per unknown.
    fn normal(&self, stream: &Stream, unknowns: &Buffer<T>, out: &mut Buffer<T>) -> Result<()>;

    /// Queues out = Aᵀ · data, with the data on the host. Returns `None` if the operator does not compute
    /// this product in the memory of this GPU.
    fn adjoint(&self, _stream: &Stream, _data: &[T], _out: &mut Buffer<T>) -> Option<Result<()>> {
        None
    }

    /// Stops using the GPU after `error`, with one warning. All further products are computed on the CPU.
    ///
    /// # Panics
    /// Panics if [fallbacks are forbidden](arcuate_compute::fallback_is_allowed).
    fn retreat(&self, error: &Error);
}

/// An operator on one GPU, with whole vectors in the memory of that GPU, such as a convolution. Operators
/// whose data are split between several GPUs are [`SplitOperator`]s.
pub trait DeviceOperator<T: Real>: Sync {
    /// Returns the GPU of the operator.
    fn gpu(&self) -> &Gpu;

    /// Queues data = A · unknowns on the GPU. `data` is overwritten.
    ///
    /// Returns an error for buffers of other lengths than the operator's shape.
    fn forward(&self, stream: &Stream, unknowns: &Buffer<T>, data: &mut Buffer<T>) -> Result<()>;

    /// Queues unknowns = Aᵀ · data on the GPU. `unknowns` is overwritten.
    ///
    /// Returns an error for buffers of other lengths than the operator's shape.
    fn adjoint(&self, stream: &Stream, data: &Buffer<T>, unknowns: &mut Buffer<T>) -> Result<()>;
}

impl<T: Real, A: DeviceOperator<T>> DeviceOperator<T> for &A {
    fn gpu(&self) -> &Gpu {
        (**self).gpu()
    }

    fn forward(&self, stream: &Stream, unknowns: &Buffer<T>, data: &mut Buffer<T>) -> Result<()> {
        (**self).forward(stream, unknowns, data)
    }

    fn adjoint(&self, stream: &Stream, data: &Buffer<T>, unknowns: &mut Buffer<T>) -> Result<()> {
        (**self).adjoint(stream, data, unknowns)
    }
}

/// An operator whose products run on one or several GPUs. Each GPU has a range of the rows (data), and all
/// unknowns.
///
/// Adjoint products are summed in 64-bit fixed-point numbers, whose unit is the inverse of a given scale.
/// Such sums do not depend on the order. They are therefore bit-identical for any division of the work and
/// any number of GPUs. [`Bounds`] give a scale that excludes overflow.
pub trait SplitOperator<T: Real>: Sync {
    /// Returns the GPUs of the operator.
    fn gpus(&self) -> &Gpus;

    /// Returns the range of rows (data) of the `n`-th GPU.
    fn rows_on(&self, n: usize) -> Range<usize>;

    /// Returns upper bounds of the operator's products.
    fn bounds(&self) -> Bounds;

    /// Returns the number of *raw* sums of an adjoint product, if it differs from the number of unknowns. The
    /// unknowns of some operators are linear combinations of fewer sums. For example, all responses of a
    /// streamline come from the coefficients of one basis. Such an operator computes raw sums only, and only
    /// these are sent between GPUs. Returns `None` if products give one sum for each unknown.
    fn raw_sums(&self) -> Option<usize> {
        None
    }

    /// Queues, on the `n`-th GPU, the conversion of complete `raw` sums (added up over all GPUs) to one sum
    /// for each unknown. Both are fixed-point numbers of the same scale. `sums` is overwritten. All GPUs must
    /// give bit-identical results. Called only for operators with raw sums.
    ///
    /// Returns an error for buffers of other lengths than [`raw_sums`](Self::raw_sums) and the number of
    /// unknowns.
    fn expand(&self, n: usize, stream: &Stream, raw: &Buffer<u64>, sums: &mut Buffer<u64>) -> Result<()> {
        let _ = n;
        Ok(sums.view_mut().copy_from_device(stream, raw.view())?)
    }

    /// Returns the number of pairs of norms that [`Products::norms`] has on the `n`-th GPU.
    fn norms_on(&self, n: usize) -> usize;

    /// Returns whether queueing products waits for copies, because part of the operator is streamed through a
    /// GPU. Each GPU then needs its own host thread.
    fn is_streamed(&self) -> bool {
        false
    }

    /// Stops using the GPUs, or some of their memory, after `error`, with one warning. If GPU memory was
    /// exhausted for the first time, the operator is put on the GPUs in smaller pieces. In all other cases,
    /// products are computed on the CPU.
    ///
    /// # Panics
    /// Panics if [fallbacks are forbidden](arcuate_compute::fallback_is_allowed).
    fn retreat(self: Box<Self>, error: &Error);

    /// Queues products on the `n`-th GPU. If a number is not finite, the norms show it, because fixed-point
    /// sums cannot represent such a number.
    ///
    /// Returns an error for buffers of other lengths than [`Products`] documents.
    fn products(&self, n: usize, stream: &Stream, what: Products<'_, T>) -> Result<()>;
}

/// Bounds of an operator A, which determine the scale of fixed-point sums.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// A factor with max |Ax| ≤ `image` · max |x|. It is at least the largest sum of magnitudes in a row of
    /// A.
    pub image: f64,
    /// A factor with max |Aᵀy| ≤ `adjoint` · max |y|. It is at least the largest sum of magnitudes in a
    /// column of A. If the operator has raw sums, it is also a bound for these.
    pub adjoint: f64,
}

/// A product that a [`SplitOperator`] computes: the image of unknowns, the adjoint of data, or both. If both,
/// the adjoint is that of the image.
pub struct Products<'a, T: Real> {
    /// All unknowns x. If present, the product computes u = A x. If not, u is `data`.
    pub unknowns: Option<&'a Buffer<T>>,
    /// True if u is added to `data`. If false, u overwrites `data`.
    pub carry: bool,
    /// The data of this GPU. [`SplitOperator::rows_on`] gives their number.
    pub data: &'a mut Buffer<T>,
    /// Buffers of the fixed-point sums and of their scale. If present, Aᵀu times the first number of the
    /// second buffer is added to the first buffer, as two's complement. The first buffer has one sum for each
    /// unknown, or [`SplitOperator::raw_sums`] sums.
    pub sums: Option<(&'a mut Buffer<u64>, &'a Buffer<f64>)>,
    /// Buffer for pairs of norms, whose sum is (‖u‖², ‖data‖²). If present, the product writes as many pairs
    /// as [`SplitOperator::norms_on`] returns. Allowed only with `unknowns`.
    pub norms: Option<&'a mut Buffer<f64>>,
}

impl<'a, T: Real> Products<'a, T> {
    /// Creates the product data = A x.
    pub fn image(unknowns: &'a Buffer<T>, data: &'a mut Buffer<T>) -> Self {
        Self { unknowns: Some(unknowns), carry: false, data, sums: None, norms: None }
    }

    /// Creates the product that adds the scaled Aᵀ data to `sums`.
    pub fn adjoint(data: &'a mut Buffer<T>, sums: &'a mut Buffer<u64>, scale: &'a Buffer<f64>) -> Self {
        Self { unknowns: None, carry: false, data, sums: Some((sums, scale)), norms: None }
    }

    /// Returns whether all buffers have the lengths that an operator on this GPU requires. The lengths are
    /// given as `rows` (data), `columns` (unknowns), `sums` (fixed-point sums) and `norms` (pairs).
    pub fn fit(&self, rows: usize, columns: usize, sums: usize, norms: usize) -> bool {
        self.data.len() == rows
            && self.unknowns.is_none_or(|unknowns| unknowns.len() == columns)
            && self.sums.as_ref().is_none_or(|(into, scale)| into.len() == sums && !scale.is_empty())
            && self.norms.as_ref().is_none_or(|pairs| pairs.len() == 2 * norms && self.unknowns.is_some())
    }
}

/// Returns the scale of 64-bit fixed-point sums that stay below `limit`, and its inverse. The scale is a
/// power of two that keeps the sums below 2⁶². If the limit is not finite, the scale is NaN, so that all
/// scaled numbers are NaN.
pub fn fixed_point_scale(limit: f64) -> [f64; 2] {
    if limit == 0.0 {
        return [1.0; 2];
    }
    if !(limit.is_finite() && limit < 1e300) {
        return [f64::NAN; 2];
    }
    let exponent = narrow::<i32>(limit.to_bits() >> 52) - 1022;
    let shift = (62 - exponent).min(1000);
    [2f64.powi(shift), 2f64.powi(-shift)]
}

#[cfg(test)]
mod tests {
    use super::*;

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
