//! Random numbers that depend on nothing but (seed, purpose, item, draw): Philox4x32-10 of Salmon, Moraes, Dror and
//! Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011, doi:10.1145/2063384.2063405).

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
        // 1 − u is in (0, 1], so the logarithm is finite.
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// A unit vector, uniform on the sphere (Archimedes: z is uniform).
    pub fn on_sphere(&mut self) -> [f64; 3] {
        let z = 2.0 * self.uniform() - 1.0;
        let radius = (1.0 - z * z).sqrt();
        let (sin, cos) = (std::f64::consts::TAU * self.uniform()).sin_cos();
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
    fn moments_are_those_of_the_distributions() {
        let n = 200_000;
        let mut random = Random::new(42, Purpose::Noise, 7);
        let (mut uniform, mut normal, mut square, mut z2) = (0.0, 0.0, 0.0, 0.0);
        for _ in 0..n {
            uniform += random.uniform();
            let x = random.normal();
            normal += x;
            square += x * x;
            let v = random.on_sphere();
            assert!((v.iter().map(|c| c * c).sum::<f64>() - 1.0).abs() < 1e-12);
            z2 += v[2] * v[2];
        }
        let n = f64::from(n);
        // Five standard errors each: 0.29, 1, √2 and 0.30 over √n.
        let error = 5.0 / n.sqrt();
        assert!((uniform / n - 0.5).abs() < 0.29 * error);
        assert!((normal / n).abs() < error);
        assert!((square / n - 1.0).abs() < 1.42 * error);
        assert!((z2 / n - 1.0 / 3.0).abs() < 0.3 * error);
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
