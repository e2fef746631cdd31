//! Descriptions of passes. A description is generic over its numbers, so that the CPU and the GPUs run the
//! same description.

use arcuate_numbers::Operations;

/// An element-wise pass over vectors of the same length, with `K` scalars. It changes `W` vectors, reads `R`
/// other vectors, and computes `S` sums of products. Numbers are in double precision. [`pass!`] implements
/// this trait.
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

/// Describes a [`Pass`]:
///
/// ```text
/// fn NAME(ROUND, [SCALARS], [CHANGED VECTORS], [READ VECTORS]) {
///     STATEMENTS
/// } -> [NEW ELEMENTS], sums [A * B, …], OPTIONS
/// ```
///
/// A term of a sum is the product of two variables. The options are `largest` and `like_dot`, which set the
/// constants of the trait. The macro also defines a function that writes the kernels of these passes.
macro_rules! pass {
    ($(
        $(#[$doc:meta])*
        fn $name:ident($round:pat, [$($scalar:pat),*], [$($changed:pat),*], [$($read:pat),*]) {
            $($statement:tt)*
        } -> [$($new:expr),*], sums [$($a:ident * $b:ident),*] $(, $option:ident)*;
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy)]
            #[allow(non_camel_case_types, reason = "it is also the name of a kernel")]
            pub(crate) struct $name;

            impl $crate::engine::Pass<
                { $crate::engine::pass!(@count $($changed),*) },
                { $crate::engine::pass!(@count $($read),*) },
                { $crate::engine::pass!(@count $($scalar),*) },
                { $crate::engine::pass!(@count $($a),*) },
            > for $name {
                const NAME: &'static str = stringify!($name);
                const LARGEST: bool = $crate::engine::pass!(@has largest $($option)*);
                const LIKE_DOT: bool = $crate::engine::pass!(@has like_dot $($option)*);

                #[inline(always)]
                fn element<N: arcuate_numbers::Operations>(
                    $round: impl Fn(N) -> N,
                    [$($scalar),*]: [N; $crate::engine::pass!(@count $($scalar),*)],
                    [$($changed),*]: [N; $crate::engine::pass!(@count $($changed),*)],
                    [$($read),*]: [N; $crate::engine::pass!(@count $($read),*)],
                ) -> (
                    [N; $crate::engine::pass!(@count $($changed),*)],
                    [[N; 2]; $crate::engine::pass!(@count $($a),*)],
                ) {
                    $($statement)*
                    ([$($new),*], [$([$a, $b]),*])
                }
            }
        )*

        /// Writes the GPU kernels of these passes.
        pub(crate) fn kernels<T: $crate::Real>() -> Vec<arcuate_compute::cuda::WrittenKernel> {
            [$($crate::engine::variants::<_, T, _, _, _, _>($name)),*].concat()
        }
    };
    (@count $($item:pat),*) => { <[&str]>::len(&[$(stringify!($item)),*]) };
    (@has $option:ident) => { false };
    (@has largest largest $($rest:ident)*) => { true };
    (@has like_dot like_dot $($rest:ident)*) => { true };
    (@has $option:ident $other:ident $($rest:ident)*) => { $crate::engine::pass!(@has $option $($rest)*) };
}
pub(crate) use pass;

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
