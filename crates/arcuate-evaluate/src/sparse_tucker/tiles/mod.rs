//! Coefficients and dictionary of the sparse Tucker operator, in the order in which the tile kernels (tensor
//! cores) read them.
//!
//! A tile is 128 consecutive voxels, and a chunk is 96 atoms (rows of the dictionary). A tile and a chunk
//! together have 12,288 cells, which are pairs of voxel and atom. Coefficients are sorted by tile, chunk,
//! voxel and atom, in segments of at most `SEGMENT` coefficients. A block of threads adds up one segment at a
//! time in shared memory. Each coefficient has a 16-bit cell number. The dictionary is stored twice, as the
//! matrix fragments that the threads of a warp hold in the products M w and Mᵀ y. Each element d of the
//! dictionary is split into two f16 numbers: d ≈ high + low, accurate to 22 bits.

mod constants;
mod cuda;
mod kernels;

pub(super) use cuda::Tiles;

use super::runs::RUN_BEGINS;
use arcuate_core::{narrow, saturating};
use half::f16;
use rayon::prelude::*;
use std::ops::Range;

/// Maximum number of coefficients per segment. It is a multiple of 8.
const SEGMENT: usize = constants::SEGMENT as usize;
/// Number of bytes of shared memory into which the kernels copy segments of coefficients, as in `kernels.cu`.
const STAGING: usize = 24 * SEGMENT;
/// Number of voxels per tile.
pub(super) const VOXELS: usize = constants::VOXELS as usize;
/// Number of atoms per chunk.
const ATOMS: usize = constants::ATOMS as usize;
/// Distance in shared memory between the rows of a tile, as a number of words. A row has the atoms of one
/// voxel. The distance is the number of atoms plus eight, so that the rows that tensor cores read together
/// are in different memory banks.
const STRIDE: usize = constants::STRIDE as usize;
/// Number of bytes of shared memory that precede the tile, as in `kernels.cu`.
const HEADER: usize = 128;
/// Number of threads per block.
pub(super) const THREADS: u32 = constants::TILE_THREADS;

/// A size for which a tile kernel is compiled. It is used for a range of numbers of directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TileShape {
    /// Maximum number of directions that the tile kernel of this size supports.
    pub(super) directions: usize,
}

/// The sizes for which tile kernels are compiled, by number of directions. With more directions, the sums in
/// registers leave space for fewer voxels, and the dictionary is read more often. The row kernels are then
/// faster (tested up to 512 directions).
const SHAPES: [TileShape; 3] =
    [TileShape { directions: 32 }, TileShape { directions: 64 }, TileShape { directions: 96 }];

impl TileShape {
    /// Returns the size of the tile kernel for this number of directions. Returns `None` if there is no such
    /// kernel.
    pub(super) fn for_directions(directions: usize) -> Option<Self> {
        SHAPES.into_iter().find(|shape| shape.directions >= directions)
    }

    /// Returns the number of bytes of shared memory per block of threads.
    pub(super) fn shared_bytes(self) -> u32 {
        let image = 4 * VOXELS * (self.directions + 8);
        narrow::<u32>(HEADER + 4 * VOXELS * STRIDE + image.max(STAGING))
    }

    /// Returns the number of matrix fragments of a dictionary with this number of atoms. A fragment has four
    /// 32-bit words.
    pub(super) fn fragments(self, atoms: usize) -> usize {
        chunks(atoms) * ATOMS * self.directions / 4
    }
}

/// Returns the number of chunks (of 96 atoms each) of a dictionary. `atoms` is the number of atoms in the
/// dictionary.
fn chunks(atoms: usize) -> usize {
    atoms.div_ceil(ATOMS)
}

/// Returns the number of (voxel, atom) pairs that the tile kernels multiply. Pairs without coefficients are
/// included.
pub(super) fn cells(voxels: usize, atoms: usize) -> usize {
    voxels.next_multiple_of(VOXELS) * chunks(atoms) * ATOMS
}

/// A dictionary as matrix fragments for tensor cores, and the unit of the numbers in these fragments.
pub(super) struct Fragments {
    pub(super) forward: Vec<[u32; 4]>,
    pub(super) adjoint: Vec<[u32; 4]>,
    pub(super) unit: f32,
}

