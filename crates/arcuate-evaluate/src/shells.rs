use arcuate_core::{Error, GradientTable, Result};

/// Minimum number of different gradient axes (opposite directions are one axis) for a shell that is always
/// included.
const ENOUGH_AXES: usize = 15;

/// The weighted measurements that LiFE explains, grouped by shell.
///
/// In each voxel, a shell has a free level (an added constant), because isotropic tissue contributes equally
/// to all measurements of one b-value. This contribution is no evidence for or against a streamline.
/// Minimising Σ ‖y − i·1 − M w‖² over the level i of a shell gives i = the mean of y − M w over the shell.
/// The means over each shell are therefore subtracted from y and from the rows of M, so that the fit needs no
/// levels: P y ≈ P M w with P = I − 11ᵀ/n for a shell of n measurements. With one shell, this fit is LiFE as
/// published.
#[derive(Debug, Clone, PartialEq)]
pub struct LifeShells {
    /// Indices of the measurements to explain, ascending.
    measurements: Vec<usize>,
    /// For each shell, the positions of its measurements in the list `measurements`. The shells are sorted by
    /// ascending b-value.
    places: Vec<Vec<usize>>,
    left_out: Vec<usize>,
}

impl LifeShells {
    /// Selects shells of [`GradientTable::measurements_by_shell`]. If `chosen` has b-values (s/mm²), the
    /// shells with these b-values are selected. If not, all shells with at least 15 gradient axes are
    /// selected (opposite directions are one axis). If no shell has 15 axes, the shells with the largest
    /// number of axes are selected.
    ///
    /// Returns an error if no measurement is diffusion-weighted, if a chosen shell does not exist, or if no
    /// shell has two different gradient axes. If `chosen` is `None`, a gradient table without proper shells
    /// is also an error. This is the case if no shell has 15 axes and the selected shells have less than half
    /// of the weighted measurements.
    pub fn new(gradients: &GradientTable, chosen: Option<&[f64]>) -> Result<Self> {
        let fail = |problem: String, advice: &str| Err(Error::invalid("gradient table", problem, advice));
        let all = gradients.weighted_indices();
        if all.is_empty() {
            return fail("it holds no diffusion-weighted measurement".into(), "check the b-values (s/mm²)");
        }
        let shells = gradients.measurements_by_shell().into_iter().map(|(_, measurements)| measurements);
        let shells: Vec<(usize, Vec<usize>)> = shells
            .filter(|measurements| !gradients.is_b0(measurements[0]))
            .map(|measurements| (gradients.distinct_axes(&measurements), measurements))
            .collect();
        let largest =
            |shells: &[(usize, Vec<usize>)]| shells.iter().map(|(axes, _)| *axes).max().unwrap_or(0);
        let kept: Vec<(usize, Vec<usize>)> = if let Some(b_values) = chosen {
            let selected = gradients.measurements_of_shells(b_values)?;
            let is_wanted = |(_, shell): &(usize, Vec<usize>)| selected.binary_search(&shell[0]).is_ok();
            shells.into_iter().filter(is_wanted).collect()
        } else {
            let minimum = ENOUGH_AXES.min(largest(&shells));
            shells.into_iter().filter(|(axes, _)| *axes >= minimum).collect()
        };
        if kept.is_empty() {
            let advice = format!(
                "choose a weighted shell (b above 0); the series has {}",
                gradients.describe_shells()
            );
            return Err(Error::usage("‘shells’", "b = 0 measurements alone do not show fibres", advice));
        }
        let axes = largest(&kept);
        let mut measurements: Vec<usize> = kept.iter().flat_map(|(_, shell)| shell).copied().collect();
        measurements.sort_unstable();
        if chosen.is_none() && axes < ENOUGH_AXES && 2 * measurements.len() < all.len() {
            let problem = format!(
                "its {} weighted measurements make no shells: no b-value has more than {axes} axes",
                all.len()
            );
            let advice = "choose shells with ‘shells’, or evaluate with COMMIT, which models the decay \
                          with b";
            return fail(problem, advice);
        }
        if axes < 2 {
            let problem = "no shell has two different axes, so there is no contrast to explain".into();
            return fail(problem, "LiFE needs several directions of one b-value");
        }
        let place = |m: &usize| measurements.partition_point(|other| other < m);
        let places = kept.iter().map(|(_, shell)| shell.iter().map(place).collect()).collect();
        let left_out = all.into_iter().filter(|m| measurements.binary_search(m).is_err()).collect();
        Ok(Self { measurements, places, left_out })
    }

    /// Returns the indices of the measurements that streamlines must explain, ascending.
    pub fn measurements(&self) -> &[usize] {
        &self.measurements
    }

    /// Returns the indices of the diffusion-weighted measurements that are excluded.
    pub fn left_out(&self) -> &[usize] {
        &self.left_out
    }

