//! Accepted streamlines, one at a time, as FSL sees them: two halves from the seed on, in voxels that count from the right.

use super::rois::{Reference, from_the_right};
use super::text::{OF_POINTS, significant};
use arcuate_compute::ways::{Way, index, inside, nearest};
use arcuate_core::{
    Affine, Deviator, Error, Grid, Mapping, Point, Result, StreamlineBatch, StreamlineSink, Volume, narrow,
};
use arcuate_io::AtomicFile;
use std::io::Write;
use std::path::Path;

/// A point of a streamline, and how far from the seed it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Station {
    /// In mm of the samples.
    pub(super) at: Point,
    /// Steps from the seed, along its own half.
    pub(super) steps: u32,
    /// Along the half, mm of the samples: from the point before, of the seed to the next one.
    pub(super) along: Point,
}

/// The two halves of a streamline whose seed is its point of this number, each from the seed on; the seed is in both.
pub(super) fn halves(line: &[Point], seed: usize) -> [Vec<Point>; 2] {
    let first = line[..=seed].iter().rev().copied().collect();
    [first, line[seed..].to_vec()]
}

/// All points of a streamline, those of the first half in front; the seed once.
pub(super) fn stations(line: &[Point], seed: usize) -> Vec<Station> {
    let mut all = Vec::with_capacity(line.len());
    for points in halves(line, seed) {
        // A half of the seed alone says nothing of where it leads.
        if points.len() == 1 && line.len() > 1 {
            continue;
        }
        let is_other = !all.is_empty();
        for (steps, &at) in points.iter().enumerate().skip(usize::from(is_other)) {
            let (from, to) = if steps == 0 { (0, 1.min(points.len() - 1)) } else { (steps - 1, steps) };
            let along = [0, 1, 2].map(|axis| points[to][axis] - points[from][axis]);
            all.push(Station { at, steps: narrow::<u32>(steps), along });
        }
    }
    all
}

/// A lattice that streamlines are looked up on.
pub(super) struct Look {
    grid: Grid,
    way: Way,
    shape: [i32; 3],
    /// Voxels that each streamline passes, once.
    passed: Vec<u32>,
    number: u32,
}

impl Look {
    /// From mm of the samples, to whose space `mapping` leads.
    pub(super) fn new(grid: &Grid, mapping: Option<&Mapping>) -> Result<Self> {
        let millimetres = Grid::new([1; 3], Affine::identity())?;
        let way = Way::new(&millimetres, grid, mapping);
        let shape = grid.shape().map(narrow::<i32>);
        Ok(Self { grid: *grid, way, shape, passed: vec![0; grid.len()], number: 0 })
    }

    /// Begins another streamline.
    pub(super) fn begin(&mut self) {
        self.number = self.number.wrapping_add(1);
        if self.number == 0 {
            self.passed.fill(0);
            self.number = 1;
        }
    }

    /// The voxel of a point, unless the streamline has passed it before.
    pub(super) fn first_in(&mut self, point: Point) -> Option<usize> {
        let voxel = self.way.apply(point).map(nearest);
        if !inside(voxel, self.shape) {
            return None;
        }
        let voxel = index(voxel, self.shape);
        let is_first = self.passed[voxel] != self.number;
        self.passed[voxel] = self.number;
        is_first.then_some(voxel)
    }

    /// A direction along the axes of voxels, x from the right, of length 1 or 0.
    fn turned(&self, Station { at, along, .. }: Station) -> [f64; 3] {
        let behind = [0, 1, 2].map(|axis| at[axis] - along[axis]);
        let (from, to, sizes) = (self.way.apply(behind), self.way.apply(at), self.grid.voxel_sizes());
        let sign = if super::rois::is_turned(&self.grid) { -1.0 } else { 1.0 };
        let [x, y, z] = [0, 1, 2].map(|axis| f64::from(to[axis] - from[axis]) * sizes[axis]);
        let direction = [sign * x, y, z];
        let length = direction.iter().map(|c| c * c).sum::<f64>().sqrt();
        if length > 0.0 { direction.map(|c| c / length) } else { [0.0; 3] }
    }
}

/// The products of directions in each voxel.
pub(super) struct Directions(Vec<[f64; 6]>);

impl Directions {
    fn new(grid: &Grid) -> Self {
        Self(vec![[0.0; 6]; grid.len()])
    }

