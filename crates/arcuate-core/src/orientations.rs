use crate::{Error, Result, narrow};
use arcuate_numbers::vector3::dot;
use std::f64::consts::FRAC_PI_2;

/// A set of unit vectors in scanner axes that represent all fibre orientations, for which responses are
/// tabulated in a dictionary. A direction and its opposite are the same orientation.
#[derive(Debug, Clone, PartialEq)]
pub struct Orientations {
    directions: Vec<[f64; 3]>,
}

impl Orientations {
    /// Creates a set from `directions`, which are normalised. Returns an error for an empty list and for zero
    /// vectors.
    pub fn new(directions: &[[f64; 3]]) -> Result<Self> {
        let mut unit = Vec::with_capacity(directions.len());
        for (row, d) in directions.iter().enumerate() {
            let length = d.iter().map(|c| c * c).sum::<f64>().sqrt();
            if !(length.is_finite() && length > 1e-12) {
                let problem =
                    format!("direction {} (counted from 1) is {d:?}, which is not a direction", row + 1);
                return Err(Error::invalid(
                    "orientations",
                    problem,
                    "give three finite numbers per direction, not all zero",
                ));
            }
            unit.push(d.map(|c| c / length));
        }
        if unit.is_empty() {
            return Err(Error::invalid("orientations", "there are none", "give at least one direction"));
        }
        Ok(Self { directions: unit })
    }

    /// Distributes `count` points evenly over the half sphere z ≥ 0 along a Fibonacci spiral (Swinbank and
    /// Purser 2006, doi:10.1256/qj.05.227). For any `count`, neighbouring points are about √(2π / count) rad
    /// apart.
    pub fn half_sphere(count: usize) -> Self {
        let golden = f64::midpoint(1.0, 5f64.sqrt());
        let directions = (0..count.max(1))
            .map(|n| {
                let z = 1.0 - (n as f64 + 0.5) / count.max(1) as f64;
                let radius = (1.0 - z * z).sqrt();
                let (sin, cos) = (std::f64::consts::TAU * n as f64 / golden).sin_cos();
                [radius * cos, radius * sin, z]
            })
            .collect();
        Self { directions }
    }

    /// The unit vector of each orientation.
    pub fn directions(&self) -> &[[f64; 3]] {
        &self.directions
    }

    /// Number of orientations in the set; never 0.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.directions.len()
    }

    /// Index of the orientation of the set that is closest to a vector of any length: the orientation with
    /// the largest |cos| of the angle between them. If several orientations are equally close, the first one
    /// is returned.
    pub fn nearest(&self, direction: [f64; 3]) -> usize {
        let (mut best, mut largest) = (0, -1.0);
        for (index, d) in self.directions.iter().enumerate() {
            let cosine = dot(*d, direction).abs();
            if cosine > largest {
                (best, largest) = (index, cosine);
            }
        }
        best
    }
}

/// A table that finds the nearest orientation of many directions quickly. Results are identical to
/// [`Orientations::nearest`].
///
/// Each direction is reversed if its largest component is negative. The direction then points to one of three
/// faces of a cube, which are divided into square cells. The table lists, for each cell, every orientation
/// that may be the nearest orientation of a direction in that cell. Let θ be the angle from the cell's centre
/// to its nearest orientation, and ρ the largest angle from the centre to a point of the cell. Then the
/// listed orientations are within θ + 2ρ of the centre.
#[derive(Debug, Clone)]
pub struct NearestOrientation {
    directions: Vec<[f64; 3]>,
    cell_starts: Vec<u32>,
    candidates: Vec<u32>,
}

impl NearestOrientation {
    /// Number of cells along each edge of a cube face.
    pub const CELLS: usize = 24;

