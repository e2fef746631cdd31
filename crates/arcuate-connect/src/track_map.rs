use crate::weights::{check_all_used, check_enough, check_weights};
use arcuate_core::{Grid, Point, Result, StreamlineBatch, StreamlineSink, Volume, length};
use arcuate_numbers::vector3::norm;
use rayon::prelude::*;

/// The quantity that a track map shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrackContrast {
    /// Number of streamlines per voxel (track density imaging; Calamante, Tournier, Jackson and Connelly
    /// 2010, doi:10.1016/j.neuroimage.2010.07.024). The map has the resolution of its grid.
    #[default]
    Counts,
    /// Mean length in mm of the streamlines that pass a voxel (average pathlength map; Pannek et al. 2011,
    /// doi:10.1016/j.neuroimage.2010.12.021). Streamlines whose length is 0 do not count.
    MeanLength,
    /// Mean unsigned direction of the streamlines in a voxel (directionally encoded colour), as three
    /// channels: the absolute x, y and z components in scanner axes. The directions of the streamlines are
    /// added, and the sum is scaled so that its norm is the number of streamlines.
    ///
    /// The direction of a streamline in a voxel is the unit vector from the point at which it enters the
    /// voxel to the point at which it leaves. If the distance between these points is less than a millionth
    /// of the path length in the voxel, the streamline has no direction, and does not count.
    Directions,
}

/// Options of a track map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TrackMapOptions {
    /// The quantity that the map shows.
    pub contrast: TrackContrast,
    /// If true, each streamline is weighted by its length inside the voxel in mm. The counts are then lengths
    /// in mm. Mean lengths and directions are weighted means.
    pub by_length: bool,
}

/// Adds up the streamlines in each voxel. A streamline counts once per voxel, even if it passes the voxel
/// several times or has several points there.
///
/// The voxels along a segment of a streamline are found by an exact traversal of the grid, not by sampling
/// points on the segment. Points outside the grid are ignored.
#[derive(Debug, Clone)]
pub struct TrackMap {
    grid: Grid,
    options: TrackMapOptions,
    weights: Option<Vec<f64>>,
    /// For each voxel, the sum of the weights of the streamlines that pass it.
    shares: Vec<f64>,
    /// For each voxel, the sum over its streamlines of the weight times the length or direction. Empty if the
    /// map shows numbers of streamlines.
    sums: Vec<f64>,
    /// Number of streamlines received so far.
    taken: usize,
}

/// Number of streamlines whose lists of voxels are in memory at the same time. The number is large enough to
/// keep all threads busy. The lists need some tens of megabytes.
const CHUNK: usize = 4096;

/// Minimum distance between the points at which a streamline enters and leaves a voxel, divided by its path
/// length in the voxel. A shorter distance may be a rounding error of single precision, so that it has no
/// direction.
const SHORTEST_DISPLACEMENT: f64 = 1e-6;

/// The voxels that one streamline passes, and its contribution to them.
struct Passage {
    /// The voxels that the streamline passes, ascending, each of them once.
    voxels: Vec<usize>,
    /// For each voxel, the piece of the streamline in this voxel. Empty if only the voxels are needed.
    pieces: Vec<Piece>,
    /// Length of the whole streamline in mm, or 0 if it is not needed.
    length: f64,
}

/// The piece of a streamline inside one voxel: lengths are in mm.
#[derive(Debug, Clone, Copy)]
struct Piece {
    length: f64,
    /// Vector from the point at which the streamline enters the voxel to the point at which it leaves, in mm.
    /// If the streamline returns to its entry point, the vector is therefore 0.
    displacement: [f64; 3],
}

impl TrackMap {
    /// Creates an empty map. If `weights` are given, streamline `n`, counted from 0 over all batches, counts
    /// `weights[n]` times. If not, each streamline counts once. Returns an error if a weight is not finite.
    pub fn new(grid: Grid, options: TrackMapOptions, weights: Option<Vec<f64>>) -> Result<Self> {
        check_weights(weights.as_deref().unwrap_or_default())?;
        Ok(Self::with_checked_weights(&grid, options, weights))
    }

    /// Creates an empty map in which each streamline counts once.
    pub(crate) fn unweighted(grid: &Grid, options: TrackMapOptions) -> Self {
        Self::with_checked_weights(grid, options, None)
    }

    fn with_checked_weights(grid: &Grid, options: TrackMapOptions, weights: Option<Vec<f64>>) -> Self {
        let channels = match options.contrast {
            TrackContrast::Counts => 0,
            TrackContrast::MeanLength => 1,
            TrackContrast::Directions => 3,
        };
        let voxels = grid.len();
        let (shares, sums) = (vec![0.0; voxels], vec![0.0; channels * voxels]);
        Self { grid: *grid, options, weights, shares, sums, taken: 0 }
    }

