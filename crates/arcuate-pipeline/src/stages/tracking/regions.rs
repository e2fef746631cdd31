//! The regions that streamlines are counted between while they are followed.

use crate::job::Job;
use crate::parcellation::read_parcellation;
use arcuate_connect::{Assignment, ConnectionCounter, ConnectomeOptions};
use arcuate_core::{Error, Labels, Result};
use std::path::PathBuf;

/// A parcellation, and how streamlines find their regions.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionsToJoin {
    /// The image of region numbers, 0 for none, in the space of the orientations.
    pub labels: PathBuf,
    /// Names of the regions, FreeSurfer's colour table or MRtrix's labelconvert table: matrices then have a row for each region of the
    /// table, in the order of numbers, whether it occurs in the image or not.
    pub label_names: Option<PathBuf>,
    /// How a streamline finds its regions: by its ends.
    pub assignment: Assignment,
    /// How far a search for a region looks, in mm; 4 by default.
    pub search_radius_mm: Option<f64>,
}

impl RegionsToJoin {
    /// The regions of an image, each the nearest one to an end within 4 mm.
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

    /// The options of the library, for the regions of the table of names, where there is one.
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

    /// The parcellation with its names; tells the caller where it came from.
    pub(super) fn read(&self, job: &Job) -> Result<Labels> {
        for data in ["labels", "connectome"] {
            job.came_from(data, &self.labels.display());
        }
        if let Some(names) = &self.label_names {
            job.came_from("regions of the connectome", &names.display());
        }
        read_parcellation(&self.labels, self.label_names.as_deref())
    }

    /// What counts the connections of the parcellation.
    pub(super) fn counter<'l>(&self, labels: &'l Labels) -> Result<ConnectionCounter<'l>> {
        ConnectionCounter::new(labels, &self.options(labels)?)
    }
}
