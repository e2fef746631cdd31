use crate::track_map::{TrackMap, TrackMapOptions};
use arcuate_core::{Grid, Result, StreamlineBatch, StreamlineSink, Volume};

/// Counts the streamlines in each voxel. The result is the [`TrackMap`] of
/// [`Counts`](crate::TrackContrast::Counts).
#[derive(Debug, Clone)]
pub struct TrackDensity(TrackMap);

impl TrackDensity {
    /// Creates an empty map of streamline density, in which every streamline counts once.
    pub fn new(grid: Grid) -> Self {
        Self(TrackMap::unweighted(&grid, TrackMapOptions::default()))
    }

    /// Creates an empty map of streamline density, in which streamline `n`, counted from 0 over all batches,
    /// counts `weights[n]` times. Returns an error if a weight is not finite.
    pub fn weighted(grid: Grid, weights: Vec<f64>) -> Result<Self> {
        TrackMap::new(grid, TrackMapOptions::default(), Some(weights)).map(Self)
    }

    /// Returns the map: the number of streamlines in each voxel, or the sum of their weights. Numbers of
    /// streamlines are exact up to 2²⁴. Returns an error if there are more weights than streamlines.
    pub fn into_volume(self) -> Result<Volume<f32>> {
        self.0.into_volume()
    }
}

impl StreamlineSink for TrackDensity {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        self.0.take(batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Tractogram};

    fn three() -> (Grid, Tractogram) {
        let grid = Grid::new([5, 4, 3], Affine::scaling([2.0; 3], [-4.0, -3.0, -2.0])).unwrap();
        let mut t = Tractogram::new();
        // The streamline passes through a whole row of voxels and returns. It counts once in each voxel.
        t.push(&[[-40.0, -3.0, -2.0], [40.0, -3.0, -2.0], [-4.0, -3.0, -2.0]]);
        // The streamline has two points, which are far from each other, with four voxels between them.
        t.push(&[[-4.0, -3.0, 0.0], [2.0, -3.0, 0.0]]);
        t.push(&[]);
        t.push(&[[0.0, 1.0, 2.0]]);
        t.push(&[[90.0, 90.0, 90.0], [99.0, 90.0, 90.0]]);
        (grid, t)
    }

    #[test]
    fn each_streamline_counts_once_per_voxel() {
        let (grid, t) = three();
        let mut density = TrackDensity::new(grid);
        density.take(t.as_batch()).unwrap();
        let volume = density.into_volume().unwrap();
        assert_eq!(&volume.values()[..5], [1.0; 5]);
        let second = grid.index([0, 0, 1]);
        assert_eq!(&volume.values()[second..second + 5], [1.0, 1.0, 1.0, 1.0, 0.0]);
        assert_eq!(volume.values()[grid.index([2, 2, 2])], 1.0);
        assert_eq!(volume.values().iter().sum::<f32>(), 10.0);
    }

    #[test]
    fn weights_stay_with_their_streamlines_across_batches() {
        let (grid, t) = three();
        let weights = vec![0.5, 2.0, 7.0, 4.0, 9.0];
        let mut whole = TrackDensity::weighted(grid, weights.clone()).unwrap();
        whole.take(t.as_batch()).unwrap();
        let mut batches = TrackDensity::weighted(grid, weights.clone()).unwrap();
        let mut parts = TrackDensity::weighted(grid, weights).unwrap();
        for (n, streamline) in t.iter().enumerate() {
            let mut one = Tractogram::new();
            one.push(streamline);
            batches.take(one.as_batch()).unwrap();
            parts.take(t.as_batch().part(n..n + 1)).unwrap();
        }
        let whole = whole.into_volume().unwrap();
        assert_eq!(whole.values()[0], 0.5);
        assert_eq!(whole.values()[grid.index([0, 0, 1])], 2.0);
        assert_eq!(whole.values()[grid.index([2, 2, 2])], 4.0);
        assert_eq!(whole, batches.into_volume().unwrap());
        assert_eq!(whole, parts.into_volume().unwrap());
    }

    #[test]
    fn weights_must_be_finite_and_match_the_number_of_streamlines() {
        let (grid, t) = three();
        assert!(TrackDensity::weighted(grid, vec![1.0, f64::NAN]).is_err());
        let mut few = TrackDensity::weighted(grid, vec![1.0; 4]).unwrap();
        assert!(few.take(t.as_batch()).is_err());
        let mut many = TrackDensity::weighted(grid, vec![1.0; 6]).unwrap();
        many.take(t.as_batch()).unwrap();
        let message = many.into_volume().unwrap_err().to_string();
        assert_eq!(
            message,
            "streamline weights: there are 6 weights, but 5 streamlines; give one weight per streamline"
        );
    }
}
