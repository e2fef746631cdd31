//! Linear operators that are composed of other operators: products, sums, multiples, stacks, diagonals, and
//! operators without some of their columns.
//!
//! A composed operator owns or borrows the operators of which it consists. If `A` is an operator, so are `&A`
//! and `Box<A>`. Operators of different types are passed as `&dyn LinearOperator<T>` or `Box<dyn
//! LinearOperator<T>>`. If their sizes do not match, this is a programming error, and the constructor panics,
//! as elsewhere in this crate.
//!
//! Complex vectors are stored as real numbers (real part, imaginary part, …). An operator for complex vectors
//! of length n is thus a real operator for vectors of length 2n, whose transpose Aᵀ is the conjugate
//! transpose. Some real operators treat all numbers equally ([`Identity`], and [`Scaled`] versions of it),
//! and can also be used for complex vectors. [`ComplexDiagonal`] multiplies by complex numbers.
//!
//! The method `normal` (the product with AᵀA) of a composed operator uses the `normal` of its operators if
//! possible. This is possible for multiples, for vertical stacks, for the last operator of a product, and for
//! operators without some columns. A composed operator is never on GPUs as a whole, but the operators of
//! which it consists may compute products there.

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
