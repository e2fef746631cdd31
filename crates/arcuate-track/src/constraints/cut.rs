//! Truncates existing streamlines at regions to stop in, and at regions to stop at when leaving.

use super::placed::PlacedConstraints;
use arcuate_core::{Result, StreamlineBatch, StreamlineSink, Tractogram};
use rayon::prelude::*;

/// Sink that truncates streamlines at the regions that stop them ([`PlacedConstraints::points_left`]). It
/// passes the truncated streamlines, with the data of their remaining points, to another sink. At least the
/// first point of each streamline remains.
#[derive(Debug)]
pub struct StreamlineCut<'a, S> {
    constraints: &'a PlacedConstraints,
    sink: S,
    /// A batch with truncated streamlines.
    shortened: Tractogram,
    cut: u64,
}

impl<'a, S: StreamlineSink> StreamlineCut<'a, S> {
    /// Creates the sink. Truncated streamlines go to `sink`.
    pub fn new(constraints: &'a PlacedConstraints, sink: S) -> Self {
        Self { constraints, sink, shortened: Tractogram::new(), cut: 0 }
    }

    /// Returns the number of truncated streamlines, and the sink that received them.
    pub fn into_parts(self) -> (u64, S) {
        (self.cut, self.sink)
    }
}

impl<S: StreamlineSink> StreamlineSink for StreamlineCut<'_, S> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        if !self.constraints.cut_lines() {
            return self.sink.take(batch);
        }
        let left = |n: usize| self.constraints.points_left(batch.streamline(n));
        let left: Vec<usize> = (0..batch.len()).into_par_iter().with_min_len(64).map(left).collect();
        let cut = batch.iter().zip(&left).filter(|(line, left)| line.len() > **left).count();
        if cut == 0 {
            return self.sink.take(batch);
        }
        self.cut += cut as u64;
        self.shortened.clear();
        for (n, left) in left.into_iter().enumerate() {
            let mut line = batch.part(n..n + 1);
            let ends = [line.offsets[0], line.offsets[0] + left as u64];
            line.offsets = &ends;
            self.shortened.take(line)?;
        }
        self.sink.take(self.shortened.as_batch().from_number(batch.first))
    }
}

#[cfg(test)]
mod tests {
    use super::super::regions::{Constraints, Region};
    use super::*;
    use arcuate_core::{Affine, Column, Grid, Mask, Point, Scalars};

    /// Creates a region of the voxels whose index along x is in the range `x`. The voxels are 1 mm wide.
    fn region(x: std::ops::Range<usize>) -> Region {
        let grid = Grid::new([10, 1, 1], Affine::identity()).unwrap();
        let mask = Mask::new(grid, (0..10).map(|voxel| x.contains(&voxel)).collect()).unwrap();
        Region::of_mask(&format!("{x:?}"), mask, None)
    }

    fn along(x: impl Iterator<Item = u8>) -> Vec<Point> {
        x.map(|x| [f32::from(x), 0.0, 0.0]).collect()
    }

    fn lines() -> Tractogram {
        let mut lines = Tractogram::new();
        lines.push(&along(0..8));
        lines.push(&[]);
        lines.push(&along((0..6).rev()));
        lines.push(&along(8..10));
        lines.per_point.insert("p".into(), Column::new(1, Scalars::U8((0..16).collect())).unwrap());
        lines.per_streamline.insert("n".into(), Column::new(1, Scalars::U8((0..4).collect())).unwrap());
        lines
    }

    fn cut(constraints: &Constraints, parts: &[usize]) -> (u64, Tractogram) {
        let (placed, whole) = (constraints.place().unwrap(), lines());
        let mut cut = StreamlineCut::new(&placed, Tractogram::new());
        for ends in parts.windows(2) {
            cut.take(whole.as_batch().part(ends[0]..ends[1])).unwrap();
        }
        cut.into_parts()
    }

    #[test]
    fn truncated_streamlines_keep_their_data() {
        // A streamline is truncated at its first point inside the region; the first point of the streamline
        // does not count.
        let stop = Constraints { stop: vec![region(3..6)], ..Constraints::default() };
        let (count, left) = cut(&stop, &[0, 4]);
        assert_eq!((count, left.offsets()), (2, &[0, 4, 4, 6, 8][..]));
        assert_eq!(left.per_point["p"].values().to_f64(), [0.0, 1.0, 2.0, 3.0, 8.0, 9.0, 14.0, 15.0]);
        assert_eq!(left.per_streamline["n"].values().to_f64(), [0.0, 1.0, 2.0, 3.0]);
        // A streamline that entered the region is truncated before its first point outside.
        let exit = Constraints { stop_on_exit: vec![region(3..6)], ..Constraints::default() };
        let (count, left) = cut(&exit, &[0, 4]);
        assert_eq!((count, left.offsets()), (1, &[0, 6, 6, 12, 14][..]));
        for parts in [&[0, 1, 1, 4][..], &[0, 2, 3, 4]] {
            assert_eq!(cut(&exit, parts), (1, left.clone()));
        }
        assert_eq!(cut(&Constraints::default(), &[0, 4]), (0, lines()));
    }
}
