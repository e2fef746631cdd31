//! Drift of the energy along rays.

use super::outcome::Outcome;

/// Number of classes of drift.
const CLASSES: usize = 512;
/// Classes per factor of two.
const PER_OCTAVE: f64 = 8.0;
/// Logarithm to base 2 of the smallest drift that has a class of its own.
const LOWEST: f64 = -32.0;

/// Drift of the energy of rays: the largest |E / E₀ − 1| along each ray, which is 0 along an exact geodesic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyDrift {
    largest: f64,
    /// Number of rays in each class of drift.
    rays: [u64; CLASSES],
}

impl Default for EnergyDrift {
    fn default() -> Self {
        Self { largest: 0.0, rays: [0; CLASSES] }
    }
}

impl EnergyDrift {
    /// Returns the largest drift of a ray.
    pub fn largest(&self) -> f64 {
        self.largest
    }

    /// Returns the median drift of rays, rounded up by at most an eighth of a factor of two.
    pub fn median(&self) -> f64 {
        let half = self.rays.iter().sum::<u64>().div_ceil(2);
        let mut sum = 0;
        for (class, &count) in self.rays.iter().enumerate() {
            sum += count;
            if sum >= half && half > 0 {
                return ((class + 1) as f64 / PER_OCTAVE + LOWEST).exp2();
            }
        }
        0.0
    }

    /// Counts a ray, if it left its seed.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        if outcome.points > 0 {
            let drift = f64::from(outcome.drift);
            self.largest = self.largest.max(drift);
            let class = (drift.log2().max(LOWEST) - LOWEST) * PER_OCTAVE;
            self.rays[(class as usize).min(CLASSES - 1)] += 1;
        }
    }

    /// Adds the rays of another part of a run.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.largest = self.largest.max(other.largest);
        self.rays.iter_mut().zip(other.rays).for_each(|(sum, count)| *sum += count);
    }

    /// Returns all numbers, for a file.
    pub(crate) fn to_numbers(self) -> Vec<u64> {
        std::iter::once(self.largest.to_bits()).chain(self.rays).collect()
    }

    /// Number of numbers of [`to_numbers`](Self::to_numbers).
    pub(crate) const NUMBERS: usize = CLASSES + 1;

    /// Reads the result of [`to_numbers`](Self::to_numbers).
    pub(crate) fn from_numbers(numbers: &[u64]) -> Option<Self> {
        let (largest, rays) = numbers.split_first()?;
        let largest = f64::from_bits(*largest);
        Some(Self { largest, rays: rays.try_into().ok()? })
    }
}
