//! Options of commands as values of library types. They are for programs that have their data in memory and
//! not in files.

use crate::usage_errors::about;
use arcuate_connect::{Interpolation, Statistic};
use arcuate_core::{GradientTable, Result};
use arcuate_phantom::PhantomOptions;
use clap::{ArgMatches, FromArgMatches};

/// How an image is sampled along streamlines.
#[derive(Debug, Clone, Copy)]
pub struct AlongStreamlines {
    /// Statistic for one value per streamline; `None` for one value per point.
    pub statistic: Option<Statistic>,
    /// Interpolation between voxels.
    pub interpolation: Interpolation,
}

/// Options of a simulated brain.
#[derive(Debug, Clone)]
pub struct BrainOptions {
    /// The gradient table, unless it is in a file.
    pub gradients: GradientTable,
    /// Options of the phantom.
    pub phantom: PhantomOptions,
}

/// Options of a command that is not a stage of `arcuate run`, in a form that
/// [`options_of`](crate::commands_of_programs::options_of) can return.
pub trait CommandOptions: Sized {
    /// The command.
    const COMMAND: &'static str;

    /// Returns the options that were typed.
    ///
    /// # Errors
    /// If options contradict each other.
    #[doc(hidden)]
    fn of(matches: &ArgMatches) -> Result<Self>;
}

/// Creates a command from parsed arguments.
pub(crate) fn typed<C: FromArgMatches>(matches: &ArgMatches) -> Result<C> {
    C::from_arg_matches(matches).map_err(|error| about("call", &error))
}
