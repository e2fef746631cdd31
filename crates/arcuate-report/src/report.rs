use crate::circle::CircleFigure;
use crate::curve::CurveFigure;
use crate::examples::ExampleFigure;
use crate::gradients::GradientFigure;
use crate::histogram::HistogramFigure;
use crate::judgement::Judgement;
use crate::map::MapFigure;
use crate::matrix::MatrixFigure;
use crate::responses::ResponseFigure;
use crate::signals::SignalFigure;
use crate::table::TableFigure;
use crate::traces::TraceFigure;
use crate::viewer::ViewerScene;
use std::path::PathBuf;

/// The contents of a report. Empty parts are omitted from the page. The other parts keep their order.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The heading of the page.
    pub title: String,
    /// A line of text below the heading of the report, such as the command. It may be empty.
    pub subtitle: String,
    /// The creation time of the report as text. It may be empty. The program reads no clock while it renders
    /// the report, so that the same run creates the same page.
    pub created: String,
    /// Sentences about the result, each with a verdict, at the head of the page.
    pub judgements: Vec<Judgement>,
    /// A sentence about what was done. It may be empty.
    pub done: String,
    /// The key figures of the result, each with its name and value.
    pub summary: Vec<(String, String)>,
    /// All other figures of the result, each with its name and value. They are collapsed on the page.
    pub details: Vec<(String, String)>,
    /// Warnings that affect the interpretation of the results.
    pub warnings: Vec<String>,
    /// The scene that the interactive viewer shows: streamlines and maps over anatomical images.
    pub viewer: Option<ViewerScene>,
    /// The section with the answer to the question of the command. The page shows it before all other
    /// sections.
    pub lead: Option<Section>,
    /// The section with the properties of the scan. The page shows it before the results.
    pub scan: Option<Section>,
    /// The most important brain maps.
    pub maps: Vec<MapFigure>,
    /// Less important brain maps. They are collapsed on the page.
    pub other_maps: Vec<MapFigure>,
    /// A histogram of the streamlines' weights.
    pub weights: Option<HistogramFigure>,
    /// A figure of the convergence of the fit.
    pub convergence: Option<CurveFigure>,
    /// Evidence for groups of streamlines from virtual lesions.
    pub lesions: Vec<TableFigure>,
    /// Connections between regions, as matrices and diagrams.
    pub connectome: Vec<Figure>,
    /// Further results, each under a separate heading.
    pub sections: Vec<Section>,
    /// The input files of the run.
    pub inputs: Vec<InputFile>,
    /// The options of the run, each with its name and value.
    pub options: Vec<(String, String)>,
    /// The programs and libraries of the run, each with its name and version.
    pub versions: Vec<(String, String)>,
    /// The parts of the run, such as reading and fitting, each with its time in seconds.
    pub timings: Vec<(String, f64)>,
    /// References to papers. DOI addresses (`https://doi.org/…` or `doi:…`) become links.
    pub references: Vec<String>,
}

/// A part of a report with its own heading.
#[derive(Debug, Clone, Default)]
pub struct Section {
    /// The heading of the section.
    pub title: String,
    /// Paragraphs of plain text that precede the figures.
    pub paragraphs: Vec<String>,
    /// The figures of the section.
    pub figures: Vec<Figure>,
}

/// A figure of any kind.
#[derive(Debug, Clone)]
pub enum Figure {
    /// A brain map.
    Map(Box<MapFigure>),
    /// A histogram of values.
    Histogram(HistogramFigure),
    /// The convergence of a fit.
    Curve(CurveFigure),
    /// Measured and predicted signals of a voxel.
    Signals(SignalFigure),
    /// A figure of a voxel in which several models were fitted.
    Example(ExampleFigure),
    /// Sample traces of a voxel.
    Traces(TraceFigure),
    /// The response function of a tissue.
    Response(ResponseFigure),
    /// A matrix over regions.
    Matrix(MatrixFigure),
    /// A figure of the strongest connections of a matrix, as curves within a circle of regions.
    Circle(CircleFigure),
    /// Gradient directions on the sphere.
    Gradients(GradientFigure),
    /// A table with rows of text.
    Table(TableFigure),
}

/// An input file of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    /// The path of the file.
    pub path: PathBuf,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The SHA-256 checksum of the file, as text with 64 hexadecimal digits.
    pub sha256: String,
}
