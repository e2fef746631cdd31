//! Tests with sentences that break rules, and with files of every format.

mod limits;
mod rules;
mod texts;

use super::passages::{Kind, Passage};
use super::rules::Rules;

/// Returns the names of the rules that the sentences of a text break, in order.
fn broken(text: &str) -> Vec<&'static str> {
    of_passage(&Passage::of_line(Kind::Docs, 1, text))
}

fn of_passage(passage: &Passage) -> Vec<&'static str> {
    let rules = Rules::new();
    let sentences = passage.sentences();
    sentences.iter().flat_map(|sentence| rules.flags(sentence, passage)).map(|flag| flag.rule).collect()
}

/// Returns the sentences of a file, each with its kind, line and text.
fn sentences(name: &str, text: &str) -> Vec<(Kind, usize, String)> {
    let passages = super::files::passages(name, text);
    let of = |passage: &Passage| {
        let kind = passage.kind;
        passage.sentences().into_iter().map(move |sentence| (kind, sentence.line, sentence.text))
    };
    let mut sentences: Vec<_> = passages.iter().flat_map(of).collect();
    sentences.sort_by_key(|(_, line, _)| *line);
    sentences
}
