//! The commands that `arcuate run` uses as stages of its pipeline.

use crate::commands::{connectome, density, evaluate, fit, mask, response, track};
use crate::stage_command::StageCommand;
use arcuate_pipeline::run::Stage;
use clap::{ArgMatches, Args, Command};

/// Definition of the command of a stage.
pub(crate) struct Definition {
    /// Adds the options of the command.
    options: fn(Command) -> Command,
    /// Creates the command from the parsed arguments.
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

/// Returns the definition of a stage's own options, without the options common to all commands.
pub(crate) fn definition(stage: Stage) -> Command {
    (Definition::of(stage).options)(Command::new(stage.name()))
}

/// Returns true if the run itself must set an option of a stage, because the stages would not fit together
/// otherwise. These options are inputs and outputs, the names of tensor maps that later stages read, and the
/// method of fibre sampling.
pub(super) fn is_of_the_run(stage: Stage, option: &str) -> bool {
    match option {
        "out" | "dwi" | "labels" | "like" | "all" | "format" | "responses" | "normalise" => true,
        "names" => stage == Stage::FitTensor,
        "method" => stage == Stage::SampleFibres,
        _ => false,
    }
}
