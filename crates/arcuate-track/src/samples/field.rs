//! Sampled orientations as a direction field.

use super::constants;
use super::kernels::RunParameters;
use super::options::{InitialFibre, SampleOptions};
use super::orientations::{Fibre, NOWHERE, OrientationTable};
use crate::direction_field::{DirectionField, Draws, unit};
use crate::space::{index, inside, nearest};
use crate::summary::Termination;
use crate::walk::Walk;
use arcuate_core::{Grid, high_half, narrow, saturating};
use arcuate_numbers::vector3::dot;

/// Rules for the choice of the fibre that a streamline follows first.
pub(super) const INITIAL_NUMBER: u32 = constants::INITIAL_NUMBER;
pub(super) const INITIAL_RANDOM: u32 = constants::INITIAL_RANDOM;
pub(super) const INITIAL_IN_PROPORTION: u32 = constants::INITIAL_IN_PROPORTION;
pub(super) const INITIAL_OF_ALL: u32 = constants::INITIAL_OF_ALL;

/// A table of sampled fibre orientations, with the rules for drawing from it.
pub(super) struct SampledField<'a> {
    pub(super) table: &'a OrientationTable,
    shape: [i32; 3],
    samples: u32,
    fibres: u32,
    pub(super) min_fraction: f32,
    pub(super) initial: u32,
    pub(super) initial_fibre: u32,
    fraction_stops: bool,
    nearest: bool,
}

/// Settings of tracking through samples: `walk` for the CPU, and `run_parameters` for GPU kernels.
pub(super) struct Followers<'a> {
    pub(super) walk: Walk<'a, SampledField<'a>>,
    pub(super) run_parameters: RunParameters,
}

impl<'a> SampledField<'a> {
    pub(super) fn new(table: &'a OrientationTable, options: &SampleOptions) -> Self {
        let (initial, initial_fibre) = match options.initial {
            InitialFibre::Number(number) => (INITIAL_NUMBER, narrow::<u32>(number)),
            InitialFibre::Random => (INITIAL_RANDOM, 0),
            InitialFibre::InProportion => (INITIAL_IN_PROPORTION, 0),
            InitialFibre::RandomOfAll => (INITIAL_OF_ALL, 0),
        };
        Self {
            table,
            shape: table.grid().shape().map(narrow::<i32>),
            samples: narrow::<u32>(table.samples()),
            fibres: narrow::<u32>(table.fibres()),
            min_fraction: options.min_fraction as f32,
            initial,
            initial_fibre,
            fraction_stops: options.fraction_stops,
            nearest: options.nearest,
        }
    }

    /// Returns the index of a voxel in the table of orientations, or [`NOWHERE`] if the voxel has none.
    #[inline]
    fn place_of(&self, v: [f32; 3]) -> u32 {
        if inside(v, self.shape) { self.table.places()[index(v, self.shape)] } else { NOWHERE }
    }

    /// Draws a fibre orientation at a point. First draws one of the eight surrounding voxels and one of its
    /// samples, then chooses a fibre. Returns `None` if the voxel has no orientations. `before` is the
    /// current direction of the streamline; it is zero at the first point.
    fn sample(&self, p: [f32; 3], u: [u32; 4], before: [f32; 3], initial: Option<u32>) -> Option<Fibre> {
        let c = self;
        let v = if c.nearest {
            p.map(nearest)
        } else {
            [0, 1, 2].map(|axis| {
                let floor = p[axis].floor();
                if unit(u[axis]) < p[axis] - floor { floor + 1.0 } else { floor }
            })
        };
        let place = self.place_of(v);
        if place == NOWHERE {
            return None;
        }
        let sample = saturating::<u32>((unit(u[3]) * (c.samples - 1) as f32 + 0.5).floor());
        let first = (place as usize * c.samples as usize + sample as usize) * self.table.sectors_each();
        let fibre = |n: u32| self.table.sectors()[first + (n / 4) as usize].0[(n % 4) as usize];
        if let Some(bits) = initial {
            return Some(fibre(self.initial_fibre(bits, fibre)));
        }
        // If no fibre has a volume fraction above the threshold, the first fibre is used.
        let (mut best, mut largest) = (0, -1.0);
        for n in 0..c.fibres {
            let candidate = fibre(n);
            if candidate.fraction() > c.min_fraction {
                let cosine = dot(candidate.direction(), before).abs();
                if cosine > largest {
                    (best, largest) = (n, cosine);
                }
            }
        }
        Some(fibre(best))
    }

    fn initial_fibre(&self, bits: u32, fibre: impl Fn(u32) -> Fibre) -> u32 {
        let c = self;
        let counts = |n: &u32| fibre(*n).fraction() > c.min_fraction;
        match c.initial {
            INITIAL_NUMBER => c.initial_fibre,
            INITIAL_OF_ALL => high_half(u64::from(bits) * u64::from(c.fibres)),
            INITIAL_RANDOM => {
                let count = (0..c.fibres).filter(counts).count() as u64;
                let chosen = ((u64::from(bits) * count) >> 32) as usize;
                (0..c.fibres).filter(counts).nth(chosen).unwrap_or(0)
            }
            // The sums of volume fractions are integers, so they have no rounding errors.
            _ => {
                let whole = |n: u32| u64::from(fibre(n).fraction);
                let sum: u64 = (0..c.fibres).filter(counts).map(whole).sum();
                let mut rest = (u64::from(bits) * sum) >> 32;
                for n in (0..c.fibres).filter(counts) {
                    if rest < whole(n) {
                        return n;
                    }
                    rest -= whole(n);
                }
                0
            }
        }
    }
}

impl DirectionField for SampledField<'_> {
    fn grid(&self) -> &Grid {
        self.table.grid()
    }

    #[inline]
    fn holds(&self, place: [f32; 3]) -> bool {
        self.place_of(place.map(nearest)) != NOWHERE
    }

    #[inline]
    fn direction(&self, place: [f32; 3], before: [f32; 3], draws: &Draws) -> Result<[f32; 3], Termination> {
        let initial = draws.is_seed().then(|| {
            let bits = if self.initial == INITIAL_OF_ALL { draws.of_both_halves() } else { draws.of_half() };
            bits[1]
        });
        let fibre = self.sample(place, draws.bits(), before, initial).ok_or(Termination::Fraction)?;
        let direction = fibre.direction();
        if !draws.is_first_stage() {
            return Ok(direction);
        }
        if self.fraction_stops && fibre.fraction() <= unit(draws.continuation_bits()[0]) {
            return Err(Termination::Fraction);
        }
        if direction == [0.0; 3] { Err(Termination::LeftMask) } else { Ok(direction) }
    }
}
