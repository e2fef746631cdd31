//! Finds the elements of single streamlines, for callers with their own counts.

use super::elements::{Passed, PassedElements, Prepared, Rules};
use arcuate_core::{Point, Result};

/// Finds the elements that streamlines pass, one streamline at a time, on the CPU.
pub struct ElementFinder<'a>(Prepared<'a>);

impl<'a> ElementFinder<'a> {
    /// Prepares for streamlines with steps of at most `step_mm`. Longer steps need more time.
    ///
    /// Returns an error if surfaces are too far apart for cells.
    pub fn new(elements: &'a PassedElements, step_mm: f64) -> Result<Self> {
        Prepared::new(elements, step_mm).map(Self)
    }

    /// Returns the elements that a streamline passes, ascending, with the numbers of steps from the seed (see
    /// [`PassedElements`]); negative in the half to the first point. `seed` is the index of the seed point, which does not
    /// count.
    pub fn met_by(&self, line: &[Point], seed: usize) -> Vec<(u32, i32)> {
        let met = self.0.met_by(line, seed, Rules::default());
        met.into_iter().map(|Passed { element, steps }| (element, steps)).collect()
    }
}
