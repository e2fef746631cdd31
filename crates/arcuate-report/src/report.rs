use crate::circle::CircleFigure;
use crate::curve::CurveFigure;
use crate::examples::ExampleFigure;
use crate::gradients::GradientFigure;
use crate::histogram::HistogramFigure;
use crate::map::MapFigure;
use crate::matrix::MatrixFigure;
use crate::responses::ResponseFigure;
use crate::signals::SignalFigure;
use crate::table::TableFigure;
use crate::traces::TraceFigure;
use crate::viewer::ViewerScene;
use std::path::PathBuf;

/// Everything a report shows. Whatever is empty or nothing is left out of the page; the rest keeps its order.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Heading of the page.
    pub title: String,
    /// A line under it, such as the command; may be empty.
    pub subtitle: String,
    /// When it was made, as text; may be empty. The report asks no clock, so that the same run makes the same page.
    pub created: String,
    /// What was done, in a sentence; may be empty.
    pub done: String,
    /// The few figures that matter: name and value.
    pub summary: Vec<(String, String)>,
    /// All other figures, folded away: name and value.
    pub details: Vec<(String, String)>,
    /// What the reader must know before believing the rest.
    pub warnings: Vec<String>,
    /// Streamlines over the anatomy, to turn and cut.
    pub viewer: Option<ViewerScene>,
    /// What the scan itself is like, before what was made of it.
    pub scan: Option<Section>,
    /// Images of the brain.
    pub maps: Vec<MapFigure>,
    /// Weights of the streamlines.
    pub weights: Option<HistogramFigure>,
    /// How the fit converged.
    pub convergence: Option<CurveFigure>,
    /// Evidence for groups of streamlines by virtual lesions.
    pub lesions: Vec<TableFigure>,
    /// Connections between regions, as matrices and pictures.
    pub connectome: Vec<Figure>,
    /// Whatever else a run has to show, each under a heading of its own.
    pub sections: Vec<Section>,
    /// Files that went in.
    pub inputs: Vec<InputFile>,
    /// Options of the run: name and value.
    pub options: Vec<(String, String)>,
    /// Programs and libraries: name and version.
    pub versions: Vec<(String, String)>,
    /// Parts of the run and how many seconds each took.
    pub timings: Vec<(String, f64)>,
    /// Papers to cite. Addresses of DOIs (`https://doi.org/…` or `doi:…`) become links.
    pub references: Vec<String>,
}

/// A part of a report under a heading of its own.
#[derive(Debug, Clone, Default)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// Paragraphs of plain text before the figures.
    pub paragraphs: Vec<String>,
    /// The figures.
    pub figures: Vec<Figure>,
}

/// A picture or table of any kind.
#[derive(Debug, Clone)]
pub enum Figure {
    /// An image of the brain.
    Map(Box<MapFigure>),
    /// How often which value occurs.
    Histogram(HistogramFigure),
    /// How a fit converged.
    Curve(CurveFigure),
    /// Measured and predicted signals of a voxel.
    Signals(SignalFigure),
    /// A voxel that several models were fitted in.
    Example(ExampleFigure),
    /// Samples of a voxel in their order.
    Traces(TraceFigure),
    /// The response function of a tissue.
    Response(ResponseFigure),
    /// A matrix over regions.
    Matrix(MatrixFigure),
    /// The strongest connections of a matrix, as arcs in a circle.
    Circle(CircleFigure),
    /// Directions of measurements on the sphere.
    Gradients(GradientFigure),
    /// Rows of text.
    Table(TableFigure),
}

/// A file that went into a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    /// Where it was.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256 checksum as 64 hexadecimal digits.
    pub sha256: String,
}
