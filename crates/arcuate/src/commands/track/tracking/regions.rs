//! Options for the regions of a connectome, for which streamlines are counted during tracking.

use arcuate_connect::Assignment;
use arcuate_pipeline::stages::tracking::RegionsToJoin;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// How the image of regions is read and how streamlines find theirs.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct RegionArgs {
    /// File of region names: FreeSurfer's colour table or MRtrix's labelconvert table
    ///
    /// The matrix has one row per region of this file, in the order of the region numbers. A region without
    /// voxels also has a row.
    #[arg(long, value_name = "FILE", requires = "labels")]
    label_names: Option<PathBuf>,
    /// Rule that decides which regions a streamline connects
    #[arg(long, value_enum, default_value_t = AssignmentArg::Radial, requires = "labels")]
    assignment: AssignmentArg,
    /// Largest distance from a streamline's end to its region, in mm
    ///
    /// [default: 4]
    #[arg(long, value_name = "MM", requires = "labels")]
    assignment_radius: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum AssignmentArg {
    /// Each end of a streamline belongs to the region of the nearest labelled voxel within
    /// --assignment-radius
    Radial,
    /// Each end of a streamline belongs to the region of the voxel that contains it
    EndVoxel,
}

impl RegionArgs {
    /// Converts the options to the type of the library, for an image of regions.
    pub(super) fn regions(&self, labels: &Path) -> RegionsToJoin {
        RegionsToJoin {
            label_names: self.label_names.clone(),
            assignment: match self.assignment {
                AssignmentArg::Radial => Assignment::RadialSearch,
                AssignmentArg::EndVoxel => Assignment::EndVoxel,
            },
            search_radius_mm: self.assignment_radius,
            ..RegionsToJoin::new(labels)
        }
    }
}
