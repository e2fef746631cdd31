//! The random numbers of one item (its random stream), and the distributions from which they are drawn.
//! `philox.cuh` performs the same operations on GPUs; change both files together.

use arcuate_numbers::elementary::double::{ln, sin_cos_turns};

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// Number of bits in the last word of the generator's counter that hold the purpose of the random stream.
const PURPOSE_BITS: u32 = 8;

/// Computes the two words that hold the number of a block of four draws in the generator's counter. They are
/// the first word, and the last word, which holds the upper bits of the number. The lower bits of the last
/// word hold the purpose.
#[inline(always)]
fn numbered(last: u32, block: u64) -> [u32; 2] {
    let purpose = last & ((1 << PURPOSE_BITS) - 1);
    [block as u32, purpose | ((block >> 32) as u32) << PURPOSE_BITS]
}

/// The purpose of a random stream. Streams of the same seed differ by their purpose. The numbers that
/// represent the purposes affect every result: never change a number, only add new numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Purpose {
    /// Draws the start of a streamline and its first direction.
    Seeding = 1,
    /// Draws the noise in a simulated measurement.
    Noise = 2,
    /// Draws the paths of simulated fibres.
    Phantom = 3,
    /// Draws random test problems, and the random choices of repeated statistical computations.
    Resampling = 4,
    /// Draws the proposals and acceptances of a voxel's Markov chain.
    Sampling = 5,
    /// Draws the direction of a streamline at each step.
    Propagation = 6,
    /// Draws the random start of a Markov chain.
    Beginning = 7,
}

/// The random stream of one item, such as a voxel or a streamline. The drawn numbers do not depend on the
/// mask, the number of threads, the chunk size or the device.
///
/// For this, the number of the item must not depend on the mask, the number of threads, the chunk size or the
/// device either. For a voxel, use its index in the image, not its position in a mask or batch. For a
/// streamline, use the number of its seed, not its position among accepted streamlines or in a batch.
///
/// A draw has 32 bits; draws are numbered from 0 within the stream. [`bits`](Self::bits) takes one draw.
/// [`uniform`](Self::uniform), [`below`](Self::below) and [`exponential`](Self::exponential) take two draws
/// each. [`normal`](Self::normal) and [`on_sphere`](Self::on_sphere) take four draws. So if each step of a
/// Markov chain or a streamline takes m draws, step n starts at draw n · m. [`at`](Self::at) finds this draw
/// directly.
#[derive(Debug, Clone)]
pub struct Random {
    key: [u32; 2],
    counter: [u32; 4],
    block: [u32; 4],
    used: usize,
}

impl Random {
    /// Starts the random stream of the item with the number `item`, for one purpose and one seed.
    pub fn new(seed: u64, purpose: Purpose, item: u64) -> Self {
        let key = [seed as u32, (seed >> 32) as u32];
        // The item number has 64 bits and uses two of the counter's words; the purpose uses another word. So
        // no two items have the same counter.
        let counter = [0, item as u32, (item >> 32) as u32, purpose as u32];
        Self { key, counter, block: [0; 4], used: 4 }
    }

    /// Returns the random stream of the same item from draw number `draw` onwards, whatever draws were taken
    /// before. For any draw number, this takes as long as the computation of one block of four draws. A
    /// stream repeats after 2⁵⁸ draws.
    pub fn at(&self, draw: u64) -> Self {
        let mut stream = self.clone();
        // One block of the counter has four draws.
        [stream.counter[0], stream.counter[3]] = numbered(self.counter[3], draw >> 2);
        stream.used = 4;
        let passed = (draw & 3) as usize;
        if passed > 0 {
            stream.next_block();
            stream.used = passed;
        }
        stream
    }

    /// Draws 32 random bits.
    pub fn bits(&mut self) -> u32 {
        if self.used == 4 {
            self.next_block();
        }
        self.used += 1;
        self.block[self.used - 1]
    }

