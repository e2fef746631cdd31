use crate::{Error, Result};
use nalgebra::{Matrix3, Matrix4, Vector3};

/// A 4 × 4 transform whose last row is (0, 0, 0, 1). The transform maps voxel coordinates to RAS millimetres
/// unless stated otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affine(Matrix4<f64>);

impl Affine {
    /// Returns the identity.
    pub fn identity() -> Self {
        Self(Matrix4::identity())
    }

    /// Builds a transform from its first three rows, each (m₀, m₁, m₂, translation). Returns an error for
    /// values that are not finite.
    pub fn from_rows(rows: [[f64; 4]; 3]) -> Result<Self> {
        if rows.iter().flatten().any(|value| !value.is_finite()) {
            return Err(Error::invalid(
                "affine",
                "the affine has values that are not numbers",
                "repair the image header",
            ));
        }
        let mut matrix = Matrix4::identity();
        for (r, row) in rows.iter().enumerate() {
            for (c, value) in row.iter().enumerate() {
                matrix[(r, c)] = *value;
            }
        }
        Ok(Self(matrix))
    }

    /// Creates the transform of an image with axis-aligned voxels. Voxels have edges of `sizes` millimetres,
    /// and the centre of voxel (0, 0, 0) is at `origin`.
    pub fn scaling(sizes: [f64; 3], origin: [f64; 3]) -> Self {
        let mut matrix = Matrix4::identity();
        for axis in 0..3 {
            matrix[(axis, axis)] = sizes[axis];
            matrix[(axis, 3)] = origin[axis];
        }
        Self(matrix)
    }

    /// Creates the transform of a box of `shape` axis-aligned voxels whose centre is at 0. Voxels have edges
    /// of `sizes` millimetres; a negative size reverses an axis. Returns an error if the sizes give no valid
    /// transform.
    pub fn centred(sizes: [f64; 3], shape: [usize; 3]) -> Result<Self> {
        let origin = std::array::from_fn(|axis| -sizes[axis] * shape[axis].saturating_sub(1) as f64 / 2.0);
        let affine = Self::from_rows(Self::scaling(sizes, origin).rows())?;
        affine.inverse().map(|_| affine)
    }

    /// The first three rows of the 4 × 4 matrix, each (m₀, m₁, m₂, translation).
    pub fn rows(&self) -> [[f64; 4]; 3] {
        std::array::from_fn(|r| std::array::from_fn(|c| self.0[(r, c)]))
    }

    /// Maps a point with this transform.
    pub fn apply(&self, point: [f64; 3]) -> [f64; 3] {
        let m = &self.0;
        std::array::from_fn(|r| {
            m[(r, 0)] * point[0] + m[(r, 1)] * point[1] + m[(r, 2)] * point[2] + m[(r, 3)]
        })
    }

    /// Maps a displacement vector with this transform, without the translation of the transform.
    pub fn apply_vector(&self, vector: [f64; 3]) -> [f64; 3] {
        (self.linear() * Vector3::from(vector)).into()
    }

    /// Composes two transforms: applies `first`, then `self`.
    pub fn after(&self, first: &Affine) -> Self {
        Self(self.0 * first.0)
    }

    /// Inverts the transform. Returns an error if the axes are (nearly) linearly dependent.
    pub fn inverse(&self) -> Result<Self> {
        let sizes = self.voxel_sizes();
        let scale = sizes[0] * sizes[1] * sizes[2];
        // To detect linearly dependent axes, the determinant is compared with the product of the edge lengths
        // of a voxel. So the unit of length does not matter.
        let degenerate = scale.is_nan() || scale <= 0.0 || self.determinant().abs() < 1e-6 * scale;
        let inverse = if degenerate { None } else { self.0.try_inverse() };
        inverse.map(Self).ok_or_else(|| {
            Error::invalid(
                "affine",
                "the axes of the affine are linearly dependent, so different voxels have the same position",
                "repair the image header",
            )
        })
    }

    /// Determinant of the 3 × 3 part of the transform. The determinant is negative if the voxel axes are
    /// left-handed in RAS.
    pub fn determinant(&self) -> f64 {
        self.linear().determinant()
    }

    /// Edge length of a voxel along each voxel axis, in mm.
    pub fn voxel_sizes(&self) -> [f64; 3] {
        std::array::from_fn(|axis| self.0.fixed_view::<3, 1>(0, axis).norm())
    }

