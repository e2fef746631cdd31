//! Maps of a diffusion tensor like those that FSL's dtifit writes, with its file names and with directions
//! along FSL's voxel axes.

use super::maps::mean_diffusivity;
use crate::fsl_directions::VoxelAxes;
use crate::job::Job;
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::output_images::write_images;
use arcuate_core::{Result, Volume};
use arcuate_model::{TensorFit, TensorMaps, tensor_shape};
use std::borrow::Cow;

/// Returns the files that are written instead of the usual files of the tensor, its maps and the signal S₀ at
/// b = 0.
pub(super) fn output_files() -> Vec<OutputFile> {
    vec![
        OutputFile::fractional_anisotropy("dti_FA.nii.gz"),
        mean_diffusivity("dti_MD.nii.gz"),
        OutputFile::file("dti_MO.nii.gz", "Mode, −1 for a disc to 1 for a stick"),
        OutputFile::file("dti_S0.nii.gz", "Signal at b = 0"),
        OutputFile::file("dti_L1.nii.gz", "Eigenvalue λ₁, the largest, mm²/s"),
        OutputFile::file("dti_L2.nii.gz", "Eigenvalue λ₂, mm²/s"),
        OutputFile::file("dti_L3.nii.gz", "Eigenvalue λ₃, the smallest, mm²/s"),
        OutputFile::file("dti_V1.nii.gz", "Eigenvector of λ₁, FSL's axes"),
        OutputFile::file("dti_V2.nii.gz", "Eigenvector of λ₂, FSL's axes"),
        OutputFile::file("dti_V3.nii.gz", "Eigenvector of λ₃, FSL's axes"),
        OutputFile::file("dti_tensor.nii.gz", "Tensor Dxx Dxy Dxz Dyy Dyz Dzz, mm²/s, FSL's axes"),
    ]
}

/// Writes the maps of a tensor fit.
pub(super) fn write(folder: &OutputFolder, fit: &TensorFit, maps: &TensorMaps, job: &Job) -> Result<()> {
    let images = images(fit, maps)?;
    let named: Vec<(String, &Volume<f32>)> =
        images.iter().map(|(name, volume)| (format!("dti_{name}"), volume.as_ref())).collect();
    let named: Vec<(&str, &Volume<f32>)> =
        named.iter().map(|(name, volume)| (name.as_str(), *volume)).collect();
    write_images(folder, &named, job)
}

/// Maps with their names, such as `FA`. The prefix `dti_` of the file names is not part of the name.
pub type NamedMaps<'a> = Vec<(&'static str, Cow<'a, Volume<f32>>)>;

/// Returns the maps of dtifit with their names, such as `FA`, `V1` and `tensor`. The components of directions
/// and tensors are along FSL's voxel axes.
pub fn images<'a>(fit: &'a TensorFit, maps: &'a TensorMaps) -> Result<NamedMaps<'a>> {
    let axes = VoxelAxes::new(fit.tensor.grid().affine())?;
    let value = |n: usize| Cow::Owned(maps.eigenvalues.channel(n));
    let vector =
        |n: usize| Cow::Owned(turned(&maps.eigenvectors.channels_at(&[3 * n, 3 * n + 1, 3 * n + 2]), &axes));
    Ok(vec![
        ("FA", Cow::Borrowed(&maps.fa)),
        ("MD", Cow::Borrowed(&maps.md)),
        ("MO", Cow::Owned(tensor_shape(&fit.tensor)?.mode)),
        ("S0", Cow::Borrowed(&fit.s0)),
        ("L1", value(0)),
        ("L2", value(1)),
        ("L3", value(2)),
        ("V1", vector(0)),
        ("V2", vector(1)),
        ("V3", vector(2)),
        ("tensor", Cow::Owned(tensors(&fit.tensor, maps, &axes))),
    ])
}

/// Rotates directions to FSL's axes. Zero vectors remain zero.
fn turned(directions: &Volume<f32>, axes: &VoxelAxes) -> Volume<f32> {
    let mut all = directions.clone();
    for direction in all.values_mut().chunks_exact_mut(3) {
        let along = axes.of(std::array::from_fn(|n| f64::from(direction[n])));
        direction.iter_mut().zip(along).for_each(|(out, value)| *out = value as f32);
    }
    all
}

/// Returns tensors whose elements are along FSL's voxel axes. They are computed as Σ λ v vᵀ from the
/// eigenvalues λ and the eigenvectors v, so that they agree with the other maps.
fn tensors(tensor: &Volume<f32>, maps: &TensorMaps, axes: &VoxelAxes) -> Volume<f32> {
    let mut all = Volume::filled(*tensor.grid(), 6, 0.0f32);
    for voxel in 0..tensor.grid().len() {
        let (values, vectors) = (maps.eigenvalues.voxel(voxel), maps.eigenvectors.voxel(voxel));
        let mut sums = [0.0; 6];
        for (value, vector) in values.iter().zip(vectors.chunks_exact(3)) {
            let v = axes.of(std::array::from_fn(|n| f64::from(vector[n])));
            let places = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
            sums.iter_mut().zip(places).for_each(|(sum, (a, b))| *sum += f64::from(*value) * v[a] * v[b]);
        }
        all.voxel_mut(voxel).iter_mut().zip(sums).for_each(|(out, sum)| *out = sum as f32);
    }
    all
}
