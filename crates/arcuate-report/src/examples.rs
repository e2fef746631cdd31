use crate::axis::Axis;
use crate::colours::{line_colour, line_key};
use crate::locate::LocatedVoxel;
use crate::plot::{Layout, Plot};
use crate::plot_width::{Drawing, PANEL};
use crate::signals::{Marks, SignalPoint, SignalShell, description};

/// A figure of a voxel in which several models were fitted. It shows the location of the voxel and, for each
/// model, a plot of measured and predicted signals. All plots have the same axes, so that models can be
/// compared.
#[derive(Debug, Clone, Default)]
pub struct ExampleFigure {
    /// The title of the figure. It can state why the voxel is an example.
    pub title: String,
    /// The caption of the figure. It may be empty.
    pub caption: String,
    /// The name of the voxel, such as its indices.
    pub voxel: String,
    /// The location of the voxel, from [`MapFigure::locate`](crate::MapFigure::locate).
    pub located: Option<LocatedVoxel>,
    /// The label of the horizontal axis. This axis extends from 0 to 1.
    pub place: String,
    /// The name of the measurements that have no horizontal position, such as b = 0. They are drawn
    /// separately at the left.
    pub apart: String,
    /// The label of the vertical axis: the signal, with its unit.
    pub signal: String,
    /// The models, with one plot each.
    pub panels: Vec<ExamplePanel>,
}

/// One model of an [`ExampleFigure`].
#[derive(Debug, Clone, Default)]
pub struct ExamplePanel {
    /// The name of the model.
    pub name: String,
    /// A short text about the goodness of fit of the model. It may be empty.
    pub note: String,
    /// The measurements of the voxel, grouped by shell. The shells are the same for all models.
    pub shells: Vec<SignalShell>,
}

/// The width reserved at the left for measurements without a horizontal position, in px. The next constant is
/// the height of the plots, in px.
const INSET: f64 = 56.0;
const HEIGHT: f64 = 160.0;
const HEIGHT_OF_DIFFERENCES: f64 = 80.0;
/// The maximum number of plots in a row.
const COLUMNS: usize = 4;

/// Returns the number of plots per row on a wide page. It is chosen so that all rows have about the same
/// number of plots.
fn columns(count: usize) -> usize {
    count.div_ceil(count.div_ceil(COLUMNS).max(1))
}