    /// Computes a block of four new draws from the counter, and advances the counter to the next block.
    fn next_block(&mut self) {
        let [c0, c1, c2, c3] = self.counter;
        let [[w0], [w1], [w2], [w3]] = philox([[c0], [c1], [c2], [c3]], self.key);
        self.block = [w0, w1, w2, w3];
        self.counter[0] = self.counter[0].wrapping_add(1);
        if self.counter[0] == 0 {
            self.counter[3] = self.counter[3].wrapping_add(1 << PURPOSE_BITS);
        }
        self.used = 0;
    }

    /// Draws a uniform number in [0, 1), with 53 random bits.
    pub fn uniform(&mut self) -> f64 {
        let high = u64::from(self.bits()) << 32;
        let bits = (high | u64::from(self.bits())) >> 11;
        bits as f64 / (1u64 << 53) as f64
    }

    /// Draws an integer from 0 to `bound` − 1; `bound` must be above 0. The probabilities of the integers
    /// differ by at most 2⁻⁵³.
    pub fn below(&mut self, bound: usize) -> usize {
        ((self.uniform() * bound as f64) as usize).min(bound - 1)
    }

    /// Draws from the normal distribution with mean 0 and standard deviation 1 (Box and Muller 1958). Each
    /// number takes two uniform draws.
    pub fn normal(&mut self) -> f64 {
        let radius = (2.0 * self.exponential()).sqrt();
        radius * sin_cos_turns(self.uniform()).1
    }

    /// Draws from the exponential distribution with mean 1, by inversion. Each number takes one uniform draw.
    pub fn exponential(&mut self) -> f64 {
        // The number 1 − u is in (0, 1], so its logarithm is finite. The logarithm is subtracted from 0, so
        // that the minimum is 0 and not −0.
        0.0 - ln(1.0 - self.uniform())
    }

    /// Draws a unit vector, uniform on the sphere. The coordinate z of such a vector is uniformly
    /// distributed, by Archimedes' theorem.
    pub fn on_sphere(&mut self) -> [f64; 3] {
        let z = 2.0 * self.uniform() - 1.0;
        let radius = (1.0 - z * z).sqrt();
        let (sin, cos) = sin_cos_turns(self.uniform());
        [radius * cos, radius * sin, z]
    }
}

/// Computes four draws of the random stream of each of several items, starting at draw number 4 · `block`.
/// The draws are the [`bits`](Random::bits) of [`Random::at`]`(4 * block)`.
#[inline(always)]
pub fn random_blocks<const W: usize>(
    seed: u64,
    purpose: Purpose,
    items: &[u64; W],
    block: u64,
) -> [[u32; W]; 4] {
    let key = [seed as u32, (seed >> 32) as u32];
    let [first, last] = numbered(purpose as u32, block);
    let mut counter = [[first; W], [0; W], [0; W], [last; W]];
    for lane in 0..W {
        counter[1][lane] = items[lane] as u32;
        counter[2][lane] = (items[lane] >> 32) as u32;
    }
    philox(counter, key)
}

