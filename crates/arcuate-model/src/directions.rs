//! Averages of the signal over the gradient directions of each shell.

use crate::language::Model;
use crate::tensor::check_series;
use arcuate_core::{Error, GradientTable, PulseTiming, Result, Volume};
use rayon::prelude::*;

/// Computes the mean signal of each shell over its gradient directions, in every voxel (Kaden et al. 2016,
/// doi:10.1002/mrm.25734). Models that describe [such averages](crate::language::Model::averages_directions)
/// are fitted to these means.
///
/// The measurements at b = 0 come first in the resulting series and are unchanged: they have no direction,
/// and their spread shows the noise. Then each weighted shell has one averaged measurement, at the mean b of
/// the shell. A shell whose measurements have different pulse timings has one averaged measurement per
/// timing. The new gradient table states how many measurements [each mean](GradientTable::averaged) contains,
/// and fits use this number as a weight. The directions in the new table have no meaning. Non-finite signals
/// are excluded from the mean.
///
/// # Errors
/// Returns an error if series and gradient table do not match.
pub fn average_directions(
    dwi: &Volume<f32>,
    gradients: &GradientTable,
) -> Result<(Volume<f32>, GradientTable)> {
    check_series(dwi, gradients)?;
    let groups = groups(gradients);
    let mean = |signals: &[f32], group: &[usize]| {
        let usable = group.iter().map(|&m| f64::from(signals[m])).filter(|signal| signal.is_finite());
        let (sum, count) = usable.fold((0.0, 0usize), |(sum, count), signal| (sum + signal, count + 1));
        (sum / count as f64) as f32
    };
    let mut averaged = Volume::filled(*dwi.grid(), groups.len(), 0.0f32);
    averaged.values_mut().par_chunks_mut(groups.len()).enumerate().for_each(|(voxel, out)| {
        for (out, (_, group)) in out.iter_mut().zip(&groups) {
            *out = mean(dwi.voxel(voxel), group);
        }
    });
    let b_values: Vec<f64> = groups.iter().map(|(b, _)| *b).collect();
    let table = GradientTable::new(&vec![[0.0, 0.0, 1.0]; groups.len()], b_values, gradients.b0_threshold())?;
    let timings: Option<Vec<PulseTiming>> =
        gradients.timings().map(|timings| groups.iter().map(|(_, group)| timings[group[0]]).collect());
    let table = match timings {
        Some(timings) => table.with_timings(timings)?,
        None => table,
    };
    let acquired = |m: &usize| gradients.averaged().map_or(1, |counts| counts[*m]);
    let counts = groups.iter().map(|(_, group)| group.iter().map(acquired).sum()).collect();
    Ok((averaged, table.with_averaged(counts)?))
}

/// Returns the averaged measurements: the b-value of each mean, and the indices of the measurements in the
/// mean. Each measurement at b = 0 forms its own mean. The other measurements form one mean per weighted
/// shell and timing of the gradient pulses.
fn groups(gradients: &GradientTable) -> Vec<(f64, Vec<usize>)> {
    let timing = |m: usize| gradients.timings().map(|timings| timings[m]);
    // The amplitudes of the gradient pulses are not compared, because they depend on b, which differs
    // slightly within a shell.
    let times = |of: PulseTiming| [of.separation, of.duration, of.echo_time];
    let is_alike = |a: Option<PulseTiming>, b: Option<PulseTiming>| a.map(times) == b.map(times);
    let mut groups: Vec<(f64, Vec<usize>)> = Vec::new();
    for (b, shell) in gradients.measurements_by_shell() {
        if b == 0.0 {
            groups.extend(shell.into_iter().map(|m| (0.0, vec![m])));
            continue;
        }
        let first = groups.len();
        for m in shell {
            match groups[first..].iter_mut().find(|(_, group)| is_alike(timing(group[0]), timing(m))) {
                Some((_, group)) => group.push(m),
                None => groups.push((b, vec![m])),
            }
        }
    }
    groups
}

/// If the models describe averages over gradient directions, returns the [averages](average_directions) of a
/// series. If the models describe single measurements, returns `None`.
///
/// # Errors
/// Returns an error if some models describe averages over gradient directions and others do not. Also returns
/// the errors of [`average_directions`].
pub fn averaged_for(
    models: &[Model],
    dwi: &Volume<f32>,
    gradients: &GradientTable,
) -> Result<Option<(Volume<f32>, GradientTable)>> {
    let (of_averages, others): (Vec<&Model>, Vec<&Model>) =
        models.iter().partition(|model| model.averages_directions());
    match (of_averages.first(), others.first()) {
        (None, _) => Ok(None),
        (Some(average), Some(other)) => {
            let (average, other) = (average.name(), other.name());
            let problem = format!(
                "the model {average} describes averages over directions, but the model {other} does not"
            );
            Err(Error::usage("MODEL", problem, "fit the models in separate commands"))
        }
        (Some(_), None) => average_directions(dwi, gradients).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid};

    #[test]
    fn averages_are_grouped_by_shell_and_timing() {
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let directions: Vec<[f64; 3]> = [0, 1, 2, 0, 1, 2, 0].map(|n| axes[n]).to_vec();
        let b = vec![0.0, 1000.0, 1010.0, 0.0, 3000.0, 1000.0, 1000.0];
        let table = GradientTable::new(&directions, b.clone(), 50.0).unwrap();
        let grid = Grid::new([2, 1, 1], Affine::identity()).unwrap();
        let voxel = [10.0, 5.0, 6.0, 12.0, 1.0, 7.0, f32::NAN];
        let dwi = Volume::new(grid, 7, [voxel, [f32::NAN; 7]].concat()).unwrap();
        let (averaged, shells) = average_directions(&dwi, &table).unwrap();
        assert_eq!(averaged.voxel(0), [10.0, 12.0, 6.0, 1.0]);
        assert!(averaged.voxel(1).iter().all(|signal| signal.is_nan()));
        assert_eq!(shells.b_values(), [0.0, 0.0, 1002.5, 3000.0]);
        assert_eq!(shells.averaged(), Some(&[1, 1, 4, 1][..]));
        // Measurements of the same shell with another timing of the gradient pulses have a separate mean.
        let timing = |m: usize| {
            let separation = if m == 5 { 0.06 } else { 0.04 };
            PulseTiming::with_b_value(b[m], separation, 0.02, 0.1).unwrap()
        };
        let timed = table.with_timings((0..7).map(timing).collect()).unwrap();
        let (averaged, shells) = average_directions(&dwi, &timed).unwrap();
        assert_eq!(averaged.voxel(0), [10.0, 12.0, 5.5, 7.0, 1.0]);
        assert_eq!(shells.averaged(), Some(&[1, 1, 3, 1, 1][..]));
        let separations: Vec<f64> = shells.timings().unwrap().iter().map(|of| of.separation).collect();
        assert_eq!(separations, [0.04, 0.04, 0.04, 0.06, 0.04]);
    }
}
