//! A grid of cubic cells, with which the surface triangles near a segment of a streamline are found.
//!
//! Each cell lists the triangles whose distance from the cell is at most a fixed number, the near distance.
//! For a segment shorter than the near distance, only the cell that contains the segment's end is searched.
//! Intersections are decided by signs of integers ([`FixedTriangle`]), so cells affect only the speed.

use crate::voxel_mapping::VoxelMapping;
use arcuate_core::{Error, FixedTriangle, Result, narrow, saturating};
use bytemuck::{Pod, Zeroable};
use std::ops::Range;

/// A point with coordinates in units of 2⁻²⁰ mm.
pub type Fixed = [i32; 3];

/// Number of units of fixed-point coordinates per millimetre.
pub const UNITS: f32 = (1u32 << 20) as f32;
/// The largest coordinate in mm. No surface has larger coordinates.
const LARGEST: f32 = 2047.0;
/// Smallest edge length of a cell, 1 mm, given as the exponent of a power of two in units of 2⁻²⁰ mm. Cells
/// are larger if there would otherwise be too many cells.
const EDGE: u32 = 20;
const MAX_CELLS: u64 = 1 << 24;

/// A grid of cells around triangles.
#[derive(Debug, Clone)]
pub struct SurfaceCells {
    /// The lower corner of the first cell, in units of 2⁻²⁰ mm.
    pub least: Fixed,
    /// Number of cells along each axis.
    pub shape: [i32; 3],
    /// Edge length of a cell, given as the exponent of a power of two, in units of 2⁻²⁰ mm.
    pub edge: u32,
    /// The near distance in units of 2⁻²⁰ mm: a cell lists the triangles up to this distance along each axis.
    pub near: i32,
    /// Edge length of a division, given as the exponent of a power of two, in units of 2⁻²⁰ mm. A division is
    /// the unit in which bounding boxes of triangles are stored. A cell, enlarged by the near distance on all
    /// sides, spans at most 16 divisions along each axis.
    pub division: u32,
    /// For each cell, the index in `list` at which the cell's triangles start. One more number is the end of
    /// the last cell's triangles.
    pub first: Vec<u32>,
    /// The triangles in or near each cell, one cell after another.
    pub list: Vec<ListedTriangle>,
}

/// A triangle in the list of a cell, with its bounding box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ListedTriangle {
    /// Index of the triangle among all triangles.
    pub number: u32,
    /// The bounding box of the triangle, in divisions of the enlarged cell (at most 16 along each axis). A
    /// comparison of bounding boxes excludes most triangles that a segment does not touch. For each axis, the
    /// box has four bits for its start, and four bits for the distance of its end from the last division. A 0
    /// bit follows each group of four bits.
    pub extent: u32,
}

/// Index of the last of the 16 divisions of a cell along an axis.
const LAST: i64 = 15;
/// A mask of the 0 bits that follow the four-bit numbers of a bounding box.
const GUARDS: u32 = 0b10000_10000_10000_10000_10000_10000;

impl ListedTriangle {
    /// Returns whether the triangle's bounding box overlaps the box of a segment, as [`SurfaceCells::reach`]
    /// returns it.
    #[inline]
    pub fn may_meet(self, reach: u32) -> bool {
        // Both bounding boxes have six numbers of four bits. If a number of the triangle's box is larger than
        // the same number of the segment's box, the subtraction clears the bit above this number.
        reach.wrapping_sub(self.extent) & GUARDS == GUARDS
    }
}

/// Converts a point in mm to units of 2⁻²⁰ mm.
#[inline]
pub fn fixed(mm: [f32; 3]) -> Fixed {
    mm.map(|mm| saturating::<i32>((mm.clamp(-LARGEST, LARGEST) * UNITS).round_ties_even()))
}

/// Maps a point with the mapping `direction`, and converts the result from mm to units of 2⁻²⁰ mm.
#[inline]
pub fn fixed_by(direction: &VoxelMapping, place: [f32; 3]) -> Fixed {
    fixed(direction.apply(place))
}

/// Returns whether the bounding boxes of a triangle and a segment overlap.
#[inline]
pub fn are_near(triangle: &FixedTriangle, p: Fixed, q: Fixed) -> bool {
    let [a, b, c] = triangle.0;
    (0..3).all(|axis| {
        let (low, high) = (a[axis].min(b[axis]).min(c[axis]), a[axis].max(b[axis]).max(c[axis]));
        p[axis].max(q[axis]) >= low && p[axis].min(q[axis]) <= high
    })
}

