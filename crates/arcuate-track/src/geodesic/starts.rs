//! Start positions and directions of geodesic rays, computed from the number of the ray alone.

use super::field::Repair;
use super::options::{Directions, GeodesicOptions};
use crate::seeds::SeedPlan;
use arcuate_compute::{Purpose, Random};
use arcuate_core::{DiffusionTensor, Grid, Volume};
use arcuate_numbers::Lanes;
use arcuate_numbers::across;

/// Start of a ray.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Start {
    /// Position, in voxels.
    pub(super) at: [f64; 3],
    /// Velocity of the ray at its start, in voxels; its length is 1 mm.
    pub(super) velocity: [f64; 3],
    /// Maximum number of steps.
    pub(super) steps: u32,
}

impl Start {
    /// Returns the voxel that contains the start.
    pub(super) fn voxel(&self, shape: [usize; 3]) -> Option<usize> {
        // `c + 0.5` is rounded before `floor`. Therefore, if a position is below the border between two
        // voxels by less than the rounding error, it belongs to the upper voxel.
        let nearest = self.at.map(|c| (c + 0.5).floor());
        let inside = (0..3).all(|axis| nearest[axis] >= 0.0 && nearest[axis] < shape[axis] as f64);
        let [i, j, k] = nearest.map(|c| c as usize);
        inside.then(|| i + shape[0] * (j + shape[1] * k))
    }
}

/// Golden angle divided by 2π: 1 − 1/φ.
const GOLDEN_TURN: f64 = 0.381_966_011_250_105_1;

/// All geodesic rays of a run, ordered by seed and direction. The two rays that start in opposite directions
/// are next to each other.
pub(super) struct Starts<'a> {
    tensor: &'a Volume<f32>,
    repair: &'a Repair,
    seeds: SeedPlan<'a>,
    directions: Directions,
    sides: usize,
    seed: u64,
    steps: u32,
}

impl<'a> Starts<'a> {
    pub(super) fn new(
        tensor: &'a Volume<f32>,
        repair: &'a Repair,
        seeds: SeedPlan<'a>,
        options: &GeodesicOptions,
        steps: u32,
    ) -> Self {
        Self {
            tensor,
            repair,
            seeds,
            directions: options.directions,
            sides: options.sides(),
            seed: options.seed,
            steps,
        }
    }

    /// Returns the number of rays.
    pub(super) fn count(&self) -> u64 {
        self.seeds.count() * (self.directions.count() * self.sides) as u64
    }

    pub(super) fn seeds(&self) -> u64 {
        self.seeds.count()
    }

    /// Returns the plan of the seeds.
    pub(super) fn plan(&self) -> &SeedPlan<'a> {
        &self.seeds
    }

    /// Returns the number of the seed of a streamline. A seed has one streamline for each start direction.
    pub(super) fn seed_of(&self, streamline: u64) -> usize {
        let seed = streamline / self.directions.count() as u64;
        self.seeds.seed_of(seed, &mut Random::new(self.seed, Purpose::Seeding, seed))
    }

    /// Returns the number of rays per direction.
    pub(super) fn sides(&self) -> usize {
        self.sides
    }

    /// Returns the start of ray number `ray`.
    pub(super) fn start(&self, ray: u64) -> Start {
        let directions = self.directions.count() as u64;
        let sides = self.sides as u64;
        let (seed, direction, side) = (ray / (directions * sides), ray / sides % directions, ray % sides);
        let random = &mut Random::new(self.seed, Purpose::Seeding, seed);
        // If there is no seed position, the position is NaN. The ray then leaves the image at once.
        let point = self.seeds.position(seed, random).unwrap_or([f64::NAN; 3]);
        let grid = self.tensor.grid();
        let towards = match self.directions {
            Directions::Principal => self.principal(grid, point),
            Directions::Sphere(count) => {
                // Directions from one pole of the sphere to the other at evenly spaced heights. From each
                // direction to the next, they are rotated by the golden angle.
                on_sphere(1.0 - (2 * direction + 1) as f64 / count as f64, direction)
            }
            Directions::Cone { count, degrees } => {
                let depth = 1.0 - degrees.to_radians().cos();
                let [x, y, z] =
                    on_sphere(1.0 - depth * (2 * direction + 1) as f64 / (2 * count) as f64, direction);
                let axis = self.principal(grid, point);
                let (u, v) = across(axis.map(|c| Lanes([c])));
                std::array::from_fn(|n| x * u[n].0[0] + y * v[n].0[0] + z * axis[n])
            }
        };
        let velocity = grid.inverse().apply_vector(if side == 0 { towards } else { towards.map(|c| -c) });
        Start { at: grid.inverse().apply(point), velocity, steps: self.steps }
    }

    /// Returns the principal eigenvector of the tensor in the voxel that contains the point.
    fn principal(&self, grid: &Grid, point: [f64; 3]) -> [f64; 3] {
        match grid.voxel_at(point) {
            Some(voxel) => {
                DiffusionTensor(self.repair.plain(self.tensor.voxel(voxel))).eigensystem().vectors[0]
            }
            None => [1.0, 0.0, 0.0],
        }
    }
}

