//! Selects the measurements that a tensor fit uses.

use arcuate_core::{Error, GradientTable, Result};

/// The measurements that a tensor fit uses. Measurements with b = 0 are always included.
///
/// A tensor describes the signal up to about 1500 s/mm². At higher b, the logarithm of the signal is no longer linear
/// in b, and diffusivities are underestimated (Jensen et al. 2005, doi:10.1002/mrm.20508).
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Measurements {
    /// All shells up to 1500 s/mm² (plus 2 % for deviations of the scanner). These shells must have at least
    /// 12 gradient axes. There must also be measurements with b = 0, or two different b-values. If one of
    /// these conditions is not met, all measurements are used.
    #[default]
    Recommended,
    /// All measurements of the series.
    All,
    /// All measurements with a b-value up to this value, in s/mm².
    UpTo(f64),
    /// The shells with these b-values (s/mm²). A given b-value selects a shell if it is within 5 % or 50
    /// s/mm² of the mean b-value of the shell.
    Shells(Vec<f64>),
}

impl Measurements {
    /// Default maximum b-value of a tensor fit in s/mm².
    pub const RECOMMENDED_B: f64 = 1500.0;
    /// Minimum number of gradient axes in the shells up to the default maximum b-value. Opposite gradient
    /// directions count as one axis.
    const RECOMMENDED_AXES: usize = 12;

    /// Returns the indices of the selected measurements, in ascending order.
    ///
    /// # Errors
    /// Returns an error if a given b-value is invalid, or if a given shell does not exist.
    pub fn of(&self, gradients: &GradientTable) -> Result<Vec<usize>> {
        let all = || (0..gradients.len()).collect::<Vec<_>>();
        let chosen = match self {
            Self::All => all(),
            Self::UpTo(b) => {
                if b.is_nan() || *b <= 0.0 {
                    let problem = format!("{b} s/mm² leaves no measurement");
                    return Err(Error::usage("‘max_b’", problem, "give a b-value above 0"));
                }
                all().into_iter().filter(|&m| gradients.is_b0(m) || gradients.b_values()[m] <= *b).collect()
            }
            Self::Recommended => {
                let small = |b: f64| b <= 1.02 * Self::RECOMMENDED_B;
                let inner = shells_where(gradients, small);
                let b_values = gradients.shells().iter().filter(|(b, _)| small(*b)).count();
                let enough = b_values >= 2 && gradients.distinct_axes(&inner) >= Self::RECOMMENDED_AXES;
                if enough { inner } else { all() }
            }
            Self::Shells(wanted) => {
                let mut measurements = gradients.measurements_of_shells(wanted)?;
                measurements.extend(gradients.b0_indices());
                measurements.sort_unstable();
                measurements.dedup();
                measurements
            }
        };
        Ok(chosen)
    }
}

/// Returns the indices of the measurements with b = 0, and of the measurements in all shells whose b-value
/// satisfies a condition.
fn shells_where(gradients: &GradientTable, holds: impl Fn(f64) -> bool) -> Vec<usize> {
    let shells = gradients.measurements_by_shell();
    let kept = shells.into_iter().filter(|(b, _)| *b == 0.0 || holds(*b));
    let mut measurements: Vec<usize> = kept.flat_map(|(_, measurements)| measurements).collect();
    measurements.sort_unstable();
    measurements
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Orientations;

    /// Creates a gradient table with one measurement at b = 0, and with shells that have the given b-values
    /// and numbers of gradient axes.
    fn series(shells: &[(f64, usize)]) -> GradientTable {
        let (mut directions, mut b_values) = (vec![[0.0; 3]], vec![0.0]);
        for &(b, axes) in shells {
            directions.extend(Orientations::half_sphere(axes).directions());
            // The b-values of a shell scatter, as in the gradient tables that scanners write.
            b_values.extend((0..axes).map(|n| b + 5.0 * (n % 3) as f64 - 5.0));
        }
        GradientTable::new(&directions, b_values, 50.0).unwrap()
    }

    #[test]
    fn the_tensor_uses_the_inner_shells_if_they_suffice() {
        let count = |shells: &[(f64, usize)]| Measurements::Recommended.of(&series(shells)).unwrap().len();
        // The gradient tables are like those of the Human Connectome Project, of the UK Biobank, and of a
        // research scan with one weak shell.
        assert_eq!(count(&[(1000.0, 90), (2000.0, 90), (3000.0, 90)]), 91);
        assert_eq!(count(&[(500.0, 6), (1000.0, 50), (2000.0, 50)]), 57);
        assert_eq!(count(&[(300.0, 8), (3000.0, 60)]), 69);
        assert_eq!(count(&[(1500.0, 30), (3000.0, 60)]), 31);
        assert_eq!(count(&[(2000.0, 64)]), 65);
    }

    #[test]
    fn shells_are_selected_by_nominal_b_value() {
        let table = series(&[(1000.0, 12), (2000.0, 20), (3000.0, 30)]);
        let of = |measurements: Measurements| measurements.of(&table);
        assert_eq!(of(Measurements::Shells(vec![1000.0, 3000.0])).unwrap().len(), 1 + 12 + 30);
        assert_eq!(of(Measurements::Shells(vec![2000.0])).unwrap(), {
            let mut expected = vec![0];
            expected.extend(13..33);
            expected
        });
        assert_eq!(of(Measurements::UpTo(2100.0)).unwrap().len(), 33);
        assert_eq!(of(Measurements::All).unwrap().len(), 63);
        assert_eq!(
            of(Measurements::Shells(vec![1000.0, 1500.0])).unwrap_err().to_string(),
            "‘shells’: no measurement has b = 1500 s/mm²; the series has 1 × b 0, 12 × b 1000, 20 × b \
             2000, 30 × b 3000"
        );
    }
}
