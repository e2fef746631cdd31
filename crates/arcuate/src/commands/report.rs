use super::evaluate::commit;
use crate::context::Context;
use crate::output::require_file;
use crate::record::{Iteration, Record};
use arcuate_connect::regions_from_csv;
use arcuate_core::{Error, Result, Volume};
use arcuate_io::{read_tractogram, read_volume, read_weights, write_file};
use arcuate_report::{
    ColourScale, Curve, CurveFigure, Figure, HistogramFigure, InputFile, MapFigure, MatrixFigure,
    Report as Page, Section, TableFigure, ViewerScene,
};
use clap::Args;
use std::path::{Path, PathBuf};

/// Name of the page in a folder of results.
pub(crate) const FILE_NAME: &str = "report.html";

/// Make the report of a folder of results again
///
/// The folder is one that `arcuate run`, `tensor`, `evaluate` or `connectome` wrote. The page holds everything it
/// shows: it opens offline and asks the network for nothing.
#[derive(Debug, Args)]
pub(crate) struct Report {
    /// Folder of results
    folder: PathBuf,
    /// Page to write; report.html in the folder by default
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Report {
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        let path = self.out.clone().unwrap_or_else(|| self.folder.join(FILE_NAME));
        require_file(&path, &[], context.force)?;
        let record = Record::read(&self.folder)?;
        let page = context.step("report", |_| render(&self.folder, &record))?;
        write_file(&path, page)?;
        context.say(format_args!("report: {}", path.display()));
        Ok(())
    }
}

/// The page of a folder of results: everything the command wrote there that a report can show. What an earlier command
/// left in the folder is not shown.
pub(crate) fn render(folder: &Path, record: &Record) -> Result<String> {
    let found = |name: &str| {
        let written = record.files.iter().any(|file| file == name);
        Some(folder.join(name)).filter(|path| written && path.exists())
    };
    let image = |name: &str| found(name).map(|path| read_volume(&path)).transpose();
    let weights = found("life_weights.txt").or_else(|| found("commit_weights.txt"));
    let weights = weights.map(|path| read_weights(&path)).transpose()?;
    let mut sections: Vec<Section> = record.sections.iter().map(section).collect();
    sections.extend(lambda_curve(&found)?);
    sections.extend(image("commit_segments.nii.gz")?.map(segments));
    let page = Page {
        title: record.title.clone(),
        subtitle: record.command_line(),
        created: record.created.clone(),
        summary: record.summary.clone(),
        warnings: record.warnings.clone(),
        viewer: scene(&found, weights.as_deref())?,
        maps: maps(image)?,
        weights: weights.map(HistogramFigure::of_weights),
        convergence: convergence(record),
        lesions: lesions(record),
        connectome: connectome(&found)?,
        sections,
        inputs: record
            .inputs
            .iter()
            .map(|i| InputFile { path: PathBuf::from(&i.path), bytes: i.bytes, sha256: i.sha256.clone() })
            .collect(),
        options: record.options.clone(),
        versions: record.versions.clone(),
        timings: record.timings.clone(),
        references: record.references.clone(),
    };
    arcuate_report::render(&page)
}

