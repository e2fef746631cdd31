//! Constraints of streamlines whose regions are in files.

use crate::anatomy_file::AnatomyFile;
use crate::mask_space::Elsewhere;
use crate::output_files::Kind;
use crate::record::Record;
use crate::regions::{RegionFile, require_hemispheres_of};
use crate::stages::five_tissues::REFERENCES as OF_TISSUES;
use arcuate_core::Result;
use arcuate_track::{Constraints, JudgedBy, Mapping, Region, WaypointCondition};
use std::path::Path;
use std::sync::Arc;

/// What streamlines must and may not do, like [`Constraints`], with the files of the regions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConstraintFiles {
    /// Halves of streamlines, or whole ones, that enter one of these are rejected.
    pub avoid: Vec<RegionFile>,
    /// Streamlines end at the first point in one of these.
    pub stop: Vec<RegionFile>,
    /// Streamlines end where they leave one of these again.
    pub stop_on_exit: Vec<RegionFile>,
    /// Streamlines that do not pass these are rejected.
    pub waypoints: Vec<RegionFile>,
    /// How many of the waypoints.
    pub condition: WaypointCondition,
    /// Whether waypoints must be passed in the order of the list.
    pub in_order: bool,
    /// Whether one half of the streamline must meet the condition by itself.
    pub one_way: bool,
    /// Regions that are only noted.
    pub targets: Vec<RegionFile>,
    /// What is rejected.
    pub judged_by: JudgedBy,
    /// Tissues that streamlines heed.
    pub anatomy: Option<AnatomyFile>,
}

impl ConstraintFiles {
    /// The files of tissues and of all regions, those of targets last.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.tissues().chain(self.regions().flat_map(RegionFile::files))
    }

    /// The images of regions.
    pub fn images(&self) -> impl Iterator<Item = &Path> {
        self.regions().filter_map(RegionFile::image)
    }

    fn tissues(&self) -> impl Iterator<Item = &Path> {
        self.anatomy.iter().map(|anatomy| anatomy.path.as_path())
    }

    /// What of seeds and regions lies in the space of masks, where seeds are those of an image.
    pub fn elsewhere<'a>(&'a self, seeds: Option<&'a Path>) -> Elsewhere<'a> {
        let images = seeds.into_iter().chain(self.images()).chain(self.tissues()).collect();
        let has_surfaces = self.regions().any(|region| region.surface().is_some());
        Elsewhere { images, lattice: None, has_surfaces }
    }

    fn regions(&self) -> impl Iterator<Item = &RegionFile> {
        let Self { avoid, stop, stop_on_exit, waypoints, targets, .. } = self;
        [waypoints, avoid, stop, stop_on_exit, targets].into_iter().flatten()
    }

    /// Notes that streamlines heed tissues, where they do, and has their report show these, where both are `in_one_space`.
    pub fn note_anatomy(&self, in_one_space: bool, record: &mut Record) {
        let Some(anatomy) = &self.anatomy else { return };
        record.cite(OF_TISSUES);
        if in_one_space {
            record.show_input(&anatomy.path, "Tissues that streamlines heed", Kind::Tissues);
        }
    }

    /// Reads the regions, to whose space `mapping` leads from that of what is followed.
    ///
    /// Fails where one cannot be read, and where surfaces of two hemispheres are exchanged.
    pub fn resolve(&self, mapping: Option<&Arc<Mapping>>) -> Result<Constraints> {
        let regions = |files: &[RegionFile]| -> Result<Vec<Region>> {
            let read: Result<Vec<Vec<Region>>> = files.iter().map(|file| file.read(mapping)).collect();
            Ok(read?.into_iter().flatten().collect())
        };
        let constraints = Constraints {
            avoid: regions(&self.avoid)?,
            stop: regions(&self.stop)?,
            stop_on_exit: regions(&self.stop_on_exit)?,
            waypoints: regions(&self.waypoints)?,
            condition: self.condition,
            in_order: self.in_order,
            one_way: self.one_way,
            targets: regions(&self.targets)?,
            judged_by: self.judged_by,
            anatomy: self.anatomy.as_ref().map(|anatomy| anatomy.read(mapping)).transpose()?,
        };
        let Constraints { avoid, stop, stop_on_exit, waypoints, targets, .. } = &constraints;
        require_hemispheres_of([avoid, stop, stop_on_exit, waypoints, targets].into_iter().flatten())?;
        Ok(constraints)
    }
}
