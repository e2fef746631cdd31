//! Estimates responses from voxels whose tissue is known: a single fibre bundle, or isotropic tissue.

use crate::basis::{HarmonicBasis, zonal_at_pole};
use crate::cone::Cone;
use crate::dense::{Symmetric, add_multiple};
use crate::response::Response;
use crate::voxels::check;
use arcuate_core::{Error, GradientTable, Mask, Result, Volume};
use arcuate_numbers::legendre::even_polynomials;
use std::f64::consts::FRAC_PI_2;

/// Number of angles between fibres and gradient at which the fitted signal must not be smaller than at the
/// angle before.
const ANGLES: usize = 90;

/// Estimates the response from voxels with one fibre bundle each. `directions` has the fibre direction of
/// each of `voxels`, as a unit vector in scanner axes. For each shell, the signal is a function of the angle
/// between the gradient and the fibres. The zonal coefficients of this function up to the degree `order` are
/// fitted to all measurements of all voxels. The fitted signal is non-negative and does not decrease from the
/// fibre axis to the perpendicular plane, as in MRtrix's `amp2response`. The source is Smith, Dhollander and
/// Connelly 2017, ISMRM 25:3502, "Constrained linear least squares estimation of anisotropic response
/// function". At b = 0, only the coefficient of l = 0 is fitted.
///
/// # Errors
/// Returns an error if the series, the gradient table and the voxels do not match, if there are no voxels, or
/// if a signal is not finite. Also returns an error if the order is odd or too high, or if the directions do
/// not determine the coefficients.
pub fn response_of_bundles(
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    voxels: &[usize],
    directions: &[[f64; 3]],
    order: usize,
) -> Result<Response> {
    check_voxels(dwi, gradients, voxels)?;
    if directions.len() != voxels.len() {
        let problem = format!(
            "there are {} fibre directions, but {} single-fibre voxels",
            directions.len(),
            voxels.len()
        );
        return Err(Error::invalid(
            "single-fibre voxels",
            problem,
            "give one fibre direction for each single-fibre voxel",
        ));
    }
    HarmonicBasis::new(order)?;
    let (mut rows, mut b_values) = (Vec::new(), Vec::new());
    for (b, measurements) in gradients.measurements_by_shell() {
        let own = if b == 0.0 { 0 } else { order };
        let mut row = fit_shell(dwi, gradients, &measurements, voxels, directions, own)?;
        row.resize(order / 2 + 1, 0.0);
        rows.push(row);
        b_values.push(b);
    }
    Response::new(rows)?.with_b_values(b_values)
}

/// Estimates the response from voxels with isotropic tissue: for each shell, √(4π) times the mean signal.
///
/// # Errors
/// Returns an error for the reasons that [`response_of_bundles`] states.
pub fn response_of_isotropic(
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    voxels: &[usize],
) -> Result<Response> {
    check_voxels(dwi, gradients, voxels)?;
    let (mut rows, mut b_values) = (Vec::new(), Vec::new());
    for (b, measurements) in gradients.measurements_by_shell() {
        let mean: f64 = voxels.iter().map(|&voxel| mean_of(dwi.voxel(voxel), &measurements)).sum::<f64>();
        rows.push(vec![mean / voxels.len() as f64 / zonal_at_pole(0)]);
        b_values.push(b);
    }
    Response::new(rows)?.with_b_values(b_values)
}

/// Returns the mean of the signals of a voxel, over the given measurements.
pub(super) fn mean_of(signals: &[f32], measurements: &[usize]) -> f64 {
    measurements.iter().map(|&m| f64::from(signals[m])).sum::<f64>() / measurements.len() as f64
}

/// Returns an error if the series and the gradient table do not match, or if a voxel is not in the series.
fn check_voxels(dwi: &Volume<f32>, gradients: &GradientTable, voxels: &[usize]) -> Result<()> {
    check(gradients.len(), dwi, &Mask::full(*dwi.grid()))?;
    if voxels.is_empty() {
        return Err(Error::invalid("response function", "no usable voxel is left", "give a larger mask"));
    }
    if let Some(voxel) = voxels.iter().find(|&&voxel| voxel >= dwi.grid().len()) {
        let problem = format!("voxel {voxel} is outside the series");
        return Err(Error::invalid("response function", problem, "give voxels of the series"));
    }
    if voxels.iter().any(|&voxel| dwi.voxel(voxel).iter().any(|signal| !signal.is_finite())) {
        let problem = "a voxel of it has a signal that is not finite";
        return Err(Error::invalid(
            "response function",
            problem,
            "remove voxels outside the series from the mask",
        ));
    }
    Ok(())
}

