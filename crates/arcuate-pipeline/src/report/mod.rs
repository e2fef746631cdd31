//! Report of the results of a command: a single HTML file that contains all of its images and data.

mod anatomy;
mod maps;
mod responses;
mod scene;
mod tables;
mod tissue_ends;

use crate::figures::COMPARISON;
use crate::figures::{Figure as KeyFigure, shown};
use crate::job::Job;
use crate::judgement::{TRUTH, judge};
use crate::output_files::{Kind, Map, OutputFile, Picture};
use crate::record::{self, Iteration, Record, Table};
use crate::scan;
use crate::shell::shell_line;
use crate::stages::commit::DUALITY_GAP;
use crate::stages::evaluation::END_OF_FIT;
use crate::stages::life::RMSE_WITH;
use anatomy::Anatomy;
use arcuate_core::{Mask, Result, Volume, is_present};
use arcuate_io::{read_volume, read_weights};
use arcuate_report::{
    CircleFigure, Curve, CurveFigure, ExampleFigure, Figure, GradientFigure, HistogramFigure, InputFile,
    MapFigure, MatrixFigure, Report as Page, Section, SignalFigure, TableFigure, human,
};
use maps::{ReportContext, spread_of};
use rayon::prelude::*;
use scene::{SceneInputs, values_of};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use tables::{before_tables, curves, examples, gradients, matrix, shells, traces};

pub use anatomy::check as check_anatomy;

/// Maximum number of connections in a circle.
const MAX_CONNECTIONS: usize = 200;
/// File name of the report in a folder of results.
pub const FILE_NAME: &str = "report.html";

/// Creates the report of a folder of results. The report shows only the files that the record lists. Maps and
/// streamlines are drawn on the image `given`. If no image is given, they are drawn on the anatomical images
/// in the record.
pub fn render(folder: &Path, record: &Record, given: Option<&Path>, job: &Job) -> Result<String> {
    let anatomy = Anatomy::of(folder, record, given, job)?;
    let [summary, details] = figures(record);
    let mut page = Page {
        title: record.title.clone(),
        subtitle: shell_line(&record.command.iter().map(OsString::from).collect::<Vec<_>>()),
        created: record.created.clone(),
        judgements: judge(record),
        done: record.done.clone(),
        summary,
        details,
        warnings: record.warnings.clone(),
        convergence: convergence(record),
        lesions: lesions(record),
        sections: sections(&record.tables),
        inputs: record
            .inputs
            .iter()
            .map(|i| InputFile { path: PathBuf::from(&i.path), bytes: i.bytes, sha256: i.sha256.clone() })
            .collect(),
        options: options(record),
        versions: record.versions.0.clone(),
        timings: record.seconds.0.clone(),
        references: record.references.clone(),
        ..Page::default()
    };
    let is_aside = |file: &&OutputFile| {
        let map = file.picture.as_ref().map(|picture| &picture.kind);
        matches!(map, Some(Kind::Map(map)) if map.aside)
    };
    let (aside, first): (Vec<_>, Vec<_>) = record.files.iter().partition(is_aside);
    let regions = regions_of_inputs(record, job)?;
    let context = ReportContext { folder, anatomy: &anatomy, regions: &regions };
    // If the report has a section about the scan, the images of the scan already show the outline of the
    // mask.
    let has_scan = record.tables.iter().any(|table| table.section == scan::HEADING);
    let mut drawn = Vec::new();
    for file in first.into_iter().chain(aside) {
        let Some(picture) = &file.picture else { continue };
        let path = record::inside(folder, &file.name)?;
        if is_present(&path) && !(has_scan && picture.kind == Kind::Mask) {
            drawn.push((file, picture, path));
        }
    }
    for input in record.shown_inputs.iter().filter(|input| record.knows(&input.name, job)) {
        if let Some(picture) = input.picture.as_ref().filter(|picture| picture.kind != Kind::Mask) {
            drawn.push((input, picture, PathBuf::from(input.name.as_ref())));
        }
    }
    let inputs = SceneInputs::of(record, job);
    // All files are read at the same time. Their pictures are then added in order.
    let (scene, additions) = rayon::join(
        || scene::of(folder, record, &anatomy, &regions, &inputs),
        || {
            let read = drawn.par_iter().map(|(file, picture, path)| addition(file, picture, path, &context));
            // The vector has the results in order, so the first error is the same for any number of threads.
            read.collect::<Vec<Result<Addition<'_>>>>()
        },
    );
    for add in additions {
        add?(&mut page)?;
    }
    if let Some(place) = page.sections.iter().position(|section| section.title == scan::HEADING) {
        let mut scan = page.sections.remove(place);
        // The section about the scan shows figures before tables.
        scan.figures.sort_by_key(|figure| matches!(figure, Figure::Table(_)));
        page.scan = Some(scan);
    }
    let answers = |section: &Section| [COMPARISON, TRUTH].contains(&section.title.as_str());
    if let Some(place) = page.sections.iter().position(answers) {
        page.lead = Some(page.sections.remove(place));
    }
    if given.is_some() {
        page.maps.extend(anatomy.first());
    }
    page.viewer = scene?;
    arcuate_report::render(&page)
}

