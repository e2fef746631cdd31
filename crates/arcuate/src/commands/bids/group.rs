//! The group level of `arcuate bids`: tables and a report for all scans of a cohort.

use super::BidsApp;
use super::participant::line_of;
use arcuate_bids::group::{Member, MemberState, gather};
use arcuate_bids::participants::FILE_NAME;
use arcuate_bids::scans::find;
use arcuate_bids::state::{Place, Stage, State, all};
use arcuate_core::{Error, Result, is_file_or_link, printable};
use arcuate_pipeline::job::Job;
use serde_json::Map;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Maximum number of characters of a list of scans in an error.
const LONGEST_LIST: usize = 300;

impl BidsApp {
    /// Writes the table, the connectomes and the report of the processed scans.
    pub(super) fn group(&self, job: &Job) -> Result<()> {
        let given = self.run.given().or(self.machine.mem_mb.map(|_| "--mem-mb"));
        if let Some(option) = given {
            return Err(Error::usage(
                option,
                "level `group` does not process scans, so this option would have no effect",
                "give this option at level `participant`",
            ));
        }
        let work = self.work();
        let mut states: BTreeMap<String, (Place, State)> =
            all(&work)?.into_iter().map(|(place, state)| (state.scan.clone(), (place, state))).collect();
        if states.is_empty() {
            let problem = "no scan was begun";
            return Err(Error::invalid(work.display(), problem, "do level `participant` first"));
        }
        let is_bad = |state: &State| matches!(state.stage, Stage::Failed | Stage::Interrupted);
        let failed =
            states.iter().filter(|(_, (_, state))| is_bad(state)).map(|(id, _)| id.clone()).collect();
        let (dataset, others) = self.datasets()?;
        let (scans, unusable) = find(&dataset, &others, &self.scans.search(None)?)?;
        let whole = scans.into_iter().map(|scan| {
            let known = states.remove(&scan.id());
            Member { sidecar: scan.metadata.clone(), ..member(&scan.id(), MemberState::Missing, known) }
        });
        let mut members: Vec<Member> = whole.collect();
        let broken = unusable.into_iter().filter(|scan| scan.is_series).map(|scan| {
            let known = states.remove(&scan.id);
            member(&scan.id, MemberState::Failed(line_of(&scan.error)), known)
        });
        members.extend(broken);
        members.sort_by(|one, other| one.id.cmp(&other.id));
        let cohort = job.step("records", || gather(&members))?;
        let participants = [self.output(), self.root()].map(|root| root.join(FILE_NAME));
        let participants = participants.iter().find(|path| is_file_or_link(path)).map(PathBuf::as_path);
        let files = job.step("group", || cohort.write(self.output(), participants))?;
        let done = members.iter().filter(|member| matches!(member.state, MemberState::Done)).count();
        job.show_message(format_args!("{done} of {} scans have results in the tables", members.len()));
        for file in files {
            job.show_message(file.display());
        }
        self.require_success(&members, &failed)
    }

    /// Returns an error if the work on a scan failed, after the tables of the other scans have been written.
    /// Series with incomplete files, which were never processed, are only listed in the tables.
    fn require_success(&self, members: &[Member], failed: &BTreeSet<String>) -> Result<()> {
        let ids = members.iter().map(|member| member.id.as_str());
        let failed: Vec<&str> = ids.filter(|id| failed.contains(*id)).collect();
        if failed.is_empty() {
            return Ok(());
        }
        let names = printable(&failed.join(", "), LONGEST_LIST);
        let (bad, all) = (failed.len(), members.len());
        let problem = format!("{bad} of {all} scans failed and have no results in the tables: {names}");
        let advice = "see `arcuate bids status`, then run level `participant` again";
        Err(Error::invalid(self.output().display(), problem, advice))
    }
}

/// Returns a scan of the dataset with its state, or the state `otherwise` if its run has not started.
fn member(id: &str, otherwise: MemberState, known: Option<(Place, State)>) -> Member {
    let label = |key: &str| id.split('_').find_map(|part| part.strip_prefix(key)).map(str::to_owned);
    let (results, state) = match known {
        None => (PathBuf::new(), otherwise),
        Some((place, state)) => {
            let interrupted = || "it was interrupted; do level `participant` again".to_owned();
            let state_text = match state.stage {
                Stage::Done => MemberState::Done,
                Stage::Running => MemberState::Running,
                Stage::Failed => MemberState::Failed(state.error),
                Stage::Interrupted => MemberState::Failed(interrupted()),
            };
            (place.results(), state_text)
        }
    };
    let report = Some(results.join("report.html")).filter(|page| page.is_file());
    Member {
        id: id.to_owned(),
        participant: label("sub-").unwrap_or_default(),
        session: label("ses-"),
        results,
        report,
        state,
        sidecar: Map::new(),
    }
}
