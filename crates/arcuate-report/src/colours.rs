use crate::plot_width::{PlotWidth, lines, text_width};
use crate::svg::Svg;
use crate::{axis::Axis, human};
use arcuate_core::saturating;

/// A colour scale, which assigns a colour to each value within a window (a range of values).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColourScale {
    /// Black to white. This scale is usual for scanner images.
    #[default]
    Gray,
    /// Colours from black through red to pale yellow. This colour scale is perceptually uniform, and is used
    /// for errors and heat maps.
    Inferno,
    /// Colours from violet through green to yellow. This colour scale is perceptually uniform, and is used
    /// for matrices.
    Viridis,
}

impl ColourScale {
    /// Returns the colour of a value. `fraction` is the position of the value in the window, and is clamped
    /// to the range from 0 to 1. NaN is shown in black.
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
            saturating::<u8>((a + (b - a) * t).round())
        })
    }

    /// Returns the colours of the scale at equal distances. Between two of these colours, the scale is
    /// linear. The colours of inferno and viridis are samples of the tables of matplotlib, which are in the
    /// public domain.
    pub(crate) fn control_points(self) -> &'static [[u8; 3]] {
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

/// Returns a colour in CSS syntax.
pub(crate) fn css([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Colours that people with red-green colour blindness can distinguish (Okabe and Ito 2008, "Color universal design").
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

/// Returns the colour of a class. Colours repeat after eight classes.
pub(crate) fn class_colour(class: usize) -> [u8; 3] {
    CLASSES[class % CLASSES.len()]
}

/// Indices of the class colours in descending order of their contrast with black.
const ON_BLACK: [usize; 7] = [0, 1, 2, 6, 3, 5, 4];

/// Returns the colour of the named item `number` among `count` items, for a black background. If there are
/// many items, their colours are taken from the hue circle. If regions of a map and groups of streamlines are
/// equal in number and order, they have the same colours.
pub(crate) fn colour_among(number: usize, count: usize) -> [u8; 3] {
    if count <= ON_BLACK.len() {
        return class_colour(ON_BLACK[number % ON_BLACK.len()]);
    }
    let hue = 6.0 * number as f64 / count as f64;
    // Every second colour of the hue circle is paler, so that neighbouring colours can be distinguished.
    let pale = if number.is_multiple_of(2) { 0.15 } else { 0.5 };
    [0.0, 4.0, 2.0].map(|shift| {
        let distance = ((hue + shift) % 6.0 - 3.0).abs();
        let full = (distance - 1.0).clamp(0.0, 1.0);
        saturating::<u8>((255.0 * (pale + (1.0 - pale) * full)).round())
    })
}

/// The height of the letters of a colour key, and the maximum width of a colour key, which then fits on the
/// screen of a phone. Both are in px.
const LETTER: f64 = 12.0;
const KEY: f64 = 320.0;

/// Draws a colour key with the colours of classes and their names, one class per line.
pub(crate) fn class_key(names: &[String]) -> String {
    let colours = names.iter().enumerate().map(|(n, name)| (name.clone(), colour_among(n, names.len())));
    colour_key(&colours.collect::<Vec<_>>())
}

/// Draws a colour key that states which quantities are shown as red, green and blue.
pub(crate) fn mixture_key(names: &[String; 3]) -> String {
    let colours = names.iter().cloned().zip(CHANNELS);
    colour_key(&colours.collect::<Vec<_>>())
}

/// Draws a colour key with colours and their names, one per line.
pub(crate) fn colour_key(colours: &[(String, [u8; 3])]) -> String {
    let swatches = colours.iter().map(|(name, colour)| (css(*colour), name.clone()));
    key("Colours", &swatches.collect::<Vec<_>>(), |svg, colour, middle| {
        svg.rect("class", [8.0, middle - 7.0, 14.0, 14.0], Some(colour), None);
    })
}

/// Draws a colour key with the colours of region outlines and the names of the regions, one per line.
pub(crate) fn outline_key(lines: &[([u8; 3], &str)]) -> String {
    let swatches: Vec<_> = lines.iter().map(|(c, name)| (css(*c), format!("outline: {name}"))).collect();
    key("Outlines", &swatches, |svg, colour, middle| {
        svg.rect("line-key", [2.0, middle - 5.0, 24.0, 10.0], None, None);
        svg.rect("", [4.0, middle - 1.5, 20.0, 3.0], Some(colour), None);
    })
}

/// Draws a colour key with texts, which are wrapped to lines. `swatch` draws a colour at the middle of a
/// line.
fn key(what: &str, entries: &[(String, String)], swatch: impl Fn(&mut Svg, &str, f64)) -> String {
    if entries.is_empty() {
        return String::new();
    }
    let (left, line) = (34.0, 18.0);
    let broken: Vec<_> = entries.iter().map(|(_, text)| lines(text, LETTER, KEY - left)).collect();
    let count: usize = broken.iter().map(|lines| lines.len().max(1)).sum();
    let all: Vec<&str> = entries.iter().map(|(_, text)| text.as_str()).collect();
    let mut svg =
        Svg::new("colour-bar", KEY, 6.0 + line * count as f64, &format!("{what}: {}", all.join(", ")));
    svg.limit_width(KEY);
    let mut top = 3.0;
    for ((colour, _), texts) in entries.iter().zip(broken) {
        swatch(&mut svg, colour, top + line / 2.0);
        for (n, text) in texts.iter().enumerate() {
            svg.text("tick", left, top + line * n as f64 + line / 2.0 + 4.0, "start", text);
        }
        top += line * texts.len().max(1) as f64;
    }
    svg.finish()
}

/// Indices of the class colours for plots with a few lines. They are ordered by how well the colours can be
/// distinguished on white and on black.
const LINES: [usize; 7] = [1, 5, 2, 4, 6, 0, 7];

/// Returns the colour of the plot line with number `line` among `count` lines. A few lines have distinct
/// colours. If there are many lines, their colours form a gradient in the order of the lines.
pub(crate) fn line_colour(line: usize, count: usize) -> String {
    let colour = if count <= LINES.len() {
        class_colour(LINES[line])
    } else {
        // The pale end of the colour scale is not used for plot lines, because it is invisible on white.
        ColourScale::Viridis.colour(0.85 * line as f64 / (count - 1) as f64)
    };
    css(colour)
}

/// Draws a colour key with the colours of plot lines and their names, in several columns.
pub(crate) fn line_key<T: AsRef<str>>(plot_width: PlotWidth, names: &[T]) -> String {
    let all: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let widest = all.iter().map(|name| text_width(name, LETTER)).fold(0.0, f64::max);
    let (width, column, line) = (plot_width.width(), widest + 30.0, 20.0);
    let columns = ((width / column) as usize).max(1);
    let height = 8.0 + line * all.len().div_ceil(columns) as f64;
    let mut svg = Svg::new("colour-bar", width, height, &format!("Colours: {}", all.join(", ")));
    svg.limit_width(plot_width.maximum());
    for (n, name) in all.iter().enumerate() {
        let (x, y) = (10.0 + column * (n % columns) as f64, 14.0 + line * (n / columns) as f64);
        svg.begin_colour(&line_colour(n, all.len()));
        svg.dot("measured", x, y, 4.0);
        svg.end_colour();
        svg.text("tick", x + 11.0, y + 4.0, "start", name);
    }
    svg.finish()
}

/// The number of coloured fields of which a colour bar consists. It is larger than the number of colours that
/// the eye can distinguish.
const STEPS: usize = 64;

/// Draws a horizontal colour bar with the values of the scale below it. `zero` is the text of an additional
/// field for zero, because a logarithmic scale has no zero.
pub(crate) fn colour_bar(scale: ColourScale, axis: &Axis, label: &str, zero: Option<&str>) -> String {
    let (width, height) = (if zero.is_some() { 210.0 } else { 240.0 }, 12.0);
    let below = lines(&axis.label(label), LETTER, KEY);
    let left = if zero.is_some() { 72.0 } else { 40.0 };
    let total = 36.0 + 16.0 * below.len() as f64;
    let mut svg = Svg::new("colour-bar", KEY, total, &format!("Colour scale: {label}"));
    svg.limit_width(KEY);
    if let Some(zero) = zero {
        svg.rect("zero", [left - 52.0, 4.0, 16.0, height], None, None);
        svg.text("tick", left - 44.0, 31.0, "middle", zero);
    }
    for step in 0..STEPS {
        let from = step as f64 / STEPS as f64;
        let x = left + from * width;
        // A field of the colour bar is slightly wider than its place, so that there is no gap between two
        // fields.
        let wide = (width / STEPS as f64 + 0.4).min(left + width - x);
        let colour = scale.css((step as f64 + 0.5) / STEPS as f64);
        svg.rect("", [x, 4.0, wide, height], Some(&colour), None);
    }
    svg.rect("frame", [left, 4.0, width, height], None, None);
    for (value, text) in axis.ticks_along(width, |text| text_width(text, LETTER) + 8.0) {
        let x = left + axis.place(value) * width;
        svg.line("tick-mark", x, 4.0 + height, x, 4.0 + height + 3.0);
        svg.text("tick", x, 31.0, "middle", &text);
    }
    for (n, line) in below.iter().enumerate() {
        let half = text_width(line, LETTER) / 2.0;
        let x = (left + width / 2.0_f64).min(KEY - half).max(half);
        svg.text("axis-label", x, 48.0 + 16.0 * n as f64, "middle", line);
    }
    svg.finish()
}

/// Red, green and blue for a colour key that explains three colours. They are softer than pure colours, as in
/// all colour keys.
const CHANNELS: [[u8; 3]; 3] = [[224, 32, 32], [31, 168, 58], [59, 91, 255]];

/// Draws the key of a direction-coloured map.
pub(crate) fn direction_key() -> String {
    let mut svg = Svg::new(
        "colour-bar",
        KEY,
        22.0,
        "Colour key: red left to right, green front to back, blue up and down",
    );
    svg.limit_width(KEY);
    for (n, (colour, text)) in CHANNELS.iter().zip(["left – right", "front – back", "up – down"]).enumerate()
    {
        let x = 4.0 + n as f64 * 106.0;
        svg.rect("", [x, 5.0, 12.0, 12.0], Some(&css(*colour)), None);
        svg.text("tick", x + 17.0, 15.5, "start", text);
    }
    svg.finish()
}

/// Draws a horizontal colour bar with a linear scale for a window (a range of values).
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
    fn colour_scales_are_clamped_at_their_ends() {
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
    fn long_texts_are_broken_into_lines() {
        let bar = window_bar(ColourScale::Gray, [0.0, 1.0], &"error without streamlines ".repeat(4));
        assert!(bar.contains("viewBox=\"0 0 320 84\""), "{bar}");
        assert_eq!(bar.matches("class=\"axis-label\"").count(), 3);
        let names =
            ["none".to_owned(), "a class whose name is longer than the width of a telephone".to_owned()];
        assert_eq!(class_key(&names).matches("<text").count(), 3);
        assert_eq!(class_key(&[]), "");
    }

    #[test]
    fn larger_values_are_brighter() {
        let light =
            |c: [u8; 3]| 0.2126 * f64::from(c[0]) + 0.7152 * f64::from(c[1]) + 0.0722 * f64::from(c[2]);
        for scale in [ColourScale::Gray, ColourScale::Inferno, ColourScale::Viridis] {
            let values: Vec<f64> = (0..=50).map(|n| light(scale.colour(f64::from(n) / 50.0))).collect();
            assert!(values.windows(2).all(|pair| pair[1] > pair[0]), "{scale:?}");
        }
    }
}