    /// Subtracts the mean of each shell from the values of the shell. `values` has one number for each
    /// measurement that streamlines must explain.
    pub(crate) fn centre(&self, values: &mut [f64]) {
        for places in &self.places {
            let mean = places.iter().map(|&place| values[place]).sum::<f64>() / places.len() as f64;
            for &place in places {
                values[place] -= mean;
            }
        }
    }

    /// Warns about measurements that are excluded because their shells have too few gradient axes.
    pub(crate) fn warn_of_left_out(&self, gradients: &GradientTable) {
        if self.left_out.is_empty() {
            return;
        }
        let words = |measurements: &[usize]| gradients.of_measurements(measurements).describe_shells();
        tracing::warn!(
            "LiFE does not use {}, which have far fewer gradient directions than {}; to use these \
             measurements, list their shells in ‘shells’",
            words(&self.left_out),
            words(&self.measurements)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Orientations;

    /// Creates a gradient table with one measurement without diffusion weighting, followed by shells with
    /// these b-values and numbers of gradient axes.
    fn table(shells: &[(f64, usize)]) -> GradientTable {
        let (mut directions, mut b_values) = (vec![[0.0; 3]], vec![0.0]);
        for &(b, axes) in shells {
            directions.extend(Orientations::half_sphere(axes).directions());
            // The b-values vary slightly within a shell, as in the gradient files of scanners.
            b_values.extend((0..axes).map(|n| b + 5.0 * (n % 3) as f64));
        }
        GradientTable::new(&directions, b_values, 50.0).unwrap()
    }

    fn kept(shells: &[(f64, usize)], chosen: Option<&[f64]>) -> Result<Vec<usize>> {
        LifeShells::new(&table(shells), chosen).map(|shells| shells.places.iter().map(Vec::len).collect())
    }

    #[test]
    fn small_shells_are_excluded_if_larger_ones_exist() {
        for (shells, expected) in [
            (&[(1000.0, 30)][..], &[30][..]),
            (&[(1000.0, 12)], &[12]),
            (&[(500.0, 6), (1000.0, 15), (2000.0, 60)], &[15, 60]),
            (&[(500.0, 6), (1000.0, 14), (2000.0, 60)], &[60]),
            (&[(1000.0, 6), (2000.0, 12)], &[12]),
            (&[(1000.0, 12), (2000.0, 12)], &[12, 12]),
        ] {
            assert_eq!(kept(shells, None).unwrap(), expected, "{shells:?}");
        }
        let chosen = [500.0, 2000.0];
        assert_eq!(kept(&[(500.0, 6), (1000.0, 30), (2000.0, 60)], Some(&chosen)).unwrap(), [6, 60]);
    }

    #[test]
    fn each_shell_is_demeaned_separately() {
        let table = GradientTable::new(
            &[[1.0, 0.0, 0.0], [0.0; 3], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.6, 0.8, 0.0]],
            vec![1000.0, 0.0, 2010.0, 1005.0, 1995.0],
            50.0,
        )
        .unwrap();
        let shells = LifeShells::new(&table, None).unwrap();
        assert_eq!((shells.measurements(), shells.left_out()), (&[0, 2, 3, 4][..], &[][..]));
        let mut values = [1.0, 10.0, 3.0, 30.0];
        shells.centre(&mut values);
        assert_eq!(values, [-1.0, -10.0, 1.0, 10.0]);
    }

    #[test]
    fn tables_without_shells_are_rejected_with_advice() {
        let error =
            |shells: &[(f64, usize)], chosen: Option<&[f64]>| kept(shells, chosen).unwrap_err().to_string();
        // Gradient tables of diffusion spectrum imaging and b-value ramps have many b-values with few
        // gradient axes each.
        let ramp: Vec<(f64, usize)> =
            (1..=20).map(|n| (300.0 * f64::from(n), 3)).chain([(7000.0, 6)]).collect();
        assert_eq!(
            error(&ramp, None),
            "gradient table: its 66 weighted measurements make no shells: no b-value has more than 6 axes; \
             choose shells with ‘shells’, or evaluate with COMMIT, which models the decay with b"
        );
        assert_eq!(kept(&ramp, Some(&[7000.0])).unwrap(), [6]);
        assert!(error(&[(1000.0, 1)], None).starts_with("gradient table: no shell has two different axes"));
        assert!(error(&[(1000.0, 30)], Some(&[0.0])).starts_with(
            "‘shells’: b = 0 measurements alone do \
            not show fibres; "
        ));
        assert!(
            error(&[(1000.0, 30)], Some(&[700.0]))
                .starts_with("‘shells’: no measurement has b = 700 s/mm²; ")
        );
        assert!(error(&[], None).starts_with("gradient table: it holds no diffusion-weighted measurement"));
    }
}
