//! Parcellation for a connectome that is counted during tracking.

use crate::job::Job;
use crate::parcellation::read_parcellation;
use arcuate_connect::{Assignment, ConnectionCounter, ConnectomeOptions};
use arcuate_core::{Error, Labels, Result};
use std::path::PathBuf;

/// A parcellation, and the method that assigns its regions to streamlines.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionsToJoin {
    /// Image of region numbers (0 is no region), in the space of the orientations.
    pub labels: PathBuf,
    /// Names of the regions: a FreeSurfer colour table or an MRtrix labelconvert table. If set, the matrices have a row
    /// for each region of the table, in the order of region numbers, even for regions that are not in the image.
    pub label_names: Option<PathBuf>,
    /// Method that assigns regions to the ends of a streamline.
    pub assignment: Assignment,
    /// Radius of the search for a region, in mm. Default: 4.
    pub search_radius_mm: Option<f64>,
}

impl RegionsToJoin {
    /// Creates a parcellation from an image. Each end of a streamline is assigned to the nearest region within 4 mm.
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

    /// Returns the options of the connectome. If there is a table of names, it defines the regions.
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

    /// Reads the parcellation with its names, and registers its files for errors of the library.
    pub(super) fn read(&self, job: &Job) -> Result<Labels> {
        for data in ["labels", "connectome"] {
            job.came_from(data, &self.labels.display());
        }
        if let Some(names) = &self.label_names {
            job.came_from("regions of the connectome", &names.display());
        }
        read_parcellation(&self.labels, self.label_names.as_deref())
    }

    /// Returns the counter of the connections between regions.
    pub(super) fn counter<'l>(&self, labels: &'l Labels) -> Result<ConnectionCounter<'l>> {
        ConnectionCounter::new(labels, &self.options(labels)?)
    }
}
