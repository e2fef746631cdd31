//! Draws pictures that show the locations of single voxels in the brain.

use crate::map::MapFigure;
use crate::mosaic::{millimetres, pixels, place};
use crate::plot_width::{PANEL, maximum};
use crate::png::data_address;
use crate::slices::Plane;
use crate::svg::Svg;
use arcuate_core::Result;

/// The location of a voxel, shown in a picture of the axial slice of a map that contains the voxel.
#[derive(Debug, Clone)]
pub struct LocatedVoxel {
    /// The picture of the slice, as a data URI.
    picture: String,
    millimetres: [f64; 2],
    /// The position of the voxel's centre in the slice, as fractions of the slice's width and height. It is
    /// measured from the upper left corner.
    at: [f64; 2],
    /// The position of the slice, as text.
    place: String,
    /// The letters (L, R) for the left and right edges of the slice. `None` if the orientation of the image
    /// is unknown.
    letters: Option<[&'static str; 2]>,
}

impl MapFigure {
    /// Returns the locations of voxels in this map. `voxels` has the indices of the voxels along the image
    /// axes. If a voxel is outside the part of the map that is shown, it has no location. Outlines of regions
    /// are not drawn.
    ///
    /// # Errors
    ///
    /// Returns an error if the map cannot be drawn, in the same cases as [`render`](crate::render).
    pub fn locate(&self, voxels: &[[usize; 3]]) -> Result<Vec<Option<LocatedVoxel>>> {
        self.look(|view, paint| {
            let of_voxel = |voxel: &[usize; 3]| {
                let Some([column, row, slice]) = view.find(Plane::Axial, *voxel) else { return Ok(None) };
                let [columns, rows, _] = view.size(Plane::Axial);
                let middle = |n: usize, count: usize| (n as f64 + 0.5) / count as f64;
                Ok(Some(LocatedVoxel {
                    picture: data_address(&pixels(view, Plane::Axial, slice, paint))?,
                    millimetres: millimetres(view, Plane::Axial),
                    at: [middle(column, columns), middle(row, rows)],
                    place: place(view, Plane::Axial, slice),
                    letters: view.is_placed().then(|| Plane::Axial.letters()),
                }))
            };
            voxels.iter().map(of_voxel).collect()
        })
    }
}

/// The maximum height of the picture of a slice, and the space above and below the picture, in px.
const HIGHEST: f64 = 220.0;
const ABOVE: f64 = 36.0;
const BELOW: f64 = 24.0;

impl LocatedVoxel {
    /// Draws a heading, a line of text, and the picture of the slice below them. In this picture, a ring
    /// marks the voxel.
    pub(crate) fn draw(&self, [heading, line]: [&str; 2]) -> String {
        let [across, down] = self.millimetres;
        let scale = (PANEL / across).min(HIGHEST / down);
        let (width, height) = (scale * across, scale * down);
        let left = 0.5 * (PANEL - width);
        let description = format!("{heading}: {line}, in the slice {}", self.place);
        let mut svg = Svg::new("plot", PANEL, ABOVE + height + BELOW, &description);
        svg.limit_width(maximum(PANEL));
        svg.text("heading", 2.0, 12.0, "start", heading);
        svg.text("tick", 2.0, 28.0, "start", line);
        svg.image("", left, ABOVE, width, height, &self.picture);
        if let Some([first, second]) = self.letters {
            let middle = ABOVE + 0.5 * height + 4.0;
            svg.text("side", left + 5.0, middle, "start", first);
            svg.text("side", left + width - 5.0, middle, "end", second);
        }
        let (x, y) = (left + self.at[0] * width, ABOVE + self.at[1] * height);
        svg.dot("ring halo", x, y, 7.0);
        svg.dot("ring", x, y, 7.0);
        svg.text("tick", 0.5 * PANEL, ABOVE + height + 17.0, "middle", &self.place);
        svg.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid, Volume};

    #[test]
    fn the_marker_ring_is_around_the_voxel() {
        let grid = Grid::new([20, 10, 5], Affine::scaling([2.0, 4.0, 3.0], [0.0; 3])).unwrap();
        let map = MapFigure::scalar("map", Volume::filled(grid, 1, 1.0), "");
        let found = map.locate(&[[0, 0, 2], [19, 9, 4], [20, 0, 0]]).unwrap();
        let [Some(first), Some(last), None] = &found[..] else { panic!("{found:?}") };
        // Positions in the slice are measured from the left edge, which is the subject's right, and from the
        // anterior edge.
        let close = |a: [f64; 2], b: [f64; 2]| (0..2).all(|n| (a[n] - b[n]).abs() < 1e-12);
        assert!(close(first.at, [39.0 / 40.0, 19.0 / 20.0]), "{first:?}");
        assert!(close(last.at, [1.0 / 40.0, 1.0 / 20.0]), "{last:?}");
        assert_eq!((first.place.as_str(), last.place.as_str()), ("z 6 mm", "z 12 mm"));
        let drawn = first.draw(["typical", "voxel 0, 0, 2"]);
        // The slice of 40 × 40 mm is drawn with 220 × 220 px.
        assert!(drawn.contains(r#"<image x="30" y="36" width="220" height="220""#), "{drawn}");
        let ring = format!(r#"<circle class="ring" cx="{}" cy="{}""#, 30.0 + 214.5, 36.0 + 209.0);
        assert!(drawn.contains(&ring) && drawn.contains(">R</text>") && drawn.contains("z 6 mm"), "{drawn}");
        let unplaced = Grid::unplaced([20, 10, 5], [2.0, 4.0, 3.0]).unwrap();
        let map = MapFigure::scalar("map", Volume::filled(unplaced, 1, 1.0), "");
        let drawn = map.locate(&[[0; 3]]).unwrap().remove(0).unwrap().draw(["", ""]);
        assert!(!drawn.contains(">R</text>"), "nobody knows which side it is");
    }
}
