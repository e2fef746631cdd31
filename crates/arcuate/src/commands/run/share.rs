//! The option `--share` of `arcuate run`: divides the tracking of one scan over several jobs, which may run
//! on different machines.

use super::ready::Ready;
use super::recipe::Recipe;
use arcuate_core::{Error, Result};
use arcuate_pipeline::job::Job;
use arcuate_pipeline::run::{PlannedWork, RunFolder, StageWork};
use arcuate_pipeline::stages::Work;
use arcuate_pipeline::stages::tracking::{Extent, PartOf, Tracking, folder_of_parts};
use std::str::FromStr;

/// A part of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Share {
    /// All stages before tracking.
    Prepare,
    /// One part of the streamlines.
    Part(PartOf),
}

impl FromStr for Share {
    type Err = String;

    fn from_str(word: &str) -> std::result::Result<Self, String> {
        if word == "prepare" {
            return Ok(Self::Prepare);
        }
        word.parse()
            .map(Self::Part)
            .map_err(|_| "give prepare, or the number of a part and of how many, 2/8 say".into())
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Prepare => f.write_str("prepare"),
            Self::Part(part) => part.fmt(f),
        }
    }
}

impl Share {
    /// Does this part of the given stages in a folder.
    pub(super) fn perform(
        self,
        folder: &RunFolder,
        stages: &[Ready<'_>],
        recipe: &Recipe,
        job: &Job,
    ) -> Result<()> {
        let Some(before) = stages.iter().position(|stage| followed(stage).is_some()) else {
            let problem = "only streamlines through samples are followed in parts";
            return Err(Error::usage("--share", problem, "choose --tracking samples, or remove --share"));
        };
        let stage = &stages[before];
        let part = |part| {
            let mut work: PlannedWork = stage.work.clone();
            if let Some(tracking) = work.divisible_tracking() {
                tracking.extent = Extent::Part(part);
            }
            work
        };
        let in_its_words = |error| recipe.about(stage.work.stage(), stage.job.reword(error));
        match self {
            Self::Prepare => {
                // Checks whether the tracking of this run can be divided over several jobs.
                part(PartOf::new(1, 1)?).check(&stage.job).map_err(in_its_words)?;
                folder.prepare(stages, before, job)
            }
            Self::Part(number) => {
                if !folder.is_prepared(stages, before, job)? {
                    let problem =
                        "the results that tracking needs are missing, or belong to other data or options";
                    return Err(Error::usage(
                        "--share",
                        problem,
                        "first run the command with --share \
                        prepare",
                    ));
                }
                let _listening = stage.job.listen();
                part(number).run(&stage.job).map_err(in_its_words)
            }
        }
    }
}

/// Returns the tracking options of this stage, if the stage can be split into parts.
fn followed(stage: &Ready<'_>) -> Option<Tracking> {
    stage.work.clone().divisible_tracking().cloned()
}

/// Removes the parts of stages that have been merged.
pub(super) fn remove_parts(stages: &[Ready<'_>]) {
    for tracking in stages.iter().filter_map(followed) {
        // An error is ignored: files that cannot be removed use disk space, but have no other effect.
        let _ = std::fs::remove_dir_all(folder_of_parts(&tracking.out));
    }
}

/// Returns an error if a stage would track only a part, because later stages need all streamlines.
pub(super) fn require_whole(stage: &Ready<'_>) -> Result<()> {
    match followed(stage).map(|tracking| tracking.extent) {
        Some(Extent::Part(_)) => {
            let problem = "later stages need all streamlines";
            Err(Error::usage(stage.name(), problem, "remove part, and use --share"))
        }
        _ => Ok(()),
    }
}
