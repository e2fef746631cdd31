//! The sparse coefficients of streamlines (one per voxel, orientation and streamline), and the options of
//! their computation.

use arcuate_core::{Grid, Orientations};

/// The value of a node. A node is a point of a streamline, and contributes its value to one coefficient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum NodeValue {
    /// The value of every node is 1, as in LiFE. The unit of a streamline's weight then depends on the
    /// spacing of the streamline's points.
    #[default]
    Count,
    /// The value of a node is the length in mm that belongs to the point: half of the edge on each side of
    /// the point.
    Length,
}

/// Options of the conversion of streamlines to coefficients.
#[derive(Debug, Clone, PartialEq)]
pub struct EncodingOptions {
    /// The directions of streamlines are replaced by the nearest of these orientations. At most 65,536
    /// orientations are possible.
    pub orientations: Orientations,
    /// The value that each node (point) of a streamline has.
    pub node_value: NodeValue,
}

/// The non-zero coefficients of a tractogram. They are sorted by voxel, then by orientation, and then by
/// streamline. Each combination of the three occurs at most once.
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
    /// Returns the grid of the image.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Returns the orientations. The atom of a coefficient is the index of its orientation in this list.
    pub fn orientations(&self) -> &Orientations {
        &self.orientations
    }

    /// Returns the number of streamlines. Streamlines without coefficients are included.
    pub fn streamlines(&self) -> usize {
        self.streamlines
    }

    /// Returns the number of coefficients.
    pub fn coefficients(&self) -> usize {
        self.values.len()
    }

    /// Returns the grid indices of the voxels with coefficients, ascending.
    pub fn voxels(&self) -> &[u32] {
        &self.voxels
    }

    /// Returns the total number of points of all streamlines.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Returns the number of points of streamlines outside the mask. These points are ignored.
    pub fn nodes_outside(&self) -> u64 {
        self.nodes_outside
    }

    /// Returns the coefficients of the `n`-th voxel that has coefficients. Each coefficient is (atom,
    /// streamline, value), where the atom is an orientation number.
    pub fn coefficients_of(&self, n: usize) -> impl Iterator<Item = (u16, u32, f32)> {
        let range = self.voxel_starts[n]..self.voxel_starts[n + 1];
        range.map(|at| (self.atoms[at], self.members[at], self.values[at]))
    }

    /// Returns a new number for each streamline. The new numbers are in the order in which the list of voxels
    /// first contains the streamlines. Streamlines through the same voxels therefore get similar numbers, and
    /// matrix products access nearby memory. Streamlines without coefficients have the last numbers.
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

    /// Returns the voxels with coefficients that at least one of the given streamlines passes through, as
    /// indices into [`voxels`](Self::voxels). `group` has one flag per streamline, which is true for the
    /// given streamlines.
    pub fn voxels_of(&self, group: &[bool]) -> Vec<usize> {
        (0..self.voxels.len())
            .filter(|&n| {
                self.members[self.voxel_starts[n]..self.voxel_starts[n + 1]]
                    .iter()
                    .any(|&member| group[member as usize])
            })
            .collect()
    }

    /// Removes the coefficients of the voxels whose flag in `keep` is false. `keep` has one flag per voxel
    /// with coefficients.
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
