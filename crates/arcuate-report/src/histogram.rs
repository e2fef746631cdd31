use crate::axis::{Axis, range};
use crate::human;
use crate::plot::Plot;
use crate::plot_width::PlotWidth;

/// A figure with a histogram that has a separate bar for the value zero. An example is the weights of
/// streamlines, many of which a fit may set to zero.
#[derive(Debug, Clone)]
pub struct HistogramFigure {
    /// The title of the figure, such as `Streamline weights`.
    pub title: String,
    /// The caption of the figure. It may be empty.
    pub caption: String,
    /// The label of the horizontal axis: the quantity, with its unit.
    pub quantity: String,
    /// The label of the vertical axis. It is the plural name of the counted items, such as streamlines.
    pub counted: String,
    /// The values of which the histogram is made. Values that are not finite are not drawn, but their number
    /// is reported.
    pub values: Vec<f64>,
}

const BINS: usize = 48;
/// If the largest value divided by the smallest positive value exceeds this ratio, the bins of the histogram
/// are logarithmic.
const WIDE: f64 = 100.0;

impl HistogramFigure {
    /// Creates the histogram of streamline weights.
    pub fn of_weights(values: Vec<f64>) -> Self {
        Self {
            title: "Streamline weights".into(),
            caption: String::new(),
            quantity: "weight".into(),
            counted: "streamlines".into(),
            values,
        }
    }

    /// Returns a sentence about the number of values that the histogram does not show.
    pub(crate) fn remark(&self) -> String {
        let total = self.values.len() as u64;
        let zeros = self.values.iter().filter(|value| **value == 0.0).count() as u64;
        let missing = self.values.iter().filter(|value| !value.is_finite()).count() as u64;
        let mut parts = vec![format!("{} {}", human::count(total), self.counted)];
        if zeros > 0 {
            let share = human::number(100.0 * zeros as f64 / total as f64, 3);
            parts.push(format!("{} ({share} %) are exactly 0", human::count(zeros)));
        }
        if missing > 0 {
            parts.push(format!("{} are not numbers and are not shown", human::count(missing)));
        }
        parts.join("; ") + "."
    }

    /// Draws the plot. Returns `None` if no value is finite.
    pub(crate) fn draw(&self, plot_width: PlotWidth) -> Option<String> {
        let zeros = self.values.iter().filter(|value| **value == 0.0).count();
        let others: Vec<f64> =
            self.values.iter().copied().filter(|value| value.is_finite() && *value != 0.0).collect();
        if zeros == 0 && others.is_empty() {
            return None;
        }
        let (low, high) = range(others.iter().copied()).unwrap_or((0.0, 1.0));
        let horizontal = if low > 0.0 && high > low * WIDE {
            Axis::logarithmic_exactly(low, high)
        } else {
            Axis::linear([low.min(0.0), high])
        };
        let mut counts = [0usize; BINS];
        for value in &others {
            let place = (horizontal.place(*value) * BINS as f64) as usize;
            counts[place.min(BINS - 1)] += 1;
        }
        let maximum = counts.iter().copied().chain([zeros]).max().unwrap_or(1).max(1);
        // The vertical axis begins below 1, so that a bar for a single value is visible.
        let vertical = Axis::logarithmic_exactly(0.7, (maximum as f64 * 1.3).max(12.0));
        let description = format!("Histogram of {}: {}", self.quantity, self.remark());
        let inset = if zeros > 0 { 64.0 } else { 0.0 };
        let labels = [self.quantity.as_str(), self.counted.as_str()];
        let mut plot = Plot::new(plot_width, 220.0, (horizontal, vertical), labels, &description, inset);
        if zeros > 0 {
            let (left, top) = (plot.frame() + 10.0, plot.y(zeros as f64));
            let hint = format!("exactly 0: {} {}", human::count(zeros as u64), self.counted);
            plot.svg.rect("bar zero", [left, top, 26.0, plot.bottom() - top], None, Some(&hint));
            plot.svg.text("tick", left + 13.0, plot.bottom() + 18.0, "middle", "= 0");
        }
        for (bin, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let ends = [bin, bin + 1].map(|edge| plot.horizontal.value(edge as f64 / BINS as f64));
            let [left, right] = ends.map(|value| plot.x(value));
            let top = plot.y(*count as f64);
            let hint = format!(
                "{} to {}: {} {}",
                human::number(ends[0], 3),
                human::number(ends[1], 3),
                human::count(*count as u64),
                self.counted
            );
            plot.svg.rect(
                "bar",
                [left + 0.4, top, right - left - 0.8, plot.bottom() - top],
                None,
                Some(&hint),
            );
        }
        Some(plot.svg.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_have_a_separate_bar_and_invalid_values_are_reported() {
        let mut values = vec![0.0; 30];
        values.extend([1e-5, 1e-3, 0.1, 0.1, f64::NAN, f64::INFINITY]);
        let figure = HistogramFigure::of_weights(values);
        let drawn = figure.draw(PlotWidth::Wide).unwrap();
        assert!(drawn.contains("exactly 0: 30 streamlines"));
        assert_eq!(drawn.matches(r#"class="bar""#).count(), 3, "one bar a decade and value");
        assert!(!drawn.contains("NaN"));
        assert_eq!(
            figure.remark(),
            "36 streamlines; 30 (83.3 %) are exactly 0; 2 are not numbers and are not shown."
        );
    }

    #[test]
    fn every_value_is_in_a_bar() {
        let values: Vec<f64> = (1..=500).map(f64::from).map(|n| (n * 0.37).sin().abs() + 1e-9).collect();
        let drawn = HistogramFigure::of_weights(values).draw(PlotWidth::Wide).unwrap();
        let counted: u64 = drawn
            .split("<title>")
            .skip(1)
            .map(|rest| {
                let line = rest.split("</title>").next().unwrap();
                line.split(": ").nth(1).unwrap().split(' ').next().unwrap().parse::<u64>().unwrap()
            })
            .sum();
        assert_eq!(counted, 500);
    }

    #[test]
    fn too_few_values_give_no_plot() {
        assert!(HistogramFigure::of_weights(vec![]).draw(PlotWidth::Wide).is_none());
        assert!(HistogramFigure::of_weights(vec![f64::NAN]).draw(PlotWidth::Wide).is_none());
        for values in [vec![0.0], vec![1.0], vec![2.0; 9], vec![-1.0, 3.0], vec![f64::MIN_POSITIVE, f64::MAX]]
        {
            let drawn = HistogramFigure::of_weights(values).draw(PlotWidth::Wide).unwrap();
            assert!(drawn.contains("class=\"bar"));
        }
    }
}
