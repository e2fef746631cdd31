//! Division of the voxels into ranges, one for each CPU task.

use super::owned_arrays::OwnedArrays;
use std::ops::Range;

/// Approximate number of coefficients in a range of voxels that one CPU task processes. A range of this size
/// has enough work for a task, and is small enough to balance the load of threads.
const PIECE: usize = 1 << 14;

/// The range of voxels that one CPU task processes, with their coefficients.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) voxels: Range<usize>,
    pub(super) coefficients: Range<usize>,
    /// The unknowns that belong to a single voxel of this range ([`OwnedArrays`]). There is one index range
    /// for each of their two blocks.
    pub(super) own: [Range<usize>; 2],
}

/// Divides voxels into ranges with similar numbers of coefficients, one for each CPU task. The ranges depend
/// on the problem only, so that sums are the same for any number of threads. `own` and `voxel_of` are the two
/// results of [`OwnedArrays::new`].
pub(super) fn pieces(
    columns: usize,
    voxel_starts: &[usize],
    own: &OwnedArrays,
    voxel_of: &[u32],
) -> Vec<Piece> {
    let voxels = voxel_starts.len() - 1;
    let mut pieces = Vec::new();
    let (mut begin, mut held) = (0, 0);
    let mut blocks = own.blocks(columns);
    for voxel in 0..voxels {
        held += voxel_starts[voxel + 1] - voxel_starts[voxel] + 1;
        if held >= PIECE || voxel + 1 == voxels {
            let end = voxel + 1;
            let own = blocks.each_mut().map(|block| {
                let mine = voxel_of[block.clone()].partition_point(|&v| (v as usize) < end);
                let own = block.start..block.start + mine;
                block.start = own.end;
                own
            });
            let coefficients = voxel_starts[begin]..voxel_starts[end];
            pieces.push(Piece { voxels: begin..end, coefficients, own });
            (begin, held) = (end, 0);
        }
    }
    pieces
}
