//! Seeds of streamlines. The list of seeds is finite and ordered. Each seed depends only on its index in this
//! list.

use crate::space::Mapping;
use arcuate_compute::Random;
use arcuate_core::{Error, FiveTissues, Grid, Mask, Result, Volume};
use std::borrow::Cow;
use std::sync::Arc;

/// Number of seeds that are tried for each wanted streamline, as in MRtrix `tckgen`.
pub const SEEDS_PER_STREAMLINE: u64 = 1000;

/// Random displacement of a streamline's start from the centre of its seed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Jitter {
    /// No displacement.
    #[default]
    None,
    /// The start is uniformly distributed in the volume of the voxel around the seed.
    Voxel,
    /// The start is uniformly distributed in a ball around the seed. The number is the radius of the ball, in
    /// mm in the space of the seeds.
    BallMm(f64),
}

/// Seeds of streamlines. The masks and images that define them can be on any grid. If the seeds are in a
/// different space than the tracked image, `mapping` maps points from the space of the seeds to the space of
/// the tracked image.
#[derive(Debug, Clone, PartialEq)]
pub enum Seeds {
    /// Random seeds, uniformly distributed in the volume of a mask.
    Random {
        /// Mask of the seed voxels.
        mask: Mask,
        /// Mapping from the space of the mask to the space of the tracked image; `None` if both are in the
        /// same space.
        mapping: Option<Arc<Mapping>>,
        /// Number of seeds.
        count: u64,
    },
    /// Random seeds with a density proportional to the values of an image with one channel. The density is
    /// constant within a voxel. Voxels with values ≤ 0 or NaN get no seed.
    Weighted {
        /// Density image, in any unit.
        image: Volume<f32>,
        /// Mapping from the space of the image to the space of the tracked image; `None` if both are in the
        /// same space.
        mapping: Option<Arc<Mapping>>,
        /// Number of seeds.
        count: u64,
    },
    /// Random seeds on the interface of grey and white matter. Positions are drawn in proportion to
    /// [`FiveTissues::interface`] and moved to the nearest point at which the fractions of grey and white
    /// matter are equal. If there is no such point near a position, the seed is counted as
    /// [`Rejection::SeedOutside`](crate::Rejection::SeedOutside).
    Interface {
        /// Five-tissue-type image.
        tissues: Arc<FiveTissues>,
        /// Mapping from the space of the tissues to the space of the tracked image; `None` if both are in the
        /// same space.
        mapping: Option<Arc<Mapping>>,
        /// Number of seeds.
        count: u64,
    },
    /// Regular grid of `per_axis`³ seeds in each voxel of a mask, evenly spaced between opposite faces of the
    /// voxel.
    Grid {
        /// Mask of the seed voxels.
        mask: Mask,
        /// Mapping from the space of the mask to the space of the tracked image; `None` if both are in the
        /// same space.
        mapping: Option<Arc<Mapping>>,
        /// Number of seeds along each edge of a voxel; a voxel has the third power of this number of seeds.
        per_axis: usize,
    },
    /// `each` seeds per voxel of a mask. Voxels are in storage order, x fastest.
    Voxels {
        /// Mask of the seed voxels.
        mask: Mask,
        /// Mapping from the space of the mask to the space of the tracked image; `None` if both are in the
        /// same space.
        mapping: Option<Arc<Mapping>>,
        /// Number of seeds per voxel.
        each: u32,
        /// Random displacement from the centre of the voxel.
        jitter: Jitter,
    },
    /// `each` seeds per point, in RAS mm.
    Points {
        /// Points in RAS mm.
        points: Vec<[f64; 3]>,
        /// Mapping from the space of the points to the space of the tracked image; `None` if both are in the
        /// same space.
        mapping: Option<Arc<Mapping>>,
        /// Number of seeds per point.
        each: u32,
        /// Random displacement of each start from its point. [`Jitter::Voxel`] uses the voxel size of the
        /// tracked image, in mm in the space of the points.
        jitter: Jitter,
    },
}

/// Maximum number of seeds on a regular grid. A larger number is probably a typing error, because tracking
/// would take days on any machine.
const MAX_GRID_SEEDS: u64 = 1 << 40;

