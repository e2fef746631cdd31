//! Options of `arcuate fit` that override parameters of a signal model. Other options supply the images and
//! the numbers per measurement that some models need.

use arcuate_pipeline::stages::fit::ModelOverrides;
use clap::Args;

/// Overrides of parameters, and values per measurement and per voxel.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct OverrideArgs {
    /// Fix a parameter of the model, so that it is not fitted
    ///
    /// NAME=VALUE fixes the parameter at a number in its unit. NAME=IMAGE fixes it at the value of the image
    /// in each voxel. NAME alone fixes it at its start value.
    #[arg(long, value_name = "NAME[=VALUE|IMAGE]")]
    fix: Vec<String>,
    /// Start the fit of a parameter at a value in its unit, or at an image
    ///
    /// With NAME=IMAGE, the start value in each voxel is the value of the image. Without this option, the
    /// model defines the start value.
    #[arg(long, value_name = "NAME=VALUE|IMAGE")]
    start: Vec<String>,
    /// Fit this parameter, which the model file fixes
    #[arg(long, value_name = "NAME")]
    free: Vec<String>,
    /// Text file with one number per measurement, such as its echo time
    ///
    /// NAME is the name of a quantity that the model needs for each measurement, in addition to b-values and
    /// directions. The file of the model states the unit of this quantity.
    #[arg(long, value_name = "NAME=FILE")]
    column: Vec<String>,
    /// Image of a quantity that the model needs in each voxel, such as T1
    ///
    /// NAME is the name of the quantity. The file of the model states the unit of this quantity.
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
