//! The options that samples, peaks and refits have in addition.

use arcuate_pipeline::stages::sampled::SampleRules;
use arcuate_pipeline::stages::tracking::Preset;
use arcuate_track::{InitialFibre, SampleIntegrator};
use clap::{Args, ValueEnum};

/// How streamlines go on and where they end.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Tracking")]
pub(super) struct TrackingArgs {
    /// How a streamline moves along
    #[arg(long, value_enum, default_value_t = IntegratorArg::Euler)]
    integrator: IntegratorArg,
    /// Fibre that streamlines begin along: a number from 1 on, random (of those that count), in-proportion (to their
    /// fractions) or random-of-all; 1 by default, random by protocols
    #[arg(long, value_name = "WHICH", value_parser = initial_fibre)]
    initial_fibre: Option<InitialFibre>,
    /// Go on from each point with the sampled fibre's fraction as the probability
    #[arg(long)]
    fraction_stops: bool,
    /// End streamlines that come back to a place (of five voxels) against their direction there; by protocols always
    #[arg(long)]
    loop_check: bool,
    /// Use the nearest voxel, without interpolation; else one of the voxels around is drawn
    #[arg(long)]
    nearest: bool,
    /// Most steps of a streamline; half of them to each side
    #[arg(long, value_name = "N", default_value_t = 2000)]
    max_steps: u32,
    /// Shortest half of a streamline kept, in mm of its steps
    #[arg(long, value_name = "MM", default_value_t = 0.0)]
    min_half_length: f64,
    /// Take all numbers of another program that no other option gives
    #[arg(long, value_enum)]
    preset: Option<PresetArg>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum PresetArg {
    /// FSL's probtrackx2: steps of 0.5 mm, turns up to 78.463°, no minimum length, 5000 streamlines of each seed, --products visits
    Probtrackx,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum IntegratorArg {
    /// One orientation a step
    Euler,
    /// The mean of two, at both ends of a step
    ModifiedEuler,
}

fn initial_fibre(word: &str) -> std::result::Result<InitialFibre, String> {
    match word {
        "random" => Ok(InitialFibre::Random),
        "in-proportion" => Ok(InitialFibre::InProportion),
        "random-of-all" => Ok(InitialFibre::RandomOfAll),
        _ => match word.parse::<usize>() {
            Ok(number) if number > 0 => Ok(InitialFibre::Number(number - 1)),
            _ => Err("give a number from 1 on, random, in-proportion or random-of-all".into()),
        },
    }
}

impl TrackingArgs {
    /// The same for the library.
    pub(super) fn rules(&self) -> SampleRules {
        self.rules_from(&SampleRules::default())
    }

    /// The preset.
    pub(super) fn preset(&self) -> Option<Preset> {
        self.preset.map(|PresetArg::Probtrackx| Preset::Probtrackx)
    }

    /// The same with other defaults.
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
