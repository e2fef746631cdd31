use super::runs::RUN_BEGINS;
use arcuate_core::narrow;
use std::ops::Range;

/// The unknowns that belong to a single voxel, for example COMMIT's unknowns of peaks and of voxels. They are
/// the last unknowns, in two blocks, and each block is in the order of the voxels. Tasks of the product Mᵀ y
/// need no copies of these unknowns, because each unknown gets contributions from one task only. If fewer
/// than half of all unknowns belong to single voxels, both blocks are empty.
#[derive(Debug, Clone, Copy)]
pub(super) struct OwnedArrays {
    /// Index of the first unknown in the first block. It is also the number of unknowns that voxels share.
    pub(super) first: usize,
    /// Index of the first unknown in the second block of unknowns that belong to a single voxel.
    pub(super) second: usize,
}

impl OwnedArrays {
    /// Finds the two blocks of unknowns that belong to a single voxel. Coefficients must be sorted by voxel.
    /// Also returns the voxel of each of these unknowns.
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
        // The search for a block runs from the last unknown to the first. It stops at an unknown that several
        // voxels share. It also stops at an unknown whose voxel number is higher than that of the unknown
        // after it.
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
        // An unknown without coefficients gets the voxel of the unknown before it.
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
