//! Computes the contents of the HTML page of a cohort before the page is drawn.

use super::columns::Column;
use super::differences::{self, Difference};
use super::distribution::Distribution;
use super::member::{Entry, MemberState};
use super::stack::Stack;
use super::table::participant;
use std::collections::{HashMap, HashSet};

/// The maximum number of key figures whose distributions the cohort page shows.
const MAX_FIGURES: usize = 24;

/// The contents of the cohort page.
pub(super) struct Contents<'a> {
    pub(super) entries: &'a [Entry],
    /// The distributions of the key figures.
    pub(super) figures: Vec<Distribution>,
    /// The number of key figures that the cohort page does not show, because there are more than the maximum.
    pub(super) undrawn: usize,
    /// Each stack (array) of the members' connectomes. Next to it is the distribution of a correlation: for
    /// each member, between its connectome and the mean connectome of all other members.
    pub(super) stacks: Vec<(&'a Stack, Distribution)>,
    pub(super) times: Distribution,
    pub(super) differences: Vec<Difference>,
    /// The number of participants in the dataset's table of participants that have no scan in the cohort.
    pub(super) without_scan: usize,
}

impl<'a> Contents<'a> {
    pub(super) fn new(
        entries: &'a [Entry],
        columns: &[Column],
        stacks: &'a [Stack],
        without_scan: usize,
    ) -> Self {
        let key: Vec<&Column> =
            columns.iter().filter(|column| column.is_key && column.has_numbers()).collect();
        let of_stack = |stack: &'a Stack| {
            let title = stack.title("correlation with the mean connectome of the others");
            (stack, Distribution::new(&title, "", stack.correlations.iter().copied()))
        };
        Self {
            entries,
            figures: key.iter().take(MAX_FIGURES).map(|column| Distribution::of_column(column)).collect(),
            undrawn: key.len().saturating_sub(MAX_FIGURES),
            stacks: stacks.iter().map(of_stack).collect(),
            times: Distribution::of_times(entries),
            differences: differences::find(entries),
            without_scan,
        }
    }

    /// Returns the number of scans whose processing state fulfils the condition `is_in`.
    pub(super) fn count(&self, is_in: impl Fn(&MemberState) -> bool) -> usize {
        self.entries.iter().filter(|entry| is_in(&entry.member.state)).count()
    }

    /// Returns the number of different participants.
    pub(super) fn participants(&self) -> usize {
        self.entries.iter().map(participant).collect::<HashSet<_>>().len()
    }

    /// Returns the number of scans with warnings.
    pub(super) fn with_warnings(&self) -> usize {
        let warnings =
            |entry: &Entry| entry.results.as_ref().is_some_and(|results| !results.warnings.is_empty());
        self.entries.iter().filter(|entry| warnings(entry)).count()
    }

    /// Returns the distributions in which outlier scans are searched: key figures, correlations of
    /// connectomes, and run times.
    pub(super) fn distributions(&self) -> impl Iterator<Item = &Distribution> {
        self.figures
            .iter()
            .chain(self.stacks.iter().map(|(_, correlations)| correlations))
            .chain([&self.times])
    }

    /// Returns the scans that are outliers, by their index, each with the number of distributions in which
    /// the scan is an outlier.
    pub(super) fn outliers(&self) -> HashMap<usize, usize> {
        let mut counts = HashMap::new();
        for outlier in self.distributions().flat_map(|of| &of.outliers) {
            *counts.entry(outlier.entry).or_default() += 1;
        }
        counts
    }
}
