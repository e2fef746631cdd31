//! Division of a GPU's work. Basis functions are divided into groups, segments into work units, and voxels
//! into slabs (ranges that are processed together).

use super::arrays::HarmonicArrays;
use arcuate_core::narrow;
use arcuate_solve::Real;
use std::ops::Range;

/// Number of voxels in a brick. Work is divided between whole bricks only. A brick has the voxels of two
/// tiles of the kernels' matrix products.
pub(super) const BRICK: usize = 128;
/// Maximum number of segments per work unit of a kernel. If a voxel has more segments, it has several work
/// units, which several warps (32 threads each) process.
const UNIT: usize = 1024;
/// Number of basis functions that one kernel launch processes at once.
const FUNCTIONS: usize = 4;
/// Default size in bytes of the GPU memory for intermediate results of the products A x and Aᵀ y. It suffices
/// for the work units of many voxels.
const SCRATCH: u64 = 256 << 20;

/// A group of up to four basis functions, which approximate the responses of one kind of compartment.
#[derive(Debug, Clone, Copy)]
pub(super) struct GroupShape {
    /// True if the basis functions belong to streamlines (intra-axonal responses). False if they belong to
    /// axes (extra-axonal responses).
    pub(super) intra: bool,
    pub(super) elements: usize,
    pub(super) first_function: usize,
    pub(super) rank: usize,
}

impl GroupShape {
    /// Returns all groups of basis functions, for the intra-axonal and the extra-axonal responses.
    pub(super) fn all<T: Real>(operator: &HarmonicArrays<T>) -> Vec<Self> {
        let kinds = [
            (true, operator.layout.streamlines, operator.basis.intra.rank),
            (false, operator.layout.axes, operator.basis.extra.rank),
        ];
        kinds
            .into_iter()
            .filter(|&(_, elements, _)| elements > 0)
            .flat_map(|(intra, elements, rank)| {
                (0..rank).step_by(FUNCTIONS).map(move |first_function| Self {
                    intra,
                    elements,
                    first_function,
                    rank: (rank - first_function).min(FUNCTIONS),
                })
            })
            .collect()
    }

    /// Returns how many numbers are stored for an element (streamline or axis), one per basis function. Three
    /// numbers occupy the memory of four.
    pub(super) fn room(&self) -> usize {
        if self.rank == 3 { 4 } else { self.rank }
    }

    /// Returns the number of values stored for all elements (streamlines or axes) of this group of basis
    /// functions.
    pub(super) fn len(&self) -> usize {
        self.elements * self.room()
    }
}

/// A work unit: segments of one voxel for one group of basis functions, in the memory layout of the kernels.
/// `begin` and `end` are indices among the GPU's segments. `place` is the index of the work unit in the order
/// of the voxels.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Unit {
    begin: u32,
    end: u32,
    place: u32,
    voxel: u32,
}

/// All work units of a GPU's voxels. Each work unit has a place (index) in the order of the voxels, and
/// within a voxel in the order of the groups of basis functions.
pub(super) struct Units {
    /// The units of each group of functions.
    pub(super) of_groups: Vec<Vec<Unit>>,
    /// For each group of basis functions: the index of each voxel's first work unit, and at the end the
    /// number of work units.
    pub(super) starts: Vec<Vec<u32>>,
    /// The place (index) of each voxel's first work unit, and at the end the number of work units.
    pub(super) places: Vec<u32>,
}

impl Units {
    pub(super) fn new<T: Real>(
        operator: &HarmonicArrays<T>,
        voxels: &Range<usize>,
        groups: &[GroupShape],
    ) -> Self {
        let (segments, axes) = (&operator.segments.voxel_starts, &operator.axis_starts);
        let mut units = Self {
            of_groups: vec![Vec::new(); groups.len()],
            starts: vec![vec![0]; groups.len()],
            places: vec![0],
        };
        let mut place = 0;
        for voxel in voxels.clone() {
            for (n, group) in groups.iter().enumerate() {
                let starts = if group.intra { segments } else { axes };
                let first = starts[voxels.start];
                let here = starts[voxel] - first..starts[voxel + 1] - first;
                for begin in here.clone().step_by(UNIT) {
                    units.of_groups[n].push(Unit {
                        begin: narrow::<u32>(begin),
                        end: narrow::<u32>((begin + UNIT).min(here.end)),
                        place,
                        voxel: narrow::<u32>(voxel - voxels.start),
                    });
                    place += 1;
                }
                units.starts[n].push(narrow::<u32>(units.of_groups[n].len()));
            }
            units.places.push(place);
        }
        units
    }

