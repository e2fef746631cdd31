//! Selection of the measurements that are deconvolved, and of the order of orientation distributions.

use crate::basis::HarmonicBasis;
use crate::dense::Symmetric;
use crate::response::Response;
use arcuate_core::{Error, GradientTable, Orientations, Result};

/// The default limit of the order (highest degree) of an orientation distribution.
pub const DEFAULT_LARGEST_ORDER: usize = 8;

/// Returns the maximum number of tissues that a series can distinguish: the number of distinct b-values,
/// including b = 0.
pub fn largest_number_of_tissues(gradients: &GradientTable) -> usize {
    gradients.shells().len()
}

/// Returns true if the b-value of a response agrees with that of a shell. Their difference must be at most 10
/// % or at most 100 s/mm².
pub(crate) fn agrees_with_shell(given: f64, shell: f64) -> bool {
    (given - shell).abs() <= (0.1 * shell).max(100.0)
}

/// Returns the order of an orientation distribution. If an order is requested, returns this order. If not,
/// returns the order of the response, but at most [`DEFAULT_LARGEST_ORDER`].
pub(crate) fn order_of_distribution(requested: Option<usize>, response: &Response) -> usize {
    requested.unwrap_or_else(|| response.order().min(DEFAULT_LARGEST_ORDER))
}

/// Returns the directions of the non-negativity constraint as unit vectors. Returns an error if there are too
/// few directions for the order `order`. A distribution could then be negative between them.
pub(crate) fn constraint_directions(directions: &[[f64; 3]], order: usize) -> Result<Vec<[f64; 3]>> {
    let directions = Orientations::new(directions).map_err(|error| error.about("constraint directions"))?;
    let needed = HarmonicBasis::count_of_order(order);
    if directions.len() < needed {
        let problem = format!(
            "{} constraint directions are too few for the {needed} coefficients of order {order}",
            directions.len()
        );
        return Err(Error::invalid(
            "constraint directions",
            problem,
            "give more constraint directions; 300 are enough for order 8",
        ));
    }
    Ok(directions.directions().to_vec())
}

/// Returns an error if the b-values of the measurements are unknown.
pub(crate) fn require_known(gradients: &GradientTable) -> Result<()> {
    if gradients.is_known() {
        return Ok(());
    }
    let advice = "give the gradient table of the series";
    Err(Error::invalid(
        "gradient table",
        "the series has no weighted shell, which deconvolution needs",
        advice,
    ))
}

/// Limit for the smallest eigenvalue of the normal matrix of the harmonics up to order 2, as a fraction of
/// the mean eigenvalue. If the smallest eigenvalue is above this limit, the gradient directions determine
/// these harmonics.
const MIN_EIGENVALUE: f64 = 1e-6;

/// Checks that the gradient directions of all weighted measurements together determine a distribution of the
/// lowest order, 2.
///
/// # Errors
/// Returns an error if the gradient table is missing, or if there are too few gradient directions, or if they
/// are in one plane or cone.
pub fn check_directions(gradients: &GradientTable) -> Result<()> {
    require_known(gradients)?;
    require_spread(gradients, &gradients.weighted_indices())
}

/// Returns an error if the gradient directions of these measurements do not determine a distribution of order
/// 2.
pub(crate) fn require_spread(gradients: &GradientTable, measurements: &[usize]) -> Result<()> {
    let basis = HarmonicBasis::new(2)?;
    let axes: Vec<[f64; 3]> = measurements.iter().map(|&m| gradients.directions()[m]).collect();
    let axes: Vec<[f64; 3]> = axes.into_iter().filter(|axis| *axis != [0.0; 3]).collect();
    let mut normal = Symmetric::normal(&basis.matrix(&axes), basis.count());
    normal.add_to_diagonal(-MIN_EIGENVALUE * normal.mean_diagonal());
    if normal.factorise() {
        return Ok(());
    }
    let axes = gradients.distinct_axes(measurements);
    let problem = format!(
        "the shell has {axes} different directions, which do not determine the coefficients of order 2"
    );
    let advice = format!("use directions spread over the whole sphere, at least {}", basis.count());
    Err(Error::invalid("gradient table", problem, advice))
}

/// Returns one factor for each coefficient up to the order `order`. `by_degree` has one factor for each
/// degree l = 0, 2, ….
pub(crate) fn by_coefficient(by_degree: &[f64], order: usize) -> Vec<f64> {
    let degrees = (0..=order).step_by(2);
    degrees
        .flat_map(|l| std::iter::repeat_n(by_degree.get(l / 2).copied().unwrap_or(0.0), 2 * l + 1))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_tissues_is_at_most_the_number_of_b_values() {
        let directions = [[1.0, 0.0, 0.0]; 4];
        let table = GradientTable::new(&directions, vec![0.0, 1000.0, 1005.0, 2000.0], 50.0).unwrap();
        assert_eq!(largest_number_of_tissues(&table), 3);
    }

    fn checked(directions: &[[f64; 3]]) -> std::result::Result<(), String> {
        let table = [&[[0.0; 3]], directions].concat();
        let b_values = [&[0.0][..], &vec![1000.0; directions.len()]].concat();
        check_directions(&GradientTable::new(&table, b_values, 50.0).unwrap()).map_err(|e| e.to_string())
    }

    #[test]
    fn directions_that_do_not_determine_a_distribution_are_rejected() {
        let sphere = Orientations::half_sphere(20).directions().to_vec();
        assert_eq!(checked(&sphere), Ok(()));
        let circle: Vec<(f64, f64)> = (0..20).map(|n| (0.15 * f64::from(n)).sin_cos()).collect();
        let plane: Vec<[f64; 3]> = circle.iter().map(|&(x, y)| [x, y, 0.0]).collect();
        let cone: Vec<[f64; 3]> = circle.iter().map(|&(x, y)| [0.6 * x, 0.6 * y, 0.8]).collect();
        for (directions, number) in [(&plane[..], 20), (&cone, 20), (&[sphere[3]; 20], 1), (&sphere[..5], 5)]
        {
            let message = format!(
                "gradient table: the shell has {number} different directions, which do not determine the \
                 coefficients of order 2; use directions spread over the whole sphere, at least 6"
            );
            assert_eq!(checked(directions), Err(message));
        }
        let unknown = check_directions(&GradientTable::unknown(4).unwrap()).unwrap_err();
        assert!(unknown.to_string().contains("no weighted shell"), "{unknown}");
    }
}
