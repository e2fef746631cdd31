//! Trajectories in k-space: conversion of their units, and plausibility checks.

use crate::Shape;
use arcuate_core::{Control, Error, Result};
use std::fmt::Display;

/// The unit of the wave numbers in a trajectory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrajectoryUnit {
    /// Cycles per field of view. The range for n voxels is from −n/2 to n/2, as in BART.
    FieldOfView,
    /// Cycles per voxel. The range is from −½ to ½.
    Voxel,
    /// Radians per voxel. The range is from −π to π.
    Radian,
    /// Cycles per metre.
    PerMetre,
}

impl TrajectoryUnit {
    /// Returns the name of the unit, such as `cycles per voxel`.
    pub fn words(self) -> &'static str {
        match self {
            Self::FieldOfView => "cycles per field of view",
            Self::Voxel => "cycles per voxel",
            Self::Radian => "radians per voxel",
            Self::PerMetre => "cycles per metre",
        }
    }

    /// Returns the factor that converts wave numbers in this unit to cycles per field of view. `voxels` is
    /// the number of voxels along the axis, and `length` the field of view along the axis in mm. Returns
    /// `None` if the unit needs `length` and it is `None`.
    pub fn factor(self, voxels: usize, length: Option<f64>) -> Option<f64> {
        match self {
            Self::FieldOfView => Some(1.0),
            Self::Voxel => Some(voxels as f64),
            Self::Radian => Some(voxels as f64 / std::f64::consts::TAU),
            Self::PerMetre => length.map(|length| length * 1e-3),
        }
    }

    /// Returns the factors along all axes of an image. Returns `None` if the unit needs the field of view and
    /// it is `None`.
    fn factors(self, shape: Shape, field_of_view_mm: Option<[f64; 3]>) -> Option<[f64; 3]> {
        let of_axis =
            |axis: usize| self.factor(shape.lengths()[axis], field_of_view_mm.map(|lengths| lengths[axis]));
        Some([of_axis(0)?, of_axis(1)?, of_axis(2)?])
    }
}

/// Maximum wave number of a trajectory, as a multiple of the largest wave number of the image grid. The value
/// is above 1 because of rounding, and because measured trajectories deviate from planned ones.
const BEYOND: f64 = 1.02;

/// Converts the wave numbers of a trajectory to cycles per field of view with the factors of their unit.
fn to_cycles(samples: &mut [[f64; 3]], factors: [f64; 3]) {
    for k in samples {
        for axis in 0..3 {
            k[axis] *= factors[axis];
        }
    }
}

/// Checks the wave numbers of a trajectory that was converted from the `stated` unit to cycles per field of
/// view. Returns an error if the trajectory exceeds the wave numbers of the grid. If no unit was stated, also
/// returns an error if the trajectory covers so little of k-space that it may be in another unit. The error
/// message explains that the range of wave numbers alone does not determine the unit.
fn check_range(samples: &[[f64; 3]], shape: Shape, stated: Option<TrajectoryUnit>) -> Result<()> {
    let refuse = |problem: String, advice: String| Err(Error::invalid("trajectory", problem, advice));
    let furthest = reach(samples);
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let (n, reach) = (shape.lengths()[axis], furthest[axis]);
        if reach <= BEYOND * n as f64 / 2.0 + 0.5 {
            continue;
        }
        if let Some(unit @ (TrajectoryUnit::Voxel | TrajectoryUnit::Radian)) = stated
            && let Some(factor) = unit.factor(n, None)
        {
            let problem = format!(
                "along {name} it reaches {:.4}, but {} go up to {:.4}",
                reach / factor,
                unit.words(),
                n as f64 / 2.0 / factor
            );
            return refuse(problem, "give its unit with ‘trajectory_unit’".to_owned());
        }
        let problem = format!(
            "along {name} it reaches {reach:.4} cycles per field of view, but {n} voxels have up to {}",
            n as f64 / 2.0
        );
        let needed = 2.0 * reach.ceil();
        let advice = format!(
            "give the image's ‘size’ ({needed} voxels there), or, where the trajectory is in 1/m, \
             ‘trajectory_unit’ per-metre with ‘fov’"
        );
        return refuse(problem, advice);
    }
    if stated.is_some() {
        return Ok(());
    }
    let largest = furthest.iter().copied().fold(0.0, f64::max);
    let edge = shape.lengths().iter().copied().max().unwrap_or(1) as f64 / 2.0;
    if largest == 0.0 {
        return refuse(
            "all its samples are in the middle".to_owned(),
            "give the places of samples".to_owned(),
        );
    }
    let is_small = |limit: f64| largest <= limit * BEYOND && edge > 2.0 * limit;
    if is_small(0.5) || is_small(std::f64::consts::PI) {
        let problem = format!(
            "its largest wave number is {largest:.4}, where k-space ends at {edge} cycles per field of view, 0.5 cycles per \
             voxel, or {:.4} radians per voxel",
            std::f64::consts::PI
        );
        let advice = format!(
            "give its unit with ‘trajectory_unit’: fov, voxel or radian; if 1 is the edge of k-space, first multiply it by {edge}"
        );
        return refuse(problem, advice);
    }
    Ok(())
}

