use crate::{Point, Result};
use std::ops::Range;

/// A batch of whole streamlines on its way from where they are made or read to whoever needs them: a tractogram, a
/// file, a density map. Nothing has to hold all streamlines of a run at once.
///
/// Offsets ascend and count from the start of `positions`. They need neither begin at 0 nor end where `positions` does:
/// a batch may be a part of a larger one ([`part`](Self::part)), and points beside those that the offsets span belong
/// to streamlines that are not in it. Who needs the points of the batch takes [`points`](Self::points), who needs them
/// streamline by streamline takes [`iter`](Self::iter).
#[derive(Debug, Clone, Copy)]
pub struct Visits<'a> {
    /// Where each streamline begins in `positions`, and, last, where the last one ends.
    pub offsets: &'a [u64],
    /// Points in RAS mm: those of the streamlines, and perhaps others before and after.
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

    /// The points of the `n`-th streamline.
    ///
    /// # Panics
    /// Where there are not so many.
    pub fn streamline(&self, n: usize) -> &'a [Point] {
        &self.positions[self.offsets[n] as usize..self.offsets[n + 1] as usize]
    }

    /// Each streamline in turn.
    pub fn iter(&self) -> impl Iterator<Item = &'a [Point]> + use<'a> {
        let all = *self;
        (0..all.len()).map(move |n| all.streamline(n))
    }

    /// The points of the streamlines, one after the other, and no others.
    pub fn points(&self) -> &'a [Point] {
        match self.offsets {
            [first, .., last] => &self.positions[*first as usize..*last as usize],
            _ => &[],
        }
    }

    /// Where each streamline ends among points of which those of this batch begin at number `begin`: the offsets that a
    /// collector of batches adds to its own.
    pub fn ends_from(&self, begin: u64) -> impl Iterator<Item = u64> + use<'a> {
        let first = self.offsets.first().copied().unwrap_or(0);
        self.offsets.iter().skip(1).map(move |offset| begin + (offset - first))
    }

    /// The streamlines of `range`, counted from 0 in this batch, as a batch.
    ///
    /// # Panics
    /// Where the range goes beyond the streamlines.
    #[must_use]
    pub fn part(&self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.len(), "a part of other streamlines");
        if range.is_empty() {
            return Self { offsets: &[], ..*self };
        }
        Self { offsets: &self.offsets[range.start..=range.end], ..*self }
    }
}

/// Takes batches of streamlines, in order. How they are cut into batches, and whether a batch is a part of a larger
/// one, must not matter to what becomes of them.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tractogram;

    fn point(n: u16) -> Point {
        [f32::from(n), 0.0, 0.0]
    }

    #[test]
    fn a_part_has_its_own_streamlines_and_points_only() {
        let positions: Vec<Point> = (0..9).map(point).collect();
        // A point before the first streamline and two after the last.
        let visits = Visits { offsets: &[1, 3, 3, 7], positions: &positions };
        assert_eq!((visits.len(), visits.points()), (3, &positions[1..7]));
        assert_eq!(visits.ends_from(100).collect::<Vec<_>>(), [102, 102, 106]);

        let last = visits.part(1..3);
        assert_eq!((last.len(), last.points()), (2, &positions[3..7]));
        assert_eq!(last.iter().collect::<Vec<_>>(), [last.streamline(0), last.streamline(1)]);
        assert_eq!((last.streamline(0), last.streamline(1)), (&positions[3..3], &positions[3..7]));
        assert_eq!(last.ends_from(0).collect::<Vec<_>>(), [0, 4]);

        for none in [visits.part(1..1), Visits { offsets: &[4], positions: &positions }] {
            assert!(none.is_empty() && none.points().is_empty() && none.iter().next().is_none());
            assert_eq!(none.ends_from(5).next(), None);
        }
    }

    #[test]
    fn sinks_take_parts_as_they_take_the_whole() {
        let mut whole = Tractogram::new();
        for count in [3, 0, 1, 4] {
            whole.push(&(0..count).map(|n| point(10 * count + n)).collect::<Vec<_>>());
        }
        let mut sinks = (Tractogram::new(), Tractogram::new());
        let mut borrowed = &mut sinks;
        for range in [0..1, 1..1, 1..3, 3..4] {
            VisitSink::take(&mut borrowed, whole.as_visits().part(range)).unwrap();
        }
        assert_eq!(sinks, (whole.clone(), whole));
    }
}
