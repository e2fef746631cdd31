//! The interface between the iteration of FISTA and the device that holds its vectors.

/// The vectors of FISTA on a device. It holds the current iterate x and the previous one x′, their residuals
/// r = Ax − y, and their gradients q = Aᵀr. The extrapolated point is z = x + β(x − x′). Its residual and
/// gradient are the same combination of those of x and x′.
pub(crate) trait Engine<T> {
    /// The error type of the device.
    type Error;

    /// Sets x = x′ = 0. It needs one product.
    fn begin(&mut self) -> Result<(), Self::Error>;

    /// Sets x = x′ to the given vector. It needs two products.
    fn restart_at(&mut self, x: &[T]) -> Result<(), Self::Error>;

    /// Computes x⁺ = prox(z − t ∇f(z)) with step length t, and the residual of x⁺. It needs one product.
    fn propose(&mut self, length: f64, momentum: f64) -> Result<Proposal, Self::Error>;

    /// Sets x′ ← x and x ← x⁺, and computes the gradient of the new x. It needs one product.
    fn accept(&mut self) -> Result<(), Self::Error>;

    /// Returns the current iterate: x, r and q.
    fn state(&mut self) -> Result<State<T>, Self::Error>;
}

/// Sums that decide whether the proposal x⁺ is accepted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Proposal {
    /// The squared residual ‖Ax⁺ − y‖².
    pub(crate) residual: f64,
    /// The penalty R(x⁺).
    pub(crate) penalty: f64,
    /// The squared step ‖x⁺ − z‖².
    pub(crate) moved: f64,
    /// The squared image of the step, ‖A(x⁺ − z)‖².
    pub(crate) image: f64,
    /// The inner product ⟨z − x⁺, x⁺ − x⟩. If it is positive, the momentum points uphill.
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