impl ExampleFigure {
    /// Draws the colour key, a picture of the voxel's location, and a plot for each model. Returns nothing if
    /// no signal of the voxel is finite.
    pub(crate) fn draw(&self) -> Vec<Drawing> {
        let shells = || self.panels.iter().flat_map(|panel| &panel.shells);
        let points = || shells().flat_map(|shell| &shell.measurements);
        let signals = || points().flat_map(|point| [point.measured, point.predicted]);
        let Some(first) = self.panels.first().filter(|_| signals().any(f64::is_finite)) else {
            return Vec::new();
        };
        let all = Axis::linear(signals().chain([0.0]));
        let differences = Axis::linear(points().map(|point| point.measured - point.predicted).chain([0.0]));
        let scale = Scale {
            frame: Plot::frame_of(&all, HEIGHT).max(Plot::frame_of(&differences, HEIGHT_OF_DIFFERENCES)),
            signals: all,
            differences,
            inset: if points().any(|point| point.place.is_none()) { INSET } else { 0.0 },
        };
        let count = self.panels.len() + usize::from(self.located.is_some());
        let mut html = format!(r#"<div class="panels of-{}">"#, columns(count));
        if let Some(located) = &self.located {
            html.push_str(&located.draw([&self.title, &self.voxel]));
        }
        for panel in &self.panels {
            html.push_str(&self.panel(panel, &scale));
        }
        html.push_str("</div>");
        let names: Vec<&str> = first.shells.iter().map(|shell| shell.name.as_str()).collect();
        let key = Drawing::of_plots(|plot_width| vec![line_key(plot_width, &names)]);
        key.into_iter().chain([Drawing::of_one(html)]).collect()
    }

    /// Draws a plot of the measured signals and the signals that a model predicts. Below it, draws a plot of
    /// their differences.
    fn panel(&self, panel: &ExamplePanel, scale: &Scale) -> String {
        let Scale { signals, differences, inset, frame } = scale;
        let across = || Axis::exactly(0.0, 1.0);
        let about = format!(
            "{}, {}: {}",
            panel.name,
            panel.note,
            description(&self.signal, &self.place, &panel.shells)
        );
        let heading = [panel.name.as_str(), panel.note.as_str()];
        let layout = Layout { width: PANEL, height: HEIGHT, inset: *inset, frame: *frame, heading };
        let mut upper = Plot::laid_out(&layout, (across(), signals.clone()), ["", &self.signal], &about);
        draw_shells(&panel.shells, &mut upper, *inset);
        let layout = Layout { height: HEIGHT_OF_DIFFERENCES, heading: ["", ""], ..layout };
        let labels = [self.place.as_str(), "measured less predicted"];
        let about = format!("{}: measured less predicted signals, by {}", panel.name, self.place);
        let mut lower = Plot::laid_out(&layout, (across(), differences.clone()), labels, &about);
        let (left, right, zero) = (lower.frame(), lower.x(1.0), lower.y(0.0));
        lower.svg.line("axis", left, zero, right, zero);
        draw_shells(&panel.differences(), &mut lower, *inset);
        if *inset > 0.0 {
            let middle = lower.frame() + 0.5 * (inset - 16.0);
            lower.svg.text("tick", middle, lower.bottom() + 18.0, "middle", &self.apart);
        }
        format!("<div>{}{}</div>", upper.svg.finish(), lower.svg.finish())
    }
}

/// The axes that all plots of a figure have in common.
struct Scale {
    signals: Axis,
    differences: Axis,
    inset: f64,
    frame: f64,
}

impl ExamplePanel {
    /// Returns the shells of measurements, in which the measured signals are replaced by differences
    /// (measured minus predicted signals).
    fn differences(&self) -> Vec<SignalShell> {
        let point = |point: &SignalPoint| SignalPoint {
            measured: point.measured - point.predicted,
            predicted: f64::NAN,
            ..*point
        };
        let shell = |shell: &SignalShell| SignalShell {
            name: shell.name.clone(),
            measurements: shell.measurements.iter().map(point).collect(),
        };
        self.shells.iter().map(shell).collect()
    }
}

fn draw_shells(shells: &[SignalShell], plot: &mut Plot, inset: f64) {
    for (n, shell) in shells.iter().enumerate() {
        let Marks { dots, dashes, stems, curve } = shell.marks(plot, inset);
        plot.svg.begin_colour(&line_colour(n, shells.len()));
        // All marks of one kind form one SVG path, because pages have many such plots.
        plot.svg.lines("stem", stems.iter().map(|[x, from, to]| [*x, *from, *x, *to]));
        plot.svg.lines("dots", dots.iter().map(|(x, y)| [*x, *y, *x, *y]));
        plot.svg.lines("predicted", dashes.iter().map(|[from, to, y]| [*from, *y, *to, *y]));
        if !curve.is_empty() {
            plot.svg.polyline("predicted", &curve);
        }
        plot.svg.end_colour();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shells(predicted: f64) -> Vec<SignalShell> {
        let point = |place, measured| SignalPoint { place, measured, predicted };
        let zeros = vec![point(None, 1.0), point(None, 1.1)];
        let others = (0..5).map(|n| point(Some(f64::from(n) / 4.0), 0.5)).collect();
        vec![
            SignalShell { name: "b 0".into(), measurements: zeros },
            SignalShell { name: "b 1000".into(), measurements: others },
        ]
    }

    fn figure(predicted: &[f64]) -> ExampleFigure {
        let panel = |(n, predicted): (usize, &f64)| ExamplePanel {
            name: format!("model {n}"),
            note: format!("ΔBIC {n}"),
            shells: shells(*predicted),
        };
        ExampleFigure {
            title: "typical".into(),
            apart: "b = 0".into(),
            panels: predicted.iter().enumerate().map(panel).collect(),
            ..ExampleFigure::default()
        }
    }

    #[test]
    fn every_model_has_a_plot_on_the_same_axes() {
        let drawn = figure(&[0.5, 4.0]).draw();
        let [key, panels] = &drawn[..] else { panic!("a key and the plots") };
        assert!(key.narrow.contains("b 1000") && panels.narrow == panels.wide);
        let plots: Vec<&str> = panels.wide.split("<svg").skip(1).collect();
        assert_eq!(plots.len(), 4);
        let [plots, differences] = [0, 1].map(|half| [plots[half], plots[2 + half]]);
        for (n, plot) in plots.iter().enumerate() {
            assert!(
                plot.contains(&format!(r#"class="heading" x="2" y="12" text-anchor="start">model {n}<"#))
            );
            assert!(plot.contains(&format!(">ΔBIC {n}<")) && plot.contains(">4<"));
            // The plot has two measurements in one SVG path and five measurements in another. It also has a
            // curve through five points, and two dashes.
            let dots: Vec<&str> = plot.split(r#"<path class="dots" d=""#).skip(1).collect();
            let count = |path: &str| path.split('"').next().unwrap().matches('M').count();
            assert_eq!(dots.iter().map(|path| count(path)).collect::<Vec<_>>(), [2, 5]);
            assert_eq!(plot.matches("<polyline").count(), 1);
        }
        // The measured signals have the same positions in the plots of all models.
        let dots = |plot: &str| {
            plot.split(r#"class="dots" d=""#).nth(2).unwrap().split('"').next().unwrap().to_owned()
        };
        assert_eq!(dots(plots[0]), dots(plots[1]));
        // The plots of differences have the same axes as the plots of signals. The differences of the first
        // model are at zero, and those of the second model are far below.
        for plot in differences {
            assert!(plot.contains(">b = 0<") && plot.contains(">−4<") && !plot.contains("predicted\""));
        }
        let height = |plot: &str| dots(plot)[1..].split([' ', 'L']).nth(1).unwrap().parse::<f64>().unwrap();
        let line = differences[0].split(r#"<line class="axis""#).nth(3).unwrap();
        let zero = line.split("y1=\"").nth(1).unwrap().split('"').next().unwrap().parse::<f64>().unwrap();
        assert!((height(differences[0]) - zero).abs() < 0.02 && height(differences[1]) > zero + 40.0);
    }

    #[test]
    fn rows_of_panels_have_similar_lengths() {
        assert_eq!([1, 2, 3, 4, 5, 6, 7, 8, 9].map(columns), [1, 2, 3, 4, 3, 3, 4, 4, 3]);
    }

    #[test]
    fn models_without_a_fit_have_only_dots() {
        let drawn = figure(&[0.5, f64::NAN]).draw();
        let plots: Vec<&str> = drawn[1].wide.split("<svg").skip(1).collect();
        let [upper, lower] = [plots[2], plots[3]];
        assert!(
            upper.contains("\"dots\"")
                && !upper.contains("class=\"predicted\"")
                && !lower.contains("\"dots\"")
        );
        assert!(!drawn[1].wide.contains("NaN"));
        assert!(figure(&[]).draw().is_empty());
    }
}
