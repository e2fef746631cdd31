use crate::{Error, Result};

/// A set of unit vectors in scanner axes that stand for all orientations: the atoms of a dictionary. A direction
/// and its opposite mean the same orientation.
#[derive(Debug, Clone, PartialEq)]
pub struct Orientations {
    directions: Vec<[f64; 3]>,
}

impl Orientations {
    /// Directions of any length above 0; they are normalised. Fails on an empty list and on zero vectors.
    pub fn new(directions: &[[f64; 3]]) -> Result<Self> {
        let mut unit = Vec::with_capacity(directions.len());
        for (row, d) in directions.iter().enumerate() {
            let length = d.iter().map(|c| c * c).sum::<f64>().sqrt();
            if !(length.is_finite() && length > 1e-12) {
                let problem = format!("direction {} is no direction: {d:?}", row + 1);
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

    /// `count` points spread evenly over the half sphere z ≥ 0 along a Fibonacci spiral (Swinbank and Purser 2006,
    /// doi:10.1256/qj.05.227): neighbours are about √(2π / count) rad apart, whatever the count.
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

    /// The orientation closest to a direction of any length: the largest |cos|, the first of equals.
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

#[cfg(test)]
mod tests {
    use super::*;

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
