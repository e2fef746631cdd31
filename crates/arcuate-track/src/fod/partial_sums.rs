//! Inner products in SIMD lanes, with a fixed order of operations.

use pulp::Simd;

/// The eight partial sums of the inner product of an FOD and its harmonics, in several lanes. The order of the
/// additions is that of `dot` for a single direction.
pub(super) struct PartialSums<S: Simd>([S::f32s; 8]);

impl<S: Simd> PartialSums<S> {
    #[inline(always)]
    pub(super) fn new(simd: S) -> Self {
        Self([simd.splat_f32s(0.0); 8])
    }

    #[inline(always)]
    pub(super) fn add(&mut self, simd: S, n: usize, a: S::f32s, b: S::f32s) {
        self.0[n % 8] = simd.add_f32s(self.0[n % 8], simd.mul_f32s(a, b));
    }

    #[inline(always)]
    pub(super) fn total(self, simd: S) -> S::f32s {
        let [a, b, c, d, e, f, g, h] = self.0;
        let low = simd.add_f32s(simd.add_f32s(a, b), simd.add_f32s(c, d));
        simd.add_f32s(low, simd.add_f32s(simd.add_f32s(e, f), simd.add_f32s(g, h)))
    }
}
