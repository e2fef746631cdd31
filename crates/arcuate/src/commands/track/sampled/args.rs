//! Options that only tracking through orientation samples, peaks or refitted tensors has.

use arcuate_pipeline::stages::sampled::SampleRules;
use arcuate_pipeline::stages::tracking::Preset;
use arcuate_track::{InitialFibre, SampleIntegrator};
use clap::{Args, ValueEnum};

/// Options of the steps of streamlines and of their ends.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Tracking")]
pub(super) struct TrackingArgs {
    /// Integration scheme
    #[arg(long, value_enum, default_value_t = IntegratorArg::Euler)]
    integrator: IntegratorArg,
    /// Fibre of the seed voxel that a streamline follows at the seed
    ///
    /// A number, counted from 1, selects the fibre with this number. `random` draws one of the fibres whose
    /// fraction is at least --cutoff, all with the same probability. `in-proportion` draws one of these
    /// fibres with a probability proportional to its fraction. `random-of-all` draws one of all fibres.
    /// [default: 1, or random with --protocols]
    #[arg(long, value_name = "WHICH", value_parser = initial_fibre)]
    initial_fibre: Option<InitialFibre>,
    /// At each point, continue only with a probability equal to the fibre fraction
    #[arg(long)]
    fraction_stops: bool,
    /// Terminate streamlines that return to a place in the opposite direction
    ///
    /// A place is a cube with an edge of five voxels. With --protocols, this check is always done.
    #[arg(long)]
    loop_check: bool,
    /// Use the nearest voxel at each point, without interpolation
    ///
    /// Without this option, each step uses one of the eight surrounding voxels, drawn at random
    /// (probabilistic interpolation).
    #[arg(long)]
    nearest: bool,
    /// Largest number of steps of a streamline
    ///
    /// Each half of a streamline (from the seed to one end) can have half of this number of steps.
    #[arg(long, value_name = "N", default_value_t = 2000)]
    max_steps: u32,
    /// Smallest length of half a streamline (from the seed to one end), in mm
    #[arg(long, value_name = "MM", default_value_t = 0.0)]
    min_half_length: f64,
    /// Use the defaults of another program for all options that are not given
    #[arg(long, value_enum)]
    preset: Option<PresetArg>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum PresetArg {
    /// Defaults of FSL's probtrackx2: --step 0.5, --angle 78.463, no smallest length, 5000 streamlines per
    /// seed, and --products visits
    Probtrackx,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum IntegratorArg {
    /// Each step follows the fibre orientation at the start of the step
    Euler,
    /// Each step follows the mean of the fibre orientations at the two ends of the step
    ModifiedEuler,
}

fn initial_fibre(word: &str) -> std::result::Result<InitialFibre, String> {
    match word {
        "random" => Ok(InitialFibre::Random),
        "in-proportion" => Ok(InitialFibre::InProportion),
        "random-of-all" => Ok(InitialFibre::RandomOfAll),
        _ => match word.parse::<usize>() {
            Ok(number) if number > 0 => Ok(InitialFibre::Number(number - 1)),
            _ => Err("give a number counted from 1, random, in-proportion or random-of-all".into()),
        },
    }
}

impl TrackingArgs {
    /// Converts the options to the type of the library.
    pub(super) fn rules(&self) -> SampleRules {
        self.rules_from(&SampleRules::default())
    }

    /// Returns the preset.
    pub(super) fn preset(&self) -> Option<Preset> {
        self.preset.map(|PresetArg::Probtrackx| Preset::Probtrackx)
    }

    /// Converts the options to the type of the library, with other defaults.
    pub(super) fn rules_from(&self, defaults: &SampleRules) -> SampleRules {
        SampleRules {
            integrator: match self.integrator {
                IntegratorArg::Euler => SampleIntegrator::Euler,
                IntegratorArg::ModifiedEuler => SampleIntegrator::ModifiedEuler,
            },
            initial: self.initial_fibre.unwrap_or(defaults.initial),
            fraction_stops: self.fraction_stops,
            loop_check: self.loop_check || defaults.loop_check,
            nearest: self.nearest,
            max_steps: self.max_steps,
            min_half_length_mm: self.min_half_length,
        }
    }
}
