use crate::axis::Axis;
use crate::colours::{line_colour, line_key};
use crate::locate::LocatedVoxel;
use crate::plot::Plot;
use crate::room::{Drawing, PANEL};
use crate::signals::{Marks, SignalShell, description};

/// A voxel that several models were fitted in: where it is, and beside that for each model a plot of what was measured and what
/// the model predicts. All plots have the same axes, so that models can be compared.
#[derive(Debug, Clone, Default)]
pub struct ExampleFigure {
    /// What is shown, such as what the voxel is an example of.
    pub title: String,
    /// What a reader should know about it; may be empty.
    pub caption: String,
    /// What the voxel is called, such as its indices.
    pub voxel: String,
    /// Where it is: [`MapFigure::locate`](crate::MapFigure::locate).
    pub located: Option<LocatedVoxel>,
    /// What places are; written at the horizontal axis, which goes from 0 to 1.
    pub place: String,
    /// What measurements without a place have in common, which stand apart at the left.
    pub apart: String,
    /// What signals are, with their unit; written at the vertical axis.
    pub signal: String,
    /// The models.
    pub panels: Vec<ExamplePanel>,
}

/// One model of an [`ExampleFigure`].
#[derive(Debug, Clone, Default)]
pub struct ExamplePanel {
    /// The model.
    pub name: String,
    /// How well it describes the voxel, in a few words; may be empty.
    pub note: String,
    /// The measurements, by shells that are the same for all models.
    pub shells: Vec<SignalShell>,
}

/// Room at the left for measurements without a place, and the height of a plot, in px.
const INSET: f64 = 56.0;
const HEIGHT: f64 = 190.0;

impl ExampleFigure {
    /// The key of the colours, and where the voxel is with a plot for each model; nothing where no signal is a number.
    pub(crate) fn draw(&self) -> Vec<Drawing> {
        let shells = || self.panels.iter().flat_map(|panel| &panel.shells);
        let points = || shells().flat_map(|shell| &shell.measurements);
        let signals = || points().flat_map(|point| [point.measured, point.predicted]);
        let Some(first) = self.panels.first().filter(|_| signals().any(f64::is_finite)) else {
            return Vec::new();
        };
        let vertical = Axis::linear(signals().chain([0.0]));
        let inset = if points().any(|point| point.place.is_none()) { INSET } else { 0.0 };
        let mut html = r#"<div class="panels">"#.to_owned();
        if let Some(located) = &self.located {
            html.push_str(&located.draw([&self.title, &self.voxel]));
        }
        for panel in &self.panels {
            html.push_str(&self.plot(panel, &vertical, inset));
        }
        html.push_str("</div>");
        let names: Vec<&str> = first.shells.iter().map(|shell| shell.name.as_str()).collect();
        let key = Drawing::of_plots(|room| vec![line_key(room, &names)]);
        key.into_iter().chain([Drawing::of_one(html)]).collect()
    }

    fn plot(&self, panel: &ExamplePanel, vertical: &Axis, inset: f64) -> String {
        let axes = (Axis::exactly(0.0, 1.0), vertical.clone());
        let labels = [self.place.as_str(), self.signal.as_str()];
        let about = format!(
            "{}, {}: {}",
            panel.name,
            panel.note,
            description(&self.signal, &self.place, &panel.shells)
        );
        let heading = [panel.name.as_str(), panel.note.as_str()];
        let mut plot = Plot::headed(PANEL, HEIGHT, axes, labels, &about, inset, heading);
        if inset > 0.0 {
            let middle = plot.frame() + 0.5 * (inset - 16.0);
            plot.svg.text("tick", middle, plot.bottom() + 18.0, "middle", &self.apart);
        }
        for (n, shell) in panel.shells.iter().enumerate() {
            let Marks { dots, dashes, stems, curve } = shell.marks(&plot, inset);
            plot.svg.begin_colour(&line_colour(n, panel.shells.len()));
            // One path for all of a kind: pages have many such plots.
            plot.svg.lines("stem", stems.iter().map(|[x, from, to]| [*x, *from, *x, *to]));
            plot.svg.lines("dots", dots.iter().map(|(x, y)| [*x, *y, *x, *y]));
            plot.svg.lines("predicted", dashes.iter().map(|[from, to, y]| [*from, *y, *to, *y]));
            if !curve.is_empty() {
                plot.svg.polyline("predicted", &curve);
            }
            plot.svg.end_colour();
        }
        plot.svg.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::SignalPoint;

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
        assert_eq!(plots.len(), 2);
        for (n, plot) in plots.iter().enumerate() {
            assert!(
                plot.contains(&format!(r#"class="heading" x="2" y="12" text-anchor="start">model {n}<"#))
            );
            assert!(
                plot.contains(&format!(">ΔBIC {n}<")) && plot.contains(">b = 0<") && plot.contains(">4<")
            );
            // Two measurements in one path and five in another, a curve through five and two dashes.
            let dots: Vec<&str> = plot.split(r#"<path class="dots" d=""#).skip(1).collect();
            let count = |path: &str| path.split('"').next().unwrap().matches('M').count();
            assert_eq!(dots.iter().map(|path| count(path)).collect::<Vec<_>>(), [2, 5]);
            assert_eq!(plot.matches("<polyline").count(), 1);
        }
        // What was measured is in the same places.
        let dots = |plot: &str| {
            plot.split(r#"class="dots" d=""#).nth(2).unwrap().split('"').next().unwrap().to_owned()
        };
        assert_eq!(dots(plots[0]), dots(plots[1]));
    }

    #[test]
    fn a_model_that_was_not_fitted_has_dots_alone() {
        let drawn = figure(&[0.5, f64::NAN]).draw();
        let plots: Vec<&str> = drawn[1].wide.split("<svg").skip(1).collect();
        assert!(
            !plots[1].contains("NaN")
                && !plots[1].contains("class=\"predicted\"")
                && plots[1].contains("\"dots\"")
        );
        assert!(figure(&[]).draw().is_empty());
    }
}
