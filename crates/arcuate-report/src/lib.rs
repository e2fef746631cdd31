//! Creates reports, each as one self-contained HTML page. This crate only draws the data that it receives.
//!
//! A [`Report`] is a list of typed figures ([`MapFigure`], [`HistogramFigure`], [`CurveFigure`],
//! [`SignalFigure`], [`TraceFigure`], [`ResponseFigure`], [`MatrixFigure`], [`CircleFigure`],
//! [`GradientFigure`], [`TableFigure`]). It also has a scene for the interactive viewer ([`ViewerScene`]),
//! and the provenance of the result. [`render`] creates one HTML file. A browser can open the file without a
//! network. The file makes no network requests and stays readable for years.

mod axis;
mod circle;
mod colours;
mod curve;
mod examples;
mod glyphs;
mod gradients;
mod groups;
mod hemispheres;
mod histogram;
pub mod human;
mod judgement;
mod locate;
mod map;
mod matrix;
mod mosaic;
mod outline;
mod page;
mod picture;
mod plot;
mod plot_width;
mod png;
mod report;
mod responses;
mod shown_streamlines;
mod signals;
mod slices;
mod stack;
mod stills;
mod svg;
mod table;
mod traces;
mod viewer;

pub use circle::CircleFigure;
pub use colours::ColourScale;
pub use curve::{Curve, CurveFigure};
pub use examples::{ExampleFigure, ExamplePanel};
pub use glyphs::Glyphs;
pub use gradients::{GradientFigure, GradientShell};
pub use histogram::HistogramFigure;
pub use judgement::{Judgement, Verdict};
pub use locate::LocatedVoxel;
pub use map::MapFigure;
pub use matrix::MatrixFigure;
pub use page::render;
pub use picture::MapPicture;
pub use report::{Figure, InputFile, Report, Section};
pub use responses::{ResponseFigure, ResponseShell};
pub use signals::{SignalFigure, SignalPoint, SignalShell};
pub use table::TableFigure;
pub use traces::{TraceFigure, TracePlot};
pub use viewer::{StreamlineQuantity, VertexValues, ViewerScene};
