//! Converts tensor images of other programs to Arcuate's order and axes.

use super::results::is_indefinite;
use arcuate_core::{Affine, DiffusionTensor, Error, Result, Volume, image_axes_to_scanner};
use rayon::prelude::*;

/// The order and axes of the six volumes of a tensor image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TensorOrder {
    /// Arcuate's order: D11 D22 D33 D12 D13 D23 in scanner axes. MRtrix's `dwi2tensor` uses the same order.
    #[default]
    Arcuate,
    /// The order of FSL's `dtifit --save_tensor`: Dxx Dxy Dxz Dyy Dyz Dzz in FSL's image axes. FSL's `bvec`
    /// files use the same axes.
    Fsl,
    /// The order of DIPY's `dipy_fit_dti`: the lower triangle Dxx Dxy Dyy Dxz Dyz Dzz. The axes are those of
    /// the `bvec` file of the fit, because `dipy_fit_dti` does not rotate directions.
    Dipy,
    /// The order of ANTs: the lower triangle Dxx Dxy Dyy Dxz Dyz Dzz, along the voxel axes of the image. ANTs
    /// rotates tensors by the directions of the image's axes.
    Ants,
    /// The order of NIfTI's symmetric matrices (intent 1005): the lower triangle Dxx Dxy Dyy Dxz Dyz Dzz. The
    /// tensors are assumed to be in scanner axes, because the standard does not state the axes.
    LowerTriangle,
}

impl TensorOrder {
    /// Returns the positions of the elements D11, D22, D33, D12, D13 and D23 among the six volumes of the
    /// tensor image.
    fn places(self) -> [usize; 6] {
        match self {
            Self::Arcuate => [0, 1, 2, 3, 4, 5],
            Self::Fsl => [0, 3, 5, 1, 2, 4],
            Self::Dipy | Self::Ants | Self::LowerTriangle => [0, 2, 5, 1, 3, 4],
        }
    }

    /// Returns whether the six volumes have the order of NIfTI's symmetric matrices, along any axes.
    pub fn is_lower_triangle(self) -> bool {
        matches!(self, Self::Dipy | Self::Ants | Self::LowerTriangle)
    }

    /// Names of the orders of tensor volumes, as values of command-line options.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("arcuate", Self::Arcuate),
        ("mrtrix", Self::Arcuate),
        ("fsl", Self::Fsl),
        ("dipy", Self::Dipy),
        ("ants", Self::Ants),
        ("lower-triangle", Self::LowerTriangle),
    ];

    /// Returns the order of tensor volumes with this name, which must be one of the [`NAMES`](Self::NAMES).
    ///
    /// # Errors
    /// Returns an error if the name of the order is unknown.
    pub fn named(name: &str) -> Result<Self> {
        let found = Self::NAMES.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, order)| order).ok_or_else(|| {
            let known = Self::NAMES.map(|(known, _)| known).join(", ");
            Error::usage(
                "‘tensor_order’",
                format!("`{name}` is not an order of tensor elements"),
                format!("give one of {known}"),
            )
        })
    }

    /// Returns the names of the six volumes of a tensor image in this order.
    pub fn volumes(self) -> &'static str {
        match self {
            Self::Arcuate => "D11 D22 D33 D12 D13 D23",
            Self::Fsl => "Dxx Dxy Dxz Dyy Dyz Dzz",
            Self::Dipy | Self::Ants | Self::LowerTriangle => "Dxx Dxy Dyy Dxz Dyz Dzz",
        }
    }

    /// Returns the rows of the rotation matrix that converts the axes of the tensors to scanner axes.
    fn frame(self, affine: &Affine) -> [[f64; 3]; 3] {
        let columns = match self {
            Self::Arcuate | Self::LowerTriangle => return UNIT,
            Self::Fsl | Self::Dipy => image_axes_to_scanner(&UNIT, affine),
            Self::Ants => affine.axes().to_vec(),
        };
        std::array::from_fn(|row| std::array::from_fn(|column| columns[column][row]))
    }
}