    /// Builds the table for a set of orientations.
    pub fn new(orientations: &Orientations) -> Self {
        let directions = orientations.directions.clone();
        let (mut cell_starts, mut candidates) = (vec![0], Vec::new());
        let edge = |n: f64| 2.0 * n / Self::CELLS as f64 - 1.0;
        for face in 0..3 {
            for row in 0..Self::CELLS {
                for column in 0..Self::CELLS {
                    let point = |du: f64, dv: f64| {
                        let (u, v) = (edge(column as f64 + du), edge(row as f64 + dv));
                        let mut d = [0.0; 3];
                        d[face] = 1.0;
                        d[(face + 1) % 3] = u;
                        d[(face + 2) % 3] = v;
                        let length = (1.0 + u * u + v * v).sqrt();
                        d.map(|c| c / length)
                    };
                    let centre = point(0.5, 0.5);
                    let radius = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]
                        .into_iter()
                        .map(|(du, dv)| axial_cosine(centre, point(du, dv)).acos())
                        .fold(0.0, f64::max);
                    let cosines: Vec<f64> = directions.iter().map(|&d| axial_cosine(centre, d)).collect();
                    let nearest = cosines.iter().copied().fold(0.0, f64::max).acos();
                    // The arc cosine of numbers near 1 has only half of the correct digits, so 1e-7 is added
                    // to the angle.
                    let reach = nearest + 2.0 * radius + 1e-7;
                    // The loop compares cosines instead of angles, since computing arc cosines would take
                    // most of the time.
                    let minimum = if reach < FRAC_PI_2 { reach.cos() } else { 0.0 };
                    candidates.extend(
                        (0..narrow::<u32>(directions.len())).filter(|&n| cosines[n as usize] >= minimum),
                    );
                    cell_starts.push(narrow::<u32>(candidates.len()));
                }
            }
        }
        Self { directions, cell_starts, candidates }
    }

    /// For each cell, the index of its first orientation in [`candidates`](Self::candidates). One more
    /// element at the end is the number of candidates. Cell (face, row, column) has the index (face ·
    /// [`CELLS`](Self::CELLS) + row) · `CELLS` + column. Each face is perpendicular to one of the axes x, y,
    /// z. The columns of the face are along the next axis in cyclic order, and its rows are along the third
    /// axis.
    pub fn cell_starts(&self) -> &[u32] {
        &self.cell_starts
    }

    /// For each cell, one after another, the indices of all orientations that may be nearest to a direction
    /// in the cell. The indices of each cell are in ascending order.
    pub fn candidates(&self) -> &[u32] {
        &self.candidates
    }

    /// Index of the orientation of the set that is closest to a vector of any length: the orientation with
    /// the largest |cos| of the angle between them. If several orientations are equally close, the first one
    /// is returned.
    pub fn find(&self, direction: [f64; 3]) -> usize {
        let magnitude = direction.map(f64::abs);
        let face = if magnitude[0] >= magnitude[1] && magnitude[0] >= magnitude[2] {
            0
        } else if magnitude[1] >= magnitude[2] {
            1
        } else {
            2
        };
        let cell = |component: f64| {
            let position = (component / direction[face] + 1.0) * 0.5 * Self::CELLS as f64;
            (position as usize).min(Self::CELLS - 1)
        };
        let (column, row) = (cell(direction[(face + 1) % 3]), cell(direction[(face + 2) % 3]));
        let cell = (face * Self::CELLS + row) * Self::CELLS + column;
        let range = self.cell_starts[cell] as usize..self.cell_starts[cell + 1] as usize;
        let (mut best, mut largest) = (0, -1.0);
        for &index in &self.candidates[range] {
            let cosine = dot(self.directions[index as usize], direction).abs();
            if cosine > largest {
                (best, largest) = (index as usize, cosine);
            }
        }
        best
    }
}

/// Cosine, from 0 to 1, of the angle between two unit vectors whose signs are ignored.
fn axial_cosine(a: [f64; 3], b: [f64; 3]) -> f64 {
    dot(a, b).abs().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lookup_table_agrees_with_the_exhaustive_search() {
        for count in [1, 7, 362, 1057] {
            let set = Orientations::half_sphere(count);
            let table = NearestOrientation::new(&set);
            for (n, d) in Orientations::half_sphere(5000).directions().iter().enumerate() {
                let probe = if n % 2 == 0 { *d } else { d.map(|c| -2.5 * c) };
                assert_eq!(table.find(probe), set.nearest(probe), "{probe:?} of {count}");
            }
            for corner in [[1.0, 1.0, 1.0], [0.0, 0.0, 1.0], [-1.0, 1.0, 0.0], [1.0, -1.0, -1.0]] {
                assert_eq!(table.find(corner), set.nearest(corner));
            }
        }
    }

    #[test]
    fn half_sphere_directions_cover_the_sphere() {
        for count in [60, 362, 1057] {
            let set = Orientations::half_sphere(count);
            let spacing = (std::f64::consts::TAU / count as f64).sqrt();
            for probe in Orientations::half_sphere(4111).directions() {
                let nearest = set.directions()[set.nearest(*probe)];
                let cosine = (0..3).map(|a| nearest[a] * probe[a]).sum::<f64>().abs();
                assert!(cosine.min(1.0).acos() < spacing, "{count}: {probe:?}");
            }
        }
    }

    #[test]
    fn opposite_directions_are_one_orientation() {
        let set = Orientations::half_sphere(100);
        for d in Orientations::half_sphere(57).directions() {
            assert_eq!(set.nearest(*d), set.nearest(d.map(|c| -3.0 * c)));
        }
    }
}
