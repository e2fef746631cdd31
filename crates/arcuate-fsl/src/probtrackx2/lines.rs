//! Accepted streamlines as FSL's probtrackx2 handles them: each has two halves that start at the seed, in
//! voxel coordinates with x counted from the right.

use super::rois::{Reference, from_the_right};
use super::text::{OF_POINTS, significant};
use arcuate_compute::voxel_mapping::{VoxelMapping, index, inside, nearest};
use arcuate_core::{
    Affine, Error, Grid, Mapping, Point, Result, StreamlineBatch, StreamlineSink, Volume, narrow,
};
use arcuate_io::AtomicFile;
use arcuate_numbers::Deviator;
use std::io::Write;
use std::path::Path;

/// A point of a streamline, with the number of steps from the seed to this point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TrackPoint {
    /// Position of the point in mm, in the space of the orientation samples.
    pub(super) at: Point,
    /// Number of tracking steps from the seed to this point.
    pub(super) steps: u32,
    /// Step vector of the streamline in mm, in the space of the orientation samples. It leads from the
    /// preceding point to this point. At the seed, it leads to the next point.
    pub(super) along: Point,
}

/// Splits a streamline at its seed into two halves, each ordered from the seed outwards. `seed` is the index
/// of the seed point, which both halves contain.
pub(super) fn halves(line: &[Point], seed: usize) -> [Vec<Point>; 2] {
    let first = line[..=seed].iter().rev().copied().collect();
    [first, line[seed..].to_vec()]
}

/// Returns all points of a streamline: first the points of one half, then the points of the other half. The
/// seed occurs only once.
pub(super) fn stations(line: &[Point], seed: usize) -> Vec<TrackPoint> {
    let mut all = Vec::with_capacity(line.len());
    for points in halves(line, seed) {
        // A half that consists only of the seed point has no direction, so the seed is taken from the other
        // half.
        if points.len() == 1 && line.len() > 1 {
            continue;
        }
        let is_other = !all.is_empty();
        for (steps, &at) in points.iter().enumerate().skip(usize::from(is_other)) {
            let (from, to) = if steps == 0 { (0, 1.min(points.len() - 1)) } else { (steps - 1, steps) };
            let along = [0, 1, 2].map(|axis| points[to][axis] - points[from][axis]);
            all.push(TrackPoint { at, steps: narrow::<u32>(steps), along });
        }
    }
    all
}

/// A voxel grid, used to find the voxels through which a streamline passes.
pub(super) struct LookupGrid {
    grid: Grid,
    voxel_mapping: VoxelMapping,
    shape: [i32; 3],
    /// For each voxel, the number of the last streamline that passed it.
    passed: Vec<u32>,
    number: u32,
}

impl LookupGrid {
    /// Creates the lookup for points in mm of the orientation samples. `mapping` maps them to the space of
    /// `grid`.
    pub(super) fn new(grid: &Grid, mapping: Option<&Mapping>) -> Result<Self> {
        let millimetres = Grid::new([1; 3], Affine::identity())?;
        let voxel_mapping = VoxelMapping::new(&millimetres, grid, mapping);
        let shape = grid.shape().map(narrow::<i32>);
        Ok(Self { grid: *grid, voxel_mapping, shape, passed: vec![0; grid.len()], number: 0 })
    }

    /// Begins a new streamline.
    pub(super) fn begin(&mut self) {
        self.number = self.number.wrapping_add(1);
        if self.number == 0 {
            self.passed.fill(0);
            self.number = 1;
        }
    }

    /// Returns the voxel that contains a point. Returns `None` if the point is outside the grid, or if the
    /// streamline has passed this voxel before.
    pub(super) fn first_in(&mut self, point: Point) -> Option<usize> {
        let voxel = self.voxel_mapping.apply(point).map(nearest);
        if !inside(voxel, self.shape) {
            return None;
        }
        let voxel = index(voxel, self.shape);
        let is_first = self.passed[voxel] != self.number;
        self.passed[voxel] = self.number;
        is_first.then_some(voxel)
    }

