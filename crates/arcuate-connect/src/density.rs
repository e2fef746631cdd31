use arcuate_core::{Error, Grid, Result, VisitSink, Visits, Volume};
use rayon::prelude::*;

/// Counts, for each voxel, the streamlines that pass it: each streamline once per voxel, however often it returns and
/// however many points it has there (track density; Calamante, Tournier, Jackson and Connelly 2010,
/// doi:10.1016/j.neuroimage.2010.07.024, at the grid's own resolution).
///
/// Voxels are found by the exact walk along each segment, not by sampling points. Points outside the grid are ignored.
#[derive(Debug, Clone)]
pub struct TrackDensity {
    grid: Grid,
    weights: Option<Vec<f64>>,
    sums: Vec<f64>,
    /// Streamlines seen.
    taken: usize,
}

/// Streamlines whose voxels are kept in memory at once: enough to occupy the threads, some tens of megabytes.
const CHUNK: usize = 8192;

impl TrackDensity {
    /// Every streamline counts 1.
    pub fn new(grid: Grid) -> Self {
        Self { grid, weights: None, sums: vec![0.0; grid.len()], taken: 0 }
    }

    /// Streamline `n`, counted from 0 over all batches, counts `weights[n]`. Fails on weights that are not finite.
    pub fn weighted(grid: Grid, weights: Vec<f64>) -> Result<Self> {
        check_weights(&weights)?;
        Ok(Self { weights: Some(weights), ..Self::new(grid) })
    }

    /// Number (or sum of weights) of the streamlines in each voxel; counts are exact up to 2²⁴. Fails where there
    /// are weights for more streamlines than came.
    pub fn into_volume(self) -> Result<Volume<f32>> {
        check_all_used(self.weights.as_deref(), self.taken)?;
        Volume::new(self.grid, 1, self.sums.into_iter().map(|sum| sum as f32).collect())
    }
}

impl VisitSink for TrackDensity {
    fn take(&mut self, visits: Visits<'_>) -> Result<()> {
        check_enough(self.weights.as_deref(), self.taken + visits.len())?;
        for first in (0..visits.len()).step_by(CHUNK) {
            let chunk = first..(first + CHUNK).min(visits.len());
            let passed: Vec<Vec<usize>> = chunk
                .into_par_iter()
                .map(|n| {
                    let mut voxels = Vec::new();
                    self.grid.voxels_along(visits.streamline(n), &mut voxels);
                    voxels
                })
                .collect();
            // One after the other: the sums then do not depend on how the threads shared the work.
            for voxels in passed {
                let weight = self.weights.as_ref().map_or(1.0, |weights| weights[self.taken]);
                for voxel in voxels {
                    self.sums[voxel] += weight;
                }
                self.taken += 1;
            }
        }
        Ok(())
    }
}

/// Fails on weights that are not finite. Negative ones are allowed: a difference of two fits is a fair map.
pub(crate) fn check_weights(weights: &[f64]) -> Result<()> {
    match weights.iter().position(|weight| !weight.is_finite()) {
        Some(row) => {
            let problem = format!("the weight of streamline {row} is {}", weights[row]);
            Err(Error::invalid("streamline weights", problem, "give finite numbers"))
        }
        None => Ok(()),
    }
}

/// Fails where there are fewer weights than streamlines.
pub(crate) fn check_enough(weights: Option<&[f64]>, streamlines: usize) -> Result<()> {
    match weights {
        Some(weights) if weights.len() < streamlines => {
            let problem = format!("there are {} for {streamlines} streamlines or more", weights.len());
            Err(Error::invalid("streamline weights", problem, "give one weight per streamline"))
        }
        _ => Ok(()),
    }
}

/// Fails where there are more weights than streamlines.
pub(crate) fn check_all_used(weights: Option<&[f64]>, streamlines: usize) -> Result<()> {
    match weights {
        Some(weights) if weights.len() != streamlines => {
            let problem = format!("there are {} for {streamlines} streamlines", weights.len());
            Err(Error::invalid("streamline weights", problem, "give one weight per streamline"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Tractogram};

    fn three() -> (Grid, Tractogram) {
        let grid = Grid::new([5, 4, 3], Affine::scaling([2.0; 3], [-4.0, -3.0, -2.0])).unwrap();
        let mut t = Tractogram::new();
        // Through a whole row and back again: once per voxel.
        t.push(&[[-40.0, -3.0, -2.0], [40.0, -3.0, -2.0], [-4.0, -3.0, -2.0]]);
        // Two far points with four voxels between them.
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
        density.take(t.as_visits()).unwrap();
        let volume = density.into_volume().unwrap();
        assert_eq!(&volume.values()[..5], [1.0; 5]);
        let second = grid.index([0, 0, 1]);
        assert_eq!(&volume.values()[second..second + 5], [1.0, 1.0, 1.0, 1.0, 0.0]);
        assert_eq!(volume.values()[grid.index([2, 2, 2])], 1.0);
        assert_eq!(volume.values().iter().sum::<f32>(), 10.0);
    }

    #[test]
    fn weights_follow_streamlines_over_batches() {
        let (grid, t) = three();
        let weights = vec![0.5, 2.0, 7.0, 4.0, 9.0];
        let mut whole = TrackDensity::weighted(grid, weights.clone()).unwrap();
        whole.take(t.as_visits()).unwrap();
        let mut batches = TrackDensity::weighted(grid, weights.clone()).unwrap();
        let mut parts = TrackDensity::weighted(grid, weights).unwrap();
        for (n, streamline) in t.iter().enumerate() {
            let mut one = Tractogram::new();
            one.push(streamline);
            batches.take(one.as_visits()).unwrap();
            parts.take(t.as_visits().part(n..n + 1)).unwrap();
        }
        let whole = whole.into_volume().unwrap();
        assert_eq!(whole.values()[0], 0.5);
        assert_eq!(whole.values()[grid.index([0, 0, 1])], 2.0);
        assert_eq!(whole.values()[grid.index([2, 2, 2])], 4.0);
        assert_eq!(whole, batches.into_volume().unwrap());
        assert_eq!(whole, parts.into_volume().unwrap());
    }

    #[test]
    fn weights_must_be_finite_and_as_many_as_streamlines() {
        let (grid, t) = three();
        assert!(TrackDensity::weighted(grid, vec![1.0, f64::NAN]).is_err());
        let mut few = TrackDensity::weighted(grid, vec![1.0; 4]).unwrap();
        assert!(few.take(t.as_visits()).is_err());
        let mut many = TrackDensity::weighted(grid, vec![1.0; 6]).unwrap();
        many.take(t.as_visits()).unwrap();
        let message = many.into_volume().unwrap_err().to_string();
        assert_eq!(
            message,
            "streamline weights: there are 6 for 5 streamlines; give one weight per streamline"
        );
    }
}
