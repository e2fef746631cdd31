//! Merging of results that were computed in parts.

use arcuate_core::{Error, Result};
use arcuate_pipeline::stages::Work;
use arcuate_pipeline::stages::tracking::{Extent, Tracking};
use std::path::PathBuf;

/// A command whose results can be computed in parts.
pub(crate) trait Parted {
    /// Returns the work that merges the existing parts, and its output path.
    fn merged(&self) -> Result<(PathBuf, Box<dyn Work>)>;
}

/// Requests the merging of existing parts, and returns the output path.
pub(crate) fn of_parts(tracking: &mut Tracking) -> PathBuf {
    tracking.extent = Extent::Merged;
    tracking.out.clone()
}

/// Implements [`Parted`] for commands whose work always tracks streamlines that can be divided into parts.
macro_rules! parted {
    ($($command:ty),+) => {$(
        impl $crate::commands::track::parts::Parted for $command {
            fn merged(&self) -> arcuate_core::Result<(std::path::PathBuf, Box<dyn arcuate_pipeline::stages::Work>)> {
                let mut work = $crate::stage_command::Typed::typed(self)?;
                Ok(($crate::commands::track::parts::of_parts(&mut work.tracking), Box::new(work)))
            }
        }
    )+};
}
pub(crate) use parted;

/// Returns the error for results that cannot be computed in parts.
pub(crate) fn no_parts(why: &str) -> Error {
    let remedy = "compute the parts with `arcuate track samples … --part 1/8` and so on";
    Error::invalid("parts", why.trim(), remedy)
}