    /// Returns the map as an image. Voxels without streamlines have the value 0. Numbers of streamlines are
    /// exact up to 2²⁴. Returns an error if there are more weights than streamlines.
    pub fn into_volume(self) -> Result<Volume<f32>> {
        check_all_used(self.weights.as_deref(), self.taken)?;
        let (channels, values) = match self.options.contrast {
            TrackContrast::Counts => (1, self.shares.iter().map(|&share| share as f32).collect()),
            TrackContrast::MeanLength => {
                let mean =
                    |(&sum, &share): (&f64, &f64)| if share == 0.0 { 0.0 } else { (sum / share) as f32 };
                (1, self.sums.iter().zip(&self.shares).map(mean).collect())
            }
            TrackContrast::Directions => {
                let scaled = self.sums.chunks_exact(3).zip(&self.shares).flat_map(|(sum, &share)| {
                    let norm = norm([sum[0], sum[1], sum[2]]);
                    let scale = if norm == 0.0 { 0.0 } else { share / norm };
                    [sum[0], sum[1], sum[2]].map(|c| (c * scale) as f32)
                });
                (3, scaled.collect())
            }
        };
        Volume::new(self.grid, channels, values)
    }

    fn passage(&self, streamline: &[Point]) -> Passage {
        let TrackMapOptions { contrast, by_length } = self.options;
        let (mut voxels, mut pieces) = (Vec::new(), Vec::new());
        if by_length || contrast == TrackContrast::Directions {
            pieces_along(&self.grid, streamline, &mut voxels, &mut pieces);
        } else {
            self.grid.voxels_along(streamline, &mut voxels);
        }
        let length = if contrast == TrackContrast::MeanLength { length(streamline) } else { 0.0 };
        Passage { voxels, pieces, length }
    }

    fn add(&mut self, passage: &Passage, weight: f64) {
        let TrackMapOptions { contrast, by_length } = self.options;
        if contrast == TrackContrast::MeanLength && passage.length == 0.0 {
            return;
        }
        for (n, &voxel) in passage.voxels.iter().enumerate() {
            let share = if by_length { weight * passage.pieces[n].length } else { weight };
            match contrast {
                TrackContrast::Counts => {}
                TrackContrast::MeanLength => self.sums[voxel] += share * passage.length,
                TrackContrast::Directions => {
                    let Piece { length, displacement } = passage.pieces[n];
                    let norm = norm(displacement);
                    if norm <= SHORTEST_DISPLACEMENT * length {
                        continue;
                    }
                    for (sum, c) in self.sums[3 * voxel..3 * voxel + 3].iter_mut().zip(displacement) {
                        *sum += share * (c.abs() / norm);
                    }
                }
            }
            self.shares[voxel] += share;
        }
    }
}

impl StreamlineSink for TrackMap {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        check_enough(self.weights.as_deref(), self.taken + batch.len())?;
        for first in (0..batch.len()).step_by(CHUNK) {
            let chunk = first..(first + CHUNK).min(batch.len());
            let passages: Vec<Passage> =
                chunk.into_par_iter().map(|n| self.passage(batch.streamline(n))).collect();
            // The streamlines are added one after the other, so that sums do not depend on the distribution
            // of work over threads.
            for passage in &passages {
                let weight = self.weights.as_ref().map_or(1.0, |weights| weights[self.taken]);
                self.add(passage, weight);
                self.taken += 1;
            }
        }
        Ok(())
    }
}

