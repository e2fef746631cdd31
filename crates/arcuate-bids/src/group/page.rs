//! Creates the HTML page of a cohort, `group.html`. The page has the layout of a report of a single run.
//! Plots that show all scans of the cohort are inserted into its sections.

use super::contents::Contents;
use super::html::Links;
use super::member::{MemberState, shown};
use super::plots::STYLES;
use super::sections::{self, Part};
use arcuate_core::{Error, Result};
use arcuate_report::{Report, Section, human, render};
use std::path::Path;

/// Creates the HTML page of a cohort as text. The page will be stored in `folder`. The page is one file that
/// loads no other file and needs no script.
pub(super) fn make(contents: &Contents<'_>, folder: &Path) -> Result<String> {
    let links = Links::new(contents.entries, folder);
    let (sections, pieces): (Vec<Section>, Vec<String>) =
        sections::all(contents, &links)?.into_iter().map(|Part { section, html }| (section, html)).unzip();
    let mut page = render(&Report { sections, ..head(contents) })?;
    put(&mut page, &["</style>"], STYLES, Side::Before)?;
    for (n, html) in pieces.iter().enumerate() {
        let section = format!("<section id=\"section-{}\">", n + 1);
        put(&mut page, &[&section, "<div class=\"figures\">"], html, Side::Behind)?;
    }
    Ok(page)
}

/// The side of a text of the page on which HTML is inserted: before or after the text.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Before,
    Behind,
}

/// Inserts HTML into a page, before or after the last of the texts `marks`. Marks are pieces of HTML in the
/// page. The first mark is searched for from the start of the page, and each other mark after the previous
/// one. Text from records cannot be mistaken for a mark, because each `<` in it is escaped.
fn put(page: &mut String, marks: &[&str], html: &str, side: Side) -> Result<()> {
    let (mut at, mut length) = (0, 0);
    for mark in marks {
        let Some(found) = page[at + length..].find(mark) else {
            let problem = format!(
                "the HTML page does not contain the text `{mark}`, at which the report inserts its content"
            );
            return Err(Error::invalid("report of a cohort", problem, "report this as a bug in Arcuate"));
        };
        (at, length) = (at + length + found, mark.len());
    }
    page.insert_str(if side == Side::Before { at } else { at + length }, html);
    Ok(())
}

/// Creates the report of the cohort without its sections.
fn head(contents: &Contents<'_>) -> Report {
    let scans = contents.entries.len();
    let done = contents.count(|state| *state == MemberState::Done);
    let failed = contents.count(|state| matches!(state, MemberState::Failed(_)));
    let running = contents.count(|state| *state == MemberState::Running);
    let missing = contents.count(|state| *state == MemberState::Missing);
    let number = |name: &str, count: usize| (name.to_owned(), human::count(count as u64));
    let mut summary = vec![
        number("participants", contents.participants()),
        number("scans", scans),
        number("done", done),
        number("failed", failed),
        number("missing", missing),
    ];
    if running > 0 {
        summary.push(number("running", running));
    }
    summary.push(number("scans that stand out", contents.outliers().len()));
    summary.push(number("scans with warnings", contents.with_warnings()));
    for (stack, _) in &contents.stacks {
        let name = stack.title("connectomes with the same regions");
        summary.push(number(&name, stack.correlations.len()));
    }
    let mut created: Vec<&str> = contents
        .entries
        .iter()
        .filter_map(|entry| entry.results.as_ref())
        .map(|one| one.created.as_str())
        .collect();
    created.sort_unstable();
    let created = match (created.first(), created.last()) {
        (Some(first), Some(last)) if first == last => format!("Run of {}", shown(first)),
        (Some(first), Some(last)) => format!("Runs of {} to {}", shown(first), shown(last)),
        _ => String::new(),
    };
    Report {
        title: "Report of a cohort".to_owned(),
        created,
        done: format!("{} of {} scans have results.", human::count(done as u64), human::count(scans as u64)),
        summary,
        warnings: warnings(contents, failed, missing),
        ..Report::default()
    }
}

/// Returns the warnings that the cohort page shows at its top.
fn warnings(contents: &Contents<'_>, failed: usize, missing: usize) -> Vec<String> {
    let mut warnings = Vec::new();
    let scans = |count: usize| match count {
        1 => "1 scan".to_owned(),
        count => format!("{} scans", human::count(count as u64)),
    };
    if failed > 0 {
        warnings.push(format!("{} failed: see ‘Without results’.", scans(failed)));
    }
    if missing > 0 {
        warnings.push(format!("{} not begun.", scans(missing)));
    }
    if let Some(versions) = contents.differences.iter().find(|one| one.name == "arcuate") {
        let names: Vec<String> = versions.values.iter().map(|(value, _)| shown(value)).collect();
        warnings.push(format!("Results are of different versions of Arcuate: {}.", names.join(", ")));
    }
    for (stack, _) in &contents.stacks {
        if !stack.left_out.is_empty() {
            let (count, which) =
                (scans(stack.left_out.len()), stack.title("connectomes with the same regions"));
            warnings.push(format!("{count} with results, but not among the {which}."));
        }
    }
    warnings
}