    /// Sorts the work units within each slab (range of voxels) by descending number of segments. All warps of
    /// a block wait for the longest work unit of the block, so units of similar length should be in the same
    /// block.
    pub(super) fn sort_within<'a>(&mut self, slabs: impl Iterator<Item = &'a Slab>) {
        for slab in slabs {
            for (units, starts) in self.of_groups.iter_mut().zip(&self.starts) {
                let here = starts[slab.voxels.start] as usize..starts[slab.voxels.end] as usize;
                units[here].sort_by_key(|unit| std::cmp::Reverse(unit.end - unit.begin));
            }
        }
    }
}

/// A range of voxels that are processed together, and the range of the places (indices) of their work units.
#[derive(Debug, Clone)]
pub(super) struct Slab {
    pub(super) voxels: Range<usize>,
    pub(super) places: Range<usize>,
}

/// Size of the intermediate results for a range of voxels, as the number of its work units and the number of
/// its voxels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct IntermediateSize {
    pub(super) units: usize,
    pub(super) voxels: usize,
}

impl IntermediateSize {
    fn maximum(self, other: Self) -> Self {
        Self { units: self.units.max(other.units), voxels: self.voxels.max(other.voxels) }
    }
}

/// The voxels of a GPU, with the numbers that determine the memory of their intermediate results.
pub(super) struct Slabs<'a> {
    /// The place (index) of each voxel's first work unit, and at the end the number of work units.
    pub(super) places: &'a [u32],
    /// Number of intermediate values per work unit, and number of intermediate values per voxel.
    pub(super) numbers: [usize; 2],
    /// Number of bytes per value.
    pub(super) real: usize,
}

impl Slabs<'_> {
    pub(super) fn bricks(&self) -> usize {
        self.voxels().div_ceil(BRICK)
    }

    fn voxels(&self) -> usize {
        self.places.len() - 1
    }

    /// Returns the index of the first voxel of a brick (128 successive voxels). If the brick is past the end,
    /// returns the number of voxels.
    pub(super) fn voxel_of(&self, brick: usize) -> usize {
        (brick * BRICK).min(self.voxels())
    }

    fn of_bricks(&self, bricks: Range<usize>) -> IntermediateSize {
        let (begin, end) = (self.voxel_of(bricks.start), self.voxel_of(bricks.end));
        IntermediateSize { units: (self.places[end] - self.places[begin]) as usize, voxels: end - begin }
    }

    fn bytes(&self, between: IntermediateSize) -> u64 {
        let [of_unit, of_voxel] = self.numbers;
        (between.units * of_unit + between.voxels * of_voxel) as u64 * self.real as u64
    }

    fn largest_brick(&self) -> IntermediateSize {
        (0..self.bricks())
            .map(|n| self.of_bricks(n..n + 1))
            .fold(IntermediateSize::default(), IntermediateSize::maximum)
    }

    /// Returns how many bytes the intermediate results may use. `budget` is the available GPU memory in
    /// bytes.
    pub(super) fn scratch_bytes(&self, budget: u64) -> u64 {
        let minimum = self.bytes(self.largest_brick());
        let all = self.bytes(self.of_bricks(0..self.bricks())).max(minimum);
        SCRATCH.min(budget / 8).max(minimum).min(all)
    }

    /// Divides each chunk of bricks (128 voxels each) into slabs. A slab is a range of voxels whose
    /// intermediate results fit in `bytes`. Also returns the largest size of the intermediate results of a
    /// slab.
    pub(super) fn cut(
        &self,
        chunks: impl Iterator<Item = Range<usize>>,
        bytes: u64,
    ) -> (Vec<Vec<Slab>>, IntermediateSize) {
        let mut needed = self.largest_brick();
        let slabs = chunks.map(|chunk| {
            let (mut slabs, mut begin) = (Vec::new(), chunk.start);
            while begin < chunk.end {
                let mut end = begin + 1;
                while end < chunk.end && self.bytes(needed.maximum(self.of_bricks(begin..end + 1))) <= bytes {
                    end += 1;
                }
                needed = needed.maximum(self.of_bricks(begin..end));
                let voxels = self.voxel_of(begin)..self.voxel_of(end);
                let places = self.places[voxels.start] as usize..self.places[voxels.end] as usize;
                slabs.push(Slab { voxels, places });
                begin = end;
            }
            slabs
        });
        (slabs.collect(), needed)
    }
}
