//! How streamlines go on through samples, and where they end.

use arcuate_core::{Error, Grid, Result};
use arcuate_track::{InitialFibre, SampleIntegrator, SampleOptions};

/// How streamlines go on and where they end. What is not said has a default that depends on the result: a tractogram has other
/// ones than maps, which are probtrackx2's.
#[derive(Debug, Clone, PartialEq)]
pub struct Propagation {
    /// Length of a step in mm; 0.5 by default, half a voxel for a tractogram.
    pub step_mm: Option<f64>,
    /// How a streamline moves along.
    pub integrator: SampleIntegrator,
    /// Largest turn from step to step, in degrees; 78.463 by default, whose cosine is 0.2, and 45 for a tractogram.
    pub max_angle_degrees: Option<f64>,
    /// Fraction above which a fibre counts; 0.01 by default, 0.05 for a tractogram.
    pub min_fraction: Option<f64>,
    /// Which fibre a streamline begins along.
    pub initial: InitialFibre,
    /// Whether a streamline goes on with the fraction of the sampled fibre as its probability.
    pub fraction_stops: bool,
    /// Whether a streamline ends where it comes back to a place against its direction there.
    pub loop_check: bool,
    /// Whether orientations come from the nearest voxel.
    pub nearest: bool,
    /// Most steps of a streamline, half of them to each side.
    pub max_steps: u32,
    /// Shortest half of a streamline kept, in mm of its steps.
    pub min_half_length_mm: f64,
    /// Shortest streamline, in mm; any by default, but of a tractogram 20 mm or ten voxels, whichever is less.
    pub min_length_mm: Option<f64>,
    /// Longest streamline, in mm; any by default.
    pub max_length_mm: Option<f64>,
}

impl Default for Propagation {
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
        Self {
            step_mm: None,
            integrator,
            max_angle_degrees: None,
            min_fraction: None,
            initial,
            fraction_stops,
            loop_check,
            nearest,
            max_steps,
            min_half_length_mm,
            min_length_mm: None,
            max_length_mm: None,
        }
    }
}

impl Propagation {
    /// As tracts are followed by protocols: streamlines end that come back, and begin along any fibre that counts.
    pub fn of_protocols() -> Self {
        Self { loop_check: true, initial: InitialFibre::Random, ..Self::default() }
    }

    /// The options of the algorithm for orientations on `grid`, or what can be known of them before there is one. `seed` is that of
    /// random numbers.
    ///
    /// # Errors
    /// Where the angle is none.
    pub fn options(
        &self,
        tractogram: bool,
        grid: Option<&Grid>,
        select: Option<u64>,
        seed: u64,
    ) -> Result<SampleOptions> {
        if let Some(angle) = self.max_angle_degrees.filter(|angle| !(*angle > 0.0 && *angle <= 90.0)) {
            let problem = format!("{angle} is not an angle above 0 and up to 90 degrees");
            return Err(Error::usage("‘max_angle_degrees’", problem, "give one"));
        }
        let defaults = match grid.filter(|_| tractogram) {
            Some(grid) => SampleOptions::for_tractograms(grid),
            None => SampleOptions::default(),
        };
        let options = SampleOptions {
            step_mm: self.step_mm.unwrap_or(defaults.step_mm),
            integrator: self.integrator,
            min_cosine: self.max_angle_degrees.map_or(defaults.min_cosine, |angle| angle.to_radians().cos()),
            min_fraction: self.min_fraction.unwrap_or(defaults.min_fraction),
            initial: self.initial,
            fraction_stops: self.fraction_stops,
            loop_check: self.loop_check,
            nearest: self.nearest,
            max_steps: self.max_steps,
            min_half_length_mm: self.min_half_length_mm,
            min_length_mm: self.min_length_mm.unwrap_or(0.0),
            max_length_mm: self.max_length_mm,
            select,
            seed,
            spares_first_step: false,
            accepts_single_points: !tractogram,
        };
        // Lengths are counted in steps, which are of voxels here, and voxels not known yet.
        if tractogram && self.step_mm.is_none() && grid.is_none() {
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
        let min_length_mm = self.min_length_mm.unwrap_or(default);
        Ok(SampleOptions { min_length_mm, ..options })
    }
}
