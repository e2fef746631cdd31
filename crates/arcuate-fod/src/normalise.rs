//! Normalises the signal intensities of tissues across the brain.

use crate::dense::{Symmetric, add_multiple, dot};
use arcuate_core::{Control, Error, Grid, Mask, Result, Volume, narrow, statistics};
use rayon::prelude::*;

/// Options of [`normalise_tissues`]. The default values are those of MRtrix's `mtnormalise`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct NormaliseOptions {
    /// Order of the polynomial in space whose exponential is the intensity field. If the order is 0, there is
    /// one factor for the whole image.
    pub order: usize,
    /// Number of times that the intensity field is fitted.
    pub iterations: usize,
    /// Number of updates before each fit of the intensity field. An update computes the balance factors and
    /// the outliers.
    pub balance_iterations: usize,
    /// Value that the balanced sum of tissues gets. It is the coefficient of l = 0 of a distribution whose
    /// integral is √(4π) · reference.
    pub reference: f64,
    /// True if the resulting tissues are multiplied by their balance factors.
    pub balanced: bool,
}

impl Default for NormaliseOptions {
    fn default() -> Self {
        Self { order: 3, iterations: 15, balance_iterations: 7, reference: 0.282095, balanced: false }
    }
}

/// Tissues with normalised intensities.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Normalised {
    /// The coefficients of the tissues divided by the intensity field, in the order of the input, in all
    /// voxels of their grid.
    pub tissues: Vec<Volume<f32>>,
    /// The intensity field. It is positive and has one channel.
    pub field: Volume<f32>,
    /// The balance factor of each tissue. Their product is 1.
    pub factors: Vec<f64>,
    /// The voxels from which the intensity field was computed: the mask without outliers.
    pub kept: Mask,
}

/// Maximum order of the polynomial of an intensity field. A polynomial of higher order would follow the
/// anatomy.
const LARGEST_ORDER: usize = 6;
/// An outlier is below the lower or above the upper quartile by more than this number of interquartile
/// ranges. There is one number for the first iteration, and another number for later iterations.
const FIRST_RANGE: f64 = 3.0;
const RANGE: f64 = 1.5;
/// Number of voxels whose values are added to one partial sum.
const PIECE: usize = 1024;

/// Divides the coefficients of tissues by a smooth intensity field, so that the sum of tissues becomes
/// uniform. The source is Raffelt et al. 2017, ISMRM 25:3541, "Bias field correction and intensity
/// normalisation for quantitative analysis of apparent fibre density". The source of the log domain is
/// Dhollander et al. 2021, ISMRM 29:2472, "Multi-tissue log-domain intensity and inhomogeneity normalisation
/// for quantitative apparent fibre density".
///
/// The method uses tᵢ, the coefficient of l = 0 of tissue i (the first channel of its volume), and a balance
/// factor βᵢ for each tissue. Two fits alternate. The first fits a polynomial in space to ln Σ βᵢ tᵢ − ln
/// reference. The exponential of this polynomial is the intensity field. The second fits the factors βᵢ,
/// whose product is 1, so that Σ βᵢ tᵢ / field is as close as possible to the reference (least squares).
/// Voxels of the mask in which ln Σ βᵢ tᵢ is an outlier (Tukey's fences) are excluded, until the set of
/// voxels does not change.
///
/// # Errors
/// Returns an error if there are no tissues, if their grids differ, or if an option is invalid. Also returns
/// an error if too few voxels of the mask contain tissue for the polynomial, or if a balance factor is not
/// positive. The same applies if `control` cancels the run.
pub fn normalise_tissues(
    tissues: &[Volume<f32>],
    mask: &Mask,
    options: &NormaliseOptions,
    control: &Control,
) -> Result<Normalised> {
    let grid = check(tissues, mask, options)?;
    let voxels = Voxels::new(tissues, mask, options.order)?;
    let count = tissues.len();
    let (mut factors, mut polynomial) = (vec![1.0; count], vec![0.0; voxels.terms]);
    let mut kept = vec![true; voxels.indices.len()];
    // The first fit of balance factors uses a constant intensity field. Its logarithm is the mean of ln Σ βᵢ
    // tᵢ − ln reference over all voxels, with the tissues tᵢ and the balance factors βᵢ.
    polynomial[0] = voxels.mean_log(&factors, options.reference);
    let mut range = FIRST_RANGE;
    for iteration in 0..options.iterations {
        control.progress(iteration as u64, options.iterations as u64)?;
        for _ in 0..options.balance_iterations {
            kept = voxels.without_outliers(&factors, &polynomial, range);
            range = RANGE;
            factors = voxels.balance(&polynomial, &kept)?;
        }
        polynomial = voxels.fit_field(&factors, &kept, options.reference)?;
    }
    let field = field_of(&grid, &polynomial, options.order, mask);
    let scaled = |(tissue, factor): (&Volume<f32>, &f64)| {
        let factor = if options.balanced { *factor } else { 1.0 };
        let mut out = tissue.clone();
        let channels = out.channels();
        for (voxel, field) in out.values_mut().chunks_exact_mut(channels).zip(field.values()) {
            for value in voxel {
                *value = (f64::from(*value) * factor / f64::from(*field)) as f32;
            }
        }
        out
    };
    let mut flags = vec![false; grid.len()];
    voxels.indices.iter().zip(&kept).for_each(|(voxel, kept)| flags[*voxel] = *kept);
    let normalised = tissues.iter().zip(&factors).map(scaled).collect();
    Ok(Normalised { tissues: normalised, field, factors, kept: Mask::new(grid, flags)? })
}

