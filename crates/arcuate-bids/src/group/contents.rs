//! The contents of the cohort page, computed before it is drawn.

use super::columns::Column;
use super::differences::{self, Difference};
use super::distribution::Distribution;
use super::member::{Entry, MemberState};
use super::stack::Stack;
use super::table::participant;
use std::collections::{HashMap, HashSet};

/// The maximum number of key figures to draw.
const MOST_FIGURES: usize = 24;

/// The contents of the cohort page.
pub(super) struct Contents<'a> {
    pub(super) entries: &'a [Entry],
    /// The distributions of the key figures.
    pub(super) figures: Vec<Distribution>,
    /// The number of key figures that are not drawn.
    pub(super) undrawn: usize,
    /// Each stack of connectomes, with the distribution of the correlation of each member with the mean of
    /// the others.
    pub(super) stacks: Vec<(&'a Stack, Distribution)>,
    pub(super) times: Distribution,
    pub(super) differences: Vec<Difference>,
    /// The number of participants of the dataset that have no scan in the cohort.
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
            figures: key.iter().take(MOST_FIGURES).map(|column| Distribution::of_column(column)).collect(),
            undrawn: key.len().saturating_sub(MOST_FIGURES),
            stacks: stacks.iter().map(of_stack).collect(),
            times: Distribution::of_times(entries),
            differences: differences::find(entries),
            without_scan,
        }
    }

    /// Returns the number of scans in a state.
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

    /// Returns the distributions that are searched for outliers.
    pub(super) fn distributions(&self) -> impl Iterator<Item = &Distribution> {
        self.figures
            .iter()
            .chain(self.stacks.iter().map(|(_, correlations)| correlations))
            .chain([&self.times])
    }

    /// Returns, for each scan that is an outlier in any distribution, the number of distributions in which it
    /// is an outlier.
    pub(super) fn outliers(&self) -> HashMap<usize, usize> {
        let mut counts = HashMap::new();
        for outlier in self.distributions().flat_map(|of| &of.outliers) {
            *counts.entry(outlier.entry).or_default() += 1;
        }
        counts
    }
}
