//! Definition of operations of programs.

/// Defines an operation with one operand x:
///
/// - `range` returns the range of the result for operands in a range.
/// - `reference` computes the result in double precision.
/// - `slope` adds the derivative to a program, from the nodes of the result and the operand.
/// - `compute` computes the result on the CPU, or writes the instructions of a GPU kernel that compute it.
macro_rules! unary_operation {
    (
        $(#[$meta:meta])*
        $operation:ident = $name:literal;
        range |$of:pat_param| $range:expr;
        reference |$number:pat_param| $reference:expr;
        slope |$program:pat_param, $value:pat_param, $node:pat_param| $slope:expr;
        compute |$x:pat_param| $compute:expr;
    ) => {
        $(#[$meta])*
        pub(super) struct $operation;

        impl $operation {
            pub(super) const NAME: &'static str = $name;

            pub(super) fn range($of: $crate::language::Range) -> $crate::language::Range {
                $range
            }

            pub(super) fn reference($number: f64) -> f64 {
                $reference
            }

            pub(super) fn slope(
                $program: &mut $crate::language::Program,
                $value: $crate::language::Id,
                $node: $crate::language::Id,
            ) -> $crate::language::Id {
                $slope
            }

            #[inline(always)]
            pub(super) fn compute<N: arcuate_numbers::Operations>($x: N) -> N {
                $compute
            }
        }
    };
}

/// Defines an operation with two operands, like [`unary_operation`]. `slope` also takes whether the derivative is
/// that by the first operand.
macro_rules! binary_operation {
    (
        $(#[$meta:meta])*
        $operation:ident = $name:literal;
        range |$of_a:pat_param, $of_b:pat_param| $range:expr;
        reference |$number_a:pat_param, $number_b:pat_param| $reference:expr;
        slope |$program:pat_param, $value:pat_param, $nodes:pat_param, $by_first:pat_param| $slope:expr;
        compute |$a:pat_param, $b:pat_param| $compute:expr;
    ) => {
        $(#[$meta])*
        pub(super) struct $operation;

        impl $operation {
            pub(super) const NAME: &'static str = $name;

            pub(super) fn range(
                $of_a: $crate::language::Range,
                $of_b: $crate::language::Range,
            ) -> $crate::language::Range {
                $range
            }

            pub(super) fn reference($number_a: f64, $number_b: f64) -> f64 {
                $reference
            }

            pub(super) fn slope(
                $program: &mut $crate::language::Program,
                $value: $crate::language::Id,
                $nodes: [$crate::language::Id; 2],
                $by_first: bool,
            ) -> $crate::language::Id {
                $slope
            }

            #[inline(always)]
            pub(super) fn compute<N: arcuate_numbers::Operations>($a: N, $b: N) -> N {
                $compute
            }
        }
    };
}

pub(super) use {binary_operation, unary_operation};
