//! Draws the distribution of a quantity over the scans of a cohort. The plot has a box plot at the top, one
//! point per scan below it, and the names of the outlier scans.

use super::distribution::{Distribution, Outlier};
use super::html::{Links, escape, figure};
use super::outliers::Spread;
use arcuate_report::human;
use std::collections::HashSet;
use std::fmt::Write as _;

/// The maximum number of points of scans in a plot, not counting outliers.
pub(super) const MAX_POINTS: usize = 2000;
/// The maximum number of outlier scans whose names are in the plot, and the maximum number in the list below
/// the plot.
const NAMES: usize = 8;
const LISTED: usize = 30;
/// The maximum number of rows of scan names in the plot, and the height of such a row in pixels.
const ROWS: usize = 4;
const ROW: f64 = 16.0;
/// The heights in pixels of the three rows of a plot: the box plot, the points of the scans, and the value
/// axis.
const BOX: f64 = 24.0;
const POINTS: f64 = 56.0;
const AXIS: f64 = 24.0;
/// The margin to the left of the smallest value and to the right of the largest, in percent of the width of
/// the plot. All widths are percentages, so that text has the same size on any screen.
const SIDE: f64 = 3.0;
/// The width of a letter in percent of the plot's width, for the narrowest plot in which names are shown.
const LETTER: f64 = 1.5;
/// The maximum distance of the ends of the value axis from the quartiles, in interquartile ranges. Without
/// this limit, a single distant value would compress all other values.
const REACH: f64 = 15.0;
/// The minimum number of values for which a box is drawn in the plot.
const MIN_BOX_VALUES: usize = 4;
/// The fractional part of the golden ratio. Its multiples, modulo 1, are evenly distributed between 0 and 1.
const GOLDEN: f64 = 0.618_033_988_749_895;

/// CSS rules that the plots of a cohort need in addition to the CSS rules of a report.
pub(super) const STYLES: &str = "
.strip { container-type: inline-size; }
.strip svg { overflow: visible; }
.strip text { font-size: 12px; }
.strip .grid { stroke: var(--line); }
.strip .point { fill: var(--accent); fill-opacity: 0.55; }
.strip .outlier { fill: var(--warm); stroke: var(--card); }
.strip .point:hover, .strip .outlier:hover { fill: var(--ink); fill-opacity: 1; }
.strip .leader { stroke: var(--warm); stroke-opacity: 0.6; }
.strip .quartiles { fill: var(--accent); fill-opacity: 0.15; stroke: var(--accent); }
.strip .median { stroke: var(--accent); stroke-width: 3; }
.strip .whisker { stroke: var(--accent); }
.outliers { columns: 20rem; margin: 0.75rem 0 0; padding-left: 1.2rem; font-size: 0.875rem; overflow-wrap: anywhere; }
.outliers li { break-inside: avoid; }
@container (max-width: 440px) { .strip .outlier-name, .strip .leader { display: none; } }
";

/// The range of values of a plot.
struct Span {
    low: f64,
    high: f64,
}

impl Span {
    fn of(spread: &Spread) -> Self {
        let [first, last] = spread.quartiles;
        let reach = REACH * (last - first);
        let [low, high] = spread.ends;
        if reach > 0.0 {
            return Self { low: low.max(first - reach), high: high.min(last + reach) };
        }
        Self::between([low, high])
    }

    fn between([low, high]: [f64; 2]) -> Self {
        if high > low {
            return Self { low, high };
        }
        let around = if low == 0.0 { 1.0 } else { 0.05 * low.abs() };
        Self { low: low - around, high: high + around }
    }

    /// Returns the horizontal position of a value, in percent of the width of the plot. A value beyond the
    /// end of the axis is placed at this end.
    fn place(&self, value: f64) -> f64 {
        SIDE + (100.0 - 2.0 * SIDE) * ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// Returns the ticks of the value axis: round values with their labels.
    fn ticks(&self) -> Vec<(f64, String)> {
        let rough = (self.high - self.low) / 5.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * power).find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        let (first, last) = ((self.low / step).ceil(), (self.high / step).floor());
        if !(step > 0.0 && (last - first).abs() <= 10.0) {
            return Vec::new();
        }
        let largest = self.low.abs().max(self.high.abs());
        let digits = ((largest / step).log10().floor().max(0.0) as usize + 2).clamp(2, 12);
        let values = (0..=(last - first) as usize).map(|n| (first + n as f64) * step);
        values.map(|value| (value, human::number(value, digits))).collect()
    }
}

