//! Commands that need a feature with which the program was not built. The help does not list them. If such a command is
//! called, it returns an error with the name of the feature.

use super::track::parts::Parted;
use crate::grammar::Grammar;
use crate::stage_command::{StageCommand, TypedCommand};
use arcuate_core::{Error, Result};
use arcuate_pipeline::job::Job;
use arcuate_pipeline::run::PlannedWork;
use arcuate_pipeline::stages::Work;
use clap::{Arg, Args};
use std::ffi::OsString;
use std::path::PathBuf;

/// Defines a type for each command that needs a feature. Each row has the type, the command and the feature.
macro_rules! absent {
    ($($name:ident = $command:literal, $feature:literal;)+) => {
        /// Returns true if the program was built without the feature of this command.
        pub(crate) fn is_absent(command: &str) -> bool {
            match command {
                $($command => !cfg!(feature = $feature),)+
                _ => false,
            }
        }

        #[cfg(test)]
        const COMMANDS: &[&str] = &[$($command),+];

        $(
            #[doc = concat!("Not in this program, which was built without the feature `", $feature, "`")]
            #[derive(Debug, Args)]
            #[allow(dead_code, reason = "programs with the feature have the command itself")]
            pub(crate) struct $name {
                #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
                words: Vec<OsString>,
            }

            #[allow(dead_code, reason = "each command uses some of the functions")]
            impl $name {
                pub(crate) fn refused<T>(&self) -> Result<T> {
                    Err(Error::without_feature(concat!("arcuate ", $command), $feature))
                }

                pub(crate) fn run(&self, _: &Job, _: &Grammar) -> Result<()> {
                    self.refused()
                }

                pub(crate) fn draws(&self) -> bool {
                    false
                }

                pub(crate) fn has_gpu_implementation(&self) -> bool {
                    false
                }
            }

            impl TypedCommand for $name {
                fn run(&self, _: &Job, _: &Grammar) -> Result<()> {
                    self.refused()
                }
            }

            impl Parted for $name {
                fn merged(&self) -> Result<(PathBuf, Box<dyn Work>)> {
                    self.refused()
                }
            }

            impl StageCommand for $name {
                fn planned(&self) -> Result<PlannedWork> {
                    self.refused()
                }
            }
        )+
    };
}

absent! {
    Bids = "bids", "bids";
    Recon = "recon", "recon";
    FitModels = "fit MODEL", "models";
    TrackGeodesic = "track geodesic", "geodesic";
    TrackSamples = "track samples", "samples";
    TrackPeaks = "track peaks", "samples";
    TrackBootstrap = "track bootstrap", "samples";
}

/// With all features, the command `fit` can also list models.
#[allow(dead_code, reason = "programs with the feature have the command itself")]
pub(crate) type FitOrList = FitModels;

/// With all features, the command `track samples` has another type than the stage of this name.
#[allow(dead_code, reason = "programs with the feature have the command itself")]
pub(crate) type TrackSamplesOrProtocols = TrackSamples;

/// With all features, other options of `fit` are required unless `--list` is given.
#[allow(dead_code, reason = "programs with the feature have the function itself")]
pub(crate) fn beside_fit(argument: Arg) -> Arg {
    argument
}

#[cfg(test)]
mod tests {
    use super::COMMANDS;
    use crate::cli::Cli;
    use clap::CommandFactory;

    #[test]
    fn the_table_names_commands_of_the_program() {
        let program = Cli::command();
        for command in COMMANDS.iter().filter(|command| **command != "fit MODEL") {
            let below = command.split(' ').try_fold(&program, |above, name| above.find_subcommand(name));
            assert!(below.is_some(), "{command}");
        }
    }
}