/// Returns two lists of named results: those that are marked as key figures, and all others. If no result is
/// marked, all are in the first list.
fn figures(record: &Record) -> [Vec<(String, String)>; 2] {
    let shown = |(name, figure): &(String, KeyFigure)| (name.clone(), figure.shown());
    let (key, others): (Vec<_>, Vec<_>) = record.figures.0.iter().partition(|(_, figure)| figure.key);
    if key.is_empty() {
        return [others.into_iter().map(shown).collect(), Vec::new()];
    }
    [key, others].map(|figures| figures.into_iter().map(shown).collect())
}

/// Reads the masks among the inputs that the report shows, which are seeds, waypoints and other regions.
/// Their outlines are drawn on sparse maps (maps that are 0 in most voxels). A file that has changed since
/// the command read it is omitted.
fn regions_of_inputs(record: &Record, job: &Job) -> Result<Vec<(String, Mask)>> {
    let mut regions = Vec::new();
    for input in &record.shown_inputs {
        let is_mask = input.picture.as_ref().is_some_and(|picture| picture.kind == Kind::Mask);
        if is_mask && record.knows(&input.name, job) {
            let volume = read_volume(Path::new(input.name.as_ref()))?;
            regions.push((input.title.to_string(), Mask::from_volume(&volume.channel(0))));
        }
    }
    Ok(regions)
}

/// Returns the section of a page with this heading. If the page has no such section, it is created.
fn section_of<'a>(page: &'a mut Page, title: &str) -> &'a mut Section {
    let known = page.sections.iter().position(|section| section.title == title);
    let place = known.unwrap_or_else(|| {
        page.sections.push(Section { title: title.to_owned(), ..Section::default() });
        page.sections.len() - 1
    });
    &mut page.sections[place]
}

/// Adds the picture of a file to a page.
type Addition<'a> = Box<dyn FnOnce(&mut Page) -> Result<()> + Send + 'a>;

/// Reads a result file. Returns a function that adds its picture to a page. Pictures are added in the order of the
/// files, but files are read at the same time.
fn addition<'a>(
    file: &'a OutputFile,
    picture: &'a Picture,
    path: &'a Path,
    context: &'a ReportContext<'_>,
) -> Result<Addition<'a>> {
    let of_maps = |maps: Option<MapFigure>| -> Addition<'a> {
        Box::new(move |page| {
            page.maps.extend(maps);
            Ok(())
        })
    };
    Ok(match &picture.kind {
        Kind::Map(map) => map_addition(file, picture, map, context)?,
        Kind::Mask => of_maps(Some(context.mask(file, picture)?)),
        Kind::Fibres { others, least } => of_maps(Some(context.fibres(file, picture, others, *least)?)),
        Kind::Tissues => of_maps(Some(maps::tissues(file, picture, path)?)),
        Kind::Distributions => of_maps(context.distributions(file, picture, path)?),
        Kind::Sticks => of_maps(context.sticks(file, picture, path)?),
        Kind::Counts { unit, of } => {
            let section = counts(file, picture, [unit, of], read_volume(path)?, context);
            Box::new(move |page| {
                page.sections.push(section);
                Ok(())
            })
        }
        Kind::Values { data, quantity, .. } => {
            let section = values(quantity, &picture.caption, values_of(path, data)?);
            Box::new(move |page| {
                page.sections.push(section);
                Ok(())
            })
        }
        // The interactive viewer shows streamlines and surfaces, so they have no picture here.
        Kind::Streamlines { .. } | Kind::Vertices { .. } => Box::new(|_| Ok(())),
        // All others are small.
        _ => Box::new(move |page| add(page, file, picture, path, context)),
    })
}

