use crate::axis::Axis;
use crate::svg::Svg;

/// The frame of a plot: axes, ticks, labels, and the way from values to the page.
pub(crate) struct Plot {
    pub(crate) svg: Svg,
    pub(crate) horizontal: Axis,
    pub(crate) vertical: Axis,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

/// Where the frame begins, and with it an inset, in pixels.
pub(crate) const LEFT: f64 = 78.0;
/// Room around the frame on the other sides.
const RIGHT: f64 = 16.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 48.0;

impl Plot {
    /// A frame of `width` × `height` pixels in all; `inset` keeps room at the left end of the horizontal axis.
    pub(crate) fn new(
        size: [f64; 2],
        axes: (Axis, Axis),
        labels: [&str; 2],
        description: &str,
        inset: f64,
    ) -> Self {
        let [width, height] = size;
        let (horizontal, vertical) = axes;
        let mut plot = Self {
            svg: Svg::new("plot", width, height, description),
            horizontal,
            vertical,
            left: LEFT + inset,
            top: TOP,
            width: width - LEFT - inset - RIGHT,
            height: height - TOP - BOTTOM,
        };
        let (bottom, right) = (plot.top + plot.height, plot.left + plot.width);
        for (value, text) in plot.vertical.ticks() {
            let y = plot.y(value);
            plot.svg.line("grid", LEFT, y, right, y);
            plot.svg.text("tick", LEFT - 8.0, y + 4.0, "end", &text);
        }
        for (value, text) in plot.horizontal.ticks() {
            let x = plot.x(value);
            plot.svg.line("tick-mark", x, bottom, x, bottom + 5.0);
            plot.svg.text("tick", x, bottom + 18.0, "middle", &text);
        }
        plot.svg.line("axis", LEFT, bottom, right, bottom);
        plot.svg.line("axis", LEFT, plot.top, LEFT, bottom);
        plot.svg.text(
            "axis-label",
            f64::midpoint(plot.left, right),
            height - 8.0,
            "middle",
            &plot.horizontal.label(labels[0]),
        );
        plot.svg.turned_text(
            "axis-label",
            16.0,
            f64::midpoint(plot.top, bottom),
            -90.0,
            "middle",
            &plot.vertical.label(labels[1]),
        );
        plot
    }

    /// Where a horizontal value is on the page.
    pub(crate) fn x(&self, value: f64) -> f64 {
        self.left + self.horizontal.place(value) * self.width
    }

    /// Where a vertical value is on the page.
    pub(crate) fn y(&self, value: f64) -> f64 {
        self.top + (1.0 - self.vertical.place(value)) * self.height
    }

    /// The line of the horizontal axis.
    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height
    }
}