impl SurfaceCells {
    /// Creates the grid of cells for a list of triangles. For a segment of at most `longest_mm` (in the space
    /// of the triangles), only one cell must be searched; for a longer segment, several cells.
    ///
    /// Returns an error if the lists of all cells would have more than 2³² entries.
    pub fn new(triangles: &[FixedTriangle], longest_mm: f64) -> Result<Self> {
        let near = saturating::<i32>((longest_mm.min(64.0) * f64::from(UNITS)).ceil()) + 2;
        let (mut least, mut largest) = ([i32::MAX; 3], [i32::MIN; 3]);
        for corner in triangles.iter().flat_map(|triangle| triangle.0) {
            for axis in 0..3 {
                least[axis] = least[axis].min(corner[axis]);
                largest[axis] = largest[axis].max(corner[axis]);
            }
        }
        if triangles.is_empty() {
            (least, largest) = ([0; 3], [0; 3]);
        }
        let mut edge = EDGE;
        // On every side of the triangles, the grid has a margin of the near distance plus one cell. So the
        // centres of the outermost cells are outside all meshes.
        let extent = |edge: u32, axis: usize| {
            let margin = i64::from(near) + (1i64 << edge);
            ((i64::from(largest[axis]) - i64::from(least[axis]) + 2 * margin) >> edge) as u64 + 1
        };
        while (0..3).map(|axis| extent(edge, axis)).product::<u64>() > MAX_CELLS {
            edge += 1;
        }
        let margin = i64::from(near) + (1i64 << edge);
        let mut cells = Self {
            // The lower corner of the grid is clamped to the smallest 32-bit integer. No point has smaller
            // coordinates.
            least: least.map(|x| narrow::<i32>((i64::from(x) - margin).max(i64::from(i32::MIN)))),
            shape: [0, 1, 2].map(|axis| narrow::<i32>(extent(edge, axis))),
            edge,
            near,
            division: (0..i64::BITS)
                .find(|&n| ((1i64 << edge) + 2 * i64::from(near)) >> n <= LAST)
                .unwrap_or(edge),
            first: Vec::new(),
            list: Vec::new(),
        };
        cells.list(triangles)?;
        Ok(cells)
    }

    /// Index of the cell that contains a point; `None` if the point is outside the grid of cells.
    #[inline]
    pub fn cell(&self, point: Fixed) -> Option<usize> {
        let mut along = [0; 3];
        for axis in 0..3 {
            let cell = (i64::from(point[axis]) - i64::from(self.least[axis])) >> self.edge;
            if cell < 0 || cell >= i64::from(self.shape[axis]) {
                return None;
            }
            along[axis] = cell as usize;
        }
        Some(self.index(along))
    }

