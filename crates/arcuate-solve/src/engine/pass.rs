//! Descriptions of passes. A description is generic over its numbers, so that the CPU and the GPUs run the
//! same description.

use arcuate_numbers::Operations;

/// An element-wise pass over vectors of the same length, with `K` scalars. It changes `W` vectors, reads `R`
/// other vectors, and computes `S` sums of products. Numbers are in double precision. The macro
/// `pass!` implements this trait.
pub(crate) trait Pass<const W: usize, const R: usize, const K: usize, const S: usize>:
    Copy + Sync
{
    /// The name of the GPU kernel, without its precision.
    const NAME: &'static str;
    /// True if the largest magnitude of the last changed vector is also needed. Only GPUs need it, because it
    /// determines the scale of fixed-point sums.
    const LARGEST: bool;
    /// True if the CPU adds the terms in the order of [`vector::dot`](crate::vector::dot).
    const LIKE_DOT: bool;

    /// Returns the new elements of the changed vectors, and the two factors of each term of the sums. `round`
    /// rounds a number to the precision of the vectors. New elements are always rounded.
    fn element<N: Operations>(
        round: impl Fn(N) -> N,
        scalars: [N; K],
        changed: [N; W],
        read: [N; R],
    ) -> ([N; W], [[N; 2]; S]);
}

/// Returns `if_zero` if `x` is 0, and `if_not` if it is another number or NaN.
#[inline(always)]
pub(crate) fn if_zero<N: Operations>(x: N, if_zero: N, if_not: N) -> N {
    x.known(0.0).if_reaches(x.size(), if_zero, if_not)
}

/// Returns 1 if `x` is above 0, and 0 if it is not.
#[inline(always)]
pub(crate) fn is_positive<N: Operations>(x: N) -> N {
    x.if_above(x.known(0.0), x.known(1.0), x.known(0.0))
}
