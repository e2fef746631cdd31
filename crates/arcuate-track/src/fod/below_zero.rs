//! Whether coefficients are those of the basis that they are read in: distributions are positive functions, and coefficients of
//! another basis, order or sign are not.

use super::candidates::hemisphere;
use super::harmonics::{BASIS, Basis};
use super::image::{FodImage, dot};
use arcuate_compute::{Purpose, Random};
use arcuate_core::{Result, Volume};
use rayon::prelude::*;

/// Distributions that are looked at.
const LOOKED_AT: usize = 2000;
/// Rearrangements by random signs, beside the two of other programs.
const RANDOM: usize = 5;

/// How much of the squared amplitudes of distributions is below 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BelowZero {
    /// With the coefficients as they are.
    pub stored: f64,
    /// The median with coefficients whose places or signs are changed, which is what another basis would do. Noise raises this
    /// part as it raises the other.
    pub rearranged: f64,
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
        let mut rearranged: Vec<f64> = changes().iter().map(share).collect();
        rearranged.sort_by(f64::total_cmp);
        BelowZero { stored: share(&Change::none()), rearranged: rearranged[rearranged.len() / 2] }
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

/// Where the coefficient of degree 0 is in a row.
const ZONAL: usize = 40;

/// A change of coefficients: of each its new place and sign.
struct Change(Vec<(usize, f32)>);

impl Change {
    fn none() -> Self {
        Self((0..BASIS).map(|n| (n, 1.0)).collect())
    }

    fn of(&self, row: &[f32; BASIS]) -> [f32; BASIS] {
        let mut changed = [0.0; BASIS];
        for (&(place, sign), value) in self.0.iter().zip(row) {
            changed[place] = sign * value;
        }
        changed
    }
}

/// Cosine and sine of each order exchanged, as in DIPY's older basis; the same without the phase (−1)^m of cosines, as in its newer
/// one; and random signs.
fn changes() -> Vec<Change> {
    let orders = Basis::orders();
    let exchanged = |sign: &dyn Fn(usize, bool) -> f32| {
        let place = |n: usize| if n >= ZONAL { n } else { n ^ 1 };
        let of = |n: usize| (place(n), orders.get(n).map_or(1.0, |&m| sign(m, n.is_multiple_of(2))));
        Change((0..BASIS).map(of).collect())
    };
    let mut all = vec![
        exchanged(&|_, _| 1.0),
        exchanged(&|m, is_cosine| if m % 2 == 1 && is_cosine { -1.0 } else { 1.0 }),
    ];
    for n in 0..RANDOM {
        let mut random = Random::new(n as u64, Purpose::Resampling, 0);
        let mut sign = |n: usize| if n < ZONAL && random.uniform() < 0.5 { -1.0 } else { 1.0 };
        all.push(Change((0..BASIS).map(|n| (n, sign(n))).collect()));
    }
    all
}

/// How much of the squared amplitudes of some distributions is below 0, with a change of their coefficients.
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
