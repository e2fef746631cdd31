use crate::{Point, Result};

/// A batch of whole streamlines on its way from where they are made or read to whoever needs them: a tractogram, a
/// file, a density map. Nothing has to hold all streamlines of a run at once.
#[derive(Debug, Clone, Copy)]
pub struct Visits<'a> {
    /// Where each streamline begins in `positions`, and, last, where the last one ends.
    pub offsets: &'a [u64],
    /// Points in RAS mm.
    pub positions: &'a [Point],
}

impl<'a> Visits<'a> {
    /// Number of streamlines.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Each streamline in turn.
    pub fn iter(&self) -> impl Iterator<Item = &'a [Point]> + use<'a> {
        let positions = self.positions;
        self.offsets.windows(2).map(move |pair| &positions[pair[0] as usize..pair[1] as usize])
    }
}

/// Takes batches of streamlines, in order.
pub trait VisitSink {
    /// Takes one batch; an error ends the run.
    fn take(&mut self, visits: Visits<'_>) -> Result<()>;
}

/// Two sinks that see the same streamlines.
impl<A: VisitSink, B: VisitSink> VisitSink for (A, B) {
    fn take(&mut self, visits: Visits<'_>) -> Result<()> {
        self.0.take(visits)?;
        self.1.take(visits)
    }
}

impl<S: VisitSink + ?Sized> VisitSink for &mut S {
    fn take(&mut self, visits: Visits<'_>) -> Result<()> {
        (**self).take(visits)
    }
}
