//! Options of geodesic tracking: their defaults and their checks.

use super::field::Sharpening;
use crate::constraints::Constraints;
use crate::options::{AtMaxLength, MAX_STEPS, check_mask, check_points, fraction, positive, refused};
use arcuate_core::{Error, Grid, Mask, Result, saturating};

/// Interpolation of the metric between voxels. The metric and its derivatives always come from the same interpolant,
/// except in [`Field::Thesis`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Field {
    /// An interpolating cubic B-spline of log D, twice continuously differentiable. The metric is its exponential,
    /// which is positive definite everywhere.
    #[default]
    Spline,
    /// Trilinear interpolation of the metric, which is continuous, with kinks at the planes through voxel centres. This
    /// is the fastest option.
    Trilinear,
    /// Separate trilinear interpolation of D and of central differences of its inverse, as in the thesis that this
    /// follows. The result is not the connection of a metric, so rays do not keep their energy. For comparison only.
    Thesis,
}

/// The metric whose geodesics are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Metric {
    /// D⁻¹.
    #[default]
    Inverse,
    /// det(D) D⁻¹ (Fuster et al. 2016, doi:10.1007/s10851-015-0586-8). Whereas D⁻¹ prefers fast diffusion of any kind,
    /// this metric prefers anisotropic diffusion.
    Adjugate,
    /// e^α D⁻¹, where α solves a Poisson equation, so that integral curves of the principal eigenvectors are geodesics
    /// as nearly as possible (Hao et al. 2011, doi:10.1007/978-3-642-22092-0_2).
    Conformal,
}

/// Integration scheme of the rays.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum GeodesicIntegrator {
    /// Euler's method, first order, one evaluation of the metric per step.
    Euler,
    /// Heun's method, second order, two evaluations per step.
    Heun,
    /// The classical Runge–Kutta method, fourth order, four evaluations per step.
    RungeKutta4,
    /// The Dormand–Prince pair of orders 5 and 4 (1980, doi:10.1016/0771-050X(80)90013-3). The step length is adapted
    /// so that the error stays below `tolerance`.
    Adaptive {
        /// Maximum error of a step: of the position in voxels, and relative error of the velocity. From 1e-14 (1e-6 in
        /// single precision) to 0.1.
        tolerance: f64,
    },
}

impl Default for GeodesicIntegrator {
    fn default() -> Self {
        Self::Adaptive { tolerance: DEFAULT_TOLERANCE }
    }
}

/// Default error tolerance of a step of the adaptive scheme, in voxels.
pub const DEFAULT_TOLERANCE: f64 = 1e-5;

/// The initial directions of rays at a seed.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Directions {
    /// The principal eigenvector of the tensor at the seed.
    Principal,
    /// A number of directions, evenly distributed on the sphere (Fibonacci lattice).
    Sphere(usize),
    /// A number of directions, evenly distributed in a cone around the principal eigenvector.
    Cone {
        /// Number of directions.
        count: usize,
        /// Angle between the axis and the border of the cone, in degrees: above 0, at most 90.
        degrees: f64,
    },
}

impl Directions {
    /// Returns the number of directions from each seed.
    pub fn count(&self) -> usize {
        match *self {
            Self::Principal => 1,
            Self::Sphere(count) | Self::Cone { count, .. } => count,
        }
    }
}

/// Options of geodesic tracking, except tensors and seeds.
#[derive(Debug, Clone, PartialEq)]
pub struct GeodesicOptions {
    /// Interpolation between voxels (`--field`).
    pub field: Field,
    /// The metric (`--metric`).
    pub metric: Metric,
    /// Factor of every tensor (`--gain`), from 1e-12 to 1e12. It affects rays only by rounding, unless some tensors are
    /// sharpened and others are not.
    pub gain: f64,
    /// Sharpening: Dᵖ replaces D in the metric (`--sharpen`) if its anisotropy is on the selected side of a limit.
    pub sharpening: Option<Sharpening>,
    /// Integration scheme (`--integrator`).
    pub integrator: GeodesicIntegrator,
    /// Length of a step in mm (`--step`), at most the shortest edge of a voxel. For the adaptive scheme it is the
    /// maximum length. `None`: 0.1 of that edge, or 0.5 for the adaptive scheme.
    pub step_mm: Option<f64>,
    /// True if rays are followed in double precision (`--precision double`).
    pub double: bool,
    /// Initial directions of the rays at a seed (`--initial-directions` and `--per-seed`).
    pub directions: Directions,
    /// True if a ray is also followed in the opposite of each direction (false with `--one-way`). Directions on the
    /// sphere are never followed both ways.
    pub both_ways: bool,
    /// Minimum fractional anisotropy, from 0 to 1 (`--cutoff`). Rays stop before voxels with a lower value.
    pub fa_cutoff: Option<f64>,
    /// Maximum angle between the directions at both ends of a step, in degrees (`--angle`): above 0, at most 180.
    pub max_angle_degrees: Option<f64>,
    /// Minimum length of a streamline in mm (`--min-length`). `None`: no minimum.
    pub min_length_mm: Option<f64>,
    /// Maximum length of a streamline in mm (`--max-length`). The lengths of the two rays of a direction are added.
    /// `None`: 100 times the cube root of a voxel's volume.
    pub max_length_mm: Option<f64>,
    /// Treatment of a streamline that reaches the maximum length (`--at-max-length`).
    pub at_max_length: AtMaxLength,
    /// Maximum number of steps of a ray (`--max-steps`). `None`: the number that the maximum length needs. For the
    /// adaptive scheme, four times that number, but at least 1,000. If `tolerance` is below the default, this is
    /// multiplied by the ratio of the default to `tolerance` to the power of 1/5.
    pub max_steps: Option<u32>,
    /// True if rays stop when they return to an earlier position in the same direction (false with `--allow-loops`).
    pub end_loops: bool,
    /// Mask of the voxels that rays can enter (`--mask`), on the grid of the tensors.
    pub mask: Option<Mask>,
    /// Waypoints, exclusion regions and stop regions of rays. Targets to connect are not part of them.
    pub constraints: Constraints,
    /// Number of accepted streamlines at which tracking stops (`--select`). `None`: use all seeds.
    pub select: Option<u64>,
    /// Seed of the random numbers for seed positions (`--random-seed`).
    pub seed: u64,
}

