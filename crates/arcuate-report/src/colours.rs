use crate::svg::Svg;
use crate::{axis::Axis, human};

/// How a value between the ends of a window is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColourScale {
    /// Black to white, as scanners show images.
    #[default]
    Gray,
    /// Black through red to pale yellow, evenly perceived: for errors and other heat.
    Inferno,
    /// Violet through green to yellow, evenly perceived: for matrices.
    Viridis,
}

impl ColourScale {
    /// The colour at `fraction` of the window, clamped to its ends; what is no number is black.
    pub fn colour(self, fraction: f64) -> [u8; 3] {
        let points = self.control_points();
        if fraction.is_nan() {
            return [0; 3];
        }
        let place = fraction.clamp(0.0, 1.0) * (points.len() - 1) as f64;
        let low = (place as usize).min(points.len() - 2);
        let t = place - low as f64;
        std::array::from_fn(|c| {
            let (a, b) = (f64::from(points[low][c]), f64::from(points[low + 1][c]));
            (a + (b - a) * t).round() as u8
        })
    }

    /// Evenly spaced colours; between them the scale is linear. Inferno and viridis are samples of the tables that
    /// matplotlib dedicates to the public domain.
    fn control_points(self) -> &'static [[u8; 3]] {
        match self {
            Self::Gray => &[[0, 0, 0], [255, 255, 255]],
            Self::Inferno => &[
                [0, 0, 4],
                [31, 12, 72],
                [85, 15, 109],
                [136, 34, 106],
                [186, 54, 85],
                [227, 89, 51],
                [249, 140, 10],
                [249, 201, 50],
                [252, 255, 164],
            ],
            Self::Viridis => &[
                [68, 1, 84],
                [71, 44, 122],
                [59, 81, 139],
                [44, 113, 142],
                [33, 144, 141],
                [39, 173, 129],
                [92, 200, 99],
                [170, 220, 50],
                [253, 231, 37],
            ],
        }
    }

    pub(crate) fn css(self, fraction: f64) -> String {
        css(self.colour(fraction))
    }
}

