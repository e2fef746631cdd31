use crate::colours::{line_colour, line_key};
use crate::human;
use crate::plot_width::PlotWidth;
use crate::svg::Svg;

/// A figure of the gradient directions of a scan. The directions are points on the upper and the lower
/// hemisphere, coloured by shell.
///
/// Both hemispheres are drawn as discs in an equal-area projection. If points are uniform on the sphere, they
/// are also uniform on the discs.
#[derive(Debug, Clone, Default)]
pub struct GradientFigure {
    /// The title of the figure.
    pub title: String,
    /// The caption of the figure. It may be empty.
    pub caption: String,
    /// The shells, with their directions.
    pub shells: Vec<GradientShell>,
}

/// The directions of one b-value.
#[derive(Debug, Clone, Default)]
pub struct GradientShell {
    /// The name of the shell, such as `b 1000 s/mm²`.
    pub name: String,
    /// The gradient directions of the shell as unit vectors in scanner axes (RAS). Vectors of other lengths
    /// are omitted.
    pub directions: Vec<[f64; 3]>,
}

/// The margin around the disc of a hemisphere, and the space below it for its name, in px.
const MARGIN: f64 = 26.0;
const BELOW: f64 = 20.0;
/// A vector is accepted as a unit vector if its length differs from 1 by at most this number.
const SLACK: f64 = 0.01;

impl GradientFigure {
    /// Draws the discs and their colour key. Returns nothing if there are no directions. On narrow pages, the discs are
    /// stacked.
    pub(crate) fn draw(&self, plot_width: PlotWidth) -> Vec<String> {
        let count = self.shells.iter().map(|shell| units(shell).count()).sum::<usize>();
        if count == 0 {
            return Vec::new();
        }
        let columns = match plot_width {
            PlotWidth::Narrow => 1.0,
            PlotWidth::Wide => 2.0,
        };
        let side = plot_width.width() / columns;
        let description =
            format!("{}: {} directions on both halves of the sphere", self.title, human::count(count as u64));
        let mut svg = Svg::new("plot", columns * side, 2.0 / columns * (side + BELOW), &description);
        svg.limit_width(plot_width.maximum());
        for half in 0..2usize {
            let place = half as f64;
            let [column, row] = if plot_width == PlotWidth::Wide { [place, 0.0] } else { [0.0, place] };
            let centre = [side * (column + 0.5), (side + BELOW) * row + side / 2.0];
            self.draw_half(half, centre, side / 2.0 - MARGIN, &mut svg);
        }
        let names: Vec<&str> = self.shells.iter().map(|shell| shell.name.as_str()).collect();
        vec![svg.finish(), line_key(plot_width, &names)]
    }

    /// Draws one hemisphere: the upper one if `half` is 0, and the lower one if it is 1.
    fn draw_half(&self, half: usize, [x0, y0]: [f64; 2], radius: f64, svg: &mut Svg) {
        let angles = (0..=72).map(|n| f64::from(n) * std::f64::consts::TAU / 72.0);
        let circle: Vec<(f64, f64)> =
            angles.map(|angle| (x0 + radius * angle.cos(), y0 + radius * angle.sin())).collect();
        svg.polyline("frame", &circle);
        svg.line("grid", x0 - radius, y0, x0 + radius, y0);
        svg.line("grid", x0, y0 - radius, x0, y0 + radius);
        let away = radius + 6.0;
        svg.text("tick", x0 - away, y0 + 4.0, "end", "R");
        svg.text("tick", x0 + away, y0 + 4.0, "start", "L");
        svg.text("tick", x0, y0 - away, "middle", "A");
        svg.text("tick", x0, y0 + away + 10.0, "middle", "P");
        svg.text("axis-label", x0, y0 + radius + MARGIN + 12.0, "middle", ["upper half", "lower half"][half]);
        for (n, shell) in self.shells.iter().enumerate() {
            svg.begin_colour(&line_colour(n, self.shells.len()));
            for direction in units(shell).filter(|d| usize::from(d[2] < 0.0) == half) {
                let [x, y] = on_disc(direction);
                // The subject's right is on the left side of the disc, and the front of the head (anterior)
                // is up, as in axial slices.
                svg.dot("measured", x0 - radius * x, y0 - radius * y, 3.5);
            }
            svg.end_colour();
        }
    }
}

/// Returns those gradient directions of a shell that are unit vectors.
fn units(shell: &GradientShell) -> impl Iterator<Item = [f64; 3]> + '_ {
    let length = |d: &[f64; 3]| d.iter().map(|c| c * c).sum::<f64>().sqrt();
    shell.directions.iter().copied().filter(move |d| (length(d) - 1.0).abs() < SLACK)
}

/// Returns the position of a direction on the disc of its hemisphere, by Lambert's azimuthal equal-area
/// projection. The disc has a radius of 1.
fn on_disc([x, y, z]: [f64; 3]) -> [f64; 2] {
    let scale = 1.0 / (1.0 + z.abs()).sqrt();
    [x * scale, y * scale]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(directions: Vec<[f64; 3]>) -> GradientFigure {
        let shells = vec![GradientShell { name: "b 1000 s/mm²".into(), directions }];
        GradientFigure { title: "Directions".into(), caption: String::new(), shells }
    }

    #[test]
    fn hemispheres_are_projected_to_discs_with_equal_area() {
        assert_eq!(on_disc([0.0, 0.0, 1.0]), [0.0, 0.0]);
        assert_eq!(on_disc([1.0, 0.0, 0.0]), [1.0, 0.0]);
        // Half of the area of a hemisphere is within 60 degrees of its pole. In the equal-area projection,
        // this half is within the radius of the disc divided by the square root of 2.
        let [x, _] = on_disc([0.75f64.sqrt(), 0.0, 0.5]);
        assert!((x - 0.5f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn the_right_is_on_the_left_and_the_lower_hemisphere_is_second() {
        let directions = || vec![[1.0, 0.0, 0.0], [0.0, 0.0, -1.0]];
        let dots = |plot_width: PlotWidth| {
            let drawn = figure(directions()).draw(plot_width).remove(0);
            let places = drawn.split("<circle class=\"measured\" ").skip(1);
            places.map(|rest| rest.split(" r=").next().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(dots(PlotWidth::Wide), [r#"cx="26" cy="125""#, r#"cx="375" cy="125""#]);
        assert_eq!(dots(PlotWidth::Narrow), [r#"cx="26" cy="160""#, r#"cx="160" cy="500""#]);
    }

    #[test]
    fn invalid_directions_are_not_drawn() {
        assert!(
            figure(vec![[f64::NAN, 0.0, 0.0], [0.0; 3], [2.0, 0.0, 0.0]]).draw(PlotWidth::Wide).is_empty()
        );
    }
}
