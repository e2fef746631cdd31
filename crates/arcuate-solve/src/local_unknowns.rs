use crate::Real;

/// An operator with local unknowns. A local unknown affects the data of one voxel only. For given shared
/// unknowns, the best local unknowns are the solutions of small independent problems.
pub trait LocalUnknowns<T: Real>: Sync {
    /// Returns the number of shared unknowns. They are the first unknowns of the operator.
    fn shared(&self) -> usize;

    /// Returns the number of products with A or Aᵀ that [`minimise`](Self::minimise) computes for all unknowns.
    fn products(&self) -> usize;

    /// Minimises ½‖A `unknowns` − `data`‖² over the local unknowns, which are ≥ 0. Sets the local unknowns, and
    /// sets `gradient` to the gradient at the minimum for all unknowns. Returns the minimum. The search starts
    /// at the given local unknowns.
    fn minimise(&self, data: &[T], unknowns: &mut [T], gradient: &mut [T]) -> f64;
}
