//! Drift of the energy along geodesic rays, as a histogram.

/// Number of bins of the histogram.
const CLASSES: usize = 512;
/// Number of histogram bins for each factor of two in the drift.
const PER_OCTAVE: f64 = 8.0;
/// Base-2 logarithm of the drift at the lower border of the histogram.
const LOWEST: f64 = -32.0;

/// Drift of the energy E of geodesic rays: the largest |E / E₀ − 1| along each ray, where E₀ is the energy at
/// the seed. The drift is 0 along an exact geodesic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyDrift {
    largest: f64,
    /// Number of rays in each bin of the histogram.
    rays: [u64; CLASSES],
}

impl Default for EnergyDrift {
    fn default() -> Self {
        Self { largest: 0.0, rays: [0; CLASSES] }
    }
}

impl EnergyDrift {
    /// Returns the largest drift of all rays.
    pub fn largest(&self) -> f64 {
        self.largest
    }

    /// Returns the median drift of the rays. It is rounded up to the border of its histogram bin (by at most
    /// 9 %).
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

    /// Adds the drift of a ray to the histogram.
    pub(crate) fn add(&mut self, drift: f64) {
        self.largest = self.largest.max(drift);
        let class = (drift.log2().max(LOWEST) - LOWEST) * PER_OCTAVE;
        self.rays[(class as usize).min(CLASSES - 1)] += 1;
    }

    /// Adds the histogram of another part of the same run.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.largest = self.largest.max(other.largest);
        self.rays.iter_mut().zip(other.rays).for_each(|(sum, count)| *sum += count);
    }

    /// Returns the histogram and the largest drift as a list of numbers, for storage in a file.
    pub(crate) fn to_numbers(self) -> Vec<u64> {
        std::iter::once(self.largest.to_bits()).chain(self.rays).collect()
    }

    /// Number of elements in the result of [`to_numbers`](Self::to_numbers).
    pub(crate) const NUMBERS: usize = CLASSES + 1;

    /// Creates the histogram from the result of [`to_numbers`](Self::to_numbers). Returns `None` if the
    /// number of elements is wrong.
    pub(crate) fn from_numbers(numbers: &[u64]) -> Option<Self> {
        let (largest, rays) = numbers.split_first()?;
        let largest = f64::from_bits(*largest);
        Some(Self { largest, rays: rays.try_into().ok()? })
    }
}
