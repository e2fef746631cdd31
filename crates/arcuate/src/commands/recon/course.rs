//! How far the solves of a reconstruction are.

use arcuate_solve::QuadraticPoint;

/// Solves one after the other, of each channel and of each λ that is tried, as one way from start to end. Each counts as
/// long as if it took all the iterations it may: one that ends before them lets the rest of its way be skipped, so that the
/// share that is done does not fall.
pub(super) struct Course {
    /// Iterations of a solve at most.
    iterations: usize,
    /// Solves at most.
    solves: usize,
    /// Solves that have begun.
    begun: usize,
}

impl Course {
    pub(super) fn new(solves: usize, iterations: usize) -> Self {
        Self { iterations, solves, begun: 0 }
    }

    /// How many iterations are done, with this one.
    pub(super) fn done(&mut self, point: &QuadraticPoint) -> u64 {
        // A solve that a GPU gave up begins once more.
        if point.iteration == 0 {
            self.begun = (self.begun + 1).min(self.solves);
        }
        let before = self.begun.saturating_sub(1).saturating_mul(self.iterations);
        before.saturating_add(point.iteration) as u64
    }

    /// How many they are at most.
    pub(super) fn total(&self) -> u64 {
        self.solves.saturating_mul(self.iterations) as u64
    }

    /// What is being done: which solve this is, where there are several.
    pub(super) fn name(&self) -> String {
        if self.solves == 1 {
            return "solve".to_owned();
        }
        format!("solve, {} of up to {}", self.begun, self.solves)
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
            (course.done(&point), course.name())
        };
        let done: Vec<u64> = [0, 1, 2, 0, 0, 10].into_iter().map(|iteration| at(iteration).0).collect();
        assert_eq!(done, [0, 1, 2, 10, 20, 30]);
        assert_eq!(at(10).1, "solve, 3 of up to 3");
        assert_eq!(at(0), (20, "solve, 3 of up to 3".to_owned()));
        assert_eq!((course.total(), Course::new(1, 10).name()), (30, "solve".to_owned()));
        assert_eq!(Course::new(3, usize::MAX).total(), u64::MAX);
    }
}