impl Seeds {
    /// Creates random seeds in a mask for a run that stops at `select` accepted streamlines. There are
    /// [`SEEDS_PER_STREAMLINE`] seeds for each of these streamlines.
    pub fn random_until(mask: Mask, select: u64) -> Self {
        Self::random(mask, select.saturating_mul(SEEDS_PER_STREAMLINE))
    }

    /// Creates `count` random seeds in a mask that is in the space of the tracked image.
    pub fn random(mask: Mask, count: u64) -> Self {
        Self::Random { mask, mapping: None, count }
    }

    /// Creates one seed at each point, in RAS mm.
    pub fn points(points: Vec<[f64; 3]>) -> Self {
        Self::Points { points, mapping: None, each: 1, jitter: Jitter::None }
    }
}

/// Prepared seeds. The position of each seed can be computed from its index.
pub(crate) struct SeedPlan<'a> {
    places: SeedPositions<'a>,
    interface: Option<&'a Arc<FiveTissues>>,
    mapping: Option<&'a Arc<Mapping>>,
    count: u64,
}

/// How the positions of seeds are determined, in the space of the seeds.
pub(crate) enum SeedPositions<'a> {
    /// Each seed is at a random position in a randomly drawn voxel. Without `cumulative`, all voxels are
    /// equally likely. With it, voxels are drawn by the cumulative sums of their weights.
    Drawn {
        grid: &'a Grid,
        voxels: Vec<usize>,
        cumulative: Option<Vec<f64>>,
    },
    Lattice {
        grid: &'a Grid,
        voxels: Vec<usize>,
        per_axis: usize,
    },
    /// There are `each` seeds around each centre. The seeds of the first centre come first, then those of the
    /// second, and so on.
    Each {
        centres: Cow<'a, [[f64; 3]]>,
        each: u32,
        spread: Spread,
    },
}

/// Shape of the random displacement around the centre of a seed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Spread {
    None,
    /// Parallelepiped with these edge vectors, in mm, around the seed.
    Voxel([[f64; 3]; 3]),
    /// Ball with this radius in mm, around the seed.
    Ball(f64),
}

impl<'a> SeedPlan<'a> {
    /// Prepares the seeds for tracking on the grid `field`.
    pub(crate) fn new(seeds: &'a Seeds, field: &Grid) -> Result<Self> {
        let mut interface = None;
        let (places, mapping, count) = match seeds {
            Seeds::Interface { tissues, mapping, count } => {
                interface = Some(tissues);
                let problem = "grey and white matter meet nowhere";
                let advice = "give tissues of a brain, or seeds that are not on their interface";
                let nowhere = |_| Error::invalid("‘anatomy’", problem, advice);
                let (voxels, cumulative) = weighted(&tissues.interface()).map_err(nowhere)?;
                let places =
                    SeedPositions::Drawn { grid: tissues.grid(), voxels, cumulative: Some(cumulative) };
                (places, mapping.as_ref(), *count)
            }
            Seeds::Random { mask, mapping, count } => {
                let voxels = voxels_of(mask)?;
                (
                    SeedPositions::Drawn { grid: mask.grid(), voxels, cumulative: None },
                    mapping.as_ref(),
                    *count,
                )
            }
            Seeds::Weighted { image, mapping, count } => {
                let (voxels, cumulative) = weighted(image)?;
                let places =
                    SeedPositions::Drawn { grid: image.grid(), voxels, cumulative: Some(cumulative) };
                (places, mapping.as_ref(), *count)
            }
            Seeds::Grid { mask, mapping, per_axis } => {
                let (places, count) = lattice(mask, *per_axis)?;
                (places, mapping.as_ref(), count)
            }
            Seeds::Voxels { mask, mapping, each, jitter } => {
                let (grid, voxels) = (mask.grid(), voxels_of(mask)?);
                let centres = voxels.into_iter().map(|voxel| grid.centre(voxel)).collect();
                let (places, count) = each_of(centres, *each, jitter.about(grid)?)?;
                (places, mapping.as_ref(), count)
            }
            Seeds::Points { points, mapping, each, jitter } => {
                if let Some(n) = points.iter().position(|point| point.iter().any(|c| !c.is_finite())) {
                    let problem = format!("seed point {} has a coordinate that is not a number", n + 1);
                    return Err(Error::invalid("seed points", problem, "give three numbers in mm"));
                }
                let (places, count) = each_of(Cow::Borrowed(points), *each, jitter.about(field)?)?;
                (places, mapping.as_ref(), count)
            }
        };
        if count == 0 {
            return Err(Error::usage("‘seeds’", "there are no seeds", "give 1 or more"));
        }
        Ok(Self { places, interface, mapping, count })
    }

