//! How far the solves of a reconstruction are.

use arcuate_solve::QuadraticPoint;

/// Solves one after the other, of each channel and of each λ that is tried, as one way from start to end. Each counts as
/// long as if it took all the iterations it may: one that ends before them lets the rest of its way be skipped, so that the
/// share that is done does not fall.
pub(crate) struct Course {
    /// Iterations of a solve at most.
    iterations: usize,
    /// Solves at most.
    solves: usize,
    /// Solves that have begun.
    begun: usize,
}

impl Course {
    pub(crate) fn new(solves: usize, iterations: usize) -> Self {
        Self { iterations, solves, begun: 0 }
    }

    /// How many iterations are done, with this one.
    pub(crate) fn done(&mut self, point: &QuadraticPoint) -> u64 {
        // A solve that a GPU gave up begins once more.
        if point.iteration == 0 {
            self.begun = (self.begun + 1).min(self.solves);
        }
        let before = self.begun.saturating_sub(1).saturating_mul(self.iterations);
        before.saturating_add(point.iteration) as u64
    }

    /// How many they are at most.
    pub(crate) fn total(&self) -> u64 {
        self.solves.saturating_mul(self.iterations) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn solves_that_end_early_are_skipped_to_their_end() {
        let mut course = Course::new(3, 10);
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
        // A solve that was given up begins once more.
        assert_eq!((at(0), course.total()), (20, 30));
        assert_eq!(Course::new(3, usize::MAX).total(), u64::MAX);
    }
}
