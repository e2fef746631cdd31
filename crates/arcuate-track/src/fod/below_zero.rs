//! Test for the basis of FOD coefficients. Distributions are positive functions. Coefficients in another
//! basis, order or sign convention give functions with negative values.

use super::candidates::hemisphere;
use super::harmonics::{BASIS, Basis};
use super::image::{FodImage, dot};
use arcuate_compute::{Purpose, Random};
use arcuate_core::{Result, Volume};
use rayon::prelude::*;

/// Maximum number of distributions that are tested.
const MAX_DISTRIBUTIONS: usize = 2000;
/// Number of rearrangements with random signs, in addition to those in [`NAMED`].
const RANDOM: usize = 7;

/// Fraction of the squared amplitudes of distributions that is below 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BelowZero {
    /// Fraction for the coefficients as stored.
    pub stored: f64,
    /// Median fraction for coefficients whose order or signs are changed, as in other bases. Noise increases
    /// this fraction and `stored`.
    pub rearranged: f64,
    /// Smallest fraction for coefficients that are converted from the bases and orders of other programs.
    pub least: f64,
}

impl FodImage {
    /// Returns the fraction of the squared amplitudes that is below 0, for the stored coefficients and for
    /// rearranged ones. The test uses up to 2000 of the distributions whose mean is at least the average, in
    /// a few hundred directions.
    pub fn below_zero(&self) -> BelowZero {
        let rows = &self.rows()[..self.voxels()];
        let usual = rows.iter().map(|row| f64::from(row[ZONAL])).sum::<f64>() / rows.len() as f64;
        let large: Vec<&[f32; BASIS]> = rows.iter().filter(|row| f64::from(row[ZONAL]) >= usual).collect();
        let every = large.len().div_ceil(MAX_DISTRIBUTIONS).max(1);
        let looked_at: Vec<&[f32; BASIS]> = large.into_iter().step_by(every).collect();
        let bases: Vec<[f32; BASIS]> = hemisphere().iter().map(|&d| self.basis(d)).collect();
        let share = |change: &Change| part_below_zero(&looked_at, &bases, change);
        let named: Vec<f64> = NAMED.iter().map(|of| share(&Change::new(*of, self.harmonics()))).collect();
        let mut all = named.clone();
        all.extend((0..RANDOM).map(|n| share(&Change::random(n))));
        all.sort_by(f64::total_cmp);
        BelowZero {
            stored: share(&Change::none()),
            rearranged: all[all.len() / 2],
            least: named.into_iter().fold(f64::INFINITY, f64::min),
        }
    }

    /// Returns two images. The first one contains the direction of the largest amplitude of each distribution
    /// among a few hundred directions, in scanner axes. The second one is 1 if the mean of the distribution
    /// is at least the average over all distributions, otherwise 0.
    pub fn largest_directions(&self) -> Result<(Volume<f32>, Volume<f32>)> {
        let directions = hemisphere();
        let bases: Vec<[f32; BASIS]> = directions.iter().map(|&d| self.basis(d)).collect();
        let rows = &self.rows()[..self.voxels()];
        let usual = rows.iter().map(|row| f64::from(row[ZONAL])).sum::<f64>() / rows.len() as f64;
        let largest = |row: &[f32; BASIS]| {
            let amplitudes = bases.iter().map(|basis| dot(row, basis)).enumerate();
            amplitudes.max_by(|(_, a), (_, b)| a.total_cmp(b)).map_or([0.0; 3], |(n, _)| directions[n])
        };
        let found: Vec<[f32; 3]> = rows.par_iter().map(largest).collect();
        let grid = *self.grid();
        let mut along = Volume::filled(grid, 3, 0.0f32);
        let mut counts = Volume::filled(grid, 1, 0.0f32);
        for (voxel, &place) in self.places().iter().enumerate() {
            if let (Some(direction), Some(row)) = (found.get(place as usize), rows.get(place as usize)) {
                along.voxel_mut(voxel).copy_from_slice(direction);
                counts.voxel_mut(voxel)[0] = f32::from(u8::from(f64::from(row[ZONAL]) >= usual));
            }
        }
        Ok((along, counts))
    }
}

