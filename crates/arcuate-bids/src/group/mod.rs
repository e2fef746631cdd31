//! Creates the table of a cohort, the arrays of its connectomes, and its HTML page from the records (JSON
//! files) of the scans' runs.

mod acquisition;
mod columns;
mod contents;
mod differences;
mod distribution;
mod html;
mod matrices;
mod member;
mod outliers;
mod page;
mod plots;
mod sections;
mod stack;
mod table;
#[cfg(test)]
mod tests;

pub use member::{Member, MemberState};

use crate::participants::Participants;
use arcuate_core::{Error, Result};
use arcuate_io::{FileLock, write_file};
use columns::Names;
use contents::Contents;
use member::Entry;
use std::collections::HashSet;
use std::fs::create_dir_all;
use std::path::{Path, PathBuf};

/// The path of the cohort's HTML page, relative to the root of the derivatives.
pub const PAGE: &str = "group.html";
/// The folder for the arrays of the cohort's connectomes, relative to the root of the derivatives.
pub const ARRAYS: &str = "group";
/// The folder for the cohort's table, relative to the root of the derivatives. BIDS defines this name.
const TABLES: &str = "phenotype";
/// Lines of `.bidsignore` for the files of the cohort. BIDS does not define the HTML page and the connectome
/// arrays. In a table in `phenotype`, BIDS requires one row per participant, but a participant may have
/// several scans.
pub const IGNORED: [&str; 3] = ["/group.html", "/group", "/phenotype/arcuate.*"];

/// The scans of a cohort, with data from the records (JSON files) of their runs.
#[derive(Debug, Clone)]
pub struct Cohort {
    entries: Vec<Entry>,
}

/// Reads the run records of those members whose processing state is done. If a record cannot be read, the
/// state of this member becomes failed, with the reason.
///
/// # Errors
/// Returns an error if `members` is empty.
pub fn gather(members: &[Member]) -> Result<Cohort> {
    if members.is_empty() {
        return Err(Error::usage("cohort", "it has no scans", "select scans that are there"));
    }
    Ok(Cohort { entries: members.iter().map(Entry::read).collect() })
}

impl Cohort {
    /// Returns the members of the cohort. If the record of a member could not be read, its processing state
    /// is failed.
    pub fn members(&self) -> impl Iterator<Item = &Member> {
        self.entries.iter().map(|entry| &entry.member)
    }

    /// Writes the cohort's files below the root `out` of the derivatives, replaces existing ones, and returns
    /// their paths. The list below names the files.
    ///
    /// - `phenotype/arcuate.tsv` has one row per member with its figures, and `phenotype/arcuate.json`
    ///   describes the columns. If `participants` gives the path of the dataset's table of participants, the
    ///   columns of that table are added.
    /// - `group/connectomes.npz`, for NumPy, is written if members have connectomes. It contains
    ///   `participants`, `sessions`, `scans`, `regions`, `region_names`, and for each measure (`counts`,
    ///   `weights`, `lengths`, …) a float32 array of scans × regions × regions. It contains the largest group
    ///   of members with the same regions. The page states why the other members are excluded. If there are
    ///   several parcellations, each has a file `group/connectomes_NAME.npz`.
    /// - `group.html` is one page that works offline.
    ///
    /// A connectome that cannot be read is excluded from the array, and the cohort page states the reason.
    ///
    /// # Errors
    /// Returns an error if the table of participants cannot be read, if a file cannot be written, or if
    /// another process writes the same files.
    pub fn write(&self, out: &Path, participants: Option<&Path>) -> Result<Vec<PathBuf>> {
        let participants = participants.map(Participants::read).transpose()?;
        let [tables, arrays] = [TABLES, ARRAYS].map(|folder| out.join(folder));
        create_dir_all(&tables).map_err(|e| Error::write(&tables, e))?;
        let page = out.join(PAGE);
        let _lock = FileLock::take(&page)?
            .ok_or_else(|| Error::usage(page.display(), "another arcuate is writing it", "wait for it"))?;
        let (mut written, columns) = table::write(&tables, &self.entries, participants.as_ref())?;
        let (mut stacks, mut names) = (Vec::new(), Names::default());
        for set in matrices::find(&self.entries) {
            create_dir_all(&arrays).map_err(|e| Error::write(&arrays, e))?;
            let file = match names.take(&set.name).as_str() {
                stack::ONLY => "connectomes.npz".to_owned(),
                name => format!("connectomes_{name}.npz"),
            };
            stacks.extend(stack::write(&arrays.join(file), &self.entries, set)?);
        }
        written.extend(stacks.iter().map(|stack| stack.path.clone()));
        let known: HashSet<String> = self.entries.iter().map(table::participant).collect();
        let without_scan = participants.map_or(0, |table| table.without(&known));
        let contents = Contents::new(&self.entries, &columns, &stacks, without_scan);
        write_file(&page, page::make(&contents, out)?)?;
        written.push(page);
        Ok(written)
    }
}
