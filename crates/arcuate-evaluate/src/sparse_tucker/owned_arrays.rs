use super::runs::RUN_BEGINS;
use arcuate_core::narrow;
use std::ops::Range;

/// The unknowns that belong to a single voxel, such as COMMIT's unknowns of peaks and of voxels. They are the
/// last unknowns, in two blocks in the order of the voxels. The adjoint product needs no private copies of
/// them. The blocks are empty unless at least half of all unknowns belong to single voxels.
#[derive(Debug, Clone, Copy)]
pub(super) struct OwnedArrays {
    /// Index of the first unknown in the first block. It is also the number of shared unknowns.
    pub(super) first: usize,
    /// Index of the first unknown in the second block.
    pub(super) second: usize,
}

impl OwnedArrays {
    /// Finds the two blocks. Coefficients must be sorted by voxel. Also returns the voxel of each unknown
    /// that belongs to a single voxel.
    pub(super) fn new(columns: usize, voxel_starts: &[usize], members: &[u32]) -> (Self, Vec<u32>) {
        const UNUSED: u32 = u32::MAX;
        const SHARED: u32 = u32::MAX - 1;
        let none = Self { first: columns, second: columns };
        if voxel_starts.len() == 1 || voxel_starts.len() > SHARED as usize {
            return (none, vec![UNUSED; columns]);
        }
        let mut voxel_of = vec![UNUSED; columns];
        for (voxel, pair) in voxel_starts.windows(2).enumerate() {
            for member in &members[pair[0]..pair[1]] {
                let of = &mut voxel_of[(member & !RUN_BEGINS) as usize];
                *of = if [UNUSED, narrow::<u32>(voxel)].contains(of) { narrow::<u32>(voxel) } else { SHARED };
            }
        }
        // The search runs from the last unknown to the first. A block begins where the next unknown to the
        // left is shared, or has a higher voxel number.
        let block_before = |end: usize| {
            let (mut first, mut next) = (end, UNUSED);
            while first > 0 {
                match voxel_of[first - 1] {
                    UNUSED => {}
                    voxel if voxel == SHARED || voxel > next => break,
                    voxel => next = voxel,
                }
                first -= 1;
            }
            first
        };
        let second = block_before(columns);
        let first = block_before(second);
        // An unknown without coefficients gets the same voxel as the preceding unknown.
        for unknown in first..columns {
            if voxel_of[unknown] == UNUSED {
                let begins = unknown == first || unknown == second;
                voxel_of[unknown] = if begins { 0 } else { voxel_of[unknown - 1] };
            }
        }
        if 2 * first <= columns { (Self { first, second }, voxel_of) } else { (none, voxel_of) }
    }

    pub(super) fn blocks(&self, columns: usize) -> [Range<usize>; 2] {
        [self.first..self.second, self.second..columns]
    }
}
