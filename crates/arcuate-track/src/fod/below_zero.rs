//! Test for the basis of FOD coefficients. FODs are positive functions. If coefficients are read in the wrong
//! basis, order or sign convention, the functions have negative values.

use super::harmonics::{BASIS, Basis};
use super::hemisphere::Hemisphere;
use super::image::FodImage;
use arcuate_compute::{Purpose, Random};
use arcuate_core::{Result, Volume, statistics};
use rayon::prelude::*;

/// Maximum number of distributions that are tested.
const MAX_DISTRIBUTIONS: usize = 2000;
/// Number of rearrangements of the coefficients with random signs, in addition to the known arrangements in
/// [`NAMED`].
const RANDOM: usize = 7;

/// Fraction of the squared amplitudes of FODs that comes from amplitudes below 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BelowZero {
    /// Fraction for the coefficients as they are stored in the image.
    pub stored: f64,
    /// Median fraction over all rearrangements of the coefficients, in which their order or signs are
    /// changed. Noise increases this fraction and `stored`.
    pub rearranged: f64,
    /// Smallest fraction over the rearrangements that convert from the bases and orders of other programs.
    pub minimum: f64,
}

impl FodImage {
    /// Returns the fraction of the squared amplitudes that comes from amplitudes below 0, for the stored
    /// coefficients and for rearranged coefficients. The test evaluates FODs in a few hundred directions. It
    /// uses up to 2000 of the FODs whose mean amplitude is at least the average.
    pub fn below_zero(&self) -> BelowZero {
        let rows = &self.rows()[..self.voxels()];
        let usual = rows.iter().map(|row| f64::from(row[ZONAL])).sum::<f64>() / rows.len() as f64;
        let large: Vec<&[f32; BASIS]> = rows.iter().filter(|row| f64::from(row[ZONAL]) >= usual).collect();
        let every = large.len().div_ceil(MAX_DISTRIBUTIONS).max(1);
        let looked_at: Vec<&[f32; BASIS]> = large.into_iter().step_by(every).collect();
        let hemisphere = Hemisphere::new(self.harmonics());
        let share = |change: &Change| part_below_zero(&looked_at, &hemisphere, change);
        let named: Vec<f64> = NAMED.iter().map(|of| share(&Change::new(*of, self.harmonics()))).collect();
        let mut all = named.clone();
        all.extend((0..RANDOM).map(|n| share(&Change::random(n))));
        all.sort_by(f64::total_cmp);
        BelowZero {
            stored: share(&Change::none()),
            rearranged: statistics::upper_quantile_of_sorted(&all, 0.5).unwrap_or(f64::NAN),
            minimum: named.into_iter().fold(f64::INFINITY, f64::min),
        }
    }

    /// Returns two images. The first image contains the direction of the largest amplitude of each FOD, in
    /// scanner axes, found among a few hundred directions. The second image is 1 if the mean amplitude of the
    /// FOD is at least the average over all FODs. If not, it is 0.
    pub fn largest_directions(&self) -> Result<(Volume<f32>, Volume<f32>)> {
        let hemisphere = Hemisphere::new(self.harmonics());
        let rows = &self.rows()[..self.voxels()];
        let usual = rows.iter().map(|row| f64::from(row[ZONAL])).sum::<f64>() / rows.len() as f64;
        let largest = |row: &[f32; BASIS]| {
            let amplitudes = hemisphere.amplitudes(row).into_iter().enumerate();
            let largest = amplitudes.max_by(|(_, a), (_, b)| a.total_cmp(b));
            largest.map_or([0.0; 3], |(n, _)| hemisphere.directions[n])
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

/// Index of the coefficient of degree 0 in a row of coefficients.
const ZONAL: usize = 40;

/// Function that maps the degree l and the order m of a coefficient in MRtrix's basis to its order and sign
/// in another basis. Positive orders denote cosines, negative orders denote sines.
type Arrangement = fn(i64, i64) -> (i64, f32);

/// Conversions from the bases and coefficient orders of other programs, and common mistakes.
const NAMED: [Arrangement; 5] = [
    // In DIPY's legacy basis, cosines and sines are exchanged.
    |_, m| (-m, 1.0),
    // In DIPY's new basis, cosines and sines are exchanged, and cosines lack the phase (−1)^m.
    |_, m| (-m, if m > 0 { phase(m) } else { 1.0 }),
    // The cosines lack the phase (−1)^m.
    |_, m| (m, if m > 0 { phase(m) } else { 1.0 }),
    // The coefficients of a degree are stored with the orders m = 0, 1, −1, 2, −2, …
    |l, m| ((if m > 0 { 2 * m - 1 } else { -2 * m }) - l, 1.0),
    // The coefficients of a degree are stored with the orders m = 0, −1, 1, −2, 2, …
    |l, m| ((if m < 0 { -2 * m - 1 } else { 2 * m }) - l, 1.0),
];

fn phase(m: i64) -> f32 {
    if m % 2 == 0 { 1.0 } else { -1.0 }
}

/// For each coefficient of a row: the index of the coefficient that replaces it, and a sign.
struct Change(Vec<(usize, f32)>);

impl Change {
    fn none() -> Self {
        Self((0..BASIS).map(|n| (n, 1.0)).collect())
    }

    /// Returns the change of the coefficients that would be correct if they were stored in this arrangement.
    fn new(arrangement: Arrangement, harmonics: &Basis) -> Self {
        let places = harmonics.degrees_and_orders();
        let of = |&(l, m): &(i64, i64)| {
            let (order, sign) = arrangement(l, m);
            let place = places.iter().position(|other| *other == (l, order)).unwrap_or(ZONAL);
            // Coefficients in this crate have no phase (−1)^m, so the phases of both orders are applied here.
            (place, sign * phase(m) * phase(order))
        };
        let mut change = Self::none();
        change.0.iter_mut().zip(&places).for_each(|(change, place)| *change = of(place));
        change
    }

    /// Returns random signs for the coefficients of all orders m except 0.
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

/// Returns the fraction of the squared amplitudes that comes from amplitudes below 0, after a change of the
/// coefficients.
fn part_below_zero(rows: &[&[f32; BASIS]], hemisphere: &Hemisphere, change: &Change) -> f64 {
    let of_row = |row: &&[f32; BASIS]| {
        let mut sums = [0.0f64; 2];
        for amplitude in hemisphere.amplitudes(&change.of(row)) {
            let amplitude = f64::from(amplitude);
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
