use crate::axis::Axis;
use crate::colours::{line_colour, line_key};
use crate::human;
use crate::plot::Plot;
use crate::plot_width::PlotWidth;

/// A figure of the measured and predicted signals of a voxel, coloured by shell. Measured signals are drawn
/// as dots, and predicted signals as a line. If predicted signals are not a smooth function of the horizontal
/// position, they are drawn as dashes.
#[derive(Debug, Clone, Default)]
pub struct SignalFigure {
    /// The title of the figure, such as the name of the model.
    pub title: String,
    /// The caption of the figure. It may be empty.
    pub caption: String,
    /// The label of the horizontal axis. This axis extends from 0 to 1.
    pub place: String,
    /// The label of the vertical axis: the signal, with its unit.
    pub signal: String,
    /// The shells, with their measurements.
    pub shells: Vec<SignalShell>,
}

/// The measurements of one b-value.
#[derive(Debug, Clone, Default)]
pub struct SignalShell {
    /// The name of the shell, such as `b 1000`.
    pub name: String,
    /// The measurements of the shell. If a signal is not finite, it is not drawn.
    pub measurements: Vec<SignalPoint>,
}

/// One measurement of a [`SignalShell`].
#[derive(Debug, Clone, Copy)]
pub struct SignalPoint {
    /// The horizontal position of the measurement in the plot, from 0 to 1. If a measurement has no
    /// direction, it is `None`, and the measurement is drawn separately at the left.
    pub place: Option<f64>,
    /// The signal that was measured.
    pub measured: f64,
    /// The signal that the model predicts.
    pub predicted: f64,
}

/// The width reserved at the left for measurements without a horizontal position, in px.
const INSET: f64 = 70.0;

impl SignalFigure {
    /// Draws the plot and its colour key. Returns nothing if no signal is finite.
    pub(crate) fn draw(&self, plot_width: PlotWidth) -> Vec<String> {
        let points = || self.shells.iter().flat_map(|shell| &shell.measurements);
        let signals = || points().flat_map(|point| [point.measured, point.predicted]);
        if !signals().any(f64::is_finite) {
            return Vec::new();
        }
        let vertical = Axis::linear(signals().chain([0.0]));
        let inset = if points().any(|point| point.place.is_none()) { INSET } else { 0.0 };
        let description = description(&self.signal, &self.place, &self.shells);
        let labels = [self.place.as_str(), self.signal.as_str()];
        let mut plot =
            Plot::new(plot_width, 270.0, (Axis::exactly(0.0, 1.0), vertical), labels, &description, inset);
        let apart = self.shells.iter().filter(|shell| shell.measurements.iter().any(|p| p.place.is_none()));
        if let [shell] = &apart.collect::<Vec<_>>()[..] {
            let middle = plot.frame() + 0.5 * (INSET - 16.0);
            plot.svg.text("tick", middle, plot.bottom() + 18.0, "middle", &shell.name);
        }
        for (n, shell) in self.shells.iter().enumerate() {
            let Marks { dots, dashes, stems, curve } = shell.marks(&plot, INSET);
            plot.svg.begin_colour(&line_colour(n, self.shells.len()));
            for (x, y) in dots {
                plot.svg.dot("measured", x, y, 2.75);
            }
            for [from, to, y] in dashes {
                plot.svg.line("predicted", from, y, to, y);
            }
            for [x, from, to] in stems {
                plot.svg.line("stem", x, from, x, to);
            }
            if !curve.is_empty() {
                plot.svg.polyline("predicted", &curve);
            }
            plot.svg.end_colour();
        }
        let names: Vec<&str> = self.shells.iter().map(|shell| shell.name.as_str()).collect();
        vec![plot.svg.finish(), line_key(plot_width, &names)]
    }
}

