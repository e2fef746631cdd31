//! The sections of the cohort page.

use super::contents::Contents;
use super::html::{Links, escape, table};
use super::matrices::LeftOut;
use super::member::{Entry, MemberState, shown};
use super::outliers::{FENCE, FEWEST, LARGEST_Z, Spread};
use super::plots::strip;
use super::stack::Stack;
use arcuate_core::{Result, printable};
use arcuate_pipeline::output_files::MAX_DRAWN_REGIONS;
use arcuate_report::{Figure, MatrixFigure, Section, TableFigure, human};
use std::collections::HashMap;

/// The maximum number of rows of a table on the cohort page, and the maximum number of scans that a row
/// names. The table of all scans has no limit.
const MAX_ROWS: usize = 500;
const NAMED: usize = 5;
/// The maximum number of characters of an error message or a warning in a table.
const LONGEST: usize = 400;

/// A section of the cohort page, with HTML that is inserted in addition. The section type of the reports of
/// single runs has no place for this HTML.
pub(super) struct Part {
    pub(super) section: Section,
    pub(super) html: String,
}

impl Part {
    fn new(title: &str, paragraphs: Vec<String>, html: String) -> Self {
        Self { section: Section { title: title.to_owned(), paragraphs, figures: Vec::new() }, html }
    }
}

/// Returns all sections that have contents.
pub(super) fn all(contents: &Contents<'_>, links: &Links) -> Result<Vec<Part>> {
    let mut parts =
        vec![not_done(contents.entries), Some(figures(contents, links)), outliers(contents, links)];
    for (stack, _) in &contents.stacks {
        parts.push(Some(connectomes(contents, stack, links)?));
    }
    parts.extend([
        differences(contents, links),
        warnings(contents.entries, links),
        times(contents, links),
        Some(scans(contents, links)),
    ]);
    Ok(parts.into_iter().flatten().collect())
}

/// Returns the section on scans without results. It states the reasons.
fn not_done(entries: &[Entry]) -> Option<Part> {
    let row = |entry: &Entry| {
        let why = match &entry.member.state {
            MemberState::Done => return None,
            MemberState::Failed(line) => printable(line, LONGEST),
            MemberState::Running => "it is worked on, or was left in the middle of its work".to_owned(),
            MemberState::Missing => "its run has not started".to_owned(),
        };
        Some(vec![entry.member.shown(), entry.member.state.word().to_owned(), why])
    };
    let rows: Vec<Vec<String>> = entries.iter().filter_map(row).collect();
    if rows.is_empty() {
        return None;
    }
    let columns = ["scan", "state", "why"].map(str::to_owned).to_vec();
    let table = TableFigure { title: "Scans without results".into(), caption: String::new(), columns, rows };
    let mut part = Part::new("Without results", Vec::new(), String::new());
    part.section.figures.push(Figure::Table(table));
    Some(part)
}

/// Returns the section that shows the distribution of each key figure.
fn figures(contents: &Contents<'_>, links: &Links) -> Part {
    let html: String = contents.figures.iter().filter_map(|figure| strip(figure, links)).collect();
    let mut paragraphs = vec![
        "Each point is a scan; hover over it for its name. The box spans the quartiles and shows the \
         median. Its whiskers end at the last values within 1.5 times the interquartile range."
            .to_owned(),
        format!(
            "A scan is named where its value lies more than {FENCE} times the distance of the quartiles beyond them (far), or where \
             its robust z is beyond ±{LARGEST_Z}: (value − median) / (1.4826 · MAD), MAD being the median distance from the median. \
             Fewer than {FEWEST} values are not tested. An outlier is not necessarily wrong: open its \
             report with the link of its name."
        ),
    ];
    if contents.undrawn > 0 {
        paragraphs
            .push(format!("{} more key figures are in the table phenotype/arcuate.tsv.", contents.undrawn));
    }
    if html.is_empty() {
        paragraphs = vec!["No scan has key figures yet.".to_owned()];
    }
    Part::new("Key figures", paragraphs, html)
}

/// Returns the section on scans that are outliers. For each of these scans, it lists the quantities whose
/// values are unusual.
fn outliers(contents: &Contents<'_>, links: &Links) -> Option<Part> {
    let mut counts: Vec<(usize, usize)> = contents.outliers().into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut text_of: HashMap<usize, Vec<String>> = HashMap::new();
    for of in contents.distributions() {
        for outlier in &of.outliers {
            let (value, reason) = (escape(&of.value(outlier.value)), outlier.reason());
            let text = format!("{}: {value} ({reason})", escape(&of.title));
            text_of.entry(outlier.entry).or_default().push(text);
        }
    }
    let row = |(entry, count): &(usize, usize)| {
        let text_of = text_of.get(entry).map(|texts| texts.join("<br>")).unwrap_or_default();
        vec![links.link(*entry), count.to_string(), text_of]
    };
    let rows: Vec<Vec<String>> = counts.iter().take(MAX_ROWS).map(row).collect();
    if rows.is_empty() {
        return None;
    }
    let columns = [("scan", false), ("in", true), ("values", false)];
    let html = table("Scans that stand out", &shortened(counts.len()), &columns, &rows);
    let text_of =
        "The values in which a scan is an outlier: key figures, its connectome, and the time of its \
         run."
            .to_owned();
    Some(Part::new("What stands out", vec![text_of], html))
}

