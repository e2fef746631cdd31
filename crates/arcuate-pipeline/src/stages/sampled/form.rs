//! What becomes of streamlines, as the name of the result says.

use arcuate_core::{Error, Result};
use arcuate_io::{TractogramFormat, is_npz_name};
use std::path::Path;

/// What the result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A folder of maps, and of what is asked for beside.
    Maps,
    /// One tractogram.
    Tractogram,
    /// Sparse matrices of the connections between the regions of a parcellation.
    Matrices,
}

impl Form {
    /// That of the result with this name.
    pub fn of(out: &Path) -> Self {
        if TractogramFormat::of(out).is_ok() {
            Self::Tractogram
        } else if is_npz_name(out) {
            Self::Matrices
        } else {
            Self::Maps
        }
    }

    /// Fails where something that is `given` asks for files of a folder, and the result is none.
    pub fn require(self, given: bool, what: &str) -> Result<()> {
        let is = match self {
            Self::Tractogram => "a tractogram",
            Self::Matrices => "a name of matrices",
            Self::Maps => return Ok(()),
        };
        if !given {
            return Ok(());
        }
        let problem = format!("‘out’ is {is}, beside which nothing is written");
        Err(Error::usage(what, problem, "give a folder as ‘out’, or leave it out"))
    }

    /// What is done with the accepted streamlines.
    pub(super) fn done(self) -> &'static str {
        match self {
            Self::Maps => "counted in the voxels that they pass",
            Self::Tractogram => "kept",
            Self::Matrices => "counted between the regions that they join",
        }
    }
}
