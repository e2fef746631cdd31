//! Options of tracking through orientation samples, with their defaults and checks.

use crate::options::{AtMaxLength, checked_step, fraction};
use crate::walk::{Limits, WalkOptions, WalkRule};
use arcuate_core::{Error, Grid, Result};

/// Integration rule for sampled orientations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SampleIntegrator {
    /// First order, with one sampled orientation per step.
    #[default]
    Euler,
    /// Second order in a smooth field: a trial step, an orientation sampled at its end, then a step along the
    /// mean of both.
    ModifiedEuler,
}

/// Choice of the fibre that a streamline follows from its seed. After that, a streamline follows the fibre closest to
/// its direction among those above [`SampleOptions::min_fraction`], or the first fibre if there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum InitialFibre {
    /// The fibre with this number, counted from 0.
    Number(usize),
    /// A random fibre above [`SampleOptions::min_fraction`].
    Random,
    /// A random fibre above [`SampleOptions::min_fraction`], with a probability proportional to its volume
    /// fraction.
    InProportion,
    /// A random fibre, regardless of its volume fraction. Both halves use the same fibre.
    RandomOfAll,
}

/// Options of tracking samples. [`on`](Self::on) returns the defaults for orientations on a grid.
/// [`probtrackx2`](Self::probtrackx2) returns the values of FSL probtrackx2, which [`Default`] uses, too.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct SampleOptions {
    /// Step length in mm (`‘step_mm’`), at most two voxels.
    pub step_mm: f64,
    /// Integration rule (`--integrator`).
    pub integrator: SampleIntegrator,
    /// Minimum cosine of the angle between two steps (`‘max_angle_degrees’`).
    pub min_cosine: f64,
    /// Volume fraction that a fibre must exceed to be used (`‘min_fraction’`).
    pub min_fraction: f64,
    /// Choice of the fibre that a streamline follows from its seed (`--initial-fibre`).
    pub initial: InitialFibre,
    /// True to continue a streamline at each step with a probability equal to the volume fraction of the
    /// sampled fibre (`--fraction-stops`).
    pub fraction_stops: bool,
    /// True to stop a streamline that returns to a cell of 5 × 5 × 5 voxels against its direction at the last
    /// visit (`--loop-check`).
    pub loop_check: bool,
    /// True to sample from the nearest voxel; false to sample from one of the eight surrounding voxels, with
    /// probabilities equal to the weights of trilinear interpolation (`--nearest`).
    pub nearest: bool,
    /// True to allow seeds in regions to avoid, and to ignore regions to stop in at the first step of a half,
    /// as FSL's `--forcefirststep`.
    pub spares_first_step: bool,
    /// True to accept a streamline with one point, as FSL probtrackx2 does. A tractogram does not contain
    /// such streamlines.
    pub accepts_single_points: bool,
    /// Maximum number of steps of a streamline (`‘max_steps’`). Each half has at most half as many points,
    /// including the seed.
    pub max_steps: u32,
    /// Minimum length of a half, in mm (`‘min_half_length_mm’`). Halves with fewer steps are rejected. FSL
    /// probtrackx2 calls this value the distance threshold.
    pub min_half_length_mm: f64,
    /// Minimum length of a streamline, in mm (`‘min_length_mm’`). Shorter streamlines are rejected. The
    /// length is computed from the number of steps with a tolerance of 0.1 %, so streamlines up to 0.1 %
    /// longer are rejected, too.
    pub min_length_mm: f64,
    /// Maximum length of a streamline, in mm, computed from the number of steps with a tolerance of 0.1 %
    /// (`‘max_length_mm’`). `None`: only `max_steps` limits the length.
    pub max_length_mm: Option<f64>,
    /// Action for a streamline that reaches the maximum length.
    pub at_max_length: AtMaxLength,
    /// Number of accepted streamlines at which tracking stops (`‘select’`). `None`: use all seeds.
    pub select: Option<u64>,
    /// Random seed (`--random-seed`).
    pub seed: u64,
}

/// Default maximum length of a streamline, in mm.
const LONGEST_MM: f64 = 250.0;
/// Default minimum length of a streamline in mm, unless voxels are small.
const SHORTEST_MM: f64 = 20.0;
/// Default minimum length of a streamline in voxels, if this is below [`SHORTEST_MM`].
const SHORTEST_VOXELS: f64 = 10.0;

