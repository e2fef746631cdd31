//! What is summed, and by whose functions.

/// Whose sine and cosine a GPU takes in single precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Functions {
    /// Those of its special function units, within 7e-7.
    #[default]
    Hardware,
    /// Ours, within a unit of the last place.
    Own,
}

/// What is summed over and for.
pub struct Pairs<'a> {
    pub(in crate::sums) from: &'a [[f64; 3]],
    pub(in crate::sums) to: &'a [[f64; 3]],
    pub(in crate::sums) sign: f64,
    pub(in crate::sums) factor: f64,
    pub(in crate::sums) functions: Functions,
}
