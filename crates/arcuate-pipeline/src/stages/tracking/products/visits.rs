//! Maps of the number of streamlines that pass each voxel, and of the mean length of the path from their
//! seeds to the voxel.

use super::outlines::outlines;
use crate::job::Job;
use crate::output_files::{Kind, Map, OutputFile};
use crate::stages::tracking::form::Form;
use crate::stages::tracking::options::Tracking;
use crate::stages::tracking::product::{Open, Opening, Product, Report};
use crate::stages::tracking::product_names::{BY_LENGTH, LENGTHS, NORMALISED, ProductName, VISITS};
use crate::stages::tracking::receiver::ReceiverResult;
use arcuate_core::{Error, Result, Volume};
use arcuate_io::write_image;

/// Maps of the number of streamlines that pass each voxel, maps of the mean path length from the seeds, or
/// both.
pub(super) struct VisitMaps<'a> {
    pub(super) tracking: &'a Tracking,
}

impl Product for VisitMaps<'_> {
    fn files(&self) -> Vec<OutputFile> {
        let outlines = outlines(self.tracking);
        let map = |name: &'static str, title: &'static str, unit: &'static str, content: &'static str| {
            let outlines = outlines.clone();
            let map = Map { unit: unit.into(), heat: true, overlay: true, outlines, ..Map::default() };
            OutputFile::shown(name, title, Kind::Map(map)).with_content(content)
        };
        let mut files = Vec::new();
        if self.tracking.writes(ProductName::Visits) {
            let content = "Fraction of all accepted streamlines that pass each voxel, 0 below the threshold";
            files.push(map(NORMALISED, "Share of the streamlines that pass", "", content));
            let content = "Number of accepted streamlines that pass each voxel, each counted once";
            files.push(map(VISITS, "Streamlines that pass each voxel", "streamlines", content).aside());
        }
        if self.tracking.writes(ProductName::Lengths) {
            let title = "Streamlines that pass, times the mean length of their way";
            let content = "Mean distance from the seed along the streamline, mm";
            files.push(map(LENGTHS, "Mean length of the way from the seeds", "mm", content));
            let content =
                "Number of streamlines that pass each voxel, times the mean distance from the seed, mm";
            files.push(map(BY_LENGTH, title, "mm", content).aside());
        }
        files
    }

    fn check(&self, _: &Job) -> Result<()> {
        let threshold = self.tracking.maps.threshold();
        if !(0.0..=1.0).contains(&threshold) {
            let problem = format!("the threshold {threshold} is not from 0 to 1");
            return Err(Error::usage("‘threshold’", problem, "give a fraction, such as 0.005"));
        }
        Ok(())
    }

    fn open<'a>(&'a self, _: &'a Opening<'a>) -> Result<Box<dyn Open + 'a>> {
        Ok(Box::new(OpenMaps { tracking: self.tracking }))
    }
}

struct OpenMaps<'a> {
    tracking: &'a Tracking,
}

impl Open for OpenMaps<'_> {
    fn finish(self: Box<Self>, _: ReceiverResult, report: &mut Report<'_>) -> Result<()> {
        let Self { tracking } = *self;
        let Opening { folder, job, .. } = *report.opening;
        let options = job.image_options();
        let Some(map) = &report.tracks.map else { return Ok(()) };
        let Some(folder) = folder else {
            return match tracking.form() {
                Form::Image => write_image(&tracking.out, &map.to_volume()?, &options),
                Form::Folder | Form::Tractogram | Form::Matrices => Ok(()),
            };
        };
        let write = |name: &str, volume: &Volume<f32>| write_image(&folder.file(name), volume, &options);
        if tracking.writes(ProductName::Visits) {
            write(VISITS, &map.to_volume()?)?;
            let streamlines = report.tracks.summary.streamlines;
            write(NORMALISED, &map.normalised(streamlines, tracking.maps.threshold())?)?;
        }
        if let (Some(lengths), Some(by_length)) = (map.lengths()?, map.distance_corrected()?) {
            write(LENGTHS, &lengths)?;
            write(BY_LENGTH, &by_length)?;
        }
        Ok(())
    }
}
