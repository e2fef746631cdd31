//! Drawings that stay readable: each is made for a narrow and for a wide place, and the page shows the one that fits.

/// For how wide a place something is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// A telephone.
    Narrow,
    /// Half of a wide page, or more.
    Wide,
}

impl Room {
    /// How wide a plot is drawn, in px; the page shrinks it hardly, so that letters keep their size.
    pub(crate) fn width(self) -> f64 {
        match self {
            Self::Narrow => 320.0,
            Self::Wide => 500.0,
        }
    }

    /// How wide a plot is shown at most, in px.
    pub(crate) fn most(self) -> f64 {
        most(self.width())
    }

    /// Points of a line that can be told apart.
    pub(crate) fn points(self) -> usize {
        match self {
            Self::Narrow => 600,
            Self::Wide => 1500,
        }
    }
}

/// How wide a plot that is drawn so wide is shown at most, in px.
pub(crate) fn most(width: f64) -> f64 {
    1.4 * width
}

/// How wide plots beside each other are drawn, in px: the style sheet has as many of them in a row as fit.
pub(crate) const PANEL: f64 = 280.0;

/// Widths of places, in px, that style sheets know, from which on the wide drawing is shown.
const STEPS: [f64; 4] = [500.0, 760.0, 960.0, 1120.0];

/// Both drawings of one thing, `wide` of which needs so many px.
pub(crate) struct Drawing {
    pub(crate) narrow: String,
    pub(crate) wide: String,
    pub(crate) needs: f64,
}

impl Drawing {
    /// Both drawings of plots.
    pub(crate) fn of_plots(draw: impl Fn(Room) -> Vec<String>) -> Vec<Self> {
        let pairs = draw(Room::Narrow).into_iter().zip(draw(Room::Wide));
        pairs.map(|(narrow, wide)| Self { narrow, wide, needs: Room::Wide.width() }).collect()
    }

    /// What fits any place.
    pub(crate) fn of_one(drawing: String) -> Self {
        Self { narrow: drawing.clone(), wide: drawing, needs: 0.0 }
    }

    /// For the page: one of the two is shown, or the narrow one alone where no page has room for the wide one.
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

/// How wide a text is, in px: letters of the widest of the usual fonts.
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

/// A text in lines of so many px at most, where its words are short enough.
pub(crate) fn lines(text: &str, size: f64, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(&format!("{line} {word}"), size) <= most => {
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
    fn the_page_shows_what_fits() {
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
    fn lines_hold_whole_words() {
        assert_eq!(lines("root mean square error", 10.0, 100.0), ["root mean square", "error"]);
        assert_eq!(lines("parietal_inferior_right_of_all", 10.0, 20.0), ["parietal_inferior_right_of_all"]);
        assert!(lines("", 10.0, 20.0).is_empty());
    }
}
