//! The maximum numbers of sentences that may break a rule. A limit may only decrease.

use super::passages::Kind;
use super::rules::RULES;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Rules that some sentences may break, each with the maximum number of these sentences in the whole project.
/// No sentence may break any other rule.
pub(super) const LIMITS: [(&str, usize); 1] = [("long", 20)];

/// Numbers of sentences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) sentences: usize,
    pub(super) flagged: usize,
    /// The number of words in the sentences.
    pub(super) words: usize,
}

impl Count {
    pub(super) fn add(&mut self, other: Self) {
        self.sentences += other.sentences;
        self.flagged += other.flagged;
        self.words += other.words;
    }
}

/// The numbers of sentences and of flagged sentences, for each file and kind of text.
pub(super) type Counts = BTreeMap<String, BTreeMap<Kind, Count>>;

/// Returns the numbers of all files together, for each kind of text.
pub(super) fn totals(counts: &Counts) -> BTreeMap<Kind, Count> {
    let mut totals: BTreeMap<Kind, Count> = BTreeMap::new();
    for (kind, count) in counts.values().flatten() {
        totals.entry(*kind).or_default().add(*count);
    }
    totals
}

/// Returns the maximum number of sentences that may break a rule.
fn limit(rule: &str) -> usize {
    LIMITS.iter().find(|(name, _)| *name == rule).map_or(0, |(_, limit)| *limit)
}

/// Returns one line for each rule that more sentences break than its limit allows. `broken` has the rules that
/// each flagged sentence breaks.
pub(super) fn exceeded<'a>(broken: impl IntoIterator<Item = Vec<&'a str>>) -> String {
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for mut rules in broken {
        rules.sort_unstable();
        rules.dedup();
        for rule in rules {
            *found.entry(rule).or_default() += 1;
        }
    }
    let mut text = String::new();
    for (rule, advice) in RULES {
        let (found, limit) = (found.get(rule).copied().unwrap_or(0), limit(rule));
        if found > limit {
            let _ = writeln!(text, "  {rule}: {found} sentences, the limit is {limit}; {advice}");
        }
    }
    text
}
