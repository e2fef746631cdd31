use arcuate_core::{Error, NotComputed, Result, Volume, VoxelCounts};
use arcuate_numbers::Arch;
use arcuate_numbers::Register;
use arcuate_numbers::{Deviator, Eigensystem};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

/// Number of voxels that a CPU thread processes as one task.
const TASK: usize = 4096;

/// Scalar and vector maps that are computed from tensors. All maps are 0 in voxels where the tensor is 0.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TensorMaps {
    /// Fractional anisotropy (FA). If noise made an eigenvalue negative, FA can exceed 1. A value above 1 is
    /// kept, as in MRtrix, because it marks the voxel.
    pub fa: Volume<f32>,
    /// Mean diffusivity (λ₁ + λ₂ + λ₃) / 3 in mm²/s.
    pub md: Volume<f32>,
    /// Axial diffusivity λ₁ in mm²/s.
    pub ad: Volume<f32>,
    /// Radial diffusivity (λ₂ + λ₃) / 2 in mm²/s.
    pub rd: Volume<f32>,
    /// Image with three channels: the eigenvalues λ₁ ≥ λ₂ ≥ λ₃ in mm²/s.
    pub eigenvalues: Volume<f32>,
    /// Image with nine channels: the x, y and z components of the eigenvectors e₁, e₂, e₃, which are unit
    /// vectors in scanner axes. The signs of the eigenvectors are arbitrary.
    pub eigenvectors: Volume<f32>,
    /// Colour image with three channels: |e₁| · FA for red (left-right), green (front-back) and blue
    /// (up-down). The principal direction is e₁, and FA is limited to 1 (Pajevic and Pierpaoli 1999,
    /// doi:10.1002/(SICI)1522-2594(199909)42:3<526::AID-MRM15>3.0.CO;2-J).
    pub colour_fa: Volume<f32>,
    /// Number of voxels with a tensor, and number of voxels whose maps are 0 because an element of the tensor
    /// is not finite.
    pub counts: VoxelCounts,
}

/// Computes maps from a tensor image with the six channels D11, D22, D33, D12, D13, D23 in mm²/s, in scanner
/// axes, as in [`TensorFit::tensor`](crate::TensorFit::tensor). Returns an error for any other number of
/// channels.
///
/// The fractional anisotropy is FA = √(3/2) · ‖D − MD·I‖ / ‖D‖, with the mean diffusivity MD (Basser and
/// Pierpaoli 1996, doi:10.1006/jmrb.1996.0086). If a tensor has a non-finite element, its maps are 0 and the
/// voxel is counted ([`TensorMaps::counts`]).
pub fn tensor_maps(tensor: &Volume<f32>) -> Result<TensorMaps> {
    tensor_maps_with(Arch::new(), tensor)
}

/// Computes the maps with functions that are compiled for one instruction set of the CPU.
pub(super) fn tensor_maps_with(arch: Arch, tensor: &Volume<f32>) -> Result<TensorMaps> {
    check_elements(tensor)?;
    let grid = *tensor.grid();
    let empty = |channels| Volume::filled(grid, channels, 0.0);
    let mut maps = TensorMaps {
        fa: empty(1),
        md: empty(1),
        ad: empty(1),
        rd: empty(1),
        eigenvalues: empty(3),
        eigenvectors: empty(9),
        colour_fa: empty(3),
        counts: counts(tensor),
    };
    (
        tensor.values().par_chunks(6 * TASK),
        maps.fa.values_mut().par_chunks_mut(TASK),
        maps.md.values_mut().par_chunks_mut(TASK),
        maps.ad.values_mut().par_chunks_mut(TASK),
        maps.rd.values_mut().par_chunks_mut(TASK),
        maps.eigenvalues.values_mut().par_chunks_mut(3 * TASK),
        maps.eigenvectors.values_mut().par_chunks_mut(9 * TASK),
        maps.colour_fa.values_mut().par_chunks_mut(3 * TASK),
    )
        .into_par_iter()
        .for_each(|(tensor, fa, md, ad, rd, eigenvalues, eigenvectors, colour_fa)| {
            let task = Task { tensor, fa, md, ad, rd, eigenvalues, eigenvectors, colour_fa };
            arch.dispatch(task);
        });
    Ok(maps)
}

