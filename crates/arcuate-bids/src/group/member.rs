//! Defines the members of a cohort, and reads the records (JSON files) of their runs.

use arcuate_core::printable;
use arcuate_pipeline::figures::{Figure, Named};
use arcuate_pipeline::record::Record;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// The maximum length, in characters, with which the cohort page shows a name or a value from a record.
const LONGEST: usize = 120;

/// A scan of a cohort.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The name of the scan, which consists of the BIDS entities of its file name: `sub-01_ses-a_space-ACPC`.
    pub id: String,
    /// The label of the scan's participant, with or without the prefix `sub-`.
    pub participant: String,
    /// The label of the scan's session, with or without the prefix `ses-`.
    pub session: Option<String>,
    /// The result folder of the scan's run.
    pub results: PathBuf,
    /// The path of the report of the scan's run, if there is a report.
    pub report: Option<PathBuf>,
    /// The processing state of the scan.
    pub state: MemberState,
    /// The metadata of the scan's diffusion series, from its JSON sidecars.
    pub sidecar: Map<String, Value>,
}

/// The processing state of a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemberState {
    /// The results of the scan exist.
    Done,
    /// The scan is being processed.
    Running,
    /// Processing of the scan failed. The text states the reason in one line.
    Failed(String),
    /// Processing of the scan has not started.
    Missing,
}

impl MemberState {
    /// Returns the name of the processing state as the tables of the cohort state it.
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
    /// Returns the name of the scan in the form that reports show.
    pub(super) fn shown(&self) -> String {
        shown(&self.id)
    }
}

/// Formats a text from a record for the cohort page: replaces line breaks and control characters, and limits
/// the length of the text.
pub(super) fn shown(text: &str) -> String {
    printable(text, LONGEST)
}

/// The contents of a run's record that the cohort's table and page use. All other contents are discarded,
/// because records may be large.
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

    /// Returns the total time of all processing steps of the run, in seconds.
    pub(super) fn total_seconds(&self) -> f64 {
        self.seconds.iter().map(|(_, seconds)| *seconds).filter(|seconds| seconds.is_finite()).sum()
    }

    /// Returns the version of a program that took part in the run. Returns `None` if the record does not
    /// state the version.
    pub(super) fn version(&self, of: &str) -> Option<&str> {
        self.versions.iter().find(|(name, _)| name == of).map(|(_, version)| version.as_str())
    }
}

/// A member of the cohort, together with the data from the record of its run. These data are `None` unless
/// the processing state of the member is done.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) member: Member,
    pub(super) results: Option<Results>,
}

impl Entry {
    /// Reads the record of the member's run if the processing state of the member is done. If the record
    /// cannot be read, the state becomes failed.
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
