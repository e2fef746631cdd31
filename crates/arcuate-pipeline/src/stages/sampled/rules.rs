//! Rules for tracking through samples: how streamlines continue and when they stop.

use crate::job::Job;
use crate::stages::propagation::Propagation;
use crate::stages::tracking::{Preset, Tracking};
use arcuate_core::{Error, Grid, Result};
use arcuate_track::{InitialFibre, SampleIntegrator, SampleOptions};

/// Options of tracking through samples, peaks and refits, in addition to [`Propagation`].
#[derive(Debug, Clone, PartialEq)]
pub struct SampleRules {
    /// Integration scheme of the steps.
    pub integrator: SampleIntegrator,
    /// Fibre along which a streamline starts.
    pub initial: InitialFibre,
    /// True if a streamline continues with a probability equal to the fraction of the sampled fibre.
    pub fraction_stops: bool,
    /// True if a streamline stops when it returns to a place in the opposite direction.
    pub loop_check: bool,
    /// True if orientations come from the nearest voxel, instead of a randomly drawn neighbour.
    pub nearest: bool,
    /// Maximum number of steps of a streamline; each half has at most half of them.
    pub max_steps: u32,
    /// Minimum length of each half of a streamline, in mm along its steps.
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
    /// Creates the rules for tracts of protocols: the loop check is on, and streamlines start along any fibre above the
    /// minimum fraction.
    pub fn of_protocols() -> Self {
        Self { loop_check: true, initial: InitialFibre::Random, ..Self::default() }
    }

    /// Returns the options of the tracking algorithm, from these rules and from the options in `tracking`.
    pub(super) fn of(&self, tracking: &Tracking, grid: Option<&Grid>, job: &Job) -> Result<SampleOptions> {
        self.options(&tracking.propagation, tracking.preset, grid, tracking.select(), job.random_seed())
    }

    /// Returns the options of the tracking algorithm for orientations on `grid`. Without a grid, options that depend on
    /// the voxel size have preliminary values. `seed` is the seed of the random numbers.
    ///
    /// # Errors
    /// Returns an error if the maximum angle is not above 0° and at most 90°.
    pub fn options(
        &self,
        propagation: &Propagation,
        preset: Option<Preset>,
        grid: Option<&Grid>,
        select: Option<u64>,
        seed: u64,
    ) -> Result<SampleOptions> {
        if let Some(angle) = propagation.max_angle_degrees.filter(|angle| !(*angle > 0.0 && *angle <= 90.0)) {
            let problem = format!("the angle {angle} is not above 0 and at most 90 degrees");
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
        // The default step depends on the voxel size, which is not known yet. Lengths are converted to steps and
        // therefore cannot be checked.
        if preset.is_none() && propagation.step_mm.is_none() && grid.is_none() {
            return Ok(SampleOptions {
                min_half_length_mm: 0.0,
                min_length_mm: 0.0,
                max_length_mm: None,
                ..options
            });
        }
        // The default minimum length is not used if the requested maximum length is less than three steps above it.
        let fits = defaults.min_length_mm + 3.0 * options.step_mm <= options.longest_mm();
        let default = if fits { defaults.min_length_mm } else { 0.0 };
        let min_length_mm = propagation.min_length_mm.unwrap_or(default);
        Ok(SampleOptions { min_length_mm, ..options })
    }
}