/// Returns the plot of a distribution with its caption, as HTML. Returns `None` if the distribution has no
/// values.
pub(super) fn strip(of: &Distribution, links: &Links) -> Option<String> {
    let spread = of.spread.as_ref()?;
    let span = Span::of(spread);
    let drawn = draw(of, spread, &span, links);
    let list = listed(of, links);
    let [low, high] = spread.quartiles.map(|value| human::number(value, 4));
    let mut caption = format!(
        "Median {}, quartiles {low} to {high}; {} scans.",
        of.value(spread.median),
        human::count(spread.count as u64)
    );
    let is_beyond = |(_, value): &&(usize, f64)| *value < span.low || *value > span.high;
    let beyond = of.points.iter().filter(is_beyond).count();
    if beyond > 0 {
        let values = if beyond == 1 { "value lies" } else { "values lie" };
        // Writing to a string cannot fail.
        let _ =
            write!(caption, " {} {values} beyond the axis, drawn at its end.", human::count(beyond as u64));
    }
    let usual = of.points.len() - of.outliers.len();
    if usual > MAX_POINTS {
        let _ = write!(
            caption,
            " {} of {} points are drawn, evenly by rank, and all that are named.",
            human::count(MAX_POINTS as u64),
            human::count(usual as u64)
        );
    }
    Some(figure("distribution", &of.title, &caption, &format!("<div class=\"strip\">{drawn}</div>\n{list}")))
}

fn draw(of: &Distribution, spread: &Spread, span: &Span, links: &Links) -> String {
    let names = names(of, span, links);
    let rows = names.iter().map(|name| name.row + 1).max().unwrap_or(0);
    let top = ROW * rows as f64;
    let points = top + BOX;
    let bottom = points + POINTS;
    let mut svg = format!(
        r#"<svg role="img" aria-label="{}: values of {} scans" style="height:{}px">"#,
        escape(&of.title),
        spread.count,
        bottom + AXIS
    );
    for (value, text) in span.ticks() {
        let x = span.place(value);
        let _ = write!(
            svg,
            r#"<line class="grid" x1="{x:.2}%" x2="{x:.2}%" y1="{top}" y2="{bottom}"/><text class="tick" x="{x:.2}%" y="{}" text-anchor="middle">{text}</text>"#,
            bottom + 16.0
        );
    }
    if spread.count >= MIN_BOX_VALUES {
        svg.push_str(&draw_box(of, spread, span, top));
    }
    let (usual, outliers) = placed(of, points + 6.0);
    for (entry, value, y) in usual {
        let _ = write!(
            svg,
            r#"<circle class="point" cx="{:.2}%" cy="{y:.1}" r="3"><title>{}: {}</title></circle>"#,
            span.place(value),
            escape(links.name(entry)),
            escape(&of.value(value))
        );
    }
    for name in &names {
        let y = ROW * name.row as f64 + 12.0;
        let place =
            outliers.iter().find(|(outlier, _)| outlier.entry == name.entry).map_or(points, |(_, y)| *y);
        let (x, anchor) = (name.x, if name.is_before { "end" } else { "start" });
        let _ = write!(
            svg,
            r#"<line class="leader" x1="{x:.2}%" x2="{x:.2}%" y1="{}" y2="{place:.1}"/><text class="outlier-name" x="{x:.2}%" y="{y}" text-anchor="{anchor}">{}</text>"#,
            y + 2.0,
            escape(links.name(name.entry))
        );
    }
    for (outlier, y) in outliers {
        let circle = format!(
            r#"<circle class="outlier" cx="{:.2}%" cy="{y:.1}" r="4.5"><title>{}: {} ({})</title></circle>"#,
            span.place(outlier.value),
            escape(links.name(outlier.entry)),
            escape(&of.value(outlier.value)),
            outlier.reason()
        );
        svg.push_str(&links.around(outlier.entry, &circle));
    }
    svg + "</svg>"
}