/// Adds the picture of a small result file to a page.
fn add(
    page: &mut Page,
    file: &OutputFile,
    picture: &Picture,
    path: &Path,
    context: &ReportContext<'_>,
) -> Result<()> {
    let (title, caption) = (|| file.title.to_string(), || picture.caption.to_string());
    match &picture.kind {
        Kind::Response { tissue } => responses::add(section_of(page, responses::HEADING), tissue, path)?,
        Kind::Gradients => {
            let figure = GradientFigure { title: title(), caption: caption(), shells: gradients(path)? };
            section_of(page, scan::HEADING).figures.push(Figure::Gradients(figure));
        }
        Kind::Weights { unit } => {
            let figure = HistogramFigure::of_weights(read_weights(path)?);
            let quantity =
                if unit.is_empty() { figure.quantity } else { format!("{}, {unit}", figure.quantity) };
            page.weights = Some(HistogramFigure { quantity, ..figure });
        }
        Kind::Matrix { quantity, regions, circle } => {
            let matrix = MatrixFigure {
                title: title(),
                caption: caption(),
                quantity: quantity.to_string(),
                ..matrix(path, &record::inside(context.folder, regions)?)?
            }
            .by_hemisphere()?;
            if *circle {
                let matrix = MatrixFigure { title: format!("{}, as a circle", file.title), ..matrix.clone() };
                page.connectome.push(Figure::Circle(CircleFigure { matrix, maximum: MAX_CONNECTIONS }));
            }
            page.connectome.push(Figure::Matrix(matrix));
        }
        Kind::Curves { over, step, columns } => {
            let columns = columns.iter().map(|[column, name]| (column.as_ref(), name.as_ref()));
            if let Some(figure) = curves(path, over, step, &columns.collect::<Vec<_>>())? {
                page.sections.push(Section {
                    title: title(),
                    paragraphs: vec![caption()],
                    figures: vec![Figure::Curve(CurveFigure { title: title(), ..figure })],
                });
            }
        }
        Kind::Signals { place, section } => {
            let figure = Figure::Signals(SignalFigure {
                title: title(),
                caption: caption(),
                place: place.to_string(),
                signal: format!("signal, {}", scan::SIGNAL_UNIT),
                shells: shells(path)?,
            });
            before_tables(section_of(page, section), [figure]);
        }
        Kind::Examples { section, map, models, voxels } => {
            let places: Vec<[usize; 3]> = voxels.iter().map(|voxel| voxel.at).collect();
            let located = if is_present(&record::inside(context.folder, map)?) {
                context.classes(map, models)?.locate(&places)?
            } else {
                vec![None; places.len()]
            };
            let of_voxels = examples(path, models, voxels)?.into_iter().zip(located);
            let figures =
                of_voxels.map(|(figure, located)| Figure::Example(ExampleFigure { located, ..figure }));
            before_tables(section_of(page, section), figures);
        }
        Kind::Traces { section, parameters, voxels } => {
            let figures = traces(file, path, parameters, voxels)?.into_iter().map(Figure::Traces);
            let section = section_of(page, section);
            if section.figures.is_empty() {
                section.paragraphs = vec![caption()];
            }
            section.figures.extend(figures);
        }
        // The function `addition` reads these files, or the interactive viewer shows them.
        Kind::Map(_)
        | Kind::Mask
        | Kind::Fibres { .. }
        | Kind::Tissues
        | Kind::Distributions
        | Kind::Sticks
        | Kind::Counts { .. }
        | Kind::Values { .. }
        | Kind::Streamlines { .. }
        | Kind::Vertices { .. } => {}
    }
    Ok(())
}

