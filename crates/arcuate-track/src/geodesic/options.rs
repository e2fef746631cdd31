//! What geodesic tracking may be told, the defaults, and what is refused.

use super::field::Sharpening;
use crate::constraints::Constraints;
use crate::options::{MOST_STEPS, check_mask, check_points, fraction, positive, refused};
use arcuate_core::{Error, Grid, Mask, Result, saturating};

/// How the metric between voxels comes from the metric of the voxels. Metric and derivatives always come from one
/// interpolant, but for [`Field::Thesis`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Field {
    /// An interpolating cubic B-spline of log D, twice continuously differentiable; the metric is its exponential, which is
    /// positive definite everywhere.
    #[default]
    Spline,
    /// Trilinear interpolation of the metric: continuous, with kinks at the planes through voxel centres. The fast one.
    Trilinear,
    /// Trilinear interpolation of D and, apart from it, of central differences of its inverse, as in the thesis this
    /// follows: the connection of no metric, whose rays do not keep their energy. For comparison.
    Thesis,
}

/// Which metric rays are geodesics of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Metric {
    /// D⁻¹.
    #[default]
    Inverse,
    /// det(D) D⁻¹ (Fuster et al. 2016, doi:10.1007/s10851-015-0586-8): the inverse prefers fast diffusion of any kind, this one its
    /// anisotropy.
    Adjugate,
    /// e^α D⁻¹ with α from a Poisson equation such that integral curves of the principal eigenvectors are geodesics as
    /// nearly as can be (Hao et al. 2011, doi:10.1007/978-3-642-22092-0_2).
    Conformal,
}

/// How rays go on from point to point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GeodesicIntegrator {
    /// First order, one evaluation of the metric a step.
    Euler,
    /// Heun's scheme, second order, two evaluations.
    Heun,
    /// The classical Runge–Kutta scheme, fourth order, four evaluations.
    RungeKutta4,
    /// Dormand and Prince's pair of orders 5 and 4 (1980, doi:10.1016/0771-050X(80)90013-3): steps as long as their error
    /// stays below `tolerance`.
    Adaptive {
        /// Largest error of a step: of the position in voxels, of the velocity in parts of itself. From 1e-14, in single
        /// precision from 1e-6, to 0.1.
        tolerance: f64,
    },
}

impl Default for GeodesicIntegrator {
    fn default() -> Self {
        Self::Adaptive { tolerance: DEFAULT_TOLERANCE }
    }
}

/// Error of a step of the adaptive scheme in voxels, unless said otherwise.
pub const DEFAULT_TOLERANCE: f64 = 1e-5;

/// The directions in which rays leave a seed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Directions {
    /// The principal eigenvector of the tensor at the seed.
    Principal,
    /// So many, evenly over the sphere (Fibonacci's lattice).
    Sphere(usize),
    /// So many, evenly over the directions within an angle of the principal eigenvector.
    Cone {
        /// How many.
        count: usize,
        /// The angle between the axis and the border, in degrees: above 0, at most 90.
        degrees: f64,
    },
}

impl Directions {
    /// How many leave each seed.
    pub fn count(&self) -> usize {
        match *self {
            Self::Principal => 1,
            Self::Sphere(count) | Self::Cone { count, .. } => count,
        }
    }
}

/// Everything but tensors and seeds.
#[derive(Debug, Clone, PartialEq)]
pub struct GeodesicOptions {
    /// What lies between voxels (`--field`).
    pub field: Field,
    /// The metric (`--metric`).
    pub metric: Metric,
    /// What every tensor is multiplied by (`--gain`), 1e-12 to 1e12. Changes no ray but by rounding, unless some tensors are
    /// sharpened and others not.
    pub gain: f64,
    /// Dᵖ for the metric (`--sharpen`), where the anisotropy is low or high enough.
    pub sharpening: Option<Sharpening>,
    /// How rays go on (`--integrator`).
    pub integrator: GeodesicIntegrator,
    /// Length of a step in mm (`--step`), at most a voxel's shortest edge; of the longest one for the adaptive scheme. `None`: 0.1
    /// of that edge, half of it for the adaptive scheme.
    pub step_mm: Option<f64>,
    /// Whether rays are followed in double precision (`--precision double`).
    pub double: bool,
    /// In which directions rays leave a seed (`--initial-directions` and `--per-seed`).
    pub directions: Directions,
    /// Whether each direction is followed both ways (`--one-way`); on the sphere each goes its own way only.
    pub both_ways: bool,
    /// Rays end before voxels of lower fractional anisotropy (`--cutoff`), 0 to 1.
    pub fa_cutoff: Option<f64>,
    /// Largest angle between the directions at both ends of a step in degrees (`--angle`): above 0, at most 180.
    pub max_angle_degrees: Option<f64>,
    /// Rays end where they are so long (`--max-length`), in mm. `None`: 100 times the cube root of a voxel's volume.
    pub max_length_mm: Option<f64>,
    /// Rays end after so many steps (`--max-steps`). `None`: as many as the length needs, four times that and 1,000 at
    /// least for the adaptive scheme, more in proportion to `tolerance` to the power of -1/5 where it is below the default.
    pub max_steps: Option<u32>,
    /// Whether rays end where they come back to a place and direction of their own (`--allow-loops`).
    pub end_loops: bool,
    /// Where rays may go (`--mask`). On the grid of the tensors.
    pub mask: Option<Mask>,
    /// Regions that rays must and may not pass, and end in; targets to reach are not among them.
    pub constraints: Constraints,
    /// Number that random seeds derive from (`--random-seed`).
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
            max_length_mm: None,
            max_steps: None,
            end_loops: true,
            mask: None,
            constraints: Constraints::default(),
            seed: 0,
        }
    }
}

