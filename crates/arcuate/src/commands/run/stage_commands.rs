//! The commands that do the stages of a run.

use crate::commands::{connectome, density, evaluate, fit, mask, response, track};
use crate::stage_command::StageCommand;
use arcuate_pipeline::run::Stage;
use clap::{ArgMatches, Args, Command};

/// The command of a stage.
pub(crate) struct Definition {
    /// Adds its options.
    options: fn(Command) -> Command,
    /// Makes it of what was typed.
    pub(crate) make: fn(&ArgMatches) -> Result<Box<dyn StageCommand>, clap::Error>,
}

impl Definition {
    pub(crate) fn of(stage: Stage) -> Self {
        match stage {
            Stage::Mask => Self::by::<mask::Mask>(),
            Stage::FitTensor => Self::by::<fit::tensor::FitTensor>(),
            Stage::TrackTensor => Self::by::<track::TrackTensor>(),
            Stage::TrackGeodesic => Self::by::<track::TrackGeodesic>(),
            Stage::SampleFibres => Self::by::<fit::models::FitModels>(),
            Stage::TrackSamples => Self::by::<track::TrackSamples>(),
            Stage::EstimateResponse => Self::by::<response::EstimateResponse>(),
            Stage::FitCsd => Self::by::<fit::csd::FitCsd>(),
            Stage::TrackFod => Self::by::<track::TrackFod>(),
            Stage::EvaluateLife => Self::by::<evaluate::EvaluateLife>(),
            Stage::EvaluateCommit => Self::by::<evaluate::EvaluateCommit>(),
            Stage::Density => Self::by::<density::Density>(),
            Stage::Connectome => Self::by::<connectome::Connectome>(),
        }
    }

    fn by<C: Args + StageCommand + 'static>() -> Self {
        Self {
            options: C::augment_args,
            make: |matches| C::from_arg_matches(matches).map(|command| Box::new(command) as Box<_>),
        }
    }
}

/// The options that a stage takes: its own, without those of every command.
pub(crate) fn definition(stage: Stage) -> Command {
    (Definition::of(stage).options)(Command::new(stage.name()))
}

/// Whether the run itself must set an option of a stage, since its stages would not fit together otherwise: what it reads and
/// writes, the names of a tensor's maps, which later stages read, and that fibres are sampled.
pub(super) fn is_of_the_run(stage: Stage, option: &str) -> bool {
    match option {
        "out" | "dwi" | "labels" | "like" | "all" | "format" | "responses" | "normalise" => true,
        "names" => stage == Stage::FitTensor,
        "method" => stage == Stage::SampleFibres,
        _ => false,
    }
}
