//! Outlines of regions, along the edges of their voxels.

use crate::colours::{class_colour, css};
use crate::slices::{Oriented, Plane};
use crate::svg::escape;
use arcuate_core::Mask;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A region whose outline is drawn.
pub(crate) struct Outline {
    pub(crate) name: String,
    /// The region as a mask, with its voxels in the order of the map's voxels.
    pub(crate) region: Mask,
    /// The index of this outline in the list of outlines. It determines the colour of the outline.
    pub(crate) number: usize,
}

/// Indices of the class colours for outlines, in descending order of contrast. Outlines are drawn over a gray
/// or coloured image on black.
const COLOURS: [usize; 7] = [3, 1, 6, 0, 2, 5, 7];

/// Returns the colour of the outline with this index in the list of outlines.
pub(crate) fn outline_colour(number: usize) -> [u8; 3] {
    class_colour(COLOURS[number % COLOURS.len()])
}

impl Outline {
    /// Draws the outline of the region in a slice. The unit of coordinates is a pixel of the slice. Returns
    /// `None` if the slice does not contain the region.
    pub(crate) fn draw(&self, view: &Oriented<'_>, plane: Plane, slice: usize) -> Option<String> {
        let [width, height, _] = view.size(plane);
        let inside = |column: usize, row: usize| self.region.contains(view.pixel(plane, slice, column, row));
        let path = around(width, height, inside);
        // A dark line is drawn first, below the coloured outline. It separates the outline from bright
        // voxels.
        (!path.is_empty()).then(|| {
            let colour = css(outline_colour(self.number));
            let name = escape(&self.name);
            format!(r#"<path d="{path}" class="halo"/><path d="{path}" stroke="{colour}"><title>{name}</title></path>"#)
        })
    }
}

/// Returns the boundary of a set of pixels as SVG path data. The path consists of closed loops along the
/// edges of pixels. The set of pixels is on the right of each loop.
fn around(width: usize, height: usize, inside: impl Fn(usize, usize) -> bool) -> String {
    let at = |column: isize, row: isize| {
        let (column, row) = (usize::try_from(column).ok(), usize::try_from(row).ok());
        matches!((column, row), (Some(c), Some(r)) if c < width && r < height && inside(c, r))
    };
    // Collects directed edges between the corners of pixels. The set of pixels is on the right of each edge.
    let mut edges: BTreeMap<(isize, isize), Vec<(isize, isize)>> = BTreeMap::new();
    for row in 0..height as isize {
        for column in (0..width as isize).filter(|&column| at(column, row)) {
            let corners = [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)];
            let beyond = [(column, row - 1), (column + 1, row), (column, row + 1), (column - 1, row)];
            for side in (0..4).filter(|&side| !at(beyond[side].0, beyond[side].1)) {
                edges.entry(corners[side]).or_default().push(corners[(side + 1) % 4]);
            }
        }
    }
    let mut path = String::new();
    while let Some((&start, _)) = edges.iter().next() {
        let (mut here, mut direction) = (start, (0, 0));
        let _ = write!(path, "M{} {}", here.0, here.1);
        while let Some(next) = edges.get_mut(&here).and_then(Vec::pop) {
            if edges[&here].is_empty() {
                edges.remove(&here);
            }
            let turned = (next.0 - here.0, next.1 - here.1);
            // If consecutive edges have the same direction, they form one line, and the corner between them
            // is omitted.
            if turned != direction && direction != (0, 0) {
                let _ = write!(path, "L{} {}", here.0, here.1);
            }
            (here, direction) = (next, turned);
            if here == start {
                break;
            }
        }
        path.push('Z');
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the SVG path around those pixels of a picture that are marked by `#`.
    fn path(rows: &[&str]) -> String {
        around(rows[0].len(), rows.len(), |column, row| rows[row].as_bytes()[column] == b'#')
    }

    #[test]
    fn outlines_follow_voxel_edges() {
        assert_eq!(path(&["....", ".##.", "...."]), "M1 1L3 1L3 2L1 2Z");
        assert_eq!(path(&["..", ".."]), "");
        assert_eq!(path(&["##", "##"]), "M0 0L2 0L2 2L0 2Z", "also at the edge of the image");
        // The outline of a ring has an outer and an inner loop.
        assert_eq!(path(&["###", "#.#", "###"]).matches('Z').count(), 2);
    }

    #[test]
    fn every_edge_is_drawn_once() {
        let rows = ["#.#..", ".##.#", "#..##", "##.#."];
        let length: i64 = path(&rows)
            .split('Z')
            .filter(|part| !part.is_empty())
            .map(|part| {
                let corners: Vec<(i64, i64)> = part
                    .trim_start_matches('M')
                    .split('L')
                    .map(|pair| {
                        let (x, y) = pair.split_once(' ').unwrap();
                        (x.parse().unwrap(), y.parse().unwrap())
                    })
                    .collect();
                let next = corners.iter().cycle().skip(1);
                let sides = corners.iter().zip(next);
                sides.map(|(a, b)| (a.0 - b.0).abs() + (a.1 - b.1).abs()).sum::<i64>()
            })
            .sum();
        let at = |column: i64, row: i64| {
            (0..4).contains(&row)
                && (0..5).contains(&column)
                && rows[row as usize].as_bytes()[column as usize] == b'#'
        };
        let pairs = (-1..5).flat_map(|row| (-1..6).map(move |column| (column, row)));
        let edges =
            pairs.map(|(c, r)| i64::from(at(c, r) != at(c + 1, r)) + i64::from(at(c, r) != at(c, r + 1)));
        assert_eq!(length, edges.sum::<i64>());
    }
}