impl Default for GeodesicOptions {
    fn default() -> Self {
        Self {
            field: Field::default(),
            metric: Metric::default(),
            gain: 1.0,
            sharpening: None,
            integrator: GeodesicIntegrator::default(),
            step_mm: None,
            double: false,
            directions: Directions::Principal,
            both_ways: true,
            fa_cutoff: None,
            max_angle_degrees: None,
            min_length_mm: None,
            max_length_mm: None,
            at_max_length: AtMaxLength::default(),
            max_steps: None,
            end_loops: true,
            mask: None,
            constraints: Constraints::default(),
            select: None,
            seed: 0,
        }
    }
}

/// Maximum number of directions from a seed. A larger number is probably a typing error.
const MAX_DIRECTIONS: usize = 1 << 24;

/// Limits of the length of a streamline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LengthLimits {
    /// Minimum length of a streamline, in mm.
    pub(super) min: f64,
    /// Maximum length of a streamline, in mm.
    pub(super) max: f64,
    /// True if streamlines that reach the maximum length are rejected.
    pub(super) discards: bool,
}

/// Checked options of geodesic tracking, with all default values filled in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Settings {
    pub(super) integrator: GeodesicIntegrator,
    /// Step length, in mm.
    pub(super) step: f64,
    pub(super) min_cosine: f64,
    /// Maximum length of a ray, in mm.
    pub(super) max_length: f64,
    pub(super) lengths: LengthLimits,
    pub(super) max_steps: u32,
    pub(super) end_loops: bool,
    /// Expected number of steps of a ray that reaches the maximum length. It determines the number of rays in a block.
    pub(super) expected_steps: f64,
}

impl GeodesicOptions {
    /// Returns an error if the options are invalid for tensors on `grid`. Each error names its option.
    pub fn check(&self, grid: &Grid) -> Result<()> {
        self.settings(grid).map(|_| ())
    }

    /// Returns the step length in mm on `grid`, or the maximum step length for the adaptive scheme. Returns the errors
    /// of [`check`](Self::check).
    pub fn step_on(&self, grid: &Grid) -> Result<f64> {
        Ok(self.settings(grid)?.step)
    }

    /// Returns the number of rays from each seed.
    pub fn rays_per_seed(&self) -> usize {
        self.directions.count() * self.sides()
    }

    pub(super) fn sides(&self) -> usize {
        if self.both_ways && !matches!(self.directions, Directions::Sphere(_)) { 2 } else { 1 }
    }