fn maps(image: impl Fn(&str) -> Result<Option<Volume<f32>>>) -> Result<Vec<MapFigure>> {
    let mut maps = Vec::new();
    if let Some(volume) = image("colour_fa.nii.gz")? {
        maps.push(
            MapFigure::directions("Principal direction, weighted by FA", volume)
                .with_caption("Red: left to right. Green: front to back. Blue: up and down."),
        );
    }
    if let Some(volume) = image("fa.nii.gz")? {
        maps.push(MapFigure::scalar("Fractional anisotropy", volume, "").with_window(0.0, 1.0));
    }
    if let Some(volume) = image("md.nii.gz")? {
        // In the unit people speak: 1 µm²/ms is 1e-3 mm²/s.
        let volume = volume.map(|mm2_per_s| 1e3 * mm2_per_s);
        maps.push(MapFigure::scalar("Mean diffusivity", volume, "µm²/ms").with_window(0.0, 3.0));
    }
    if let Some(volume) = image("track_density.nii.gz")? {
        maps.push(
            MapFigure::scalar("Track density", volume, "streamlines").with_colours(ColourScale::Inferno),
        );
    }
    if let Some(volume) = image("mask.nii.gz")? {
        maps.push(
            MapFigure::scalar("Brain mask", volume, "")
                .with_window(0.0, 1.0)
                .with_caption("What was taken for brain: everything else was left out."),
        );
    }
    let (before, after) = (image("life_rmse_before.nii.gz")?, image("life_rmse_after.nii.gz")?);
    if let (Some(before), Some(after)) = (before, after) {
        let window = upper(&before);
        for (title, caption, volume) in [
            (
                "Error without streamlines",
                "Root mean square of the signal about its mean in each voxel.",
                before,
            ),
            ("Error with weighted streamlines", "What LiFE leaves, on the same scale.", after),
        ] {
            maps.push(
                MapFigure::scalar(title, volume, "")
                    .with_window(0.0, window)
                    .with_colours(ColourScale::Inferno)
                    .with_caption(caption),
            );
        }
    }
    for (name, title, caption) in [
        (
            "commit_intra_fraction.nii.gz",
            "Intra-axonal fraction",
            "What the streamlines of a voxel contribute to its signal at b = 0.",
        ),
        (
            "commit_extra_fraction.nii.gz",
            "Extra-axonal fraction",
            "What hindered water along the peaks contributes.",
        ),
        (
            "commit_isotropic_fraction.nii.gz",
            "Isotropic fraction",
            "What freely diffusing water contributes.",
        ),
    ] {
        if let Some(volume) = image(name)?
            && volume.values().iter().any(|&value| value > 0.0)
        {
            maps.push(MapFigure::scalar(title, volume, "").with_window(0.0, 1.0).with_caption(caption));
        }
    }
    for (name, title, caption) in [
        (
            "commit_rmse.nii.gz",
            "Error (RMSE)",
            "Root mean square of measured minus predicted samples, in the unit of the data.",
        ),
        (
            "commit_nrmse.nii.gz",
            "Relative error (NRMSE)",
            "The same over the root mean square of the samples.",
        ),
    ] {
        if let Some(volume) = image(name)? {
            let window = upper(&volume);
            maps.push(
                MapFigure::scalar(title, volume, "")
                    .with_window(0.0, window)
                    .with_colours(ColourScale::Inferno)
                    .with_caption(caption),
            );
        }
    }
    Ok(maps)
}

/// How many segments the voxels have, which is how the work is spread over them.
fn segments(counts: Volume<f32>) -> Section {
    let passed: Vec<f64> = counts.values().iter().filter(|&&n| n > 0.0).map(|&n| f64::from(n)).collect();
    Section {
        title: "Segments".into(),
        paragraphs: vec![
            "A segment is a straight piece of a streamline inside one voxel. Voxels without any are left out of the \
             histogram."
                .into(),
        ],
        figures: vec![
            Figure::Histogram(HistogramFigure {
                title: "Segments in a voxel".into(),
                caption: String::new(),
                quantity: "segments".into(),
                counted: "voxels".into(),
                values: passed,
            }),
            Figure::Map(Box::new(
                MapFigure::scalar("Segments", counts, "segments").with_colours(ColourScale::Inferno),
            )),
        ],
    }
}