/// Index of the coefficient of degree 0 in a row.
const ZONAL: usize = 40;

/// Maps degree l and order m of a coefficient in MRtrix's basis to its order and sign in another basis.
/// Cosines have positive orders, sines negative ones.
type Arrangement = fn(i64, i64) -> (i64, f32);

/// Bases and orders of other programs, and common mistakes.
const NAMED: [Arrangement; 5] = [
    // DIPY's legacy basis: cosines and sines are exchanged.
    |_, m| (-m, 1.0),
    // DIPY's new basis: cosines and sines are exchanged, and cosines have no phase (−1)^m.
    |_, m| (-m, if m > 0 { phase(m) } else { 1.0 }),
    // Cosines have no phase.
    |_, m| (m, if m > 0 { phase(m) } else { 1.0 }),
    // Orders within a degree are stored as 0, 1, −1, 2, −2, …
    |l, m| ((if m > 0 { 2 * m - 1 } else { -2 * m }) - l, 1.0),
    // Orders within a degree are stored as 0, −1, 1, −2, 2, …
    |l, m| ((if m < 0 { -2 * m - 1 } else { 2 * m }) - l, 1.0),
];

fn phase(m: i64) -> f32 {
    if m % 2 == 0 { 1.0 } else { -1.0 }
}

/// Index from which each coefficient of a row is taken, and its sign.
struct Change(Vec<(usize, f32)>);

impl Change {
    fn none() -> Self {
        Self((0..BASIS).map(|n| (n, 1.0)).collect())
    }

    /// Returns the change of the coefficients if they were stored in this arrangement.
    fn new(arrangement: Arrangement, harmonics: &Basis) -> Self {
        let places = harmonics.degrees_and_orders();
        let of = |&(l, m): &(i64, i64)| {
            let (order, sign) = arrangement(l, m);
            let place = places.iter().position(|other| *other == (l, order)).unwrap_or(ZONAL);
            // The rows of this crate contain no phase.
            (place, sign * phase(m) * phase(order))
        };
        let mut change = Self::none();
        change.0.iter_mut().zip(&places).for_each(|(change, place)| *change = of(place));
        change
    }

    /// Returns random signs for all orders except 0.
    fn random(seed: usize) -> Self {
        let mut random = Random::new(seed as u64, Purpose::Resampling, 0);
        let mut sign = |n: usize| if n < ZONAL && random.uniform() < 0.5 { -1.0 } else { 1.0 };
        Self((0..BASIS).map(|n| (n, sign(n))).collect())
    }

    fn of(&self, row: &[f32; BASIS]) -> [f32; BASIS] {
        let mut changed = [0.0; BASIS];
        for (out, &(place, sign)) in changed.iter_mut().zip(&self.0) {
            *out = sign * row[place];
        }
        changed
    }
}

/// Returns the fraction of the squared amplitudes below 0 after a change of the coefficients.
fn part_below_zero(rows: &[&[f32; BASIS]], bases: &[[f32; BASIS]], change: &Change) -> f64 {
    let of_row = |row: &&[f32; BASIS]| {
        let (changed, mut sums) = (change.of(row), [0.0f64; 2]);
        for basis in bases {
            let amplitude = f64::from(dot(&changed, basis));
            let square = amplitude * amplitude;
            sums[0] += square;
            sums[1] += if amplitude < 0.0 { square } else { 0.0 };
        }
        sums
    };
    let sums: Vec<[f64; 2]> = rows.par_iter().map(of_row).collect();
    let [all, below] = sums.iter().fold([0.0; 2], |total, sums| [total[0] + sums[0], total[1] + sums[1]]);
    if all > 0.0 { below / all } else { 0.0 }
}