    pub(super) fn settings(&self, grid: &Grid) -> Result<Settings> {
        let voxel = crate::options::voxel_of(grid);
        let shortest = grid.voxel_sizes().into_iter().fold(f64::INFINITY, f64::min);
        // Number of steps relative to that with the default tolerance. The local error of a step is of fifth
        // order.
        let (adaptive, more) = match self.integrator {
            GeodesicIntegrator::Adaptive { tolerance } => {
                (true, (DEFAULT_TOLERANCE / self.checked_tolerance(tolerance)?).powf(0.2).max(1.0))
            }
            _ => (false, 1.0),
        };
        let step = match self.step_mm {
            Some(step) => positive("‘step_mm’", step, "mm")?,
            None if adaptive => 0.5 * shortest,
            None => 0.1 * shortest,
        };
        if step > shortest {
            let problem = format!(
                "the step of {step} mm is longer than the shortest voxel edge of \
                                   {shortest} mm"
            );
            return Err(Error::usage("‘step_mm’", problem, "use a shorter step, for example 0.1 voxel"));
        }
        let max_length = match self.max_length_mm {
            Some(length) => positive("‘max_length_mm’", length, "mm")?,
            None => 100.0 * voxel,
        };
        check_points("ray", max_length, step)?;
        let min_length = self.min_length_mm.unwrap_or(0.0);
        if !(min_length >= 0.0 && min_length.is_finite()) {
            return Err(refused("‘min_length_mm’", min_length, "a length of 0 mm or more"));
        }
        if min_length > max_length {
            let problem = format!(
                "the maximum length of {max_length} mm is smaller than the minimum length of {min_length} mm"
            );
            let advice = "raise ‘max_length_mm’ or lower ‘min_length_mm’";
            return Err(Error::usage("‘max_length_mm’", problem, advice));
        }
        let discards = self.at_max_length == AtMaxLength::Discard;
        let lengths = LengthLimits { min: min_length, max: max_length, discards };
        if self.select == Some(0) {
            return Err(Error::usage("‘select’", "0 streamlines are wanted", "give 1 or more"));
        }
        let steps = max_length / step;
        let max_steps = match self.max_steps {
            Some(0) => return Err(Error::usage("‘max_steps’", "0 steps give no ray", "give one or more")),
            Some(steps) if f64::from(steps) > MAX_STEPS => {
                return Err(Error::usage(
                    "‘max_steps’",
                    format!("{steps} steps are too many"),
                    "give at most 10000000",
                ));
            }
            Some(steps) => steps,
            None if adaptive => saturating::<u32>(((4.0 * steps).max(1000.0) * more).min(MAX_STEPS).ceil()),
            // The chord of a step along the geodesic is slightly shorter than the step.
            None => saturating::<u32>((1.1 * steps).ceil()) + 1,
        };
        let min_cosine = match self.max_angle_degrees {
            Some(angle) if angle > 0.0 && angle <= 180.0 => angle.to_radians().cos(),
            Some(angle) => {
                return Err(refused("‘max_angle_degrees’", angle, "an angle above 0 and up to 180 degrees"));
            }
            None => -2.0,
        };
        if let Some(cutoff) = self.fa_cutoff {
            fraction("‘fa_cutoff’", cutoff)?;
        }
        if !(1e-12..=1e12).contains(&self.gain) {
            return Err(refused("‘gain’", self.gain, "a number from 1e-12 to 1e12"));
        }
        if let Some(sharpening) = &self.sharpening {
            sharpening.check()?;
        }
        match self.directions {
            Directions::Sphere(count) | Directions::Cone { count, .. }
                if count == 0 || count > MAX_DIRECTIONS =>
            {
                let problem = format!("{count} directions per seed are not possible");
                return Err(Error::usage("‘directions’", problem, "give 1 to 16777216"));
            }
            Directions::Cone { degrees, .. } if !(degrees > 0.0 && degrees <= 90.0) => {
                return Err(refused("‘cone’", degrees, "an angle above 0 and up to 90 degrees"));
            }
            _ => {}
        }
        check_mask(self.mask.as_ref(), grid)?;
        Ok(Settings {
            integrator: self.integrator,
            step,
            min_cosine,
            max_length,
            lengths,
            max_steps,
            end_loops: self.end_loops,
            expected_steps: f64::from(max_steps).min(if adaptive { 2.0 * steps * more } else { steps }) + 1.0,
        })
    }

    fn checked_tolerance(&self, tolerance: f64) -> Result<f64> {
        if !(1e-14..=0.1).contains(&tolerance) {
            return Err(refused("‘tolerance’", tolerance, "an error from 1e-14 to 0.1"));
        }
        if !self.double && tolerance < 1e-6 {
            let problem =
                format!("the step tolerance {tolerance} is below the rounding error of single precision");
            return Err(Error::usage("‘tolerance’", problem, "give 1e-6 or more, or ‘precision’ double"));
        }
        Ok(tolerance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Affine;

    #[test]
    fn step_counts_follow_the_tolerance() {
        let grid = Grid::new([4; 3], Affine::scaling([2.0; 3], [0.0; 3])).unwrap();
        let maximum = |tolerance: f64| {
            let integrator = GeodesicIntegrator::Adaptive { tolerance };
            let options = GeodesicOptions { integrator, double: true, ..GeodesicOptions::default() };
            f64::from(options.settings(&grid).unwrap().max_steps)
        };
        // For streamlines of 200 mm and steps of 1 mm, four times 200 steps would be allowed. This is below
        // the minimum limit of 1000 steps.
        assert_eq!((maximum(DEFAULT_TOLERANCE), maximum(0.1)), (1000.0, 1000.0));
        // The local error is of fifth order.
        assert!((maximum(1e-10) / 1e4 - 1.0).abs() < 1e-3 && (maximum(1e-14) / 63_096.0 - 1.0).abs() < 1e-3);
    }
}
