use crate::{Error, Labels, Point, Result};
use arcuate_numbers::vector3::norm;
use std::borrow::Cow;

/// The regions at the two ends of a streamline. Only [`Between`](Self::Between) is a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// At least one end is in no region, or the streamline does not have two ends.
    Elsewhere,
    /// Both ends of the streamline are in this region.
    Within(u32),
    /// The two ends are in two different regions. The smaller region number is first.
    Between(u32, u32),
}

/// Finds the region of a parcellation to which an end point of a streamline belongs.
///
/// Streamlines often stop before they reach grey matter. The radial search therefore takes the voxel with a
/// region (label other than 0) whose *centre* is nearest to the end point. The centre must be within the
/// radius. The source is Smith, Tournier, Calamante and Connelly 2015, doi:10.1016/j.neuroimage.2014.10.004.
/// If several voxels are at the same distance, the search takes the first one in the order of the image. A
/// radius of 0 considers only the voxel that contains the point.
#[derive(Debug, Clone)]
pub struct RegionSearch<'a> {
    labels: Cow<'a, Labels>,
    radius: f64,
    /// Offsets from the voxel that contains a point to all voxels whose centre may be within the radius. The
    /// offsets are sorted by distance, the nearest voxel first. Each offset has the distance between the
    /// centres of both voxels, in mm.
    steps: Vec<([i64; 3], f64)>,
    /// Maximum distance of a point from the centre of the voxel that contains it, in mm.
    reach: f64,
}

impl<'a> RegionSearch<'a> {
    /// Maximum number of voxels that a search examines, so that a search with a radius in a wrong unit does
    /// not run forever.
    const MAX_STEPS: f64 = 5e6;

    /// Prepares a search within `radius_mm` of a point. Returns an error if the radius is negative, is not
    /// finite, or covers millions of voxels.
    pub fn new(labels: impl Into<Cow<'a, Labels>>, radius_mm: f64) -> Result<Self> {
        let labels = labels.into();
        if !(radius_mm.is_finite() && radius_mm >= 0.0) {
            return Err(Error::usage(
                "search radius",
                format!("the search radius {radius_mm} mm is not a distance"),
                "give 0 or more millimetres",
            ));
        }
        let affine = labels.grid().affine();
        let distance = |step: [f64; 3]| affine.apply_vector(step).iter().map(|c| c * c).sum::<f64>().sqrt();
        let corners = (0..8).map(|corner| [1, 2, 4].map(|bit| if corner & bit == 0 { -0.5 } else { 0.5 }));
        let reach = corners.map(distance).fold(0.0, f64::max);

        let mut steps = Vec::new();
        if radius_mm > 0.0 {
            // A displacement of r mm changes the voxel coordinate n by at most r times the norm of row n of
            // the inverse affine.
            let rows = labels.grid().inverse().rows();
            let extent: [f64; 3] = std::array::from_fn(|axis| {
                let row = rows[axis];
                let norm = norm([row[0], row[1], row[2]]);
                ((radius_mm + reach) * norm).floor()
            });
            if extent.iter().map(|n| 2.0 * n + 1.0).product::<f64>() > Self::MAX_STEPS {
                return Err(Error::usage(
                    "search radius",
                    format!("a radius of {radius_mm} mm covers millions of voxels"),
                    "give a search radius of a few millimetres, such as 4",
                ));
            }
            let [nx, ny, nz] = extent.map(|n| n as i64);
            for k in -nz..=nz {
                for j in -ny..=ny {
                    for i in -nx..=nx {
                        let far = distance([i as f64, j as f64, k as f64]);
                        if far <= radius_mm + reach {
                            steps.push(([i, j, k], far));
                        }
                    }
                }
            }
            // A stable sort, so that voxels at equal distance keep the order of the image.
            steps.sort_by(|a, b| a.1.total_cmp(&b.1));
        }
        Ok(Self { labels, radius: radius_mm, steps, reach })
    }

    /// The parcellation in which regions are searched.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The search radius in mm.
    pub fn radius_mm(&self) -> f64 {
        self.radius
    }

    /// Maximum distance of a point from the centre of the voxel that contains it, in mm.
    pub fn reach_mm(&self) -> f64 {
        self.reach
    }

    /// Offsets from the voxel that contains a point to all voxels whose centre may be within the radius. The
    /// offsets are sorted by distance, the nearest voxel first. Each offset has the distance between the
    /// centres of both voxels, in mm. The list is empty if the radius is 0.
    pub fn steps(&self) -> &[([i64; 3], f64)] {
        &self.steps
    }

    /// The regions at the two ends of a streamline.
    pub fn ends(&self, streamline: &[Point]) -> Ends {
        let [first, .., last] = streamline else { return Ends::Elsewhere };
        match (self.region_at(*first), self.region_at(*last)) {
            (Some(a), Some(b)) if a == b => Ends::Within(a),
            (Some(a), Some(b)) => Ends::Between(a.min(b), a.max(b)),
            _ => Ends::Elsewhere,
        }
    }

    /// The region at a point (RAS mm); `None` if no region is within the radius.
    pub fn region_at(&self, point: Point) -> Option<u32> {
        if self.radius == 0.0 {
            let place = self.labels.grid().inverse().apply(point.map(f64::from));
            return self.region_of(self.labels.grid().voxel_containing(place)?);
        }
        self.nearest(point).map(|(_, region)| region)
    }