/// Returns the sentence that is placed below a table if the table does not show all of its rows.
fn shortened(rows: usize) -> String {
    match rows {
        rows if rows <= MAX_ROWS => String::new(),
        rows => format!("The first {MAX_ROWS} of {}.", human::count(rows as u64)),
    }
}

/// Returns the section on the mean connectome of the cohort. It also shows the correlation of each member's
/// connectome with the mean of the other members.
fn connectomes(contents: &Contents<'_>, stack: &Stack, links: &Links) -> Result<Part> {
    let regions = &stack.regions;
    let (members, file) =
        (stack.correlations.len(), stack.path.file_name().unwrap_or_default().to_string_lossy());
    let mut paragraphs = vec![format!(
        "group/{file} holds the connectomes of {} scans with the same {} regions.",
        human::count(members as u64),
        human::count(regions.len() as u64)
    )];
    let correlations =
        contents.stacks.iter().find(|(of, _)| std::ptr::eq(*of, stack)).map(|(_, found)| found);
    let mut html = correlations.and_then(|found| strip(found, links)).unwrap_or_default();
    if !html.is_empty() {
        paragraphs.push(
            "A scan is compared with the mean of all others: Pearson’s correlation of the square roots, which keep a few large \
             connections from deciding alone, over all pairs of different regions."
                .to_owned(),
        );
    }
    if !stack.left_out.is_empty() {
        let row = |one: &LeftOut| vec![links.link(one.entry), escape(&printable(&one.reason, LONGEST))];
        let rows: Vec<Vec<String>> = stack.left_out.iter().take(MAX_ROWS).map(row).collect();
        let columns = [("scan", false), ("why", false)];
        html +=
            &table("Connectomes that are not among them", &shortened(stack.left_out.len()), &columns, &rows);
    }
    let mut part = Part::new(&stack.title("Connectomes"), paragraphs, html);
    if regions.len() > MAX_DRAWN_REGIONS {
        part.section.paragraphs.push("Their mean has too many regions to be drawn.".to_owned());
    } else {
        part.section.figures.push(Figure::Matrix(mean(stack)?));
    }
    Ok(part)
}

fn mean(stack: &Stack) -> Result<MatrixFigure> {
    let regions = &stack.regions;
    let name = |place: usize| regions.name(place).map_or_else(|| regions.numbers()[place].to_string(), shown);
    let quantity = if stack.measure == "counts" { "mean streamlines" } else { "mean sum of weights" };
    let figure = MatrixFigure {
        title: "Mean connectome".to_owned(),
        caption: format!("Mean of {} scans.", human::count(stack.correlations.len() as u64)),
        quantity: quantity.to_owned(),
        names: (0..regions.len()).map(name).collect(),
        values: stack.mean.clone(),
    };
    figure.by_hemisphere()
}

/// Returns the section that lists the settings which differ between scans.
fn differences(contents: &Contents<'_>, links: &Links) -> Option<Part> {
    let mut rows = Vec::new();
    for difference in &contents.differences {
        let name = escape(&shown(&difference.name));
        let mut first = Some(name);
        let mut add = |value: String, scans: String, who: String| {
            rows.push(vec![first.take().unwrap_or_default(), value, scans, who]);
        };
        if difference.values.is_empty() {
            add(format!("{} different values", difference.count), String::new(), String::new());
        }
        for (n, (value, scans)) in difference.values.iter().enumerate() {
            // For the most frequent value of a setting, the scans with this value are not named.
            let who = if n == 0 { String::new() } else { links.some(scans, NAMED) };
            add(escape(&printable(value, LONGEST)), human::count(scans.len() as u64), who);
        }
    }
    if rows.is_empty() {
        return None;
    }
    let caption = shortened(rows.len());
    rows.truncate(MAX_ROWS);
    let columns = [("what", false), ("value", false), ("scans", true), ("which", false)];
    let html = table("Settings that differ between scans", &caption, &columns, &rows);
    let text_of =
        "Differences in acquisition or processing can explain differences between scans.".to_owned();
    Some(Part::new("Settings that differ between scans", vec![text_of], html))
}

