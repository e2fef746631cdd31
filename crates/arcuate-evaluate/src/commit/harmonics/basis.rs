//! Approximates the response functions of each kind of compartment (intra-axonal, extra-axonal) by weighted
//! sums of a few basis functions. Chooses the number of basis functions and the degrees of their spherical
//! harmonics.

use crate::commit::{AxialResponse, Responses};
use arcuate_core::expansion::EvenExpansion;
use arcuate_core::harmonics::EvenHarmonics;
use arcuate_core::{Error, Result};
use arcuate_numbers::legendre::even_polynomials;
use nalgebra::DMatrix;

/// The maximum degree of the spherical harmonics. It suffices for the response of a stick (a cylinder of
/// radius 0) at b = 50,000 s/mm².
const HIGHEST: usize = 60;
/// Number of cosines at which the errors of an approximated response are evaluated. These cosines are more
/// closely spaced than the extrema of polynomials of the maximum degree.
const PROBES: usize = 257;
/// Candidate fractions of the tolerance that omitted harmonic degrees may use. The basis is created with each
/// fraction, and the fraction for which the products of the operator cost least is selected.
const FOR_DEGREES: [f64; 4] = [0.5, 0.7, 0.85, 0.95];

/// The responses of one kind of compartment. Each response is a function of the cosine between the
/// compartment's axis and the gradient. The equation below approximates the response j in the shell s.
///
/// ```text
/// R_j(s, cosine) ≈ Σ_k weights[j, k] Σ_l legendre[k][s][l/2] P_l(cosine)
/// ```
#[derive(Debug, Clone)]
pub(super) struct Family {
    /// Number of responses of this kind of compartment.
    pub(super) responses: usize,
    /// Number of functions that represent all responses.
    pub(super) rank: usize,
    /// Weight of each function in each response. The shape is `responses × rank`, row by row.
    pub(super) weights: Vec<f64>,
    /// For each basis function and shell, the coefficients of the Legendre polynomials P_0, P_2, … up to the
    /// highest degree of the shell.
    pub(super) legendre: Vec<Vec<Vec<f64>>>,
}

/// The intra-axonal and extra-axonal responses, each approximated by a weighted sum of a few basis functions.
#[derive(Debug, Clone)]
pub(super) struct Basis {
    /// For each shell, the highest degree of the spherical harmonics.
    pub(super) orders: Vec<usize>,
    pub(super) intra: Family,
    pub(super) extra: Family,
    /// Largest error of any approximated response in any shell and direction.
    pub(super) error: f64,
}

impl Basis {
    /// Creates a basis that approximates all responses. In any direction, the error of each response is at
    /// most `tolerance`, in the unit of the response.
    ///
    /// Returns an error if spherical harmonics up to the maximum degree have a larger error than the
    /// tolerance. This happens if a response is discontinuous or if the tolerance is below rounding errors.
    pub(super) fn new(responses: &Responses, tolerance: f64) -> Result<Self> {
        let probed = Probed::new(responses);
        let mut best = Self::split(responses, &probed, tolerance, FOR_DEGREES[0] * tolerance);
        for part in &FOR_DEGREES[1..] {
            // The larger the part of the tolerance for omitted degrees, the fewer degrees are needed. If no
            // basis is found with one fraction, the next fraction may still give a basis.
            let Ok(basis) = Self::split(responses, &probed, tolerance, part * tolerance) else { continue };
            if best.as_ref().map_or(true, |best| basis.cost() < best.cost()) {
                best = Ok(basis);
            }
        }
        best
    }

