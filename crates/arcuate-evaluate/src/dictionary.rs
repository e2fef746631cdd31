use crate::LifeShells;
use arcuate_core::{DiffusionTensor, Error, GradientTable, Orientations, Result};

/// Predicted signals of a fascicle, as a matrix with one row per orientation (atom) and one column per
/// diffusion-weighted measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct Dictionary {
    directions: usize,
    values: Vec<f64>,
}

impl Dictionary {
    /// Creates a dictionary from predicted signals, stored row by row with `directions` values per row.
    /// Returns an error if the last row is incomplete.
    pub fn new(directions: usize, values: Vec<f64>) -> Result<Self> {
        if directions == 0 || values.is_empty() || !values.len().is_multiple_of(directions) {
            let problem = format!(
                "the {} predicted signals cannot be divided into rows of {directions} values, one for each \
                 direction",
                values.len()
            );
            return Err(Error::invalid("dictionary", problem, "give all values of each row"));
        }
        Ok(Self { directions, values })
    }

    /// Returns the number of measurements that a row of the dictionary predicts.
    pub fn directions(&self) -> usize {
        self.directions
    }

    /// Returns the number of rows (atoms).
    pub fn atoms(&self) -> usize {
        self.values.len() / self.directions
    }

    /// Returns whether all predictions are finite.
    pub fn is_finite(&self) -> bool {
        self.values.iter().all(|v| v.is_finite())
    }

    /// Returns the prediction of one atom.
    pub fn row(&self, atom: usize) -> &[f64] {
        &self.values[atom * self.directions..(atom + 1) * self.directions]
    }
}

/// Predicts the signal of a fascicle along each orientation, in each measurement of `shells`. The signal is
/// relative to b = 0, and its mean over the shell is subtracted: exp(−b gᵀ D g) − mean. For a fascicle along
/// the unit vector a, the tensor is D = λ⊥ I + (λ∥ − λ⊥) a aᵀ (Pestilli et al. 2014, doi:10.1038/nmeth.3098).
///
/// `eigenvalues` are λ₁, λ₂, λ₃ of the fascicle's tensor in µm²/ms. The tensor is axially symmetric, so λ₂
/// and λ₃ must be equal, with 0 ≤ λ₂ ≤ λ₁.
pub fn tensor_dictionary(
    gradients: &GradientTable,
    shells: &LifeShells,
    orientations: &Orientations,
    eigenvalues: [f64; 3],
) -> Result<Dictionary> {
    let [axial, radial, third] = eigenvalues;
    let possible = axial.is_finite() && radial == third && radial >= 0.0 && axial >= radial && axial > 0.0;
    if !possible {
        return Err(Error::usage(
            "‘eigenvalues’",
            format!("{axial},{radial},{third} µm²/ms are not possible eigenvalues of a fascicle's tensor"),
            "give λ₁ ≥ λ₂ = λ₃ ≥ 0, such as 1,0,0 or 1.7,0.3,0.3",
        ));
    }
    let measurements = shells.measurements();
    // The eigenvalues are converted from µm²/ms to mm²/s: 1 µm²/ms is 1e-3 mm²/s.
    let (axial, radial) = (1e-3 * axial, 1e-3 * radial);
    let mut values = Vec::with_capacity(orientations.len() * measurements.len());
    for a in orientations.directions() {
        let outer = |i: usize, j: usize| (axial - radial) * a[i] * a[j] + if i == j { radial } else { 0.0 };
        let tensor =
            DiffusionTensor([outer(0, 0), outer(1, 1), outer(2, 2), outer(0, 1), outer(0, 2), outer(1, 2)]);
        let mut row: Vec<f64> = measurements
            .iter()
            .map(|&m| (-gradients.b_values()[m] * tensor.along(gradients.directions()[m])).exp())
            .collect();
        shells.centre(&mut row);
        values.extend(row);
    }
    Dictionary::new(measurements.len(), values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sticks_attenuate_only_along_their_axis() {
        let gradients = GradientTable::new(
            &[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            vec![0.0, 1000.0, 1000.0, 1000.0],
            50.0,
        )
        .unwrap();
        let along_x = Orientations::new(&[[1.0, 0.0, 0.0]]).unwrap();
        let shells = LifeShells::new(&gradients, None).unwrap();
        let dictionary = tensor_dictionary(&gradients, &shells, &along_x, [1.0, 0.0, 0.0]).unwrap();
        assert_eq!((dictionary.atoms(), dictionary.directions()), (1, 3));
        let drop = (-1f64).exp();
        let mean = (drop + 2.0) / 3.0;
        for (value, expected) in dictionary.row(0).iter().zip([drop - mean, 1.0 - mean, 1.0 - mean]) {
            assert!((value - expected).abs() < 1e-15);
        }
        for bad in [[1.0, 0.3, 0.2], [0.3, 1.0, 1.0], [0.0; 3], [f64::NAN, 0.0, 0.0], [1.0, -0.1, -0.1]] {
            assert!(tensor_dictionary(&gradients, &shells, &along_x, bad).is_err());
        }
    }
}
