//! The stream of one item and the distributions drawn from it. `philox.cuh` is the same for GPUs, operation by
//! operation: change both or none.

use crate::elementary::{exp, ln, sin_cos_turns};

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// What a stream of random numbers is for, so that the streams of one seed never meet. The number is part of every
/// result: never change one, only add.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Purpose {
    /// Where a streamline begins and which way it goes first.
    Seeding = 1,
    /// Noise in a simulated measurement.
    Noise = 2,
    /// Where a simulated fibre runs.
    Phantom = 3,
    /// Problems and repetitions drawn for tests and statistics.
    Resampling = 4,
}

/// The stream of one item (streamline, voxel, …): the same numbers whatever the number of threads, the chunk size or
/// the device.
#[derive(Debug, Clone)]
pub struct Random {
    key: [u32; 2],
    counter: [u32; 4],
    block: [u32; 4],
    used: usize,
}

impl Random {
    /// The stream of `item` for one purpose of one seed, from its start.
    pub fn new(seed: u64, purpose: Purpose, item: u64) -> Self {
        let key = [seed as u32, (seed >> 32) as u32];
        // 2³² items beyond 2³² share no counter: the purpose sits beside the upper half of the item number.
        let counter = [0, item as u32, (item >> 32) as u32, purpose as u32];
        Self { key, counter, block: [0; 4], used: 4 }
    }

    /// 32 random bits.
    pub fn bits(&mut self) -> u32 {
        if self.used == 4 {
            self.block = philox(self.counter, self.key);
            self.counter[0] = self.counter[0].wrapping_add(1);
            self.used = 0;
        }
        self.used += 1;
        self.block[self.used - 1]
    }

    /// Uniform in [0, 1), 53 random bits.
    pub fn uniform(&mut self) -> f64 {
        let high = u64::from(self.bits()) << 32;
        let bits = (high | u64::from(self.bits())) >> 11;
        bits as f64 / (1u64 << 53) as f64
    }

    /// A whole number in 0 .. `bound` (which is above 0), each equally likely to 2⁻⁵³.
    pub fn below(&mut self, bound: usize) -> usize {
        ((self.uniform() * bound as f64) as usize).min(bound - 1)
    }

    /// Normal with mean 0 and standard deviation 1 (Box and Muller 1958); two uniform draws each.
    pub fn normal(&mut self) -> f64 {
        let radius = (2.0 * self.exponential()).sqrt();
        radius * sin_cos_turns(self.uniform()).1
    }

    /// Exponential with mean 1, by inversion; one uniform draw.
    pub fn exponential(&mut self) -> f64 {
        // 1 − u is in (0, 1], so the logarithm is finite.
        // From 0, so that the least value is 0 and not −0.
        0.0 - ln(1.0 - self.uniform())
    }

    /// Gamma with this shape, which is positive and finite, and scale 1: mean and variance are the shape. Marsaglia and
    /// Tsang, "A simple method for generating gamma variables" (ACM Transactions on Mathematical Software 26, 2000,
    /// doi:10.1145/358407.358414), section 6 for shapes below 1. The number of draws varies; it is a little above three
    /// uniform ones on average for large shapes.
    pub fn gamma(&mut self, shape: f64) -> f64 {
        assert!(shape > 0.0 && shape < f64::INFINITY, "a gamma distribution of shape {shape}");
        if shape < 1.0 {
            // With U uniform, U to the power of 1/shape takes a variable of shape + 1 to one of the shape.
            let larger = self.gamma_from_1(shape + 1.0);
            return larger * exp(-self.exponential() / shape);
        }
        self.gamma_from_1(shape)
    }

    /// [`gamma`](Self::gamma) for shapes from 1 on.
    fn gamma_from_1(&mut self, shape: f64) -> f64 {
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let root = 1.0 + c * x;
            if root <= 0.0 {
                continue;
            }
            let v = root * root * root;
            let u = 1.0 - self.uniform();
            let square = x * x;
            // The first test is the quicker one and implies the second.
            if u < 1.0 - 0.0331 * square * square || ln(u) < 0.5 * square + d * (1.0 - v + ln(v)) {
                return d * v;
            }
        }
    }

    /// A unit vector, uniform on the sphere (Archimedes: z is uniform).
    pub fn on_sphere(&mut self) -> [f64; 3] {
        let z = 2.0 * self.uniform() - 1.0;
        let radius = (1.0 - z * z).sqrt();
        let (sin, cos) = sin_cos_turns(self.uniform());
        [radius * cos, radius * sin, z]
    }
}

fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let product0 = u64::from(MULTIPLIERS[0]) * u64::from(counter[0]);
        let product1 = u64::from(MULTIPLIERS[1]) * u64::from(counter[2]);
        counter = [
            (product1 >> 32) as u32 ^ counter[1] ^ key[0],
            product1 as u32,
            (product0 >> 32) as u32 ^ counter[3] ^ key[1],
            product0 as u32,
        ];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    counter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers_of_the_reference_implementation() {
        // The three vectors for philox4x32-10 published with Random123 (file kat_vectors).
        assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(
            philox([u32::MAX; 4], [u32::MAX; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
        assert_eq!(
            philox([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }

    #[test]
    fn streams_of_different_items_purposes_and_seeds_differ() {
        let first = |seed, purpose, item| Random::new(seed, purpose, item).bits();
        let reference = first(1, Purpose::Noise, 1);
        assert_eq!(reference, first(1, Purpose::Noise, 1));
        assert_ne!(reference, first(2, Purpose::Noise, 1));
        assert_ne!(reference, first(1, Purpose::Seeding, 1));
        assert_ne!(reference, first(1, Purpose::Noise, 2));
        assert_ne!(reference, first(1, Purpose::Noise, 1 + (1 << 32)));
    }
}
