//! Draws still pictures of streamlines from three sides. A page shows them if it has no interaction: in
//! print, without WebGL or without scripts.

use crate::colours::{colour_key, direction_key};
use crate::groups::Groups;
use crate::picture::usable_window;
use crate::png::{Pixels, data_address};
use crate::slices::Plane;
use crate::svg::escape;
use arcuate_core::{Result, Tractogram, Volume, saturating, statistics};
use rayon::prelude::*;
use std::fmt::Write;

/// The contents of the still pictures.
pub(crate) struct Stills<'a> {
    pub(crate) streamlines: &'a Tractogram,
    pub(crate) groups: Option<&'a Groups>,
    /// A background image. It has one channel for gray, or three channels for red, green and blue.
    pub(crate) anatomy: Option<&'a Volume<f32>>,
    pub(crate) anatomy_window: Option<[f32; 2]>,
}

/// The number of pixels along the longest side of the head in a picture.
const PIXELS: f64 = 360.0;
/// The brightness of the background image.
const ANATOMY: f64 = 0.55;

/// A box in scanner space, in mm. It has the lower and the upper end along right, anterior and superior.
type Ends = [[f64; 2]; 3];

impl Stills<'_> {
    /// Draws the three pictures and their colour key. The streamlines are semi-transparent, and the middle
    /// slice of the background image is drawn below them.
    pub(crate) fn draw(&self) -> Result<String> {
        let tracts = around(self.streamlines.positions().iter().map(|point| point.map(f64::from)));
        let head = self.anatomy.map_or(tracts, |image| {
            let filled = (0..image.grid().len())
                .filter(|&n| image.voxel(n).iter().any(|v| v.is_finite() && *v != 0.0));
            let head = around(filled.map(|voxel| image.grid().centre(voxel)));
            std::array::from_fn(|axis| {
                [head[axis][0].min(tracts[axis][0]), head[axis][1].max(tracts[axis][1])]
            })
        });
        let longest = head.iter().map(|[low, high]| high - low).fold(1.0, f64::max);
        let pixel = longest / PIXELS;
        // A margin is added to the box, so that nothing touches the edge of a picture.
        let head = head.map(|[low, high]| [low - 4.0 * pixel, high + 4.0 * pixel]);
        let width = |plane: Plane| {
            let [low, high] = head[plane.axes()[0]];
            high - low
        };
        // The three pictures are next to each other, have the same scale, and fill the width of the page.
        let together: f64 = [Plane::Axial, Plane::Coronal, Plane::Sagittal].map(width).iter().sum();
        let mut html = String::from(
            r#"<div class="slices" role="group" aria-label="Streamlines from three sides"><div class="tiles of-3">"#,
        );
        let picture = |plane: &Plane| data_address(&self.project(*plane, &head, &tracts, pixel));
        let pictures: Vec<Result<String>> = Plane::ALL.par_iter().map(picture).collect();
        for (plane, picture) in Plane::ALL.into_iter().zip(pictures) {
            let [across, down, _] = plane.axes();
            let [wide, high] = [across, down].map(|axis| head[axis][1] - head[axis][0]);
            let share = 3.0 * width(plane) / together;
            let _ = write!(
                html,
                r#"<div class="tile" style="--share:{share:.4};aspect-ratio:{wide:.2}/{high:.2}"><img src="{}" alt="Streamlines projected on the {} plane">"#,
                picture?,
                plane.name()
            );
            if self.anatomy.is_none_or(|image| image.grid().is_placed()) {
                let [left, right] = plane.letters();
                let _ = write!(html, r#"<b class="left">{left}</b><b class="right">{right}</b>"#);
            }
            let _ = write!(html, "<span>{}</span></div>", escape(plane.name()));
        }
        html.push_str("</div></div>");
        Ok(html + &self.groups.map_or_else(direction_key, |groups| colour_key(&groups.key())))
    }

    /// Returns the mean colour of the streamlines in each pixel. The more streamlines a pixel has, the more
    /// opaque it is.
    fn project(&self, plane: Plane, head: &Ends, tracts: &Ends, pixel: f64) -> Pixels {
        let [across, down, through] = plane.axes();
        let [width, height] =
            [across, down].map(|axis| ((head[axis][1] - head[axis][0]) / pixel).ceil().max(1.0) as usize);
        // In the pictures, the subject's left is on the right side. In sagittal pictures, the front
        // (anterior) is on the right.
        let mirrored = plane != Plane::Sagittal;
        let column = |mm: f64| {
            if mirrored { (head[across][1] - mm) / pixel } else { (mm - head[across][0]) / pixel }
        };
        let row = |mm: f64| (head[down][1] - mm) / pixel;
        let mut sums = vec![[0.0f64; 4]; width * height];
        for (n, streamline) in self.streamlines.iter().enumerate() {
            let fixed = self.groups.map(|groups| groups.colour_of(n).map(f64::from));
            for pair in streamline.windows(2) {
                let [from, to] = [pair[0], pair[1]].map(|point| point.map(f64::from));
                let displacement: [f64; 3] = std::array::from_fn(|axis| to[axis] - from[axis]);
                let length = displacement.iter().map(|c| c * c).sum::<f64>().sqrt();
                if !(length.is_finite() && length > 0.0) {
                    continue;
                }
                let colour = fixed.unwrap_or_else(|| displacement.map(|c| 255.0 * c.abs() / length));
                let steps = (2.0 * length / pixel).ceil();
                for step in 0..steps as usize {
                    let part = (step as f64 + 0.5) / steps;
                    let (x, y) = (
                        column(from[across] + part * displacement[across]),
                        row(from[down] + part * displacement[down]),
                    );
                    if x < 0.0 || y < 0.0 || x >= width as f64 || y >= height as f64 {
                        continue;
                    }
                    let sum = &mut sums[y as usize * width + x as usize];
                    for (sum, value) in sum.iter_mut().zip(colour.iter().chain([&1.0])) {
                        *sum += value * length / steps;
                    }
                }
            }
        }
        let mut amounts: Vec<f64> = sums.iter().map(|sum| sum[3]).filter(|amount| *amount > 0.0).collect();
        let usual = statistics::median(&mut amounts).unwrap_or(1.0);
        let cut = f64::midpoint(tracts[through][0], tracts[through][1]);
        let mut pixels = Pixels::new(width, height);
        for (place, sum) in sums.iter().enumerate() {
            let (x, y) = (place % width, place / width);
            let mut point = [cut; 3];
            let (right, below) = ((x as f64 + 0.5) * pixel, (y as f64 + 0.5) * pixel);
            point[across] = if mirrored { head[across][1] - right } else { head[across][0] + right };
            point[down] = head[down][1] - below;
            let below = self.shade(point);
            // The opacity of streamlines is chosen so that their typical density hides most of the background
            // image.
            let opacity = 1.0 - (-1.5 * sum[3] / usual).exp();
            let colour = std::array::from_fn(|c| {
                let own = if sum[3] > 0.0 { sum[c] / sum[3] } else { 0.0 };
                saturating::<u8>((own * opacity + below * (1.0 - opacity)).round().clamp(0.0, 255.0))
            });
            pixels.set(x, y, colour);
        }
        pixels
    }

    /// Returns the brightness of the background image at a point, from 0 to 255.
    fn shade(&self, point: [f64; 3]) -> f64 {
        let Some(image) = self.anatomy else { return 0.0 };
        let Some(voxel) = image.grid().voxel_at(point) else { return 0.0 };
        let values = image.voxel(voxel);
        let value = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let [low, high] = self.anatomy_window.unwrap_or([0.0, 1.0]);
        let fraction = f64::from((value - low) / (high - low));
        if fraction.is_finite() { 255.0 * ANATOMY * fraction.clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// Returns the window (range of gray values) of an image with one channel. Returns `None` if the image has
/// colours.
pub(crate) fn window_of(image: &Volume<f32>, requested: Option<[f32; 2]>) -> Option<[f32; 2]> {
    (image.channels() == 1).then(|| usable_window(image, requested))
}

/// Returns the bounding box of the points of streamlines. If there are no points, the box is a single point.
fn around(points: impl Iterator<Item = [f64; 3]>) -> Ends {
    let mut ends = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
    for point in points {
        for (end, c) in ends.iter_mut().zip(point) {
            *end = [end[0].min(c), end[1].max(c)];
        }
    }
    ends.map(|[low, high]| if low <= high { [low, high] } else { [0.0, 0.0] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid};

    fn lines() -> Tractogram {
        let mut lines = Tractogram::new();
        // One test streamline is on the right in front, and another leads upwards on the left.
        lines.push(&[[10.0, 30.0, 0.0], [30.0, 30.0, 0.0]]);
        lines.push(&[[-30.0, -30.0, -20.0], [-30.0, -30.0, 20.0]]);
        lines
    }

    /// Returns two flags for a colour in a picture: whether the left half has pixels of the colour, and
    /// whether the upper half has.
    fn place(stills: &Stills<'_>, plane: Plane, is: impl Fn([u8; 3]) -> bool) -> (bool, bool) {
        let tracts = around(stills.streamlines.positions().iter().map(|p| p.map(f64::from)));
        let head = tracts.map(|[low, high]| [low - 2.0, high + 2.0]);
        let pixels = stills.project(plane, &head, &tracts, 1.0);
        let [width, height] = pixels.size();
        let found: Vec<usize> =
            (0..width * height).filter(|place| is(pixels.at(place % width, place / width))).collect();
        assert!(!found.is_empty(), "{plane:?}");
        let middle = found[found.len() / 2];
        (middle % width < width / 2, middle / width < height / 2)
    }

    #[test]
    fn pictures_are_radiological_and_coloured_by_direction() {
        let lines = lines();
        let stills = Stills { streamlines: &lines, groups: None, anatomy: None, anatomy_window: None };
        let red = |[r, g, b]: [u8; 3]| r > 100 && g == 0 && b == 0;
        let blue = |[r, g, b]: [u8; 3]| b > 100 && r == 0 && g == 0;
        assert_eq!(place(&stills, Plane::Axial, red), (true, true), "right on the left, the front up");
        assert_eq!(place(&stills, Plane::Axial, blue), (false, false));
        assert!(!place(&stills, Plane::Sagittal, red).0, "the front on the right");
        assert!(!place(&stills, Plane::Coronal, blue).0);
        let drawn = stills.draw().unwrap();
        assert_eq!(drawn.matches("<img").count(), 3);
        assert!(drawn.contains("left – right"));
    }

    #[test]
    fn groups_are_coloured_and_drawn_over_the_anatomy() {
        let mut lines = lines();
        lines.groups.members.insert("<first>".into(), vec![0]);
        let all: Vec<usize> = (0..lines.len()).collect();
        let groups = Groups::of(&lines.groups, &all).unwrap();
        let grid = Grid::new([70, 70, 50], Affine::scaling([1.0; 3], [-35.0, -35.0, -25.0])).unwrap();
        let image = Volume::filled(grid, 1, 2.0);
        let stills = Stills {
            streamlines: &lines,
            groups: Some(&groups),
            anatomy: Some(&image),
            anatomy_window: Some([0.0, 2.0]),
        };
        let gray = |[r, g, b]: [u8; 3]| r == 140 && g == 140 && b == 140;
        place(&stills, Plane::Axial, gray);
        let drawn = stills.draw().unwrap();
        assert!(drawn.contains("&lt;first&gt;") && drawn.contains("in no group"));
        let unplaced = Volume::filled(Grid::unplaced([5, 5, 5], [1.0; 3]).unwrap(), 1, 1.0);
        let drawn = Stills { anatomy: Some(&unplaced), ..stills }.draw().unwrap();
        assert!(!drawn.contains("<b class"), "of what is not known there is no letter");
    }
}
