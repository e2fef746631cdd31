//! Options of `arcuate fit` that override parameters of a signal model. Other options supply the images and
//! the numbers per measurement that some models need.

use arcuate_pipeline::stages::fit::ModelOverrides;
use clap::Args;

/// Overrides of parameters, and values per measurement and per voxel.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct OverrideArgs {
    /// Fix a parameter at a value (in its unit), at an image, or at its start value
    #[arg(long, value_name = "NAME[=VALUE|IMAGE]")]
    fix: Vec<String>,
    /// Start a parameter at a value (in its unit) or at an image
    #[arg(long, value_name = "NAME=VALUE|IMAGE")]
    start: Vec<String>,
    /// Fit a parameter that the model fixes
    #[arg(long, value_name = "NAME")]
    free: Vec<String>,
    /// Text file with one number per measurement, for a column that the model needs
    #[arg(long, value_name = "NAME=FILE")]
    column: Vec<String>,
    /// Image of a quantity that the model needs in each voxel
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