/// What each penalty of a path left, where one was followed.
fn lambda_curve(found: &dyn Fn(&str) -> Option<PathBuf>) -> Result<Option<Section>> {
    let Some(path) = found(commit::CURVE) else { return Ok(None) };
    let text = std::fs::read_to_string(&path).map_err(|e| Error::read(&path, e))?;
    let mut rows = text.lines();
    let names: Vec<&str> = rows.next().unwrap_or_default().split(',').collect();
    let mut rows: Vec<Vec<f64>> = rows
        .map(|row| row.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect())
        .filter(|row: &Vec<f64>| row.len() == names.len())
        .collect();
    // Where the penalty asked for left nothing there is no path.
    if rows.len() < 2 {
        return Ok(None);
    }
    // The file has them in the order of the fits.
    rows.reverse();
    let column = |name: &str| -> Result<Vec<f64>> {
        let place = names.iter().position(|n| *n == name).ok_or_else(|| {
            let problem = format!("it has no column {name}");
            Error::invalid(path.display(), problem, "run the command again")
        })?;
        Ok(rows.iter().map(|row| row[place]).collect())
    };
    let curve = |name: &str, column: Vec<f64>| Curve { name: name.into(), values: column };
    Ok(Some(Section {
        title: "Path of penalties".into(),
        paragraphs: vec![
            "From the penalty asked for, at the left, to the smallest that leaves no streamline, each fit from the one \
             to its right."
                .into(),
        ],
        figures: vec![Figure::Curve(CurveFigure {
            title: "Path of penalties".into(),
            caption: String::new(),
            step: "log₁₀ of the penalty over the one asked for".into(),
            steps: column("factor")?.into_iter().map(f64::log10).collect(),
            curves: vec![
                curve("misfit ½‖y − Ax‖²", column("misfit")?),
                curve("supported streamlines", column("supported_streamlines")?),
            ],
        })],
    }))
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

fn scene(found: &dyn Fn(&str) -> Option<PathBuf>, weights: Option<&[f64]>) -> Result<Option<ViewerScene>> {
    let Some(tracks) = found("tracks_weighted.trx") else { return Ok(None) };
    let mut scene = ViewerScene::new();
    for (name, file, window) in [
        ("Fractional anisotropy", "fa.nii.gz", Some([0.0, 1.0])),
        ("Principal direction", "colour_fa.nii.gz", None),
    ] {
        if let Some(path) = found(file) {
            scene = scene.with_background(name, &read_volume(&path)?, window, "")?;
        }
    }
    let tractogram = read_tractogram(&tracks)?.tractogram;
    Ok(Some(scene.with_streamlines(&tractogram, weights)?))
}

fn convergence(record: &Record) -> Option<CurveFigure> {
    // FISTA looks at gradient and gap now and then: curves have the iterations where it did.
    let looks = record.convergence.iter().filter(|p| p.projected_gradient.is_some());
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
    (points.len() > 1).then(|| CurveFigure {
        title: "Convergence".into(),
        caption: "How the solver approached the best weights.".into(),
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

fn section(table: &crate::record::TableSection) -> Section {
    Section {
        title: table.title.clone(),
        paragraphs: vec![table.text.clone()],
        figures: vec![Figure::Table(TableFigure {
            title: table.title.clone(),
            caption: String::new(),
            columns: table.columns.clone(),
            rows: table.rows.clone(),
        })],
    }
}

/// The matrix of weights, or of counts where no streamline had a weight of its own, with the names of its regions.
fn connectome(found: &dyn Fn(&str) -> Option<PathBuf>) -> Result<Option<MatrixFigure>> {
    let files = ["connectome_weights.csv", "connectome_counts.csv", "connectome_regions.csv"].map(found);
    let [Some(weights), Some(counts), Some(regions)] = files else { return Ok(None) };
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|e| Error::read(path, e));
    let damaged = || Error::invalid(weights.display(), "it is no square matrix", "make the connectome again");
    let text = read(&weights)?;
    let values = text
        .lines()
        .flat_map(|line| line.split(','))
        .map(|cell| cell.trim().parse().map_err(|_| damaged()))
        .collect::<Result<Vec<f64>>>()?;
    let names: Vec<String> = regions_from_csv(&read(&regions)?)
        .map_err(|e| e.about(regions.display()))?
        .into_iter()
        .map(|(number, name)| if name.is_empty() { number.to_string() } else { name })
        .collect();
    if values.len() != names.len() * names.len() {
        return Err(damaged());
    }
    // Where no weights were given, each streamline weighs 1.
    let (caption, quantity) = if text == read(&counts)? {
        ("Number of streamlines between two regions.", "streamlines")
    } else {
        ("Sum of the weights of the streamlines between two regions.", "sum of weights")
    };
    Ok(Some(MatrixFigure {
        title: "Connectome".into(),
        caption: caption.into(),
        quantity: quantity.into(),
        names,
        values,
    }))
}