    /// Creates a basis in which the errors due to omitted degrees are at most `for_degrees`. The remainder of
    /// the tolerance limits the errors that arise because responses are approximated by few basis functions.
    fn split(responses: &Responses, probed: &Probed, tolerance: f64, for_degrees: f64) -> Result<Self> {
        let mut orders = vec![0; responses.shell_count()];
        let mut of_degrees: f64 = 0.0;
        for (shell, order) in orders.iter_mut().enumerate() {
            let error_at = |order: usize| {
                let of_all = |(family, functions): (&[ProbedResponse], &[AxialResponse])| {
                    let error = |(values, response): (&ProbedResponse, &AxialResponse)| {
                        probed.error(&values[shell], &probed.coefficients(response, shell, order))
                    };
                    family.iter().zip(functions).map(error).fold(0.0, larger)
                };
                let intra = of_all((&probed.intra, &responses.intra));
                larger(intra, of_all((&probed.extra, &responses.extra)))
            };
            let mut error = error_at(*order);
            // A NaN error must not be accepted as small enough.
            while error.is_nan() || error > for_degrees {
                *order += 2;
                if *order > HIGHEST {
                    return Err(Error::usage(
                        "‘orientations’",
                        format!(
                            "spherical harmonics up to degree {HIGHEST} do not represent a response within \
                             {tolerance:e}"
                        ),
                        "as ‘orientations’, give a number, so that a table of responses is used",
                    ));
                }
                error = error_at(*order);
            }
            of_degrees = of_degrees.max(error);
        }
        let family = |functions: &[AxialResponse]| {
            let of_shell = |response, (shell, &order)| probed.coefficients(response, shell, order);
            let of_response =
                |response| orders.iter().enumerate().map(|shell| of_shell(response, shell)).collect();
            let coefficients = functions.iter().map(of_response).collect();
            Family::new(coefficients, &orders, &probed.polynomials, tolerance - of_degrees)
        };
        let (intra, extra) = (family(&responses.intra), family(&responses.extra));
        let mut error: f64 = 0.0;
        for (family, all) in [(&intra, &probed.intra), (&extra, &probed.extra)] {
            for (j, values) in all.iter().enumerate() {
                for (shell, values) in values.iter().enumerate() {
                    error = error.max(probed.error(values, &family.coefficients(j, shell)));
                }
            }
        }
        Ok(Self { orders, intra, extra, error })
    }

    /// Returns the approximate cost of a segment and the approximate cost of a voxel. A segment costs the
    /// computation of its spherical harmonics, and a product of each harmonic with every basis function.
    fn cost(&self) -> (usize, usize) {
        let harmonics = EvenHarmonics::count_up_to;
        (harmonics(self.order()) * (3 + self.intra.rank), self.orders.iter().copied().map(harmonics).sum())
    }

    /// Returns the highest degree of all shells.
    pub(super) fn order(&self) -> usize {
        self.orders.iter().copied().max().unwrap_or(0)
    }
}

