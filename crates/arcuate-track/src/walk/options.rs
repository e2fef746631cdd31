//! Options of tracking through any direction field, and their checks.

use crate::options::{AtMaxLength, MAX_STEPS, checked_step, positive, refused};
use arcuate_core::{Error, Grid, Result, saturating};

/// Integration rule of streamlines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WalkRule {
    /// First order, with one direction per step.
    #[default]
    Euler,
    /// Second order in a smooth field: a trial step, then a step along the mean of the directions at both of
    /// its ends.
    ModifiedEuler,
    /// Classical fourth-order Runge–Kutta scheme, with four directions per step.
    RungeKutta4,
    /// Circular arcs. The direction of the field is the chord of an arc that starts in the current direction
    /// of the streamline. The length of the chord and the direction at its end follow from these two
    /// directions.
    Arc,
}

/// Options of tracking through any direction field.
#[derive(Debug, Clone, PartialEq)]
pub struct WalkOptions {
    /// Integration rule.
    pub rule: WalkRule,
    /// Step length in mm, at most two voxels.
    pub step_mm: f64,
    /// Minimum cosine of the angle between two steps, from 0 to 1.
    pub min_cosine: f64,
    /// True to stop a streamline that returns to a cell of 5 × 5 × 5 voxels against its direction at the last
    /// visit.
    pub loop_check: bool,
    /// Maximum number of steps of a streamline. Each half has at most half as many points, including the
    /// seed.
    pub max_steps: u32,
    /// Minimum length of a half, in mm. Halves with fewer steps are rejected.
    pub min_half_length_mm: f64,
    /// Minimum length of a streamline, in mm. Shorter streamlines are rejected. The length is computed from
    /// the number of steps with a tolerance of 0.1 %, so streamlines up to 0.1 % longer are rejected, too.
    pub min_length_mm: f64,
    /// Maximum length of a streamline, in mm, computed from the number of steps with a tolerance of 0.1 %.
    /// `None`: only `max_steps` limits the length.
    pub max_length_mm: Option<f64>,
    /// Action for a streamline that reaches the maximum length.
    pub at_max_length: AtMaxLength,
    /// Number of accepted streamlines at which tracking stops. `None`: use all seeds.
    pub select: Option<u64>,
    /// Random seed.
    pub seed: u64,
    /// True to allow seeds in regions to avoid, and to ignore regions to stop in at the first step of a half.
    pub spares_first_step: bool,
    /// True to accept a streamline with one point, as FSL probtrackx2 does for its visit counts. A tractogram
    /// does not contain such streamlines.
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

/// Maximum number of points of a half. The block numbers of the random numbers of all points must fit into 31
/// bits.
const MAX_POINTS: u32 = 1 << 24;

/// Relative tolerance of the step length. Directions are stored with 16 bits (a relative error of 3e-5), and
/// positions are rounded to 24 bits. For steps of 0.1 mm in images of 300 voxels the sum of both errors is
/// below this tolerance.
const ROUNDING_OF_STEPS: f64 = 1e-3;

/// Options as numbers of points and steps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Maximum number of points of a half.
    pub(crate) points: u32,
    /// Minimum number of steps of a half that is kept.
    pub(crate) half_steps: u32,
    /// Minimum and maximum number of steps of a streamline that is kept.
    pub(crate) steps: [u32; 2],
    /// True to allow seeds in regions to avoid and to ignore regions to stop in at the first step.
    pub(crate) spares_first_step: bool,
    /// True if a streamline stops at the maximum number of steps; false if a longer streamline is rejected.
    pub(crate) stops_at_most: bool,
}

impl Limits {
    /// Returns the maximum number of points of the second half. `first` is the number of points of the first
    /// half, and `counts` is true if the first half belongs to the streamline.
    pub(crate) fn points_of_second(&self, first: u32, counts: bool) -> u32 {
        if !self.stops_at_most || !counts {
            return self.points;
        }
        self.points.min(self.steps[1].saturating_add(1) - first.saturating_sub(1))
    }
}

impl WalkOptions {
    /// Returns an error if the options are invalid for a field on `grid`. The error names the option.
    pub fn check_on(&self, grid: &Grid) -> Result<()> {
        self.limits()?;
        checked_step(self.step_mm, grid).map(|_| ())
    }

    pub(crate) fn limits(&self) -> Result<Limits> {
        let step = positive("‘step_mm’", self.step_mm, "mm")?;
        if !(0.0..=1.0).contains(&self.min_cosine) {
            let problem = format!("the cosine {} of the angle is not from 0 to 1", self.min_cosine);
            return Err(Error::usage(
                "‘max_angle_degrees’",
                problem,
                "give an angle above 0 and at most 90 degrees",
            ));
        }
        let points = self.max_steps / 2;
        if !(2..=MAX_POINTS).contains(&points) {
            let expected = format!("a number from 4 to {}", 2 * MAX_POINTS);
            return Err(refused("‘max_steps’", f64::from(self.max_steps), &expected));
        }
        if self.select == Some(0) {
            return Err(Error::usage("‘select’", "0 streamlines are wanted", "give 1 or more"));
        }
        let in_steps = |option: &str, length: f64| {
            if !(length >= 0.0 && length / step <= MAX_STEPS) {
                return Err(refused(option, length, "a length of 0 mm or more"));
            }
            Ok(length / step)
        };
        // A tolerance of a thousandth of a step allows for rounding of quotients such as 50 mm / 0.2 mm.
        let half_steps =
            saturating::<u32>((in_steps("‘min_half_length_mm’", self.min_half_length_mm)? - 1e-3).ceil());
        let minimum = in_steps("‘min_length_mm’", self.min_length_mm)? * (1.0 + ROUNDING_OF_STEPS);
        let minimum = saturating::<u32>(minimum.ceil()).max(u32::from(!self.accepts_single_points));
        let maximum = match self.max_length_mm {
            Some(length) => saturating::<u32>(
                (positive("‘max_length_mm’", length, "mm")? / step * (1.0 - ROUNDING_OF_STEPS)).floor(),
            ),
            None => u32::MAX,
        };
        if maximum == 0 && !self.accepts_single_points {
            let advice = "raise it, or lower ‘step_mm’";
            return Err(Error::usage("‘max_length_mm’", "this length is shorter than one step", advice));
        }
        if minimum > maximum || half_steps > maximum {
            let (what, option) = if minimum > maximum {
                ("the minimum length", "‘min_length_mm’")
            } else {
                ("the shortest half that is kept", "‘min_half_length_mm’")
            };
            let problem = format!("it is below {what}");
            return Err(Error::usage("‘max_length_mm’", problem, format!("raise it or lower {option}")));
        }
        let (half, whole) = (points - 1, 2 * (points - 1));
        if half_steps > half || minimum > whole {
            let option = if half_steps > half { "‘min_half_length_mm’" } else { "‘min_length_mm’" };
            let longest = f64::from(if half_steps > half { half } else { whole }) * step;
            let problem = format!(
                "no streamline can be this long: ‘max_steps’ and ‘step_mm’ limit the \
                                   length to {longest} mm"
            );
            return Err(Error::usage(option, problem, "raise ‘max_steps’, or lower the minimum length"));
        }
        let stops_at_most = self.max_length_mm.is_some() && self.at_max_length == AtMaxLength::Stop;
        // One half of a streamline can be as long as the whole streamline.
        let points = if stops_at_most { points.min(maximum.saturating_add(1)) } else { points };
        let spares_first_step = self.spares_first_step;
        Ok(Limits { points, half_steps, steps: [minimum, maximum], spares_first_step, stops_at_most })
    }
}
