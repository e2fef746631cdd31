//! Directions in FSL's convention: unit vectors whose components are along the voxel axes, with x reversed if
//! the voxel axes are right-handed. Posterior samples have pairs of angles instead of vectors.

use arcuate_core::{Affine, Result, scanner_to_image_axes};
use std::f64::consts::{PI, TAU};

/// Rotation from scanner axes to FSL's voxel axes.
pub struct VoxelAxes {
    /// Columns of the rotation matrix. Each is the unit vector along a scanner axis, with its components
    /// along FSL's voxel axes.
    columns: [[f64; 3]; 3],
}

impl VoxelAxes {
    /// Creates the rotation for images with this affine. FSL's axes are the voxel axes. If the voxel axes are
    /// right-handed, x is reversed, as for gradient directions in `bvecs`.
    pub fn new(affine: &Affine) -> Result<Self> {
        let units = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let turned = scanner_to_image_axes(&units, affine)?;
        Ok(Self { columns: [turned[0], turned[1], turned[2]] })
    }

    /// Converts a direction from scanner axes to FSL's voxel axes. The result is a unit vector.
    pub fn of(&self, scanner: [f64; 3]) -> [f64; 3] {
        let [x, y, z] = &self.columns;
        let turned: [f64; 3] =
            std::array::from_fn(|n| scanner[0] * x[n] + scanner[1] * y[n] + scanner[2] * z[n]);
        let length = turned.iter().map(|c| c * c).sum::<f64>().sqrt();
        if length > 0.0 { turned.map(|c| c / length) } else { turned }
    }
}

/// Returns the polar angle θ in [0, π] and the azimuth φ in [−π, π) of a unit vector.
pub fn angles([x, y, z]: [f64; 3]) -> [f64; 2] {
    let phi = y.atan2(x);
    [z.clamp(-1.0, 1.0).acos(), if phi >= PI { -PI } else { phi }]
}

/// Returns the polar angle θ and the azimuth φ of a fibre direction, whose sign has no meaning. The sign of
/// the direction, and the multiple of 2π in φ, are chosen so that the angles are nearest to those of `near`.
/// The angles can then be averaged over samples.
pub fn angles_near(direction: [f64; 3], near: [f64; 3]) -> [f64; 2] {
    let along: f64 = direction.iter().zip(near).map(|(a, b)| a * b).sum();
    let [theta, phi] = angles(if along < 0.0 { direction.map(|c| -c) } else { direction });
    let turns = ((angles(near)[1] - phi) / TAU).round();
    [theta, turns.mul_add(TAU, phi)]
}

/// Returns the direction or its opposite, so that the z component is positive. If z is 0, y is positive. If y
/// and z are 0, x is positive.
pub fn upwards(direction: [f64; 3]) -> [f64; 3] {
    let [x, y, z] = direction;
    let deciding = [z, y, x].into_iter().find(|c| *c != 0.0).unwrap_or(0.0);
    if deciding < 0.0 { direction.map(|c| -c) } else { direction }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector([theta, phi]: [f64; 2]) -> [f64; 3] {
        [theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos()]
    }

    fn close(a: [f64; 3], b: [f64; 3]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn fsl_x_runs_from_right_to_left_for_any_voxel_order() {
        let [leftwards, rightwards] =
            [-2.0, 2.0].map(|x| VoxelAxes::new(&Affine::scaling([x, 2.0, 3.0], [5.0; 3])).unwrap());
        let scanner = [0.6, 0.0, 0.8];
        assert!(close(leftwards.of(scanner), [-0.6, 0.0, 0.8]));
        assert!(close(rightwards.of(scanner), [-0.6, 0.0, 0.8]));
    }

    #[test]
    fn oblique_axes_agree_with_gradient_axes() {
        // An affine that rotates by 30° about z, with the x voxel axis in both directions.
        let (cos, sin) = (0.75f64.sqrt(), 0.5);
        for x in [-2.0, 2.0] {
            let rows =
                [[cos * x, -sin * 2.0, 0.0, 1.0], [sin * x, cos * 2.0, 0.0, 2.0], [0.0, 0.0, 2.5, 3.0]];
            let affine = Affine::from_rows(rows).unwrap();
            let axes = VoxelAxes::new(&affine).unwrap();
            // Direction along the second voxel axis.
            assert!(close(axes.of([-sin, cos, 0.0]), [0.0, 1.0, 0.0]));
            // FSL's x axis: the direction to the left, rotated by 30° like the image.
            assert!(close(axes.of([-cos, -sin, 0.0]), [1.0, 0.0, 0.0]), "{x}");
            let gradient = arcuate_core::image_axes_to_scanner(&[[0.48, 0.6, 0.64]], &affine)[0];
            assert!(close(axes.of(gradient), [0.48, 0.6, 0.64]));
        }
    }

    #[test]
    fn angles_agree_with_the_fsl_convention() {
        assert_eq!(angles([0.0, 0.0, 1.0])[0], 0.0);
        assert_eq!(angles([-1.0, 0.0, 0.0]), [PI / 2.0, -PI]);
        assert_eq!(angles([-1.0, -0.0, 0.0]), [PI / 2.0, -PI]);
        for direction in [[0.48, 0.6, 0.64], [-0.48, 0.6, -0.64], [0.48, -0.6, 0.64]] {
            assert!(close(vector(angles(direction)), direction));
        }
    }

    #[test]
    fn samples_are_continuous_where_angles_wrap() {
        // Samples of the same direction on both sides of φ = ±π, with both signs of the direction.
        let dyad = vector([1.4, 3.1]);
        for (near, sign) in [([1.38, 3.2], 1.0), ([1.42, 3.0], -1.0), ([1.4, -3.1], 1.0), ([1.4, 3.15], -1.0)]
        {
            let direction = vector(near).map(|c| sign * c);
            let [theta, phi] = angles_near(direction, dyad);
            assert!((theta - near[0]).abs() < 1e-12);
            assert!((phi - 3.1).abs() < 0.2, "{phi}");
            assert!(close(vector([theta, phi]), direction.map(|c| sign * c)));
        }
        assert_eq!(upwards([0.6, 0.0, -0.8]), [-0.6, -0.0, 0.8]);
        assert_eq!(upwards([-1.0, 0.0, 0.0]), [1.0, -0.0, -0.0]);
    }
}