/// Returns the number of voxels with a tensor, and the number of tensors with a non-finite element.
fn counts(tensor: &Volume<f32>) -> VoxelCounts {
    let of_voxel = |elements: &[f32]| {
        let is_finite = elements.iter().all(|d| d.is_finite());
        let is_there = !is_finite || elements.iter().any(|&d| d != 0.0);
        [usize::from(is_there), usize::from(!is_finite)]
    };
    let sum = |a: [usize; 2], b: [usize; 2]| [a[0] + b[0], a[1] + b[1]];
    let [voxels, not_finite] = tensor.values().par_chunks_exact(6).map(of_voxel).reduce(|| [0; 2], sum);
    let mut counts = VoxelCounts::of(voxels);
    counts.add(NotComputed::NotFinite, not_finite);
    counts
}

/// Returns an error if the tensor image does not have six elements per voxel.
pub(super) fn check_elements(tensor: &Volume<f32>) -> Result<()> {
    if tensor.channels() == 6 {
        return Ok(());
    }
    Err(Error::invalid(
        "tensor image",
        format!("the tensor image has {} volumes, not six", tensor.channels()),
        "give the six elements D11, D22, D33, D12, D13, D23",
    ))
}

/// A piece of the image with consecutive voxels: the tensors of these voxels, and their values in each map.
struct Task<'a> {
    tensor: &'a [f32],
    fa: &'a mut [f32],
    md: &'a mut [f32],
    ad: &'a mut [f32],
    rd: &'a mut [f32],
    eigenvalues: &'a mut [f32],
    eigenvectors: &'a mut [f32],
    colour_fa: &'a mut [f32],
}

/// Number of results per voxel: FA, MD, three eigenvalues, and three eigenvectors with three components each.
const RESULTS: usize = 14;

impl WithSimd for Task<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let lanes = S::F64_LANES;
        let usable =
            |elements: &[f32]| elements.iter().any(|&d| d != 0.0) && elements.iter().all(|d| d.is_finite());
        let voxels: Vec<usize> =
            (0..self.fa.len()).filter(|&n| usable(&self.tensor[6 * n..6 * n + 6])).collect();
        let mut elements = vec![0.0; 6 * lanes];
        let mut results = vec![0.0; RESULTS * lanes];
        for batch in voxels.chunks(lanes) {
            for (lane, &n) in batch.iter().enumerate() {
                for (row, &element) in elements.chunks_exact_mut(lanes).zip(&self.tensor[6 * n..6 * n + 6]) {
                    row[lane] = f64::from(element);
                }
            }
            let (vectors, _) = S::as_simd_f64s(&elements);
            let columns = map(simd, std::array::from_fn(|element| vectors[element]));
            for (vector, column) in S::as_mut_simd_f64s(&mut results).0.iter_mut().zip(columns) {
                *vector = column;
            }
            for (lane, &n) in batch.iter().enumerate() {
                let result: [f32; RESULTS] = std::array::from_fn(|k| results[k * lanes + lane] as f32);
                self.fa[n] = result[0];
                self.md[n] = result[1];
                self.ad[n] = result[2];
                self.rd[n] = f32::midpoint(result[3], result[4]);
                self.eigenvalues[3 * n..3 * n + 3].copy_from_slice(&result[2..5]);
                self.eigenvectors[9 * n..9 * n + 9].copy_from_slice(&result[5..14]);
                for axis in 0..3 {
                    self.colour_fa[3 * n + axis] = result[5 + axis].abs() * result[0].min(1.0);
                }
            }
        }
    }
}

/// Computes the [`RESULTS`] of tensors that are not 0, one tensor per SIMD lane.
#[inline(always)]
fn map<S: Simd>(simd: S, elements: [S::f64s; 6]) -> [S::f64s; RESULTS] {
    let deviator = Deviator::of(elements.map(|element| Register::new(simd, element)));
    let Eigensystem { values: [l1, l2, l3], vectors: [e1, e2, e3] } = deviator.eigensystem();
    let (fa, mean) = (deviator.fractional_anisotropy(), deviator.mean);
    [fa, mean, l1, l2, l3, e1[0], e1[1], e1[2], e2[0], e2[1], e2[2], e3[0], e3[1], e3[2]]
        .map(|wide| wide.lanes)
}
