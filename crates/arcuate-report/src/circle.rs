use crate::axis::{Axis, range};
use crate::colours::{ColourScale, colour_bar};
use crate::human;
use crate::matrix::{MatrixFigure, numbered_regions, numbering};
use crate::plot_width::{Drawing, PlotWidth, text_width};
use crate::svg::Svg;
use arcuate_core::Result;
use std::f64::consts::{PI, TAU};

/// A figure with a chord diagram of a matrix. Named regions are on a circle, and the strongest connections
/// are curves between them, coloured by strength.
#[derive(Debug, Clone)]
pub struct CircleFigure {
    /// The names of the regions, the matrix of their connections, and the title and the caption of the
    /// figure. If the matrix has two different values for a pair of regions, the larger value is used.
    /// Connections of a region with itself are not drawn.
    pub matrix: MatrixFigure,
    /// The maximum number of connections that a chord diagram shows.
    pub maximum: usize,
}

/// The height of letters and the height of a line of text, in px.
const LETTER: f64 = 12.0;
const LINE: f64 = 15.0;

/// A connection between two regions, with its value.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Arc {
    ends: [usize; 2],
    value: f64,
}

impl CircleFigure {
    /// Returns a sentence that states how many connections are not drawn.
    pub(crate) fn remark(&self) -> String {
        let all = self.arcs().len();
        let kept = all.min(self.maximum);
        let [kept_text, all_text] = [kept, all].map(|n| human::count(n as u64));
        if kept < all {
            format!("The {kept_text} strongest of {all_text} connections between two regions.")
        } else {
            format!("All {all_text} connections between two regions.")
        }
    }