impl Fragments {
    /// Creates the matrix fragments of a dictionary. In memory, successive rows of the dictionary are
    /// `stride` values apart.
    pub(super) fn new(shape: TileShape, dictionary: &[f32], stride: usize, directions: usize) -> Self {
        let atoms = dictionary.len() / stride;
        let largest = dictionary.iter().fold(0f32, |largest, d| largest.max(d.abs()));
        // The dictionary is multiplied by a power of two, so that its largest value is just below 2^10. The
        // low f16 parts then do not underflow.
        let exponent = if largest > 0.0 { 9 - saturating::<i32>(largest.log2().floor()) } else { 0 };
        let scale = 2f64.powi(exponent);
        let at = |atom: usize, direction: usize| -> f32 {
            if atom < atoms && direction < directions {
                (f64::from(dictionary[atom * stride + direction]) * scale) as f32
            } else {
                0.0
            }
        };
        let (rows, columns) = (chunks(atoms) * ATOMS, shape.directions);
        // In the product M w, the tensor cores sum over atoms, and the columns of the result are directions.
        let mut forward = Vec::with_capacity(shape.fragments(atoms));
        for step in 0..rows / 16 {
            for tile in 0..columns / 8 {
                for lane in 0..32 {
                    let (direction, atom) = (tile * 8 + lane / 4, step * 16 + 2 * (lane % 4));
                    forward.push(fragment([0, 1, 8, 9].map(|n| at(atom + n, direction))));
                }
            }
        }
        // In the product Mᵀ y, the tensor cores sum over directions, and the columns of the result are the
        // atoms of a chunk.
        let mut adjoint = Vec::with_capacity(shape.fragments(atoms));
        for chunk in 0..chunks(atoms) {
            for step in 0..columns / 16 {
                for tile in 0..ATOMS / 8 {
                    for lane in 0..32 {
                        let atom = chunk * ATOMS + tile * 8 + lane / 4;
                        let direction = step * 16 + 2 * (lane % 4);
                        adjoint.push(fragment([0, 1, 8, 9].map(|n| at(atom, direction + n))));
                    }
                }
            }
        }
        Self { forward, adjoint, unit: 2f64.powi(-exponent) as f32 }
    }
}

/// Returns the elements of a 16 × 8 matrix that one thread of a warp holds. They are two words of high f16
/// parts and two words of low f16 parts.
fn fragment(values: [f32; 4]) -> [u32; 4] {
    let high = values.map(f16::from_f32);
    let low: [f16; 4] = std::array::from_fn(|n| f16::from_f32(values[n] - high[n].to_f32()));
    let pair = |a: f16, b: f16| u32::from(a.to_bits()) | u32::from(b.to_bits()) << 16;
    [pair(high[0], high[1]), pair(high[2], high[3]), pair(low[0], low[1]), pair(low[2], low[3])]
}

/// The memory layout of coefficients for the tile kernels, sorted by tile, chunk of atoms, voxel and atom.
#[derive(Default)]
pub(super) struct TileLayout {
    /// The index of the first segment of coefficients of each tile, and at the end the number of segments.
    pub(super) tile_segments: Vec<u32>,
    /// The index of the first coefficient of each segment (a multiple of 8), and at the end the number of
    /// coefficients.
    pub(super) segment_starts: Vec<u32>,
    /// Two numbers for each segment of coefficients, in one 32-bit word. The low 16 bits are the segment's
    /// chunk of atoms. The upper bits are the smallest b for which 2^b is at least the length of the
    /// segment's longest run.
    pub(super) segment_facts: Vec<u32>,
    pub(super) cells: Vec<u16>,
    pub(super) members: Vec<u32>,
    pub(super) values: Vec<f32>,
}

/// The coefficients of the operator, sorted by voxel and atom.
pub(super) struct Sorted<'a> {
    pub(super) voxel_starts: &'a [usize],
    pub(super) voxel_runs: &'a [usize],
    pub(super) run_atoms: &'a [u16],
    pub(super) members: &'a [u32],
    pub(super) values: &'a [f32],
}

