use crate::axis::{Axis, range};
use crate::colours::{ColourScale, colour_bar};
use crate::plot_width::{Drawing, PlotWidth, text_width};
use crate::png::{Pixels, data_address};
use crate::svg::{Svg, escape};
use crate::{hemispheres, human};
use arcuate_core::{Error, Result};

/// A figure of a square matrix over named regions, such as a connectome. The values are shown in colours on a
/// logarithmic scale.
#[derive(Debug, Clone)]
pub struct MatrixFigure {
    /// The title of the figure, such as `Connectome`.
    pub title: String,
    /// The caption of the figure. It may be empty.
    pub caption: String,
    /// The quantity that the matrix contains, such as `streamlines`. It is the label of the colour scale.
    pub quantity: String,
    /// The names of the regions, which are both the rows and the columns.
    pub names: Vec<String>,
    /// The values of the matrix in row-major order; their number is `names.len()`². Values that are not
    /// positive numbers are drawn as no connection.
    pub values: Vec<f64>,
}

/// If the matrix has at most this number of regions, their names are written at its sides, if there is space.
/// If there are more regions, numbers are written instead.
const NAMED: usize = 60;
/// If the matrix has at most this number of regions, a cell shows its value when the pointer is over it.
const SPEAKING: usize = 40;
/// The height of letters and the height of a line of text, in px.
const LETTER: f64 = 12.0;
const LINE: f64 = 14.0;

impl MatrixFigure {
    /// Sorts the regions by hemisphere: first left, then right, then all others. Within each of these three
    /// parts, the original order is kept. If the names do not identify at least two regions on each side, the
    /// order of all regions is kept.
    ///
    /// Returns an error if the matrix does not have one value per pair of regions.
    pub fn by_hemisphere(self) -> Result<Self> {
        let n = self.require_square()?;
        let Some(order) = hemispheres::order(&self.names) else { return Ok(self) };
        let names = order.iter().map(|&place| self.names[place].clone()).collect();
        let values = order.iter().flat_map(|&row| order.iter().map(move |&column| row * n + column));
        let values = values.map(|place| self.values[place]).collect();
        Ok(Self { names, values, ..self })
    }

    /// Returns the number of regions. Returns an error if the matrix does not have one value per pair of
    /// regions.
    pub(crate) fn require_square(&self) -> Result<usize> {
        let n = self.names.len();
        if self.values.len() == n * n {
            return Ok(n);
        }
        let problem = format!("{} matrix entries do not match {n} × {n} regions", self.values.len());
        Err(Error::invalid(format!("report figure `{}`", self.title), problem, "give a square matrix"))
    }

    /// Draws the matrix and its scale. Returns `None` if there are no regions.
    pub(crate) fn draw(&self) -> Result<Option<Drawing>> {
        let n = self.require_square()?;
        if n == 0 {
            return Ok(None);
        }
        let positive = |value: f64| value.is_finite() && value > 0.0;
        let (low, high) = range(self.values.iter().copied().filter(|v| positive(*v))).unwrap_or((1.0, 10.0));
        // If all values of the matrix are equal, all cells have the colour of the maximum.
        let axis = Axis::logarithmic_exactly(if high > low { low } else { low / 10.0 }, high);
        let scale = ColourScale::Viridis;
        let bar = colour_bar(scale, &axis, &format!("{} (logarithmic)", self.quantity), Some("none"));
        let narrow = self.draw_in(PlotWidth::Narrow, &axis)?.finish() + &bar;
        let wide = self.draw_in(PlotWidth::Wide, &axis)?;
        let list = numbered_regions(&self.names);
        Ok(Some(Drawing {
            needs: wide.width(),
            narrow: narrow + &list,
            wide: wide.finish() + &bar + if n > NAMED { &list } else { "" },
        }))
    }