    /// Returns the connections in descending order of strength.
    fn arcs(&self) -> Vec<Arc> {
        let n = self.matrix.names.len();
        let value = |row: usize, column: usize| self.matrix.values[row * n + column];
        let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b]));
        let arcs = pairs.map(|[a, b]| Arc { ends: [a, b], value: value(a, b).max(value(b, a)) });
        let mut arcs: Vec<Arc> = arcs.filter(|arc| arc.value.is_finite() && arc.value > 0.0).collect();
        arcs.sort_by(|a, b| b.value.total_cmp(&a.value));
        arcs
    }

    /// Draws the circle of regions and its colour scale. Returns `None` if there are no regions.
    pub(crate) fn draw(&self) -> Result<Option<Drawing>> {
        if self.matrix.require_square()? == 0 {
            return Ok(None);
        }
        let mut arcs = self.arcs();
        arcs.truncate(self.maximum);
        let (low, high) = range(arcs.iter().map(|arc| arc.value)).unwrap_or((1.0, 10.0));
        let axis = Axis::logarithmic_exactly(if high > low { low } else { low / 10.0 }, high);
        let bar = colour_bar(ColourScale::Viridis, &axis, &self.matrix.quantity, None);
        let wide = self.draw_in(PlotWidth::Wide, &arcs, &axis);
        Ok(Some(Drawing {
            needs: wide.width(),
            narrow: self.draw_in(PlotWidth::Narrow, &arcs, &axis).finish()
                + &bar
                + &numbered_regions(&self.matrix.names),
            wide: wide.finish() + &bar,
        }))
    }

    fn draw_in(&self, plot_width: PlotWidth, arcs: &[Arc], axis: &Axis) -> Svg {
        let names = &self.matrix.names;
        let n = names.len();
        let longest = names.iter().map(|name| text_width(name, LETTER)).fold(0.0, f64::max);
        let (radius, margin) = match plot_width {
            PlotWidth::Narrow => (plot_width.width() / 2.0 - 34.0, 34.0),
            // On a wide page, the names of regions are next to each other along the circle.
            PlotWidth::Wide => ((n as f64 * LINE / TAU).max(190.0), longest + 14.0),
        };
        let side = 2.0 * (radius + margin);
        let description = format!("{}: circle of {n} regions. {}", self.matrix.title, self.remark());
        let mut svg = Svg::new("circle", side, side, &description);
        svg.limit_width(if plot_width == PlotWidth::Narrow { 1.5 * side } else { side });
        let angle = |region: usize| TAU * (region as f64 + 0.5) / n as f64 - PI / 2.0;
        let middle = side / 2.0;
        let at = |region: usize, radius: f64| {
            let (sin, cos) = angle(region).sin_cos();
            (middle + radius * cos, middle + radius * sin)
        };
        // The curves of the weakest connections are drawn first. The strongest connections are drawn last, on
        // top of all others.
        for arc in arcs.iter().rev() {
            let place = axis.place(arc.value).clamp(0.0, 1.0);
            let [a, b] = arc.ends;
            let hint = format!("{} – {}: {}", names[a], names[b], human::number(arc.value, 4));
            let (ends, bend) = ([at(a, radius), at(b, radius)], (middle, middle));
            svg.bend("arc", ends, bend, &ColourScale::Viridis.css(place), 0.75 + 3.25 * place, &hint);
        }
        let stride =
            if plot_width == PlotWidth::Wide { 1 } else { numbering(n, TAU * (radius + 14.0) / n as f64) };
        for (region, name) in names.iter().enumerate() {
            let (x, y) = at(region, radius);
            svg.dot("region", x, y, 3.0);
            if plot_width == PlotWidth::Narrow && (region + 1) % stride == 0 {
                let (x, y) = at(region, radius + 16.0);
                svg.text("name", x, y, "middle", &(region + 1).to_string());
            } else if plot_width == PlotWidth::Wide {
                let (x, y) = at(region, radius + 8.0);
                let degrees = angle(region).to_degrees();
                // In the left half of the circle, the names of regions are turned by 180°, so that no name is
                // upside down.
                let left = angle(region).cos() < 0.0;
                let (turn, anchor) = if left { (degrees + 180.0, "end") } else { (degrees, "start") };
                svg.turned_text("name", x, y, turn, anchor, name);
            }
        }
        svg
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(values: Vec<f64>, maximum: usize) -> CircleFigure {
        let matrix = MatrixFigure {
            title: "Connectome".into(),
            caption: String::new(),
            quantity: "streamlines".into(),
            names: ["left <a>", "b", "parietal_inferior_right_of_long_name"].map(String::from).to_vec(),
            values,
        };
        CircleFigure { matrix, maximum }
    }

    #[test]
    fn only_the_strongest_connections_are_drawn_with_a_note() {
        let values = vec![50.0, 4.0, 9.0, 2.0, 60.0, 0.0, 9.0, f64::NAN, 1.0];
        let circle = figure(values, 1);
        assert_eq!(circle.remark(), "The 1 strongest of 2 connections between two regions.");
        let drawn = circle.draw().unwrap().unwrap().wide;
        assert_eq!(drawn.matches("class=\"arc\"").count(), 1);
        assert!(drawn.contains("left &lt;a&gt; – parietal_inferior_right_of_long_name: 9"));
        assert!(drawn.contains(">parietal_inferior_right_of_long_name</text>"), "whole names");
        let all = CircleFigure { maximum: 9, ..circle };
        assert_eq!(all.remark(), "All 2 connections between two regions.");
        let drawn = all.draw().unwrap().unwrap().wide;
        assert_eq!(drawn.matches("class=\"arc\"").count(), 2, "a region with itself is not drawn");
        assert!(drawn.find(": 4</title>") < drawn.find(": 9</title>"), "the strongest lies on top");
    }

    #[test]
    fn empty_matrices_are_a_circle_without_arcs() {
        let drawn = figure(vec![0.0; 9], 5).draw().unwrap().unwrap().wide;
        assert!(!drawn.contains("class=\"arc\"") && !drawn.contains("NaN"));
        assert!(figure(vec![0.0; 8], 5).draw().is_err());
    }
}