    /// Number of seeds.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Returns the number of seed locations for which streamlines are counted. If voxels are drawn at random,
    /// a location is a voxel. In a regular grid, it is a seed. If there are several seeds around a centre, it
    /// is the centre.
    pub(crate) fn seeds(&self) -> usize {
        match &self.places {
            SeedPositions::Drawn { voxels, .. } => voxels.len(),
            SeedPositions::Lattice { .. } => self.count as usize,
            SeedPositions::Each { centres, .. } => centres.len(),
        }
    }

    /// Returns the index of the seed location (for example the voxel) of seed number `index`. If voxels are
    /// drawn at random, this uses the first draw of `random`.
    pub(crate) fn seed_of(&self, index: u64, random: &mut Random) -> usize {
        match &self.places {
            SeedPositions::Drawn { voxels, cumulative: None, .. } => random.below(voxels.len()),
            SeedPositions::Drawn { voxels, cumulative: Some(cumulative), .. } => {
                let target = random.uniform() * cumulative[cumulative.len() - 1];
                cumulative.partition_point(|&sum| sum <= target).min(voxels.len() - 1)
            }
            SeedPositions::Lattice { .. } => index as usize,
            SeedPositions::Each { each, .. } => (index / u64::from(*each)) as usize,
        }
    }

    /// Returns the positions of the seeds, in the space of the seeds.
    pub(crate) fn places(&self) -> &SeedPositions<'a> {
        &self.places
    }

    /// Returns the tissues if the seeds are moved to their interface of grey and white matter; `None` if not.
    pub(crate) fn interface(&self) -> Option<&'a Arc<FiveTissues>> {
        self.interface
    }

    /// Returns the mapping from the space of the seeds to the space of the tracked image.
    pub(crate) fn mapping(&self) -> Option<&'a Arc<Mapping>> {
        self.mapping
    }

    /// Returns the position of seed number `index` in RAS mm in the space of the tracked image. `index` must
    /// be below [`count`](Self::count). Random seeds draw from `random`, which must be the random stream of
    /// this seed. Returns `None` if no interface of grey and white matter is near the drawn position.
    pub(crate) fn position(&self, index: u64, random: &mut Random) -> Option<[f64; 3]> {
        let own = match &self.places {
            SeedPositions::Drawn { grid, voxels, .. } => {
                let voxel = voxels[self.seed_of(index, random)];
                anywhere_in(grid, voxel, random)
            }
            SeedPositions::Lattice { .. } => self.grid_position(index),
            SeedPositions::Each { centres, spread, .. } => {
                let centre = centres[self.seed_of(index, random)];
                let (edges, offset) = match *spread {
                    Spread::None => return Some(self.mapped(centre)),
                    Spread::Voxel(edges) => (edges, std::array::from_fn(|_| random.uniform() - 0.5)),
                    Spread::Ball(radius) => {
                        let offset = in_ball(random);
                        ([[radius, 0.0, 0.0], [0.0, radius, 0.0], [0.0, 0.0, radius]], offset)
                    }
                };
                let along = |axis: usize| (0..3).map(|n| offset[n] * edges[n][axis]).sum::<f64>();
                std::array::from_fn(|axis| centre[axis] + along(axis))
            }
        };
        let own = match self.interface {
            Some(tissues) => tissues.on_interface(own)?,
            None => own,
        };
        Some(self.mapped(own))
    }

    /// Returns the position of a seed on a regular grid, in RAS mm in the space of the seeds. For other types
    /// of seeds, returns the origin.
    pub(crate) fn grid_position(&self, index: u64) -> [f64; 3] {
        let SeedPositions::Lattice { grid, voxels, per_axis } = &self.places else { return [0.0; 3] };
        let n = *per_axis as u64;
        let within = index % n.pow(3);
        let places = [within % n, within / n % n, within / (n * n)];
        let offset = places.map(|place| (place as f64 + 0.5) / n as f64 - 0.5);
        inside(grid, voxels[(index / n.pow(3)) as usize], offset)
    }

    fn mapped(&self, point: [f64; 3]) -> [f64; 3] {
        self.mapping.map_or(point, |mapping| mapping.apply(point))
    }
}