    fn add(&mut self, voxel: usize, [x, y, z]: [f64; 3]) {
        let products = [x * x, y * y, z * z, x * y, x * z, y * z];
        self.0[voxel].iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
    }

    /// The principal direction of each voxel.
    pub(super) fn volume(&self, grid: &Grid) -> Result<Volume<f32>> {
        let principal = |sums: &[f64; 6]| {
            let none = *sums == [0.0; 6];
            let axis = if none { [0.0; 3] } else { Deviator::of(*sums).eigensystem().vectors[0] };
            axis.map(|c| c as f32)
        };
        Volume::new(*grid, 3, self.0.iter().flat_map(principal).collect())
    }
}

/// Where streamlines pass, all of them or those that meet a target.
pub(super) struct Density {
    pub(super) counts: Vec<u32>,
    /// Steps from the seeds, together.
    pub(super) steps: Vec<u64>,
    pub(super) directions: Option<Directions>,
}

impl Density {
    pub(super) fn new(grid: &Grid, with_directions: bool) -> Self {
        let directions = with_directions.then(|| Directions::new(grid));
        Self { counts: vec![0; grid.len()], steps: vec![0; grid.len()], directions }
    }

    /// A streamline that passes these voxels for the first time, after so many steps and in these directions.
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

/// The voxels that a streamline passes, with steps and directions where it comes to each.
pub(super) fn passed(look: &mut Look, line: &[Point], seed: usize) -> Vec<(usize, u32, [f64; 3])> {
    look.begin();
    let mut all = Vec::new();
    for station in stations(line, seed) {
        if let Some(voxel) = look.first_in(station.at) {
            // At the seed it goes out from there, elsewhere it has come.
            let ahead = [0, 1, 2].map(|axis| station.at[axis] + station.along[axis]);
            let there = if station.steps == 0 { Station { at: ahead, ..station } } else { station };
            all.push((voxel, station.steps, look.turned(there)));
        }
    }
    all
}

/// Principal directions of all accepted streamlines.
pub(super) struct AllDirections {
    pub(super) look: Look,
    pub(super) directions: Directions,
}

impl AllDirections {
    pub(super) fn new(grid: &Grid, mapping: Option<&Mapping>) -> Result<Self> {
        Ok(Self { look: Look::new(grid, mapping)?, directions: Directions::new(grid) })
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

/// The points of accepted streamlines as text: `# ` and how many, then `x y z` in voxels of the seeds that count from the right; both
/// halves from the seed on.
pub(super) struct SavedPaths {
    file: AtomicFile,
    way: Way,
    from_the_right: Affine,
}

impl SavedPaths {
    pub(super) fn create(path: &Path, reference: &Reference, mapping: Option<&Mapping>) -> Result<Self> {
        let millimetres = Grid::new([1; 3], Affine::identity())?;
        let way = Way::new(&millimetres, &reference.grid, mapping);
        let from_the_right = from_the_right(&reference.grid);
        Ok(Self { file: AtomicFile::create(path)?, way, from_the_right })
    }

    pub(super) fn finish(self) -> Result<()> {
        self.file.finish()
    }

    fn write(&mut self, line: &[Point], seed: usize) -> std::io::Result<()> {
        let [one, other] = halves(line, seed);
        // A half of the seed alone is one that was rejected, or one that adds nothing.
        let kept: Vec<Point> = match (one.len(), other.len()) {
            (1, _) => other,
            (_, 1) => one,
            _ => [one, other].concat(),
        };
        writeln!(self.file, "# {}", kept.len())?;
        for point in kept {
            let place = self.from_the_right.apply(self.way.apply(point).map(f64::from));
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

    /// Two steps to one side of the seed, three to the other.
    fn line() -> Vec<Point> {
        [3.0, 4.0, 5.0, 6.0, 7.0, 8.0].map(|x| [x, 0.0, 0.0]).to_vec()
    }

    #[test]
    fn halves_begin_at_the_seed() {
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
        let mut look = Look::new(&grid, None).unwrap();
        let all = passed(&mut look, &line(), 2);
        // Around 5 mm (nearest 6), 4, 2 (from 3 mm, halves away), and 8.
        let voxels: Vec<(usize, u32)> = all.iter().map(|(voxel, steps, _)| (*voxel, *steps)).collect();
        assert_eq!(voxels, [(3, 0), (2, 1), (4, 2)]);
        // Along x from the right.
        assert!(all.iter().all(|(.., direction)| direction[0].abs() == 1.0));
    }
}
