//! The commands that a run may be made of.

use crate::commands::{connectome, density, evaluate, fit, mask, track};
use clap::{Args, Command};
use std::ffi::OsString;

/// The commands that can be steps.
pub(super) const STEPS: [&str; 10] = [
    "mask",
    "fit tensor",
    "track tensor",
    "track geodesic",
    FIT_SAMPLES,
    "track samples",
    "evaluate life",
    "evaluate commit",
    "density",
    "connectome",
];

/// The step whose samples `track samples` follows.
pub(super) const FIT_SAMPLES: &str = "fit ball-2-sticks";

/// A step as it would be typed.
pub(super) struct Step {
    pub(super) command: &'static str,
    pub(super) words: Vec<OsString>,
}

/// The options that a step takes: its own, without those of every command.
///
/// # Panics
/// For other commands than [`STEPS`].
pub(super) fn definition(step: &'static str) -> Command {
    let command = Command::new(step);
    match step {
        "mask" => mask::Mask::augment_args(command),
        "fit tensor" => fit::tensor::FitTensor::augment_args(command),
        "track tensor" => track::TrackTensor::augment_args(command),
        "track geodesic" => track::TrackGeodesic::augment_args(command),
        FIT_SAMPLES => fit::models::FitModels::augment_args(command),
        "track samples" => track::TrackSamples::augment_args(command),
        "evaluate life" => evaluate::EvaluateLife::augment_args(command),
        "evaluate commit" => evaluate::EvaluateCommit::augment_args(command),
        "density" => density::Density::augment_args(command),
        "connectome" => connectome::Connectome::augment_args(command),
        other => unreachable!("{other} is no step"),
    }
}