impl SampleOptions {
    /// Returns the defaults for orientations on this grid: steps of half a voxel, a maximum angle of 45°
    /// between steps, and a minimum volume fraction of 0.05. The minimum length is 20 mm or ten voxels,
    /// whichever is less; the maximum length is 250 mm. One voxel is the cube root of the voxel volume.
    /// `docs/src/algorithms/tracking-defaults.md` explains these values.
    pub fn on(grid: &Grid) -> Self {
        let voxel = crate::options::voxel_of(grid);
        Self {
            step_mm: 0.5 * voxel,
            min_cosine: std::f64::consts::FRAC_1_SQRT_2,
            min_fraction: 0.05,
            min_length_mm: SHORTEST_MM.min(SHORTEST_VOXELS * voxel),
            max_length_mm: Some(LONGEST_MM),
            accepts_single_points: false,
            ..Self::probtrackx2()
        }
    }

    /// Returns the values of FSL probtrackx2.
    pub fn probtrackx2() -> Self {
        Self {
            step_mm: 0.5,
            integrator: SampleIntegrator::Euler,
            min_cosine: 0.2,
            min_fraction: 0.01,
            initial: InitialFibre::Number(0),
            fraction_stops: false,
            loop_check: false,
            nearest: false,
            spares_first_step: false,
            accepts_single_points: true,
            max_steps: 2000,
            min_half_length_mm: 0.0,
            min_length_mm: 0.0,
            max_length_mm: None,
            at_max_length: AtMaxLength::default(),
            select: None,
            seed: 0,
        }
    }

    /// Returns the maximum possible length of a streamline, in mm.
    pub fn longest_mm(&self) -> f64 {
        let points = f64::from((self.max_steps / 2).max(1));
        let by_steps = 2.0 * (points - 1.0) * self.step_mm;
        self.max_length_mm.map_or(by_steps, |maximum| maximum.min(by_steps))
    }

    /// Returns the minimum radius of curvature in mm: the radius of the circle on which each step turns by
    /// the maximum angle, step / (2 sin(angle / 2)).
    pub fn smallest_radius_mm(&self) -> f64 {
        self.step_mm / (2.0 * (0.5 * (1.0 - self.min_cosine)).sqrt())
    }
}

impl Default for SampleOptions {
    fn default() -> Self {
        Self::probtrackx2()
    }
}

impl SampleOptions {
    /// Returns an error if the options are invalid for this number of fibres.
    /// [`track_samples`](crate::track_samples) returns the same error. The error names the option.
    pub fn check(&self, fibres: usize) -> Result<()> {
        self.limits(fibres).map(|_| ())
    }

    /// Returns an error if the step is too long for orientations on `grid`, in addition to the errors of
    /// [`check`](Self::check).
    pub fn check_on(&self, grid: &Grid, fibres: usize) -> Result<()> {
        self.check(fibres)?;
        checked_step(self.step_mm, grid).map(|_| ())
    }

    /// Converts the options to those of tracking through any direction field.
    pub(super) fn walk(&self) -> WalkOptions {
        WalkOptions {
            rule: match self.integrator {
                SampleIntegrator::Euler => WalkRule::Euler,
                SampleIntegrator::ModifiedEuler => WalkRule::ModifiedEuler,
            },
            step_mm: self.step_mm,
            min_cosine: self.min_cosine,
            loop_check: self.loop_check,
            max_steps: self.max_steps,
            min_half_length_mm: self.min_half_length_mm,
            min_length_mm: self.min_length_mm,
            max_length_mm: self.max_length_mm,
            at_max_length: self.at_max_length,
            select: self.select,
            seed: self.seed,
            spares_first_step: self.spares_first_step,
            accepts_single_points: self.accepts_single_points,
        }
    }

