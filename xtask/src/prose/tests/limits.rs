//! Tests with more or fewer flagged sentences than the limits allow.

use super::super::limits::{Count, Counts, LIMITS, exceeded, totals};
use super::super::rules::RULES;
use super::*;

#[test]
fn limits_do_not_increase() {
    assert_eq!(LIMITS, [("long", 20)]);
    assert!(LIMITS.iter().all(|(rule, _)| RULES.iter().any(|(name, _)| name == rule)));
}

#[test]
fn one_sentence_exceeds_the_limit_of_most_rules() {
    assert_eq!(exceeded([]), "");
    for (rule, advice) in RULES.iter().filter(|(rule, _)| *rule != "long") {
        let line = format!("  {rule}: 1 sentences, the limit is 0; {advice}\n");
        assert_eq!(exceeded([vec![*rule]]), line);
    }
}

#[test]
fn sentences_count_up_to_the_limit_of_their_rule() {
    let (rule, limit) = LIMITS[0];
    assert_eq!(exceeded(vec![vec![rule]; limit]), "");
    let text = exceeded(vec![vec![rule, rule]; limit + 1]);
    assert!(
        text.starts_with(&format!("  {rule}: {} sentences, the limit is {limit}; ", limit + 1)),
        "{text}"
    );
    // A sentence counts once for each rule that it breaks.
    assert!(exceeded([vec![rule, "chain", rule]]).starts_with("  chain: 1 "));
}

#[test]
fn totals_are_sums_over_the_files() {
    let count = |sentences, flagged| Count { sentences, flagged, words: 10 * sentences };
    let counts = Counts::from([
        ("a.md".to_owned(), [(Kind::Docs, count(3, 1))].into()),
        ("b.rs".to_owned(), [(Kind::Docs, count(2, 1)), (Kind::Comments, count(4, 0))].into()),
    ]);
    assert_eq!(totals(&counts), [(Kind::Docs, count(5, 2)), (Kind::Comments, count(4, 0))].into());
}
