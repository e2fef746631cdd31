//! Entries for FSL's programs in the list of commands. Only [`fsl_programs`](crate::fsl_programs) parses and
//! runs their command lines.

use crate::fsl_programs::{page, refused};
use crate::grammar::Grammar;
use arcuate_core::Result;
use arcuate_pipeline::job::Job;
use clap::{Args, Subcommand};
use std::ffi::OsString;

/// The words of one of FSL's programs.
#[derive(Debug, Args)]
pub(crate) struct Words {
    /// Options of the program of FSL
    #[arg(value_name = "WORDS", trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FslProgram {
    /// Sample crossing fibres with the options and files of FSL's bedpostx
    ///
    /// Takes a folder of FSL's bedpostx and its options, and writes the same files: `arcuate bedpostx -h` lists them.
    #[command(override_help = page("bedpostx"))]
    Bedpostx(Words),
    /// Sample crossing fibres of one series with the options of FSL's xfibres
    ///
    /// Takes the options of FSL's xfibres and writes the same files: `arcuate xfibres -h` lists them.
    #[command(override_help = page("xfibres"))]
    Xfibres(Words),
    /// Track through fibre samples with the options of FSL's probtrackx2
    ///
    /// Takes the options of FSL's probtrackx2 and writes the same files: `arcuate probtrackx2 -h` lists them.
    #[command(override_help = page("probtrackx2"))]
    Probtrackx2(Words),
    /// Fit the diffusion tensor with the options of FSL's dtifit
    ///
    /// Takes the options of FSL's dtifit and writes the same files: `arcuate dtifit -h` lists them.
    #[command(override_help = page("dtifit"))]
    Dtifit(Words),
}

impl FslProgram {
    /// Returns an error, because an argument precedes the program's name.
    pub(crate) fn run(&self, _: &Job, _: &Grammar) -> Result<()> {
        let (name, words) = match self {
            Self::Bedpostx(words) => ("bedpostx", words),
            Self::Xfibres(words) => ("xfibres", words),
            Self::Probtrackx2(words) => ("probtrackx2", words),
            Self::Dtifit(words) => ("dtifit", words),
        };
        Err(refused(name, words.words.len()))
    }
}
