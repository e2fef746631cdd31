use arcuate_core::{DiffusionTensor, Error, Result, Volume};
use rayon::prelude::*;

/// Voxels in a task.
const TASK: usize = 4096;

/// What is read off a tensor, voxel by voxel. All volumes are 0 where the tensor is.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorMaps {
    /// Fractional anisotropy. Above 1 where noise has made an eigenvalue negative: left so, as MRtrix does, because
    /// it marks the voxel.
    pub fa: Volume<f32>,
    /// Mean diffusivity (λ₁ + λ₂ + λ₃) / 3 in mm²/s.
    pub md: Volume<f32>,
    /// Axial diffusivity λ₁ in mm²/s.
    pub ad: Volume<f32>,
    /// Radial diffusivity (λ₂ + λ₃) / 2 in mm²/s.
    pub rd: Volume<f32>,
    /// 3 channels: λ₁ ≥ λ₂ ≥ λ₃ in mm²/s.
    pub eigenvalues: Volume<f32>,
    /// 9 channels: the unit vectors e₁, e₂, e₃ in scanner axes, x, y, z of each; their signs are arbitrary.
    pub eigenvectors: Volume<f32>,
    /// 3 channels: |e₁| · FA for red (left-right), green (front-back) and blue (up-down), FA above 1 counting as 1
    /// (Pajevic and Pierpaoli 1999, doi:10.1002/(SICI)1522-2594(199909)42:3<526::AID-MRM15>3.0.CO;2-J).
    pub colour_fa: Volume<f32>,
}

/// Maps of a tensor image: 6 channels D11, D22, D33, D12, D13, D23 in mm²/s, scanner axes, as
/// [`TensorFit::tensor`](crate::TensorFit::tensor) holds them. Fails on any other number of channels.
///
/// FA and eigensystem are those of [`DiffusionTensor`], in closed form. A tensor with an element that is not finite
/// gives zeros.
pub fn tensor_maps(tensor: &Volume<f32>) -> Result<TensorMaps> {
    if tensor.channels() != 6 {
        return Err(Error::invalid(
            "tensor image",
            format!("it has {} volumes", tensor.channels()),
            "give the six elements D11, D22, D33, D12, D13, D23",
        ));
    }
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
            for (n, elements) in tensor.chunks_exact(6).enumerate() {
                if elements.iter().all(|&d| d == 0.0) || !elements.iter().all(|d| d.is_finite()) {
                    continue;
                }
                let tensor = DiffusionTensor(std::array::from_fn(|i| f64::from(elements[i])));
                let system = tensor.eigensystem();
                let [l1, l2, l3] = system.values;
                let anisotropy = tensor.fractional_anisotropy();
                fa[n] = anisotropy as f32;
                md[n] = tensor.mean_diffusivity() as f32;
                ad[n] = l1 as f32;
                rd[n] = f64::midpoint(l2, l3) as f32;
                for axis in 0..3 {
                    eigenvalues[3 * n + axis] = system.values[axis] as f32;
                    colour_fa[3 * n + axis] = (system.vectors[0][axis].abs() * anisotropy.min(1.0)) as f32;
                    for vector in 0..3 {
                        eigenvectors[9 * n + 3 * vector + axis] = system.vectors[vector][axis] as f32;
                    }
                }
            }
        });
    Ok(maps)
}
