mod tables;

use crate::context::Context;
use crate::figures::{Figure as KeyFigure, shown};
use crate::invocation::shell_line;
use crate::output::require_file;
use crate::products::{Kind, Map, Picture, Product};
use crate::record::{self, Iteration, Record, Table};
use arcuate_core::{Error, Result, Volume};
use arcuate_io::{read_per_streamline, read_tractogram, read_volume, read_weights, write_file};
use arcuate_report::{
    ColourScale, Curve, CurveFigure, Figure, HistogramFigure, InputFile, MapFigure, MatrixFigure,
    Report as Page, Section, SignalFigure, StreamlineQuantity, TableFigure, ViewerScene,
};
use clap::Args;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use tables::{curves, matrix, shells, traces};

/// Name of the page in a folder of results.
pub(crate) const FILE_NAME: &str = "report.html";

/// Make the report of a folder of results again, or of a result that is a file
///
/// The folder is one that a command wrote, with its arcuate.json; a file has its record beside it, as image.nii.gz has
/// image.nii.gz.json. The page holds everything it shows: it opens offline and asks the network for nothing.
#[derive(Debug, Args)]
pub(crate) struct Report {
    /// Folder of results, or a result with its record beside it
    result: PathBuf,
    /// Page to write; by default report.html in the folder, or NAME.html beside the file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Report {
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        let is_file = self.result.is_file();
        let default = || {
            if is_file { record::beside_as(&self.result, "html") } else { self.result.join(FILE_NAME) }
        };
        let path = self.out.clone().unwrap_or_else(default);
        let (beside, folder) = if is_file {
            (record::beside(&self.result), self.result.parent().unwrap_or(Path::new("")))
        } else {
            (self.result.join(record::FILE_NAME), self.result.as_path())
        };
        let record = Record::read_from(&beside)?;
        let mut inputs = record.named_files(folder);
        // The page itself is a result of `run`.
        inputs.retain(|file| *file != folder.join(FILE_NAME));
        inputs.extend([beside, self.result.clone()].into_iter().filter(|path| path.is_file()));
        require_file(&path, &inputs, context)?;
        let page = context.step("report", |_| render(folder, &record))?;
        write_file(&path, page)?;
        context.say(format_args!("report: {}", path.display()));
        Ok(())
    }
}

/// The page of a folder of results: every file that its record shows, as the record says. What else lies in the folder is not
/// shown.
pub(crate) fn render(folder: &Path, record: &Record) -> Result<String> {
    let mut page = Page {
        title: record.title.clone(),
        subtitle: shell_line(&record.command.iter().map(OsString::from).collect::<Vec<_>>()),
        created: record.created.clone(),
        summary: record.figures.0.iter().map(|(name, f)| (name.clone(), KeyFigure::shown(f))).collect(),
        warnings: record.warnings.clone(),
        viewer: scene(folder, record)?,
        maps: Vec::new(),
        weights: None,
        convergence: convergence(record),
        lesions: lesions(record),
        connectome: None,
        sections: record.tables.iter().map(section).collect(),
        inputs: record
            .inputs
            .iter()
            .map(|i| InputFile { path: PathBuf::from(&i.path), bytes: i.bytes, sha256: i.sha256.clone() })
            .collect(),
        options: options(record),
        versions: record.versions.0.clone(),
        timings: record.seconds.0.clone(),
        references: record.references.clone(),
    };
    let is_aside = |file: &&Product| {
        let map = file.picture.as_ref().map(|picture| &picture.kind);
        matches!(map, Some(Kind::Map(map)) if map.aside)
    };
    let (aside, first): (Vec<_>, Vec<_>) = record.files.iter().partition(is_aside);
    for file in first.into_iter().chain(aside) {
        let Some(picture) = &file.picture else { continue };
        let path = record::inside(folder, &file.name)?;
        if path.exists() {
            add(&mut page, file, picture, &path, folder)?;
        }
    }
    arcuate_report::render(&page)
}

