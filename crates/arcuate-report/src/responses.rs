use crate::human;
use crate::plot_width::{Drawing, PANEL, maximum};
use crate::svg::Svg;
use std::f64::consts::{FRAC_PI_2, PI};

/// A figure of the response function of a tissue. For each shell, it has a polar plot of the signal of a
/// single fibre bundle. The angle of the plot is the angle between the fibres and the gradient.
#[derive(Debug, Clone, Default)]
pub struct ResponseFigure {
    /// The name of the tissue.
    pub title: String,
    /// The caption of the figure. It may be empty.
    pub caption: String,
    /// The shells, with one polar plot each.
    pub shells: Vec<ResponseShell>,
}

/// The response of a tissue at one b-value.
#[derive(Debug, Clone, Default)]
pub struct ResponseShell {
    /// The name of the shell of the response, such as `b 1000 s/mm²`.
    pub name: String,
    /// The signals of the response at equal angular steps, from parallel to perpendicular to the fibres. If
    /// the tissue is isotropic, there is a single signal.
    pub amplitudes: Vec<f64>,
}

/// The radius of the circle that represents the largest signal, in px. The next constant is the space above
/// this circle for texts.
const RADIUS: f64 = 84.0;
const ABOVE: f64 = 46.0;
/// The space below the circle of a polar plot, and the space next to it, in px.
const MARGIN: f64 = 12.0;
/// The number of sides of the polygon that is drawn instead of a circle.
const SIDES: usize = 72;

impl ResponseFigure {
    /// Draws the polar plots of all shells next to each other. Returns nothing if no shell has a signal.
    pub(crate) fn draw(&self) -> Vec<Drawing> {
        let curves: Vec<String> = self.shells.iter().filter_map(|shell| shell.draw(&self.title)).collect();
        if curves.is_empty() {
            return Vec::new();
        }
        let columns = curves.len().min(4);
        vec![Drawing::of_one(format!(r#"<div class="panels of-{columns}">{}</div>"#, curves.concat()))]
    }
}

impl ResponseShell {
    /// Returns a text that describes the polar plot with numbers, for screen readers.
    fn numbers(&self) -> String {
        let shown = |value: Option<&f64>| human::number(value.copied().unwrap_or(f64::NAN), 4);
        match self.amplitudes.len() {
            1 => format!("{} in all directions", shown(self.amplitudes.first())),
            _ => format!(
                "along fibres {}, across {}",
                shown(self.amplitudes.first()),
                shown(self.amplitudes.last())
            ),
        }
    }

    fn draw(&self, tissue: &str) -> Option<String> {
        let largest = self.amplitudes.iter().copied().filter(|a| a.is_finite()).fold(0.0, f64::max);
        if largest <= 0.0 {
            return None;
        }
        let numbers = self.numbers();
        let about = format!("Response of {tissue}, {}: {numbers}", self.name);
        let (x0, y0) = (PANEL / 2.0, ABOVE + RADIUS);
        let mut svg = Svg::new("plot", PANEL, y0 + RADIUS + MARGIN, &about);
        svg.limit_width(maximum(PANEL));
        svg.text("heading", 2.0, 12.0, "start", &self.name);
        svg.text("tick", 2.0, 28.0, "start", &numbers);
        for part in [0.5, 1.0] {
            let ring: Vec<_> = (0..=SIDES)
                .map(|n| on_circle((x0, y0), part * RADIUS, 2.0 * PI * n as f64 / SIDES as f64))
                .collect();
            svg.polyline("ring-line", &ring);
        }
        svg.line("grid", x0 - RADIUS, y0, x0 + RADIUS, y0);
        svg.line("axis", x0, y0 - RADIUS - 6.0, x0, y0 + RADIUS + 6.0);
        svg.text("tick", x0 + RADIUS + 5.0, y0 + 4.0, "start", &human::number(largest, 3));
        svg.polyline("curve", &self.curve((x0, y0), RADIUS / largest));
        Some(svg.finish())
    }

    /// Returns the points of the closed curve of a polar plot. The direction of the fibres is vertical. A
    /// signal that is negative or not finite is drawn at the centre.
    fn curve(&self, middle: (f64, f64), scale: f64) -> Vec<(f64, f64)> {
        let quarter: Vec<f64> = match self.amplitudes[..] {
            [same] => vec![same; SIDES / 4 + 1],
            _ => self.amplitudes.clone(),
        };
        let steps = quarter.len() - 1;
        let at = |step: usize| {
            // The points of the curve run clockwise from the top. From the top to the right, the angle to the
            // fibres ascends. It then descends, ascends and descends again in the other three quarters.
            let (turn, within) = (step / steps, step % steps);
            let amplitude = quarter[if turn.is_multiple_of(2) { within } else { steps - within }];
            let angle = FRAC_PI_2 * step as f64 / steps as f64;
            on_circle(middle, scale * if amplitude.is_finite() { amplitude.max(0.0) } else { 0.0 }, angle)
        };
        (0..=4 * steps).map(at).collect()
    }
}

/// Returns the point at a distance `radius` from a centre, in the direction `angle`. The angle is measured
/// clockwise from the vertical.
fn on_circle((x0, y0): (f64, f64), radius: f64, angle: f64) -> (f64, f64) {
    (x0 + radius * angle.sin(), y0 - radius * angle.cos())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(amplitudes: Vec<f64>) -> ResponseShell {
        ResponseShell { name: "b 1000 s/mm²".into(), amplitudes }
    }

    #[test]
    fn curve_radii_are_proportional_to_signals() {
        // The test signal is 1 + sin² of the angle to the fibres, in steps of 10°.
        let signal = |n: usize| 1.0 + (n as f64 * PI / 18.0).sin().powi(2);
        let curve = shell((0..=9).map(signal).collect()).curve((100.0, 100.0), 10.0);
        assert_eq!(curve.len(), 37);
        for (n, (x, y)) in curve.iter().enumerate() {
            let (right, up) = (x - 100.0, 100.0 - y);
            let angle = right.atan2(up);
            assert!((right.hypot(up) - 10.0 * (1.0 + angle.sin().powi(2))).abs() < 1e-9, "{n}");
        }
        let near = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).hypot(a.1 - b.1) < 1e-9;
        assert!(near(curve[0], (100.0, 90.0)), "along fibres is up");
        assert!(near(curve[9], (120.0, 100.0)) && near(curve[18], (100.0, 110.0)));
        assert!(near(curve[0], curve[36]), "it is closed");
        let negative = shell(vec![-1.0, f64::NAN, 2.0]).curve((0.0, 0.0), 1.0);
        assert!(near(negative[0], (0.0, 0.0)) && near(negative[1], (0.0, 0.0)));
    }

    #[test]
    fn each_shell_lists_its_values() {
        let figure = ResponseFigure {
            title: "white matter".into(),
            shells: vec![shell(vec![812.25]), shell(vec![100.0, 150.0, 412.5]), shell(vec![f64::NAN])],
            ..ResponseFigure::default()
        };
        let [drawn] = &figure.draw()[..] else { panic!("one drawing") };
        let html = drawn.html();
        assert!(html.contains("812.2 in all directions") || html.contains("812.3 in all directions"));
        assert!(html.contains("along fibres 100, across 412.5") && html.contains("of-2"));
        assert!(!html.contains("NaN"));
        assert!(ResponseFigure::default().draw().is_empty());
    }
}