    /// Index of the cell whose positions along the three axes are given.
    pub fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        let [nx, ny, _] = self.shape.map(|n| n as usize);
        x + nx * (y + ny * z)
    }

    /// Centre of a cell, in units of 2⁻²⁰ mm.
    pub fn middle(&self, along: [usize; 3]) -> Fixed {
        let at = |axis: usize| {
            let least = i64::from(self.least[axis]);
            // The centre is clamped to the largest 32-bit integer. A centre that is clamped is still outside
            // all meshes.
            narrow::<i32>(
                (least + ((2 * along[axis] as i64 + 1) << (self.edge - 1))).min(i64::from(i32::MAX)),
            )
        };
        [at(0), at(1), at(2)]
    }

    /// Position of a cell along each axis.
    pub fn along(&self, cell: usize) -> [usize; 3] {
        let [nx, ny, _] = self.shape.map(|n| n as usize);
        [cell % nx, cell / nx % ny, cell / (nx * ny)]
    }

    /// The triangles that are listed for a cell.
    #[inline]
    pub fn listed(&self, cell: usize) -> &[ListedTriangle] {
        &self.list[self.first[cell] as usize..self.first[cell + 1] as usize]
    }

    /// A cell has up to 16 divisions along each axis. Returns the index of the division that contains a
    /// coordinate along an axis. A coordinate outside all 16 divisions gives the first or the last division.
    #[inline]
    fn division(&self, axis: usize, cell: usize, x: i32) -> u32 {
        let begin = i64::from(self.least[axis]) + ((cell as i64) << self.edge) - i64::from(self.near);
        narrow::<u32>(((i64::from(x) - begin) >> self.division).clamp(0, LAST))
    }

    /// The bounding box of a triangle, in divisions of a cell (at most 16 along each axis).
    fn extent(&self, along: [usize; 3], triangle: &FixedTriangle) -> u32 {
        (0..3).fold(0, |extent, axis| {
            let of = triangle.0.map(|corner| self.division(axis, along[axis], corner[axis]));
            let [low, high] = [of.iter().min(), of.iter().max()].map(|n| n.copied().unwrap_or(0));
            extent | low << (5 * axis) | (narrow::<u32>(LAST) - high) << (15 + 5 * axis)
        })
    }

    /// The bounding box of a segment, in divisions of a cell (at most 16 along each axis), for
    /// [`ListedTriangle::may_meet`].
    #[inline]
    pub fn reach(&self, along: [usize; 3], from: Fixed, to: Fixed) -> u32 {
        (0..3).fold(GUARDS, |reach, axis| {
            let low = self.division(axis, along[axis], from[axis].min(to[axis]));
            let high = self.division(axis, along[axis], from[axis].max(to[axis]));
            reach | high << (5 * axis) | (narrow::<u32>(LAST) - low) << (15 + 5 * axis)
        })
    }

    /// Calls `look` for each triangle of a cell whose bounding box overlaps the bounding box of a segment.
    #[inline]
    pub fn for_each_in(&self, along: [usize; 3], from: Fixed, to: Fixed, look: &mut impl FnMut(usize)) {
        let listed = self.listed(self.index(along));
        if listed.is_empty() {
            return;
        }
        let reach = self.reach(along, from, to);
        listed.iter().filter(|listed| listed.may_meet(reach)).for_each(|listed| look(listed.number as usize));
    }

    /// Calls `look` for the triangles that a segment may touch; the start point of the segment does not
    /// count. If the segment is longer than the near distance of the cells, some triangles occur several
    /// times.
    #[inline]
    pub fn for_each_near(&self, from: Fixed, to: Fixed, mut look: impl FnMut(usize)) {
        let is_short =
            (0..3).all(|axis| (i64::from(to[axis]) - i64::from(from[axis])).abs() <= i64::from(self.near));
        if is_short {
            if let Some(cell) = self.cell(to) {
                self.for_each_in(self.along(cell), from, to, &mut look);
            }
            return;
        }
        // All cells of the segment's bounding box are searched. Segments that are longer than the near
        // distance are rare, except in streamlines that other programs have tracked.
        let along = |axis: usize| {
            let [low, high] = [from[axis].min(to[axis]), from[axis].max(to[axis])];
            let cell = |x: i32| (i64::from(x) - i64::from(self.least[axis])) >> self.edge;
            let last = i64::from(self.shape[axis]) - 1;
            if cell(high) < 0 || cell(low) > last {
                0..0
            } else {
                cell(low).max(0) as usize..cell(high).min(last) as usize + 1
            }
        };
        for z in along(2) {
            for y in along(1) {
                along(0).for_each(|x| self.for_each_in([x, y, z], from, to, &mut look));
            }
        }
    }

    /// Builds the lists of triangles of all cells. The function reads all triangles twice: first to count the
    /// triangles of each cell, then to write the lists.
    fn list(&mut self, triangles: &[FixedTriangle]) -> Result<()> {
        let cells = self.shape.iter().map(|&n| n as usize).product::<usize>();
        let boxes: Vec<[Range<usize>; 3]> = triangles.iter().map(|t| self.cells_near(t)).collect();
        let each = |boxes: &[Range<usize>; 3], found: &mut dyn FnMut([usize; 3])| {
            let [x, y, z] = boxes.clone();
            for z in z {
                for y in y.clone() {
                    x.clone().for_each(|x| found([x, y, z]));
                }
            }
        };
        let mut first = vec![0u32; cells + 1];
        let mut all = 0u64;
        for near in &boxes {
            each(near, &mut |along| {
                first[self.index(along) + 1] += 1;
                all += 1;
            });
        }
        if u32::try_from(all).is_err() {
            let problem = "its triangles are too many, or too large, for lists of 2³² of them";
            return Err(Error::invalid("surfaces", problem, "give coarser surfaces, or fewer"));
        }
        for cell in 0..cells {
            first[cell + 1] += first[cell];
        }
        let mut list = vec![ListedTriangle { number: 0, extent: 0 }; all as usize];
        let mut next = first.clone();
        for ((number, triangle), near) in (0..).zip(triangles).zip(&boxes) {
            each(near, &mut |along| {
                let next = &mut next[self.index(along)];
                list[*next as usize] = ListedTriangle { number, extent: self.extent(along, triangle) };
                *next += 1;
            });
        }
        (self.first, self.list) = (first, list);
        Ok(())
    }

    /// For each axis, the range of the cells that are in or near the bounding box of a triangle.
    fn cells_near(&self, corners: &FixedTriangle) -> [Range<usize>; 3] {
        let [a, b, c] = corners.0;
        std::array::from_fn(|axis| {
            let (low, high) = (a[axis].min(b[axis]).min(c[axis]), a[axis].max(b[axis]).max(c[axis]));
            // The first cell may start at the smallest 32-bit integer, and its near distance extends to lower
            // coordinates. So 64-bit integers are used.
            let cell = |x: i64| ((x - i64::from(self.least[axis])) >> self.edge).max(0) as usize;
            cell(i64::from(low) - i64::from(self.near))..cell(i64::from(high) + i64::from(self.near)) + 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Purpose, Random};

    /// Returns random triangles with edges of up to `size` mm, all within 20 mm of the origin along each
    /// axis.
    fn triangles(random: &mut Random, size: f64) -> Vec<FixedTriangle> {
        (0..400)
            .map(|_| {
                let at = [(); 3].map(|()| 20.0 * random.uniform());
                FixedTriangle([(); 3].map(|()| {
                    fixed(std::array::from_fn(|n| (at[n] + size * (random.uniform() - 0.5)) as f32))
                }))
            })
            .collect()
    }

    #[test]
    fn every_triangle_that_a_segment_crosses_is_examined() {
        let mut random = Random::new(5, Purpose::Resampling, 0);
        for (size, longest_mm) in [(1.0, 0.5), (6.0, 0.5), (0.2, 2.5), (1.0, 9.0)] {
            let triangles = triangles(&mut random, size);
            let cells = SurfaceCells::new(&triangles, longest_mm).unwrap();
            let (mut looked_at, mut near, mut all) = (0, 0, 0);
            for n in 0..4000 {
                let from = [(); 3].map(|()| 24.0 * random.uniform() - 2.0);
                let direction = random.on_sphere();
                // Some segments are longer than the near distance.
                let length = longest_mm * random.uniform() * if n % 9 == 0 { 5.0 } else { 1.0 };
                let [from, to] = [0.0, length]
                    .map(|far| fixed(std::array::from_fn(|n| (from[n] + far * direction[n]) as f32)));
                let mut seen = Vec::new();
                cells.for_each_near(from, to, |n| seen.push(n));
                let met = (0..triangles.len()).filter(|&n| are_near(&triangles[n], from, to));
                for n in met {
                    assert!(seen.contains(&n), "{size} {longest_mm}: {from:?} {to:?} {:?}", triangles[n]);
                    near += 1;
                }
                if n % 9 != 0 {
                    looked_at += seen.len();
                    all += cells.cell(to).map_or(0, |cell| cells.listed(cell).len());
                }
            }
            // Bounding boxes exclude most triangles of a list, except if triangles are larger than a cell.
            let maximum = if size > 2.0 { all } else { all / 2 };
            assert!(near > 30 && looked_at <= maximum, "{size} {longest_mm}: {near} {looked_at} {all}");
        }
    }

    #[test]
    fn cells_include_triangles_at_the_limits_of_space() {
        let end = fixed([-2047.0; 3]);
        let corner = FixedTriangle([end, [end[0] + 9, end[1], end[2]], [end[0], end[1] + 9, end[2]]]);
        let cells = SurfaceCells::new(&[corner, FixedTriangle([fixed([2047.0; 3]); 3])], 64.0).unwrap();
        let mut seen = Vec::new();
        cells.for_each_near(end, end, |n| seen.push(n));
        assert_eq!(seen, [0]);
        assert!(cells.division < 31 && cells.near > 0);
    }
}
