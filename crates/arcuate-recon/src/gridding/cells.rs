//! The volume of k-space that each sample represents: the volume of its Voronoi cell.

use arcuate_numbers::vector3::{cross, dot};
use rayon::prelude::*;
use rstar::RTree;
use rstar::primitives::GeomWithData;

/// Half of the maximum extent of a sample's Voronoi cell along each axis, in cycles per field of view. With
/// this value, a cell is at most as large as the cells of a Cartesian scan.
const REACH: f64 = 0.5;
/// Maximum distance between samples that count as coincident and share a Voronoi cell, in cycles per field of
/// view.
const SAME: f64 = 1e-9;
/// Maximum distance of a corner of a cell from a cutting plane, if the corner counts as a point of the plane.
const ON: f64 = 1e-12;

type Point = [f64; 3];

/// Returns the volume of each sample's Voronoi cell, in (cycles per field of view)³. The cell contains all
/// points that are nearer to this sample than to any other sample. It is limited to a cube of one cycle
/// around the sample. If all samples are in a plane, the volume is equal to the area of the cell in this
/// plane.
///
/// The cube limits the cells of samples at the edge of k-space and next to gaps. In a Cartesian scan, each
/// cell has the volume 1.
pub(super) fn volumes(samples: &[Point]) -> Vec<f64> {
    let named = samples.iter().enumerate().map(|(n, &place)| GeomWithData::new(place, n)).collect();
    let tree: RTree<GeomWithData<Point, usize>> = RTree::bulk_load(named);
    // Thousands of samples can coincide at a place where spokes meet, with thousands of other samples around
    // them. The cell of coincident samples then has thousands of faces, and is therefore computed only once.
    let cells: Vec<Share> =
        samples.par_iter().enumerate().map(|(n, &sample)| share(&tree, n, sample)).collect();
    let of = |mut n: usize| loop {
        match cells[n] {
            Share::Own(volume) => return volume,
            Share::As(earlier) => n = earlier,
        }
    };
    (0..samples.len()).map(of).collect()
}

/// The Voronoi cell of a sample, which may be that of another sample.
enum Share {
    /// The volume of the cell.
    Own(f64),
    /// The cell is that of an earlier sample at the same position.
    As(usize),
}

fn share(tree: &RTree<GeomWithData<Point, usize>>, n: usize, sample: Point) -> Share {
    let mut cell = Cell::cube(REACH);
    let mut here = 0;
    for (other, square) in tree.nearest_neighbor_iter_with_distance_2(sample) {
        if square <= SAME * SAME {
            if other.data < n {
                return Share::As(other.data);
            }
            here += 1;
            continue;
        }
        if 0.25 * square >= cell.furthest_square() {
            break;
        }
        let other = other.geom();
        cell.cut(std::array::from_fn(|n| other[n] - sample[n]));
    }
    Share::Own(cell.volume() / f64::from(here.max(1)))
}

/// A convex polyhedron that contains the point 0. Each face is a polygon, as a list of its corners.
struct Cell {
    faces: Vec<Vec<Point>>,
}

