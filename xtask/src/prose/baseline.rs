//! Reads and compares the list of the numbers of flagged sentences per file. These numbers may only decrease.

use super::passages::Kind;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The file with the list. Its lines have the form: FILE | KIND FLAGGED/SENTENCES, ...
pub(super) const FILE: &str = "xtask/prose_baseline.txt";

const HEAD: &str = "\
# The flagged sentences of each file, of all its sentences. CI fails if a file has more. Lower the numbers with
# `cargo xtask prose --update`.
";

/// For each kind of text, the maximum percentage of flagged sentences. Exceeding a limit is an error if the
/// list does not exceed it.
pub(super) const LIMITS: [(Kind, usize); 2] = [(Kind::Docs, 10), (Kind::Help, 10)];
/// The maximum percentage of flagged sentences on one documentation page.
pub(super) const LIMIT_OF_PAGE: usize = 25;

/// Numbers of sentences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) sentences: usize,
    pub(super) flagged: usize,
    /// The number of words in the sentences. The list does not store it.
    pub(super) words: usize,
}

impl Count {
    pub(super) fn add(&mut self, other: Self) {
        self.sentences += other.sentences;
        self.flagged += other.flagged;
        self.words += other.words;
    }

    fn exceeds(self, percent: usize) -> bool {
        100 * self.flagged > percent * self.sentences
    }
}

/// The numbers of sentences and of flagged sentences, for each file and kind of text.
pub(super) type Counts = BTreeMap<String, BTreeMap<Kind, Count>>;

/// The result of a comparison: errors, and notes that are no errors.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Comparison {
    /// Files and kinds with more flagged sentences than the list allows.
    pub(super) worse: Vec<(String, Kind)>,
    pub(super) errors: String,
    pub(super) notes: String,
}

impl Comparison {
    /// Returns the notes with a heading. Returns an empty text if there are no notes.
    pub(super) fn notes(&self) -> String {
        if self.notes.is_empty() {
            return String::new();
        }
        format!("not an error yet:\n{}", self.notes)
    }
}

/// Reads the entries of the list.
pub(super) fn read(text: &str) -> Result<Counts, String> {
    let mut counts = Counts::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let wrong = || format!("{FILE}: `{line}` is not FILE | KIND FLAGGED/SENTENCES, ...");
        let (file, entries) = line.split_once(" | ").ok_or_else(wrong)?;
        let mut kinds = BTreeMap::new();
        for entry in entries.split(", ") {
            let (kind, numbers) = entry.split_once(' ').ok_or_else(wrong)?;
            let (flagged, sentences) = numbers.split_once('/').ok_or_else(wrong)?;
            let kind = Kind::of_name(kind).ok_or_else(wrong)?;
            let number = |text: &str| text.parse().map_err(|_| wrong());
            let count = Count { flagged: number(flagged)?, sentences: number(sentences)?, words: 0 };
            if count.flagged > count.sentences || kinds.insert(kind, count).is_some() {
                return Err(wrong());
            }
        }
        if counts.insert(file.to_owned(), kinds).is_some() {
            return Err(format!("{FILE}: {file} is listed twice"));
        }
    }
    Ok(counts)
}

/// Returns the text of the list.
pub(super) fn write(counts: &Counts) -> String {
    let mut text = HEAD.to_owned();
    for (file, kinds) in counts.iter().filter(|(_, kinds)| !kinds.is_empty()) {
        let entries: Vec<String> = kinds
            .iter()
            .map(|(kind, count)| format!("{} {}/{}", kind.name(), count.flagged, count.sentences))
            .collect();
        let _ = writeln!(text, "{file} | {}", entries.join(", "));
    }
    text
}

/// Returns the numbers of all files together, for each kind of text.
pub(super) fn totals(counts: &Counts) -> BTreeMap<Kind, Count> {
    let mut totals: BTreeMap<Kind, Count> = BTreeMap::new();
    for (kind, count) in counts.values().flatten() {
        totals.entry(*kind).or_default().add(*count);
    }
    totals
}