    /// Returns the direction of the streamline at a point as a unit vector along the voxel axes, with x from
    /// the right. If the step vector is zero, returns zero.
    fn turned(&self, TrackPoint { at, along, .. }: TrackPoint) -> [f64; 3] {
        let behind = [0, 1, 2].map(|axis| at[axis] - along[axis]);
        let (from, to, sizes) =
            (self.voxel_mapping.apply(behind), self.voxel_mapping.apply(at), self.grid.voxel_sizes());
        let sign = if super::rois::is_x_reversed(&self.grid) { -1.0 } else { 1.0 };
        let [x, y, z] = [0, 1, 2].map(|axis| f64::from(to[axis] - from[axis]) * sizes[axis]);
        let direction = [sign * x, y, z];
        let length = direction.iter().map(|c| c * c).sum::<f64>().sqrt();
        if length > 0.0 { direction.map(|c| c / length) } else { [0.0; 3] }
    }
}

/// For each voxel, sums over the streamlines of the products xx, yy, zz, xy, xz and yz of their direction
/// components.
pub(super) struct Directions(Vec<[f64; 6]>);

impl Directions {
    fn new(grid: &Grid) -> Self {
        Self(vec![[0.0; 6]; grid.len()])
    }

    fn add(&mut self, voxel: usize, [x, y, z]: [f64; 3]) {
        let products = [x * x, y * y, z * z, x * y, x * z, y * z];
        self.0[voxel].iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
    }

    /// Returns the principal direction of each voxel.
    pub(super) fn volume(&self, grid: &Grid) -> Result<Volume<f32>> {
        let principal = |sums: &[f64; 6]| {
            let none = *sums == [0.0; 6];
            let axis = if none { [0.0; 3] } else { Deviator::of(*sums).eigensystem().vectors[0] };
            axis.map(|c| c as f32)
        };
        Volume::new(*grid, 3, self.0.iter().flat_map(principal).collect())
    }
}

/// Visit map: the number of streamlines that pass each voxel, for all streamlines or for those that pass a
/// target.
pub(super) struct Density {
    pub(super) counts: Vec<u32>,
    /// For each voxel, the number of tracking steps from the seed to this voxel, summed over all streamlines.
    pub(super) steps: Vec<u64>,
    pub(super) directions: Option<Directions>,
}

impl Density {
    pub(super) fn new(grid: &Grid, with_directions: bool) -> Self {
        let directions = with_directions.then(|| Directions::new(grid));
        Self { counts: vec![0; grid.len()], steps: vec![0; grid.len()], directions }
    }

    /// Adds a streamline. `passed` lists the voxels that it passes: for each, the voxel index, the number of
    /// steps from the seed, and the direction of the streamline.
    pub(super) fn add(&mut self, passed: &[(usize, u32, [f64; 3])]) {
        for &(voxel, steps, direction) in passed {
            self.counts[voxel] += 1;
            self.steps[voxel] += u64::from(steps);
            if let Some(directions) = &mut self.directions {
                directions.add(voxel, direction);
            }
        }
    }
}

/// Returns the voxels that a streamline passes. For each, gives the number of steps from the seed and the
/// direction, both at the first point in this voxel.
pub(super) fn passed(look: &mut LookupGrid, line: &[Point], seed: usize) -> Vec<(usize, u32, [f64; 3])> {
    look.begin();
    let mut all = Vec::new();
    for station in stations(line, seed) {
        if let Some(voxel) = look.first_in(station.at) {
            // At the seed, the direction is that of the next step. At all other points, it is that of the
            // step that leads to the point.
            let ahead = [0, 1, 2].map(|axis| station.at[axis] + station.along[axis]);
            let there = if station.steps == 0 { TrackPoint { at: ahead, ..station } } else { station };
            all.push((voxel, station.steps, look.turned(there)));
        }
    }
    all
}

/// Principal directions of all accepted streamlines.
pub(super) struct AllDirections {
    pub(super) look: LookupGrid,
    pub(super) directions: Directions,
}

