//! Orientation fields and helpers for tests of tracking through samples.

use arcuate_compute::Device;
use arcuate_core::{Affine, Control, Grid, Mask, Point, Result, Tractogram};
use arcuate_track::{
    Constraints, Fibre, Jitter, OrientationSource, OrientationTable, Region, SampleOptions, SampleOutputs,
    SampleTracks, Seeds, track_samples,
};

/// Orientations that are given by a formula.
pub(crate) struct Formula<F> {
    pub(crate) mask: Mask,
    pub(crate) fibres: usize,
    pub(crate) samples: usize,
    /// Direction and fraction at a point in mm, for a sample and a fibre.
    pub(crate) at: F,
}

impl<F: Fn([f64; 3], usize, usize) -> ([f64; 3], f64)> OrientationSource for Formula<F> {
    fn mask(&self) -> &Mask {
        &self.mask
    }

    fn fibres(&self) -> usize {
        self.fibres
    }

    fn samples(&self) -> usize {
        self.samples
    }

    fn fibre(&self, number: usize) -> Result<Vec<Fibre>> {
        let fibre = |voxel: usize, sample| {
            let (direction, fraction) = (self.at)(self.mask.grid().centre(voxel), sample, number);
            Fibre::new(direction, fraction)
        };
        let voxels = self.mask.indices();
        Ok(voxels
            .iter()
            .flat_map(|&voxel| (0..self.samples).map(move |sample| fibre(voxel, sample)))
            .collect())
    }
}

/// Field with one fibre and one sample everywhere.
pub(crate) fn field(grid: &Grid, at: impl Fn([f64; 3]) -> [f64; 3]) -> OrientationTable {
    let at = |point, _, _| (at(point), 1.0);
    OrientationTable::new(&Formula { mask: Mask::full(*grid), fibres: 1, samples: 1, at }).unwrap()
}

/// Grid with voxels of 1 mm. The first voxel is centred at the origin.
pub(crate) fn unit_grid(shape: [usize; 3]) -> Grid {
    Grid::new(shape, Affine::identity()).unwrap()
}

pub(crate) fn oblique(shape: [usize; 3]) -> Grid {
    let rows = [[-1.9, 0.3, 0.2, 20.0], [0.25, 1.8, -0.5, -12.0], [0.15, 0.45, 2.4, -6.0]];
    Grid::new(shape, Affine::from_rows(rows).unwrap()).unwrap()
}

/// Fibres that turn from place to place, differ from sample to sample and cross.
pub(crate) fn tangled(grid: &Grid, fibres: usize, samples: usize) -> OrientationTable {
    let at = |[x, y, z]: [f64; 3], sample: usize, fibre: usize| {
        let turn = 0.05 * sample as f64 + 1.3 * fibre as f64;
        let direction =
            [(0.11 * y + turn).cos(), (0.13 * x + turn).sin(), 0.5 * (0.1 * z + turn).sin() + 0.2];
        (direction, 0.98 / (1.0 + fibre as f64) - 0.005 * sample as f64)
    };
    let middle = grid.shape().map(|n| n as f64 / 2.0);
    let inside = |voxel: usize| {
        let at = grid.coordinates(voxel);
        (0..3).map(|axis| ((at[axis] as f64 - middle[axis]) / middle[axis]).powi(2)).sum::<f64>() < 0.95
    };
    let mask = Mask::new(*grid, (0..grid.len()).map(inside).collect()).unwrap();
    OrientationTable::new(&Formula { mask, fibres, samples, at }).unwrap()
}

/// Voxels of a grid whose coordinates satisfy a condition.
pub(crate) fn region(name: &str, grid: &Grid, inside: impl Fn([usize; 3]) -> bool) -> Region {
    let mask =
        Mask::new(*grid, (0..grid.len()).map(|voxel| inside(grid.coordinates(voxel))).collect()).unwrap();
    Region::of_mask(name, mask, None)
}

pub(crate) fn from_points(points: &[[f64; 3]], each: u32) -> Seeds {
    Seeds::Points { points: points.to_vec(), mapping: None, each, jitter: Jitter::None }
}

/// Returns streamlines, a visit map on the grid of the orientations, and counts.
pub(crate) fn follow(
    table: &OrientationTable,
    seeds: &Seeds,
    regions: &Constraints,
    options: &SampleOptions,
    device: &Device,
) -> (Tractogram, SampleTracks) {
    let mut streamlines = Tractogram::new();
    let map = Some((*table.grid(), None));
    let outputs =
        SampleOutputs { map, lengths: true, sink: Some(&mut streamlines), ..SampleOutputs::default() };
    let tracks = track_samples(table, seeds, regions, options, outputs, device, &Control::default()).unwrap();
    (streamlines, tracks)
}

/// As [`follow`], without storing streamlines.
pub(crate) fn count(
    table: &OrientationTable,
    seeds: &Seeds,
    regions: &Constraints,
    options: &SampleOptions,
    device: &Device,
) -> SampleTracks {
    let map = Some((*table.grid(), None));
    let outputs = SampleOutputs { map, lengths: true, ..SampleOutputs::default() };
    track_samples(table, seeds, regions, options, outputs, device, &Control::default()).unwrap()
}

pub(crate) fn points(streamlines: &Tractogram, number: usize) -> Vec<Point> {
    streamlines.as_batch().streamline(number).to_vec()
}
