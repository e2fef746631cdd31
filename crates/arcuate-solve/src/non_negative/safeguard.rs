//! The safeguard against growing objectives.

/// The safeguard of Kim, Sra and Dhillon (2013, their Algorithm 2). A Barzilai–Borwein step may increase the
/// objective. The safeguard compares the objective at the start and at the end of a window of iterations. The
/// objective must have decreased by a fraction σ of the decrease that the gradient at the window's start
/// predicts. If it has not, all later steps are multiplied by η.
pub(super) struct Safeguard {
    /// The factor by which steps are multiplied (β in the paper of Kim, Sra and Dhillon 2013).
    pub(super) scale: f64,
    objective: f64,
}

impl Safeguard {
    /// Number of iterations in a window, which is the interval between two checks of the safeguard (M in the
    /// paper of Kim, Sra and Dhillon 2013).
    const WINDOW: usize = 20;
    /// Fraction of the predicted decrease that the objective must have decreased by (σ in the paper of Kim,
    /// Sra and Dhillon 2013).
    const DECREASE: f64 = 0.01;
    /// Factor by which later steps are multiplied if the objective has not decreased enough (η in the paper
    /// of Kim, Sra and Dhillon 2013).
    const SHRINK: f64 = 0.9;

    /// Creates a safeguard from the objective at the start of the first window.
    pub(super) fn new(objective: f64) -> Self {
        Self { scale: 1.0, objective }
    }

    /// Returns whether a window ends at an iteration.
    pub(super) fn is_due(iteration: usize) -> bool {
        iteration > 0 && iteration.is_multiple_of(Self::WINDOW)
    }

    /// Checks a window. `promised` is the decrease of the objective that the gradient at the start of the
    /// window predicts. If the result is true, a new window starts. If not, later steps are shorter, and the
    /// window continues.
    pub(super) fn accepts(&mut self, objective: f64, promised: f64) -> bool {
        let accepted = self.objective - objective >= Self::DECREASE * promised;
        if accepted {
            self.objective = objective;
        } else {
            self.scale *= Self::SHRINK;
        }
        accepted
    }
}
