//! Division of a GPU's work: functions into groups, segments into units, and voxels into slabs.

use super::arrays::HarmonicArrays;
use arcuate_core::narrow;
use arcuate_solve::Real;
use std::ops::Range;

/// Number of voxels in a brick. The voxels of a brick stay together: they are two tiles of the kernels.
pub(super) const BRICK: usize = 128;
/// Maximum number of segments per unit. A voxel with more segments has several units, which several warps
/// process.
const UNIT: usize = 1024;
/// Number of functions that one kernel processes at once.
const FUNCTIONS: usize = 4;
/// Default memory of intermediate results in bytes. It suffices for all units of many voxels.
const SCRATCH: u64 = 256 << 20;

/// A group of up to four functions that represent the responses of one kind of compartment.
#[derive(Debug, Clone, Copy)]
pub(super) struct GroupShape {
    /// True if the functions belong to streamlines (intra-axonal responses), false if they belong to axes
    /// (extra-axonal responses).
    pub(super) intra: bool,
    pub(super) elements: usize,
    pub(super) first_function: usize,
    pub(super) rank: usize,
}

impl GroupShape {
    /// Returns all groups of functions, for both kinds of compartments with an axis.
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

    /// Returns how many numbers are stored for an element (streamline or axis). Three numbers occupy the
    /// space of four.
    pub(super) fn room(&self) -> usize {
        if self.rank == 3 { 4 } else { self.rank }
    }

    /// Returns the number of values stored for all elements of the group.
    pub(super) fn len(&self) -> usize {
        self.elements * self.room()
    }
}

/// Segments of one voxel for one group of functions, in the layout of the kernels. `begin` and `end` are
/// indices among the GPU's segments, and `place` is the index among the units of all voxels in order.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Unit {
    begin: u32,
    end: u32,
    place: u32,
    voxel: u32,
}

/// All units of a GPU's voxels. Their places are ordered by voxel, and within a voxel by group of functions.
pub(super) struct Units {
    /// The units of each group of functions.
    pub(super) of_groups: Vec<Vec<Unit>>,
    /// For each group, the index of the first unit of each voxel, and at the end the number of units.
    pub(super) starts: Vec<Vec<u32>>,
    /// The place of each voxel's first unit, and at the end the number of units.
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

    /// Sorts the units within each slab by descending number of segments. The warps of a block wait for its
    /// longest unit, so that units of equal length should be together.
    pub(super) fn sort_within<'a>(&mut self, slabs: impl Iterator<Item = &'a Slab>) {
        for slab in slabs {
            for (units, starts) in self.of_groups.iter_mut().zip(&self.starts) {
                let here = starts[slab.voxels.start] as usize..starts[slab.voxels.end] as usize;
                units[here].sort_by_key(|unit| std::cmp::Reverse(unit.end - unit.begin));
            }
        }
    }
}

/// A range of voxels that are processed at the same time, and the places of their units.
#[derive(Debug, Clone)]
pub(super) struct Slab {
    pub(super) voxels: Range<usize>,
    pub(super) places: Range<usize>,
}

/// Size of the intermediate results of a range of voxels: the number of its units and of its voxels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct IntermediateSize {
    pub(super) units: usize,
    pub(super) voxels: usize,
}

impl IntermediateSize {
    fn most(self, other: Self) -> Self {
        Self { units: self.units.max(other.units), voxels: self.voxels.max(other.voxels) }
    }
}

/// The voxels of a GPU, with the data that determine the size of their intermediate results.
pub(super) struct Slabs<'a> {
    /// The place of each voxel's first unit, and at the end the number of units.
    pub(super) places: &'a [u32],
    /// Number of values per unit, and number of values per voxel.
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

    /// Returns the first voxel of a brick, or the number of voxels if the brick is past the end.
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
            .fold(IntermediateSize::default(), IntermediateSize::most)
    }

    /// Returns the number of bytes for intermediate results. `budget` is the available GPU memory in bytes.
    pub(super) fn scratch_bytes(&self, budget: u64) -> u64 {
        let least = self.bytes(self.largest_brick());
        let all = self.bytes(self.of_bricks(0..self.bricks())).max(least);
        SCRATCH.min(budget / 8).max(least).min(all)
    }

    /// Divides each chunk of bricks into slabs whose intermediate results fit in `bytes`. Also returns the largest size
    /// of intermediate results.
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
                while end < chunk.end && self.bytes(needed.most(self.of_bricks(begin..end + 1))) <= bytes {
                    end += 1;
                }
                needed = needed.most(self.of_bricks(begin..end));
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