/// Adds the picture of a file to a page.
fn add(page: &mut Page, file: &Product, picture: &Picture, path: &Path, folder: &Path) -> Result<()> {
    let title = || file.title.to_string();
    match &picture.kind {
        Kind::Map(map) => {
            page.maps.extend(draw_map(file, picture, map, path, folder)?);
            if map.histogram {
                let figure = Figure::Histogram(spread_of(file, map, &read_volume(path)?));
                match page.sections.iter_mut().find(|section| section.title == SPREAD) {
                    Some(section) => section.figures.push(figure),
                    None => page.sections.push(Section {
                        title: SPREAD.into(),
                        paragraphs: vec!["Voxels where a map is not 0.".into()],
                        figures: vec![figure],
                    }),
                }
            }
        }
        Kind::Counts { unit, of } => {
            page.sections.push(counts(&file.title, &picture.caption, unit, of, read_volume(path)?));
        }
        Kind::Weights => page.weights = Some(HistogramFigure::of_weights(read_weights(path)?)),
        Kind::Matrix { quantity, regions } => {
            page.connectome = Some(MatrixFigure {
                title: title(),
                caption: picture.caption.to_string(),
                quantity: quantity.to_string(),
                ..matrix(path, &record::inside(folder, regions)?)?
            });
        }
        Kind::Curves { over, step, columns } => {
            let columns = columns.iter().map(|[column, name]| (column.as_ref(), name.as_ref()));
            if let Some(figure) = curves(path, over, step, &columns.collect::<Vec<_>>())? {
                page.sections.push(Section {
                    title: title(),
                    paragraphs: vec![picture.caption.to_string()],
                    figures: vec![Figure::Curve(CurveFigure { title: title(), ..figure })],
                });
            }
        }
        Kind::Signals { place, section } => {
            let shells = shells(path)?;
            let figure = Figure::Signals(SignalFigure {
                title: title(),
                caption: picture.caption.to_string(),
                place: place.to_string(),
                signal: "signal".into(),
                shells,
            });
            match page.sections.iter_mut().find(|known| known.title == *section) {
                Some(known) => {
                    // After other pictures and before tables.
                    let is_table = |figure: &Figure| matches!(figure, Figure::Table(_));
                    let place = known.figures.iter().position(is_table).unwrap_or(known.figures.len());
                    known.figures.insert(place, figure);
                }
                None => page.sections.push(Section {
                    title: section.to_string(),
                    paragraphs: Vec::new(),
                    figures: vec![figure],
                }),
            }
        }
        Kind::Traces { section, parameters, voxels } => {
            let figures = traces(file, path, parameters, voxels)?.into_iter().map(Figure::Traces);
            match page.sections.iter_mut().find(|known| known.title == *section) {
                Some(known) => known.figures.extend(figures),
                None => page.sections.push(Section {
                    title: section.to_string(),
                    paragraphs: vec![picture.caption.to_string()],
                    figures: figures.collect(),
                }),
            }
        }
        Kind::Values { data, quantity, .. } => {
            page.sections.push(values(quantity, &picture.caption, values_of(path, data)?));
        }
        // The viewer has them.
        Kind::Streamlines { .. } => {}
    }
    Ok(())
}

/// Options as they were typed, then what the command chose by itself.
fn options(record: &Record) -> Vec<(String, String)> {
    let typed = record.options.0.iter().map(|(name, value)| (format!("--{name}"), shown(value)));
    typed.chain(record.choices.0.iter().cloned()).collect()
}

/// A map, unless there is nothing to be seen.
fn draw_map(
    file: &Product,
    picture: &Picture,
    map: &Map,
    path: &Path,
    folder: &Path,
) -> Result<Option<MapFigure>> {
    let volume = read_volume(path)?;
    if volume.values().iter().all(|value| *value == 0.0 || value.is_nan()) {
        return Ok(None);
    }
    if map.directions {
        // Of directions the sign means nothing.
        let figure = MapFigure::directions(file.title.as_ref(), volume.map(f32::abs));
        return Ok(Some(figure.with_caption(picture.caption.as_ref())));
    }
    if !map.classes.is_empty() {
        let names = map.classes.iter().map(ToString::to_string).collect();
        let figure = MapFigure::classes(file.title.as_ref(), volume, names);
        return Ok(Some(figure.with_caption(picture.caption.as_ref())));
    }
    let window = match (&map.window, &map.window_of) {
        (Some(window), _) => Some(*window),
        (None, Some(name)) if *name == file.name => Some([0.0, upper(&volume)]),
        (None, Some(name)) => Some([0.0, upper(&read_volume(&record::inside(folder, name)?)?)]),
        (None, None) => None,
    };
    let volume = match map.factor {
        Some(factor) => volume.map(|value| factor * value),
        None => volume,
    };
    let mut figure = MapFigure::scalar(file.title.as_ref(), volume, map.unit.as_ref());
    if let Some([low, high]) = window {
        figure = figure.with_window(low, high);
    }
    if map.heat {
        figure = figure.with_colours(ColourScale::Inferno);
    }
    Ok(Some(figure.with_caption(picture.caption.as_ref())))
}

/// The section of histograms of maps.
const SPREAD: &str = "How values are spread";

