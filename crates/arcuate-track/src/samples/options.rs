//! What a run may be told, the defaults, and what is refused.

use crate::options::{AtMaxLength, checked_step, fraction};
use crate::walk::{Limits, WalkOptions, WalkRule};
use arcuate_core::{Error, Grid, Result};

/// How a streamline moves along the orientations it samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SampleIntegrator {
    /// One orientation a step.
    #[default]
    Euler,
    /// A trial step, an orientation sampled at its end, and a step along the mean of both: of second order in a smooth field.
    ModifiedEuler,
}

/// Which fibre a streamline begins along. Later it takes the one nearest to its direction, of those above
/// [`SampleOptions::min_fraction`], or the first where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InitialFibre {
    /// The one of this number, from 0.
    Number(usize),
    /// Any that is above [`SampleOptions::min_fraction`].
    Random,
    /// Any of those, in proportion to their fractions.
    InProportion,
    /// Any at all, the same for both halves.
    RandomOfAll,
}

/// Everything but orientations, seeds and regions. [`on`](Self::on) has the defaults for orientations on a grid,
/// [`probtrackx2`](Self::probtrackx2) the numbers of FSL's program, which are also those of [`Default`].
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct SampleOptions {
    /// Length of a step in mm (`‘step_mm’`), at most two voxels.
    pub step_mm: f64,
    /// How a streamline moves along (`--integrator`).
    pub integrator: SampleIntegrator,
    /// Smallest cosine of the angle between two steps (`‘max_angle_degrees’`).
    pub min_cosine: f64,
    /// Fraction above which a fibre counts (`‘min_fraction’`).
    pub min_fraction: f64,
    /// Which fibre a streamline begins along (`--initial-fibre`).
    pub initial: InitialFibre,
    /// Whether a streamline goes on with the fraction of the sampled fibre as its probability (`--fraction-stops`).
    pub fraction_stops: bool,
    /// Whether a streamline ends where it comes back to a cube of five voxels against the direction it had there
    /// (`--loop-check`).
    pub loop_check: bool,
    /// Whether orientations come from the nearest voxel, instead of one of the eight around, drawn by how near they are
    /// (`--nearest`).
    pub nearest: bool,
    /// Whether a seed in a region to avoid does not matter, nor one to stop in at the end of a half's first step: FSL's
    /// `--forcefirststep`.
    pub spares_first_step: bool,
    /// Whether a streamline of one point is accepted, as probtrackx2 does. It is no streamline of a tractogram.
    pub accepts_single_points: bool,
    /// Most steps of a streamline (`‘max_steps’`): each half has at most half of them as points, the seed among them.
    pub max_steps: u32,
    /// Halves of fewer steps than make so many mm are rejected (`‘min_half_length_mm’`): the distance threshold of
    /// probtrackx2.
    pub min_half_length_mm: f64,
    /// Shorter streamlines are rejected, in mm along their points (`‘min_length_mm’`). It is decided by the number of steps,
    /// with room for their rounding, so that streamlines within a thousandth of it are rejected, too.
    pub min_length_mm: f64,
    /// The length of the longest streamline in mm along its points, decided like that of the shortest (`‘max_length_mm’`). `None`:
    /// whatever `max_steps` allows.
    pub max_length_mm: Option<f64>,
    /// What happens to a streamline that reaches it.
    pub at_max_length: AtMaxLength,
    /// Stop at this many accepted streamlines (`‘select’`). `None`: try every seed.
    pub select: Option<u64>,
    /// Number that all random choices derive from (`--random-seed`).
    pub seed: u64,
}

/// Longest streamline in mm by default.
const LONGEST_MM: f64 = 250.0;
/// Shortest streamline in mm by default, where voxels are not small ...
const SHORTEST_MM: f64 = 20.0;
/// ... and in voxels where they are.
const SHORTEST_VOXELS: f64 = 10.0;

impl SampleOptions {
    /// The defaults for orientations on this grid: steps of half a voxel and turns of at most 45° between them, fibres above 0.05,
    /// nothing shorter than 20 mm or ten voxels, whichever is less, and nothing longer than 250 mm. A voxel as a length is the edge of a
    /// cube of its volume. `docs/src/algorithms/tracking-defaults.md` has the reasons.
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

    /// The numbers of FSL's probtrackx2.
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

    /// The longest that a streamline may become, in mm.
    pub fn longest_mm(&self) -> f64 {
        let points = f64::from((self.max_steps / 2).max(1));
        let by_steps = 2.0 * (points - 1.0) * self.step_mm;
        self.max_length_mm.map_or(by_steps, |most| most.min(by_steps))
    }

    /// Radius in mm of the circle on which steps turn by the largest angle: step / (2 sin(angle / 2)). Streamlines bend
    /// more sharply nowhere.
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
    /// Fails where [`track_samples`](crate::track_samples) would refuse these options for so many fibres; each refusal names
    /// its option.
    pub fn check(&self, fibres: usize) -> Result<()> {
        self.limits(fibres).map(|_| ())
    }

    /// Fails on steps that are too long for orientations on `grid`, beside all that [`check`](Self::check) refuses of so many
    /// fibres.
    pub fn check_on(&self, grid: &Grid, fibres: usize) -> Result<()> {
        self.check(fibres)?;
        checked_step(self.step_mm, grid).map(|_| ())
    }

    /// What is said of streamlines through any field.
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
            let problem = format!("fibre {} is wanted where there are {fibres}", number + 1);
            return Err(Error::usage("‘initial_fibre’", problem, "give one that there is"));
        }
        Ok(limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Affine;

    #[test]
    fn lengths_are_steps() {
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
        assert!(message.contains("below the length of a step"), "{message}");
        // One more and one fewer than 250 and 500, which rounding could leave short or long.
        assert_eq!((limits.half_steps, limits.steps), (2, [251, 499]));
    }

    #[test]
    fn defaults_have_steps_and_lengths_of_their_voxels() {
        let of = |voxel: [f64; 3]| {
            SampleOptions::on(&Grid::new([4; 3], Affine::scaling(voxel, [0.0; 3])).unwrap())
        };
        let human = of([2.5; 3]);
        assert_eq!((human.step_mm, human.min_length_mm), (1.25, 20.0));
        // Slices of four times the thickness: cubes of 0.25 mm have as much volume.
        let mouse = of([0.125, 0.25, 0.5]);
        assert_eq!((mouse.step_mm, mouse.min_length_mm), (0.125, 2.5));
        human.check(1).unwrap();
        mouse.check(1).unwrap();
    }

    #[test]
    fn steps_on_the_smallest_circle_turn_by_the_largest_angle() {
        for degrees in [5.0_f64, 45.0, 78.463, 90.0] {
            let angle = degrees.to_radians();
            let options = SampleOptions { step_mm: 0.5, min_cosine: angle.cos(), ..SampleOptions::default() };
            let radius = options.smallest_radius_mm();
            // A chord of the step's length.
            assert!((2.0 * (0.25 / radius).asin() - angle).abs() < 1e-9, "{degrees}");
        }
        let told = SampleOptions { min_cosine: 45_f64.to_radians().cos(), ..SampleOptions::default() };
        assert!((told.smallest_radius_mm() - 0.653).abs() < 1e-3);
    }

    #[test]
    fn each_wrong_option_is_named_in_one_line() {
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