    fn draw_in(&self, plot_width: PlotWidth, axis: &Axis) -> Result<Svg> {
        let n = self.names.len();
        let named = n <= NAMED && plot_width == PlotWidth::Wide;
        let longest = self.names.iter().map(|name| text_width(name, LETTER)).fold(0.0, f64::max);
        let margin = if named { longest + 10.0 } else { text_width(&n.to_string(), LETTER) + 8.0 };
        let side = match plot_width {
            PlotWidth::Narrow => plot_width.width() - margin - 2.0,
            PlotWidth::Wide => (n as f64 * LINE).clamp(480.0, NAMED as f64 * LINE),
        };
        let cell = side / n as f64;
        let description = format!("{}: matrix of {} regions", self.title, human::count(n as u64));
        let mut svg = Svg::new("matrix", margin + side + 2.0, margin + side + 2.0, &description);
        svg.limit_width(if plot_width == PlotWidth::Narrow { 1.5 } else { 1.0 } * (margin + side + 2.0));
        svg.rect("empty", [margin, margin, side, side], None, None);
        // Only the wide version of the matrix lets cells show their values, because a device with a narrow
        // screen usually has no pointer.
        if n <= SPEAKING && named {
            for (place, value) in self.values.iter().enumerate() {
                if !(value.is_finite() && *value > 0.0) {
                    continue;
                }
                let (row, column) = (place / n, place % n);
                let (x, y) = (margin + column as f64 * cell, margin + row as f64 * cell);
                let hint =
                    format!("{} – {}: {}", self.names[row], self.names[column], human::number(*value, 4));
                let colour = ColourScale::Viridis.css(axis.place(*value));
                svg.rect("", [x, y, cell + 0.1, cell + 0.1], Some(&colour), Some(&hint));
            }
        } else {
            let pixels = self.pixels(axis, ColourScale::Viridis);
            svg.image("cells", margin, margin, side, side, &data_address(&pixels)?);
        }
        svg.rect("frame", [margin, margin, side, side], None, None);
        if hemispheres::order(&self.names).is_some_and(|order| order.is_sorted()) {
            // In the matrix, lines separate left regions, right regions and regions without a side.
            let sides: Vec<_> = self.names.iter().map(|name| hemispheres::side_of(name)).collect();
            for place in (1..n).filter(|&place| sides[place] != sides[place - 1]) {
                let at = margin + place as f64 * cell;
                svg.line("frame", at, margin, at, margin + side);
                svg.line("frame", margin, at, margin + side, at);
            }
        }
        let stride = if named { 1 } else { numbering(n, cell) };
        for place in (0..n).filter(|place| (place + 1) % stride == 0) {
            let middle = margin + (place as f64 + 0.5) * cell;
            let (end, line) = (margin - 5.0, middle + LETTER * 0.35);
            if named {
                svg.sized_text("name", LETTER, end, line, "end", &self.names[place]);
                svg.turned_sized_text("name", LETTER, line, end, -90.0, &self.names[place]);
            } else {
                let number = (place + 1).to_string();
                svg.sized_text("name", LETTER, end, line, "end", &number);
                svg.sized_text("name", LETTER, middle, end, "middle", &number);
            }
        }
        Ok(svg)
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

/// Returns the interval between the region numbers that are written next to the matrix. The matrix has
/// `count` rows, whose distance is `apart` px.
pub(crate) fn numbering(count: usize, apart: f64) -> usize {
    let plot_width = text_width(&count.to_string(), LETTER).max(LINE) + 4.0;
    let enough = |stride: &usize| *stride as f64 * apart >= plot_width;
    [1, 2, 5, 10, 20, 50, 100].into_iter().find(enough).unwrap_or(count.max(1))
}

/// Returns a list of region numbers and names, which the reader of the page can unfold.
pub(crate) fn numbered_regions(names: &[String]) -> String {
    let items: Vec<String> = names.iter().map(|name| format!("<li>{}</li>", escape(name))).collect();
    let (count, items) = (human::count(names.len() as u64), items.concat());
    format!(
        r#"<details class="regions"><summary>Names of the {count} regions</summary><ol>{items}</ol></details>"#
    )
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
    fn small_matrices_show_values_and_large_ones_are_images() {
        let drawn = figure(3, |n| n as f64).draw().unwrap().unwrap().wide;
        assert_eq!(drawn.matches("<title>").count(), 8, "zero is no connection");
        assert!(drawn.contains("region 0 – region 2: 2"));
        let drawn = figure(50, |n| n as f64).draw().unwrap().unwrap().wide;
        assert!(drawn.contains("data:image/png") && drawn.contains("region 49"));
        let drawn = figure(100, |n| n as f64).draw().unwrap().unwrap();
        assert!(drawn.wide.contains("matrix of 100 regions") && !drawn.wide.contains(">region 49</text>"));
        assert!(drawn.wide.contains(">50</text>") && drawn.wide.contains("<li>region 49</li>"));
        let narrow = figure(16, |n| n as f64).draw().unwrap().unwrap().narrow;
        assert!(narrow.contains(">16</text>") && narrow.contains("<li>region 15</li>"));
    }

    #[test]
    fn hemispheres_are_separated() {
        let mut matrix = figure(5, |n| n as f64);
        matrix.names = ["a_right", "stem", "a_left", "b_right", "b_left"].map(str::to_owned).to_vec();
        let sorted = matrix.by_hemisphere().unwrap();
        assert_eq!(sorted.names, ["a_left", "b_left", "a_right", "b_right", "stem"]);
        // The matrix is reordered. Row 2 and column 2 (counted from 0), which belong to a region of the left
        // hemisphere, are now first.
        assert_eq!(sorted.values[..5], [12.0, 14.0, 10.0, 13.0, 11.0]);
        assert_eq!(sorted.values[24], 6.0);
        let lines = |matrix: &MatrixFigure| {
            matrix.draw().unwrap().unwrap().wide.matches(r#"<line class="frame""#).count()
        };
        assert_eq!(lines(&sorted), 4, "two borders, each across and down");
        assert_eq!(lines(&figure(5, |n| n as f64)), 0);
    }

    #[test]
    fn invalid_values_are_not_connections() {
        let drawn = figure(2, |n| [f64::NAN, f64::INFINITY, -1.0, 0.0][n]).draw().unwrap().unwrap().wide;
        assert!(!drawn.contains("<title>") && !drawn.contains("NaN"));
        assert!(figure(2, |_| 7.0).draw().unwrap().unwrap().wide.contains("<title>"));
        assert!(figure(0, |_| 0.0).draw().unwrap().is_none());
        let mut wrong = figure(2, |_| 1.0);
        wrong.names.pop();
        assert!(wrong.draw().is_err());
    }
}
