use crate::axis::Axis;
use crate::plot_width::{PlotWidth, lines, maximum, text_width};
use crate::svg::Svg;

/// The frame of a plot with its axes, ticks and labels. It converts the values of data to coordinates in the
/// drawing.
pub(crate) struct Plot {
    pub(crate) svg: Svg,
    pub(crate) horizontal: Axis,
    pub(crate) vertical: Axis,
    frame: f64,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

/// The height of letters and the height of a line of text, in px.
const LETTER: f64 = 12.0;
const LINE: f64 = 16.0;
/// The margin around the frame of the plot in px, in addition to the space for texts.
const MARGIN: f64 = 14.0;

/// The layout of a plot, in px.
pub(crate) struct Layout<'a> {
    /// The width of the whole drawing.
    pub(crate) width: f64,
    /// The height of the frame.
    pub(crate) height: f64,
    /// The width at the left end of the horizontal axis that is reserved for points without a horizontal
    /// position.
    pub(crate) inset: f64,
    /// The minimum distance of the frame's left edge from the left edge of the drawing. It aligns the frame
    /// with the frame of another plot.
    pub(crate) frame: f64,
    /// The heading of the plot, and a line of text below the heading. Both may be empty.
    pub(crate) heading: [&'a str; 2],
}

impl Plot {
    /// Creates a plot whose frame is `height` px high. `inset` is the width in px at the left end of the
    /// horizontal axis that is reserved for points without a horizontal position.
    pub(crate) fn new(
        plot_width: PlotWidth,
        height: f64,
        axes: (Axis, Axis),
        labels: [&str; 2],
        description: &str,
        inset: f64,
    ) -> Self {
        let layout = Layout { width: plot_width.width(), height, inset, frame: 0.0, heading: ["", ""] };
        Self::laid_out(&layout, axes, labels, description)
    }

    /// Returns the distance of the frame's left edge from the left edge of the drawing, in px. It depends on
    /// the width of the texts at the vertical axis.
    pub(crate) fn frame_of(vertical: &Axis, height: f64) -> f64 {
        let rungs = vertical.ticks_along(height, |_| LINE);
        rungs.iter().map(|(_, text)| text_width(text, LETTER)).fold(0.0, f64::max) + 12.0
    }

    /// Creates a plot with this layout.
    pub(crate) fn laid_out(
        layout: &Layout<'_>,
        axes: (Axis, Axis),
        labels: [&str; 2],
        description: &str,
    ) -> Self {
        let Layout { width, height, inset, heading, .. } = *layout;
        let (horizontal, vertical) = axes;
        let wrapped = |text: &str| lines(text, LETTER, width - 2.0 * MARGIN);
        let below = wrapped(&horizontal.label(labels[0]));
        // The label of the vertical axis is written horizontally above the axis, so that it is easy to read.
        let vertical_label = vertical.label(labels[1]);
        let texts = [("heading", heading[0]), ("tick", heading[1]), ("axis-label", &vertical_label)];
        let above: Vec<(&str, String)> = texts
            .into_iter()
            .flat_map(|(class, text)| wrapped(text).into_iter().map(move |line| (class, line)))
            .collect();
        let rungs = vertical.ticks_along(height, |_| LINE);
        let frame = Self::frame_of(&vertical, height).max(layout.frame);
        let left = frame + inset;
        let steps = horizontal.ticks_along(width - left - MARGIN, |text| text_width(text, LETTER) + 8.0);
        let beyond = steps.last().map_or(0.0, |(_, text)| text_width(text, LETTER) / 2.0);
        let top = MARGIN + LINE * above.len() as f64;
        let total = top + height + 24.0 + LINE * below.len() as f64 + 4.0;
        let mut svg = Svg::new("plot", width, total, description);
        svg.limit_width(maximum(width));
        let mut plot = Self {
            svg,
            horizontal,
            vertical,
            frame,
            left,
            top,
            width: width - left - MARGIN.max(beyond + 2.0),
            height,
        };
        let (bottom, right) = (plot.top + plot.height, plot.left + plot.width);
        for (value, text) in rungs {
            let y = plot.y(value);
            plot.svg.line("grid", frame, y, right, y);
            plot.svg.text("tick", frame - 6.0, y + 4.0, "end", &text);
        }
        for (value, text) in steps {
            let x = plot.x(value);
            plot.svg.line("tick-mark", x, bottom, x, bottom + 5.0);
            plot.svg.text("tick", x, bottom + 18.0, "middle", &text);
        }
        plot.svg.line("axis", frame, bottom, right, bottom);
        plot.svg.line("axis", frame, plot.top, frame, bottom);
        for (n, (class, line)) in above.iter().enumerate() {
            plot.svg.text(class, 2.0, LETTER + LINE * n as f64, "start", line);
        }
        let middle = f64::midpoint(frame, right);
        for (n, line) in below.iter().enumerate() {
            // If the label of the vertical axis is long, it begins to the left of this axis.
            let half = text_width(line, LETTER) / 2.0;
            let x = middle.min(width - half).max(half);
            plot.svg.text("axis-label", x, bottom + 36.0 + LINE * n as f64, "middle", line);
        }
        plot
    }

    /// Returns the horizontal coordinate of the frame's left edge, in px. The width that is reserved for
    /// points without a horizontal position begins at the same coordinate.
    pub(crate) fn frame(&self) -> f64 {
        self.frame
    }

    /// Returns the horizontal coordinate in the drawing at which a value is drawn.
    pub(crate) fn x(&self, value: f64) -> f64 {
        self.left + self.horizontal.place(value) * self.width
    }

    /// Returns the vertical coordinate in the drawing at which a value is drawn.
    pub(crate) fn y(&self, value: f64) -> f64 {
        self.top + (1.0 - self.vertical.place(value)) * self.height
    }

    /// Returns the vertical coordinate of the upper edge of the frame.
    pub(crate) fn top(&self) -> f64 {
        self.top
    }

    /// Returns the vertical coordinate of the horizontal axis, which is the lower edge of the frame.
    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height
    }
}
