use crate::axis::{Axis, range};
use crate::human;
use crate::plot::Plot;
use crate::plot_width::PlotWidth;

/// A figure of the convergence of a fit. It shows one or more positive quantities over the same steps of the
/// fit. Each quantity has a separate plot with a logarithmic axis.
#[derive(Debug, Clone)]
pub struct CurveFigure {
    /// The title of the figure, such as `Convergence`.
    pub title: String,
    /// The caption of the figure. It may be empty.
    pub caption: String,
    /// The name of a step of the fit, such as `iteration`.
    pub step: String,
    /// The numbers of the steps, in the order of the values of each curve.
    pub steps: Vec<f64>,
    /// The quantities, with one curve each.
    pub curves: Vec<Curve>,
}

/// One quantity of a [`CurveFigure`], which is drawn as a curve.
#[derive(Debug, Clone)]
pub struct Curve {
    /// The name of the quantity with its unit.
    pub name: String,
    /// The value of the quantity after each step. A value that is not a positive number leaves a gap in the
    /// curve.
    pub values: Vec<f64>,
}

impl CurveFigure {
    /// Creates a figure of the objective and the norm of the projected gradient after each iteration.
    pub fn convergence(iterations: Vec<f64>, objective: Vec<f64>, projected_gradient: Vec<f64>) -> Self {
        Self {
            title: "Convergence".into(),
            caption: String::new(),
            step: "iteration".into(),
            steps: iterations,
            curves: vec![
                Curve { name: "objective".into(), values: objective },
                Curve { name: "projected gradient".into(), values: projected_gradient },
            ],
        }
    }

    /// Draws a plot for each quantity that has values.
    pub(crate) fn draw(&self, plot_width: PlotWidth) -> Vec<String> {
        self.curves.iter().filter_map(|curve| self.draw_one(curve, plot_width)).collect()
    }

    fn draw_one(&self, curve: &Curve, plot_width: PlotWidth) -> Option<String> {
        let points: Vec<(f64, f64)> = self
            .steps
            .iter()
            .copied()
            .zip(curve.values.iter().copied())
            .filter(|(x, _)| x.is_finite())
            .collect();
        let drawable = |y: f64| y.is_finite() && y > 0.0;
        let vertical = Axis::logarithmic(points.iter().map(|(_, y)| *y).filter(|y| drawable(*y)))?;
        let (first, end) = range(points.iter().map(|(x, _)| *x))?;
        let horizontal = Axis::exactly(first, end);
        let last = points.iter().rev().find(|(_, y)| drawable(*y))?;
        let description =
            format!("{} against {}; the last value is {}", curve.name, self.step, human::number(last.1, 4));
        let labels = [self.step.as_str(), curve.name.as_str()];
        let mut plot = Plot::new(plot_width, 190.0, (horizontal, vertical), labels, &description, 0.0);
        let stride = points.len().div_ceil(plot_width.points()).max(1);
        let kept = points.iter().enumerate().filter(|(n, _)| n % stride == 0 || n + 1 == points.len());
        let mut run: Vec<(f64, f64)> = Vec::new();
        let mut runs = Vec::new();
        for (_, (x, y)) in kept {
            if drawable(*y) {
                run.push((plot.x(*x), plot.y(*y)));
            } else if !run.is_empty() {
                runs.push(std::mem::take(&mut run));
            }
        }
        runs.push(run);
        for run in runs {
            match run[..] {
                [] => {}
                [(x, y)] => plot.svg.dot("curve-end", x, y, 2.5),
                _ => plot.svg.polyline("curve", &run),
            }
        }
        let (x, y) = (plot.x(last.0), plot.y(last.1));
        plot.svg.dot("curve-end", x, y, 3.5);
        let text = human::number(last.1, 4);
        // The text at the end of the curve is above the end. If there is no space above, it is below.
        let below = y < plot.top() + 18.0;
        plot.svg.text("value", x - 6.0, if below { y + 18.0 } else { y - 9.0 }, "end", &text);
        Some(plot.svg.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_values_are_gaps() {
        let values = vec![10.0, 5.0, f64::NAN, 2.0, 1.0, 0.0, -3.0, 0.5];
        let figure = CurveFigure::convergence((0..8).map(f64::from).collect(), values, vec![f64::NAN; 8]);
        let drawn = figure.draw(PlotWidth::Wide);
        assert_eq!(drawn.len(), 1, "a quantity without a value has no plot");
        assert_eq!(drawn[0].matches("<polyline").count(), 2);
        assert_eq!(drawn[0].matches("<circle").count(), 2, "the lone last value and the end");
        assert!(drawn[0].contains("the last value is 0.5"));
        assert!(!drawn[0].contains("NaN"));
    }

    #[test]
    fn long_traces_are_thinned_and_short_ones_are_drawn_completely() {
        let steps: Vec<f64> = (0..100_000).map(f64::from).collect();
        let values: Vec<f64> = steps.iter().map(|n| 1.0 / (n + 1.0)).collect();
        let drawn = CurveFigure::convergence(steps, values, vec![]).draw(PlotWidth::Wide);
        assert_eq!(drawn.len(), 1);
        assert!(drawn[0].len() < 40_000);
        assert!(CurveFigure::convergence(vec![], vec![], vec![]).draw(PlotWidth::Wide).is_empty());
        assert_eq!(CurveFigure::convergence(vec![1.0], vec![3.0], vec![3.0]).draw(PlotWidth::Wide).len(), 2);
    }
}
