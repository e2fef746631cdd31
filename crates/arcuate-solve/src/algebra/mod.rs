//! Operators made of operators: compositions, sums, multiples, stacks, diagonals, and what is left without some
//! columns.
//!
//! Each owns its parts, or borrows them: `&A` and `Box<A>` are operators where `A` is one, so that parts of different
//! kinds come as `&dyn LinearOperator<T>` or `Box<dyn LinearOperator<T>>`. Parts that do not fit each other are a fault
//! of the program that puts them together: as elsewhere in this crate a constructor panics, and says when.
//!
//! Complex vectors are interleaved reals, so that an operator between them is one between reals of twice the length,
//! and its transpose Aᵀ as such is the conjugate transpose. Real operators that act on each number alike
//! ([`Identity`], [`Scaled`] ones) are complex operators too; [`ComplexDiagonal`] multiplies with complex numbers.
//!
//! `normal` takes the parts' own where these make up the whole one: of a multiple, of a stack of rows, of what comes
//! last in a composition, without columns. None of these operators lies on GPUs as a whole; parts that do still compute
//! their own products there.

mod composition;
mod diagonal;
mod scaled;
mod scratch;
mod stack;
mod sum;
#[cfg(test)]
mod test_matrix;
mod transposed;
mod without_columns;

pub use composition::Composition;
pub use diagonal::{ComplexDiagonal, Diagonal, Identity};
pub use scaled::Scaled;
pub use stack::{HorizontalStack, VerticalStack};
pub use sum::Sum;
pub use transposed::Transposed;
pub use without_columns::WithoutColumns;