/// Checks that the grids of the tissues and the mask match, and returns the grid.
fn check(tissues: &[Volume<f32>], mask: &Mask, options: &NormaliseOptions) -> Result<Grid> {
    let Some(first) = tissues.first() else {
        return Err(Error::invalid(
            "tissues",
            "there are none",
            "give the orientation distributions of at least one tissue",
        ));
    };
    for tissue in tissues {
        tissue.grid().require_match(mask.grid(), "mask", "the tissues")?;
    }
    if options.order > LARGEST_ORDER {
        let problem = format!("{} is not a possible polynomial order of the intensity field", options.order);
        return Err(Error::usage("‘order’", problem, format!("give up to {LARGEST_ORDER}")));
    }
    if options.iterations == 0 || options.balance_iterations == 0 {
        return Err(Error::usage(
            "‘iterations’",
            "the number of iterations is 0",
            "give at least 1 iteration of the tissue balance and at least 1 of the intensity field",
        ));
    }
    if !(options.reference.is_finite() && options.reference > 0.0) {
        let problem = format!("{} is not a possible sum of the tissue fractions", options.reference);
        return Err(Error::usage("‘reference’", problem, "give a number above 0"));
    }
    Ok(*first.grid())
}

/// Returns the values of all monomials in the coordinates x, y and z up to an order.
fn terms(order: usize, [x, y, z]: [f64; 3]) -> impl Iterator<Item = f64> {
    let powers = move |i: usize, j: usize, k: usize| {
        x.powi(narrow::<i32>(i)) * y.powi(narrow::<i32>(j)) * z.powi(narrow::<i32>(k))
    };
    (0..=order).flat_map(move |degree| {
        (0..=degree).flat_map(move |i| (0..=degree - i).map(move |j| powers(i, j, degree - i - j)))
    })
}

/// Returns the coordinates of a voxel, which range from −1 to 1 across the image. Polynomials in these
/// coordinates are numerically well conditioned. The set of polynomials of an order does not depend on the
/// directions of the axes.
fn place(grid: &Grid, voxel: usize) -> [f64; 3] {
    let (shape, coordinates) = (grid.shape(), grid.coordinates(voxel));
    std::array::from_fn(|axis| 2.0 * (coordinates[axis] as f64 + 0.5) / shape[axis] as f64 - 1.0)
}

/// The voxels of the mask that contain tissue.
struct Voxels {
    indices: Vec<usize>,
    count: usize,
    /// `tissues` has the coefficient of l = 0 of each tissue in each voxel. `terms` has the terms of the
    /// polynomial in each voxel.
    tissues: Vec<f64>,
    terms: usize,
    places: Vec<f64>,
}