const UNIT: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Converts the tensors of an image from the given order to Arcuate's order and scanner axes. Returns an
/// error if the image does not have six volumes.
///
/// Tensors D′ in image axes are rotated in the same way as [`image_axes_to_scanner`] rotates directions: D =
/// M D′ Mᵀ.
pub fn tensors_in_order(tensor: Volume<f32>, order: TensorOrder) -> Result<Volume<f32>> {
    if tensor.channels() != 6 {
        let problem = format!("a tensor image has 6 volumes, not {}", tensor.channels());
        return Err(Error::invalid("tensor image", problem, "make a tensor image with `arcuate fit tensor`"));
    }
    if order == TensorOrder::Arcuate {
        return Ok(tensor);
    }
    let frame = order.frame(tensor.grid().affine());
    let places = order.places();
    let mut tensor = tensor;
    tensor.values_mut().par_chunks_exact_mut(6).for_each(|elements| {
        let stored: [f64; 6] = std::array::from_fn(|n| f64::from(elements[places[n]]));
        let stored = DiffusionTensor(stored);
        // Element (a, b) of the rotated tensor is mₐᵀ D′ m_b, with the rows m of the rotation matrix M.
        let element = |a: usize, b: usize| {
            let [x, y, z] = stored.times(frame[b]);
            (frame[a][0] * x + frame[a][1] * y + frame[a][2] * z) as f32
        };
        let turned =
            [element(0, 0), element(1, 1), element(2, 2), element(0, 1), element(0, 2), element(1, 2)];
        elements.copy_from_slice(&turned);
    });
    Ok(tensor)
}