impl TileLayout {
    /// Creates the memory layout for the voxels in `range`. The first tile begins at the start of the range.
    /// Each segment is padded to a multiple of 8 coefficients, and the padding has the value 0.
    pub(super) fn new(atoms: usize, sorted: &Sorted<'_>, range: Range<usize>) -> Self {
        let tiles = range.len().div_ceil(VOXELS);
        let of_tile = |tile: usize| {
            let first = range.start + tile * VOXELS;
            Self::of_tile(atoms, sorted, first..(first + VOXELS).min(range.end))
        };
        let mut all = Self { tile_segments: vec![0], ..Self::default() };
        // The coefficients of a few hundred tiles are converted at a time. The peak memory is then below
        // twice the memory of all coefficients.
        for batch in (0..tiles).collect::<Vec<_>>().chunks(256) {
            let parts: Vec<Self> = batch.par_iter().map(|&tile| of_tile(tile)).collect();
            for part in parts {
                let offset = narrow::<u32>(all.values.len());
                all.segment_starts.extend(part.segment_starts.iter().map(|start| start + offset));
                all.segment_facts.extend(part.segment_facts);
                all.tile_segments.push(narrow::<u32>(all.segment_starts.len()));
                all.cells.extend(part.cells);
                all.members.extend(part.members);
                all.values.extend(part.values);
            }
        }
        all.segment_starts.push(narrow::<u32>(all.values.len()));
        all
    }

    fn of_tile(atoms: usize, sorted: &Sorted<'_>, voxels: Range<usize>) -> Self {
        let mut out = Self::default();
        // For each voxel, the index of its next run of coefficients and the index of its next coefficient.
        let mut next: Vec<(usize, usize)> =
            voxels.clone().map(|voxel| (sorted.voxel_runs[voxel], sorted.voxel_starts[voxel])).collect();
        for chunk in 0..chunks(atoms) {
            let (first, end) = (chunk * ATOMS, (chunk + 1) * ATOMS);
            let (mut held, mut longest) = (0, 0);
            for (place, voxel) in voxels.clone().enumerate() {
                let (run, at) = &mut next[place];
                while *run < sorted.voxel_runs[voxel + 1] && (sorted.run_atoms[*run] as usize) < end {
                    let cell = narrow::<u16>(place * STRIDE + sorted.run_atoms[*run] as usize - first);
                    let mut length = 0usize;
                    loop {
                        if held == 0 {
                            out.segment_starts.push(narrow::<u32>(out.values.len()));
                        }
                        out.cells.push(cell);
                        out.members.push(sorted.members[*at] & !RUN_BEGINS);
                        out.values.push(sorted.values[*at]);
                        *at += 1;
                        length += 1;
                        longest = longest.max(length);
                        held += 1;
                        if held == SEGMENT {
                            out.close(chunk, longest);
                            (held, longest, length) = (0, 0, 0);
                        }
                        if *at == sorted.voxel_starts[voxel + 1] || sorted.members[*at] & RUN_BEGINS != 0 {
                            break;
                        }
                    }
                    *run += 1;
                }
            }
            if held > 0 {
                out.close(chunk, longest);
            }
        }
        out
    }