impl Jitter {
    /// Converts the random displacement of seeds to one around voxel centres of `grid`.
    fn about(self, grid: &Grid) -> Result<Spread> {
        match self {
            Self::None | Self::BallMm(0.0) => Ok(Spread::None),
            Self::Voxel => Ok(Spread::Voxel(edges(grid))),
            Self::BallMm(radius) if radius > grid.diagonal() => {
                let problem = format!(
                    "the radius {radius} mm is longer than the diagonal of the image, {:.1} mm",
                    grid.diagonal()
                );
                Err(Error::usage("‘seed_radius’", problem, "give a radius (mm) that fits in the image"))
            }
            Self::BallMm(radius) if radius > 0.0 => Ok(Spread::Ball(radius)),
            Self::BallMm(radius) => {
                let problem = format!("the radius {radius} mm is not at least 0");
                Err(Error::usage("‘seed_radius’", problem, "give a length in mm"))
            }
        }
    }
}

/// Draws a random point, uniformly distributed in the unit ball.
fn in_ball(random: &mut Random) -> [f64; 3] {
    loop {
        let point: [f64; 3] = std::array::from_fn(|_| 2.0 * random.uniform() - 1.0);
        if point.iter().map(|c| c * c).sum::<f64>() <= 1.0 {
            return point;
        }
    }
}

/// Returns the edge vectors of a voxel, in mm.
pub(crate) fn edges(grid: &Grid) -> [[f64; 3]; 3] {
    let rows = grid.affine().rows();
    std::array::from_fn(|column| std::array::from_fn(|row| rows[row][column]))
}

fn each_of(centres: Cow<'_, [[f64; 3]]>, each: u32, spread: Spread) -> Result<(SeedPositions<'_>, u64)> {
    if each == 0 {
        return Err(Error::usage("‘per_seed’", "the number of streamlines per seed is 0", "give 1 or more"));
    }
    let count = centres.len() as u64 * u64::from(each);
    Ok((SeedPositions::Each { centres, each, spread }, count))
}

/// Returns the indices of the voxels with a positive weight, and the cumulative sums of their weights.
fn weighted(image: &Volume<f32>) -> Result<(Vec<usize>, Vec<f64>)> {
    if image.channels() != 1 {
        let problem = format!("the image has {} values per voxel", image.channels());
        return Err(Error::invalid("seed image", problem, "give an image with one value per voxel"));
    }
    if image.values().iter().any(|value| value.is_infinite()) {
        let advice = "repair the image";
        return Err(Error::invalid("seed image", "it holds infinite values", advice));
    }
    let (mut voxels, mut cumulative, mut total) = (Vec::new(), Vec::new(), 0.0);
    for (voxel, &value) in image.values().iter().enumerate() {
        if value > 0.0 {
            total += f64::from(value);
            voxels.push(voxel);
            cumulative.push(total);
        }
    }
    if voxels.is_empty() {
        let advice = "give an image with values above 0 where streamlines shall begin";
        return Err(Error::invalid("seed image", "no value is above 0", advice));
    }
    Ok((voxels, cumulative))
}

fn lattice(mask: &Mask, per_axis: usize) -> Result<(SeedPositions<'_>, u64)> {
    let voxels = voxels_of(mask)?;
    let n = per_axis as u64;
    let count = n.checked_pow(3).and_then(|cube| cube.checked_mul(voxels.len() as u64));
    let count = count.filter(|&count| (1..=MAX_GRID_SEEDS).contains(&count)).ok_or_else(|| {
        let problem = format!("{per_axis}³ seeds in each of {} voxels are too many seeds", voxels.len());
        Error::usage("‘seed_grid’", problem, "give a smaller whole number above 0")
    })?;
    Ok((SeedPositions::Lattice { grid: mask.grid(), voxels, per_axis }, count))
}

