//! Synthetic COMMIT problems.

use super::acquisition::responses;
use super::paths;
use super::size::Size;
use crate::options::Directions;
use crate::outcome::Outcome;
use arcuate_compute::{Purpose, Random};
use arcuate_core::{Affine, Grid, narrow, saturating};
use arcuate_evaluate::commit::{Axes, Responses, Segment, Segments};
use rayon::prelude::*;
use std::sync::Arc;

/// A synthetic COMMIT problem: segments of streamlines, directions of extra-axonal compartments, and response
/// functions. The problem is the same for any number of threads.
pub(crate) struct Problem {
    pub(crate) segments: Arc<Segments>,
    pub(crate) axes: Axes,
    pub(crate) responses: Responses,
}

impl Problem {
    /// Creates a COMMIT problem of this size. The acquisition has `samples` samples.
    pub(crate) fn new(size: &Size, samples: usize, directions: Directions) -> Outcome<Self> {
        let responses = responses(samples)?;
        let segments = paths::segments(size, directions)?;
        let axes = axes(&segments, size.axes, directions)?;
        Ok(Self { segments: Arc::new(segments), axes, responses })
    }

    /// Creates a COMMIT problem with exactly `load` segments in each voxel. The directions and the
    /// streamlines of the segments are random.
    pub(super) fn even(size: &Size, samples: usize, load: usize) -> Outcome<Self> {
        let voxels = size.voxels.min(size.segments / load.max(1)).max(1);
        let streamlines = size.streamlines.max(load);
        let pieces = (0..voxels)
            .into_par_iter()
            .flat_map_iter(|voxel| {
                let mut random = Random::new(2, Purpose::Phantom, voxel as u64);
                // The indices of the streamlines in a voxel begin at a random index and ascend. The distance
                // between successive indices is constant and as large as possible.
                let first = random.uniform() * (streamlines / load.max(1)) as f64;
                (0..load).map(move |n| Segment {
                    piece: random.on_sphere().map(|c| c as f32),
                    streamline: saturating::<u32>(first + (n * streamlines) as f64 / load as f64),
                })
            })
            .collect();
        let grid = Grid::new([voxels, 1, 1], Affine::identity())?;
        let starts = (0..=voxels).map(|voxel| voxel * load).collect();
        let segments =
            Segments::new(grid, streamlines, (0..narrow::<u32>(voxels)).collect(), starts, pieces)?;
        let axes = axes(&segments, size.axes * voxels / size.voxels, Directions::Uniform)?;
        Ok(Self { segments: Arc::new(segments), axes, responses: responses(samples)? })
    }

    /// Returns the number of segments of each voxel, sorted in ascending order.
    pub(crate) fn loads(&self) -> Vec<usize> {
        let mut loads: Vec<usize> =
            (0..self.segments.voxels().len()).map(|n| self.segments.of_voxel(n).len()).collect();
        loads.sort_unstable();
        loads
    }
}

/// Creates `count` directions of extra-axonal compartments in total. The number in each voxel is between 0.5
/// and 1.5 times the mean. With [`Directions::Tracked`], they are directions of segments in the voxel, like
/// peaks. If not, they are random.
fn axes(segments: &Segments, count: usize, directions: Directions) -> Outcome<Axes> {
    let voxels = segments.voxels().len();
    let random = |n: usize| Random::new(1, Purpose::Resampling, n as u64);
    let starts = paths::shares(count, (0..voxels).map(|n| 0.5 + random(n).uniform()));
    let axes = (0..voxels)
        .into_par_iter()
        .flat_map_iter(|n| {
            let (required, here, mut random) = (starts[n + 1] - starts[n], segments.of_voxel(n), random(n));
            (0..required).map(move |m| match here.get(here.len() * m / required) {
                Some(segment) if directions == Directions::Tracked => unit(segment),
                _ => random.on_sphere().map(|c| c as f32),
            })
        })
        .collect();
    Ok(Axes::new(starts, axes)?)
}

pub(super) fn unit(segment: &Segment) -> [f32; 3] {
    let piece = segment.piece.map(f64::from);
    let length = piece.iter().map(|c| c * c).sum::<f64>().sqrt();
    piece.map(|c| (c / length) as f32)
}