impl AllDirections {
    pub(super) fn new(grid: &Grid, mapping: Option<&Mapping>) -> Result<Self> {
        Ok(Self { look: LookupGrid::new(grid, mapping)?, directions: Directions::new(grid) })
    }
}

impl StreamlineSink for AllDirections {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        for (line, seed) in batch.iter().zip(batch.seeds) {
            for (voxel, _, direction) in passed(&mut self.look, line, seed.point as usize) {
                self.directions.add(voxel, direction);
            }
        }
        Ok(())
    }
}

/// Text file with the points of accepted streamlines. Each streamline begins with a line `# N`, with its
/// number of points. Each following line is a point `x y z`, in voxel indices of the reference image with x
/// counted from the right. The two halves of a streamline follow one another, and both begin at the seed.
pub(super) struct SavedPaths {
    file: AtomicFile,
    voxel_mapping: VoxelMapping,
    from_the_right: Affine,
}

impl SavedPaths {
    pub(super) fn create(path: &Path, reference: &Reference, mapping: Option<&Mapping>) -> Result<Self> {
        let millimetres = Grid::new([1; 3], Affine::identity())?;
        let voxel_mapping = VoxelMapping::new(&millimetres, &reference.grid, mapping);
        let from_the_right = from_the_right(&reference.grid);
        Ok(Self { file: AtomicFile::create(path)?, voxel_mapping, from_the_right })
    }

    pub(super) fn finish(self) -> Result<()> {
        self.file.finish()
    }

    fn write(&mut self, line: &[Point], seed: usize) -> std::io::Result<()> {
        let [one, other] = halves(line, seed);
        // A half with only the seed point was rejected, or has no steps. It is omitted.
        let kept: Vec<Point> = match (one.len(), other.len()) {
            (1, _) => other,
            (_, 1) => one,
            _ => [one, other].concat(),
        };
        writeln!(self.file, "# {}", kept.len())?;
        for point in kept {
            let place = self.from_the_right.apply(self.voxel_mapping.apply(point).map(f64::from));
            let [x, y, z] = place.map(|c| significant(c, OF_POINTS));
            writeln!(self.file, "{x} {y} {z}")?;
        }
        Ok(())
    }
}

impl StreamlineSink for SavedPaths {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        for (line, seed) in batch.iter().zip(batch.seeds) {
            let written = self.write(line, seed.point as usize);
            written.map_err(|error| Error::write(self.file.path(), error))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a streamline with two steps on one side of its seed and three steps on the other.
    fn line() -> Vec<Point> {
        [3.0, 4.0, 5.0, 6.0, 7.0, 8.0].map(|x| [x, 0.0, 0.0]).to_vec()
    }

    #[test]
    fn half_streamlines_start_at_the_seed() {
        let [one, other] = halves(&line(), 2);
        assert_eq!((one.len(), one[0][0], one[2][0]), (3, 5.0, 3.0));
        assert_eq!((other.len(), other[0][0], other[3][0]), (4, 5.0, 8.0));
        let steps: Vec<u32> = stations(&line(), 2).iter().map(|station| station.steps).collect();
        assert_eq!(steps, [0, 1, 2, 1, 2, 3]);
        let alone: Vec<u32> = stations(&line(), 0).iter().map(|station| station.steps).collect();
        assert_eq!(alone, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn each_voxel_is_passed_once() {
        let grid = Grid::new([10, 1, 1], Affine::scaling([2.0; 3], [0.0; 3])).unwrap();
        let mut look = LookupGrid::new(&grid, None).unwrap();
        let all = passed(&mut look, &line(), 2);
        // With voxels of 2 mm, the seed at 5 mm is in the voxel whose centre is at 6 mm. The two halves reach
        // the voxels with centres at 4 mm and at 8 mm.
        let voxels: Vec<(usize, u32)> = all.iter().map(|(voxel, steps, _)| (*voxel, *steps)).collect();
        assert_eq!(voxels, [(3, 0), (2, 1), (4, 2)]);
        // The directions in all voxels are parallel to the x axis.
        assert!(all.iter().all(|(.., direction)| direction[0].abs() == 1.0));
    }
}
