use crate::Shape;

/// The spectrum of q: the transfer function of a trajectory's FᴴF. It is computed once, can be stored in a file, and
/// applies to every scan with this trajectory.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel<T> {
    pub(super) shape: Shape,
    /// Lengths of the doubled grid.
    pub(super) lengths: [usize; 3],
    /// Identifies the input: see [`Kernel::fingerprint_of`].
    pub(super) fingerprint: [u8; 32],
    /// [x][y][z], z fastest, including the factor of both transforms.
    pub(super) spectrum: Vec<T>,
}
