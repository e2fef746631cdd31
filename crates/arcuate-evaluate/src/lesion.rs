use crate::life::minimise;
use crate::{Element, Life, LifeOptions, LifeProblem};
use arcuate_core::{Error, Result};

/// The evidence for a group of streamlines ("virtual lesion", Pestilli et al. 2014, doi:10.1038/nmeth.3098).
/// The evidence is the increase of the prediction error when the group is removed, in the voxels that the
/// group passes through.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct VirtualLesion {
    /// Number of streamlines in the group.
    pub streamlines: usize,
    /// Number of streamlines in the removed group with a positive weight.
    pub supported: usize,
    /// Number of voxels that the group passes.
    pub voxels: usize,
    /// Mean over voxels of the root mean square prediction error with all streamlines. The voxels are those
    /// that the group of streamlines passes through.
    pub rmse_with: f64,
    /// Mean over voxels of the root mean square prediction error without the group of streamlines. The voxels
    /// are those that the group passes through.
    pub rmse_without: f64,
    /// Strength of evidence S = (RMSE without − RMSE with) / √(SE² + SE²), with the mean RMSE over voxels
    /// without and with the group. The two SE are the standard errors of these two means. S is the limit of
    /// the published bootstrap for many resamples. If the removal of the group changes nothing, S is 0.
    pub strength_of_evidence: f64,
    /// Earth mover's distance between two distributions over voxels: the errors with the group of
    /// streamlines, and the errors without. It is in the unit of the errors.
    pub earth_movers_distance: f64,
}

impl<T: Element> LifeProblem<T> {
    /// Removes the streamlines with the numbers in `group`, and compares the prediction errors before and
    /// after. If `refit` is true, the weights of the remaining streamlines are fitted again, with the same
    /// penalty λ. If `refit` is false, these weights do not change.
    ///
    /// Returns an error if a streamline number is out of range, or if the group passes through no voxel with
    /// coefficients.
    pub fn virtual_lesion(
        &self,
        life: &Life,
        group: &[u32],
        refit: Option<&LifeOptions>,
    ) -> Result<VirtualLesion> {
        let mut in_group = vec![false; life.weights.len()];
        for &member in group {
            let Some(flag) = in_group.get_mut(member as usize) else {
                let problem = format!(
                    "the lesion has streamline number {member} (counted from 0), but there are {} streamlines",
                    life.weights.len()
                );
                return Err(Error::invalid("group", problem, "count streamlines from 0"));
            };
            *flag = true;
        }
        let voxels = self.encoding().voxels_of(&in_group);
        if voxels.is_empty() {
            let problem = "its streamlines pass no evaluated voxel";
            return Err(Error::invalid("group", problem, "choose a group of streamlines that pass the mask"));
        }
        let weights: Vec<T> = life.weights.iter().map(|&w| T::of(w)).collect();
        let lesioned: Vec<T> = match refit {
            Some(options) => {
                let mut removed = vec![false; in_group.len()];
                for (&column, &gone) in self.columns.iter().zip(&in_group) {
                    removed[column as usize] = gone;
                }
                let rest = self.problem(life.l1).with_fixed(&removed);
                self.by_streamline(&minimise(&rest, options, |_| true).weights)
            }
            None => {
                weights.iter().zip(&in_group).map(|(&w, &gone)| if gone { T::zero() } else { w }).collect()
            }
        };
        let at = |rmse: Vec<f64>| -> Vec<f64> { voxels.iter().map(|&v| rmse[v]).collect() };
        let (with, without) = (at(self.rmse(&weights)), at(self.rmse(&lesioned)));
        let ((mean_with, error_with), (mean_without, error_without)) = (moments(&with), moments(&without));
        let spread = error_with.hypot(error_without);
        Ok(VirtualLesion {
            streamlines: in_group.iter().filter(|&&g| g).count(),
            supported: (0..in_group.len()).filter(|&n| in_group[n] && life.weights[n] > 0.0).count(),
            voxels: voxels.len(),
            rmse_with: mean_with,
            rmse_without: mean_without,
            strength_of_evidence: if spread > 0.0 { (mean_without - mean_with) / spread } else { 0.0 },
            earth_movers_distance: earth_movers_distance(with, without),
        })
    }
}

/// Returns the mean of the values, and the standard error of this mean.
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    (mean, (variance / n).sqrt())
}

/// Returns the earth mover's distance between two samples of the same size. It is the mean distance between
/// their sorted values.
fn earth_movers_distance(mut a: Vec<f64>, mut b: Vec<f64>) -> f64 {
    a.sort_by(f64::total_cmp);
    b.sort_by(f64::total_cmp);
    a.iter().zip(&b).map(|(a, b)| (a - b).abs()).sum::<f64>() / a.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earth_movers_distance_equals_the_shift_of_a_distribution() {
        assert_eq!(earth_movers_distance(vec![3.0, 1.0, 2.0], vec![2.5, 1.5, 3.5]), 0.5);
        assert_eq!(earth_movers_distance(vec![0.0, 10.0], vec![10.0, 0.0]), 0.0);
    }

    #[test]
    fn standard_error_falls_with_the_root_of_the_number() {
        let (mean, error) = moments(&[1.0, 3.0, 1.0, 3.0]);
        assert_eq!((mean, error), (2.0, 0.5));
    }
}
