//! Operators that are composed of other operators: products, sums, multiples, stacks, diagonals, and
//! operators without some columns.
//!
//! A composed operator owns its parts or borrows them. If `A` is an operator, so are `&A` and `Box<A>`. Parts
//! of different types are passed as `&dyn LinearOperator<T>` or `Box<dyn LinearOperator<T>>`. Parts of
//! unequal size are a programming error, so that constructors panic, as elsewhere in this crate.
//!
//! Complex vectors are interleaved reals. An operator between them is a real operator of twice the length,
//! whose transpose Aᵀ is the conjugate transpose. Real operators that treat all numbers equally
//! ([`Identity`], [`Scaled`] ones) are also complex operators; [`ComplexDiagonal`] multiplies with complex
//! numbers.
//!
//! `normal` (the product with AᵀA) uses the `normal` of a part if possible. It is possible for multiples,
//! stacks of rows, the last operator of a composition, and operators without columns. No composed operator is
//! on GPUs as a whole, but its parts may compute products there.

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
