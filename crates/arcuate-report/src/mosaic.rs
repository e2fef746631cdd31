//! Draws slices of an image next to each other, in as many columns as fit the page.

use crate::outline::Outline;
use crate::png::{Pixels, data_address};
use crate::slices::{Oriented, Plane};
use crate::svg::escape;
use arcuate_core::Result;
use rayon::prelude::*;
use serde_json::Value;
use std::fmt::Write;

/// The maximum numbers of axial, coronal and sagittal slices in the overview of a map. The next constant is
/// the number of columns of slices on a wide page.
pub(crate) const MAX_SLICES: [usize; 3] = [12, 3, 2];
const COLUMNS: usize = 6;
/// The maximum width in px of a slice that is alone in its row. The next constant is the maximum width of a
/// slice next to others.
const ALONE: usize = 460;
const BESIDE: usize = 230;
/// The minimum extent of the image from bottom to top, in mm, for which coronal and sagittal slices are
/// shown.
const THICK: f64 = 30.0;
/// The minimum number of axial slices for which coronal and sagittal slices are shown.
const MANY: usize = 8;

/// The positions of coronal and sagittal slices in the overview of a map. A position is a fraction of the
/// extent of the preferred part of the image. The most important position is first.
const CORONAL: [f64; 3] = [0.5, 0.35, 0.65];
const SAGITTAL: [f64; 2] = [0.4, 0.5];

/// The slices in the overview of a map, row by row.
pub(crate) type Rows = Vec<Vec<(Plane, usize)>>;

/// Returns the slices in the overview of a map. Axial slices come first. If the image extends far enough from
/// bottom to top, coronal and sagittal slices follow. The array argument has the maximum number of slices of
/// each orientation.
pub(crate) fn rows(view: &Oriented<'_>, [axial, coronal, sagittal]: [usize; 3]) -> Rows {
    let mut rows = vec![view.spread(Plane::Axial, axial).into_iter().map(|n| (Plane::Axial, n)).collect()];
    let depth = view.size(Plane::Axial)[2];
    if depth >= MANY && depth as f64 * view.spacing(Plane::Axial)[2] >= THICK {
        let at = |plane: Plane, parts: &[f64], most: usize| {
            let mut slices: Vec<_> =
                parts.iter().take(most).map(|part| (plane, view.at(plane, *part))).collect();
            slices.sort_by_key(|(_, slice)| *slice);
            // If the preferred part of the image is thin, several fractions of its depth give the same slice.
            slices.dedup();
            slices
        };
        let coronal = at(Plane::Coronal, &CORONAL, coronal);
        rows.push(coronal.into_iter().chain(at(Plane::Sagittal, &SAGITTAL, sagittal)).collect());
    }
    rows
}

/// The overview of a map, which shows several of its slices in rows.
pub(crate) struct Mosaic<'a> {
    pub(crate) title: &'a str,
    pub(crate) view: &'a Oriented<'a>,
    /// The slices to show.
    pub(crate) rows: Rows,
    /// The colour of each voxel.
    pub(crate) paint: &'a (dyn Fn(usize) -> [u8; 3] + Sync),
    pub(crate) outlines: &'a [Outline],
}

impl Mosaic<'_> {
    /// Draws the slices of the overview. The element is completed by [`with_stack`](Self::with_stack).
    pub(crate) fn draw_slices(&self) -> Result<String> {
        let columns = self.rows.first().map_or(1, Vec::len).clamp(1, COLUMNS);
        // If the overview has only a few slices, they are not enlarged to the width of the page.
        let most = columns * if columns == 1 { ALONE } else { BESIDE };
        let mut html = format!(
            r#"<div class="slices" role="group" aria-label="{}: slices of the brain" style="max-width:{most}px">"#,
            escape(self.title)
        );
        for row in &self.rows {
            let _ = write!(html, r#"<div class="tiles of-{columns}">"#);
            let tile = |(n, &(plane, slice)): (usize, &(Plane, usize))| {
                // In each row of the overview, only one slice of each orientation has the letters for the
                // sides.
                let is_first = n.checked_sub(1).is_none_or(|before| row[before].0 != plane);
                self.tile(plane, slice, self.view.is_placed() && is_first)
            };
            let tiles: Vec<Result<String>> = row.par_iter().enumerate().map(tile).collect();
            for tile in tiles {
                html.push_str(&tile?);
            }
            html.push_str("</div>");
        }
        Ok(html)
    }

    /// Completes the overview with the data from which the page's script draws all other slices.
    pub(crate) fn with_stack(mut html: String, stack: &Value) -> String {
        // The name of a map may contain any text. In a script element of the page, the text must not contain
        // `<`, which could begin an end tag.
        let stack = stack.to_string().replace('<', "\\u003c");
        let _ = write!(html, r#"<script type="application/json">{stack}</script></div>"#);
        html
    }

    fn tile(&self, plane: Plane, slice: usize, letters: bool) -> Result<String> {
        let view = self.view;
        let [width, height] = millimetres(view, plane);
        let share = width / millimetres(view, Plane::Axial)[0];
        let place = place(view, plane, slice);
        let mut html = format!(
            r#"<div class="tile" data-plane="{name}" data-slice="{slice}" style="--share:{share:.4};aspect-ratio:{width:.2}/{height:.2}"><img src="{}" alt="{name} slice, {place}">"#,
            data_address(&pixels(view, plane, slice, self.paint))?,
            name = plane.name(),
        );
        let lines: Vec<String> =
            self.outlines.iter().filter_map(|outline| outline.draw(view, plane, slice)).collect();
        if !lines.is_empty() {
            let [columns, rows, _] = view.size(plane);
            let _ = write!(
                html,
                r#"<svg class="outlines" viewBox="0 0 {columns} {rows}" preserveAspectRatio="none" aria-hidden="true">{}</svg>"#,
                lines.concat()
            );
        }
        if letters {
            let [left, right] = plane.letters();
            let _ = write!(html, r#"<b class="left">{left}</b><b class="right">{right}</b>"#);
        }
        let _ = write!(html, "<span>{place}</span></div>");
        Ok(html)
    }
}

/// Returns the picture of a slice, drawn with the colour of each voxel.
pub(crate) fn pixels(
    view: &Oriented<'_>,
    plane: Plane,
    slice: usize,
    paint: &dyn Fn(usize) -> [u8; 3],
) -> Pixels {
    let [width, height, _] = view.size(plane);
    let mut pixels = Pixels::new(width, height);
    for row in 0..height {
        for column in 0..width {
            pixels.set(column, row, paint(view.pixel(plane, slice, column, row)));
        }
    }
    pixels
}

/// Returns the width and height of the slices of one orientation (axial, coronal or sagittal), in mm.
pub(crate) fn millimetres(view: &Oriented<'_>, plane: Plane) -> [f64; 2] {
    let ([columns, rows, _], [across, down, _]) = (view.size(plane), view.spacing(plane));
    [columns as f64 * across, rows as f64 * down]
}

/// Returns the position of a slice as text, such as `z −4 mm`.
pub(crate) fn place(view: &Oriented<'_>, plane: Plane, slice: usize) -> String {
    let position = view.position(plane, slice).round();
    // The text of the value −0 is replaced by 0, which has no minus sign.
    let position = if position == 0.0 { 0.0 } else { position };
    format!("{} {position} mm", plane.through()).replace('-', "−")
}