/// A colour as drawings and styles write it.
pub(crate) fn css([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Colours that people who confuse red and green tell apart too (Okabe and Ito 2008, "Color universal design").
const CLASSES: [[u8; 3]; 8] = [
    [230, 159, 0],
    [86, 180, 233],
    [0, 158, 115],
    [240, 228, 66],
    [0, 114, 178],
    [213, 94, 0],
    [204, 121, 167],
    [200, 200, 200],
];

/// The colour of a class; from the ninth on they come again.
pub(crate) fn class_colour(class: usize) -> [u8; 3] {
    CLASSES[class % CLASSES.len()]
}

/// The colours of classes with their names, a line each.
pub(crate) fn class_key(names: &[String]) -> String {
    let (width, line) = (420.0, 20.0);
    let height = 8.0 + line * names.len() as f64;
    let mut svg = Svg::new("colour-bar", width, height, &format!("Colours: {}", names.join(", ")));
    svg.limit_width(width);
    for (n, name) in names.iter().enumerate() {
        let top = 4.0 + line * n as f64;
        svg.rect("class", [22.0, top, 14.0, 14.0], Some(&css(class_colour(n))), None);
        svg.text("tick", 44.0, top + 11.5, "start", name);
    }
    svg.finish()
}

/// Classes of colours for a few lines, those first that are told apart best on white and on black.
const LINES: [usize; 7] = [1, 5, 2, 4, 6, 0, 7];

/// The colour of one of so many lines: apart where they are few, in their order where they are many.
pub(crate) fn line_colour(line: usize, count: usize) -> String {
    let colour = if count <= LINES.len() {
        class_colour(LINES[line])
    } else {
        // The pale end is left out: nobody would see it on white.
        ColourScale::Viridis.colour(0.85 * line as f64 / (count - 1) as f64)
    };
    css(colour)
}

/// The colours of lines with their names, in columns.
pub(crate) fn line_key<T: AsRef<str>>(names: &[T]) -> String {
    let (column, line, columns) = (132.0, 20.0, 5);
    let width = column * columns.min(names.len()) as f64 + 20.0;
    let height = 8.0 + line * names.len().div_ceil(columns) as f64;
    let all: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let mut svg = Svg::new("colour-bar", width, height, &format!("Colours: {}", all.join(", ")));
    svg.limit_width(width);
    for (n, name) in all.iter().enumerate() {
        let (x, y) = (14.0 + column * (n % columns) as f64, 14.0 + line * (n / columns) as f64);
        svg.begin_colour(&line_colour(n, all.len()));
        svg.dot("measured", x, y, 4.0);
        svg.end_colour();
        svg.text("tick", x + 11.0, y + 4.0, "start", name);
    }
    svg.finish()
}

/// The width of a letter of a colour bar's label, at most.
const LETTER: f64 = 6.6;
/// Fields of a colour bar: more than an eye tells apart.
const STEPS: usize = 64;

/// A horizontal bar from one end of a colour scale to the other with the values under it. `zero` adds a field for
/// "none", which a logarithmic scale cannot reach.
pub(crate) fn colour_bar(scale: ColourScale, axis: &Axis, label: &str, zero: Option<&str>) -> String {
    let (width, height): (f64, f64) = (240.0, 12.0);
    let below = axis.label(label);
    // A label that is longer than the bar has room on both sides.
    let beside = (LETTER * below.chars().count() as f64 - width) / 2.0;
    let left = beside.max(if zero.is_some() { 74.0 } else { 22.0 });
    let total = left + width + beside.max(26.0);
    let mut svg = Svg::new("colour-bar", total, 46.0, &format!("Colour scale: {label}"));
    svg.limit_width(total);
    if let Some(zero) = zero {
        svg.rect("zero", [left - 52.0, 4.0, 16.0, height], None, None);
        svg.text("tick", left - 44.0, 29.0, "middle", zero);
    }
    for step in 0..STEPS {
        let from = step as f64 / STEPS as f64;
        let x = left + from * width;
        // A little wider than its place, so that no seam shows between two fields.
        let wide = (width / STEPS as f64 + 0.4).min(left + width - x);
        let colour = scale.css((step as f64 + 0.5) / STEPS as f64);
        svg.rect("", [x, 4.0, wide, height], Some(&colour), None);
    }
    svg.rect("frame", [left, 4.0, width, height], None, None);
    for (value, text) in axis.ticks() {
        let x = left + axis.place(value) * width;
        svg.line("tick-mark", x, 4.0 + height, x, 4.0 + height + 3.0);
        svg.text("tick", x, 29.0, "middle", &text);
    }
    svg.text("axis-label", left + width / 2.0, 43.0, "middle", &below);
    svg.finish()
}

/// The key of a direction-coloured map.
pub(crate) fn direction_key() -> String {
    let mut svg = Svg::new(
        "colour-bar",
        420.0,
        22.0,
        "Colour key: red left to right, green front to back, blue up and down",
    );
    svg.limit_width(420.0);
    for (n, (colour, text)) in
        [("#e02020", "left – right"), ("#1fa83a", "front – back"), ("#3b5bff", "up – down")]
            .iter()
            .enumerate()
    {
        let x = 4.0 + n as f64 * 140.0;
        svg.rect("", [x, 5.0, 12.0, 12.0], Some(colour), None);
        svg.text("tick", x + 19.0, 15.5, "start", text);
    }
    svg.finish()
}

/// A linear bar of a window.
pub(crate) fn window_bar(scale: ColourScale, window: [f64; 2], quantity: &str) -> String {
    let axis = Axis::exactly(window[0], window[1]);
    let label = if quantity.is_empty() {
        format!("{} to {}", human::number(window[0], 3), human::number(window[1], 3))
    } else {
        quantity.to_owned()
    };
    colour_bar(scale, &axis, &label, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_go_from_end_to_end_and_stay_there() {
        for scale in [ColourScale::Gray, ColourScale::Inferno, ColourScale::Viridis] {
            let points = scale.control_points();
            assert_eq!(scale.colour(0.0), points[0]);
            assert_eq!(scale.colour(1.0), *points.last().unwrap());
            assert_eq!(scale.colour(-3.0), points[0]);
            assert_eq!(scale.colour(f64::INFINITY), *points.last().unwrap());
            assert_eq!(scale.colour(f64::NAN), [0; 3]);
        }
        assert_eq!(ColourScale::Gray.colour(0.5), [128; 3]);
    }

    #[test]
    fn long_labels_have_room() {
        let width = |quantity: &str| -> f64 {
            let svg = window_bar(ColourScale::Gray, [0.0, 1.0], quantity);
            let (_, after) = svg.split_once("viewBox=\"0 0 ").unwrap();
            after.split_once(' ').unwrap().0.parse().unwrap()
        };
        assert_eq!(width("short"), 288.0);
        assert!(width(&"n".repeat(60)) > 60.0 * 6.0);
    }

    #[test]
    fn brighter_means_more() {
        let light =
            |c: [u8; 3]| 0.2126 * f64::from(c[0]) + 0.7152 * f64::from(c[1]) + 0.0722 * f64::from(c[2]);
        for scale in [ColourScale::Gray, ColourScale::Inferno, ColourScale::Viridis] {
            let values: Vec<f64> = (0..=50).map(|n| light(scale.colour(f64::from(n) / 50.0))).collect();
            assert!(values.windows(2).all(|pair| pair[1] > pair[0]), "{scale:?}");
        }
    }
}