impl Voxels {
    fn new(tissues: &[Volume<f32>], mask: &Mask, order: usize) -> Result<Self> {
        let grid = mask.grid();
        let of = |voxel: usize| tissues.iter().map(move |tissue| f64::from(tissue.voxel(voxel)[0]));
        // After deconvolution, a coefficient that should be 0 can be slightly negative because of rounding
        // errors.
        let holds = |&voxel: &usize| {
            of(voxel).all(f64::is_finite) && of(voxel).map(|t| t.max(0.0)).sum::<f64>() > 0.0
        };
        let indices: Vec<usize> = mask.indices().into_iter().filter(holds).collect();
        let terms_count = terms(order, [0.0; 3]).count();
        if indices.len() < 2 * terms_count + tissues.len() {
            let problem =
                format!("{} voxels with tissue do not determine the intensity field", indices.len());
            return Err(Error::invalid(
                "mask",
                problem,
                "give a larger mask, or a lower polynomial order of the intensity field",
            ));
        }
        let amounts = indices.iter().flat_map(|&voxel| of(voxel).map(|t| t.max(0.0))).collect();
        let places = indices.iter().flat_map(|&voxel| terms(order, place(grid, voxel))).collect();
        Ok(Self { indices, count: tissues.len(), tissues: amounts, terms: terms_count, places })
    }

    /// Returns ln Σ βᵢ tᵢ for each voxel: the logarithm of the sum of tissues tᵢ with the balance factors βᵢ.
    fn log_sums(&self, factors: &[f64]) -> Vec<f64> {
        self.tissues.par_chunks(self.count).map(|tissues| dot(tissues, factors).ln()).collect()
    }

    /// Returns the mean over voxels of ln Σ βᵢ tᵢ − ln reference, with the tissues tᵢ and the balance factors
    /// βᵢ.
    fn mean_log(&self, factors: &[f64], reference: f64) -> f64 {
        self.log_sums(factors).iter().sum::<f64>() / self.indices.len() as f64 - reference.ln()
    }

    /// Returns the logarithm of the intensity field in each voxel.
    fn log_field(&self, polynomial: &[f64]) -> Vec<f64> {
        self.places.par_chunks(self.terms).map(|place| dot(place, polynomial)).collect()
    }

    /// Returns true for each voxel that is not an outlier. In such a voxel, ln (Σ βᵢ tᵢ / field) is at most
    /// `range` interquartile ranges below the lower or above the upper quartile.
    fn without_outliers(&self, factors: &[f64], polynomial: &[f64], range: f64) -> Vec<bool> {
        let field = self.log_field(polynomial);
        let logs: Vec<f64> =
            self.log_sums(factors).iter().zip(field).map(|(sum, field)| sum - field).collect();
        let mut sorted = logs.clone();
        sorted.par_sort_unstable_by(f64::total_cmp);
        let quartile = |part| statistics::upper_quantile_of_sorted(&sorted, part);
        let (Some(first), Some(third)) = (quartile(0.25), quartile(0.75)) else { return Vec::new() };
        let (low, high) = (first - range * (third - first), third + range * (third - first));
        logs.into_iter().map(|log| (low..=high).contains(&log)).collect()
    }

    /// Returns the balance factors for which the sum of tissues divided by the intensity field is most
    /// uniform. Their product is 1.
    fn balance(&self, polynomial: &[f64], kept: &[bool]) -> Result<Vec<f64>> {
        let field = self.log_field(polynomial);
        let solution = least_squares(self.count, kept, |n, row| {
            let scale = (-field[n]).exp();
            let own = &self.tissues[n * self.count..(n + 1) * self.count];
            row.iter_mut().zip(own).for_each(|(row, tissue)| *row = scale * tissue);
            1.0
        });
        let Some(mut factors) = solution.filter(|factors| factors.iter().all(|factor| *factor > 0.0)) else {
            let problem = "no balance between them makes their sum the same everywhere";
            return Err(Error::invalid(
                "tissues",
                problem,
                "check that the mask contains voxels of every tissue",
            ));
        };
        let mean = factors.iter().map(|factor| factor.ln()).sum::<f64>() / self.count as f64;
        for factor in &mut factors {
            *factor /= mean.exp();
        }
        Ok(factors)
    }

