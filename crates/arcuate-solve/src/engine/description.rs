//! The macro that describes passes and writes their kernels.

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
