//! The commands that a run may be made of.

use crate::commands::{connectome, density, evaluate, fit, mask, track};
use clap::{Args, Command};
use std::ffi::OsString;

/// Adds the options of a command.
type Options = fn(Command) -> Command;

/// The commands that can be steps, with their options.
const KINDS: [(&str, Options); 10] = [
    ("mask", mask::Mask::augment_args),
    ("fit tensor", fit::tensor::FitTensor::augment_args),
    ("track tensor", track::TrackTensor::augment_args),
    ("track geodesic", track::TrackGeodesic::augment_args),
    (FIT_SAMPLES, fit::models::FitModels::augment_args),
    ("track samples", track::TrackSamples::augment_args),
    ("evaluate life", evaluate::EvaluateLife::augment_args),
    ("evaluate commit", evaluate::EvaluateCommit::augment_args),
    ("density", density::Density::augment_args),
    ("connectome", connectome::Connectome::augment_args),
];

/// The commands that can be steps.
pub(super) const STEPS: [&str; KINDS.len()] = {
    let mut commands = [""; KINDS.len()];
    let mut n = 0;
    while n < KINDS.len() {
        commands[n] = KINDS[n].0;
        n += 1;
    }
    commands
};

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
    let kind = KINDS.iter().find(|(command, _)| *command == step);
    let (_, options) = kind.expect("the command of a step");
    options(Command::new(step))
}
