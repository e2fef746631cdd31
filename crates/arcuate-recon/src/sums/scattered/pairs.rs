//! The input of sums between pairs of positions, and the choice of sine and cosine functions.

/// The sine and cosine functions that a GPU uses in single precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Functions {
    /// The functions of the GPU's special function units, accurate to 7e-7.
    #[default]
    Hardware,
    /// Arcuate's own sine and cosine functions, accurate to one unit in the last place.
    Own,
}

/// Input positions and output positions of sums over pairs of positions.
pub struct Pairs<'a> {
    pub(in crate::sums) from: &'a [[f64; 3]],
    pub(in crate::sums) to: &'a [[f64; 3]],
    pub(in crate::sums) sign: f64,
    pub(in crate::sums) factor: f64,
    pub(in crate::sums) functions: Functions,
}
