//! What solvers ask of an operator whose products run on GPUs.

use crate::Real;
use arcuate_compute::cuda::{Buffer, Gpu, Gpus, Stream};
use arcuate_core::{Error, Result, narrow};
use std::ops::Range;

/// AᵀA of an operator on a GPU, its vectors whole and in that GPU's memory: all that conjugate gradients ask for.
pub trait DeviceNormal<T: Real>: Sync {
    /// The GPU it lies on.
    fn gpu(&self) -> &Gpu;

    /// Queues out = AᵀA · unknowns; `out` is overwritten.
    ///
    /// Fails on buffers of other lengths than the operator has unknowns.
    fn normal(&self, stream: &Stream, unknowns: &Buffer<T>, out: &mut Buffer<T>) -> Result<()>;

    /// Queues out = Aᵀ · data, the data on the host, where that is computed in this GPU's memory: none where the host has it after
    /// all.
    fn adjoint(&self, _stream: &Stream, _data: &[T], _out: &mut Buffer<T>) -> Option<Result<()>> {
        None
    }

    /// Gives up the GPU after `error`, and says so in one warning: what is asked of the operator is computed on the processor
    /// from now on.
    ///
    /// # Panics
    /// Where [fallbacks are forbidden](arcuate_compute::fallback_is_allowed).
    fn retreat(&self, error: &Error);
}

/// An operator on a GPU, its vectors whole and in that GPU's memory: a convolution, say. Operators whose data are split
/// between several GPUs are [`SplitOperator`]s.
pub trait DeviceOperator<T: Real>: Sync {
    /// The GPU it lies on.
    fn gpu(&self) -> &Gpu;

    /// Queues data = A · unknowns; `data` is overwritten.
    ///
    /// Fails on buffers of other lengths than the operator's shape.
    fn forward(&self, stream: &Stream, unknowns: &Buffer<T>, data: &mut Buffer<T>) -> Result<()>;

    /// Queues unknowns = Aᵀ · data; `unknowns` is overwritten.
    ///
    /// Fails on buffers of other lengths than the operator's shape.
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

/// An operator whose products run on one or several GPUs. Its data are split between them by ranges of rows; each GPU
/// holds all unknowns.
///
/// Adjoint products are added up in 64-bit fixed point, in units of one over a given scale: such sums do not depend on
/// any order, so that they have the same bits for any cut of the work and any number of GPUs. With [`Bounds`] the scale
/// is chosen such that no sum can overflow.
pub trait SplitOperator<T: Real>: Sync {
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

    /// Whether queueing products waits for copies, because some of the operator is streamed through a GPU: each GPU then
    /// wants a thread of the host.
    fn is_streamed(&self) -> bool {
        false
    }

    /// Gives up the GPUs, or some of their memory, after `error`, and says so in one warning: where memory ran out for
    /// the first time, the operator lies on them in smaller pieces from now on; else what is asked of it is computed on
    /// the processor.
    ///
    /// # Panics
    /// Where [fallbacks are forbidden](arcuate_compute::fallback_is_allowed).
    fn retreat(self: Box<Self>, error: &Error);

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

/// What a [`SplitOperator`] is to compute: the image of unknowns, the adjoint of data, or, with both, the image and the
/// adjoint of that image.
pub struct Products<'a, T: Real> {
    /// All unknowns. Where given, u = A x is computed of these; else u is taken from `data`.
    pub unknowns: Option<&'a Buffer<T>>,
    /// u is added to `data` instead of written there.
    pub carry: bool,
    /// The data of this GPU, as many as [`SplitOperator::rows_on`] says.
    pub data: &'a mut Buffer<T>,
    /// Where given, Aᵀu, times the first number of the second buffer, is added to the first as two's complement: one
    /// sum for each unknown, or as many raw ones as [`SplitOperator::raw_sums`] says.
    pub sums: Option<(&'a mut Buffer<u64>, &'a Buffer<f64>)>,
    /// Where given, as many pairs as [`SplitOperator::norms_on`] says, which add up to (‖u‖², ‖data‖²), are written;
    /// only with `unknowns`.
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

    /// Whether all buffers have the lengths that an operator on this GPU asks for: `rows` data, `columns` unknowns, `sums`
    /// sums and `norms` pairs.
    pub fn fit(&self, rows: usize, columns: usize, sums: usize, norms: usize) -> bool {
        self.data.len() == rows
            && self.unknowns.is_none_or(|unknowns| unknowns.len() == columns)
            && self.sums.as_ref().is_none_or(|(into, scale)| into.len() == sums && !scale.is_empty())
            && self.norms.as_ref().is_none_or(|pairs| pairs.len() == 2 * norms && self.unknowns.is_some())
    }
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
