use crate::circle::CircleFigure;
use crate::curve::CurveFigure;
use crate::examples::ExampleFigure;
use crate::gradients::GradientFigure;
use crate::histogram::HistogramFigure;
use crate::human;
use crate::judgement::Judgement;
use crate::map::{Extent, MapFigure};
use crate::matrix::MatrixFigure;
use crate::plot_width::Drawing;
use crate::report::{Figure, Report};
use crate::responses::ResponseFigure;
use crate::signals::SignalFigure;
use crate::stack::Store;
use crate::table::TableFigure;
use crate::traces::TraceFigure;
use crate::viewer::{Embedded, ViewerScene};
use arcuate_core::{Error, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use brotli_decompressor::Decompressor;
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Value, context};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::fmt::Display;
use std::io::Read;

const TEMPLATE: &str = include_str!("../template/report.html");
const STYLES: &str = include_str!("../template/report.css");
/// The compressed script of the interactive viewer, which `cargo xtask viewer` builds from the folder `viewer/`.
const VIEWER: &[u8] = include_bytes!("../template/viewer.js.br");
/// The script that draws slices and plots on the page. It is also built by `cargo xtask viewer`.
const FIGURES: &str = include_str!("../template/figures.js");

/// Identifier of the page's collapsed section that contains the less important maps.
const OTHER_MAPS: &str = "other-maps";

/// Decompresses the script of the interactive viewer.
fn viewer_script() -> Result<String> {
    let mut script = String::new();
    let read = Decompressor::new(VIEWER, 1 << 16).read_to_string(&mut script);
    read.map(|_| script).map_err(|error| mistake(&error))
}

/// Returns the error for a mistake in the parts of the page, which are in the program.
fn mistake(error: &dyn Display) -> Error {
    Error::invalid(
        "report",
        format!("the report's page cannot be written ({error})"),
        "report this as a bug in Arcuate",
    )
}

/// Renders a report as one HTML file that makes no network requests. The file contains all pictures, styles,
/// data and the viewer. Its content security policy forbids every request.
///
/// Returns an error if the numbers of a figure are inconsistent. Examples are a matrix that is not square,
/// and a map with the wrong number of channels. Also returns an error if the files of the viewer cannot be
/// written to the temporary folder.
pub fn render(report: &Report) -> Result<String> {
    let mut parts: Vec<Value> = Vec::new();
    let mut part = |id: &str, title: &str, paragraphs: &[String], figures: Vec<Value>| {
        if !figures.is_empty() || !paragraphs.is_empty() {
            let folded = id == OTHER_MAPS;
            parts.push(context! { id, title, paragraphs => texts(paragraphs), figures, folded });
        }
    };
    let maps: Vec<&MapFigure> = report.maps.iter().chain(&report.other_maps).collect();
    let sections = report.lead.iter().chain(&report.scan).chain(&report.sections);
    let in_sections = sections.flat_map(|section| &section.figures);
    let more = in_sections.filter(|figure| matches!(figure, Figure::Map(_))).count();
    let store = Store::for_maps(maps.len() + more);
    // All figures and the scene of the viewer are drawn at the same time. The page contains them in the order below.
    let draw_maps = || {
        let extents: Vec<Extent> = maps.par_iter().map(|map| map.extent()).collect();
        in_order(maps.par_iter().map(|map| draw_map(map, &extents, &store)))
    };
    let draw_sections = || {
        let sections: Vec<_> = report.lead.iter().chain(&report.scan).chain(&report.sections).collect();
        in_order(sections.par_iter().map(|section| draw_all(&section.figures, &store)))
    };
    let draw_scene = || {
        let embedded = report.viewer.as_ref().map(ViewerScene::embed).transpose()?;
        let script = embedded.as_ref().map(|_| viewer_script()).transpose()?;
        Ok::<_, Error>((embedded, script))
    };
    let (scene, (drawn_maps, (drawn_sections, connectome))) = rayon::join(draw_scene, || {
        let draw_others = || rayon::join(draw_sections, || draw_all(&report.connectome, &store));
        rayon::join(draw_maps, draw_others)
    });
    let ((embedded, viewer), mut drawn_maps) = (scene?, drawn_maps?);
    let drawn_other_maps = drawn_maps.split_off(report.maps.len());
    let mut drawn_sections = drawn_sections?.into_iter();
    let mut of_section = || drawn_sections.next().unwrap_or_default();
    if let Some(lead) = &report.lead {
        part("lead", &lead.title, &lead.paragraphs, of_section());
    }
    if let Some(scan) = &report.scan {
        part("scan", &scan.title, &scan.paragraphs, of_section());
    }
    part("maps", "Maps", &[], drawn_maps);
    let weights = report.weights.iter().map(draw_histogram);
    let convergence = report.convergence.iter().map(draw_curve);
    let fit = if report.weights.is_some() { "Streamline weights and fit" } else { "Fit" };
    part("fit", fit, &[], weights.chain(convergence).collect());
    part("lesions", "Evidence by virtual lesions", &[], report.lesions.iter().map(draw_table).collect());
    part("connectome", "Connectome", &[], connectome?);
    for (n, section) in report.sections.iter().enumerate() {
        part(&format!("section-{}", n + 1), &section.title, &section.paragraphs, of_section());
    }
    part(OTHER_MAPS, "Other maps", &[], drawn_other_maps);

    let has_figures = !parts.is_empty();
    let scripts: Vec<&str> = has_figures.then_some(FIGURES).into_iter().chain(viewer.as_deref()).collect();
    let inputs: Vec<_> = report
        .inputs
        .iter()
        .map(|file| {
            let size = human::bytes(file.bytes);
            context! { path => file.path.display().to_string(), size, sha256 => &file.sha256 }
        })
        .collect();
    let stacks: Vec<_> = store
        .into_files()
        .into_iter()
        .map(|(id, base64)| context! { id, base64 => Value::from_safe_string(base64) })
        .collect();
    let total =
        arcuate_core::statistics::total(report.timings.iter().map(|(_, s)| *s).filter(|s| s.is_finite()));
    let references: Vec<_> =
        report.references.iter().map(|text| Value::from_safe_string(link_doi(text))).collect();

    let mut environment = Environment::new();
    let failed = |error: minijinja::Error| mistake(&error);
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().map_err(failed)?;
    environment.set_syntax(syntax);
    environment.add_template("report.html", TEMPLATE).map_err(failed)?;
    let template = environment.get_template("report.html").map_err(failed)?;
    template
        .render(context! {
            title => &report.title,
            subtitle => &report.subtitle,
            created => &report.created,
            judgements => judgements(&report.judgements),
            done => &report.done,
            summary => pairs(&report.summary),
            details => pairs(&report.details),
            warnings => texts(&report.warnings),
            styles => Value::from_safe_string(STYLES.to_owned()),
            policy => Value::from_safe_string(policy(&scripts)),
            viewer => embedded.as_ref().map(Embedded::for_template),
            stacks,
            scripts => scripts.iter().map(|text| Value::from_safe_string((*text).to_owned())).collect::<Vec<_>>(),
            parts,
            inputs,
            options => pairs(&report.options),
            versions => pairs(&report.versions),
            timings => timings(&report.timings),
            total => human::seconds(total),
            references,
        })
        .map_err(failed)
}

