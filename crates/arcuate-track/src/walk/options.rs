//! What is said of streamlines through any field, and what is refused.

use crate::options::{AtMaxLength, MOST_STEPS, checked_step, positive, refused};
use arcuate_core::{Error, Grid, Result, saturating};

/// How a streamline moves along the directions of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WalkRule {
    /// One direction a step.
    #[default]
    Euler,
    /// A trial step, the direction at its end, and a step along the mean of both: of second order in a smooth field.
    ModifiedEuler,
    /// The classical Runge–Kutta scheme of fourth order, four directions a step.
    RungeKutta4,
    /// Arcs: a field's direction is the chord of one that begins in the direction in which the streamline comes; how far it leads and in
    /// which direction it ends follows.
    Arc,
}

/// How streamlines through a field go on and which are kept; everything but field, seeds and constraints.
#[derive(Debug, Clone, PartialEq)]
pub struct WalkOptions {
    /// How a streamline moves along.
    pub rule: WalkRule,
    /// Length of a step in mm, at most two voxels.
    pub step_mm: f64,
    /// Smallest cosine of the angle between two steps.
    pub min_cosine: f64,
    /// Whether a streamline ends where it comes back to a cube of five voxels against the direction it had there.
    pub loop_check: bool,
    /// Most steps of a streamline: each half has at most half of them as points, the seed among them.
    pub max_steps: u32,
    /// Halves of fewer steps than make so many mm are rejected.
    pub min_half_length_mm: f64,
    /// Shorter streamlines are rejected, in mm along their points. It is decided by the number of steps, with room for their
    /// rounding, so that streamlines within a thousandth of it are rejected, too.
    pub min_length_mm: f64,
    /// The length of the longest streamline, decided by steps as that of the shortest. `None`: whatever `max_steps` allows.
    pub max_length_mm: Option<f64>,
    /// What happens to a streamline that reaches it.
    pub at_max_length: AtMaxLength,
    /// Stop at this many accepted streamlines. `None`: try every seed.
    pub select: Option<u64>,
    /// Number that all random choices derive from.
    pub seed: u64,
    /// Whether a seed in a region to avoid does not matter, nor one to stop in at the end of a half's first step.
    pub spares_first_step: bool,
    /// Whether a streamline of one point is accepted: probtrackx2 counts its visit. It is no streamline of a tractogram.
    pub accepts_single_points: bool,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self {
            rule: WalkRule::Euler,
            step_mm: 0.5,
            min_cosine: 0.2,
            loop_check: false,
            max_steps: 2000,
            min_half_length_mm: 0.0,
            min_length_mm: 0.0,
            max_length_mm: None,
            at_max_length: AtMaxLength::default(),
            select: None,
            seed: 0,
            spares_first_step: false,
            accepts_single_points: false,
        }
    }
}

/// Points that a half may have: they are numbered in 31 bits with room for the draws of each.
const MOST_POINTS: u32 = 1 << 24;

/// By how much of itself a step may be shorter or longer than its nominal length: directions are stored in 16 bits, which
/// is 3e-5 of it, and places are rounded to 24, which is less than the rest for steps of 0.1 mm in images of 300.
const ROUNDING_OF_STEPS: f64 = 1e-3;

/// The options in points and numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Of a half.
    pub(crate) points: u32,
    /// Steps of a half that is kept, at least.
    pub(crate) half_steps: u32,
    /// Steps of a streamline that is kept.
    pub(crate) steps: [u32; 2],
    /// Whether seeds are not avoided and first steps do not stop.
    pub(crate) spares_first_step: bool,
    /// Whether a streamline stops at the most steps; otherwise one with more is rejected.
    pub(crate) stops_at_most: bool,
}

impl Limits {
    /// Points of the second half at most, where the first one has so many and `counts` as a part of the streamline.
    pub(crate) fn points_of_second(&self, first: u32, counts: bool) -> u32 {
        if !self.stops_at_most || !counts {
            return self.points;
        }
        self.points.min(self.steps[1].saturating_add(1) - first.saturating_sub(1))
    }
}

impl WalkOptions {
    /// Fails on options that make no sense for a field on `grid`; each refusal names its option.
    pub fn check_on(&self, grid: &Grid) -> Result<()> {
        self.limits()?;
        checked_step(self.step_mm, grid).map(|_| ())
    }

    pub(crate) fn limits(&self) -> Result<Limits> {
        let step = positive("‘step_mm’", self.step_mm, "mm")?;
        if !(0.0..=1.0).contains(&self.min_cosine) {
            let problem = format!("its cosine, {}, is not one from 0 to 1", self.min_cosine);
            return Err(Error::usage(
                "‘max_angle_degrees’",
                problem,
                "give an angle above 0 and up to 90 degrees",
            ));
        }
        let points = self.max_steps / 2;
        if !(2..=MOST_POINTS).contains(&points) {
            let wanted = format!("a number from 4 to {}", 2 * MOST_POINTS);
            return Err(refused("‘max_steps’", f64::from(self.max_steps), &wanted));
        }
        if self.select == Some(0) {
            return Err(Error::usage("‘select’", "0 streamlines are wanted", "ask for one or more"));
        }
        let in_steps = |option: &str, length: f64| {
            if !(length >= 0.0 && length / step <= MOST_STEPS) {
                return Err(refused(option, length, "a length of 0 mm or more"));
            }
            Ok(length / step)
        };
        // A thousandth of a step forgives the rounding of quotients, as 50 mm / 0.2 mm.
        let half_steps =
            saturating::<u32>((in_steps("‘min_half_length_mm’", self.min_half_length_mm)? - 1e-3).ceil());
        let least = in_steps("‘min_length_mm’", self.min_length_mm)? * (1.0 + ROUNDING_OF_STEPS);
        let least = saturating::<u32>(least.ceil()).max(u32::from(!self.accepts_single_points));
        let most = match self.max_length_mm {
            Some(length) => saturating::<u32>(
                (positive("‘max_length_mm’", length, "mm")? / step * (1.0 - ROUNDING_OF_STEPS)).floor(),
            ),
            None => u32::MAX,
        };
        if most == 0 && !self.accepts_single_points {
            let advice = "raise it, or lower ‘step_mm’";
            return Err(Error::usage("‘max_length_mm’", "it is below the length of a step", advice));
        }
        if least > most || half_steps > most {
            let (what, option) = if least > most {
                ("the minimum length", "‘min_length_mm’")
            } else {
                ("the shortest half that is kept", "‘min_half_length_mm’")
            };
            let problem = format!("it is below {what}");
            return Err(Error::usage("‘max_length_mm’", problem, format!("raise it or lower {option}")));
        }
        let (half, whole) = (points - 1, 2 * (points - 1));
        if half_steps > half || least > whole {
            let option = if half_steps > half { "‘min_half_length_mm’" } else { "‘min_length_mm’" };
            let longest = f64::from(if half_steps > half { half } else { whole }) * step;
            let problem = format!("nothing is so long: ‘max_steps’ and ‘step_mm’ end it at {longest} mm");
            return Err(Error::usage(option, problem, "raise ‘max_steps’ or lower the minimum"));
        }
        let stops_at_most = self.max_length_mm.is_some() && self.at_max_length == AtMaxLength::Stop;
        // A half may be as long as the whole.
        let points = if stops_at_most { points.min(most.saturating_add(1)) } else { points };
        let spares_first_step = self.spares_first_step;
        Ok(Limits { points, half_steps, steps: [least, most], spares_first_step, stops_at_most })
    }
}