/// Returns a text description of the prediction error, for screen readers.
pub(crate) fn description(signal: &str, place: &str, shells: &[SignalShell]) -> String {
    let of_shell = |shell: &SignalShell| {
        let differences: Vec<f64> = shell
            .measurements
            .iter()
            .map(|point| point.measured - point.predicted)
            .filter(|difference| difference.is_finite())
            .collect();
        let square = differences.iter().map(|d| d * d).sum::<f64>() / differences.len().max(1) as f64;
        format!("{}: root mean square difference {}", shell.name, human::number(square.sqrt(), 3))
    };
    let shells: Vec<String> = shells.iter().map(of_shell).collect();
    format!("{signal} measured and predicted, by {place}. {}", shells.join("; "))
}

/// The positions at which the signals of a shell are drawn in a plot.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// The positions of the measured signals.
    pub(crate) dots: Vec<(f64, f64)>,
    /// The positions of the predicted signals if they are drawn as dashes. Each dash has a left end, a right
    /// end and a height.
    pub(crate) dashes: Vec<[f64; 3]>,
    /// Lines between each measured signal and its prediction, which are drawn if there are many signals. Each
    /// line has a horizontal position and two heights.
    pub(crate) stems: Vec<[f64; 3]>,
    /// The positions of the predicted signals if they are drawn as a curve.
    pub(crate) curve: Vec<(f64, f64)>,
}

impl SignalShell {
    /// Returns the positions of the signals in a plot. A width of `inset` px at the left of the plot is
    /// reserved for signals without a horizontal position.
    pub(crate) fn marks(&self, plot: &Plot, inset: f64) -> Marks {
        let (placed, apart): (Vec<&SignalPoint>, Vec<&SignalPoint>) =
            self.measurements.iter().partition(|point| point.place.is_some_and(f64::is_finite));
        let mut marks = Marks::default();
        // Signals without a horizontal position are drawn next to each other, so that each is visible.
        let plot_width = inset - 32.0;
        let width = plot_width / apart.len() as f64;
        for (n, point) in apart.iter().enumerate().filter(|(_, point)| point.place.is_none()) {
            let x = plot.frame() + 8.0 + width * (n as f64 + 0.5);
            marks.dot(plot, x, point);
            marks.dash(plot, x, (0.5 * width).max(3.0), point);
        }
        let mut placed: Vec<(f64, &SignalPoint)> =
            placed.into_iter().filter_map(|point| Some((point.place?, point))).collect();
        placed.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        for (place, point) in &placed {
            marks.dot(plot, plot.x(*place), point);
        }
        let predicted: Vec<(f64, f64)> = placed
            .iter()
            .filter(|(_, point)| point.predicted.is_finite())
            .map(|(place, point)| (*place, point.predicted))
            .collect();
        if is_curve(&predicted) {
            marks.curve = predicted.iter().map(|(x, y)| (plot.x(*x), plot.y(*y))).collect();
        } else {
            for (place, point) in &placed {
                let x = plot.x(*place);
                marks.dash(plot, x, 4.0, point);
                if point.measured.is_finite() && point.predicted.is_finite() {
                    marks.stems.push([x, plot.y(point.measured), plot.y(point.predicted)]);
                }
            }
        }
        marks
    }
}

impl Marks {
    fn dot(&mut self, plot: &Plot, x: f64, point: &SignalPoint) {
        if point.measured.is_finite() {
            self.dots.push((x, plot.y(point.measured)));
        }
    }

    fn dash(&mut self, plot: &Plot, x: f64, half: f64, point: &SignalPoint) {
        if point.predicted.is_finite() {
            self.dashes.push([x - half, x + half, plot.y(point.predicted)]);
        }
    }
}

