//! Who belongs to a cohort, and what is known of each from the record of its run.

use arcuate_core::printable;
use arcuate_pipeline::figures::{Figure, Named};
use arcuate_pipeline::record::Record;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// Characters of a name or a value from a record, at most, where people see it.
const LONGEST: usize = 120;

/// A scan of a cohort.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// What it is called: its entities, `sub-01_ses-a_space-ACPC`.
    pub id: String,
    /// The participant, with or without `sub-`.
    pub participant: String,
    /// The session, with or without `ses-`.
    pub session: Option<String>,
    /// The folder of its run.
    pub results: PathBuf,
    /// The report of its run.
    pub report: Option<PathBuf>,
    /// What has become of it.
    pub state: MemberState,
    /// What the sidecars of its series say.
    pub sidecar: Map<String, Value>,
}

/// What has become of a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemberState {
    /// Its results are there.
    Done,
    /// It is worked on.
    Running,
    /// It came to nothing, for the reason of this line.
    Failed(String),
    /// Nobody has begun it.
    Missing,
}

impl MemberState {
    /// The word for it in tables.
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
    /// Its name as pages show it.
    pub(super) fn shown(&self) -> String {
        shown(&self.id)
    }
}

/// Text of a record as pages show it: in one line, without characters that do something, and not too long.
pub(super) fn shown(text: &str) -> String {
    printable(text, LONGEST)
}

/// What the record of a run says that is of use to a cohort. The rest of it, which may be large, is not kept.
#[derive(Debug, Clone)]
pub(super) struct Results {
    pub(super) figures: Named<Figure>,
    pub(super) seconds: Vec<(String, f64)>,
    pub(super) warnings: Vec<String>,
    pub(super) choices: Vec<(String, String)>,
    pub(super) versions: Vec<(String, String)>,
    pub(super) created: String,
    /// Names of the files that the run wrote.
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

    /// The time of all parts together.
    pub(super) fn total_seconds(&self) -> f64 {
        self.seconds.iter().map(|(_, seconds)| *seconds).filter(|seconds| seconds.is_finite()).sum()
    }

    /// The version of a program, where the record has it.
    pub(super) fn version(&self, of: &str) -> Option<&str> {
        self.versions.iter().find(|(name, _)| name == of).map(|(_, version)| version.as_str())
    }
}

/// A member with what is known of it: nothing but of those that are done.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) member: Member,
    pub(super) results: Option<Results>,
}

impl Entry {
    /// Reads the record of a member that is done. One whose record cannot be read has failed.
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
