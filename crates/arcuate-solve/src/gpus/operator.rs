//! Traits of operators on GPUs.

use crate::Real;
use arcuate_compute::cuda::{Buffer, Gpu, Gpus, Stream};
use arcuate_core::{Error, Result, narrow};
use std::ops::Range;

/// The product with AᵀA of an operator A on one GPU, with whole vectors in the memory of that GPU. The method
/// of conjugate gradients needs only this product.
pub trait DeviceNormal<T: Real>: Sync {
    /// Returns the GPU of the operator.
    fn gpu(&self) -> &Gpu;

    /// Queues the product out = AᵀA · unknowns on the GPU. `out` is overwritten.
    ///
    /// Returns an error if a buffer does not have one element per unknown.
    fn normal(&self, stream: &Stream, unknowns: &Buffer<T>, out: &mut Buffer<T>) -> Result<()>;

    /// Queues the product out = Aᵀ · data, with the data in CPU memory. Returns `None` if the operator does
    /// not compute this product in the memory of this GPU.
    fn adjoint(&self, _stream: &Stream, _data: &[T], _out: &mut Buffer<T>) -> Option<Result<()>> {
        None
    }

    /// Stops using the GPU after the error `error`, and logs one warning. The CPU computes all further
    /// products.
    ///
    /// # Panics
    ///
    /// Panics if [fallbacks are forbidden](arcuate_compute::fallback_is_allowed).
    fn retreat(&self, error: &Error);
}

/// A linear operator A whose products run on one or several GPUs. Each GPU has a range of the rows of A (and
/// of the data), and all unknowns.
///
/// The elements of products Aᵀ y are summed in 64-bit fixed-point numbers, whose unit is the inverse of a
/// given scale. These sums do not depend on the order of their terms. They are therefore bit-identical for
/// any division of the work and any number of GPUs. [`Bounds`] determine a scale that excludes overflow.
pub trait SplitOperator<T: Real>: Sync {
    /// Returns the GPUs of the operator.
    fn gpus(&self) -> &Gpus;

    /// Returns the range of rows (data) that the `n`-th GPU has.
    fn rows_on(&self, n: usize) -> Range<usize>;

    /// Returns upper bounds of the operator's products.
    fn bounds(&self) -> Bounds;

    /// Returns the number of *raw* sums of a product Aᵀ y, if it differs from the number of unknowns. In some
    /// operators, the sums of all unknowns are linear combinations of fewer sums. For example, all responses
    /// of a streamline are combinations of a few basis functions. This operator then computes only the sums
    /// for the basis functions (raw sums), and only these are sent between GPUs. Returns `None` if products
    /// give one sum for each unknown.
    fn raw_sums(&self) -> Option<usize> {
        None
    }

    /// Queues the conversion of raw sums to one sum for each unknown, on the `n`-th GPU. The `raw` sums are
    /// already added up over all GPUs. Raw sums and `sums` are fixed-point numbers with the same scale.
    /// `sums` is overwritten. All GPUs must give bit-identical results. This method is called only for
    /// operators with raw sums.
    ///
    /// Returns an error if the length of `raw` is not [`raw_sums`](Self::raw_sums), or if the length of
    /// `sums` is not the number of unknowns.
    fn expand(&self, n: usize, stream: &Stream, raw: &Buffer<u64>, sums: &mut Buffer<u64>) -> Result<()> {
        let _ = n;
        Ok(sums.view_mut().copy_from_device(stream, raw.view())?)
    }

    /// Returns the number of pairs of squared norms that a product on the `n`-th GPU writes to
    /// [`Products::norms`].
    fn norms_on(&self, n: usize) -> usize;

    /// Returns true if the function that queues products waits for memory copies, because part of the
    /// operator is copied to the GPU during each product. Each GPU then needs its own CPU thread.
    fn is_streamed(&self) -> bool {
        false
    }

    /// Stops using the GPUs, or some of their memory, after the error `error`, and logs one warning. If GPU
    /// memory was exhausted for the first time, the operator is put on the GPUs again, in smaller pieces. In
    /// all other cases, the CPU computes all further products.
    ///
    /// # Panics
    ///
    /// Panics if [fallbacks are forbidden](arcuate_compute::fallback_is_allowed).
    fn retreat(self: Box<Self>, error: &Error);

