//! Interface between the iteration and the device that holds the vectors.

/// Holds the vectors of the solver: the iterates x and x′ (the previous one), their residuals r = Ax − y and
/// gradients q = Aᵀr. Residual and gradient of the extrapolated point z = x + β(x − x′) are the same
/// combination of theirs.
pub(crate) trait Engine<T> {
    /// The error of a device.
    type Error;

    /// Sets x = x′ = 0; one product.
    fn begin(&mut self) -> Result<(), Self::Error>;

    /// Sets x = x′ to the given vector; two products.
    fn restart_at(&mut self, x: &[T]) -> Result<(), Self::Error>;

    /// Computes x⁺ = prox(z − t ∇f(z)) with step length t, and its residual; one product.
    fn propose(&mut self, length: f64, momentum: f64) -> Result<Proposal, Self::Error>;

    /// x′ ← x, x ← x⁺, and computes its gradient; one product.
    fn accept(&mut self) -> Result<(), Self::Error>;

    /// x, r and q.
    fn state(&mut self) -> Result<State<T>, Self::Error>;
}

/// The sums that decide whether x⁺ is accepted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Proposal {
    /// ‖Ax⁺ − y‖².
    pub(crate) residual: f64,
    /// R(x⁺).
    pub(crate) penalty: f64,
    /// ‖x⁺ − z‖².
    pub(crate) moved: f64,
    /// ‖A(x⁺ − z)‖².
    pub(crate) image: f64,
    /// ⟨z − x⁺, x⁺ − x⟩.
    pub(crate) turn: f64,
    /// Number of non-zero unknowns of x⁺.
    pub(crate) support: usize,
}

/// An iterate on the host.
#[derive(Debug, Clone)]
pub(crate) struct State<T> {
    pub(crate) x: Vec<T>,
    pub(crate) residual: Vec<T>,
    pub(crate) gradient: Vec<T>,
}