/// Returns how many flagged sentences the list allows in a file. Returns `None` if the list does not have the
/// file.
fn allowed(listed: &Counts, file: &str, kind: Kind) -> Option<usize> {
    Some(listed.get(file)?.get(&kind).map_or(0, |count| count.flagged))
}

/// Returns how many more flagged sentences the list allows than the files have.
fn unused(listed: &Counts, counts: &Counts) -> usize {
    let now = |file: &String, kind| {
        counts.get(file).and_then(|kinds| kinds.get(kind)).map_or(0, |count: &Count| count.flagged)
    };
    let entries = listed.iter().flat_map(|(file, kinds)| kinds.iter().map(move |entry| (file, entry)));
    entries.map(|(file, (kind, count))| count.flagged.saturating_sub(now(file, kind))).sum()
}

/// Compares the files with the list and with the limits.
pub(super) fn compare(listed: &Counts, counts: &Counts) -> Comparison {
    let mut comparison = Comparison::default();
    let Comparison { worse, errors, notes } = &mut comparison;
    for (file, kinds) in counts {
        for (&kind, count) in kinds {
            let allowed = allowed(listed, file, kind);
            if count.flagged > allowed.unwrap_or(0) {
                worse.push((file.clone(), kind));
                let advice = if allowed.is_some() {
                    "rewrite them"
                } else {
                    "rewrite them, or list the new file with --update"
                };
                let (name, flagged, allowed) = (kind.name(), count.flagged, allowed.unwrap_or(0));
                let _ = writeln!(
                    errors,
                    "  {file}: {flagged} flagged sentences ({name}), and {FILE} allows {allowed}; {advice}"
                );
            }
        }
    }
    let better = unused(listed, counts);
    if better > 0 {
        let _ = writeln!(
            notes,
            "  {FILE} allows {better} flagged sentences more than there are; lower it with `cargo xtask prose --update`"
        );
    }
    limits(listed, counts, errors, notes);
    comparison
}

/// Adds the limits that are exceeded. If the list does not exceed the limit, this is an error. If it does, it
/// is a note.
fn limits(listed: &Counts, counts: &Counts, errors: &mut String, notes: &mut String) {
    let (before, now) = (totals(listed), totals(counts));
    let of = |totals: &BTreeMap<Kind, Count>, kind| totals.get(&kind).copied().unwrap_or_default();
    for (kind, percent) in LIMITS {
        let count = of(&now, kind);
        if count.exceeds(percent) {
            let kept = !of(&before, kind).exceeds(percent);
            let text = if kept { &mut *errors } else { &mut *notes };
            let _ = writeln!(
                text,
                "  {}: {} of {} sentences are flagged; the limit is {percent} %",
                kind.name(),
                count.flagged,
                count.sentences
            );
        }
    }
    for (file, kinds) in counts {
        let count = kinds.get(&Kind::Docs).copied().unwrap_or_default();
        if count.exceeds(LIMIT_OF_PAGE) {
            let listed = listed.get(file).and_then(|kinds| kinds.get(&Kind::Docs));
            let kept = !listed.copied().unwrap_or_default().exceeds(LIMIT_OF_PAGE);
            let text = if kept { &mut *errors } else { &mut *notes };
            let _ = writeln!(
                text,
                "  {file}: {} of {} sentences are flagged; the limit of a page is {LIMIT_OF_PAGE} %",
                count.flagged, count.sentences
            );
        }
    }
}

/// Returns the list with the numbers that decreased, and with new files. A number that increased stays as it
/// was in the list.
pub(super) fn lowered(listed: &Counts, counts: &Counts) -> Counts {
    let mut lowered = counts.clone();
    for (file, kinds) in &mut lowered {
        for (kind, count) in kinds {
            count.flagged = count.flagged.min(allowed(listed, file, *kind).unwrap_or(usize::MAX));
        }
    }
    lowered
}