/// Returns the unit vector with the height z, after `number` rotations by the golden angle.
fn on_sphere(z: f64, number: u64) -> [f64; 3] {
    let radius = (1.0 - z * z).max(0.0).sqrt();
    let (sin, cos) = arcuate_numbers::elementary::double::sin_cos_turns(number as f64 * GOLDEN_TURN);
    [radius * cos, radius * sin, z]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeds::Seeds;
    use arcuate_core::Affine;
    use arcuate_numbers::vector3::dot;

    fn starts_of(directions: Directions, both_ways: bool, check: impl Fn(&Starts)) {
        let rows = [[-1.9, 0.3, 0.2, 90.0], [0.25, 1.8, -0.5, -120.0], [0.15, 0.45, 2.4, -60.0]];
        let grid = Grid::new([3, 3, 3], Affine::from_rows(rows).unwrap()).unwrap();
        let one = [1.2e-3f32, 1.3e-3, 5e-4, 6e-4, 1e-4, -1e-4];
        let tensor = Volume::new(grid, 6, one.repeat(27)).unwrap();
        let repair = Repair::of(&tensor, None).unwrap();
        let seeds = Seeds::points(vec![grid.centre(13), grid.centre(4)]);
        let options = GeodesicOptions { directions, both_ways, ..GeodesicOptions::default() };
        check(&Starts::new(&tensor, &repair, SeedPlan::new(&seeds, tensor.grid()).unwrap(), &options, 9));
    }

    fn scanner(starts: &Starts, ray: u64) -> [f64; 3] {
        starts.tensor.grid().affine().apply_vector(starts.start(ray).velocity)
    }

    #[test]
    fn the_sphere_is_covered_evenly() {
        starts_of(Directions::Sphere(500), true, |starts| {
            assert_eq!((starts.count(), starts.sides()), (1000, 1));
            let all: Vec<[f64; 3]> = (500..1000).map(|ray| scanner(starts, ray)).collect();
            let mut mean = [0.0; 3];
            for a in &all {
                assert!((dot(*a, *a) - 1.0).abs() < 1e-12);
                for n in 0..3 {
                    mean[n] += a[n] / 500.0;
                }
                // Each direction represents an equal part of the sphere. It has a neighbour within twice the
                // radius of this part, and none within half of the radius.
                let nearest =
                    all.iter().map(|b| dot(*a, *b)).filter(|c| *c < 1.0 - 1e-9).fold(-1.0, f64::max);
                let share = (4.0f64 / 500.0).sqrt();
                let angle = nearest.acos();
                assert!(angle > 0.5 * share && angle < 2.0 * share, "{angle} {share}");
            }
            assert!(dot(mean, mean).sqrt() < 0.01);
        });
    }

    #[test]
    fn cones_are_around_both_principal_directions() {
        let mut principal = [0.0; 3];
        let cell = std::cell::RefCell::new(&mut principal);
        starts_of(Directions::Principal, false, |starts| **cell.borrow_mut() = scanner(starts, 0));
        starts_of(Directions::Cone { count: 200, degrees: 25.0 }, true, |starts| {
            assert_eq!((starts.count(), starts.sides()), (800, 2));
            let limit = 25.0f64.to_radians().cos();
            let cosines: Vec<f64> = (0..200).map(|n| dot(scanner(starts, 2 * n), principal)).collect();
            assert!(cosines.iter().all(|&c| c >= limit - 1e-12));
            // The directions are evenly distributed on the cap of the sphere, so their mean height is the
            // middle height.
            let mean = cosines.iter().sum::<f64>() / 200.0;
            assert!((mean - 0.5 * (1.0 + limit)).abs() < 1e-3, "{mean}");
            for n in 0..200 {
                assert!((dot(scanner(starts, 2 * n), scanner(starts, 2 * n + 1)) + 1.0).abs() < 1e-12);
            }
        });
    }
}
