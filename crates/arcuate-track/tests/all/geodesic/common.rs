//! Tensor fields for geodesic tracking, and sinks that collect rays.

use arcuate_compute::Device;
use arcuate_core::{
    Affine, ColumnRows, Control, Grid, Point, Result, Scalars, SeedOf, StreamlineBatch, StreamlineSink,
    Tractogram, Volume,
};
use arcuate_track::{
    CONNECTIVITY, DRIFT, EnergyDrift, GeodesicOptions, Geodesics, LENGTH, Seeds, TrackSummary,
};

/// A tensor image with `tensor(RAS mm)` in each voxel.
pub(crate) fn image(grid: &Grid, tensor: impl Fn([f64; 3]) -> [f64; 6]) -> Volume<f32> {
    let values = (0..grid.len()).flat_map(|voxel| tensor(grid.centre(voxel)).map(|element| element as f32));
    Volume::new(*grid, 6, values.collect()).unwrap()
}

/// Grid of cubic voxels with edges of `size` mm. The first voxel is centred at the origin.
pub(crate) fn cubes(shape: [usize; 3], size: f64) -> Grid {
    Grid::new(shape, Affine::scaling([size; 3], [0.0; 3])).unwrap()
}

/// An oblique grid of unequal edges.
pub(crate) fn oblique(shape: [usize; 3]) -> Grid {
    let rows = [[-1.9, 0.3, 0.2, 90.0], [0.25, 1.8, -0.5, -120.0], [0.15, 0.45, 2.4, -60.0]];
    Grid::new(shape, Affine::from_rows(rows).unwrap()).unwrap()
}

/// All rays.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Collected {
    pub(crate) streamlines: Tractogram,
    pub(crate) connectivity: Vec<f32>,
    pub(crate) measures: Vec<RayMeasures>,
    pub(crate) seeds: Vec<SeedOf>,
}

/// Values of a ray in addition to its points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RayMeasures {
    pub(crate) connectivity: f32,
    pub(crate) length_mm: f32,
    pub(crate) drift: f32,
}

/// Returns the values of a column of a batch.
pub(crate) fn column<'a>(
    mut columns: impl Iterator<Item = (&'a str, ColumnRows<'a>)>,
    name: &str,
) -> &'a [f32] {
    let (_, ColumnRows { column, rows }) = columns.find(|(known, _)| *known == name).unwrap();
    let Scalars::F32(values) = column.values() else { panic!("{name} in another precision") };
    &values[rows]
}

impl StreamlineSink for Collected {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        assert_eq!(batch.first, self.streamlines.len() as u64);
        batch.iter().for_each(|streamline| self.streamlines.push(streamline));
        self.seeds.extend_from_slice(batch.seeds);
        self.connectivity.extend_from_slice(column(batch.per_point(), CONNECTIVITY));
        let of_each = |name| column(batch.per_streamline(), name);
        let columns = of_each(CONNECTIVITY).iter().zip(of_each(LENGTH)).zip(of_each(DRIFT));
        let measures = |((&connectivity, &length_mm), &drift)| RayMeasures { connectivity, length_mm, drift };
        self.measures.extend(columns.map(measures));
        Ok(())
    }
}

impl Collected {
    /// Returns the bits of all values. The bits distinguish −0 from 0 and make NaN comparable.
    pub(crate) fn bits(&self) -> Vec<u32> {
        let positions = self.streamlines.positions().iter().flatten();
        let measures = self.measures.iter().flat_map(|m| [m.connectivity, m.length_mm, m.drift]);
        positions
            .copied()
            .chain(self.connectivity.iter().copied())
            .chain(measures)
            .map(f32::to_bits)
            .collect()
    }

    pub(crate) fn last(&self, streamline: usize) -> Point {
        *self.streamlines.streamline(streamline).last().unwrap()
    }
}

/// Summary and energy drift of all rays.
#[derive(Debug, PartialEq)]
pub(crate) struct Told {
    summary: TrackSummary,
    pub(crate) drift: EnergyDrift,
}

impl std::ops::Deref for Told {
    type Target = TrackSummary;

    fn deref(&self) -> &TrackSummary {
        &self.summary
    }
}

/// Tracks all rays on a device.
pub(crate) fn all_on(
    device: &Device,
    tensor: &Volume<f32>,
    options: &GeodesicOptions,
    seeds: Vec<[f64; 3]>,
) -> (Collected, Told) {
    let mut collected = Collected::default();
    let geodesics = Geodesics::new(tensor, options, device).unwrap();
    let (summary, drift) = geodesics.all(&Seeds::points(seeds), &mut collected, &Control::default()).unwrap();
    assert_eq!(summary.lengths.values(), collected.measures.iter().map(|m| m.length_mm).collect::<Vec<_>>());
    (collected, Told { summary, drift })
}

/// Tracks all rays on the CPU.
pub(crate) fn all(
    tensor: &Volume<f32>,
    options: &GeodesicOptions,
    seeds: Vec<[f64; 3]>,
) -> (Collected, Told) {
    all_on(&Device::Cpu, tensor, options, seeds)
}

pub(crate) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn difference(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn wide(point: Point) -> [f64; 3] {
    point.map(f64::from)
}