    /// Unit vectors of the three voxel axes, in scanner space.
    pub fn axes(&self) -> [[f64; 3]; 3] {
        std::array::from_fn(|axis| self.0.fixed_view::<3, 1>(0, axis).normalize().into())
    }

    /// Largest distance, in mm, between the positions that two transforms give to the same point of a box of
    /// voxels.
    pub fn distance(&self, other: &Affine, shape: [usize; 3]) -> f64 {
        let mut largest: f64 = 0.0;
        for corner in 0..8 {
            let point =
                std::array::from_fn(|axis| if corner >> axis & 1 == 1 { shape[axis] as f64 } else { 0.0 });
            let (a, b) = (self.apply(point), other.apply(point));
            largest = largest.max((Vector3::from(a) - Vector3::from(b)).norm());
        }
        largest
    }

    fn linear(&self) -> Matrix3<f64> {
        self.0.fixed_view::<3, 3>(0, 0).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn inverse_undoes_an_oblique_flipped_transform() {
        let affine =
            Affine::from_rows([[-1.9, 0.3, 0.2, 90.0], [0.25, 1.8, -0.5, -120.0], [0.15, 0.45, 2.4, -60.0]])
                .unwrap();
        assert!(affine.determinant() < 0.0);
        let point = [12.5, -3.0, 40.25];
        let back = affine.inverse().unwrap().apply(affine.apply(point));
        for axis in 0..3 {
            assert!((back[axis] - point[axis]).abs() < 1e-12);
        }
    }

    #[test]
    fn singular_transforms_are_rejected_at_any_scale() {
        for scale in [1e-6, 1.0, 1e6] {
            let flat = Affine::from_rows([
                [scale, 2.0 * scale, 0.0, 0.0],
                [scale, 2.0 * scale, 0.0, 0.0],
                [0.0, 0.0, scale, 0.0],
            ])
            .unwrap();
            assert!(flat.inverse().is_err());
            assert!(Affine::scaling([scale; 3], [0.0; 3]).inverse().is_ok());
        }
    }

    proptest! {
        /// The tolerances are about 1,000 rounding errors of the largest numbers, which are below 10³ mm.
        #[test]
        fn products_and_inverses_act_as_maps(first in invertible(), second in invertible(), p in point()) {
            let both = second.after(&first);
            let (once, twice) = (both.apply(p), second.apply(first.apply(p)));
            let back = first.inverse().unwrap().apply(first.apply(p));
            for axis in 0..3 {
                prop_assert!((once[axis] - twice[axis]).abs() < 1e-9, "{once:?} {twice:?}");
                prop_assert!((back[axis] - p[axis]).abs() < 1e-9, "{back:?} {p:?}");
            }
            let determinants = first.determinant() * second.determinant();
            prop_assert!((both.determinant() - determinants).abs() < 1e-10 * determinants.abs());
        }

        #[test]
        fn vectors_are_differences_of_points(affine in invertible(), p in point(), vector in point()) {
            let q = std::array::from_fn(|axis| p[axis] + vector[axis]);
            let (from, to, moved) = (affine.apply(p), affine.apply(q), affine.apply_vector(vector));
            for axis in 0..3 {
                prop_assert!((to[axis] - from[axis] - moved[axis]).abs() < 1e-9);
            }
        }
    }

    fn point() -> impl Strategy<Value = [f64; 3]> {
        [-100.0..100.0, -100.0..100.0, -100.0..100.0_f64]
    }

    /// Transforms with oblique axes of 1 to 3 mm, and with any of the eight handednesses and reflections. The shears are
    /// so small that the axes stay far from linearly dependent.
    fn invertible() -> impl Strategy<Value = Affine> {
        let sizes = [1.0..3.0, 1.0..3.0, 1.0..3.0_f64];
        let shears = proptest::array::uniform6(-0.4..0.4_f64);
        (sizes, shears, any::<[bool; 3]>(), point()).prop_map(|(sizes, shears, reversed, origin)| {
            let mut shears = shears.into_iter();
            let rows = std::array::from_fn(|r| {
                std::array::from_fn(|c| {
                    let sign = if c < 3 && reversed[c] { -1.0 } else { 1.0 };
                    match c {
                        3 => origin[r],
                        c if c == r => sign * sizes[c],
                        c => sign * sizes[c] * shears.next().unwrap(),
                    }
                })
            });
            Affine::from_rows(rows).unwrap()
        })
    }
}
