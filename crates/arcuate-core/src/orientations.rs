use crate::{Error, Result, narrow};
use std::f64::consts::FRAC_PI_2;

/// A set of unit vectors in scanner axes that represent all orientations: the atoms of a dictionary. A
/// direction and its opposite are the same orientation.
#[derive(Debug, Clone, PartialEq)]
pub struct Orientations {
    directions: Vec<[f64; 3]>,
}

impl Orientations {
    /// Normalises `directions` of any length above 0. Returns an error for an empty list and for zero
    /// vectors.
    pub fn new(directions: &[[f64; 3]]) -> Result<Self> {
        let mut unit = Vec::with_capacity(directions.len());
        for (row, d) in directions.iter().enumerate() {
            let length = d.iter().map(|c| c * c).sum::<f64>().sqrt();
            if !(length.is_finite() && length > 1e-12) {
                let problem = format!("direction {} (counted from 1) is not valid: {d:?}", row + 1);
                return Err(Error::invalid(
                    "orientations",
                    problem,
                    "give three finite numbers, not all zero",
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
    /// Purser 2006, doi:10.1256/qj.05.227). Neighbours are about √(2π / count) rad apart for every count.
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

    /// Unit vectors.
    pub fn directions(&self) -> &[[f64; 3]] {
        &self.directions
    }

    /// Number of orientations; never 0.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.directions.len()
    }

    /// Index of the orientation closest to a direction of any length: the largest |cos|, the first if several
    /// are equal.
    pub fn nearest(&self, direction: [f64; 3]) -> usize {
        let (mut best, mut largest) = (0, -1.0);
        for (index, d) in self.directions.iter().enumerate() {
            let cosine = (d[0] * direction[0] + d[1] * direction[1] + d[2] * direction[2]).abs();
            if cosine > largest {
                (best, largest) = (index, cosine);
            }
        }
        best
    }
}

/// [`Orientations::nearest`] for many directions, with identical results from a table of candidates.
///
/// A direction is flipped so that its largest component is positive, which assigns it to a cell of one of
/// three cube faces. Each cell lists every orientation that is the nearest of some direction in it. If the
/// cell's centre is θ from its nearest orientation and at most ρ from any point of the cell, these
/// orientations are within θ + 2ρ of the centre.
#[derive(Debug, Clone)]
pub struct NearestOrientation {
    directions: Vec<[f64; 3]>,
    cell_starts: Vec<u32>,
    candidates: Vec<u32>,
}

impl NearestOrientation {
    /// Cells along each edge of a cube face.
    pub const CELLS: usize = 24;

    /// Builds the table.
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
                    // The arc cosine of numbers near 1 has half the digits.
                    let reach = nearest + 2.0 * radius + 1e-7;
                    // Compares cosines, since computing arc cosines would take most of the time.
                    let least = if reach < FRAC_PI_2 { reach.cos() } else { 0.0 };
                    candidates.extend(
                        (0..narrow::<u32>(directions.len())).filter(|&n| cosines[n as usize] >= least),
                    );
                    cell_starts.push(narrow::<u32>(candidates.len()));
                }
            }
        }
        Self { directions, cell_starts, candidates }
    }

    /// Index of the first candidate of each cell in [`candidates`](Self::candidates), and last the number of
    /// candidates. Cell (face, row, column) has the index (face · [`CELLS`](Self::CELLS) + row) · `CELLS` +
    /// column. The column is along the axis after that of the face, the row along the next one.
    pub fn cell_starts(&self) -> &[u32] {
        &self.cell_starts
    }

    /// The orientations that may be nearest to a direction in a cell, cell by cell, ascending in each.
    pub fn candidates(&self) -> &[u32] {
        &self.candidates
    }

    /// Index of the orientation closest to a direction of any length: the largest |cos|, the first if several
    /// are equal.
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
            let d = self.directions[index as usize];
            let cosine = (d[0] * direction[0] + d[1] * direction[1] + d[2] * direction[2]).abs();
            if cosine > largest {
                (best, largest) = (index as usize, cosine);
            }
        }
        best
    }
}

/// Cosine of the angle between the axes of two unit vectors: 0 to 1.
fn axial_cosine(a: [f64; 3], b: [f64; 3]) -> f64 {
    (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]).abs().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_finds_what_the_search_finds() {
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
    fn half_sphere_leaves_no_hole() {
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