/// Computes a block of four draws from each of several counters with the same key.
#[inline(always)]
fn philox<const W: usize>(mut counter: [[u32; W]; 4], mut key: [u32; 2]) -> [[u32; W]; 4] {
    for _ in 0..10 {
        for lane in 0..W {
            let product0 = u64::from(MULTIPLIERS[0]) * u64::from(counter[0][lane]);
            let product1 = u64::from(MULTIPLIERS[1]) * u64::from(counter[2][lane]);
            counter[0][lane] = (product1 >> 32) as u32 ^ counter[1][lane] ^ key[0];
            counter[2][lane] = (product0 >> 32) as u32 ^ counter[3][lane] ^ key[1];
            counter[1][lane] = product1 as u32;
            counter[3][lane] = product0 as u32;
        }
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    counter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers_of_the_reference_implementation() {
        // These are the three test vectors for philox4x32-10 that were published with Random123 (file
        // kat_vectors).
        let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        let counters = [[0; 4], [u32::MAX; 4], pi];
        let keys = [[0; 2], [u32::MAX; 2], [0xa409_3822, 0x299f_31d0]];
        let expected = [
            [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8],
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd],
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
        ];
        for ((counter, key), expected) in counters.into_iter().zip(keys).zip(expected) {
            assert_eq!(philox(counter.map(|word| [word]), key), expected.map(|word| [word]));
        }
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

    #[test]
    fn purpose_numbers_do_not_change() {
        use Purpose::{Noise, Phantom, Propagation, Resampling, Sampling, Seeding};
        let numbers =
            [Seeding, Noise, Phantom, Resampling, Sampling, Propagation].map(|purpose| purpose as u32);
        assert_eq!(numbers, [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn random_access_agrees_with_sequential_draws() {
        let start = Random::new(7, Purpose::Sampling, 11 << 32 | 5);
        let mut walking = start.clone();
        for draw in 0..1000 {
            // `at` finds the same draw from any current position of the random stream, and for any kind of
            // number that is drawn next.
            for mut found in [start.at(draw), walking.at(draw)] {
                let mut walked = walking.clone();
                assert_eq!(found.bits(), walked.bits(), "draw {draw}");
                assert_eq!(found.normal(), walked.normal(), "draw {draw}");
                assert_eq!(found.bits(), walked.bits(), "draw {draw}");
            }
            walking.bits();
        }
    }

    #[test]
    fn parallel_blocks_agree_with_single_blocks() {
        let items = [3, 11 << 32 | 5, u64::MAX, 0];
        for block in [0, 1, 77, u64::from(u32::MAX), 5 << 32 | 3] {
            let found = random_blocks(9 << 40 | 4, Purpose::Sampling, &items, block);
            for (lane, item) in items.into_iter().enumerate() {
                let mut stream = Random::new(9 << 40 | 4, Purpose::Sampling, item).at(4 * block);
                for row in found {
                    assert_eq!(row[lane], stream.bits());
                }
            }
        }
    }

    #[test]
    fn streams_continue_beyond_32_bit_counters() {
        let start = Random::new(7, Purpose::Propagation, 3);
        // The draw number `border` is the first draw of block number 2³². From this block onwards, the block
        // number needs two of the counter's words.
        let border = 1u64 << 34;
        let mut walking = start.at(border - 2);
        for draw in border - 2..border + 9 {
            assert_eq!(walking.bits(), start.at(draw).bits(), "{draw}");
        }
        assert_ne!(start.at(border).bits(), start.at(0).bits());
        // `at` can also return a random stream to an earlier draw.
        assert_eq!(start.at(border).at(5).bits(), start.at(5).bits());
        let blocks = random_blocks(7, Purpose::Propagation, &[3], (border >> 2) + 1);
        assert_eq!(blocks[0][0], start.at(border + 4).bits());
    }

    #[test]
    fn streams_wrap_around_after_the_last_draw() {
        let start = Random::new(7, Purpose::Propagation, 3);
        let all = 1u64 << 58;
        let mut last = start.at(all - 2);
        let mut words: Vec<u32> = std::iter::repeat_with(|| last.bits()).take(8).collect();
        let mut first = start.clone();
        let begin: Vec<u32> = std::iter::repeat_with(|| first.bits()).take(6).collect();
        assert_eq!(words.split_off(2), begin);
        assert_eq!(start.at(all + 5).bits(), begin[5]);
        assert_eq!(words[1], start.at(all - 1).bits());
        assert_ne!(words[0], words[1]);
    }

    #[test]
    fn each_kind_of_number_uses_the_documented_number_of_draws() {
        let takes = |draws: u64, draw: fn(&mut Random)| {
            let start = Random::new(7, Purpose::Sampling, 1);
            for first in 0..4 {
                let mut random = start.at(first);
                draw(&mut random);
                assert_eq!(random.bits(), start.at(first + draws).bits());
            }
        };
        takes(1, |random| _ = random.bits());
        takes(2, |random| _ = random.uniform());
        takes(2, |random| _ = random.below(10));
        takes(2, |random| _ = random.exponential());
        takes(4, |random| _ = random.normal());
        takes(4, |random| _ = random.on_sphere());
    }
}
