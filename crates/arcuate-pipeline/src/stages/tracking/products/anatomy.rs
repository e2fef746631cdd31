//! Images on which the report draws maps: an anatomical image from the source of directions, and the seeds
//! and regions on the voxel grid of the maps.

use super::outlines::{REGIONS, outlined};
use crate::output_files::{Kind, Map, OutputFile};
use crate::stages::tracking::options::Tracking;
use crate::stages::tracking::product::{Open, Opening, Product, Report};
use crate::stages::tracking::receiver::ReceiverResult;
use arcuate_core::{Result, Volume};
use arcuate_io::write_image;
use arcuate_track::Region;

/// File of the background image.
pub(in crate::stages) const ANATOMY: &str = "anatomy.nii.gz";

/// The background images of maps.
pub(super) struct Backdrop<'a> {
    pub(super) tracking: &'a Tracking,
}

impl Product for Backdrop<'_> {
    fn files(&self) -> Vec<OutputFile> {
        // This title is preliminary. The title in the record depends on the source of directions.
        let map = Map { window: Some([0.0, 1.0]), backdrop: true, aside: true, ..Map::default() };
        let mut files = vec![OutputFile::shown(ANATOMY, "Fractions of all fibres", Kind::Map(map)).with_content(
            "Background of the maps in the report: FA for tensors, the mean amplitude for FODs, otherwise the mean fraction of all \
             fibres",
        )];
        if !outlined(self.tracking).is_empty() {
            let file = OutputFile::file(REGIONS, "Seeds and regions, a volume for each");
            files.push(
                file.with_content(
                    "Seeds and regions on the grid of the maps, one volume each, at most eight",
                ),
            );
        }
        files
    }

    fn open<'a>(&'a self, _: &'a Opening<'a>) -> Result<Box<dyn Open + 'a>> {
        Ok(Box::new(OpenBackdrop))
    }
}

struct OpenBackdrop;

impl Open for OpenBackdrop {
    fn finish(self: Box<Self>, _: ReceiverResult, report: &mut Report<'_>) -> Result<()> {
        let Opening { tracking, source, run_inputs, folder, job, .. } = *report.opening;
        let Some(folder) = folder else { return Ok(()) };
        let options = job.image_options();
        write_image(&folder.file(ANATOMY), &run_inputs.field.backdrop()?, &options)?;
        report.record.rename(&tracking.maps.format().name(ANATOMY), source.backdrop);
        let regions = outlined(tracking);
        let Some(map) = report.tracks.map.as_ref().filter(|_| !regions.is_empty()) else { return Ok(()) };
        let grid = *map.grid();
        let mut volume = Volume::filled(grid, regions.len(), 0u8);
        for (n, region) in regions.iter().enumerate() {
            for mask in region.region.read(None)?.iter().filter_map(Region::mask) {
                for voxel in 0..grid.len() {
                    let inside = mask.grid().voxel_at(grid.centre(voxel)).is_some_and(|at| mask.contains(at));
                    volume.voxel_mut(voxel)[n] = u8::from(inside);
                }
            }
        }
        write_image(&folder.file(REGIONS), &volume, &options)
    }
}
