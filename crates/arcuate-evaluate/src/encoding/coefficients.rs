//! The coefficients of streamlines, and how they are to be made.

use arcuate_core::{Grid, Orientations};

/// What a node of a streamline counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NodeValue {
    /// 1 for every point, as LiFE has it: the unit of a weight then depends on the spacing of points.
    #[default]
    Count,
    /// The length in mm that belongs to the point: half of the segments on both sides.
    Length,
}

/// How streamlines are encoded.
#[derive(Debug, Clone, PartialEq)]
pub struct EncodingOptions {
    /// The orientations that stand for all directions; at most 65,536.
    pub orientations: Orientations,
    /// What a node counts.
    pub node_value: NodeValue,
}

/// The non-zero coefficients of a tractogram, sorted by voxel, then orientation, then streamline; no (voxel,
/// orientation, streamline) occurs twice.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoding {
    pub(crate) grid: Grid,
    pub(crate) orientations: Orientations,
    pub(crate) streamlines: usize,
    pub(crate) voxels: Vec<u32>,
    pub(crate) voxel_starts: Vec<usize>,
    pub(crate) atoms: Vec<u16>,
    pub(crate) members: Vec<u32>,
    pub(crate) values: Vec<f32>,
    pub(crate) nodes: u64,
    pub(crate) nodes_outside: u64,
}

impl Encoding {
    /// The lattice of the image.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The orientations that atoms number.
    pub fn orientations(&self) -> &Orientations {
        &self.orientations
    }

    /// Number of streamlines, with and without coefficients.
    pub fn streamlines(&self) -> usize {
        self.streamlines
    }

    /// Number of coefficients.
    pub fn coefficients(&self) -> usize {
        self.values.len()
    }

    /// Grid positions of the voxels that have coefficients, ascending.
    pub fn voxels(&self) -> &[u32] {
        &self.voxels
    }

    /// Points of all streamlines.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Points of streamlines that lay outside the mask and do not count.
    pub fn nodes_outside(&self) -> u64 {
        self.nodes_outside
    }

    /// The coefficients of the `n`-th encoded voxel as (atom, streamline, value).
    pub fn coefficients_of(&self, n: usize) -> impl Iterator<Item = (u16, u32, f32)> {
        let range = self.voxel_starts[n]..self.voxel_starts[n + 1];
        range.map(|at| (self.atoms[at], self.members[at], self.values[at]))
    }

    /// A number for each streamline, in the order in which the encoded voxels meet them: those that pass the same
    /// voxels get numbers close together, so that what is gathered for one lies beside what is gathered for the next.
    /// Streamlines without coefficients come last.
    pub(crate) fn numbers_by_first_voxel(&self) -> Vec<u32> {
        const NONE: u32 = u32::MAX;
        let mut numbers = vec![NONE; self.streamlines];
        let mut met = 0;
        for &member in &self.members {
            let number = &mut numbers[member as usize];
            if *number == NONE {
                *number = met;
                met += 1;
            }
        }
        for number in numbers.iter_mut().filter(|number| **number == NONE) {
            *number = met;
            met += 1;
        }
        numbers
    }

    /// The encoded voxels (as positions in [`voxels`](Self::voxels)) that one of the given streamlines passes.
    pub fn voxels_of(&self, group: &[bool]) -> Vec<usize> {
        (0..self.voxels.len())
            .filter(|&n| {
                self.members[self.voxel_starts[n]..self.voxel_starts[n + 1]]
                    .iter()
                    .any(|&member| group[member as usize])
            })
            .collect()
    }

    /// Without the voxels for which `keep` (one flag per encoded voxel) is false.
    pub(crate) fn retain_voxels(&mut self, keep: &[bool]) {
        if keep.iter().all(|&k| k) {
            return;
        }
        let mut starts = vec![0];
        let (mut voxels, mut atoms, mut members, mut values) = (vec![], vec![], vec![], vec![]);
        for n in (0..self.voxels.len()).filter(|&n| keep[n]) {
            let range = self.voxel_starts[n]..self.voxel_starts[n + 1];
            voxels.push(self.voxels[n]);
            atoms.extend_from_slice(&self.atoms[range.clone()]);
            members.extend_from_slice(&self.members[range.clone()]);
            values.extend_from_slice(&self.values[range]);
            starts.push(values.len());
        }
        *self = Self { voxels, voxel_starts: starts, atoms, members, values, ..self.clone_header() };
    }

    fn clone_header(&self) -> Self {
        Self {
            grid: self.grid,
            orientations: self.orientations.clone(),
            streamlines: self.streamlines,
            voxels: Vec::new(),
            voxel_starts: Vec::new(),
            atoms: Vec::new(),
            members: Vec::new(),
            values: Vec::new(),
            nodes: self.nodes,
            nodes_outside: self.nodes_outside,
        }
    }
}
