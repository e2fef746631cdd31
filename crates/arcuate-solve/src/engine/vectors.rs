//! The vectors of a solver: their names and their numbers.

/// A vector of a solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vector {
    /// The n-th vector of unknowns.
    Unknowns(usize),
    /// The n-th vector of data. If there are several GPUs, each has some of the data, and all unknowns.
    Data(usize),
    /// The vector that defines the problem, and that no pass changes: the data y or, for conjugate gradients,
    /// the right side Aᵀy.
    Given,
    /// The last product with Aᵀ, which only one pass may read. On GPUs, it is more precise than a vector.
    Product,
    /// A vector of zeros, which passes may read.
    Zero,
}

/// Numbers of vectors of unknowns, of vectors of data, and of sums that a solver has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) unknowns: usize,
    pub(crate) data: usize,
    pub(crate) sums: usize,
}
