//! Options that override parameters of the models, and options that supply the images and columns which
//! models need.

use arcuate_pipeline::stages::fit::ModelOverrides;
use clap::Args;

/// Overrides of parameters, and values per measurement and per voxel.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct OverrideArgs {
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

impl OverrideArgs {
    /// Converts the options to the type of the library.
    pub(super) fn overrides(&self) -> ModelOverrides {
        ModelOverrides {
            fix: self.fix.clone(),
            start: self.start.clone(),
            free: self.free.clone(),
            column: self.column.clone(),
            map: self.map.clone(),
        }
    }
}
