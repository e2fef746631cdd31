//! The rules of plain language. Finds the sentences that break them.

use super::passages::{Kind, Passage, Sentence};
use std::collections::HashMap;

/// Maximum number of words in a sentence.
const MAX_WORDS: usize = 28;
/// Maximum number of references back (such as "of these") in a sentence.
const MAX_REFERENCES: usize = 1;
/// Maximum number of subordinate clauses in a sentence.
const MAX_CLAUSES: usize = 2;

/// The rules by name, with the advice for each. Rule `word` has the advice of its row in `WORDS`.
pub(super) const RULES: [(&str, &str); 6] = [
    ("long", "split it: at most 28 words"),
    ("inverted", "begin with the subject, an imperative, if or when"),
    ("chain", "name the thing instead of a second reference back"),
    ("headless", "name the thing after the preposition"),
    ("nested", "split it: at most two subordinate clauses"),
    ("word", "use the standard term"),
];

// A phrase is a sequence of words, separated by spaces. `a|b` matches one of several words, and `*` matches
// any word. `!a|b` matches any word except these, or the end of the sentence.

/// Words that must not begin a sentence, unless the sentence is a question.
pub(super) const INVERTED: [&str; 27] = [
    "what",
    "where",
    "whether",
    "who",
    "whoever",
    "whatever",
    "whichever",
    "wherever",
    "of",
    "by !default",
    "beside",
    "behind",
    "without which|what|whom|whose",
    "with|in|on|from|to|for|at|after|before|under which|what|whom|whose",
    "whose",
    "whom",
    "which",
    "how many|much",
    "as many|far|much",
    "so many|much",
    "such",
    "that of",
    "those",
    "nothing",
    "none of",
    "all that",
    "one that",
];

/// Phrases that refer back to earlier words. A sentence may have one of them.
pub(super) const CHAIN: [&str; 6] = [
    "of these|those|which|it|them|that|what|whom",
    "in these|those|which",
    "those of|that|which",
    "that of",
    "what is|are|was|were|has|have|it|they|one|a|the",
    "which is|are then|said",
];

/// Phrases in which a clause replaces the name of a thing.
pub(super) const HEADLESS: [&str; 2] = [
    "by|for|from|with|to|of|in|on|at|as|like|than|behind|under|over|without|until|after|before what",
    "by|for|from|with|to|of|than|without whoever",
];

/// Words that begin a subordinate clause. `that` is omitted, because it is too frequent.
const CLAUSES: [&str; 14] = [
    "which", "who", "whose", "whom", "what", "where", "whether", "whatever", "how", "because", "although",
    "while", "unless", "until",
];

/// Phrases that the project formerly used for standard terms, each with the standard term.
pub(super) const WORDS: [(&str, &str); 55] = [
    ("heed|heeds|heeding|heeded", "use, respect, take into account"),
    ("beside|besides", "next to; in addition to; compared with"),
    ("lies|lie|lay|lying in|on|at|beside|outside|inside|by|there|wrongly", "is, are"),
    ("stand|stands in|on|for|beside|there|above|below|at", "is in; is listed in"),
    ("go|goes|going|went on", "continue, resume"),
    ("is|are|was|were|be|been said|told", "is stated, is reported, is documented"),
    ("tell|tells of", "report, state, document"),
    ("say|says so|it|what|which|how|where|that|of|whether|why", "report, state, specify, document"),
    ("tell|tells what|which|how|where|whether|why", "report, state, specify, document"),
    ("to be said|told", "required; must be given"),
    ("wish|wishes", "option, override"),
    ("so many", "N; the number of"),
    ("as many as", "N; the number of"),
    ("for oneself", "alone; separately"),
    ("by itself|themselves", "alone; separately"),
    ("where there is|are", "if"),
    ("where one|it is", "if"),
    ("where nothing|none|neither", "if"),
    ("fails|fail|refused|refuses where", "returns an error if"),
    ("come|comes to be|that", "result in"),
    ("came to", "result in"),
    ("make|makes of|what", "convert; build from"),
    ("made of !steel|two|three|several", "built from"),
    ("as far as", "if; up to"),
    ("lattice|lattices", "grid"),
    ("words of fsl|the|mrtrix|its|a|other", "syntax, options"),
    ("in the words", "syntax, options"),
    ("fluid", "CSF"),
    ("from * on", "from; starting at"),
    ("is|are what", "rewrite with subject and verb"),
    ("ought to", "should"),
    ("wherever", "if, where"),
    ("thereby", "simplify"),
    ("therein", "in it"),
    ("thereof", "of it"),
    ("hence", "therefore, so"),
    ("to be had", "available"),
    ("not to be", "must not"),
    ("is|are to be", "must"),
    ("meanwhile", "simplify"),
    ("beforehand", "before"),
    ("likewise", "also"),
    ("room|rooms", "module, folder, crate"),
    ("noun|nouns", "type, data type"),
    ("twin|twins", "duplicate; GPU version of"),
    ("behind", "after; next to; below"),
    ("in the place|stead of", "instead of"),
    ("gpu|cpu half|halves", "GPU implementation, CPU implementation"),
    ("way|ways on", "direction; continuation"),
    ("meets what|nothing", "passes a target, a waypoint"),
    ("what was|is measured", "measurement, volume"),
    ("what|which is met", "matrix rows, target, waypoint"),
    ("left out", "omitted, discarded"),
    ("to be seen", "visible; is shown"),
    ("therefrom|thereto|thereon|whereof|whereby|wherein", "simplify"),
];

