use crate::Shape;

/// The spectrum of the convolution kernel q, which describes the operator FᴴF of a trajectory (F is its
/// Fourier transform). It is computed once, can be stored in a file, and is valid for every scan with this
/// trajectory.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel<T> {
    pub(super) shape: Shape,
    /// Number of points of the doubled grid along each axis. It is at least 2n − 1 for n voxels.
    pub(super) lengths: [usize; 3],
    /// Checksum that identifies the trajectory, its weights, the image size and the precision. See
    /// [`Kernel::fingerprint_of`].
    pub(super) fingerprint: [u8; 32],
    /// The spectrum on the doubled grid, indexed [x][y][z] with z fastest. It includes the scale factors of
    /// the forward and of the inverse Fourier transform.
    pub(super) spectrum: Vec<T>,
}
