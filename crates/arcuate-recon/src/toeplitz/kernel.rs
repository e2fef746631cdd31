use crate::Shape;

/// The spectrum of the kernel q: the transfer function of a trajectory's FᴴF. It is computed once, can be
/// stored in a file, and applies to every scan with this trajectory.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel<T> {
    pub(super) shape: Shape,
    /// Numbers of points of the doubled grid along each axis.
    pub(super) lengths: [usize; 3],
    /// Checksum that identifies the trajectory and the other input. See [`Kernel::fingerprint_of`].
    pub(super) fingerprint: [u8; 32],
    /// The spectrum on the doubled grid, indexed [x][y][z] with z fastest. It includes the scaling factors of
    /// the forward and the inverse transform.
    pub(super) spectrum: Vec<T>,
}
