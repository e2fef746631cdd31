//! The options by which a fit is otherwise than its models say, and those that bring the numbers that these ask for.

use arcuate_pipeline::stages::fit::ModelWishes;
use clap::Args;

/// Overrides of parameters, and values per measurement and per voxel.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct WishArgs {
    /// Fix a parameter at a value in its unit, an image, or its start value
    #[arg(long, value_name = "NAME[=VALUE|IMAGE]")]
    fix: Vec<String>,
    /// Start a parameter at a value in its unit, or an image
    #[arg(long, value_name = "NAME=VALUE|IMAGE")]
    start: Vec<String>,
    /// Fit a parameter that the model fixes
    #[arg(long, value_name = "NAME")]
    free: Vec<String>,
    /// Values per measurement that the model needs: a text file
    #[arg(long, value_name = "NAME=FILE")]
    column: Vec<String>,
    /// Values per voxel that the model needs: an image
    #[arg(long, value_name = "NAME=IMAGE")]
    map: Vec<String>,
}

impl WishArgs {
    /// The same for the library.
    pub(super) fn wishes(&self) -> ModelWishes {
        ModelWishes {
            fix: self.fix.clone(),
            start: self.start.clone(),
            free: self.free.clone(),
            column: self.column.clone(),
            map: self.map.clone(),
        }
    }
}