/// Minimum wave number that a trajectory should reach along at least one axis, as a fraction of the largest
/// wave number of the image grid. If it reaches less, the image size or the unit is probably wrong.
const SHORT: f64 = 0.45;

/// Converts a trajectory from the `stated` unit to cycles per field of view, and checks that it fits an image
/// of this size. If no unit is stated, the unit is cycles per field of view. `name` is the name of the
/// trajectory in errors and warnings. Prints a warning if the trajectory covers so little of k-space that its
/// unit or the image size may be wrong.
///
/// Returns an error if the trajectory exceeds the wave numbers of the image grid. If no unit is stated, also
/// returns an error if the trajectory may be in another unit. If the unit is cycles per metre, also returns
/// an error if the field of view is missing.
pub fn place(
    samples: &mut [[f64; 3]],
    stated: Option<TrajectoryUnit>,
    shape: Shape,
    field_of_view_mm: Option<[f64; 3]>,
    name: &dyn Display,
    control: &Control,
) -> Result<()> {
    let unit = stated.unwrap_or(TrajectoryUnit::FieldOfView);
    let Some(factors) = unit.factors(shape, field_of_view_mm) else {
        let problem = "a trajectory in 1/m needs the field of view";
        return Err(Error::usage("‘trajectory_unit’ per-metre", problem, "give ‘fov’ in mm"));
    };
    to_cycles(samples, factors);
    check_range(samples, shape, stated).map_err(|error| error.about(name))?;
    let covered = coverage(samples, shape);
    if covered >= SHORT {
        return Ok(());
    }
    let furthest = reach(samples);
    // The error message states the wave number in the unit of the trajectory file.
    let largest = (0..3).map(|axis| furthest[axis] / factors[axis]).fold(0.0, f64::max);
    let [x, y, z] = shape.lengths();
    control.warn(&format!(
        "{name}: its largest wave number of {largest:.4} {} is {:.0} % of the way to the edge of k-space of {x} × {y} × {z} \
         voxels. Check ‘trajectory_unit’ and ‘size’",
        unit.words(),
        100.0 * covered,
    ));
    Ok(())
}

/// Returns how much of k-space a trajectory in cycles per field of view covers. For each axis, this is its
/// largest wave number, as a fraction of the largest wave number of the image grid. The result is the largest
/// of these fractions.
fn coverage(samples: &[[f64; 3]], shape: Shape) -> f64 {
    let (furthest, lengths) = (reach(samples), shape.lengths());
    let of_axes = (0..3).filter(|&axis| lengths[axis] > 1);
    // An axis with one voxel needs only the centre of k-space. If all axes have one voxel, k-space counts as
    // covered.
    of_axes.map(|axis| 2.0 * furthest[axis] / lengths[axis] as f64).reduce(f64::max).unwrap_or(1.0)
}