/// Reads a map. Returns a function that adds the map to a page, and its histogram if the map has one.
fn map_addition<'a>(
    file: &OutputFile,
    picture: &Picture,
    map: &'a Map,
    context: &ReportContext<'_>,
) -> Result<Addition<'a>> {
    let volume = context.read(&file.name)?;
    let histogram = (map.histogram && !map.aside).then(|| spread_of(file, map, &volume));
    let drawn = context.map(file, picture, map, volume)?;
    Ok(Box::new(move |page| {
        if map.section.is_empty() && map.aside {
            page.other_maps.extend(drawn);
        } else if map.section.is_empty() {
            page.maps.extend(drawn);
        } else if let Some(figure) = drawn {
            before_tables(section_of(page, &map.section), [Figure::Map(Box::new(figure))]);
        }
        if let Some(figure) = histogram {
            let section = section_of(page, SPREAD);
            section.paragraphs = vec!["Voxels where a map is not 0.".into()];
            section.figures.push(Figure::Histogram(figure));
        }
        Ok(())
    }))
}

/// Returns the names and values of the options that the user gave, then those of the choices that the command
/// made itself.
fn options(record: &Record) -> Vec<(String, String)> {
    let typed = record.options.0.iter().map(|(name, value)| (format!("--{name}"), shown(value)));
    typed.chain(record.choices.0.iter().cloned()).collect()
}

/// Heading of the section with histograms of maps.
const SPREAD: &str = "How values are spread";

/// Creates a section with a histogram of a quantity that has one value per streamline.
fn values(quantity: &str, text: &str, values: Vec<f64>) -> Section {
    Section {
        title: quantity.into(),
        paragraphs: vec![text.into()],
        figures: vec![Figure::Histogram(HistogramFigure {
            title: format!("{quantity} of the streamlines"),
            caption: String::new(),
            quantity: quantity.into(),
            counted: "streamlines".into(),
            values,
        })],
    }
}

/// Creates a section with a histogram of the nonzero values of an image of counts, and a figure of this
/// image.
fn counts(
    file: &OutputFile,
    picture: &Picture,
    [unit, counted]: [&str; 2],
    counts: Volume<f32>,
    context: &ReportContext<'_>,
) -> Section {
    let values: Vec<f64> = counts.values().iter().filter(|&&n| n > 0.0).map(|&n| f64::from(n)).collect();
    let map = context.counts(&file.title, counts, unit);
    Section {
        title: file.title.to_string(),
        paragraphs: vec![picture.caption.to_string()],
        figures: vec![
            Figure::Histogram(HistogramFigure {
                title: format!("{} in a {counted}", file.title),
                caption: String::new(),
                quantity: unit.into(),
                counted: format!("{counted}s"),
                values,
            }),
            Figure::Map(Box::new(map)),
        ],
    }
}

/// Describes the end of a solver's iterations: whether the solver converged, the objective, and the largest
/// possible distance of the objective from its minimum (the duality gap).
fn end_of_iterations(record: &Record, last: &Iteration) -> String {
    let figure = |wanted: &str| record.figures.0.iter().find(|(name, _)| name == wanted);
    let end = if figure(END_OF_FIT).is_some() { "Stopped before convergence" } else { "Converged" };
    let iterations = match last.number {
        1 => "1 iteration".to_owned(),
        number => format!("{} iterations", human::count(number as u64)),
    };
    let above = figure(DUALITY_GAP).and_then(|(_, gap)| gap.value.as_f64());
    let above = above
        .map_or_else(String::new, |gap| format!(", at most {} above the minimum", human::number(gap, 3)));
    format!("{end} after {iterations}; objective {}{above}.", human::number(last.objective, 3))
}