/// Returns the content security policy of the page, which allows only these scripts.
fn policy(scripts: &[&str]) -> String {
    let hash = |text: &&str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())));
    let hashes: Vec<String> = scripts.iter().map(hash).collect();
    format!(
        "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src {}; connect-src data: blob:; \
         base-uri 'none'; form-action 'none'",
        if hashes.is_empty() { "'none'".to_owned() } else { hashes.join(" ") }
    )
}

/// Returns the name, the time and the width of the bar of each step, for the template.
fn timings(timings: &[(String, f64)]) -> Vec<Value> {
    let longest = timings.iter().map(|(_, s)| *s).filter(|s| s.is_finite()).fold(0.0, f64::max);
    let timing = |(name, seconds): &(String, f64)| {
        let share =
            if longest > 0.0 && seconds.is_finite() { (seconds / longest).clamp(0.0, 1.0) } else { 0.0 };
        let width = format!("{:.1}", 100.0 * share);
        context! { name, time => human::seconds(*seconds), width }
    };
    timings.iter().map(timing).collect()
}

fn judgements(judged: &[Judgement]) -> Vec<Value> {
    let for_template = |judgement: &Judgement| {
        let Judgement { sentence, verdict, criterion } = judgement;
        context! { sentence, verdict => verdict.name(), criterion }
    };
    judged.iter().map(for_template).collect()
}

fn texts(lines: &[String]) -> Vec<Value> {
    lines.iter().map(Value::from).collect()
}

fn pairs(rows: &[(String, String)]) -> Vec<Value> {
    rows.iter().map(|(name, value)| Value::from(vec![name.clone(), value.clone()])).collect()
}

/// Computes results in parallel, and returns them in order. If there are errors, the first of them is returned.
fn in_order<T: Send>(results: impl IndexedParallelIterator<Item = Result<T>>) -> Result<Vec<T>> {
    results.collect::<Vec<_>>().into_iter().collect()
}