/// Draws the box plot of a distribution: the box between the quartiles, the line at the median, and the
/// whiskers.
fn draw_box(of: &Distribution, spread: &Spread, span: &Span, top: f64) -> String {
    let [low, high] = spread.quartiles.map(|value| span.place(value));
    let [first, last] = spread.whiskers.map(|value| span.place(value));
    let (median, middle) = (span.place(spread.median), top + BOX / 2.0);
    let (above, below) = (top + 4.0, top + BOX - 4.0);
    let [q1, q3, w1, w3] = [spread.quartiles[0], spread.quartiles[1], spread.whiskers[0], spread.whiskers[1]]
        .map(|v| human::number(v, 4));
    let whisker = |from: f64, to: f64| {
        format!(r#"<line class="whisker" x1="{from:.2}%" x2="{to:.2}%" y1="{middle}" y2="{middle}"/>"#)
    };
    format!(
        r#"<g><title>{}: median {}, quartiles {q1} and {q3}, whiskers to {w1} and {w3}</title>{}{}<rect class="quartiles" x="{low:.2}%" width="{:.2}%" y="{above}" height="{}"/><line class="median" x1="{median:.2}%" x2="{median:.2}%" y1="{above}" y2="{below}"/></g>"#,
        escape(&of.title),
        escape(&of.value(spread.median)),
        whisker(first, low),
        whisker(high, last),
        high - low,
        below - above
    )
}

type Usual = Vec<(usize, f64, f64)>;

/// Returns the vertical position of each point of the plot: first of the points of usual scans, then of the
/// points of outlier scans. Points with similar values get different heights, so that they do not overlap.
fn placed(of: &Distribution, top: f64) -> (Usual, Vec<(Outlier, f64)>) {
    let height = POINTS - 12.0;
    let y = |rank: usize| top + height * (0.5 + rank as f64 * GOLDEN).fract();
    let named: HashSet<usize> = of.outliers.iter().map(|outlier| outlier.entry).collect();
    let mut usual: Vec<(usize, f64)> =
        of.points.iter().copied().filter(|(entry, _)| !named.contains(entry)).collect();
    usual.sort_by(|a, b| a.1.total_cmp(&b.1));
    let count = usual.len();
    let drawn = count.min(MAX_POINTS);
    // If only some points are drawn, the points with the smallest and the largest value are always among
    // them.
    let place = |n: usize| if drawn < 2 { n } else { n * (count - 1) / (drawn - 1) };
    let usual = (0..drawn).map(|n| (usual[place(n)], y(n))).map(|((entry, value), y)| (entry, value, y));
    let outliers = of.outliers.iter().enumerate().map(|(rank, outlier)| (*outlier, y(rank)));
    (usual.collect(), outliers.collect())
}

/// The name of an outlier scan in the plot, and its position.
struct Name {
    entry: usize,
    x: f64,
    row: usize,
    /// True if the scan name is to the left of its point, false if it is to the right.
    is_before: bool,
}

/// Returns the names of the outlier scans that are farthest from the median, in rows in which no names
/// overlap. Names for which no row has space are omitted.
fn names(of: &Distribution, span: &Span, links: &Links) -> Vec<Name> {
    let mut taken: Vec<Vec<[f64; 2]>> = Vec::new();
    let mut names = Vec::new();
    for outlier in of.outliers.iter().take(NAMES) {
        let x = span.place(outlier.value);
        let width = LETTER * links.name(outlier.entry).chars().count() as f64;
        let is_before = x > 50.0;
        let [from, to] = if is_before { [x - width, x + 1.0] } else { [x - 1.0, x + width] };
        let is_free = |row: &Vec<[f64; 2]>| row.iter().all(|other| other[1] < from || to < other[0]);
        let row = taken.iter().position(is_free).unwrap_or(taken.len());
        if row < ROWS && from >= 0.0 && to <= 100.0 {
            if row == taken.len() {
                taken.push(Vec::new());
            }
            taken[row].push([from, to]);
            names.push(Name { entry: outlier.entry, x, row, is_before });
        }
    }
    names
}

/// Returns the list of outlier scans below the plot, as HTML.
fn listed(of: &Distribution, links: &Links) -> String {
    let one = |outlier: &Outlier| {
        let (value, reason) = (escape(&of.value(outlier.value)), outlier.reason());
        format!("<li>{}: {value} ({reason})</li>\n", links.link(outlier.entry))
    };
    let items: String = of.outliers.iter().take(LISTED).map(one).collect();
    let more = match of.outliers.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!("<li>and {} more</li>\n", human::count(more as u64)),
    };
    if items.is_empty() { items } else { format!("<ul class=\"outliers\">\n{items}{more}</ul>\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_points_are_thinned_and_outliers_are_kept() {
        let usual = (0..10_000).map(|n| (n, f64::from(n as u32 % 100)));
        let of = Distribution::new("x", "mm", usual.chain([(10_000, 1e6), (10_001, -1e6)]));
        let page = strip(&of, &Links::new(&[], std::path::Path::new("/"))).unwrap();
        assert_eq!(page.matches("class=\"point\"").count(), MAX_POINTS);
        assert_eq!(page.matches("class=\"outlier\"").count(), 2);
        assert!(page.contains("2,000 of 10,000 points are drawn"));
        assert!(page.contains("2 values lie beyond the axis"));
        assert!(!page.contains("NaN"));
    }

    #[test]
    fn axes_have_round_ticks_even_for_equal_values() {
        let texts = |ends| Span::between(ends).ticks().into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(texts([0.0, 97.0]), ["0", "20", "40", "60", "80"]);
        assert_eq!(texts([0.41, 0.47]), ["0.42", "0.44", "0.46"]);
        assert_eq!(texts([-1e-3, 1e-3]), ["−0.001", "−5 × 10⁻⁴", "0", "5 × 10⁻⁴", "0.001"]);
        assert_eq!(Span::between([7.0, 7.0]).place(7.0), 50.0);
        assert!(!texts([0.0, 0.0]).is_empty());
        assert_eq!(strip(&Distribution::new("x", "", []), &Links::new(&[], std::path::Path::new("/"))), None);
    }
}