/// Fits the zonal coefficients of one shell to the signals of all voxels.
fn fit_shell(
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    measurements: &[usize],
    voxels: &[usize],
    directions: &[[f64; 3]],
    order: usize,
) -> Result<Vec<f64>> {
    let count = order / 2 + 1;
    let zonal = |cosine: f64| -> Vec<f64> {
        even_polynomials(order, cosine)
            .into_iter()
            .enumerate()
            .map(|(n, p)| p * zonal_at_pole(2 * n))
            .collect()
    };
    let (mut normal, mut coefficients) = (Symmetric::zero(count), vec![0.0; count]);
    for (&voxel, d) in voxels.iter().zip(directions) {
        for &m in measurements {
            let g = gradients.directions()[m];
            let row = zonal(g[0] * d[0] + g[1] * d[1] + g[2] * d[2]);
            normal.add_square(1.0, &row);
            add_multiple(&mut coefficients, f64::from(dwi.voxel(voxel)[m]), &row);
        }
    }
    if !normal.factorise() {
        let problem = format!(
            "the signals in the chosen voxels do not determine the {count} coefficients of the response in a \
             shell"
        );
        return Err(Error::invalid(
            "response function",
            problem,
            "give more voxels, or a lower order of spherical harmonics",
        ));
    }
    // A signal that does not decrease with the angle is non-negative at all angles if it is non-negative
    // along the fibres. One condition for the signal along the fibres is therefore sufficient.
    let amplitudes: Vec<Vec<f64>> =
        (0..=ANGLES).map(|n| zonal((FRAC_PI_2 * n as f64 / ANGLES as f64).cos())).collect();
    let mut constraints = amplitudes[0].clone();
    if order > 0 {
        for pair in amplitudes.windows(2) {
            constraints.extend(pair[1].iter().zip(&pair[0]).map(|(after, before)| after - before));
        }
    }
    constraints.chunks_exact_mut(count).for_each(|row| normal.solve_transposed(row));
    normal.solve_transposed(&mut coefficients);
    let cone = Cone::new(&constraints, count);
    if !cone.project(&mut cone.scratch(), &mut coefficients) {
        let problem = "its constraints could not be fulfilled";
        return Err(Error::invalid("response function", problem, "check the series and its gradient table"));
    }
    normal.solve_upper(&mut coefficients);
    Ok(coefficients)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid, Orientations};
    use std::f64::consts::PI;

    #[test]
    fn rotated_bundles_give_the_response_of_one_bundle() {
        let axes = Orientations::half_sphere(40).directions().to_vec();
        let gradients = GradientTable::new(
            &[vec![[0.0; 3]; 2], axes].concat(),
            [vec![0.0; 2], vec![2000.0; 40]].concat(),
            50.0,
        )
        .unwrap();
        let directions = Orientations::half_sphere(25).directions().to_vec();
        let grid = Grid::new([25, 1, 1], Affine::identity()).unwrap();
        let truth = [600.0, -400.0, 130.0, -25.0, 3.0];
        let response = Response::new(vec![truth.to_vec()]).unwrap();
        let signal = |d: &[f64; 3], m: usize| {
            let g = gradients.directions()[m];
            let b0 = gradients.is_b0(m);
            if b0 { 500.0 } else { response.amplitude(0, (0..3).map(|k| g[k] * d[k]).sum()) as f32 }
        };
        let values =
            directions.iter().flat_map(|d| (0..42).map(move |m| (d, m))).map(|(d, m)| signal(d, m)).collect();
        let dwi = Volume::new(grid, 42, values).unwrap();
        let voxels: Vec<usize> = (0..25).collect();
        let found = response_of_bundles(&dwi, &gradients, &voxels, &directions, 8).unwrap();
        assert_eq!(found.b_values(), Some(&[0.0, 2000.0][..]));
        for (value, expected) in found.rows()[1].iter().zip(truth) {
            // The tolerance allows for signals in single precision.
            assert!((value - expected).abs() < 1e-3, "{value} {expected}");
        }
        assert!(
            (found.rows()[0][0] - 500.0 * (4.0 * PI).sqrt()).abs() < 1e-6 && found.rows()[0][1..] == [0.0; 4]
        );
        let isotropic = response_of_isotropic(&dwi, &gradients, &voxels).unwrap();
        assert!((isotropic.rows()[0][0] - found.rows()[0][0]).abs() < 1e-6 && isotropic.order() == 0);
        assert!(response_of_bundles(&dwi, &gradients, &[], &[], 8).is_err());
        assert!(response_of_isotropic(&dwi, &gradients, &[25]).is_err());
        assert!(response_of_bundles(&dwi, &gradients, &voxels, &directions[1..], 8).is_err());
        // Ten measurements cannot determine 17 coefficients of a response.
        let ten: Vec<usize> = (2..12).collect();
        let (few, table) = (dwi.channels_at(&ten), gradients.of_measurements(&ten));
        let message = response_of_bundles(&few, &table, &[0], &directions[..1], 32).unwrap_err().to_string();
        assert!(message.contains("do not determine the 17 coefficients"), "{message}");
    }

    #[test]
    fn estimated_signals_do_not_decrease_away_from_the_fibre() {
        let axes = Orientations::half_sphere(60).directions().to_vec();
        let gradients = GradientTable::new(&axes, vec![2000.0; 60], 50.0).unwrap();
        let grid = Grid::new([1, 1, 1], Affine::identity()).unwrap();
        // The fibres are along z, and the signal oscillates with the angle from z.
        let values = axes.iter().map(|d| (100.0 + 50.0 * (9.0 * d[2]).cos()) as f32).collect();
        let dwi = Volume::new(grid, 60, values).unwrap();
        let found = response_of_bundles(&dwi, &gradients, &[0], &[[0.0, 0.0, 1.0]], 8).unwrap();
        let amplitudes: Vec<f64> =
            (0..=90).map(|n| found.amplitude(0, f64::from(n).to_radians().cos())).collect();
        assert!(amplitudes[0] >= 0.0 && amplitudes.windows(2).all(|pair| pair[1] > pair[0] - 1e-6));
    }
}