fn voxels_of(mask: &Mask) -> Result<Vec<usize>> {
    let voxels = mask.indices();
    if voxels.is_empty() {
        let advice = "give a mask with voxels above 0.5 where streamlines shall begin";
        return Err(Error::invalid("seed mask", "no voxel is inside", advice));
    }
    Ok(voxels)
}

fn anywhere_in(grid: &Grid, voxel: usize, random: &mut Random) -> [f64; 3] {
    inside(grid, voxel, std::array::from_fn(|_| random.uniform() - 0.5))
}

/// Returns the point in RAS mm that is displaced by `offset` from the centre of a voxel. The offset is in
/// voxels, from −½ to ½ along each axis.
fn inside(grid: &Grid, voxel: usize, offset: [f64; 3]) -> [f64; 3] {
    let coordinates = grid.coordinates(voxel);
    grid.affine().apply(std::array::from_fn(|axis| coordinates[axis] as f64 + offset[axis]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_compute::Purpose;
    use arcuate_core::Affine;

    fn oblique() -> Grid {
        let rows = [[-1.9, 0.3, 0.2, 90.0], [0.25, 1.8, -0.5, -120.0], [0.15, 0.45, 2.4, -60.0]];
        Grid::new([5, 4, 3], Affine::from_rows(rows).unwrap()).unwrap()
    }

    fn some(grid: &Grid) -> Mask {
        Mask::new(*grid, (0..grid.len()).map(|voxel| voxel % 7 == 3).collect()).unwrap()
    }

    fn position(plan: &SeedPlan, index: u64) -> [f64; 3] {
        plan.position(index, &mut Random::new(1, Purpose::Seeding, index)).unwrap()
    }

    #[test]
    fn random_seeds_cover_exactly_the_mask() {
        let mask = some(&oblique());
        let seeds = Seeds::random(mask.clone(), 9000);
        let plan = SeedPlan::new(&seeds, &oblique()).unwrap();
        let mut found = vec![0; mask.grid().len()];
        for index in 0..plan.count() {
            found[mask.grid().voxel_at(position(&plan, index)).unwrap()] += 1;
        }
        let expected = 9000.0 / mask.count() as f64;
        for (voxel, &n) in found.iter().enumerate() {
            if mask.contains(voxel) {
                // Six standard deviations of a Poisson count.
                assert!((f64::from(n) - expected).abs() < 6.0 * expected.sqrt(), "{voxel} {n}");
            } else {
                assert_eq!(n, 0);
            }
        }
    }

    #[test]
    fn weighted_seeds_are_distributed_as_the_image() {
        let grid = Grid::new([4, 1, 1], Affine::identity()).unwrap();
        let image = Volume::new(grid, 1, vec![1.0, 0.0, 3.0, f32::NAN]).unwrap();
        let seeds = Seeds::Weighted { image, mapping: None, count: 8000 };
        let plan = SeedPlan::new(&seeds, &oblique()).unwrap();
        let mut found = [0; 4];
        for index in 0..8000 {
            found[grid.voxel_at(position(&plan, index)).unwrap()] += 1;
        }
        assert_eq!((found[1], found[3]), (0, 0));
        // The limit is six standard deviations of the number of seeds in a voxel with a quarter of the
        // weight. This is 6 · √(8000 · ¼ · ¾) = 232.
        assert!((f64::from(found[0]) - 2000.0).abs() < 232.0, "{found:?}");
    }

    #[test]
    fn grid_seeds_are_regular_in_voxel_coordinates() {
        let grid = oblique();
        let seeds = Seeds::Grid { mask: some(&grid), mapping: None, per_axis: 3 };
        let plan = SeedPlan::new(&seeds, &oblique()).unwrap();
        assert_eq!(plan.count(), 27 * some(&grid).count() as u64);
        for index in 0..plan.count() {
            let voxel = grid.inverse().apply(position(&plan, index));
            for c in voxel {
                let third = (c - c.round()) * 3.0;
                assert!((third - third.round()).abs() < 1e-9 && third.abs() < 1.1);
            }
        }
        assert_eq!(grid.voxel_at(position(&plan, 13)), Some(3));
        let centre = position(&plan, 13);
        for axis in 0..3 {
            assert!((centre[axis] - grid.centre(3)[axis]).abs() < 1e-12);
        }
    }

    #[test]
    fn the_requested_number_of_seeds_is_around_each_centre() {
        let grid = oblique();
        let shift = Arc::new(Mapping::affine(Affine::scaling([1.0; 3], [5.0, 0.0, -2.0])));
        let of =
            |jitter| Seeds::Voxels { mask: some(&grid), mapping: Some(Arc::clone(&shift)), each: 40, jitter };
        let own = |plan: &SeedPlan, index| {
            let [x, y, z] = position(plan, index);
            [x - 5.0, y, z + 2.0]
        };
        let voxels = some(&grid).indices();
        for (jitter, maximum) in [(Jitter::None, 1e-9), (Jitter::BallMm(0.4), 0.4), (Jitter::Voxel, 1.9)] {
            let seeds = of(jitter);
            let plan = SeedPlan::new(&seeds, &grid).unwrap();
            assert_eq!(plan.count(), 40 * voxels.len() as u64);
            let mut furthest = 0.0f64;
            for index in 0..plan.count() {
                let voxel = voxels[index as usize / 40];
                let (at, centre) = (own(&plan, index), grid.centre(voxel));
                furthest = furthest.max((0..3).map(|n| (at[n] - centre[n]).powi(2)).sum::<f64>().sqrt());
                assert!(jitter != Jitter::Voxel || grid.voxel_at(at) == Some(voxel));
            }
            // The largest displacement nearly reaches the limit.
            assert!(
                furthest <= maximum && (maximum < 0.1 || furthest > 0.8 * maximum),
                "{jitter:?} {furthest}"
            );
        }
        let points = vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
        let seeds = Seeds::Points { points, mapping: None, each: 2, jitter: Jitter::None };
        let plan = SeedPlan::new(&seeds, &grid).unwrap();
        assert_eq!([0, 1, 2, 3].map(|n| position(&plan, n)[0]), [1.0, 1.0, 4.0, 4.0]);
    }

    #[test]
    fn impossible_seeds_give_one_line_errors() {
        let grid = oblique();
        let none = Mask::new(grid, vec![false; grid.len()]).unwrap();
        let bad = [
            (Seeds::random(none.clone(), 5), "seed mask: no voxel is inside"),
            (Seeds::Grid { mask: none, mapping: None, per_axis: 2 }, "seed mask: no voxel is inside"),
            (Seeds::Grid { mask: some(&grid), mapping: None, per_axis: 0 }, "‘seed_grid’: "),
            (Seeds::Grid { mask: some(&grid), mapping: None, per_axis: usize::MAX }, "‘seed_grid’: "),
            (Seeds::random(some(&grid), 0), "‘seeds’: "),
            (Seeds::points(vec![]), "‘seeds’: "),
            (Seeds::points(vec![[0.0; 3], [0.0, f64::NAN, 0.0]]), "seed points: seed point 2 "),
            (
                Seeds::Voxels {
                    mask: some(&grid),
                    mapping: None,
                    each: 1,
                    jitter: Jitter::BallMm(99_999_999_999.0),
                },
                "‘seed_radius’: the radius 99999999999 mm is longer than the diagonal",
            ),
            (
                Seeds::Points {
                    points: vec![[0.0; 3]],
                    mapping: None,
                    each: 1,
                    jitter: Jitter::BallMm(f64::INFINITY),
                },
                "‘seed_radius’: ",
            ),
            (
                Seeds::Weighted { image: Volume::filled(grid, 1, -1.0), mapping: None, count: 1 },
                "seed image: no value",
            ),
            (
                Seeds::Weighted { image: Volume::filled(grid, 3, 1.0), mapping: None, count: 1 },
                "seed image: the image has 3",
            ),
            (
                Seeds::Weighted { image: Volume::filled(grid, 1, f32::INFINITY), mapping: None, count: 1 },
                "seed image: ",
            ),
        ];
        for (seeds, beginning) in bad {
            let message = SeedPlan::new(&seeds, &oblique()).err().unwrap().to_string();
            assert!(message.starts_with(beginning), "{message}");
            assert!(!message.contains('\n'));
        }
    }
}
