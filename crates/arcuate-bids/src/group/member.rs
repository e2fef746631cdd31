//! The members of a cohort, and the data from the records of their runs.

use arcuate_core::printable;
use arcuate_pipeline::figures::{Figure, Named};
use arcuate_pipeline::record::Record;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// The maximum length of a recorded name or value in reports, in characters.
const LONGEST: usize = 120;

/// A scan of a cohort.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The name of the scan, which consists of its entities: `sub-01_ses-a_space-ACPC`.
    pub id: String,
    /// The label of the participant, with or without `sub-`.
    pub participant: String,
    /// The label of the session, with or without `ses-`.
    pub session: Option<String>,
    /// The result folder of the scan's run.
    pub results: PathBuf,
    /// The report of the scan's run, if there is one.
    pub report: Option<PathBuf>,
    /// The processing state of the scan.
    pub state: MemberState,
    /// The sidecar metadata of the scan's diffusion series.
    pub sidecar: Map<String, Value>,
}

/// The processing state of a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemberState {
    /// The results of the scan exist.
    Done,
    /// The scan is being processed.
    Running,
    /// Processing of the scan failed for this reason, which is one line.
    Failed(String),
    /// Processing of the scan has not started.
    Missing,
}

impl MemberState {
    /// Returns the name of the state in tables.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Running => "running",
            Self::Failed(_) => "failed",
            Self::Missing => "missing",
        }
    }
}

impl Member {
    /// Returns the name of the scan as it is shown in reports.
    pub(super) fn shown(&self) -> String {
        shown(&self.id)
    }
}

/// Formats recorded text for reports. The result has one line, no control characters, and a limited length.
pub(super) fn shown(text: &str) -> String {
    printable(text, LONGEST)
}

/// The parts of a run's record that the group level uses. The rest of the record, which may be large, is
/// discarded.
#[derive(Debug, Clone)]
pub(super) struct Results {
    pub(super) figures: Named<Figure>,
    pub(super) seconds: Vec<(String, f64)>,
    pub(super) warnings: Vec<String>,
    pub(super) choices: Vec<(String, String)>,
    pub(super) versions: Vec<(String, String)>,
    pub(super) created: String,
    /// The files that the run wrote.
    pub(super) files: Vec<String>,
}

impl Results {
    pub(super) fn new(record: Record) -> Self {
        Self {
            figures: record.figures,
            seconds: record.seconds.0,
            warnings: record.warnings,
            choices: record.choices.0,
            versions: record.versions.0,
            created: record.created,
            files: record.files.into_iter().map(|file| file.name.into_owned()).collect(),
        }
    }

    /// Returns the total time of all parts of the run, in seconds.
    pub(super) fn total_seconds(&self) -> f64 {
        self.seconds.iter().map(|(_, seconds)| *seconds).filter(|seconds| seconds.is_finite()).sum()
    }

    /// Returns the version of a program, if the record states it.
    pub(super) fn version(&self, of: &str) -> Option<&str> {
        self.versions.iter().find(|(name, _)| name == of).map(|(_, version)| version.as_str())
    }
}

/// A member of the cohort with the results of its run. Only members whose state is done have results.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) member: Member,
    pub(super) results: Option<Results>,
}

impl Entry {
    /// Reads the record of a member whose state is done. If the record cannot be read, the member's state
    /// becomes failed.
    pub(super) fn read(member: &Member) -> Self {
        let mut member = member.clone();
        let mut results = None;
        if member.state == MemberState::Done {
            match Record::read(&member.results) {
                Ok(record) => results = Some(Results::new(record)),
                Err(error) => member.state = MemberState::Failed(error.to_string()),
            }
        }
        Self { member, results }
    }
}