    /// Fits the coefficients of the polynomial in space to ln Σ βᵢ tᵢ − ln reference, with the tissues tᵢ and
    /// the balance factors βᵢ.
    fn fit_field(&self, factors: &[f64], kept: &[bool], reference: f64) -> Result<Vec<f64>> {
        let (logs, level) = (self.log_sums(factors), reference.ln());
        let solution = least_squares(self.terms, kept, |n, row| {
            row.copy_from_slice(&self.places[n * self.terms..(n + 1) * self.terms]);
            logs[n] - level
        });
        solution.ok_or_else(|| {
            let problem = "the voxels of the mask do not determine the intensity field";
            Error::invalid(
                "mask",
                problem,
                "give a thicker mask, or a lower polynomial order of the intensity field",
            )
        })
    }
}

/// Solves a least squares problem that has one equation for each kept voxel. The partial sums over groups of
/// voxels are added in a fixed order. Returns `None` if the problem is singular.
fn least_squares(
    unknowns: usize,
    kept: &[bool],
    row_of: impl Fn(usize, &mut [f64]) -> f64 + Sync,
) -> Option<Vec<f64>> {
    let pieces = kept.par_chunks(PIECE).enumerate().map(|(piece, kept)| {
        let (mut normal, mut right) = (Symmetric::zero(unknowns), vec![0.0; unknowns]);
        let mut row = vec![0.0; unknowns];
        for (n, _) in kept.iter().enumerate().filter(|(_, kept)| **kept) {
            let value = row_of(piece * PIECE + n, &mut row);
            normal.add_square(1.0, &row);
            add_multiple(&mut right, value, &row);
        }
        (normal, right)
    });
    let sums: Vec<(Symmetric, Vec<f64>)> = pieces.collect();
    let (mut normal, mut right) = (Symmetric::zero(unknowns), vec![0.0; unknowns]);
    for (partial, own) in &sums {
        normal.add(partial);
        add_multiple(&mut right, 1.0, own);
    }
    if !normal.factorise() {
        return None;
    }
    normal.solve_transposed(&mut right);
    normal.solve_upper(&mut right);
    Some(right)
}