/// Returns the section on the warnings of the scans' runs. The most frequent warning is first.
fn warnings(entries: &[Entry], links: &Links) -> Option<Part> {
    let mut scans: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, entry) in entries.iter().enumerate() {
        for warning in entry.results.iter().flat_map(|results| &results.warnings) {
            let of_warning = scans.entry(warning).or_default();
            if of_warning.last() != Some(&place) {
                of_warning.push(place);
            }
        }
    }
    let mut warnings: Vec<(&str, Vec<usize>)> = scans.into_iter().collect();
    warnings.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then(a.1.cmp(&b.1)).then(a.0.cmp(b.0)));
    let row = |(warning, scans): &(&str, Vec<usize>)| {
        let count = human::count(scans.len() as u64);
        vec![escape(&printable(warning, LONGEST)), count, links.some(scans, NAMED)]
    };
    let rows: Vec<Vec<String>> = warnings.iter().take(MAX_ROWS).map(row).collect();
    if rows.is_empty() {
        return None;
    }
    let columns = [("warning", false), ("scans", true), ("which", false)];
    let html = table("Warnings of the runs", &shortened(warnings.len()), &columns, &rows);
    let text_of = "Identical warnings of several scans are one row.".to_owned();
    Some(Part::new("Warnings of runs", vec![text_of], html))
}

/// Returns the section on the processing times of the scans and of their processing steps.
fn times(contents: &Contents<'_>, links: &Links) -> Option<Part> {
    let mut parts: Vec<(&str, Vec<(usize, f64)>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (place, entry) in contents.entries.iter().enumerate() {
        for (name, seconds) in entry.results.iter().flat_map(|results| &results.seconds) {
            let at = *places.entry(name).or_insert_with(|| {
                parts.push((name, Vec::new()));
                parts.len() - 1
            });
            if seconds.is_finite() {
                parts[at].1.push((place, *seconds));
            }
        }
    }
    let row = |(name, of_scans): &(&str, Vec<(usize, f64)>)| {
        let spread = Spread::of(&of_scans.iter().map(|(_, seconds)| *seconds).collect::<Vec<_>>())?;
        let longest = of_scans.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(vec![
            escape(&shown(name)),
            human::count(spread.count as u64),
            human::seconds(spread.median),
            human::seconds(longest.1),
            links.link(longest.0),
        ])
    };
    let rows: Vec<Vec<String>> = parts.iter().filter_map(row).take(MAX_ROWS).collect();
    let picture = strip(&contents.times, links)?;
    let columns = [("part", false), ("scans", true), ("median", true), ("longest", true), ("of", false)];
    let html = picture + &table("Parts of the runs", &shortened(parts.len()), &columns, &rows);
    let text_of = "Times also depend on the load of the machine.".to_owned();
    Some(Part::new("Times", vec![text_of], html))
}

/// Returns the section with the table of all scans. The names of the scans are links to their reports.
fn scans(contents: &Contents<'_>, links: &Links) -> Part {
    let outliers = contents.outliers();
    let correlations: Vec<HashMap<usize, f64>> =
        contents.stacks.iter().map(|(stack, _)| stack.correlations.iter().copied().collect()).collect();
    let mut columns = vec![("scan", false), ("state", false), ("warnings", true), ("stands out in", true)];
    let headings: Vec<String> = match &contents.stacks[..] {
        [_] => vec!["correlation with the mean".to_owned()],
        stacks => stacks.iter().map(|(stack, _)| format!("correlation, {}", shown(&stack.name))).collect(),
    };
    columns.extend(headings.iter().map(|heading| (heading.as_str(), true)));
    columns.push(("time", true));
    let row = |(place, entry): (usize, &Entry)| {
        let results = entry.results.as_ref();
        let count = |number: usize| if number == 0 { String::new() } else { human::count(number as u64) };
        let mut row = vec![links.link(place), entry.member.state.word().to_owned()];
        row.push(results.map(|results| count(results.warnings.len())).unwrap_or_default());
        row.push(count(outliers.get(&place).copied().unwrap_or(0)));
        let correlation = |of: &HashMap<usize, f64>| of.get(&place).map(|value| human::number(*value, 3));
        row.extend(correlations.iter().map(|of| correlation(of).unwrap_or_default()));
        row.push(results.map(|results| human::seconds(results.total_seconds())).unwrap_or_default());
        row
    };
    let rows: Vec<Vec<String>> = contents.entries.iter().enumerate().map(row).collect();
    let caption = "The name is a link to the report of the scan, if there is one.";
    let mut paragraphs = vec!["The table phenotype/arcuate.tsv has all values of each scan.".to_owned()];
    if contents.without_scan > 0 {
        let count = human::count(contents.without_scan as u64);
        paragraphs.push(format!("Number of participants in participants.tsv without a scan here: {count}."));
    }
    Part::new("Scans", paragraphs, table("All scans", caption, &columns, &rows))
}
