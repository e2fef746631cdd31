//! How streamlines continue through samples, and where they end.

use crate::job::Job;
use crate::stages::propagation::Propagation;
use crate::stages::tracking::{Preset, Tracking};
use arcuate_core::{Error, Grid, Result};
use arcuate_track::{InitialFibre, SampleIntegrator, SampleOptions};

/// The rules that samples, peaks and refits have in addition to [`Propagation`].
#[derive(Debug, Clone, PartialEq)]
pub struct SampleRules {
    /// How a streamline moves along.
    pub integrator: SampleIntegrator,
    /// Which fibre a streamline begins along.
    pub initial: InitialFibre,
    /// Whether a streamline continues with the fraction of the sampled fibre as its probability.
    pub fraction_stops: bool,
    /// Whether a streamline ends where it comes back to a place against its direction there.
    pub loop_check: bool,
    /// Whether orientations come from the nearest voxel.
    pub nearest: bool,
    /// Most steps of a streamline, half of them to each side.
    pub max_steps: u32,
    /// Shortest half of a streamline kept, in mm of its steps.
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
    /// As tracts are followed by protocols: streamlines that come back end, and they begin along any fibre that counts.
    pub fn of_protocols() -> Self {
        Self { loop_check: true, initial: InitialFibre::Random, ..Self::default() }
    }

    /// The options of the algorithm for what is asked for.
    pub(super) fn of(&self, tracking: &Tracking, grid: Option<&Grid>, job: &Job) -> Result<SampleOptions> {
        self.options(&tracking.propagation, tracking.preset, grid, tracking.select(), job.random_seed())
    }

    /// The options of the algorithm for orientations on `grid`, or what can be known of them before there is one. `seed` is that of
    /// random numbers.
    ///
    /// # Errors
    /// Where the angle is none.
    pub fn options(
        &self,
        propagation: &Propagation,
        preset: Option<Preset>,
        grid: Option<&Grid>,
        select: Option<u64>,
        seed: u64,
    ) -> Result<SampleOptions> {
        if let Some(angle) = propagation.max_angle_degrees.filter(|angle| !(*angle > 0.0 && *angle <= 90.0)) {
            let problem = format!("{angle} is not an angle above 0 and up to 90 degrees");
            return Err(Error::usage("‘max_angle_degrees’", problem, "give one"));
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
        // Lengths are counted in steps, which are of voxels here, and voxels not known yet.
        if preset.is_none() && propagation.step_mm.is_none() && grid.is_none() {
            return Ok(SampleOptions {
                min_half_length_mm: 0.0,
                min_length_mm: 0.0,
                max_length_mm: None,
                ..options
            });
        }
        // What is asked for may be shorter, or leave no whole number of steps between.
        let fits = defaults.min_length_mm + 3.0 * options.step_mm <= options.longest_mm();
        let default = if fits { defaults.min_length_mm } else { 0.0 };
        let min_length_mm = propagation.min_length_mm.unwrap_or(default);
        Ok(SampleOptions { min_length_mm, ..options })
    }
}