/// Returns true if points, sorted from left to right, form a smooth curve: no point is far from the line
/// between its neighbours. If the signal depends on more than the angle to one axis, adjacent points differ
/// strongly.
fn is_curve(points: &[(f64, f64)]) -> bool {
    const FAR: f64 = 0.05;
    let largest = points.iter().map(|(_, y)| y.abs()).fold(0.0, f64::max);
    let distance = |three: &[(f64, f64)]| {
        let [(x0, y0), (x1, y1), (x2, y2)] = [three[0], three[1], three[2]];
        let part = if x2 > x0 { (x1 - x0) / (x2 - x0) } else { 0.5 };
        (y0 + part * (y2 - y0) - y1).abs()
    };
    points.len() > 1 && points.windows(3).all(|three| distance(three) <= FAR * largest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(name: &str, signal: impl Fn(f64, usize) -> f64) -> SignalShell {
        let point = |n: usize| {
            // The points of the test data are not sorted by their horizontal positions.
            let place = (n * 7 % 20) as f64 / 20.0;
            let predicted = signal(place, n);
            SignalPoint { place: Some(place), measured: predicted + 1.0, predicted }
        };
        SignalShell { name: name.into(), measurements: (0..20).map(point).collect() }
    }

    fn figure(shells: Vec<SignalShell>) -> SignalFigure {
        SignalFigure { place: "cosine".into(), signal: "signal".into(), shells, ..SignalFigure::default() }
    }

    #[test]
    fn predictions_with_a_curve_are_lines_and_others_are_dashes() {
        let decay = shell("b 1000", |place, _| 100.0 * (-place * place).exp());
        let drawn = &figure(vec![decay.clone()]).draw(PlotWidth::Wide)[0];
        assert_eq!(drawn.matches("<polyline").count(), 1);
        assert_eq!(drawn.matches("<circle class=\"measured\"").count(), 20);
        assert_eq!(drawn.matches("<line class=\"predicted\"").count(), 0);
        assert!(drawn.contains("b 1000: root mean square difference 1"));
        // In the drawing, the points of the curve are sorted from left to right.
        let list = drawn.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
        let x: Vec<f64> =
            list.split(' ').map(|pair| pair.split(',').next().unwrap().parse().unwrap()).collect();
        assert!(x.len() == 20 && x.is_sorted());
        let crossing = shell("b 1000", |place, n| if n % 2 == 0 { 100.0 * place } else { 50.0 });
        let drawn = &figure(vec![decay, crossing]).draw(PlotWidth::Wide)[0];
        assert_eq!(drawn.matches("<polyline").count(), 1);
        assert_eq!(drawn.matches("<line class=\"predicted\"").count(), 20);
        assert_eq!(drawn.matches("<line class=\"stem\"").count(), 20);
    }

    #[test]
    fn unweighted_points_are_separate_and_invalid_points_are_omitted() {
        let point = |place, measured, predicted| SignalPoint { place, measured, predicted };
        let zeros = SignalShell {
            name: "b 0".into(),
            measurements: vec![point(None, 100.0, 101.0), point(None, f64::NAN, 101.0)],
        };
        let others = SignalShell {
            name: "b 1000".into(),
            measurements: vec![
                point(Some(0.0), 50.0, 51.0),
                point(Some(f64::NAN), 50.0, 51.0),
                point(Some(1.0), f64::INFINITY, 20.0),
            ],
        };
        let drawn = figure(vec![zeros, others]).draw(PlotWidth::Wide);
        assert_eq!(drawn[0].matches("<circle").count(), 2);
        assert_eq!(drawn[0].matches("<line class=\"predicted\"").count(), 2, "at b = 0");
        assert_eq!(drawn[0].matches("<polyline").count(), 1);
        assert!(!drawn.concat().contains("NaN") && drawn[1].contains("b 1000"));
        assert!(figure(vec![]).draw(PlotWidth::Wide).is_empty());
        assert!(figure(vec![shell("b 0", |_, _| f64::NAN)]).draw(PlotWidth::Wide).is_empty());
        assert_eq!(figure(vec![shell("b 0", |_, _| 0.0)]).draw(PlotWidth::Wide).len(), 2);
        // There are more shells than distinguishable colours.
        let many: Vec<SignalShell> = (0..40).map(|n| shell(&format!("b {n}"), |_, _| 1.0)).collect();
        assert_eq!(figure(many).draw(PlotWidth::Wide)[1].matches("<circle").count(), 40);
    }
}
