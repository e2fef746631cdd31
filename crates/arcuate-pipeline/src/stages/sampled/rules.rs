//! Options of tracking through samples of orientations: how streamlines start, continue and stop.

use crate::job::Job;
use crate::stages::propagation::Propagation;
use crate::stages::tracking::{Preset, Tracking};
use arcuate_core::{Error, Grid, Result};
use arcuate_track::{InitialFibre, SampleIntegrator, SampleOptions};

/// Options of tracking through posterior samples, peaks and bootstrap tensors, in addition to
/// [`Propagation`].
#[derive(Debug, Clone, PartialEq)]
pub struct SampleRules {
    /// Integration scheme of the steps.
    pub integrator: SampleIntegrator,
    /// Fibre along which a streamline starts.
    pub initial: InitialFibre,
    /// True if, at each step, a streamline continues only with a probability equal to the fraction of the
    /// fibre that it follows.
    pub fraction_stops: bool,
    /// True if a streamline stops when it returns to a place that it has passed before, in the opposite
    /// direction.
    pub loop_check: bool,
    /// True if the orientation at a point is that of the nearest voxel. False if it is that of one of the
    /// surrounding voxels, drawn at random.
    pub nearest: bool,
    /// Maximum number of steps of a streamline. Each of its two halves has at most half of this number.
    pub max_steps: u32,
    /// Minimum length of each of the two halves of a streamline, in mm, as the sum of its step lengths.
    pub min_half_length_mm: f64,
}

impl Default for SampleRules {
    fn default() -> Self {
        let SampleOptions {
            integrator,
            initial,
            fraction_stops,
            loop_check,
            nearest,
            max_steps,
            min_half_length_mm,
            ..
        } = SampleOptions::default();
        Self { integrator, initial, fraction_stops, loop_check, nearest, max_steps, min_half_length_mm }
    }
}

impl SampleRules {
    /// Creates the options for tracking tracts with protocols. Streamlines that return to a place stop, and
    /// streamlines start along any fibre whose fraction is above the minimum.
    pub fn of_protocols() -> Self {
        Self { loop_check: true, initial: InitialFibre::Random, ..Self::default() }
    }

    /// Returns the options of the tracking algorithm: these options, and those in `tracking`.
    pub(super) fn of(&self, tracking: &Tracking, grid: Option<&Grid>, job: &Job) -> Result<SampleOptions> {
        self.options(&tracking.propagation, tracking.preset, grid, tracking.select(), job.random_seed())
    }

    /// Returns the options of the tracking algorithm for orientations on the voxel grid `grid`. If the grid
    /// is not known yet, options that depend on the voxel size have preliminary values. `seed` is the seed of
    /// the random numbers.
    ///
    /// # Errors
    /// Returns an error if the maximum angle between steps is 0° or less, or more than 90°.
    #[doc(hidden)]
    pub fn options(
        &self,
        propagation: &Propagation,
        preset: Option<Preset>,
        grid: Option<&Grid>,
        select: Option<u64>,
        seed: u64,
    ) -> Result<SampleOptions> {
        if let Some(angle) = propagation.max_angle_degrees.filter(|angle| !(*angle > 0.0 && *angle <= 90.0)) {
            let problem = format!("the angle is {angle} degrees, but must be above 0 and at most 90");
            return Err(Error::usage("‘max_angle_degrees’", problem, "give an angle in this range"));
        }
        let defaults = match (preset, grid) {
            (Some(preset), _) => preset.options(),
            (None, Some(grid)) => SampleOptions::on(grid),
            (None, None) => SampleOptions { accepts_single_points: false, ..SampleOptions::default() },
        };
        let options = SampleOptions {
            step_mm: propagation.step_mm.unwrap_or(defaults.step_mm),
            integrator: self.integrator,
            min_cosine: propagation
                .max_angle_degrees
                .map_or(defaults.min_cosine, |angle| angle.to_radians().cos()),
            min_fraction: propagation.cutoff.unwrap_or(defaults.min_fraction),
            initial: self.initial,
            fraction_stops: self.fraction_stops,
            loop_check: self.loop_check,
            nearest: self.nearest,
            max_steps: self.max_steps,
            min_half_length_mm: self.min_half_length_mm,
            min_length_mm: propagation.min_length_mm.unwrap_or(0.0),
            max_length_mm: propagation.max_length_mm.or(defaults.max_length_mm),
            at_max_length: propagation.at_max_length,
            select,
            seed,
            spares_first_step: false,
            accepts_single_points: defaults.accepts_single_points,
        };
        // The default step length depends on the voxel size, which is not known yet. Minimum and maximum
        // lengths are converted to numbers of steps, so they cannot be checked yet.
        if preset.is_none() && propagation.step_mm.is_none() && grid.is_none() {
            return Ok(SampleOptions {
                min_half_length_mm: 0.0,
                min_length_mm: 0.0,
                max_length_mm: None,
                ..options
            });
        }
        // If the maximum length is less than three steps above the default minimum length, the default
        // minimum length is 0 instead.
        let fits = defaults.min_length_mm + 3.0 * options.step_mm <= options.longest_mm();
        let default = if fits { defaults.min_length_mm } else { 0.0 };
        let min_length_mm = propagation.min_length_mm.unwrap_or(default);
        Ok(SampleOptions { min_length_mm, ..options })
    }
}
