//! Constraints on streamlines, with regions in files.

use crate::anatomy_file::AnatomyFile;
use crate::mask_space::MaskSpaceInputs;
use crate::output_files::Kind;
use crate::record::Record;
use crate::regions::{RegionFile, require_hemispheres_of};
use crate::stages::five_tissues::REFERENCES as OF_TISSUES;
use arcuate_core::Result;
use arcuate_track::{ConstraintUnit, Constraints, Mapping, Region, WaypointCondition};
use std::path::Path;
use std::sync::Arc;

/// Constraints on streamlines: exclusion regions, stop regions, waypoints and targets. It is like
/// [`Constraints`], but contains the files of the regions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConstraintFiles {
    /// Exclusion regions. If a streamline enters an exclusion region, the whole streamline or only this half
    /// of it is rejected, as `judged_by` states.
    pub avoid: Vec<RegionFile>,
    /// Stop regions. A streamline stops at its first point in a stop region.
    pub stop: Vec<RegionFile>,
    /// Regions that a streamline can enter, but in which it stops when it would leave.
    pub stop_on_exit: Vec<RegionFile>,
    /// Waypoints: regions that streamlines must pass. A streamline that does not pass them is rejected.
    pub waypoints: Vec<RegionFile>,
    /// Specifies whether a streamline must pass all waypoints or any one of them.
    pub condition: WaypointCondition,
    /// True if streamlines must pass the waypoints in the order of the list.
    pub in_order: bool,
    /// True if one half of a streamline alone must pass the waypoints. The halves are the paths from the seed
    /// in its two directions.
    pub one_way: bool,
    /// Target regions. They do not constrain streamlines: only the number of streamlines that pass each
    /// target is counted.
    pub targets: Vec<RegionFile>,
    /// Specifies whether exclusion regions and waypoints reject whole streamlines or single halves of
    /// streamlines.
    pub judged_by: ConstraintUnit,
    /// Five-tissue-type image for anatomically constrained tracking.
    pub anatomy: Option<AnatomyFile>,
}

impl ConstraintFiles {
    /// Returns the five-tissue-type image and the files of all regions, with the target regions last.
    #[doc(hidden)]
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.tissues().chain(self.regions().flat_map(RegionFile::files))
    }

    /// Returns the image files of the regions.
    #[doc(hidden)]
    pub fn images(&self) -> impl Iterator<Item = &Path> {
        self.regions().filter_map(RegionFile::image)
    }

    fn tissues(&self) -> impl Iterator<Item = &Path> {
        self.anatomy.iter().map(|anatomy| anatomy.path.as_path())
    }

    /// Returns the inputs that are in the space of the masks. `seeds` is the image of the seeds, if the seeds
    /// are given as an image.
    #[doc(hidden)]
    pub fn elsewhere<'a>(&'a self, seeds: Option<&'a Path>) -> MaskSpaceInputs<'a> {
        let images = seeds.into_iter().chain(self.images()).chain(self.tissues()).collect();
        let has_surfaces = self.regions().any(|region| region.surface().is_some());
        MaskSpaceInputs { images, lattice: None, has_surfaces }
    }

    fn regions(&self) -> impl Iterator<Item = &RegionFile> {
        let Self { avoid, stop, stop_on_exit, waypoints, targets, .. } = self;
        [waypoints, avoid, stop, stop_on_exit, targets].into_iter().flatten()
    }

    /// If there is a five-tissue-type image, adds the publications about anatomically constrained tracking to
    /// the record. `in_one_space` is true if the image and the streamlines are in the same space. If it is
    /// true, the report shows the image.
    #[doc(hidden)]
    pub fn note_anatomy(&self, in_one_space: bool, record: &mut Record) {
        let Some(anatomy) = &self.anatomy else { return };
        record.cite(OF_TISSUES);
        if in_one_space {
            record.show_input(&anatomy.path, "Tissues used in tracking", Kind::Tissues);
        }
    }

    /// Reads the regions. `mapping` maps from the space of the streamlines to the space of the regions.
    ///
    /// Returns an error if a region cannot be read, or if the surfaces of the two hemispheres are swapped.
    #[doc(hidden)]
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
