//! Finds the elements that a single streamline passes, for callers that count streamlines themselves.

use super::elements::{Passed, PassedElements, Prepared, Rules};
use arcuate_core::{Point, Result};

/// Finds the voxels, vertices and regions (elements) that streamlines pass, one streamline at a time, on the
/// CPU.
pub struct ElementFinder<'a>(Prepared<'a>);

impl<'a> ElementFinder<'a> {
    /// Prepares the elements for the search. The search is fastest for streamlines with steps of at most
    /// `step_mm`. Longer steps are allowed, but need more time.
    ///
    /// Returns an error if surfaces are so far apart that the grid of cells for the search would be too
    /// large.
    pub fn new(elements: &'a PassedElements, step_mm: f64) -> Result<Self> {
        Prepared::new(elements, step_mm).map(Self)
    }

    /// Returns the elements that a streamline passes (see [`PassedElements`]), in ascending order. For each
    /// element, also returns the number of steps from the seed to the element. This number is negative if the
    /// half with the streamline's first point passes the element. `seed` is the index of the seed point,
    /// which does not count.
    pub fn met_by(&self, line: &[Point], seed: usize) -> Vec<(u32, i32)> {
        let met = self.0.met_by(line, seed, Rules::default());
        met.into_iter().map(|Passed { element, steps }| (element, steps)).collect()
    }
}
