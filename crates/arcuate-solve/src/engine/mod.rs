//! The vectors of solvers, on the CPU or on GPUs. A solver is written once for an [`Engine`]. It describes its
//! element-wise operations as passes ([`pass!`]), which run on the CPU or are written as GPU kernels. A new
//! solver thus needs no kernels.
//!
//! Sums over vectors are in double precision and on the host. A solver therefore makes the same decisions on
//! every device, up to rounding.

mod cpu;
mod cuda;
mod description;
mod normal;
mod pass;
mod split;
#[cfg(test)]
mod tests;
mod vectors;
mod written;

pub(crate) use cpu::CpuEngine;
pub(crate) use cuda::Device;
pub(crate) use description::pass;
pub(crate) use pass::{Pass, if_zero, is_positive};
pub(crate) use split::SplitEngine;
pub(crate) use vectors::{Layout, Vector};
pub(crate) use written::variants;

use crate::Real;

/// The vectors of a solver on a device. All are 0 at first.
pub(crate) trait Engine<T: Real> {
    /// The error type of the device.
    type Error;

    /// Runs a pass. Its sums are stored from position `sums` on, followed by the largest magnitude if the pass
    /// computes it. If `sums` is `None`, they are not needed.
    fn pass<P, const W: usize, const R: usize, const K: usize, const S: usize>(
        &mut self,
        pass: P,
        scalars: [f64; K],
        changed: [Vector; W],
        read: [Vector; R],
        sums: Option<usize>,
    ) -> Result<(), Self::Error>
    where
        P: Pass<W, R, K, S>;

    /// Returns all sums. The CPU waits for the passes that compute them.
    fn sums(&mut self) -> Result<Vec<f64>, Self::Error>;

    /// Copies values to a vector of unknowns.
    fn set(&mut self, to: Vector, values: &[T]) -> Result<(), Self::Error>;

    /// Returns the values of a vector.
    fn get(&self, from: Vector) -> Result<Vec<T>, Self::Error>;

    /// Copies a vector to another one.
    fn copy(&mut self, from: Vector, to: Vector) -> Result<(), Self::Error>;
}

/// The vectors of a solver that needs products with A and Aᵀ.
pub(crate) trait Products<T: Real>: Engine<T> {
    /// Sets `data` = A `x`.
    fn forward(&mut self, x: Vector, data: Vector) -> Result<(), Self::Error>;

    /// Computes Aᵀ `data`, which becomes [`Vector::Product`]. The largest magnitude of the data must be at
    /// position `largest` of the sums.
    fn adjoint(&mut self, data: Vector, largest: usize) -> Result<(), Self::Error>;

    /// Sets `into` to the last product with Aᵀ, rounded to the precision of the vectors.
    fn take(&mut self, into: Vector) -> Result<(), Self::Error>;

    /// Computes u = A `x`. If there is a vector `added_to`, u is added to it, and the content of `image` is
    /// undefined. If not, `image` is set to u. Stores ‖u‖² and the squared norm of the changed vector from
    /// position `sums` on. If the position `largest` of the largest magnitude of `x` is given, Aᵀu becomes
    /// [`Vector::Product`].
    fn image(
        &mut self,
        x: Vector,
        image: Vector,
        added_to: Option<Vector>,
        largest: Option<usize>,
        sums: usize,
    ) -> Result<(), Self::Error>;

    /// Shrinks the norm of `x` in each group of the penalty by the proximal map of `length` times the penalty.
    /// Stores the penalty Σ_g λ_g ‖x_g‖ after that at position `sums`.
    fn shrink_groups(&mut self, x: Vector, length: f64, sums: usize) -> Result<(), Self::Error>;
}

/// The vectors of a solver that needs products with AᵀA, and with WᵀW of a penalty ‖Wx‖².
pub(crate) trait Normal<T: Real>: Engine<T> {
    /// Sets `out` = AᵀA `x`.
    fn normal(&mut self, x: Vector, out: Vector) -> Result<(), Self::Error>;

    /// Sets `out` = WᵀW `x`. Returns false if W is the identity, and does nothing then.
    fn penalty_normal(&mut self, x: Vector, out: Vector) -> Result<bool, Self::Error>;

    /// Returns the penalty ‖W`x`‖², for the given ‖`x`‖². A GPU uses the vector `scratch` and the position `sum`
    /// of the sums.
    fn penalty(&mut self, x: Vector, scratch: Vector, x_squared: f64, sum: usize)
    -> Result<f64, Self::Error>;
}

pass! {
    /// Sum: the inner product of two vectors.
    fn solver_dot(_, [], [], [a, b]) {} -> [], sums [a * b], like_dot;

    /// Rounds the last product with Aᵀ to the precision of the vectors.
    fn solver_take(_, [], [_], [q]) {} -> [q], sums [];
}
