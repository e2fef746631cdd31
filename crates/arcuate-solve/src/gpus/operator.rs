//! Interfaces of operators on GPUs.

use crate::Real;
use arcuate_compute::cuda::{Buffer, Gpu, Gpus, Stream};
use arcuate_core::{Error, Result, narrow};
use std::ops::Range;

/// AᵀA of an operator on one GPU, with whole vectors in that GPU's memory. Conjugate gradients need nothing
/// else.
pub trait DeviceNormal<T: Real>: Sync {
    /// The operator's GPU.
    fn gpu(&self) -> &Gpu;

    /// Queues out = AᵀA · unknowns; `out` is overwritten.
    ///
    /// Returns an error for buffers of another length than the number of unknowns.
    fn normal(&self, stream: &Stream, unknowns: &Buffer<T>, out: &mut Buffer<T>) -> Result<()>;

    /// Queues out = Aᵀ · data, with the data on the host, if the operator computes it in this GPU's memory.
    /// `None` if it computes it on the host.
    fn adjoint(&self, _stream: &Stream, _data: &[T], _out: &mut Buffer<T>) -> Option<Result<()>> {
        None
    }

    /// Stops using the GPU after `error`, with one warning: all further products are computed on the CPU.
    ///
    /// # Panics
    /// Panics if [fallbacks are forbidden](arcuate_compute::fallback_is_allowed).
    fn retreat(&self, error: &Error);
}

/// An operator on one GPU, with whole vectors in that GPU's memory, such as a convolution. Operators whose
/// data are split between several GPUs are [`SplitOperator`]s.
pub trait DeviceOperator<T: Real>: Sync {
    /// The operator's GPU.
    fn gpu(&self) -> &Gpu;

    /// Queues data = A · unknowns; `data` is overwritten.
    ///
    /// Returns an error for buffers of other lengths than the operator's shape.
    fn forward(&self, stream: &Stream, unknowns: &Buffer<T>, data: &mut Buffer<T>) -> Result<()>;

    /// Queues unknowns = Aᵀ · data; `unknowns` is overwritten.
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

/// An operator whose products run on one or several GPUs. Its data are split between them by ranges of rows;
/// each GPU holds all unknowns.
///
/// Adjoint products are summed in 64-bit fixed point, in units of the inverse of a given scale. Such sums do
/// not depend on the order, so they are bit-identical for any division of the work and any number of GPUs.
/// [`Bounds`] give a scale that excludes overflow.
pub trait SplitOperator<T: Real>: Sync {
    /// The operator's GPUs.
    fn gpus(&self) -> &Gpus;

    /// The data of the `n`-th GPU.
    fn rows_on(&self, n: usize) -> Range<usize>;

    /// Upper bounds of its products.
    fn bounds(&self) -> Bounds;

    /// Number of *raw* sums of an adjoint product, if it differs from the number of unknowns. The unknowns of
    /// some operators are linear combinations of fewer sums; for example, all responses of a streamline come
    /// from the coefficients of one basis. Such an operator sums, and sends between GPUs, only the raw sums.
    /// `None` if products leave one sum for each unknown.
    fn raw_sums(&self) -> Option<usize> {
        None
    }

    /// Queues, on the `n`-th GPU, the conversion of complete `raw` sums (added up over all GPUs) to one sum
    /// for each unknown. Both are fixed-point numbers of the same scale; `sums` is overwritten. All GPUs must
    /// give bit-identical results. Called only for operators with raw sums.
    ///
    /// Returns an error for buffers of other lengths than [`raw_sums`](Self::raw_sums) and the number of
    /// unknowns.
    fn expand(&self, n: usize, stream: &Stream, raw: &Buffer<u64>, sums: &mut Buffer<u64>) -> Result<()> {
        let _ = n;
        Ok(sums.view_mut().copy_from_device(stream, raw.view())?)
    }

