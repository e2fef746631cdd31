//! What single streamlines meet, for those who count in ways of their own.

use super::elements::{Met, MetElements, Prepared, Rules};
use arcuate_core::{Point, Result};

/// Finds what streamlines meet, one at a time, on the processor.
pub struct ElementFinder<'a>(Prepared<'a>);

impl<'a> ElementFinder<'a> {
    /// For streamlines of steps of at most `step_mm`; longer ones take longer.
    ///
    /// Fails where surfaces lie so far apart that no cells hold them.
    pub fn new(elements: &'a MetElements, step_mm: f64) -> Result<Self> {
        Prepared::new(elements, step_mm).map(Self)
    }

    /// The elements that a streamline meets, ascending, whose seed is its point of this number; the seed itself does not count.
    /// Beside each are the steps from the seed, as [`MetElements`] says, those of the half to the first point below 0.
    pub fn met_by(&self, line: &[Point], seed: usize) -> Vec<(u32, i32)> {
        let met = self.0.met_by(line, seed, Rules::default());
        met.into_iter().map(|Met { element, steps }| (element, steps)).collect()
    }
}