/// Finds the voxels that a streamline passes (each voxel once, in ascending order), and the piece of the
/// streamline in each voxel.
fn pieces_along(grid: &Grid, streamline: &[Point], voxels: &mut Vec<usize>, pieces: &mut Vec<Piece>) {
    let mut along: Vec<(usize, Piece)> = Vec::new();
    if let [point] = streamline {
        let none = Piece { length: 0.0, displacement: [0.0; 3] };
        along.extend(grid.voxel_at(point.map(f64::from)).map(|voxel| (voxel, none)));
    }
    for pair in streamline.windows(2) {
        let [from, to] = [pair[0], pair[1]].map(|point| point.map(f64::from));
        let step: [f64; 3] = std::array::from_fn(|axis| to[axis] - from[axis]);
        let whole = norm(step);
        grid.for_each_piece_between(grid.inverse().apply(from), grid.inverse().apply(to), |voxel, t0, t1| {
            let part = t1 - t0;
            along.push((voxel, Piece { length: part * whole, displacement: step.map(|c| part * c) }));
        });
    }
    // The sort is stable. The pieces inside one voxel are therefore added in the order of the streamline.
    along.sort_by_key(|(voxel, _)| *voxel);
    for (voxel, piece) in along {
        match pieces.last_mut() {
            Some(Piece { length, displacement }) if voxels.last() == Some(&voxel) => {
                *length += piece.length;
                for (sum, c) in displacement.iter_mut().zip(piece.displacement) {
                    *sum += c;
                }
            }
            _ => {
                voxels.push(voxel);
                pieces.push(piece);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Tractogram};

    const CONTRASTS: [TrackContrast; 3] =
        [TrackContrast::Counts, TrackContrast::MeanLength, TrackContrast::Directions];

    fn oblique() -> Grid {
        let affine =
            Affine::from_rows([[-1.9, 0.3, 0.2, 9.0], [0.25, 1.8, -0.5, -6.0], [0.15, 0.45, 2.4, -8.0]]);
        Grid::new([7, 6, 5], affine.unwrap()).unwrap()
    }

    /// Creates streamlines that meander inside and outside the image. A small congruential generator makes
    /// the random numbers.
    fn wandering(count: usize) -> Tractogram {
        let mut state = 99u64;
        let mut uniform = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f64 / (1u64 << 24) as f64
        };
        let mut tractogram = Tractogram::new();
        for n in 0..count {
            let mut at = [uniform() * 8.0 - 1.0, uniform() * 7.0 - 1.0, uniform() * 6.0 - 1.0];
            let points: Vec<Point> = (0..n % 30)
                .map(|_| {
                    at = at.map(|c| c + 1.2 * (uniform() - 0.5));
                    oblique().affine().apply(at).map(|c| c as f32)
                })
                .collect();
            tractogram.push(&points);
        }
        tractogram
    }

    fn map(options: TrackMapOptions, weights: Option<Vec<f64>>, tractogram: &Tractogram) -> Volume<f32> {
        let mut map = TrackMap::new(oblique(), options, weights).unwrap();
        map.take(tractogram.as_batch()).unwrap();
        map.into_volume().unwrap()
    }

    /// Computes the length of a streamline and its displacement in each voxel by dense sampling, for
    /// comparison with the exact traversal.
    fn sampled(streamline: &[Point]) -> std::collections::BTreeMap<usize, Piece> {
        const SAMPLES: usize = 2000;
        let grid = oblique();
        let mut found = std::collections::BTreeMap::new();
        for pair in streamline.windows(2) {
            let step: [f64; 3] =
                std::array::from_fn(|axis| f64::from(pair[1][axis]) - f64::from(pair[0][axis]));
            for n in 0..SAMPLES {
                let t = (n as f64 + 0.5) / SAMPLES as f64;
                let at = std::array::from_fn(|axis| f64::from(pair[0][axis]) + t * step[axis]);
                if let Some(voxel) = grid.voxel_at(at) {
                    let piece: &mut Piece =
                        found.entry(voxel).or_insert(Piece { length: 0.0, displacement: [0.0; 3] });
                    piece.length += norm(step) / SAMPLES as f64;
                    for axis in 0..3 {
                        piece.displacement[axis] += step[axis] / SAMPLES as f64;
                    }
                }
            }
        }
        found
    }

    #[test]
    fn lengths_agree_with_dense_sampling() {
        let tractogram = wandering(60);
        for streamline in tractogram.iter() {
            let (mut voxels, mut pieces) = (Vec::new(), Vec::new());
            pieces_along(&oblique(), streamline, &mut voxels, &mut pieces);
            let expected = sampled(streamline);
            // A segment is up to 2 mm long. The sampling has an error of half a sample at each of the two
            // points where a segment enters and leaves a voxel, 1e-3 mm in total. Up to 29 segments may pass
            // a voxel.
            for (voxel, piece) in voxels.iter().zip(&pieces) {
                let nothing = Piece { length: 0.0, displacement: [0.0; 3] };
                let sampled = expected.get(voxel).unwrap_or(&nothing);
                assert!((piece.length - sampled.length).abs() < 5e-3);
                for axis in 0..3 {
                    assert!((piece.displacement[axis] - sampled.displacement[axis]).abs() < 5e-3);
                }
            }
            assert!(expected.keys().all(|voxel| voxels.contains(voxel)));
            if streamline.len() > 1 {
                let mut once = Vec::new();
                oblique().voxels_along(streamline, &mut once);
                assert_eq!(once, voxels);
            }
        }
    }

    #[test]
    fn means_and_directions_of_three_known_streamlines() {
        let grid = Grid::new([2, 1, 1], Affine::scaling([10.0; 3], [0.0; 3])).unwrap();
        let mut tractogram = Tractogram::new();
        // The first streamline is 6 mm long and runs along x. The second is 4 mm long and runs along −x, in
        // two steps. The third runs along y and back, and ends 2 mm from its start. The fourth has no length,
        // and the fifth has no points.
        tractogram.push(&[[-3.0, 0.0, 0.0], [3.0, 0.0, 0.0]]);
        tractogram.push(&[[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [-3.0, 0.0, 0.0]]);
        tractogram.push(&[[0.0, -2.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]);
        tractogram.push(&[[0.0; 3], [0.0; 3]]);
        tractogram.push(&[]);
        let map = |contrast, by_length, weights: Option<[f64; 5]>| {
            let options = TrackMapOptions { contrast, by_length };
            let mut map = TrackMap::new(grid, options, weights.map(|w| w.to_vec())).unwrap();
            map.take(tractogram.as_batch()).unwrap();
            let volume = map.into_volume().unwrap();
            assert!(volume.voxel(1).iter().all(|&value| value == 0.0));
            volume.voxel(0).to_vec()
        };
        let weights = Some([1.0, 3.0, 2.0, 4.0, 5.0]);
        let close = |found: Vec<f32>, expected: &[f64]| {
            assert_eq!(found.len(), expected.len());
            for (a, b) in found.iter().zip(expected) {
                // The values of the map are rounded to single precision once.
                assert!((f64::from(*a) - b).abs() <= 1e-6 * b.abs(), "{found:?} {expected:?}");
            }
        };
        close(map(TrackContrast::Counts, false, None), &[4.0]);
        close(map(TrackContrast::Counts, false, weights), &[10.0]);
        close(map(TrackContrast::Counts, true, None), &[14.0]);
        close(map(TrackContrast::Counts, true, weights), &[6.0 + 12.0 + 8.0]);
        close(map(TrackContrast::MeanLength, false, None), &[14.0 / 3.0]);
        close(map(TrackContrast::MeanLength, false, weights), &[(6.0 + 12.0 + 8.0) / 6.0]);
        close(map(TrackContrast::MeanLength, true, None), &[(36.0 + 16.0 + 16.0) / 14.0]);
        close(map(TrackContrast::MeanLength, true, weights), &[(36.0 + 48.0 + 32.0) / 26.0]);
        // Two streamlines run along x, and one runs along y. The norm of the sum of their directions is
        // scaled to 3.
        let norm = 5f64.sqrt();
        close(map(TrackContrast::Directions, false, None), &[3.0 * 2.0 / norm, 3.0 / norm, 0.0]);
        let norm = 116f64.sqrt();
        close(map(TrackContrast::Directions, true, None), &[14.0 * 10.0 / norm, 14.0 * 4.0 / norm, 0.0]);
    }

    #[test]
    fn streamlines_that_leave_where_they_entered_have_no_direction() {
        let grid = Grid::new([1, 1, 1], Affine::scaling([10.0; 3], [0.0; 3])).unwrap();
        let mut tractogram = Tractogram::new();
        tractogram.push(&[[-3.1, 0.0, 0.0], [3.3, 0.0, 0.0], [-3.1, 2e-7, 0.0]]);
        let options = TrackMapOptions { contrast: TrackContrast::Directions, by_length: false };
        let mut map = TrackMap::new(grid, options, None).unwrap();
        map.take(tractogram.as_batch()).unwrap();
        assert_eq!(map.into_volume().unwrap().values(), [0.0; 3]);
    }

    #[test]
    fn results_do_not_depend_on_threads_and_batches() {
        let tractogram = wandering(3000);
        let weights: Vec<f64> = (0..3000).map(|n| 0.1 + f64::from(n % 17)).collect();
        for contrast in CONTRASTS {
            for by_length in [false, true] {
                let options = TrackMapOptions { contrast, by_length };
                let whole = map(options, Some(weights.clone()), &tractogram);
                for threads in [1, 3] {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    assert_eq!(pool.install(|| map(options, Some(weights.clone()), &tractogram)), whole);
                }
                let mut parts = TrackMap::new(oblique(), options, Some(weights.clone())).unwrap();
                for range in [0..1, 1..700, 700..700, 700..3000] {
                    parts.take(tractogram.as_batch().part(range)).unwrap();
                }
                assert_eq!(parts.into_volume().unwrap(), whole);
            }
        }
    }
}