    /// Closes the current segment of coefficients, and stores its chunk of atoms and the length of its
    /// longest run.
    fn close(&mut self, chunk: usize, longest: usize) {
        while !self.values.len().is_multiple_of(8) {
            self.cells.push(self.cells[self.cells.len() - 1]);
            self.members.push(self.members[self.members.len() - 1]);
            self.values.push(0.0);
        }
        let bits = longest.next_power_of_two().trailing_zeros();
        self.segment_facts.push(narrow::<u32>(chunk) | bits << 16);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes element n of a lane's fragment.
    fn value(words: [u32; 4], n: usize) -> f64 {
        let half = |word: u32| f16::from_bits((word >> (16 * (n % 2))) as u16).to_f64();
        half(words[n / 2]) + half(words[2 + n / 2])
    }

    #[test]
    fn fragments_store_the_dictionary_with_22_bits() {
        let (atoms, directions, stride) = (130, 27, 32);
        let mut dictionary = vec![0f32; atoms * stride];
        for atom in 0..atoms {
            for direction in 0..directions {
                dictionary[atom * stride + direction] = (atom as f32 * 0.7 + direction as f32 * 1.3).sin();
            }
        }
        let shape = TileShape::for_directions(directions).unwrap();
        let fragments = Fragments::new(shape, &dictionary, stride, directions);
        assert_eq!(fragments.forward.len(), shape.fragments(atoms));
        assert_eq!(fragments.adjoint.len(), shape.fragments(atoms));
        for (lane, n) in [(0, 0), (5, 1), (17, 2), (31, 3)] {
            let along = 2 * (lane % 4) + [0, 1, 8, 9][n];
            // Checks the matrix fragment for step 3, tile 1 of the product M w. Its first atom is 48 and its
            // first direction is 8.
            let forward = fragments.forward[(3 * shape.directions / 8 + 1) * 32 + lane];
            let expected = dictionary[(48 + along) * stride + 8 + lane / 4];
            let error = value(forward, n) * f64::from(fragments.unit) - f64::from(expected);
            assert!(error.abs() < 2f64.powi(-22), "forward, lane {lane}");
            // Checks the matrix fragment for chunk 1, step 0, tile 2 of the product Mᵀ y. Its first atom is
            // 96 + 16 and its first direction is 0.
            let adjoint = fragments.adjoint[(shape.directions / 16 * (ATOMS / 8) + 2) * 32 + lane];
            let atom = ATOMS + 16 + lane / 4;
            let expected = if along < directions { dictionary[atom * stride + along] } else { 0.0 };
            let error = value(adjoint, n) * f64::from(fragments.unit) - f64::from(expected);
            assert!(error.abs() < 2f64.powi(-22), "adjoint, lane {lane}");
        }
    }

    #[test]
    fn every_coefficient_is_in_one_segment_of_its_tile_and_chunk() {
        let atoms = 300;
        let (mut voxel_starts, mut voxel_runs) = (vec![0], vec![0]);
        let (mut run_atoms, mut members, mut values) = (vec![], vec![], vec![]);
        // One voxel has many coefficients: one of its runs (coefficients with the same atom) has 9,000.
        for voxel in 0..300usize {
            for run in 0..voxel % 7 {
                run_atoms.push((run * 43 + voxel % 5) as u16);
                let length = if voxel == 200 && run == 1 { 9000 } else { 1 + (voxel + run) % 4 };
                for n in 0..length {
                    members.push((voxel * 10 + run) as u32 | if n == 0 { RUN_BEGINS } else { 0 });
                    values.push(1.0 + n as f32);
                }
            }
            voxel_starts.push(values.len());
            voxel_runs.push(run_atoms.len());
        }
        let sorted = Sorted {
            voxel_starts: &voxel_starts,
            voxel_runs: &voxel_runs,
            run_atoms: &run_atoms,
            members: &members,
            values: &values,
        };
        let layout = TileLayout::new(atoms, &sorted, 0..300);
        assert_eq!(layout.tile_segments.len(), 300usize.div_ceil(VOXELS) + 1);
        let mut seen: Vec<(usize, usize, u32, u32)> = Vec::new();
        for tile in 0..layout.tile_segments.len() - 1 {
            for segment in layout.tile_segments[tile] as usize..layout.tile_segments[tile + 1] as usize {
                let range =
                    layout.segment_starts[segment] as usize..layout.segment_starts[segment + 1] as usize;
                assert!(range.start.is_multiple_of(8) && range.len() <= SEGMENT && !range.is_empty());
                let (chunk, bits) =
                    (layout.segment_facts[segment] & 0xffff, layout.segment_facts[segment] >> 16);
                let mut run = 0;
                for at in range.clone() {
                    run = if at > range.start && layout.cells[at] == layout.cells[at - 1] {
                        run + 1
                    } else {
                        1
                    };
                    if layout.values[at] == 0.0 {
                        continue;
                    }
                    assert!(run <= 1 << bits);
                    let cell = layout.cells[at] as usize;
                    let voxel = tile * VOXELS + cell / STRIDE;
                    let atom = chunk as usize * ATOMS + cell % STRIDE;
                    seen.push((voxel, atom, layout.members[at], layout.values[at].to_bits()));
                }
            }
        }
        let mut expected = Vec::new();
        for voxel in 0..300 {
            let mut run = voxel_runs[voxel];
            for at in voxel_starts[voxel]..voxel_starts[voxel + 1] {
                run += usize::from(members[at] & RUN_BEGINS != 0);
                let atom = run_atoms[run - 1] as usize;
                expected.push((voxel, atom, members[at] & !RUN_BEGINS, values[at].to_bits()));
            }
        }
        seen.sort_unstable();
        expected.sort_unstable();
        assert_eq!(seen, expected);
    }

    #[test]
    fn two_blocks_fit_the_shared_memory_of_a_multiprocessor() {
        for shape in SHAPES {
            // A GPU multiprocessor of compute capability 9.0 has 228 KiB of shared memory. Two blocks of
            // threads must fit, and each needs 1 KiB in addition.
            assert!(
                2 * (shape.shared_bytes() + 1024) <= 228 << 10,
                "{}: {}",
                shape.directions,
                shape.shared_bytes()
            );
        }
    }
}
