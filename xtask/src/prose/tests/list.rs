//! Tests with files that have more or fewer flagged sentences than the list.

use super::super::baseline::{
    Comparison, Count, Counts, FILE, LIMIT_OF_PAGE, LIMITS, compare, lowered, read, write,
};
use super::*;

#[test]
fn limits_do_not_increase() {
    assert_eq!(LIMITS, [(Kind::Docs, 10), (Kind::Help, 10)]);
    assert_eq!(LIMIT_OF_PAGE, 25);
}

fn counts(list: &str) -> Counts {
    read(list).unwrap()
}

#[test]
fn lists_survive_a_round_trip() {
    let list = counts("# A comment.\n\na.rs | help 1/20, comments 2/3\nb.md | docs 0/5\n");
    let count = Count { sentences: 20, flagged: 1, words: 0 };
    assert_eq!(list["a.rs"][&Kind::Help], count);
    assert_eq!(counts(&write(&list)), list);
    for wrong in [
        "a.rs",
        "a.rs | docs",
        "a.rs | docs 3",
        "a.rs | docs 3/2",
        "a.rs | other 1/2",
        "a.rs | docs 1/2, docs 1/2",
    ] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
    assert!(read("a.rs | docs 1/2\na.rs | docs 1/2").unwrap_err().contains("twice"));
}

#[test]
fn files_with_more_flagged_sentences_are_rejected() {
    let list = counts("a.rs | comments 2/9\nb.md | docs 0/90");
    let comparison = compare(&list, &counts("a.rs | comments 3/50, strings 1/2\nb.md | docs 0/90"));
    assert_eq!(comparison.worse, [("a.rs".to_owned(), Kind::Comments), ("a.rs".to_owned(), Kind::Strings)]);
    assert!(comparison.errors.contains("a.rs: 3 flagged sentences (comments)"), "{}", comparison.errors);
    assert_eq!(compare(&list, &counts("a.rs | comments 2/2\nb.md | docs 0/90")), Comparison::default());
}

#[test]
fn a_new_file_must_be_plain_or_listed() {
    assert_eq!(compare(&counts(""), &counts("a.rs | comments 0/9")).errors, "");
    let comparison = compare(&counts(""), &counts("a.rs | comments 1/9"));
    assert!(comparison.errors.contains("list the new file with --update"), "{}", comparison.errors);
}

#[test]
fn a_list_that_can_be_lowered_is_noted() {
    let list = counts("a.rs | comments 2/9\ngone.rs | comments 3/3");
    let comparison = compare(&list, &counts("a.rs | comments 1/9"));
    assert_eq!(comparison.errors, "");
    assert!(comparison.notes.contains("allows 4 flagged sentences more"), "{}", comparison.notes);
}

#[test]
fn an_update_lowers_numbers_and_adds_new_files_only() {
    let list = counts("a.rs | comments 2/9, strings 0/2\nb.rs | comments 5/9\ngone.rs | comments 3/3");
    let now = counts("a.rs | comments 3/8, strings 1/3\nb.rs | comments 4/9\nnew.rs | comments 7/9");
    let expected = counts("a.rs | comments 2/8, strings 0/3\nb.rs | comments 4/9\nnew.rs | comments 7/9");
    assert_eq!(lowered(&list, &now), expected);
}

#[test]
fn limits_are_errors_if_the_list_keeps_them() {
    let (kept, exceeded) = (counts("a.md | docs 2/20"), counts("a.md | docs 6/20"));
    let error = compare(&kept, &exceeded).errors;
    assert!(error.contains("docs: 6 of 20 sentences are flagged; the limit is 10 %"), "{error}");
    assert!(error.contains("a.md: 6 of 20 sentences are flagged; the limit of a page is 25 %"), "{error}");
    let comparison = compare(&exceeded, &exceeded);
    assert_eq!(comparison.errors, "");
    assert!(
        comparison.notes.contains("the limit is 10 %")
            && comparison.notes.contains("the limit of a page is 25 %")
    );
    let help = compare(&counts("a.rs | help 9/90"), &counts("a.rs | help 9/80"));
    assert!(help.errors.contains("help: 9 of 80"), "{}", help.errors);
}

#[test]
fn the_tracked_list_can_be_read() {
    let list = std::fs::read_to_string(crate::process::root().join(FILE)).unwrap();
    let list = counts(&list);
    assert!(list.contains_key("README.md") && list.len() > 1000, "{} files", list.len());
}