fn draw_all(figures: &[Figure], store: &Store) -> Result<Vec<Value>> {
    let extents: Vec<Extent> = figures
        .par_iter()
        .filter_map(|figure| if let Figure::Map(map) = figure { Some(map.extent()) } else { None })
        .collect();
    let draw = |figure: &Figure| match figure {
        Figure::Map(map) => draw_map(map, &extents, store),
        Figure::Histogram(plot) => Ok(draw_histogram(plot)),
        Figure::Curve(plot) => Ok(draw_curve(plot)),
        Figure::Signals(plot) => Ok(draw_signals(plot)),
        Figure::Example(example) => Ok(draw_example(example)),
        Figure::Traces(plots) => Ok(draw_traces(plots)),
        Figure::Response(response) => Ok(draw_response(response)),
        Figure::Matrix(matrix) => draw_matrix(matrix),
        Figure::Circle(circle) => draw_circle(circle),
        Figure::Gradients(sphere) => Ok(draw_gradients(sphere)),
        Figure::Table(table) => Ok(draw_table(table)),
    };
    in_order(figures.par_iter().map(draw))
}

fn draw_map(map: &MapFigure, companions: &[Extent], store: &Store) -> Result<Value> {
    Ok(drawn(&map.title, &map.text(), "wide", [Drawing::of_one(map.draw(companions, store)?)]))
}

fn draw_histogram(plot: &HistogramFigure) -> Value {
    let caption = format!("{} {}", plot.caption, plot.remark());
    let draw = |plot_width| plot.draw(plot_width).into_iter().collect();
    drawn(&plot.title, caption.trim(), "narrow", Drawing::of_plots(draw))
}

fn draw_curve(plot: &CurveFigure) -> Value {
    drawn(&plot.title, &plot.caption, "narrow", Drawing::of_plots(|plot_width| plot.draw(plot_width)))
}

fn draw_signals(plot: &SignalFigure) -> Value {
    drawn(&plot.title, &plot.caption, "narrow", Drawing::of_plots(|plot_width| plot.draw(plot_width)))
}

fn draw_example(example: &ExampleFigure) -> Value {
    drawn(&example.title, &example.caption, "wide", example.draw())
}

fn draw_traces(plots: &TraceFigure) -> Value {
    drawn(&plots.title, &plots.caption, "narrow", Drawing::of_plots(|plot_width| plots.draw(plot_width)))
}

fn draw_response(response: &ResponseFigure) -> Value {
    drawn(&response.title, &response.caption, "wide", response.draw())
}

fn draw_matrix(matrix: &MatrixFigure) -> Result<Value> {
    Ok(drawn(&matrix.title, &matrix.caption, "wide", matrix.draw()?))
}

fn draw_circle(circle: &CircleFigure) -> Result<Value> {
    let caption = format!("{} {}", circle.matrix.caption, circle.remark());
    Ok(drawn(&circle.matrix.title, caption.trim(), "wide", circle.draw()?))
}

fn draw_gradients(sphere: &GradientFigure) -> Value {
    drawn(&sphere.title, &sphere.caption, "narrow", Drawing::of_plots(|plot_width| sphere.draw(plot_width)))
}

fn draw_table(table: &TableFigure) -> Value {
    let (title, caption) = (&table.title, &table.caption);
    context! { title, caption, kind => "wide", table => table.for_template() }
}

/// Returns a figure as the values that the page's template needs. Drawings are inserted as they are, because
/// their texts are already escaped.
fn drawn(title: &str, caption: &str, kind: &str, drawings: impl IntoIterator<Item = Drawing>) -> Value {
    let drawings: Vec<Value> =
        drawings.into_iter().map(|drawing| Value::from_safe_string(drawing.html())).collect();
    context! { title, caption, kind, drawings }
}

/// Escapes the text for HTML, and makes its first DOI a link. The browser makes a request only when the user
/// follows the link.
fn link_doi(text: &str) -> String {
    let escape = crate::svg::escape;
    let found =
        ["https://doi.org/", "doi:"].iter().find_map(|prefix| text.find(prefix).map(|at| (at, prefix.len())));
    let Some((at, prefix)) = found else {
        return escape(text);
    };
    let rest = &text[at + prefix..];
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let name = rest[..end].trim_end_matches(['.', ',', ';', ')']);
    if !name.starts_with("10.") {
        return escape(text);
    }
    let address = escape(&format!("https://doi.org/{name}"));
    let shown = escape(&text[at..at + prefix + name.len()]);
    let after = escape(&rest[name.len()..]);
    format!(r#"{}<a href="{address}" rel="noreferrer">{shown}</a>{after}"#, escape(&text[..at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dois_become_links() {
        assert_eq!(
            link_doi("Pestilli 2014. doi:10.1038/nmeth.3098."),
            r#"Pestilli 2014. <a href="https://doi.org/10.1038/nmeth.3098" rel="noreferrer">doi:10.1038/nmeth.3098</a>."#
        );
        assert!(link_doi("https://doi.org/10.1/\"onclick=x y").contains("10.1/&quot;onclick=x\""));
        assert_eq!(link_doi("doi:javascript:<b>"), "doi:javascript:&lt;b&gt;");
    }
}
