//! Random numbers that depend only on (seed, purpose, item, draw). Each number can be computed directly,
//! without the numbers before it. The generator is Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel
//! random numbers: as easy as 1, 2, 3" (SC 2011, doi:10.1145/2063384.2063405). CPUs and GPUs draw
//! bit-identical values: GPU kernels include `philox.cuh`, which performs the same operations as [`Random`].
//! The documentation of [`Random`] explains what an item is and how draws are numbered.

mod cuda;
mod kernels;
#[cfg(test)]
mod statistics;
mod stream;

pub use stream::{Purpose, Random, random_blocks};

use arcuate_core::{Error, Result};

/// A probability distribution, as defined by the methods of [`Random`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Distribution {
    /// The uniform distribution of [`Random::uniform`].
    Uniform,
    /// Random integers from 0 to this bound minus 1, stored as floating-point numbers; see [`Random::below`].
    Below(u64),
    /// The normal distribution of [`Random::normal`].
    Normal,
    /// The exponential distribution of [`Random::exponential`].
    Exponential,
    /// The gamma distribution of [`Random::gamma`] with this shape.
    Gamma(f64),
    /// Unit vectors of [`Random::on_sphere`], as x, y and z.
    OnSphere,
}

/// Random draws for many items, for example for all voxels. Host memory and GPU memory can be filled with the
/// same values.
#[derive(Debug, Clone, PartialEq)]
pub struct Draws {
    distribution: Distribution,
    seed: u64,
    purpose: Purpose,
    first_draw: u64,
    per_item: usize,
}

impl Distribution {
    /// Number of values of one draw.
    pub fn components(self) -> usize {
        if self == Self::OnSphere { 3 } else { 1 }
    }
}

impl Draws {
    /// Prepares `per_item` draws (at least one) for each item, from the start of the item's random stream.
    /// Returns an error if the shape of a gamma distribution is not positive and finite, or if the bound of
    /// integers is 0 or above 2⁵³.
    pub fn new(distribution: Distribution, seed: u64, purpose: Purpose, per_item: usize) -> Result<Self> {
        let wrong = match distribution {
            Distribution::Below(bound) => !(1..=1 << 53).contains(&bound),
            Distribution::Gamma(shape) => !(shape > 0.0 && shape < f64::INFINITY),
            _ => false,
        };
        if wrong || per_item == 0 {
            let advice = "take a bound in 1 ..= 2⁵³, a positive shape, at least one draw";
            let problem = format!(
                "this distribution, or the number of random numbers per streamline or voxel ({per_item}), is \
                 not possible"
            );
            return Err(Error::usage(format_args!("{distribution:?}"), problem, advice));
        }
        Ok(Self { distribution, seed, purpose, first_draw: 0, per_item })
    }

    /// Sets the number of the first draw of each item to `first_draw`, counted from 0 as in [`Random::at`].
    pub fn starting_at(self, first_draw: u64) -> Self {
        Self { first_draw, ..self }
    }

    /// Number of values of one item: the number of draws times the number of values per draw.
    pub fn values_per_item(&self) -> usize {
        self.per_item * self.distribution.components()
    }

    /// Fills `values` with the draws of consecutive items, starting with item `first`. The draws of each item
    /// are in the order drawn.
    ///
    /// # Panics
    /// Panics if the length of `values` is not a multiple of the number of values per item.
    pub fn fill(&self, first: u64, values: &mut [f64]) {
        self.items_in(values.len());
        for (item, values) in (first..).zip(values.chunks_exact_mut(self.values_per_item())) {
            let mut random = Random::new(self.seed, self.purpose, item).at(self.first_draw);
            for value in values.chunks_exact_mut(self.distribution.components()) {
                match self.distribution {
                    Distribution::Uniform => value[0] = random.uniform(),
                    Distribution::Below(bound) => value[0] = random.below(bound as usize) as f64,
                    Distribution::Normal => value[0] = random.normal(),
                    Distribution::Exponential => value[0] = random.exponential(),
                    Distribution::Gamma(shape) => value[0] = random.gamma(shape),
                    Distribution::OnSphere => value.copy_from_slice(&random.on_sphere()),
                }
            }
        }
    }

    /// Returns the number of items whose draws fill this many values.
    fn items_in(&self, values: usize) -> usize {
        let each = self.values_per_item();
        assert!(values.is_multiple_of(each), "there is space for {values} values, but each item has {each}");
        values / each
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_can_be_filled_in_parts() {
        for distribution in [Distribution::Gamma(0.5), Distribution::OnSphere, Distribution::Below(10)] {
            let draws = Draws::new(distribution, 3, Purpose::Noise, 5).expect("a distribution");
            let each = draws.values_per_item();
            let mut whole = vec![0.0; 7 * each];
            draws.fill(100, &mut whole);
            let mut parts = vec![0.0; 7 * each];
            draws.fill(100, &mut parts[..2 * each]);
            draws.fill(102, &mut parts[2 * each..]);
            assert_eq!(whole, parts);
        }
    }

    #[test]
    fn draws_can_start_at_any_item() {
        let draws = Draws::new(Distribution::Normal, 3, Purpose::Sampling, 6).expect("a distribution");
        let mut whole = [0.0; 12];
        draws.fill(4, &mut whole);
        let later = Draws::new(Distribution::Normal, 3, Purpose::Sampling, 2).expect("a distribution");
        let mut found = [0.0; 4];
        // A normal number takes four 32-bit draws.
        later.starting_at(16).fill(4, &mut found);
        assert_eq!([whole[4], whole[5], whole[10], whole[11]], found);
    }

    #[test]
    fn invalid_distributions_are_rejected() {
        let new = |distribution, per_item| Draws::new(distribution, 1, Purpose::Noise, per_item);
        for shape in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(new(Distribution::Gamma(shape), 1).is_err());
        }
        assert!(
            new(Distribution::Below(0), 1).is_err() && new(Distribution::Below((1 << 53) + 1), 1).is_err()
        );
        assert!(new(Distribution::Uniform, 0).is_err() && new(Distribution::Below(1 << 53), 1).is_ok());
    }

    #[test]
    #[should_panic(expected = "there is space for 4 values, but each item has 3")]
    fn buffers_that_end_within_an_item_are_rejected() {
        let draws = Draws::new(Distribution::OnSphere, 1, Purpose::Noise, 1).expect("a distribution");
        draws.fill(0, &mut [0.0; 4]);
    }
}
