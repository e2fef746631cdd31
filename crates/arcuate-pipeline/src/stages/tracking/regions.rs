//! Parcellation for a connectome that is counted while streamlines are followed.

use crate::job::Job;
use crate::parcellation::read_parcellation;
use arcuate_connect::{Assignment, ConnectionCounter, ConnectomeOptions};
use arcuate_core::{Error, Labels, Result};
use std::path::PathBuf;

/// A parcellation, and the method that assigns its regions to the ends of streamlines.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionsToJoin {
    /// Image of region numbers (0 is no region), in the space of the source of directions.
    pub labels: PathBuf,
    /// File of the region names: a FreeSurfer colour table or an MRtrix labelconvert table. If it is set, the
    /// matrices have a row for each region of the table, in the order of region numbers. Regions that are not
    /// in the image also have a row.
    pub label_names: Option<PathBuf>,
    /// Method that assigns a region to each end of a streamline.
    pub assignment: Assignment,
    /// Maximum distance, in mm, at which a region is searched from the end of a streamline. Default: 4.
    pub search_radius_mm: Option<f64>,
}

impl RegionsToJoin {
    /// Creates a parcellation from an image, with default options: each end of a streamline is assigned to
    /// the nearest region within 4 mm.
    pub fn new(labels: impl Into<PathBuf>) -> Self {
        Self {
            labels: labels.into(),
            label_names: None,
            assignment: Assignment::RadialSearch,
            search_radius_mm: None,
        }
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.labels).chain(&self.label_names)
    }

    /// Returns the options of the connectome. If there is a table of region names, it determines which
    /// regions are matrix rows.
    fn options(&self, labels: &Labels) -> Result<ConnectomeOptions> {
        if self.search_radius_mm.is_some() && self.assignment == Assignment::EndVoxel {
            let problem = "end-voxel searches nothing";
            let advice = "leave it out, or choose ‘assignment’ radial";
            return Err(Error::usage("‘search_radius_mm’", problem, advice));
        }
        let default = ConnectomeOptions::default().search_radius_mm;
        let named = labels.names().keys().copied().filter(|&region| region != 0);
        Ok(ConnectomeOptions {
            assignment: self.assignment,
            search_radius_mm: self.search_radius_mm.unwrap_or(default),
            regions: self.label_names.is_some().then(|| named.collect()),
            ..ConnectomeOptions::default()
        })
    }

    /// Reads the parcellation and its region names, and notes its files so that errors about the data state
    /// them.
    pub(super) fn read(&self, job: &Job) -> Result<Labels> {
        for data in ["labels", "connectome"] {
            job.came_from(data, &self.labels.display());
        }
        if let Some(names) = &self.label_names {
            job.came_from("regions of the connectome", &names.display());
        }
        read_parcellation(&self.labels, self.label_names.as_deref())
    }

    /// Returns the counter of the streamlines between each pair of regions.
    pub(super) fn counter<'l>(&self, labels: &'l Labels) -> Result<ConnectionCounter<'l>> {
        ConnectionCounter::new(labels, &self.options(labels)?)
    }
}