fn convergence(record: &Record) -> Option<CurveFigure> {
    // The solver FISTA computes the projected gradient and the duality gap only in some iterations. The
    // curves show only these iterations.
    let looks =
        record.convergence.iter().filter(|p| p.projected_gradient.is_some() || p.relative_residual.is_some());
    let points: Vec<&Iteration> = looks.collect();
    let curve = |name: &str, value: &dyn Fn(&Iteration) -> Option<f64>| Curve {
        name: name.into(),
        values: points.iter().map(|p| value(p).unwrap_or(f64::NAN)).collect(),
    };
    let mut curves = vec![curve("objective", &|p| Some(p.objective))];
    if points.iter().any(|p| p.projected_gradient.is_some()) {
        curves.push(curve("projected gradient, relative", &|p| p.projected_gradient));
    }
    if points.iter().any(|p| p.relative_gap.is_some()) {
        curves.push(curve("duality gap over objective", &|p| p.relative_gap));
    }
    if points.iter().any(|p| p.relative_residual.is_some()) {
        curves.push(curve("residual, relative", &|p| p.relative_residual));
    }
    // A solver of linear equations has a residual; its record does not state whether it converged.
    let last = record.convergence.last().filter(|last| last.relative_residual.is_none());
    let caption = last.map_or_else(
        || "How the solver approached its solution.".to_owned(),
        |last| end_of_iterations(record, last),
    );
    (points.len() > 1).then(|| CurveFigure {
        title: "Convergence".into(),
        caption,
        step: "iteration".into(),
        steps: points.iter().map(|p| p.number as f64).collect(),
        curves,
    })
}

fn lesions(record: &Record) -> Vec<TableFigure> {
    if record.lesions.is_empty() {
        return Vec::new();
    }
    let mean = record.figures.0.iter().find(|(name, _)| name.starts_with(RMSE_WITH));
    let unit = mean.map(|(_, figure)| format!(", {}", figure.unit)).unwrap_or_default();
    let rows = record.lesions.iter().map(|l| {
        vec![
            l.group.clone(),
            format!("{} of {}", l.supported, l.streamlines),
            l.voxels.to_string(),
            format!("{:.4}", l.rmse_with),
            format!("{:.4}", l.rmse_without),
            format!("{:.2}", l.strength_of_evidence),
            format!("{:.4}", l.earth_movers_distance),
        ]
    });
    vec![TableFigure {
        title: "Virtual lesions".into(),
        caption: "The increase of the error without a group of streamlines, in the voxels that it \
                  passes."
            .into(),
        columns: [
            "group".to_owned(),
            "supported streamlines".to_owned(),
            "voxels".to_owned(),
            format!("RMSE with{unit}"),
            format!("RMSE without{unit}"),
            "strength of evidence".to_owned(),
            format!("earth mover's distance{unit}"),
        ]
        .to_vec(),
        rows: rows.collect(),
    }]
}

/// Creates report sections from tables. Tables with the same heading are in the same section. If a table has
/// no rows, only its text is shown. The section about the comparison with the truth has several tables with
/// long texts, so each text is the caption of its table.
fn sections(tables: &[Table]) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for table in tables {
        let heading = if table.section.is_empty() { &table.title } else { &table.section };
        let has_captions = table.section == TRUTH && !table.rows.is_empty();
        let figure = Figure::Table(TableFigure {
            title: table.title.clone(),
            caption: if has_captions { table.text.clone() } else { String::new() },
            columns: table.columns.clone(),
            rows: table.rows.iter().map(|row| row.iter().map(shown).collect()).collect(),
        });
        let (text, figure) = (Some(&table.text), (!table.rows.is_empty()).then_some(figure));
        let paragraphs = text.filter(|text| !text.is_empty() && !has_captions).cloned();
        match sections.iter_mut().find(|section| section.title == *heading && !table.section.is_empty()) {
            Some(section) => {
                section.paragraphs.extend(paragraphs);
                section.figures.extend(figure);
            }
            None => sections.push(Section {
                title: heading.clone(),
                paragraphs: paragraphs.into_iter().collect(),
                figures: figure.into_iter().collect(),
            }),
        }
    }
    sections
}