/// Returns the largest absolute value of the wave numbers along each axis.
pub fn reach(samples: &[[f64; 3]]) -> [f64; 3] {
    samples.iter().fold([0.0; 3], |reach, k| std::array::from_fn(|axis| reach[axis].max(k[axis].abs())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(reach: f64) -> Vec<[f64; 3]> {
        (0..9).map(|n| [reach * (f64::from(n) / 4.0 - 1.0), 0.25 * reach, 0.0]).collect()
    }

    #[test]
    fn trajectory_units_are_detected_by_range_and_converted() {
        let shape = Shape::new([64, 32, 1]).unwrap();
        let check = |reach: f64, stated: bool| {
            let stated = stated.then_some(TrajectoryUnit::FieldOfView);
            check_range(&line(reach), shape, stated).map_err(|error| error.to_string())
        };
        for (reach, stated) in [(32.0, false), (32.3, false), (5.0, false), (0.5, true), (3.1, true)] {
            assert_eq!(check(reach, stated), Ok(()), "{reach}");
        }
        for reach in [0.05, 0.5, 1.0, 3.1] {
            assert_eq!(
                check(reach, false).unwrap_err(),
                format!(
                    "trajectory: its largest wave number is {reach:.4}, where k-space ends at 32 cycles per field of view, 0.5 \
                     cycles per voxel, or 3.1416 radians per voxel; give its unit with ‘trajectory_unit’: fov, voxel or radian; if 1 is the edge of k-space, first multiply it by 32"
                )
            );
        }
        // No trajectory can have this wave number in the stated unit.
        let mut places = line(1.0);
        to_cycles(&mut places, TrajectoryUnit::Voxel.factors(shape, None).unwrap());
        assert_eq!(
            check_range(&places, shape, Some(TrajectoryUnit::Voxel)).unwrap_err().to_string(),
            "trajectory: along x it reaches 1.0000, but cycles per voxel go up to 0.5000; give its unit \
             with ‘trajectory_unit’"
        );
        assert_eq!(coverage(&line(8.0), shape), 0.25);
        assert_eq!(coverage(&[[1.0, 15.0, 40.0]], shape), 15.0 / 16.0);
        assert_eq!(
            check(160.0, true).unwrap_err(),
            "trajectory: along x it reaches 160.0000 cycles per field of view, but 64 voxels have up to 32; give the image's \
             ‘size’ (320 voxels there), or, where the trajectory is in 1/m, ‘trajectory_unit’ per-metre with ‘fov’"
        );
        assert!(check(0.0, false).unwrap_err().contains("all its samples are in the middle"));
        let expected = [32.0, 8.0, 0.0];
        for (given, unit) in [
            ([32.0, 8.0, 0.0], TrajectoryUnit::FieldOfView),
            ([0.5, 0.25, 0.0], TrajectoryUnit::Voxel),
            ([std::f64::consts::PI, std::f64::consts::FRAC_PI_2, 0.0], TrajectoryUnit::Radian),
            ([160.0, 20.0, 0.0], TrajectoryUnit::PerMetre),
        ] {
            let mut places = [given];
            to_cycles(&mut places, unit.factors(shape, Some([200.0, 400.0, 5.0])).unwrap());
            assert!((0..3).all(|n| (places[0][n] - expected[n]).abs() < 1e-12), "{unit:?} {places:?}");
        }
    }
    #[test]
    fn trajectories_that_cover_little_of_k_space_give_a_warning() {
        let shape = Shape::new([64, 32, 1]).unwrap();
        let warnings = |reach: f64, unit: TrajectoryUnit, field_of_view_mm: Option<[f64; 3]>| {
            let control = Control::default();
            let (placed, messages) = arcuate_test_support::warnings(|| {
                place(&mut line(reach), Some(unit), shape, field_of_view_mm, &"traj.npy", &control)
            });
            placed.map(|()| messages)
        };
        assert!(warnings(32.0, TrajectoryUnit::FieldOfView, None).unwrap().is_empty());
        assert_eq!(
            warnings(0.125, TrajectoryUnit::Voxel, None).unwrap(),
            [
                "traj.npy: its largest wave number of 0.1250 cycles per voxel is 25 % of the way to the edge of k-space of 64 × 32 × 1 \
              voxels. Check ‘trajectory_unit’ and ‘size’"
            ]
        );
        assert!(warnings(160.0, TrajectoryUnit::PerMetre, Some([200.0; 3])).unwrap().is_empty());
        assert_eq!(
            warnings(160.0, TrajectoryUnit::PerMetre, None).unwrap_err().to_string(),
            "‘trajectory_unit’ per-metre: a trajectory in 1/m needs the field of view; give ‘fov’ in mm"
        );
        let beyond = warnings(160.0, TrajectoryUnit::FieldOfView, None).unwrap_err().to_string();
        assert!(beyond.starts_with("traj.npy: along x it reaches 160.0000 "), "{beyond}");
    }
}
