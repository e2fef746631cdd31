//! Passes the keywords of a Python function as arguments to the parser of a command. Names, defaults, ranges
//! and checks of the options are therefore the same as on the command line.

use arcuate::commands_of_programs::parse_work;
use arcuate_core::Result;
use arcuate_pipeline::run::PlannedWork;
use arcuate_pipeline::stages;
use std::ffi::OsString;

/// A command that is a stage of a run.
pub(crate) trait Stage: Sized {
    /// Returns the command if the work belongs to it.
    fn of(work: PlannedWork) -> Option<Self>;
}

macro_rules! stages {
    ($($variant:ident($work:ident) of $stage:ty: $value:expr;)+) => {$(
        impl Stage for $stage {
            fn of(work: PlannedWork) -> Option<Self> {
                match work {
                    PlannedWork::$variant($work) => Some($value),
                    _ => None,
                }
            }
        }
    )+};
}

stages! {
    FitTensor(work) of stages::FitTensor: work;
    FitModels(work) of stages::FitModels: *work;
    EstimateResponse(work) of stages::EstimateResponse: *work;
    FitCsd(work) of stages::FitCsd: *work;
    TrackTensor(work) of stages::TrackTensor: *work;
    TrackFod(work) of stages::TrackFod: *work;
    TrackGeodesic(work) of stages::TrackGeodesic: *work;
    TrackSamples(work) of stages::TrackSamples: *work;
    EvaluateLife(work) of stages::EvaluateLife: *work;
    EvaluateCommit(work) of stages::EvaluateCommit: *work;
    MapDensity(work) of stages::MapDensity: work;
    MakeConnectome(work) of stages::MakeConnectome: *work;
}

/// Parses the arguments of a command. No file is read.
pub(crate) fn keyword_options<S: Stage>(words: Vec<OsString>) -> Result<S> {
    let work = parse_work(words)?;
    Ok(S::of(work).unwrap_or_else(|| unreachable!("the package gives the words of this command")))
}