    /// Queues products on the `n`-th GPU. If a number is not finite, this is visible in the norms only,
    /// because fixed-point sums cannot represent such a number.
    ///
    /// Returns an error if a buffer does not have the length that [`Products`] documents.
    fn products(&self, n: usize, stream: &Stream, what: Products<'_, T>) -> Result<()>;
}

/// Bounds of the products of an operator A. They determine the scale of fixed-point sums.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// A factor for which max |Ax| ≤ `image` · max |x|. It is at least the largest sum of the magnitudes of
    /// the elements in a row of A.
    pub image: f64,
    /// A factor for which max |Aᵀy| ≤ `adjoint` · max |y|. It is at least the largest sum of the magnitudes
    /// of the elements in a column of A. If the operator has raw sums, the factor is also a bound of these
    /// sums.
    pub adjoint: f64,
}

/// The products that a [`SplitOperator`] is asked to compute: u = A x, or Aᵀ u for data u, or both. If both
/// are requested, the second is the product Aᵀ u with the result u = A x of the first.
pub struct Products<'a, T: Real> {
    /// The unknowns x (all of them). If this field is present, u = A x is computed. If not, u is the content
    /// of `data`.
    pub unknowns: Option<&'a Buffer<T>>,
    /// True if u is added to `data`. If false, u overwrites `data`.
    pub carry: bool,
    /// The data of this GPU. Their number is the length of the range [`SplitOperator::rows_on`].
    pub data: &'a mut Buffer<T>,
    /// Two buffers: fixed-point sums, and their scale. If they are present, Aᵀu is multiplied by the first
    /// number of the second buffer and added to the first buffer, as two's complement integers. The first
    /// buffer has one sum for each unknown, or as many sums as [`SplitOperator::raw_sums`] returns.
    pub sums: Option<(&'a mut Buffer<u64>, &'a Buffer<f64>)>,
    /// Buffer for pairs of squared norms. If it is present, the product writes as many pairs as
    /// [`SplitOperator::norms_on`] returns. The sum of all pairs is (‖u‖², ‖data‖²). The buffer is allowed
    /// only if `unknowns` is present.
    pub norms: Option<&'a mut Buffer<f64>>,
}

impl<'a, T: Real> Products<'a, T> {
    /// Creates the product data = A x.
    pub fn image(unknowns: &'a Buffer<T>, data: &'a mut Buffer<T>) -> Self {
        Self { unknowns: Some(unknowns), carry: false, data, sums: None, norms: None }
    }

    /// Creates the request for the product Aᵀ `data`, which is multiplied by the scale and added to `sums`.
    pub fn adjoint(data: &'a mut Buffer<T>, sums: &'a mut Buffer<u64>, scale: &'a Buffer<f64>) -> Self {
        Self { unknowns: None, carry: false, data, sums: Some((sums, scale)), norms: None }
    }

    /// Returns true if all buffers have the lengths that an operator on this GPU requires. The required
    /// lengths are `rows` (data), `columns` (unknowns), `sums` (fixed-point sums) and `norms` (pairs of
    /// squared norms).
    pub fn fit(&self, rows: usize, columns: usize, sums: usize, norms: usize) -> bool {
        self.data.len() == rows
            && self.unknowns.is_none_or(|unknowns| unknowns.len() == columns)
            && self.sums.as_ref().is_none_or(|(into, scale)| into.len() == sums && !scale.is_empty())
            && self.norms.as_ref().is_none_or(|pairs| pairs.len() == 2 * norms && self.unknowns.is_some())
    }
}

/// Returns the scale of 64-bit fixed-point sums whose floating-point values stay below `limit`, and the
/// inverse of this scale. The scale is a power of two that keeps the integers below 2⁶². If the limit is not
/// finite, the scale is NaN, so that all scaled numbers are NaN.
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
    fn fixed_point_sums_do_not_overflow() {
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