/// How the values of a map are spread over the voxels that have any.
fn spread_of(file: &Product, map: &Map, volume: &Volume<f32>) -> HistogramFigure {
    let factor = f64::from(map.factor.unwrap_or(1.0));
    let values =
        volume.values().iter().filter(|value| **value != 0.0).map(|value| factor * f64::from(*value));
    let quantity =
        if map.unit.is_empty() { file.title.to_string() } else { format!("{}, {}", file.title, map.unit) };
    HistogramFigure {
        title: file.title.to_string(),
        caption: String::new(),
        quantity,
        counted: "voxels".into(),
        values: values.collect(),
    }
}

/// The numbers of streamlines that a tractogram has under a name.
fn values_of(path: &Path, data: &str) -> Result<Vec<f64>> {
    let column = read_per_streamline(path, data)?.filter(|column| column.width() == 1);
    column.map(|column| column.values().to_f64()).ok_or_else(|| {
        let problem = format!("it has no number `{data}` of each streamline");
        Error::invalid(path.display(), problem, "run the command again")
    })
}

/// How numbers of streamlines are spread.
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

/// How counts are spread over the voxels that have any.
fn counts(title: &str, text: &str, unit: &str, counted: &str, counts: Volume<f32>) -> Section {
    let values: Vec<f64> = counts.values().iter().filter(|&&n| n > 0.0).map(|&n| f64::from(n)).collect();
    let map = MapFigure::scalar(title, counts, unit).with_colours(ColourScale::Inferno);
    Section {
        title: title.into(),
        paragraphs: vec![text.into()],
        figures: vec![
            Figure::Histogram(HistogramFigure {
                title: format!("{title} in a {counted}"),
                caption: String::new(),
                quantity: unit.into(),
                counted: format!("{counted}s"),
                values,
            }),
            Figure::Map(Box::new(map)),
        ],
    }
}

/// The 99th percentile of the values that are numbers: the end of a scale that two maps share.
fn upper(volume: &Volume<f32>) -> f32 {
    let mut values: Vec<f32> = volume.values().iter().copied().filter(|v| v.is_finite()).collect();
    if values.is_empty() {
        return 1.0;
    }
    let place = (values.len() - 1) * 99 / 100;
    *values.select_nth_unstable_by(place, f32::total_cmp).1
}

/// The last of the tractograms that the record shows, before the images that it has as backdrops.
fn scene(folder: &Path, record: &Record) -> Result<Option<ViewerScene>> {
    let mut tracks = None;
    let mut scene = ViewerScene::new();
    for file in &record.files {
        let Some(Picture { kind, .. }) = &file.picture else { continue };
        let path = record::inside(folder, &file.name)?;
        match kind {
            _ if !path.exists() => {}
            Kind::Streamlines { .. } | Kind::Values { .. } => tracks = Some((path, kind)),
            Kind::Map(map) if map.backdrop => {
                scene = scene.with_background(
                    file.title.as_ref(),
                    &read_volume(&path)?,
                    map.window,
                    map.unit.as_ref(),
                )?;
            }
            _ => {}
        }
    }
    let Some((path, kind)) = tracks else { return Ok(None) };
    let quantity = match kind {
        Kind::Streamlines { weights: Some(name) } => {
            Some(StreamlineQuantity::weights(read_weights(&record::inside(folder, name)?)?))
        }
        Kind::Values { data, name, .. } => Some(StreamlineQuantity {
            name: name.to_string(),
            values: values_of(&path, data)?,
            logarithmic: false,
            at_start: true,
        }),
        _ => None,
    };
    let tractogram = read_tractogram(&path)?.tractogram;
    Ok(Some(scene.with_streamlines(&tractogram, quantity.as_ref())?))
}

fn convergence(record: &Record) -> Option<CurveFigure> {
    // FISTA looks at gradient and gap now and then: curves have the iterations where it did.
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
    (points.len() > 1).then(|| CurveFigure {
        title: "Convergence".into(),
        caption: "How the solver approached its solution.".into(),
        step: "iteration".into(),
        steps: points.iter().map(|p| p.number as f64).collect(),
        curves,
    })
}

fn lesions(record: &Record) -> Vec<TableFigure> {
    if record.lesions.is_empty() {
        return Vec::new();
    }
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
        caption: "How much worse the signal is explained without a group, in the voxels it passes.".into(),
        columns: [
            "group",
            "supported streamlines",
            "voxels",
            "RMSE with",
            "RMSE without",
            "strength of evidence",
            "earth mover's distance",
        ]
        .map(String::from)
        .to_vec(),
        rows: rows.collect(),
    }]
}

fn section(table: &Table) -> Section {
    Section {
        title: table.title.clone(),
        paragraphs: vec![table.text.clone()],
        figures: vec![Figure::Table(TableFigure {
            title: table.title.clone(),
            caption: String::new(),
            columns: table.columns.clone(),
            rows: table.rows.iter().map(|row| row.iter().map(shown).collect()).collect(),
        })],
    }
}
