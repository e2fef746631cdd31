use arcuate_core::{DiffusionTensor, Result, Volume};
use rayon::prelude::*;

/// Maps of shape measures of tensors. All maps are 0 in voxels where the tensor is 0.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TensorShape {
    /// Linearity (λ₁ − λ₂) / (λ₁ + λ₂ + λ₃), which is 1 for a stick. Linearity, planarity and sphericity are
    /// defined as by Westin et al. 1997 ("Geometrical diffusion measures for MRI from tensor basis analysis",
    /// Proc. ISMRM 5:1742). Their sum is 1.
    pub linearity: Volume<f32>,
    /// Planarity 2 (λ₂ − λ₃) / (λ₁ + λ₂ + λ₃), which is 1 for a disc.
    pub planarity: Volume<f32>,
    /// Sphericity 3 λ₃ / (λ₁ + λ₂ + λ₃), which is 1 for a sphere.
    pub sphericity: Volume<f32>,
    /// Mode of anisotropy, 3√6 det(B / ‖B‖) with B = D − MD·I, the tensor D and its mean diffusivity MD
    /// (Ennis and Kindlmann 2006, doi:10.1002/mrm.20741). The mode ranges from −1 for a disc to 1 for a
    /// stick. It is 0 for a sphere.
    pub mode: Volume<f32>,
}

/// Computes shape measures from a tensor image with six channels, as [`tensor_maps`](crate::tensor_maps)
/// requires. Returns an error for any other number of channels.
///
/// In a voxel whose tensor has a non-finite element, all shape measures are 0. If the trace of the tensor is
/// 0, linearity, planarity and sphericity are 0.
pub fn tensor_shape(tensor: &Volume<f32>) -> Result<TensorShape> {
    super::maps::check_elements(tensor)?;
    let shapes: Vec<[f32; 4]> = tensor.values().par_chunks_exact(6).map(shape).collect();
    let map = |n: usize| Volume::new(*tensor.grid(), 1, shapes.iter().map(|shape| shape[n]).collect());
    Ok(TensorShape { linearity: map(0)?, planarity: map(1)?, sphericity: map(2)?, mode: map(3)? })
}

/// Returns the linearity, planarity, sphericity and mode of a tensor.
fn shape(elements: &[f32]) -> [f32; 4] {
    if elements.iter().any(|element| !element.is_finite()) {
        return [0.0; 4];
    }
    let tensor = DiffusionTensor(std::array::from_fn(|n| f64::from(elements[n])));
    let values = tensor.eigensystem().values;
    let [first, second, third] = values;
    let trace = first + second + third;
    let over = |difference: f64| if trace == 0.0 { 0.0 } else { (difference / trace) as f32 };
    let [a, b, c] = values.map(|value| value - trace / 3.0);
    let norm = (a * a + b * b + c * c).sqrt();
    // If the tensor is a sphere, its anisotropic part is rounding error, and the mode is set to 0.
    let round = norm <= 1e-6 * first.abs().max(third.abs());
    let mode = if round { 0.0 } else { 3.0 * 6f64.sqrt() * (a / norm) * (b / norm) * (c / norm) };
    [over(first - second), over(2.0 * (second - third)), over(3.0 * third), mode as f32]
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid};

    #[test]
    fn shapes_of_known_tensors() {
        let tensors: [([f32; 6], [f32; 4]); 8] = [
            ([2e-3, 0.0, 0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 1.0]),
            ([0.0, 1e-3, 1e-3, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, -1.0]),
            ([1e-3, 1e-3, 1e-3, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]),
            // The tensor of this test has the eigenvalues 3, 2, 1 (10⁻³ mm²/s) along permuted axes. The trace
            // is 6.
            ([2e-3, 3e-3, 1e-3, 0.0, 0.0, 0.0], [1.0 / 6.0, 1.0 / 3.0, 0.5, 0.0]),
            // The tensor of this test has the eigenvalues 4, 1, 1 (10⁻³ mm²/s), and its principal direction
            // is (1, 1, 0).
            ([2.5e-3, 2.5e-3, 1e-3, 1.5e-3, 0.0, 0.0], [0.5, 0.0, 0.5, 1.0]),
            ([0.0; 6], [0.0; 4]),
            ([f32::NAN, 1e-3, 1e-3, 0.0, 0.0, 0.0], [0.0; 4]),
            ([1e-3, 0.0, -1e-3, 0.0, 0.0, 0.0], [0.0; 4]),
        ];
        let grid = Grid::new([tensors.len(), 1, 1], Affine::identity()).unwrap();
        let elements = tensors.iter().flat_map(|(elements, _)| *elements).collect();
        let found = tensor_shape(&Volume::new(grid, 6, elements).unwrap()).unwrap();
        for (n, (elements, expected)) in tensors.iter().enumerate() {
            let maps = [&found.linearity, &found.planarity, &found.sphericity, &found.mode];
            for (map, expected) in maps.iter().zip(expected) {
                // The tolerance allows for tensor elements that are rounded to single precision.
                assert!((map.values()[n] - expected).abs() < 1e-6, "{elements:?}: {}", map.values()[n]);
            }
        }
        assert!(tensor_shape(&Volume::filled(grid, 3, 0.0)).is_err());
    }
}
