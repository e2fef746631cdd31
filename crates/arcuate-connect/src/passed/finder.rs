//! Finds the elements of single streamlines, for callers that count streamlines themselves.

use super::elements::{Passed, PassedElements, Prepared, Rules};
use arcuate_core::{Point, Result};

/// Finds the elements that streamlines pass, one streamline at a time, on the CPU.
pub struct ElementFinder<'a>(Prepared<'a>);

impl<'a> ElementFinder<'a> {
    /// Prepares the elements for streamlines with steps of at most `step_mm`. Longer steps are allowed, but
    /// need more time.
    ///
    /// Returns an error if surfaces are so far apart that the grid of cells would be too large.
    pub fn new(elements: &'a PassedElements, step_mm: f64) -> Result<Self> {
        Prepared::new(elements, step_mm).map(Self)
    }

    /// Returns the elements that a streamline passes, ascending, each with its number of steps from the seed
    /// (see [`PassedElements`]). The number is negative for elements on the way to the first point. `seed` is
    /// the index of the seed point, which does not count.
    pub fn met_by(&self, line: &[Point], seed: usize) -> Vec<(u32, i32)> {
        let met = self.0.met_by(line, seed, Rules::default());
        met.into_iter().map(|Passed { element, steps }| (element, steps)).collect()
    }
}
