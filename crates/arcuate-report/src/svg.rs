use std::fmt::Write;

/// An SVG drawing within a page. The colours of lines and text come from CSS classes, so that they follow the
/// light or dark theme of the page. The drawing itself only states colours that represent a value.
pub(crate) struct Svg {
    class: String,
    width: f64,
    height: f64,
    description: String,
    limit: Option<f64>,
    body: String,
}

impl Svg {
    /// Creates an empty drawing that is `width` units wide and `height` units high. Screen readers read the
    /// text `description` instead of the drawing.
    pub(crate) fn new(class: &str, width: f64, height: f64, description: &str) -> Self {
        Self {
            class: class.to_owned(),
            width,
            height,
            description: description.to_owned(),
            limit: None,
            body: String::new(),
        }
    }

    /// Returns the width of the drawing.
    pub(crate) fn width(&self) -> f64 {
        self.width
    }

    /// Limits the width in px to which the page may enlarge the drawing.
    pub(crate) fn limit_width(&mut self, pixels: f64) {
        self.limit = Some(pixels);
    }

    /// Draws a box. `place` has the coordinates x and y of its upper left corner, its width and its height.
    /// If the pointer is over the box, the text `hint` is shown.
    pub(crate) fn rect(&mut self, class: &str, place: [f64; 4], fill: Option<&str>, hint: Option<&str>) {
        let [x, y, width, height] = place;
        let (x, y, w, h) = (short(x), short(y), short(width.max(0.0)), short(height.max(0.0)));
        self.put(&format!(r#"<rect{} x="{x}" y="{y}" width="{w}" height="{h}""#, class_attribute(class)));
        if let Some(fill) = fill {
            self.put(&format!(r#" fill="{}""#, escape(fill)));
        }
        match hint {
            Some(hint) => self.put(&format!("><title>{}</title></rect>", escape(hint))),
            None => self.put("/>"),
        }
    }

    pub(crate) fn line(&mut self, class: &str, x1: f64, y1: f64, x2: f64, y2: f64) {
        let (x1, y1, x2, y2) = (short(x1), short(y1), short(x2), short(y2));
        self.put(&format!(r#"<line{} x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>"#, class_attribute(class)));
    }

    /// Draws text at a point. `anchor` is the alignment of the text relative to the point: `start`, `middle`
    /// or `end`.
    pub(crate) fn text(&mut self, class: &str, x: f64, y: f64, anchor: &str, text: &str) {
        self.put(&format!(
            r#"<text{} x="{}" y="{}" text-anchor="{anchor}">{}</text>"#,
            class_attribute(class),
            short(x),
            short(y),
            escape(text)
        ));
    }

    /// Draws text with a letter size that is given in units of the drawing.
    pub(crate) fn sized_text(&mut self, class: &str, size: f64, x: f64, y: f64, anchor: &str, text: &str) {
        self.put(&format!(
            r#"<text{} x="{}" y="{}" font-size="{}" text-anchor="{anchor}">{}</text>"#,
            class_attribute(class),
            short(x),
            short(y),
            short(size),
            escape(text)
        ));
    }

    /// Draws text that is rotated by `degrees` (clockwise) about the point at which it is drawn.
    pub(crate) fn turned_text(
        &mut self,
        class: &str,
        x: f64,
        y: f64,
        degrees: f64,
        anchor: &str,
        text: &str,
    ) {
        let (x, y) = (short(x), short(y));
        self.put(&format!(
            r#"<text{} transform="translate({x} {y}) rotate({})" text-anchor="{anchor}">{}</text>"#,
            class_attribute(class),
            short(degrees),
            escape(text)
        ));
    }

    /// Draws text of a given letter size that is rotated by `degrees` (clockwise) about its beginning.
    pub(crate) fn turned_sized_text(
        &mut self,
        class: &str,
        size: f64,
        x: f64,
        y: f64,
        degrees: f64,
        text: &str,
    ) {
        self.put(&format!(
            r#"<text{} transform="translate({} {}) rotate({})" font-size="{}">{}</text>"#,
            class_attribute(class),
            short(x),
            short(y),
            short(degrees),
            short(size),
            escape(text)
        ));
    }

    pub(crate) fn polyline(&mut self, class: &str, points: &[(f64, f64)]) {
        let mut list = String::new();
        for (x, y) in points {
            let _ = write!(list, "{},{} ", short(*x), short(*y));
        }
        self.put(&format!(r#"<polyline{} points="{}"/>"#, class_attribute(class), list.trim_end()));
    }

    /// Draws a curve between two points that bends towards a third point. If the pointer is over the curve,
    /// the text `hint` is shown.
    pub(crate) fn bend(
        &mut self,
        class: &str,
        [from, to]: [(f64, f64); 2],
        towards: (f64, f64),
        colour: &str,
        width: f64,
        hint: &str,
    ) {
        let point = |(x, y): (f64, f64)| format!("{} {}", short(x), short(y));
        self.put(&format!(
            r#"<path{} d="M{}Q{} {}" stroke="{}" stroke-width="{}"><title>{}</title></path>"#,
            class_attribute(class),
            point(from),
            point(towards),
            point(to),
            escape(colour),
            short(width),
            escape(hint)
        ));
    }

    /// Draws many lines as one SVG path. Each line is given by the coordinates x and y of its two ends. A
    /// line of length zero is shown as a dot if its CSS class has round line ends.
    pub(crate) fn lines(&mut self, class: &str, lines: impl IntoIterator<Item = [f64; 4]>) {
        let mut data = String::new();
        for line in lines {
            let [x1, y1, x2, y2] = line.map(short);
            let _ = write!(data, "M{x1} {y1}L{x2} {y2}");
        }
        if !data.is_empty() {
            self.put(&format!(r#"<path{} d="{data}"/>"#, class_attribute(class)));
        }
    }

    pub(crate) fn dot(&mut self, class: &str, x: f64, y: f64, radius: f64) {
        let (x, y, radius) = (short(x), short(y), short(radius));
        self.put(&format!(r#"<circle{} cx="{x}" cy="{y}" r="{radius}"/>"#, class_attribute(class)));
    }

    /// Sets the current colour until [`end_colour`](Self::end_colour) is called. Some CSS classes draw with
    /// the current colour.
    pub(crate) fn begin_colour(&mut self, colour: &str) {
        self.put(&format!(r#"<g color="{}">"#, escape(colour)));
    }

    pub(crate) fn end_colour(&mut self) {
        self.put("</g>");
    }

    /// Draws a picture that is stretched over a box. `address` is the picture's data URI.
    pub(crate) fn image(&mut self, class: &str, x: f64, y: f64, width: f64, height: f64, address: &str) {
        self.put(&format!(
            r#"<image{} x="{}" y="{}" width="{}" height="{}" preserveAspectRatio="none" href="{}"/>"#,
            class_attribute(class),
            short(x),
            short(y),
            short(width),
            short(height),
            escape(address)
        ));
    }

    pub(crate) fn finish(self) -> String {
        let style = self
            .limit
            .map_or_else(String::new, |pixels| format!(r#" style="max-width:{}px""#, short(pixels)));
        format!(
            r#"<svg class="{}" viewBox="0 0 {} {}" role="img" aria-label="{}"{style}>{}</svg>"#,
            escape(&self.class),
            short(self.width),
            short(self.height),
            escape(&self.description),
            self.body
        )
    }

    fn put(&mut self, text: &str) {
        self.body.push_str(text);
    }
}

fn class_attribute(class: &str) -> String {
    if class.is_empty() { String::new() } else { format!(r#" class="{}""#, escape(class)) }
}

/// Formats a coordinate with at most two decimals. Coordinates that are NaN are replaced, because a drawing
/// cannot contain NaN.
fn short(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Escapes text for use in elements and quoted attributes.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_in_svg() {
        let mut svg = Svg::new("plot", 10.0, 10.0, "\"><script>");
        svg.text("tick", f64::NAN, -0.001, "start", "</text><script>alert('x')</script>");
        svg.rect("", [0.0, 0.0, -5.0, 1.0 / 3.0], None, Some("a & b"));
        let drawn = svg.finish();
        assert!(!drawn.contains("<script"));
        assert!(!drawn.contains("NaN"));
        assert!(drawn.contains(r#"x="0" y="0""#));
        assert!(drawn.contains(r#"width="0" height="0.33""#));
        assert!(drawn.contains("<title>a &amp; b</title>"));
    }
}
