//! Averages over directions.

use crate::tensor::check_series;
use arcuate_core::{GradientTable, PulseTiming, Result, Volume};
use rayon::prelude::*;

/// The mean signal of each shell in every voxel (Kaden et al. 2016, doi:10.1002/mrm.25734), what models of
/// [averages](crate::language::Model::averages_directions) are fitted to: a measurement for each shell and timing of pulses,
/// b = 0 first, at the mean b of its measurements. Directions mean nothing in the table that comes with it. Signals that are no
/// numbers are left out of their mean.
///
/// # Errors
/// Where series and gradients do not belong together.
pub fn average_directions(
    dwi: &Volume<f32>,
    gradients: &GradientTable,
) -> Result<(Volume<f32>, GradientTable)> {
    check_series(dwi, gradients)?;
    let timing = |m: usize| gradients.timings().map(|timings| timings[m]);
    // Amplitudes follow b, which differs within a shell.
    let times = |of: PulseTiming| [of.separation, of.duration, of.echo_time];
    let is_alike = |a: Option<PulseTiming>, b: Option<PulseTiming>| a.map(times) == b.map(times);
    let mut groups: Vec<(f64, Vec<usize>)> = Vec::new();
    for (b, shell) in gradients.measurements_by_shell() {
        let first = groups.len();
        for m in shell {
            match groups[first..].iter_mut().find(|(_, group)| is_alike(timing(group[0]), timing(m))) {
                Some((_, group)) => group.push(m),
                None => groups.push((b, vec![m])),
            }
        }
    }
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
    let timings: Option<Vec<PulseTiming>> = groups.iter().map(|(_, group)| timing(group[0])).collect();
    let table = match timings {
        Some(timings) => table.with_timings(timings)?,
        None => table,
    };
    Ok((averaged, table))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid};

    #[test]
    fn averages_are_those_of_shells_and_timings() {
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let directions: Vec<[f64; 3]> = [0, 1, 2, 0, 1, 2, 0].map(|n| axes[n]).to_vec();
        let b = vec![0.0, 1000.0, 1010.0, 0.0, 3000.0, 1000.0, 1000.0];
        let table = GradientTable::new(&directions, b.clone(), 50.0).unwrap();
        let grid = Grid::new([2, 1, 1], Affine::identity()).unwrap();
        let voxel = [10.0, 5.0, 6.0, 12.0, 1.0, 7.0, f32::NAN];
        let dwi = Volume::new(grid, 7, [voxel, [f32::NAN; 7]].concat()).unwrap();
        let (averaged, shells) = average_directions(&dwi, &table).unwrap();
        assert_eq!(averaged.voxel(0), [11.0, 6.0, 1.0]);
        assert!(averaged.voxel(1).iter().all(|signal| signal.is_nan()));
        assert_eq!(shells.b_values(), [0.0, 1002.5, 3000.0]);
        // Of other timings they are other measurements.
        let timing = |m: usize| {
            let separation = if m == 5 { 0.06 } else { 0.04 };
            PulseTiming::with_b_value(b[m], separation, 0.02, 0.1).unwrap()
        };
        let timed = table.with_timings((0..7).map(timing).collect()).unwrap();
        let (averaged, shells) = average_directions(&dwi, &timed).unwrap();
        assert_eq!(averaged.voxel(0), [11.0, 5.5, 7.0, 1.0]);
        let separations: Vec<f64> = shells.timings().unwrap().iter().map(|of| of.separation).collect();
        assert_eq!(separations, [0.04, 0.04, 0.06, 0.04]);
    }
}