/// Directions from a seed beyond which somebody has mistyped.
const MOST_DIRECTIONS: usize = 1 << 24;

/// The options as rays need them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Settings {
    pub(super) integrator: GeodesicIntegrator,
    /// In mm.
    pub(super) step: f64,
    pub(super) min_cosine: f64,
    /// In mm.
    pub(super) max_length: f64,
    pub(super) max_steps: u32,
    pub(super) end_loops: bool,
    /// Of a ray that is not ended before, for the cut into blocks.
    pub(super) expected_steps: f64,
}

impl GeodesicOptions {
    /// Fails where these options make no sense for tensors on `grid`. Each refusal names its option.
    pub fn check(&self, grid: &Grid) -> Result<()> {
        self.settings(grid).map(|_| ())
    }

    /// Length of a step in mm on `grid`, of the longest for the adaptive scheme. Fails like [`check`](Self::check).
    pub fn step_on(&self, grid: &Grid) -> Result<f64> {
        Ok(self.settings(grid)?.step)
    }

    /// Rays that leave each seed.
    pub fn rays_per_seed(&self) -> usize {
        self.directions.count() * self.ways()
    }

    pub(super) fn ways(&self) -> usize {
        if self.both_ways && !matches!(self.directions, Directions::Sphere(_)) { 2 } else { 1 }
    }

    pub(super) fn settings(&self, grid: &Grid) -> Result<Settings> {
        let voxel = crate::options::voxel_of(grid);
        let shortest = grid.voxel_sizes().into_iter().fold(f64::INFINITY, f64::min);
        // How many times the steps of the default tolerance: the error of a step is of fifth order.
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
            let problem = format!("{step} mm is longer than a voxel's edge of {shortest} mm");
            return Err(Error::usage("‘step_mm’", problem, "take a shorter step, 0.1 voxel for instance"));
        }
        let max_length = match self.max_length_mm {
            Some(length) => positive("‘max_length_mm’", length, "mm")?,
            None => 100.0 * voxel,
        };
        check_points("ray", max_length, step)?;
        let steps = max_length / step;
        let max_steps = match self.max_steps {
            Some(0) => return Err(Error::usage("‘max_steps’", "0 steps give no ray", "give one or more")),
            Some(steps) if f64::from(steps) > MOST_STEPS => {
                return Err(Error::usage(
                    "‘max_steps’",
                    format!("{steps} steps are too many"),
                    "give at most 10000000",
                ));
            }
            Some(steps) => steps,
            None if adaptive => saturating::<u32>(((4.0 * steps).max(1000.0) * more).min(MOST_STEPS).ceil()),
            // A step's chord is a little shorter than the step.
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
                if count == 0 || count > MOST_DIRECTIONS =>
            {
                let problem = format!("{count} directions from a seed make no sense");
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
            let problem = format!("an error of {tolerance} is below the rounding of single precision");
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
    fn rays_have_the_steps_that_their_tolerance_takes() {
        let grid = Grid::new([4; 3], Affine::scaling([2.0; 3], [0.0; 3])).unwrap();
        let most = |tolerance: f64| {
            let integrator = GeodesicIntegrator::Adaptive { tolerance };
            let options = GeodesicOptions { integrator, double: true, ..GeodesicOptions::default() };
            f64::from(options.settings(&grid).unwrap().max_steps)
        };
        // 200 mm in steps of a millimetre are fewer than a thousand.
        assert_eq!((most(DEFAULT_TOLERANCE), most(0.1)), (1000.0, 1000.0));
        // The local error is of fifth order.
        assert!((most(1e-10) / 1e4 - 1.0).abs() < 1e-3 && (most(1e-14) / 63_096.0 - 1.0).abs() < 1e-3);
    }
}
