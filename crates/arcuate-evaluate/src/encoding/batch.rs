use super::counts::Counts;
use super::{Encoding, EncodingOptions};
use arcuate_core::{Mask, narrow};
use rayon::prelude::*;

/// Number of voxels whose coefficients one task joins from all batches.
const VOXELS_OF_A_TASK: usize = 256;

/// Three arrays with one entry per coefficient: the atom (orientation number), the member (streamline number)
/// and the value.
pub(super) type Columns = (Vec<u16>, Vec<u32>, Vec<f32>);

/// The coefficients of a batch of streamlines, sorted by voxel, then orientation, then streamline.
pub(super) struct Batch {
    /// For each voxel of the mask, the index of its first coefficient. The last entry is the total number of
    /// coefficients.
    starts: Vec<u32>,
    atoms: Vec<u16>,
    members: Vec<u32>,
    values: Vec<f32>,
    nodes_outside: u64,
}

impl Batch {
    /// Creates a batch of streamlines without coefficients. `voxels` is the number of voxels of the mask.
    pub(super) fn empty(voxels: usize, nodes_outside: u64) -> Self {
        let (atoms, members, values) = (Vec::new(), Vec::new(), Vec::new());
        Self { starts: vec![0; voxels + 1], atoms, members, values, nodes_outside }
    }

    /// Creates a batch of streamlines from its coefficients. `firsts` has an entry for each voxel of the
    /// mask. The entry is the index of the voxel's first coefficient plus one, or 0 if the voxel has none.
    pub(super) fn new(firsts: &[u32], (atoms, members, values): Columns, nodes_outside: u64) -> Self {
        let mut starts = vec![narrow::<u32>(values.len()); firsts.len() + 1];
        for voxel in (0..firsts.len()).rev() {
            starts[voxel] = if firsts[voxel] == 0 { starts[voxel + 1] } else { firsts[voxel] - 1 };
        }
        Self { starts, atoms, members, values, nodes_outside }
    }

    /// Joins the coefficients of batches to the coefficients of all their streamlines. The batches are in the
    /// order of the streamlines. `voxels` are the voxels of the mask.
    pub(super) fn join(
        mut batches: Vec<Self>,
        voxels: &[u32],
        counts: Counts,
        mask: &Mask,
        options: &EncodingOptions,
    ) -> Encoding {
        let nodes_outside = batches.iter().map(|batch| batch.nodes_outside).sum();
        let starts: Vec<usize> = (0..=voxels.len())
            .map(|voxel| batches.iter().map(|batch| batch.starts[voxel] as usize).sum())
            .collect();
        let (atoms, members, values) = if batches.len() == 1 {
            let batch = batches.remove(0);
            (batch.atoms, batch.members, batch.values)
        } else {
            merge(&batches, &starts)
        };
        let passed = |voxel: &usize| starts[*voxel] < starts[*voxel + 1];
        let passed: Vec<usize> = (0..voxels.len()).filter(passed).collect();
        Encoding {
            grid: *mask.grid(),
            orientations: options.orientations.clone(),
            streamlines: counts.streamlines,
            nodes: counts.points,
            voxels: passed.iter().map(|&voxel| voxels[voxel]).collect(),
            voxel_starts: passed.iter().map(|&voxel| starts[voxel]).chain([values.len()]).collect(),
            atoms,
            members,
            values,
            nodes_outside,
        }
    }
}

/// Returns the atoms (orientation numbers), members (streamline numbers) and values of the coefficients of
/// all batches. `starts` has the index of each voxel's first coefficient in the result.
fn merge(batches: &[Batch], starts: &[usize]) -> Columns {
    let (voxels, count) = (starts.len() - 1, starts[starts.len() - 1]);
    let (mut atoms, mut members, mut values) = (vec![0_u16; count], vec![0_u32; count], vec![0_f32; count]);
    let mut tasks = Vec::with_capacity(voxels.div_ceil(VOXELS_OF_A_TASK));
    let mut rest = (atoms.as_mut_slice(), members.as_mut_slice(), values.as_mut_slice());
    for first in (0..voxels).step_by(VOXELS_OF_A_TASK) {
        let end = (first + VOXELS_OF_A_TASK).min(voxels);
        let len = starts[end] - starts[first];
        let (a, m, v) = (rest.0.split_at_mut(len), rest.1.split_at_mut(len), rest.2.split_at_mut(len));
        tasks.push((first..end, (a.0, m.0, v.0)));
        rest = (a.1, m.1, v.1);
    }
    tasks.into_par_iter().for_each(|(task, (atoms, members, values))| {
        let (mut here, mut sorted) = (0, Vec::new());
        for voxel in task {
            sorted.clear();
            for batch in batches {
                let range = batch.starts[voxel] as usize..batch.starts[voxel + 1] as usize;
                sorted.extend(range.map(|at| (batch.atoms[at], batch.members[at], batch.values[at])));
            }
            // The sort is stable, so that streamlines keep the order of their batches.
            sorted.sort_by_key(|&(atom, ..)| atom);
            for &(atom, member, value) in &sorted {
                (atoms[here], members[here], values[here]) = (atom, member, value);
                here += 1;
            }
        }
    });
    (atoms, members, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::NodeValue;
    use arcuate_core::{Affine, Grid, Orientations};

    #[test]
    fn batches_are_merged_by_voxel_atom_and_streamline() {
        let grid = Grid::new([5, 1, 1], Affine::identity()).unwrap();
        let mask = Mask::new(grid, vec![true, false, true, true, true]).unwrap();
        let orientations = Orientations::half_sphere(9);
        let options = EncodingOptions { orientations, node_value: NodeValue::Count };
        // The streamlines of the first batch pass the first and the last voxel of the mask. The streamlines
        // of the second batch pass the first and the second voxel.
        let first = Batch::new(&[1, 0, 0, 3], (vec![2, 7, 5], vec![0, 0, 1], vec![1.0, 2.0, 3.0]), 4);
        let second = Batch::new(&[1, 3, 0, 0], (vec![2, 3, 8], vec![5, 6, 6], vec![4.0, 5.0, 6.0]), 2);
        let batches = vec![Batch::empty(4, 1), first, second];
        let all = Batch::join(batches, &[0, 2, 3, 4], Counts { streamlines: 7, points: 0 }, &mask, &options);
        assert_eq!((all.voxels(), all.nodes_outside(), all.streamlines()), ([0, 2, 4].as_slice(), 7, 7));
        let of = |n| all.coefficients_of(n).collect::<Vec<_>>();
        assert_eq!(of(0), [(2, 0, 1.0), (2, 5, 4.0), (3, 6, 5.0), (7, 0, 2.0)]);
        assert_eq!((of(1), of(2)), (vec![(8, 6, 6.0)], vec![(5, 1, 3.0)]));
    }
}
