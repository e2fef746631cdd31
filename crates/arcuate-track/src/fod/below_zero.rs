//! A test of the basis of coefficients. Distributions are positive functions; coefficients of another basis, order or sign make
//! functions that are not.

use super::candidates::hemisphere;
use super::harmonics::{BASIS, Basis};
use super::image::{FodImage, dot};
use arcuate_compute::{Purpose, Random};
use arcuate_core::{Result, Volume};
use rayon::prelude::*;

/// Distributions that are looked at.
const LOOKED_AT: usize = 2000;
/// Rearrangements by random signs, in addition to those that [`NAMED`] lists.
const RANDOM: usize = 7;

/// The part of the squared amplitudes of distributions that is below 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BelowZero {
    /// With the coefficients as they are.
    pub stored: f64,
    /// The median with coefficients whose places or signs are changed, as another basis would change them. Noise raises both
    /// parts.
    pub rearranged: f64,
    /// The least with coefficients that are taken from the bases and orders of other programs.
    pub least: f64,
}

impl FodImage {
    /// How much of the squared amplitudes of distributions is below 0, as they are and with rearranged coefficients. Of the
    /// distributions whose mean is not below the mean of all, up to 2000 are looked at in a few hundred directions.
    pub fn below_zero(&self) -> BelowZero {
        let rows = &self.rows()[..self.voxels()];
        let usual = rows.iter().map(|row| f64::from(row[ZONAL])).sum::<f64>() / rows.len() as f64;
        let large: Vec<&[f32; BASIS]> = rows.iter().filter(|row| f64::from(row[ZONAL]) >= usual).collect();
        let every = large.len().div_ceil(LOOKED_AT).max(1);
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

    /// The direction of the largest amplitude of each distribution, in scanner axes, of a few hundred; and 1 where the
    /// distribution is at least as large as the mean of all, else 0.
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

/// The place of the coefficient of degree 0 in a row.
const ZONAL: usize = 40;

/// Maps degree l and order m of a coefficient of MRtrix's basis to its order and its sign in another basis. Cosines have orders
/// above 0, sines below.
type Arrangement = fn(i64, i64) -> (i64, f32);

/// Bases and orders of other programs, and what is easily mistaken.
const NAMED: [Arrangement; 5] = [
    // DIPY's older basis: cosines and sines exchanged.
    |_, m| (-m, 1.0),
    // DIPY's newer one: the same, and cosines without the phase (−1)^m.
    |_, m| (-m, if m > 0 { phase(m) } else { 1.0 }),
    // Cosines without the phase.
    |_, m| (m, if m > 0 { phase(m) } else { 1.0 }),
    // Within a degree in the order 0, 1, −1, 2, −2, …
    |l, m| ((if m > 0 { 2 * m - 1 } else { -2 * m }) - l, 1.0),
    // … or 0, −1, 1, −2, 2, …
    |l, m| ((if m < 0 { -2 * m - 1 } else { 2 * m }) - l, 1.0),
];

fn phase(m: i64) -> f32 {
    if m % 2 == 0 { 1.0 } else { -1.0 }
}

/// The place from which each coefficient of a row is taken, and its sign.
struct Change(Vec<(usize, f32)>);

impl Change {
    fn none() -> Self {
        Self((0..BASIS).map(|n| (n, 1.0)).collect())
    }

    /// Coefficients as they would be, had they been stored so.
    fn new(arrangement: Arrangement, harmonics: &Basis) -> Self {
        let places = harmonics.degrees_and_orders();
        let of = |&(l, m): &(i64, i64)| {
            let (order, sign) = arrangement(l, m);
            let place = places.iter().position(|other| *other == (l, order)).unwrap_or(ZONAL);
            // Rows have no phase.
            (place, sign * phase(m) * phase(order))
        };
        let mut change = Self::none();
        change.0.iter_mut().zip(&places).for_each(|(change, place)| *change = of(place));
        change
    }

    /// Signs that are drawn, of all orders but 0.
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

/// The part of the squared amplitudes below 0 after a change of the coefficients.
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
