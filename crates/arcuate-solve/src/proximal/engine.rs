//! The interface between the iteration of the solver FISTA and the vectors on a device (the CPU or GPUs).

/// The vectors of the solver FISTA on a device. They are the current unknowns x and the previous unknowns x′,
/// their residuals r = Ax − y, and their gradients q = Aᵀr. The extrapolated point is z = x + β(x − x′) with
/// the momentum β. The residual and the gradient at z are the same linear combination of those at x and x′.
pub(crate) trait Engine<T> {
    /// The error type of the device.
    type Error;

    /// Sets x = x′ = 0. It needs one product.
    fn begin(&mut self) -> Result<(), Self::Error>;

    /// Sets x and the previous x′ to the given vector. This method computes one product with A and one with
    /// Aᵀ.
    fn restart_at(&mut self, x: &[T]) -> Result<(), Self::Error>;

    /// Computes the proposed unknowns x⁺ = prox(z − t ∇f(z)) with the step length t, and their residual. This
    /// method computes one product with A.
    fn propose(&mut self, length: f64, momentum: f64) -> Result<Proposal, Self::Error>;

    /// Accepts the proposed unknowns x⁺: sets x′ ← x and x ← x⁺, and computes the gradient of the new x. This
    /// method computes one product with Aᵀ.
    fn accept(&mut self) -> Result<(), Self::Error>;

    /// Returns the current unknowns x, their residual r and their gradient q.
    fn state(&mut self) -> Result<State<T>, Self::Error>;
}

/// Sums that decide whether the proposed unknowns x⁺ are accepted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Proposal {
    /// The squared residual ‖Ax⁺ − y‖².
    pub(crate) residual: f64,
    /// The penalty R(x⁺).
    pub(crate) penalty: f64,
    /// The squared step ‖x⁺ − z‖².
    pub(crate) moved: f64,
    /// The squared norm of the product of A with the step, ‖A(x⁺ − z)‖².
    pub(crate) image: f64,
    /// The inner product ⟨z − x⁺, x⁺ − x⟩. If it is positive, the momentum moves the unknowns uphill.
    pub(crate) turn: f64,
    /// Number of non-zero unknowns in x⁺.
    pub(crate) support: usize,
}

/// An iterate of FISTA on the host.
#[derive(Debug, Clone)]
pub(crate) struct State<T> {
    pub(crate) x: Vec<T>,
    pub(crate) residual: Vec<T>,
    pub(crate) gradient: Vec<T>,
}