/// Returns the fraction of non-zero tensors that have a negative eigenvalue beyond rounding (a millionth of
/// the largest eigenvalue). Noise causes a few such tensors, and a wrong order of the volumes causes many. If
/// there is no non-zero tensor, returns 0.
pub fn indefinite_share(tensor: &Volume<f32>) -> f64 {
    let (tensors, indefinite) = tensor
        .values()
        .par_chunks_exact(6)
        .filter(|elements| elements.iter().any(|&d| d != 0.0))
        .map(|elements| {
            let elements = std::array::from_fn(|n| f64::from(elements[n]));
            (1u64, u64::from(is_indefinite(DiffusionTensor(elements).eigensystem().values)))
        })
        .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    indefinite as f64 / tensors.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{GradientTable, Grid, Mask, Orientations};

    /// Creates a grid of one voxel that is rotated by 30° about z and tilted. If `flip` is −1, the image is
    /// stored from right to left.
    fn grid(flip: f64) -> Grid {
        let (s, c) = 30f64.to_radians().sin_cos();
        let (t, u) = 20f64.to_radians().sin_cos();
        let affine = Affine::from_rows([
            [flip * 2.0 * c, -3.0 * s * u, 4.0 * s * t, 5.0],
            [flip * 2.0 * s, 3.0 * c * u, -4.0 * c * t, -5.0],
            [0.0, 3.0 * t, 4.0 * u, 3.0],
        ]);
        Grid::new([1, 1, 1], affine.unwrap()).unwrap()
    }

    /// Returns the tensor that a program would fit if it used the directions of a bvec file as directions in
    /// scanner axes.
    fn fitted_in_image_axes(truth: DiffusionTensor, grid: &Grid) -> Vec<f32> {
        let stored = Orientations::half_sphere(30);
        let scanner = image_axes_to_scanner(stored.directions(), grid.affine());
        let signals = scanner.iter().map(|&d| (1000.0 * (-1000.0 * truth.along(d)).exp()) as f32);
        let dwi: Vec<f32> = std::iter::once(1000.0).chain(signals).collect();
        let directions: Vec<[f64; 3]> =
            std::iter::once([0.0; 3]).chain(stored.directions().iter().copied()).collect();
        let b_values: Vec<f64> = std::iter::once(0.0).chain([1000.0; 30]).collect();
        let table = GradientTable::new(&directions, b_values, 50.0).unwrap();
        let dwi = Volume::new(*grid, 31, dwi).unwrap();
        let options = crate::TensorOptions::default();
        crate::fit_tensor(&dwi, &table, &Mask::full(*grid), &arcuate_compute::Device::Cpu, &options)
            .unwrap()
            .tensor
            .into_values()
    }

    #[test]
    fn tensors_in_image_axes_are_rotated_to_scanner_axes() {
        let truth = [1.1e-3, 0.6e-3, 0.4e-3, 0.3e-3, -0.1e-3, 0.15e-3];
        for flip in [1.0, -1.0] {
            let grid = grid(flip);
            assert_eq!(grid.affine().determinant() > 0.0, flip > 0.0);
            let [xx, yy, zz, xy, xz, yz] = fitted_in_image_axes(DiffusionTensor(truth), &grid)[..] else {
                panic!("six elements")
            };
            for (order, stored) in
                [(TensorOrder::Fsl, [xx, xy, xz, yy, yz, zz]), (TensorOrder::Dipy, [xx, xy, yy, xz, yz, zz])]
            {
                let image = Volume::new(grid, 6, stored.to_vec()).unwrap();
                let found = tensors_in_order(image, order).unwrap();
                for (a, b) in found.values().iter().zip(truth) {
                    // The tolerance allows for the rounding of signals to single precision: 6e-8 of a signal
                    // of 1, divided by b.
                    assert!((f64::from(*a) - b).abs() < 1e-9, "{flip} {order:?}: {:?}", found.values());
                }
            }
        }
    }

    #[test]
    fn lower_triangles_are_read_along_the_stated_axes() {
        let truth = [1.1e-3, 0.6e-3, 0.4e-3, 0.3e-3, -0.1e-3, 0.15e-3];
        let lower = |[xx, yy, zz, xy, xz, yz]: [f64; 6]| [xx, xy, yy, xz, yz, zz].map(|d| d as f32).to_vec();
        for flip in [1.0, -1.0] {
            let grid = grid(flip);
            let image = Volume::new(grid, 6, lower(truth)).unwrap();
            let found = tensors_in_order(image, TensorOrder::LowerTriangle).unwrap();
            assert_eq!(found.values(), truth.map(|d| d as f32));
            // The expected tensor along voxel axes is D′ = Rᵀ D R. The columns of R are the directions of the
            // voxel axes.
            let axes = grid.affine().axes();
            let along = |a: usize, b: usize| {
                let [x, y, z] = DiffusionTensor(truth).times(axes[b]);
                axes[a][0] * x + axes[a][1] * y + axes[a][2] * z
            };
            let turned = [along(0, 0), along(1, 1), along(2, 2), along(0, 1), along(0, 2), along(1, 2)];
            let image = Volume::new(grid, 6, lower(turned)).unwrap();
            let found = tensors_in_order(image, TensorOrder::Ants).unwrap();
            for (a, b) in found.values().iter().zip(truth) {
                // The tolerance allows for the rounding to single precision of tensor elements of about 1e-3.
                assert!((f64::from(*a) - b).abs() < 1e-9, "{flip}: {:?}", found.values());
            }
        }
    }

    #[test]
    fn arcuate_order_is_unchanged_and_six_volumes_are_required() {
        let image = Volume::new(grid(1.0), 6, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        assert_eq!(tensors_in_order(image.clone(), TensorOrder::Arcuate).unwrap(), image);
        let five = Volume::filled(grid(1.0), 5, 1.0);
        assert!(
            tensors_in_order(five, TensorOrder::Fsl).unwrap_err().to_string().contains("6 volumes, not 5")
        );
    }

    #[test]
    fn indefinite_tensors_are_counted() {
        let grid = Grid::new([5, 1, 1], Affine::identity()).unwrap();
        let stick = [1e-3, 0.0, 0.0, 0.0, 0.0, 0.0];
        let turned = [0.5e-3, 0.5e-3, 0.0, 0.5e-3, 0.0, 0.0];
        let negative = [1e-3, 1e-3, -1e-5, 0.0, 0.0, 0.0];
        let all_negative = [-1e-3, -1e-3, -1e-3, 0.0, 0.0, 0.0];
        let values: Vec<f32> = [[0.0; 6], stick, turned, negative, all_negative].concat();
        assert_eq!(indefinite_share(&Volume::new(grid, 6, values).unwrap()), 0.5);
        assert_eq!(indefinite_share(&Volume::filled(grid, 6, 0.0)), 0.0);
    }
}
