//! Drawings in two widths. Each drawing has a narrow and a wide version, and the page shows the version that
//! fits the screen.

/// The width for which a version of a drawing is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlotWidth {
    /// The width of a phone.
    Narrow,
    /// The width for pages on large screens: at least half of the width of a wide page.
    Wide,
}

impl PlotWidth {
    /// Returns the width of a plot, in px. The page displays a plot of this width almost unscaled, so that
    /// its letters keep their size.
    pub(crate) fn width(self) -> f64 {
        match self {
            Self::Narrow => 320.0,
            Self::Wide => 500.0,
        }
    }

    /// Returns the maximum width in px to which the page may enlarge a plot.
    pub(crate) fn maximum(self) -> f64 {
        maximum(self.width())
    }

    /// Returns the number of points of a curve that can be distinguished in a plot of this width.
    pub(crate) fn points(self) -> usize {
        match self {
            Self::Narrow => 600,
            Self::Wide => 1500,
        }
    }
}

/// Returns the maximum width in px to which the page may enlarge a plot that was drawn with the width
/// `width`.
pub(crate) fn maximum(width: f64) -> f64 {
    1.4 * width
}

/// The width in px of plots that are next to each other. The style sheet puts as many of these plots in a row
/// as fit.
pub(crate) const PANEL: f64 = 280.0;

/// The page widths in px that the style sheet distinguishes. A drawing has one of these widths as its limit.
/// If the page is wider, the wide version is shown.
const STEPS: [f64; 4] = [500.0, 760.0, 960.0, 1120.0];

/// The narrow and the wide version of a drawing. The third field is the page width in px from which the wide
/// version fits.
pub(crate) struct Drawing {
    pub(crate) narrow: String,
    pub(crate) wide: String,
    pub(crate) needs: f64,
}

impl Drawing {
    /// Draws both versions of some plots.
    pub(crate) fn of_plots(draw: impl Fn(PlotWidth) -> Vec<String>) -> Vec<Self> {
        let pairs = draw(PlotWidth::Narrow).into_iter().zip(draw(PlotWidth::Wide));
        pairs.map(|(narrow, wide)| Self { narrow, wide, needs: PlotWidth::Wide.width() }).collect()
    }

    /// Creates a drawing that has the same version for all page widths.
    pub(crate) fn of_one(drawing: String) -> Self {
        Self { narrow: drawing.clone(), wide: drawing, needs: 0.0 }
    }

    /// Returns the HTML of both versions of the drawing, of which the page displays one. If the wide version
    /// fits no page, only the narrow version is included.
    pub(crate) fn html(&self) -> String {
        let from = STEPS.iter().find(|step| **step >= self.needs);
        match from {
            Some(from) if self.narrow != self.wide => format!(
                r#"<div class="until-{from}">{}</div><div class="from-{from}">{}</div>"#,
                self.narrow, self.wide
            ),
            _ => self.narrow.clone(),
        }
    }
}

/// Returns the width of a text in px. The estimate is for the widest common font.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    let letter = |c: char| match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '|' | '\'' | ' ' | '(' | ')' | 'f' | 't' | 'r' => 0.4,
        '⁰'..='⁹' | '⁻' | '²' | '³' | '¹' => 0.42,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '−' | '×' | '½' => 0.95,
        c if c.is_uppercase() => 0.75,
        _ => 0.64,
    };
    text.chars().map(letter).sum::<f64>() * size
}

/// Divides a text into lines that are at most `maximum` px wide. A word that is longer is not broken.
pub(crate) fn lines(text: &str, size: f64, maximum: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(&format!("{line} {word}"), size) <= maximum => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_shows_the_version_that_fits() {
        let drawing = |needs| Drawing { narrow: "n".into(), wide: "w".into(), needs };
        assert_eq!(drawing(600.0).html(), r#"<div class="until-760">n</div><div class="from-760">w</div>"#);
        assert_eq!(drawing(5000.0).html(), "n", "no page is so wide");
        assert_eq!(Drawing::of_one("x".into()).html(), "x");
        let styles = include_str!("../template/report.css");
        for step in STEPS {
            let rule = format!(
                "@container (min-width: {step}px) {{ .until-{step} {{ display: none; }} .from-{step} {{ display: block; }} }}"
            );
            assert!(styles.contains(&rule), "{rule}");
        }
        assert!(styles.contains(&format!("minmax(min(100%, max({PANEL}px, ")));
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(lines("root mean square error", 10.0, 100.0), ["root mean square", "error"]);
        assert_eq!(lines("parietal_inferior_right_of_all", 10.0, 20.0), ["parietal_inferior_right_of_all"]);
        assert!(lines("", 10.0, 20.0).is_empty());
    }
}