    fn limits(&self, fibres: usize) -> Result<Limits> {
        let limits = self.walk().limits()?;
        fraction("‘min_fraction’", self.min_fraction)?;
        if let InitialFibre::Number(number) = self.initial
            && number >= fibres
        {
            let problem = format!("fibre {} was requested, but there are {fibres} fibres", number + 1);
            return Err(Error::usage("‘initial_fibre’", problem, "give the number of a fibre that exists"));
        }
        Ok(limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Affine;

    #[test]
    fn lengths_are_converted_to_steps() {
        let plain = SampleOptions::default().limits(1).unwrap();
        assert_eq!((plain.points, plain.half_steps, plain.steps), (1000, 0, [0, u32::MAX]));
        let options = SampleOptions {
            step_mm: 0.2,
            min_length_mm: 50.0,
            max_length_mm: Some(100.0),
            min_half_length_mm: 0.3,
            ..SampleOptions::default()
        };
        let limits = options.limits(1).unwrap();
        let of_tractograms = SampleOptions { accepts_single_points: false, ..SampleOptions::default() };
        assert_eq!(of_tractograms.limits(1).unwrap().steps, [1, u32::MAX], "one point is no streamline");
        let message =
            SampleOptions { max_length_mm: Some(0.3), ..of_tractograms }.check(1).unwrap_err().to_string();
        assert!(message.contains("shorter than one step"), "{message}");
        // The expected limits are one more than 250 and one fewer than 500 steps, because the options allow a
        // tolerance for rounding.
        assert_eq!((limits.half_steps, limits.steps), (2, [251, 499]));
    }

    #[test]
    fn default_steps_and_lengths_follow_the_voxel_size() {
        let of = |voxel: [f64; 3]| {
            SampleOptions::on(&Grid::new([4; 3], Affine::scaling(voxel, [0.0; 3])).unwrap())
        };
        let human = of([2.5; 3]);
        assert_eq!((human.step_mm, human.min_length_mm), (1.25, 20.0));
        // The voxels have edges of 0.125, 0.25 and 0.5 mm. A cube with edges of 0.25 mm has the same volume.
        let mouse = of([0.125, 0.25, 0.5]);
        assert_eq!((mouse.step_mm, mouse.min_length_mm), (0.125, 2.5));
        human.check(1).unwrap();
        mouse.check(1).unwrap();
    }

    #[test]
    fn steps_at_the_minimum_radius_turn_by_the_maximum_angle() {
        for degrees in [5.0_f64, 45.0, 78.463, 90.0] {
            let angle = degrees.to_radians();
            let options = SampleOptions { step_mm: 0.5, min_cosine: angle.cos(), ..SampleOptions::default() };
            let radius = options.smallest_radius_mm();
            // A step is a chord of the circle with the minimum radius of curvature.
            assert!((2.0 * (0.25 / radius).asin() - angle).abs() < 1e-9, "{degrees}");
        }
        let turn_limited =
            SampleOptions { min_cosine: 45_f64.to_radians().cos(), ..SampleOptions::default() };
        assert!((turn_limited.smallest_radius_mm() - 0.653).abs() < 1e-3);
    }

    #[test]
    fn invalid_options_give_one_line_errors() {
        let plain = SampleOptions::default;
        let cases = [
            ("‘step_mm’", SampleOptions { step_mm: 0.0, ..plain() }),
            ("‘step_mm’", SampleOptions { step_mm: f64::NAN, ..plain() }),
            ("‘max_angle_degrees’", SampleOptions { min_cosine: 1.5, ..plain() }),
            ("‘max_angle_degrees’", SampleOptions { min_cosine: f64::NAN, ..plain() }),
            ("‘min_fraction’", SampleOptions { min_fraction: -0.1, ..plain() }),
            ("‘initial_fibre’", SampleOptions { initial: InitialFibre::Number(3), ..plain() }),
            ("‘max_steps’", SampleOptions { max_steps: 3, ..plain() }),
            ("‘max_steps’", SampleOptions { max_steps: u32::MAX, ..plain() }),
            ("‘select’", SampleOptions { select: Some(0), ..plain() }),
            ("‘min_length_mm’", SampleOptions { min_length_mm: -1.0, ..plain() }),
            ("‘min_length_mm’", SampleOptions { min_length_mm: 1000.0, ..plain() }),
            ("‘min_length_mm’", SampleOptions { min_length_mm: f64::INFINITY, ..plain() }),
            ("‘min_half_length_mm’", SampleOptions { min_half_length_mm: 500.0, ..plain() }),
            ("‘max_length_mm’", SampleOptions { max_length_mm: Some(0.0), ..plain() }),
            ("‘max_length_mm’", SampleOptions { min_length_mm: 9.0, max_length_mm: Some(8.0), ..plain() }),
        ];
        for (option, options) in cases {
            let message = options.check(3).unwrap_err().to_string();
            assert!(message.starts_with(&format!("{option}: ")), "{message}");
            assert!(!message.contains('\n'));
        }
        plain().check(3).unwrap();
    }
}