/// Returns the larger of two numbers. NaN is treated as larger than all numbers.
fn larger(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

/// The values of one response function in each shell, at each cosine at which errors are evaluated.
type ProbedResponse = Vec<Vec<f64>>;

/// The values of all response functions at the cosines at which errors are evaluated.
struct Probed {
    /// The even Legendre polynomials at each cosine.
    polynomials: Vec<Vec<f64>>,
    intra: Vec<ProbedResponse>,
    extra: Vec<ProbedResponse>,
    expansion: EvenExpansion,
}

impl Probed {
    fn new(responses: &Responses) -> Self {
        // The cosines are Chebyshev points, because these have the same spacing as the extrema of
        // polynomials.
        let cosines: Vec<f64> = (0..PROBES)
            .map(|n| (n as f64 / (PROBES - 1) as f64 * std::f64::consts::FRAC_PI_2).cos())
            .collect();
        let of_shell =
            |response: &AxialResponse, shell| cosines.iter().map(|&x| response(shell, x)).collect();
        let probe = |response| (0..responses.shell_count()).map(|shell| of_shell(response, shell)).collect();
        Self {
            intra: responses.intra.iter().map(probe).collect(),
            extra: responses.extra.iter().map(probe).collect(),
            polynomials: cosines.iter().map(|&x| even_polynomials(HIGHEST, x)).collect(),
            expansion: EvenExpansion::new(HIGHEST),
        }
    }

    /// Returns the coefficients of the Legendre polynomials P_0, P_2, …, P_order for a response in a shell.
    fn coefficients(&self, response: &AxialResponse, shell: usize, order: usize) -> Vec<f64> {
        self.expansion.coefficients(order, |cosine| response(shell, cosine))
    }

    /// Returns the largest difference between a response and its sum of Legendre polynomials, over the
    /// cosines at which errors are evaluated. `coefficients` are the factors of P_0, P_2, … in the sum.
    fn error(&self, values: &[f64], coefficients: &[f64]) -> f64 {
        let error = |(value, polynomials): (&f64, &Vec<f64>)| {
            let sum: f64 = coefficients.iter().zip(polynomials).map(|(c, p)| c * p).sum();
            (sum - value).abs()
        };
        values.iter().zip(&self.polynomials).map(error).fold(0.0, larger)
    }
}

impl Family {
    /// Finds the smallest number of basis functions whose weighted sums approximate all responses within
    /// `tolerance`. The method is a singular value decomposition of the coefficients of each response, shell
    /// and degree. `probes` has the even Legendre polynomials at the cosines at which errors are evaluated.
    fn new(coefficients: Vec<Vec<Vec<f64>>>, orders: &[usize], probes: &[Vec<f64>], tolerance: f64) -> Self {
        let responses = coefficients.len();
        let columns: Vec<(usize, usize)> = orders
            .iter()
            .enumerate()
            .flat_map(|(shell, &order)| (0..=order / 2).map(move |n| (shell, n)))
            .collect();
        if responses <= 1 {
            let truncated = |shells: Vec<Vec<f64>>| -> Vec<Vec<f64>> {
                shells.iter().zip(orders).map(|(c, order)| c[..=order / 2].to_vec()).collect()
            };
            let legendre = coefficients.into_iter().map(truncated).collect();
            return Self { responses, rank: responses, weights: vec![1.0; responses], legendre };
        }
        // The coefficients are scaled. The sum of the squared coefficients of a basis function is then its
        // mean square over the sphere.
        let unit = |n: usize| ((4 * n + 1) as f64).sqrt();
        let matrix = DMatrix::from_fn(responses, columns.len(), |j, column| {
            let (shell, n) = columns[column];
            coefficients[j][shell][n] / unit(n)
        });
        let svd = matrix.clone().svd(true, true);
        let (Some(left), Some(right)) = (svd.u, svd.v_t) else { unreachable!("both factors were asked for") };
        let mut from_largest: Vec<usize> = (0..svd.singular_values.len()).collect();
        from_largest.sort_by(|&a, &b| svd.singular_values[b].total_cmp(&svd.singular_values[a]));
        let mut rest = matrix;
        let mut used = Vec::new();
        for function in from_largest {
            // The largest error of the approximation, over all responses, shells and directions.
            let mut worst: f64 = 0.0;
            for (j, shell) in (0..responses).flat_map(|j| (0..orders.len()).map(move |shell| (j, shell))) {
                let of_shell = columns.iter().enumerate().filter(|(_, (s, _))| *s == shell);
                let left: Vec<f64> = of_shell.map(|(column, &(_, n))| rest[(j, column)] * unit(n)).collect();
                for polynomials in probes {
                    let value: f64 = left.iter().zip(polynomials).map(|(c, p)| c * p).sum();
                    worst = worst.max(value.abs());
                }
            }
            if worst <= tolerance && !used.is_empty() {
                break;
            }
            let sigma = svd.singular_values[function];
            rest -= left.column(function) * right.row(function) * sigma;
            used.push(function);
        }
        let weights = (0..responses)
            .flat_map(|j| used.iter().map(move |&k| (j, k)))
            .map(|(j, k)| left[(j, k)] * svd.singular_values[k])
            .collect();
        let legendre = used
            .iter()
            .map(|&k| {
                let mut shells: Vec<Vec<f64>> = orders.iter().map(|_| Vec::new()).collect();
                for (column, &(shell, n)) in columns.iter().enumerate() {
                    shells[shell].push(right[(k, column)] * unit(n));
                }
                shells
            })
            .collect();
        Self { responses, rank: used.len(), weights, legendre }
    }

    /// Returns the Legendre coefficients of a response in a shell.
    fn coefficients(&self, response: usize, shell: usize) -> Vec<f64> {
        let mut sums = vec![0.0; self.legendre.first().map_or(0, |shells| shells[shell].len())];
        for (k, shells) in self.legendre.iter().enumerate() {
            for (sum, c) in sums.iter_mut().zip(&shells[shell]) {
                *sum += self.weights[response * self.rank + k] * c;
            }
        }
        sums
    }

    /// Returns an upper bound of the magnitude of any basis function, in any shell and direction.
    pub(super) fn largest(&self) -> f64 {
        let of_shell = |coefficients: &Vec<f64>| coefficients.iter().map(|c| c.abs()).sum::<f64>();
        self.legendre.iter().flatten().map(of_shell).fold(0.0, f64::max)
    }

    /// Returns the largest sum Σ_k |weights[j, k]| over the basis functions k, for any response j.
    pub(super) fn largest_row(&self) -> f64 {
        let row = |row: &[f64]| row.iter().map(|w| w.abs()).sum::<f64>();
        self.weights.chunks_exact(self.rank.max(1)).map(row).fold(0.0, f64::max)
    }

    /// Returns an upper bound of |Σ_j R_j|, the sum of all responses with amounts up to 1, in any shell and
    /// direction.
    pub(super) fn largest_sum(&self) -> f64 {
        self.weights.iter().map(|w| w.abs()).sum::<f64>() * self.largest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates the responses of a stick (a cylinder of radius 0) in three shells. One shell has no diffusion
    /// weighting. In the others, the product b·d of b-value and diffusivity is 1.7 and 5.1.
    fn sticks(factors: &[f64]) -> Responses {
        let stick = |factor: f64| -> AxialResponse {
            Box::new(move |shell, cosine| (-factor * [0.0, 1.7, 5.1][shell] * cosine * cosine).exp())
        };
        Responses::new(
            vec![[0.0, 0.0, 1.0]; 3],
            vec![0, 1, 2],
            factors.iter().map(|&factor| stick(factor)).collect(),
            vec![],
            vec![],
            false,
        )
        .unwrap()
    }

    #[test]
    fn each_shell_gets_the_degrees_it_needs() {
        let basis = Basis::new(&sticks(&[1.0]), 1e-5).unwrap();
        assert_eq!(basis.orders, [0, 10, 16]);
        assert!(basis.error <= 1e-5);
        assert_eq!((basis.intra.responses, basis.intra.rank, basis.extra.rank), (1, 1, 0));
        let rough = Basis::new(&sticks(&[1.0]), 1e-2).unwrap();
        assert!(rough.error <= 1e-2 && rough.orders < basis.orders, "{:?}", rough.orders);
    }

    #[test]
    fn similar_responses_share_few_functions() {
        let factors: Vec<f64> = (0..9).map(|n| 1.0 - 0.01 * f64::from(n)).collect();
        let basis = Basis::new(&sticks(&factors), 1e-5).unwrap();
        assert!(basis.error <= 1e-5);
        assert!(basis.intra.rank <= 4, "rank {}", basis.intra.rank);
        assert!(basis.intra.rank >= 2);
    }

    #[test]
    fn the_maximum_degree_suffices_for_strong_weighting() {
        // Response of a stick (a cylinder of radius 0) at b = 50,000 s/mm², with a diffusivity of 1.7 µm²/ms.
        let stick: AxialResponse = Box::new(|_, cosine| (-85.0 * cosine * cosine).exp());
        let responses = Responses::new(vec![[0.0; 3]], vec![0], vec![stick], vec![], vec![], false).unwrap();
        assert_eq!(Basis::new(&responses, 1e-5).unwrap().orders, [HIGHEST]);
    }

    #[test]
    fn responses_with_nan_are_rejected() {
        let hole: AxialResponse =
            Box::new(|_, cosine| if (0.3..0.4).contains(&cosine) { f64::NAN } else { 1.0 });
        let responses = Responses::new(vec![[0.0; 3]], vec![0], vec![hole], vec![], vec![], false).unwrap();
        assert!(Basis::new(&responses, 1e-5).is_err());
    }

    #[test]
    fn discontinuous_responses_are_rejected() {
        let step: AxialResponse = Box::new(|_, cosine| if cosine.abs() < 0.3 { 1.0 } else { 0.0 });
        let responses = Responses::new(vec![[0.0; 3]], vec![0], vec![step], vec![], vec![], false).unwrap();
        let error = Basis::new(&responses, 1e-5).unwrap_err();
        assert!(error.to_string().contains("‘orientations’"), "{error}");
    }
}
