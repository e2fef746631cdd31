//! The arrays of the sparse Tucker operator (coefficients and dictionary) in CPU memory.

use super::aligned::Aligned;
use super::owned_arrays::OwnedArrays;
use super::pieces::{Piece, pieces};
use super::runs::RUN_BEGINS;
use crate::Dictionary;
use arcuate_core::{Error, Result};
use arcuate_numbers::Real;

/// The arrays of [`SparseTucker`](super::SparseTucker), on any device.
#[derive(Debug)]
pub(super) struct TuckerArrays<T> {
    pub(super) columns: usize,
    pub(super) directions: usize,
    /// Length of a row of the dictionary, as a number of values. The row is padded with zeros to this length.
    pub(super) stride: usize,
    pub(super) dictionary: Aligned<T>,
    pub(super) voxel_starts: Vec<usize>,
    pub(super) voxel_runs: Vec<usize>,
    pub(super) run_atoms: Vec<u16>,
    /// For each coefficient, the index of its unknown. A run is a group of coefficients with the same voxel
    /// and dictionary row (atom). On the first coefficient of each run, the flag [`RUN_BEGINS`] is added to
    /// this index.
    pub(super) members: Vec<u32>,
    pub(super) values: Vec<T>,
    pub(super) pieces: Vec<Piece>,
    pub(super) own: OwnedArrays,
}

impl<T: Real> TuckerArrays<T> {
    /// Creates the arrays from the arguments of [`SparseTucker::new`](super::SparseTucker::new).
    pub(super) fn new(
        dictionary: &Dictionary,
        columns: usize,
        voxel_starts: &[usize],
        atoms: &[u16],
        mut members: Vec<u32>,
        values: Vec<T>,
    ) -> Result<Self> {
        let fail = |problem: &str| {
            Err(Error::invalid(
                "sparse Tucker operator",
                problem,
                "give coefficients that are sorted and whose indices are inside the shape of the operator",
            ))
        };
        let count = values.len();
        if atoms.len() != count || members.len() != count {
            return fail("its index vectors differ in length");
        }
        if voxel_starts.first() != Some(&0) || voxel_starts.last() != Some(&count) {
            return fail("its voxels do not cover its coefficients");
        }
        if !voxel_starts.is_sorted() {
            return fail("its voxels do not follow each other");
        }
        if atoms.iter().any(|&a| a as usize >= dictionary.atoms()) {
            return fail("a coefficient points beyond the dictionary");
        }
        if members.iter().any(|&f| f as usize >= columns) {
            return fail("a coefficient points beyond the unknowns");
        }
        if !values.iter().all(|v| v.is_finite()) || !dictionary.is_finite() {
            return fail("a coefficient or a value of its dictionary is not finite");
        }
        if columns > RUN_BEGINS as usize {
            return fail("it has more than 2,147,483,648 unknowns");
        }
        let (mut voxel_runs, mut run_atoms) = (vec![0], Vec::new());
        for pair in voxel_starts.windows(2) {
            for at in pair[0]..pair[1] {
                if at == pair[0] || atoms[at] != atoms[at - 1] {
                    if at > pair[0] && atoms[at] < atoms[at - 1] {
                        return fail("its coefficients are not sorted by atom");
                    }
                    run_atoms.push(atoms[at]);
                    members[at] |= RUN_BEGINS;
                }
            }
            voxel_runs.push(run_atoms.len());
        }

        let stride = dictionary.directions().next_multiple_of(T::PADDING);
        let mut rows = Aligned::filled(dictionary.atoms() * stride, T::zero());
        for atom in 0..dictionary.atoms() {
            for (to, &from) in rows[atom * stride..].iter_mut().zip(dictionary.row(atom)) {
                *to = T::of(from);
            }
        }
        let (own, voxel_of) = OwnedArrays::new(columns, voxel_starts, &members);
        Ok(Self {
            columns,
            directions: dictionary.directions(),
            stride,
            dictionary: rows,
            voxel_starts: voxel_starts.to_vec(),
            voxel_runs,
            run_atoms,
            members,
            values,
            pieces: pieces(columns, voxel_starts, &own, &voxel_of),
            own,
        })
    }

    /// Returns the number of atoms, which are the rows of the dictionary.
    pub(super) fn atoms(&self) -> usize {
        self.dictionary.len() / self.stride
    }

    /// Returns the number of voxels (blocks of data).
    pub(super) fn voxels(&self) -> usize {
        self.voxel_runs.len() - 1
    }

    /// Returns the number of coefficients.
    pub(super) fn coefficients(&self) -> usize {
        self.values.len()
    }

    /// Returns the number of runs. A run is a group of coefficients with the same voxel and atom (row of the
    /// dictionary).
    pub(super) fn runs(&self) -> usize {
        self.run_atoms.len()
    }
}
