//! From the records of many scans a cohort's table, stacks of connectomes, and report.

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

/// The page of a cohort, from the root of the derivatives.
pub const PAGE: &str = "group.html";
/// The folder of arrays of a cohort, from there.
pub const ARRAYS: &str = "group";
/// The folder of its table, which BIDS has.
const TABLES: &str = "phenotype";
/// Lines for `.bidsignore`: pages and arrays are none of BIDS, and of tables it wants a row for each participant, which may have several
/// scans.
pub const IGNORED: [&str; 3] = ["/group.html", "/group", "/phenotype/arcuate.*"];

/// Scans with what is known of them from their records.
#[derive(Debug, Clone)]
pub struct Cohort {
    entries: Vec<Entry>,
}

/// Reads the records of members that are done. One whose record cannot be read has failed, with the reason; the others go on.
///
/// # Errors
/// Where there is no member.
pub fn gather(members: &[Member]) -> Result<Cohort> {
    if members.is_empty() {
        return Err(Error::usage("cohort", "it has no scans", "select scans that are there"));
    }
    Ok(Cohort { entries: members.iter().map(Entry::read).collect() })
}

impl Cohort {
    /// The members, with what gathering them found.
    pub fn members(&self) -> impl Iterator<Item = &Member> {
        self.entries.iter().map(|entry| &entry.member)
    }

    /// Writes into the root of derivatives, over what is there of these, and returns what was written:
    ///
    /// - `phenotype/arcuate.tsv`, a row for each member with its figures, and `phenotype/arcuate.json`, which says what the columns
    ///   are. `participants` is the table of participants of the data set, whose columns join those of figures.
    /// - `group/connectomes.npz` for NumPy, where members have connectomes: `participants`, `sessions`, `scans`, `regions`,
    ///   `region_names`, and for each measure (`counts`, `weights`, `lengths`, …) an array of scans × regions × regions, float32.
    ///   It holds the largest number of members with the same regions; the page says why others are none of these. Of several
    ///   parcellations each has its file, `group/connectomes_NAME.npz`.
    /// - `group.html`, one page that opens offline.
    ///
    /// # Errors
    /// Where the table of participants cannot be read, or something cannot be written. A connectome that cannot be read is left
    /// out, and the page says so. Where another process writes the same files.
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
