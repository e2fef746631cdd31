//! Progress of all solves of a reconstruction: one number of finished iterations for all of them.

use arcuate_solve::QuadraticPoint;

/// Adds up the iterations of consecutive solves: one solve for each channel and each trial value of λ. Each
/// solve counts as its maximum number of iterations. If a solve stops earlier, its remaining iterations count
/// as finished, so that the fraction of finished work does not decrease.
pub(crate) struct SolveProgress {
    /// Maximum number of iterations per solve.
    iterations: usize,
    /// Maximum number of solves of the reconstruction.
    solves: usize,
    /// Number of solves that have started.
    started_solves: usize,
}

impl SolveProgress {
    pub(crate) fn new(solves: usize, iterations: usize) -> Self {
        Self { iterations, solves, started_solves: 0 }
    }

    /// Returns the number of finished iterations of all solves so far, including this iteration.
    pub(crate) fn done(&mut self, point: &QuadraticPoint) -> u64 {
        // If a solve fails on a GPU, it is started again on the CPU, with iteration 0.
        if point.iteration == 0 {
            self.started_solves = (self.started_solves + 1).min(self.solves);
        }
        let before = self.started_solves.saturating_sub(1).saturating_mul(self.iterations);
        before.saturating_add(point.iteration) as u64
    }

    /// Returns the maximum number of iterations of all solves.
    pub(crate) fn total(&self) -> u64 {
        self.solves.saturating_mul(self.iterations) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn early_convergence_advances_progress_to_the_end_of_the_solve() {
        let mut course = SolveProgress::new(3, 10);
        let mut at = |iteration: usize| {
            let point = QuadraticPoint {
                iteration,
                products: iteration,
                objective: 0.0,
                residual: 1.0,
                elapsed: Duration::ZERO,
            };
            course.done(&point)
        };
        let done: Vec<u64> = [0, 1, 2, 0, 0, 10].into_iter().map(&mut at).collect();
        assert_eq!(done, [0, 1, 2, 10, 20, 30]);
        // A solve that failed on a GPU is started again with iteration 0.
        assert_eq!((at(0), course.total()), (20, 30));
        assert_eq!(SolveProgress::new(3, usize::MAX).total(), u64::MAX);
    }
}