/// Standard terms that contain a word of `WORDS`.
pub(super) const TERMS: [&str; 7] = [
    "cerebrospinal fluid",
    "cubic lattice",
    "fibonacci lattice",
    "lattice coordinates",
    "lattice point",
    "lattice points",
    "room temperature",
];

/// A broken rule, and what to write instead.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Flag {
    pub(super) rule: &'static str,
    pub(super) advice: String,
}

/// An element of a phrase.
enum Slot {
    Any,
    One(Vec<&'static str>),
    Not(Vec<&'static str>),
}

struct Phrase {
    slots: Vec<Slot>,
    /// The index of the phrase in its table.
    row: usize,
}

/// The phrases of a table, found by their first word.
struct Table(HashMap<&'static str, Vec<Phrase>>);

/// All rules, in a form in which they can be applied.
pub(super) struct Rules {
    inverted: Table,
    chain: Table,
    headless: Table,
    words: Table,
}

/// A word of a sentence in lower case.
struct Word<'a> {
    text: &'a str,
    /// True if only a space separates the word from the previous word.
    follows: bool,
}

impl Table {
    fn new(phrases: impl Iterator<Item = &'static str>) -> Self {
        let mut table: HashMap<&'static str, Vec<Phrase>> = HashMap::new();
        for (row, phrase) in phrases.enumerate() {
            for first in alternatives(phrase.split(' ').next().unwrap_or_default()) {
                let slots = phrase.split(' ').skip(1).map(Slot::new).collect();
                table.entry(first).or_default().push(Phrase { slots, row });
            }
        }
        Self(table)
    }

    /// For each phrase that begins at word `start`, returns its index in the table and its number of words.
    fn at(&self, words: &[Word], start: usize) -> impl Iterator<Item = (usize, usize)> {
        let phrases = self.0.get(words[start].text).map_or(&[][..], Vec::as_slice);
        phrases.iter().filter_map(move |phrase| Some((phrase.row, phrase.length(words, start)?)))
    }
}

fn alternatives(slot: &'static str) -> Vec<&'static str> {
    slot.split('|').collect()
}

impl Slot {
    fn new(text: &'static str) -> Self {
        match text.strip_prefix('!') {
            _ if text == "*" => Self::Any,
            Some(others) => Self::Not(alternatives(others)),
            None => Self::One(alternatives(text)),
        }
    }
}

impl Phrase {
    /// If the phrase begins at word `start`, returns its number of words. If not, returns `None`.
    fn length(&self, words: &[Word], start: usize) -> Option<usize> {
        let mut n = start + 1;
        for slot in &self.slots {
            let word = words.get(n).filter(|word| word.follows).map(|word| word.text);
            match slot {
                Slot::Any => word.is_some(),
                Slot::One(allowed) => word.is_some_and(|word| allowed.contains(&word)),
                Slot::Not(refused) => {
                    if word.is_some_and(|word| refused.contains(&word)) {
                        return None;
                    }
                    continue;
                }
            }
            .then_some(())?;
            n += 1;
        }
        Some(n - start)
    }
}

/// Splits a text in lower case into words.
fn words(text: &str) -> Vec<Word<'_>> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let (mut words, mut end) = (Vec::new(), 0);
    let mut rest = text;
    while let Some(skipped) = rest.find(is_part) {
        let start = text.len() - rest.len() + skipped;
        let length = text[start..].find(|c| !is_part(c)).unwrap_or(text.len() - start);
        let follows = &text[end..start] == " ";
        words.push(Word { text: &text[start..start + length], follows });
        end = start + length;
        rest = &text[end..];
    }
    words
}

/// True if the word `start` and a neighbour are a standard term.
fn is_in_term(words: &[Word], start: usize) -> bool {
    let pairs = words[start.saturating_sub(1)..words.len().min(start + 2)].windows(2);
    pairs
        .filter(|pair| pair[1].follows)
        .any(|pair| TERMS.iter().any(|term| term.split_once(' ') == Some((pair[0].text, pair[1].text))))
}

impl Rules {
    pub(super) fn new() -> Self {
        Self {
            inverted: Table::new(INVERTED.into_iter()),
            chain: Table::new(CHAIN.into_iter()),
            headless: Table::new(HEADLESS.into_iter()),
            words: Table::new(WORDS.into_iter().map(|(phrase, _)| phrase)),
        }
    }

    /// Returns the rules that a sentence breaks.
    pub(super) fn flags(&self, sentence: &Sentence, passage: &Passage) -> Vec<Flag> {
        let small = sentence.text.to_lowercase();
        let words = words(&small);
        let mut flags = Vec::new();
        let mut add = |rule: &'static str, advice: String| flags.push(Flag { rule, advice });
        let advice = |rule: &str| RULES.iter().find(|row| row.0 == rule).map_or("", |row| row.1);
        if sentence.words > MAX_WORDS {
            add("long", format!("{} words; {}", sentence.words, advice("long")));
        }
        if self.is_inverted(&sentence.text, &words, passage) {
            add("inverted", advice("inverted").to_owned());
        }
        let references = self.chain.count(&words);
        if references > MAX_REFERENCES {
            add("chain", format!("{references} references; {}", advice("chain")));
        }
        if self.headless.count(&words) > 0 {
            add("headless", advice("headless").to_owned());
        }
        let clauses = words.iter().filter(|word| CLAUSES.contains(&word.text)).count();
        if clauses > MAX_CLAUSES {
            add("nested", format!("{clauses} clauses; {}", advice("nested")));
        }
        for start in 0..words.len() {
            if is_in_term(&words, start) {
                continue;
            }
            for (row, length) in self.words.at(&words, start) {
                let found: Vec<_> = words[start..start + length].iter().map(|word| word.text).collect();
                add("word", format!("“{}” → {}", found.join(" "), WORDS[row].1));
            }
        }
        flags
    }

    fn is_inverted(&self, text: &str, words: &[Word], passage: &Passage) -> bool {
        // A message that begins with a comma is the end of a sentence.
        if text.ends_with('?') || (passage.is_message && text.starts_with(',')) {
            return false;
        }
        let starts_large =
            text.trim_start_matches(['"', '\'', '(', '‘', '“']).starts_with(char::is_uppercase);
        // An error may begin with a file name. The sentence then starts after it, in lower case.
        let start = usize::from(passage.is_message && text.starts_with("CODE: "));
        let is_start = starts_large || (passage.is_message && passage.kind != Kind::Comments);
        // “What's” is a question or a title.
        let contracted = words.get(start + 1).is_some_and(|word| word.text == "s" && !word.follows);
        is_start && !contracted && start < words.len() && self.inverted.at(words, start).next().is_some()
    }
}

impl Table {
    /// Returns the number of phrases in the sentence that do not overlap.
    fn count(&self, words: &[Word]) -> usize {
        let (mut count, mut n) = (0, 0);
        while n < words.len() {
            let length = self.at(words, n).map(|(_, length)| length).next();
            count += usize::from(length.is_some());
            n += length.unwrap_or(1);
        }
        count
    }
}