    fn region_of(&self, voxel: usize) -> Option<u32> {
        Some(self.labels.values()[voxel]).filter(|&region| region != 0)
    }

    /// Finds the region with the voxel centre that is closest to a point (RAS mm). Returns the squared
    /// distance in mm² and the region, or `None` if no region is within the radius.
    pub fn nearest(&self, point: Point) -> Option<(f64, u32)> {
        let grid = self.labels.grid();
        let place = grid.inverse().apply(point.map(f64::from));
        let middle = place.map(|c| (c + 0.5).floor());
        // For points outside this range of voxel coordinates, there is no region within the radius. The test
        // also excludes infinities and NaN.
        if !middle.iter().all(|c| c.abs() < 1e9) {
            return None;
        }
        let offset: [f64; 3] = std::array::from_fn(|axis| place[axis] - middle[axis]);
        let middle = middle.map(|c| c as i64);
        let shape = grid.shape();
        let mut best: Option<(f64, usize, u32)> = None;
        for &(step, far) in &self.steps {
            let nearest = best.map_or(self.radius * self.radius, |(square, ..)| square);
            if far > self.reach && (far - self.reach).powi(2) > nearest {
                break;
            }
            let voxel: [i64; 3] = std::array::from_fn(|axis| middle[axis] + step[axis]);
            if (0..3).any(|axis| voxel[axis] < 0 || voxel[axis] >= shape[axis] as i64) {
                continue;
            }
            let index = grid.index(voxel.map(|c| c as usize));
            let region = self.labels.values()[index];
            if region == 0 {
                continue;
            }
            let away: [f64; 3] = std::array::from_fn(|axis| step[axis] as f64 - offset[axis]);
            let square: f64 = grid.affine().apply_vector(away).iter().map(|c| c * c).sum();
            let better = match best {
                Some((minimum, first, _)) => square < minimum || (square == minimum && index < first),
                None => square < nearest,
            };
            if better {
                best = Some((square, index, region));
            }
        }
        best.map(|(square, _, region)| (square, region))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Affine, Grid};
    use std::collections::BTreeMap;

    fn scattered(affine: Affine) -> Labels {
        let grid = Grid::new([9, 8, 7], affine).unwrap();
        // In this test image, about one voxel in eight has a region.
        let values = (0..grid.len() as u32).map(|n| {
            let hash = n.wrapping_mul(2654435761) >> 16;
            if hash % 8 == 0 { 1 + hash % 5 } else { 0 }
        });
        Labels::new(grid, values.collect(), BTreeMap::new()).unwrap()
    }

    #[test]
    fn the_search_agrees_with_an_exhaustive_search() {
        let oblique =
            Affine::from_rows([[-1.9, 0.3, 0.2, 9.0], [0.25, 1.8, -0.5, -6.0], [0.15, 0.45, 2.4, -8.0]]);
        for affine in [oblique.unwrap(), Affine::scaling([2.0, 2.5, 3.0], [-9.0, -8.0, -9.0])] {
            let labels = scattered(affine);
            let grid = labels.grid();
            for radius in [0.7, 2.0, 4.0, 11.0] {
                let search = RegionSearch::new(&labels, radius).unwrap();
                for n in 0..1500 {
                    let fraction = |prime: f64| (f64::from(n) * prime).fract();
                    let voxel = [
                        fraction(0.754877666) * 13.0 - 2.5,
                        fraction(0.569840296) * 12.0 - 2.5,
                        fraction(0.379128937) * 11.0 - 2.5,
                    ];
                    let point = grid.affine().apply(voxel).map(|c| c as f32);
                    let distance = |index: usize| -> f64 {
                        let centre = grid.centre(index);
                        (0..3).map(|a| (centre[a] - f64::from(point[a])).powi(2)).sum::<f64>().sqrt()
                    };
                    let expected = (0..grid.len())
                        .filter(|&index| labels.values()[index] != 0 && distance(index) < radius)
                        .min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
                        .map(|index| labels.values()[index]);
                    assert_eq!(search.region_at(point), expected, "{radius} {point:?}");
                }
            }
        }
    }

    #[test]
    fn radius_zero_finds_only_the_containing_voxel() {
        let labels = scattered(Affine::scaling([2.0; 3], [0.0; 3]));
        let search = RegionSearch::new(&labels, 0.0).unwrap();
        for index in 0..labels.grid().len() {
            let near = labels.grid().centre(index).map(|c| c as f32 + 0.9);
            assert_eq!(search.region_at(near).unwrap_or(0), labels.values()[index]);
        }
        assert_eq!(search.region_at([-1.1, 0.0, 0.0]), None);
    }

    #[test]
    fn invalid_points_and_radii_are_handled() {
        let labels = scattered(Affine::identity());
        let search = RegionSearch::new(&labels, 4.0).unwrap();
        for point in [[f32::NAN, 0.0, 0.0], [f32::INFINITY, 0.0, 0.0], [3e38, -3e38, 0.0]] {
            assert_eq!(search.region_at(point), None);
        }
        for radius in [-1.0, f64::NAN, f64::INFINITY, 1e6] {
            assert!(RegionSearch::new(&labels, radius).is_err());
        }
    }
}