/// Returns the intensity field in all voxels of the grid. Outside the mask, its values are limited to the
/// range of values inside the mask, because polynomials grow without limit there.
fn field_of(grid: &Grid, polynomial: &[f64], order: usize, mask: &Mask) -> Volume<f32> {
    let log =
        |voxel: usize| terms(order, place(grid, voxel)).zip(polynomial).map(|(t, p)| t * p).sum::<f64>();
    let logs: Vec<f64> = (0..grid.len()).into_par_iter().map(log).collect();
    let inside = || logs.iter().zip(mask.flags()).filter(|(_, inside)| **inside).map(|(log, _)| *log);
    let (low, high) = (inside().fold(f64::INFINITY, f64::min), inside().fold(f64::NEG_INFINITY, f64::max));
    let mut field = Volume::filled(*grid, 1, 0.0);
    for (value, log) in field.values_mut().iter_mut().zip(&logs) {
        *value = log.max(low).min(high).exp() as f32;
    }
    field
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Affine;

    /// Creates three tissues. Their balanced sum is constant, and all are multiplied by an intensity field of
    /// order 2. Some voxels are outliers.
    fn tissues() -> (Vec<Volume<f32>>, Mask, Vec<f64>, [f64; 3]) {
        let grid = Grid::new([20, 18, 12], Affine::identity()).unwrap();
        let balance = [0.8, 1.25 / 1.1, 1.1];
        let mut field = Vec::new();
        let mut values = vec![Vec::new(), Vec::new(), Vec::new()];
        for voxel in 0..grid.len() {
            let [x, y, z] = place(&grid, voxel);
            field.push((0.4 * x - 0.3 * y * z + 0.2 * z * z - 0.1).exp());
            let a = (voxel as f64 * 0.618_034).fract();
            let b = (1.0 - a) * (voxel as f64 * 0.414_214).fract();
            let outlier = if voxel % 29 == 0 { 6.0 } else { 1.0 };
            for (n, share) in [a, b, 1.0 - a - b].into_iter().enumerate() {
                values[n].push((0.282095 * outlier * share * field[voxel] / balance[n]) as f32);
            }
        }
        // The volume of the first tissue has two coefficients per voxel.
        let first = values[0].iter().flat_map(|value| [*value, 2.0 * value]).collect();
        let mut volumes = vec![Volume::new(grid, 2, first).unwrap()];
        volumes.extend(values.drain(1..).map(|values| Volume::new(grid, 1, values).unwrap()));
        let mask = Mask::new(grid, (0..grid.len()).map(|voxel| voxel % 5 != 0).collect()).unwrap();
        (volumes, mask, field, balance)
    }

    #[test]
    fn the_intensity_field_and_tissue_balance_are_recovered() {
        let (volumes, mask, field, balance) = tissues();
        let run =
            |options: &NormaliseOptions| normalise_tissues(&volumes, &mask, options, &Control::default());
        let found = run(&NormaliseOptions::default()).unwrap();
        for (factor, expected) in found.factors.iter().zip(balance) {
            // The tolerance allows for coefficients in single precision.
            assert!((factor - expected).abs() < 1e-5, "{factor} {expected}");
        }
        for voxel in mask.indices() {
            assert!((f64::from(found.field.voxel(voxel)[0]) / field[voxel] - 1.0).abs() < 1e-5);
            assert_eq!(found.kept.contains(voxel), voxel % 29 != 0);
        }
        let (before, after) = (volumes[0].voxel(1), found.tissues[0].voxel(1));
        assert!((after[1] / after[0] - 2.0).abs() < 1e-5);
        assert!((f64::from(after[0]) * field[1] / f64::from(before[0]) - 1.0).abs() < 1e-5);
        let twice = run(&NormaliseOptions { reference: 0.56419, ..NormaliseOptions::default() }).unwrap();
        assert!((twice.tissues[1].voxel(7)[0] / found.tissues[1].voxel(7)[0] - 2.0).abs() < 1e-5);
        let balanced = run(&NormaliseOptions { balanced: true, ..NormaliseOptions::default() }).unwrap();
        assert!(
            (f64::from(balanced.tissues[2].voxel(7)[0] / found.tissues[2].voxel(7)[0]) - 1.1).abs() < 1e-5
        );
        // An intensity field of order 0 is constant, so that it cannot follow the true field.
        let flat = run(&NormaliseOptions { order: 0, ..NormaliseOptions::default() }).unwrap();
        assert!(flat.field.values().iter().all(|value| *value == flat.field.values()[0]));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        assert_eq!(pool.install(|| run(&NormaliseOptions::default())).unwrap(), found);
    }

    #[test]
    fn inputs_that_do_not_determine_a_field_are_rejected() {
        let (volumes, mask, _, _) = tissues();
        let default = NormaliseOptions::default();
        let run = |volumes: &[Volume<f32>], mask: &Mask, options: &NormaliseOptions| {
            normalise_tissues(volumes, mask, options, &Control::default()).unwrap_err().to_string()
        };
        let grid = *mask.grid();
        let few = Mask::new(grid, (0..grid.len()).map(|voxel| voxel < 40).collect()).unwrap();
        let slice = Mask::new(grid, (0..grid.len()).map(|voxel| voxel < 360).collect()).unwrap();
        let same = vec![volumes[1].clone(), volumes[1].clone()];
        for (message, part) in [
            (run(&[], &mask, &default), "tissues: there are none"),
            (run(&volumes, &few, &default), "40 voxels with tissue do not determine"),
            (run(&volumes, &slice, &default), "do not determine the intensity field"),
            (run(&same, &mask, &default), "no balance between them"),
            (
                run(&volumes, &mask, &NormaliseOptions { order: 7, ..default }),
                "7 is not a possible polynomial order",
            ),
            (
                run(&volumes, &mask, &NormaliseOptions { iterations: 0, ..default }),
                "the number of iterations is 0",
            ),
            (
                run(&volumes, &mask, &NormaliseOptions { reference: 0.0, ..default }),
                "0 is not a possible sum",
            ),
        ] {
            assert!(message.contains(part), "{message}");
        }
        let other = Volume::filled(Grid::new([2, 2, 2], Affine::identity()).unwrap(), 1, 1f32);
        assert!(!run(&[volumes[0].clone(), other], &mask, &default).is_empty());
    }
}
