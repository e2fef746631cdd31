//! Creates the five-tissue (5TT) image of a scan from its FreeSurfer segmentation, if the dataset has no 5TT
//! image.

use super::super::five_tissues::FiveTissues;
use super::super::run::{Share, Tracking};
use super::BidsApp;
use crate::grammar::Grammar;
use crate::stage_command::TypedCommand;
use crate::usage_errors::about;
use arcuate_bids::scans::Scan;
use arcuate_bids::state::Place;
use arcuate_core::{Error, Result};
use arcuate_pipeline::job::Job;
use arcuate_pipeline::record::{Record, companion_path};
use clap::FromArgMatches;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

impl BidsApp {
    /// Returns the five-tissue image of a scan: the image of the dataset, or an image converted from its
    /// segmentation.
    pub(super) fn five_tissues(
        &self,
        scan: &Scan,
        place: &Place,
        job: &Job,
        grammar: &Grammar,
    ) -> Result<Option<PathBuf>> {
        // Geodesic tracking does not use tissues.
        if self.run.tracking == Some(Tracking::Geodesic) {
            return Ok(None);
        }
        let Some(segmentation) = &scan.segmentation else { return Ok(scan.five_tissues.clone()) };
        let image = place.five_tissues();
        // If the run is divided over several jobs, the job that prepares the run writes this image. The jobs
        // that track a part of the streamlines use it.
        let anew = job.force() && !matches!(self.run.share, Some(Share::Part(_)));
        if anew || !is_made_of(&image, segmentation, job)? {
            job.show_message(format_args!("{}: tissues are those of {}", scan.id(), segmentation.display()));
            make(segmentation, &image, job, grammar)?;
        }
        Ok(Some(image))
    }
}

/// Returns true if this version converted the segmentation and the segmentation has not changed.
fn is_made_of(image: &Path, segmentation: &Path, job: &Job) -> Result<bool> {
    let Ok(record) = Record::read_from(&companion_path(image)) else { return Ok(false) };
    let version = record.versions.0.iter().find(|(name, _)| name == "arcuate").map(|(_, version)| version);
    let now = job.checksums().of(&[segmentation.to_owned()])?;
    let is_of = |known: &[arcuate_pipeline::checksums::Input]| {
        known.iter().map(|input| &input.sha256).eq(now.iter().map(|input| &input.sha256))
    };
    Ok(image.is_file()
        && version.is_some_and(|known| known == env!("CARGO_PKG_VERSION"))
        && is_of(&record.inputs))
}

fn make(segmentation: &Path, image: &Path, job: &Job, grammar: &Grammar) -> Result<()> {
    // These files belong only to this scan. Remove the files of another segmentation first.
    for old in [companion_path(image), image.to_owned()] {
        if old.symlink_metadata().is_ok() {
            std::fs::remove_file(&old).map_err(|e| Error::write(&old, e))?;
        }
    }
    let words: [OsString; 7] = [
        "arcuate".into(),
        "5tt".into(),
        segmentation.into(),
        "--lut".into(),
        "FreeSurfer".into(),
        "--out".into(),
        image.into(),
    ];
    let taken = (grammar.parse)(words.to_vec()).map_err(|e| about("5tt", &e))?;
    let command = FiveTissues::from_arg_matches(&taken.matches).map_err(|e| about("5tt", &e))?;
    let job = job.for_stage(taken.invocation.request());
    let _listening = job.listen();
    command.run(&job, grammar).map_err(|error| job.reword(error))
}
