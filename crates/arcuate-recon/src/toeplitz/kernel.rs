use crate::Shape;

/// The spectrum of q, the transform of one trajectory's FᴴF: made once, kept in a file, used for every scan along it.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel<T> {
    pub(super) shape: Shape,
    /// Lengths of the doubled grid.
    pub(super) lengths: [usize; 3],
    /// What it was made of: see [`Kernel::fingerprint_of`].
    pub(super) fingerprint: [u8; 32],
    /// [x][y][z], z fastest; with the factor of both transforms.
    pub(super) spectrum: Vec<T>,
}