    /// Number of pairs that [`Products::norms`] takes on the `n`-th GPU.
    fn norms_on(&self, n: usize) -> usize;

    /// Whether queueing products waits for copies because part of the operator is streamed through a GPU.
    /// Each GPU then needs its own host thread.
    fn is_streamed(&self) -> bool {
        false
    }

    /// Stops using the GPUs, or some of their memory, after `error`, with one warning. If memory was
    /// exhausted for the first time, the operator is put on the GPUs in smaller pieces; otherwise products
    /// are computed on the CPU.
    ///
    /// # Panics
    /// Panics if [fallbacks are forbidden](arcuate_compute::fallback_is_allowed).
    fn retreat(self: Box<Self>, error: &Error);

    /// Queues products on the `n`-th GPU. Numbers that are not finite appear in the norms, since fixed-point
    /// sums cannot represent them.
    ///
    /// Returns an error for buffers of other lengths than [`Products`] documents.
    fn products(&self, n: usize, stream: &Stream, what: Products<'_, T>) -> Result<()>;
}

/// Bounds of an operator A, for the scale of fixed-point sums.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// max |Ax| ≤ `image` · max |x|: at least the largest sum of a row's magnitudes.
    pub image: f64,
    /// max |Aᵀy| ≤ `adjoint` · max |y|: at least the largest sum of a column's magnitudes. If the operator
    /// has raw sums, this bounds them too.
    pub adjoint: f64,
}

/// A product for a [`SplitOperator`]: the image of unknowns, the adjoint of data, or both, with the adjoint
/// of that image.
pub struct Products<'a, T: Real> {
    /// All unknowns. If present, u = A x is computed from them; otherwise u is `data`.
    pub unknowns: Option<&'a Buffer<T>>,
    /// Whether u is added to `data` instead of overwriting it.
    pub carry: bool,
    /// The data of this GPU; their number is given by [`SplitOperator::rows_on`].
    pub data: &'a mut Buffer<T>,
    /// If present, Aᵀu times the first number of the second buffer is added to the first buffer, as two's
    /// complement. It has one sum for each unknown, or the number of [`SplitOperator::raw_sums`].
    pub sums: Option<(&'a mut Buffer<u64>, &'a Buffer<f64>)>,
    /// If present, the pairs counted by [`SplitOperator::norms_on`] are written, whose sum is (‖u‖²,
    /// ‖data‖²). Only with `unknowns`.
    pub norms: Option<&'a mut Buffer<f64>>,
}

impl<'a, T: Real> Products<'a, T> {
    /// data = A x.
    pub fn image(unknowns: &'a Buffer<T>, data: &'a mut Buffer<T>) -> Self {
        Self { unknowns: Some(unknowns), carry: false, data, sums: None, norms: None }
    }

    /// sums += Aᵀ data, scaled.
    pub fn adjoint(data: &'a mut Buffer<T>, sums: &'a mut Buffer<u64>, scale: &'a Buffer<f64>) -> Self {
        Self { unknowns: None, carry: false, data, sums: Some((sums, scale)), norms: None }
    }

    /// Returns whether all buffers have the lengths that an operator on this GPU requires: `rows` data,
    /// `columns` unknowns, `sums` sums and `norms` pairs.
    pub fn fit(&self, rows: usize, columns: usize, sums: usize, norms: usize) -> bool {
        self.data.len() == rows
            && self.unknowns.is_none_or(|unknowns| unknowns.len() == columns)
            && self.sums.as_ref().is_none_or(|(into, scale)| into.len() == sums && !scale.is_empty())
            && self.norms.as_ref().is_none_or(|pairs| pairs.len() == 2 * norms && self.unknowns.is_some())
    }
}

/// The scale of 64-bit fixed-point sums that stay below `limit`, and its inverse: a power of two that keeps
/// them below 2⁶². NaN if the limit is not finite, so that it propagates to all scaled numbers.
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
