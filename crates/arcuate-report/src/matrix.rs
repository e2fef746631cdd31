use crate::axis::{Axis, range};
use crate::colours::{ColourScale, colour_bar};
use crate::human;
use crate::png::{Pixels, data_address};
use crate::svg::Svg;
use arcuate_core::{Error, Result};

/// A square matrix over named regions, such as a connectome, in colours on a logarithmic scale.
#[derive(Debug, Clone)]
pub struct MatrixFigure {
    /// What is shown, such as `Connectome`.
    pub title: String,
    /// What a reader should know about it; may be empty.
    pub caption: String,
    /// What a value is, such as `streamlines`; written at the scale.
    pub quantity: String,
    /// Name of each row and column.
    pub names: Vec<String>,
    /// Row-major `names.len()`² values; values that are not positive numbers count as none.
    pub values: Vec<f64>,
}

/// Matrices up to this size have names at their sides …
const NAMED: usize = 60;
/// … and up to this one cells that say their value.
const SPEAKING: usize = 40;
/// Names are cut after so many letters.
const LETTERS: usize = 22;

impl MatrixFigure {
    /// The number of regions; fails where the values are not one for each pair of them.
    pub(crate) fn require_square(&self) -> Result<usize> {
        let n = self.names.len();
        if self.values.len() == n * n {
            return Ok(n);
        }
        let problem = format!("{} values do not fill {n} × {n} regions", self.values.len());
        Err(Error::invalid(format!("report figure `{}`", self.title), problem, "give a square matrix"))
    }

    /// The matrix and its scale, or nothing for no regions.
    pub(crate) fn draw(&self) -> Result<Option<String>> {
        let n = self.require_square()?;
        if n == 0 {
            return Ok(None);
        }
        let positive = |value: f64| value.is_finite() && value > 0.0;
        let (low, high) = range(self.values.iter().copied().filter(|v| positive(*v))).unwrap_or((1.0, 10.0));
        // Equal values are all the most there is.
        let axis = if high > low {
            Axis::logarithmic_exactly(low, high)
        } else {
            Axis::logarithmic_exactly(low / 10.0, high)
        };
        let side = 560.0;
        let cell = side / n as f64;
        let letter = (cell * 0.62).clamp(5.5, 12.0);
        let named = n <= NAMED;
        let longest = self.names.iter().map(|name| cut(name).chars().count()).max().unwrap_or(0) as f64;
        let margin = if named { (longest * letter * 0.58 + 10.0).max(20.0) } else { 24.0 };
        let description = format!("{}: matrix of {} regions", self.title, human::count(n as u64));
        let mut svg = Svg::new("matrix", margin + side + 4.0, margin + side + 4.0, &description);
        svg.limit_width(margin + side + 4.0);
        svg.rect("empty", [margin, margin, side, side], None, None);
        let scale = ColourScale::Viridis;
        if n <= SPEAKING {
            for (place, value) in self.values.iter().enumerate().filter(|(_, value)| positive(**value)) {
                let (row, column) = (place / n, place % n);
                let (x, y) = (margin + column as f64 * cell, margin + row as f64 * cell);
                let hint =
                    format!("{} – {}: {}", self.names[row], self.names[column], human::number(*value, 4));
                let colour = scale.css(axis.place(*value));
                svg.rect("", [x, y, cell + 0.1, cell + 0.1], Some(&colour), Some(&hint));
            }
        } else {
            svg.image("cells", margin, margin, side, side, &data_address(&self.pixels(&axis, scale))?);
        }
        svg.rect("frame", [margin, margin, side, side], None, None);
        if named {
            for (place, name) in self.names.iter().enumerate() {
                let middle = margin + (place as f64 + 0.5) * cell;
                svg.sized_text("name", letter, margin - 6.0, middle + letter * 0.35, "end", &cut(name));
                svg.turned_sized_text(
                    "name",
                    letter,
                    middle + letter * 0.35,
                    margin - 6.0,
                    -90.0,
                    &cut(name),
                );
            }
        } else {
            let text = format!("{} regions", human::count(n as u64));
            svg.text("axis-label", margin + side / 2.0, margin - 8.0, "middle", &text);
        }
        let bar = colour_bar(scale, &axis, &format!("{} (logarithmic)", self.quantity), Some("none"));
        Ok(Some(svg.finish() + &bar))
    }

    fn pixels(&self, axis: &Axis, scale: ColourScale) -> Pixels {
        let n = self.names.len();
        let mut pixels = Pixels::transparent(n, n);
        for (place, value) in self.values.iter().enumerate() {
            if value.is_finite() && *value > 0.0 {
                pixels.set(place % n, place / n, scale.colour(axis.place(*value)));
            }
        }
        pixels
    }
}

fn cut(name: &str) -> String {
    if name.chars().count() <= LETTERS {
        return name.to_owned();
    }
    name.chars().take(LETTERS - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(n: usize, value: impl Fn(usize) -> f64) -> MatrixFigure {
        MatrixFigure {
            title: "Connectome".into(),
            caption: String::new(),
            quantity: "streamlines".into(),
            names: (0..n).map(|region| format!("region {region}")).collect(),
            values: (0..n * n).map(value).collect(),
        }
    }

    #[test]
    fn small_matrices_say_their_values_and_large_ones_are_pictures() {
        let drawn = figure(3, |n| n as f64).draw().unwrap().unwrap();
        assert_eq!(drawn.matches("<title>").count(), 8, "zero is no connection");
        assert!(drawn.contains("region 0 – region 2: 2"));
        let drawn = figure(50, |n| n as f64).draw().unwrap().unwrap();
        assert!(drawn.contains("data:image/png") && drawn.contains("region 49"));
        let drawn = figure(100, |n| n as f64).draw().unwrap().unwrap();
        assert!(drawn.contains("100 regions") && !drawn.contains("region 49"));
    }

    #[test]
    fn nonsense_is_no_connection() {
        let drawn = figure(2, |n| [f64::NAN, f64::INFINITY, -1.0, 0.0][n]).draw().unwrap().unwrap();
        assert!(!drawn.contains("<title>") && !drawn.contains("NaN"));
        assert!(figure(2, |_| 7.0).draw().unwrap().unwrap().contains("<title>"));
        assert!(figure(0, |_| 0.0).draw().unwrap().is_none());
        let mut wrong = figure(2, |_| 1.0);
        wrong.names.pop();
        assert!(wrong.draw().is_err());
    }
}