impl Cell {
    fn cube(half: f64) -> Self {
        let face = |axis: usize, side: f64| {
            [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
                .map(|[a, b]| {
                    let mut corner = [0.0; 3];
                    (corner[axis], corner[(axis + 1) % 3], corner[(axis + 2) % 3]) =
                        (side * half, a * half, b * half);
                    corner
                })
                .to_vec()
        };
        Self { faces: (0..3).flat_map(|axis| [face(axis, 1.0), face(axis, -1.0)]).collect() }
    }

    fn furthest_square(&self) -> f64 {
        self.faces.iter().flatten().map(|corner| dot(*corner, *corner)).fold(0.0, f64::max)
    }

    /// Removes the part of the polyhedron that is nearer to the point `other` than to the point 0. The
    /// cutting plane is halfway between the two points.
    fn cut(&mut self, other: Point) {
        let limit = 0.5 * dot(other, other);
        let size = dot(other, other).sqrt();
        // Signed distance of a corner from the cutting plane. It is positive for corners that are removed.
        let beyond = |corner: &Point| (dot(*corner, other) - limit) / size;
        if self.faces.iter().flatten().all(|corner| beyond(corner) <= ON) {
            return;
        }
        let mut rim: Vec<Point> = Vec::new();
        let faces = std::mem::take(&mut self.faces);
        for face in faces {
            let mut kept = Vec::with_capacity(face.len() + 1);
            for (n, corner) in face.iter().enumerate() {
                let next = face[(n + 1) % face.len()];
                let (a, b) = (beyond(corner), beyond(&next));
                if a <= ON {
                    kept.push(*corner);
                    if a >= -ON {
                        rim.push(*corner);
                    }
                }
                if (a <= ON) != (b <= ON) {
                    let part = a / (a - b);
                    let crossing = std::array::from_fn(|n| corner[n] + part * (next[n] - corner[n]));
                    kept.push(crossing);
                    rim.push(crossing);
                }
            }
            if kept.len() >= 3 {
                self.faces.push(kept);
            }
        }
        if let Some(face) = ordered(rim, other) {
            self.faces.push(face);
        }
    }

    /// Returns the volume of the polyhedron: the sum of the volumes of the pyramids from the point 0 to all
    /// faces.
    fn volume(&self) -> f64 {
        let of_face = |face: &Vec<Point>| {
            let mut area = [0.0; 3];
            for (n, a) in face.iter().enumerate() {
                let product = cross(*a, face[(n + 1) % face.len()]);
                (0..3).for_each(|axis| area[axis] += 0.5 * product[axis]);
            }
            dot(face[0], area).abs() / 3.0
        };
        self.faces.iter().map(of_face).sum()
    }
}

/// Returns the corners of a convex polygon perpendicular to `normal`. The corners are in order around the
/// centre of the polygon and without duplicates. Returns `None` if there are fewer than three corners.
fn ordered(mut corners: Vec<Point>, normal: Point) -> Option<Vec<Point>> {
    let middle: Point =
        std::array::from_fn(|n| corners.iter().map(|corner| corner[n]).sum::<f64>() / corners.len() as f64);
    // Chooses two directions in the plane of the polygon. The first direction is perpendicular to the
    // coordinate axis along which the normal has its smallest component.
    let axis = (0..3).min_by(|&a, &b| normal[a].abs().total_cmp(&normal[b].abs()))?;
    let mut unit = [0.0; 3];
    unit[axis] = 1.0;
    let across = cross(normal, unit);
    let up = cross(normal, across);
    let angle = |corner: &Point| {
        let from: Point = std::array::from_fn(|n| corner[n] - middle[n]);
        (dot(from, up) / dot(up, up).sqrt()).atan2(dot(from, across) / dot(across, across).sqrt())
    };
    corners.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    corners.dedup_by(|a, b| (0..3).all(|n| (a[n] - b[n]).abs() <= ON));
    (corners.len() >= 3).then_some(corners)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cartesian_samples_have_cubic_cells_and_duplicates_share_them() {
        let mut samples: Vec<Point> = Vec::new();
        for z in 0..3 {
            for y in 0..4 {
                for x in 0..5 {
                    samples.push([f64::from(x), f64::from(y), f64::from(z)]);
                }
            }
        }
        assert!(volumes(&samples).iter().all(|volume| (volume - 1.0).abs() < 1e-12));
        samples.push([2.0, 1.0, 1.0]);
        let with_double = volumes(&samples);
        assert!((with_double[60] - 0.5).abs() < 1e-12 && (with_double[2 + 5 + 20] - 0.5).abs() < 1e-12);
        // The k-space samples of the test are twice as dense along x as along y and z.
        let dense: Vec<Point> = (0..9).map(|n| [0.5 * f64::from(n), 0.0, 0.0]).collect();
        let found = volumes(&dense);
        assert!((found[4] - 0.5).abs() < 1e-12 && (found[0] - 0.75).abs() < 1e-12);
    }

    #[test]
    fn cells_fill_the_space_near_samples() {
        // The test has 4,000 irregular samples in a box of 3 × 2.5 × 2, none of them far from the others. The
        // samples are mirrored at the faces of the box. The mirror images limit the cells at these faces, so
        // that the cells exactly fill the box.
        let number = |n: usize, step: f64| (n as f64 * step).fract();
        let sides = [3.0, 2.5, 2.0];
        let inside: Vec<Point> = (0..4000)
            .map(|n| {
                [
                    sides[0] * number(n, 0.754877666),
                    sides[1] * number(n, 0.569840291),
                    sides[2] * number(n, 0.438579),
                ]
            })
            .collect();
        let mut all = inside.clone();
        for axis in 0..3 {
            let so_far = all.len();
            for edge in [0.0, sides[axis]] {
                let near = |place: &&Point| (place[axis] - edge).abs() < 1.0;
                let mirrored = |place: &Point| {
                    let mut mirrored = *place;
                    mirrored[axis] = 2.0 * edge - place[axis];
                    mirrored
                };
                // The mirror images of one axis are mirrored again along the next axis. Images therefore also
                // exist beyond the edges and corners of the box.
                let images: Vec<Point> = all[..so_far].iter().filter(near).map(mirrored).collect();
                all.extend(images);
            }
        }
        let volumes = volumes(&all);
        let sum: f64 = volumes[..4000].iter().sum();
        assert!((sum / 15.0 - 1.0).abs() < 1e-9, "{sum}");
        assert!(volumes.iter().all(|&volume| volume > 0.0));
    }

    #[test]
    fn cells_of_a_plane_have_areas() {
        // For samples on radial spokes outside the centre of k-space, the width of a cell is the distance to
        // the next spoke, but at most one cycle.
        let spokes = 24;
        let samples: Vec<Point> = (0..spokes)
            .flat_map(|spoke| {
                let (sin, cos) = (f64::from(spoke) * std::f64::consts::PI / f64::from(spokes)).sin_cos();
                (-12..=12).map(move |n| [0.5 * f64::from(n) * cos, 0.5 * f64::from(n) * sin, 0.0])
            })
            .collect();
        let found = volumes(&samples);
        let width = |radius: f64| 2.0 * radius * (std::f64::consts::PI / 48.0).tan();
        for (n, radius) in [(2, 1.0), (5, 2.5), (9, 4.5)] {
            let area = found[12 + n];
            assert!((area / (0.5 * width(radius)) - 1.0).abs() < 1e-9, "{radius}: {area} {}", width(radius));
        }
        // All spokes meet in the centre of k-space. The samples in the centre share one cell, which is
        // computed once.
        let many: Vec<Point> = (0..1000)
            .flat_map(|spoke| {
                let (sin, cos) = (f64::from(spoke) * std::f64::consts::TAU / 1000.0).sin_cos();
                (0..3).map(move |n| [0.3 * f64::from(n) * cos, 0.3 * f64::from(n) * sin, 0.0])
            })
            .collect();
        let middle = std::f64::consts::PI * 0.15 * 0.15 / 1000.0;
        assert!(volumes(&many).iter().step_by(3).all(|&volume| (volume / middle - 1.0).abs() < 1e-4));
        assert!(found[12] < 0.25 * 0.3 / 24.0 * 4.0 && (found[12] - found[25 + 12]).abs() < 1e-12);
    }
}
