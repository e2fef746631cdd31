//! Selects the implementation of an operation by its name in a program.

use crate::language::id::Id;
use crate::language::node::{Binary, Unary};
use crate::language::program::Program;
use crate::language::range::Range;
use arcuate_numbers::Operations;

macro_rules! dispatch {
    (
        operators { $(unary $of_one:ident::$one:ident;)* $(binary $of_two:ident::$two:ident;)* }
        functions {
            $($file:ident::$row:ident $(, unary $unary:ident)? $(, binary $binary:ident)?;)*
        }
    ) => {
        impl Unary {
            /// Returns the name of the operation in listings.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$one => super::$of_one::$one::NAME,)*
                    $($(Self::$unary => super::$file::$unary::NAME,)?)*
                }
            }

            /// Returns the range of the result.
            pub(crate) fn range(self, x: Range) -> Range {
                match self {
                    $(Self::$one => super::$of_one::$one::range(x),)*
                    $($(Self::$unary => super::$file::$unary::range(x),)?)*
                }
            }

            /// Returns the result in double precision.
            #[inline]
            pub(crate) fn of(self, x: f64) -> f64 {
                match self {
                    $(Self::$one => super::$of_one::$one::reference(x),)*
                    $($(Self::$unary => super::$file::$unary::reference(x),)?)*
                }
            }

            /// Returns the node of the derivative.
            pub(crate) fn slope(self, program: &mut Program, value: Id, x: Id) -> Id {
                match self {
                    $(Self::$one => super::$of_one::$one::slope(program, value, x),)*
                    $($(Self::$unary => super::$file::$unary::slope(program, value, x),)?)*
                }
            }

            /// Computes the result on the CPU, or writes the instructions of a GPU kernel that compute it.
            #[inline(always)]
            pub(crate) fn compute<N: Operations>(self, x: N) -> N {
                match self {
                    $(Self::$one => super::$of_one::$one::compute(x),)*
                    $($(Self::$unary => super::$file::$unary::compute(x),)?)*
                }
            }
        }

        impl Binary {
            /// Returns the name of the operation in listings.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$two => super::$of_two::$two::NAME,)*
                    $($(Self::$binary => super::$file::$binary::NAME,)?)*
                }
            }

            /// Returns the range of the result.
            pub(crate) fn range(self, a: Range, b: Range) -> Range {
                match self {
                    $(Self::$two => super::$of_two::$two::range(a, b),)*
                    $($(Self::$binary => super::$file::$binary::range(a, b),)?)*
                }
            }

            /// Returns the result in double precision.
            #[inline]
            pub(crate) fn of(self, a: f64, b: f64) -> f64 {
                match self {
                    $(Self::$two => super::$of_two::$two::reference(a, b),)*
                    $($(Self::$binary => super::$file::$binary::reference(a, b),)?)*
                }
            }

            /// Returns the node of the derivative with respect to the first or the second operand.
            pub(crate) fn slope(
                self,
                program: &mut Program,
                value: Id,
                operands: [Id; 2],
                by_first: bool,
            ) -> Id {
                match self {
                    $(Self::$two => super::$of_two::$two::slope(program, value, operands, by_first),)*
                    $($(Self::$binary => super::$file::$binary::slope(program, value, operands, by_first),)?)*
                }
            }

            /// Computes the result on the CPU, or writes the instructions of a GPU kernel that compute it.
            #[inline(always)]
            pub(crate) fn compute<N: Operations>(self, a: N, b: N) -> N {
                match self {
                    $(Self::$two => super::$of_two::$two::compute(a, b),)*
                    $($(Self::$binary => super::$file::$binary::compute(a, b),)?)*
                }
            }
        }
    };
}
functions!(dispatch);
