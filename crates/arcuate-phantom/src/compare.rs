use crate::phantom::Phantom;
use arcuate_core::{Ends, Error, Point, RegionSearch, Result, Tractogram, Volume, statistics};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt;

/// Criteria that assign each streamline to a class of the comparison with the ground truth.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonOptions {
    /// Maximum distance in mm between the end of a streamline and the region that it connects (radial search,
    /// as for connectomes).
    pub search_radius_mm: f64,
    /// Maximum distance in mm from the surface of a bundle's tube at which a streamline still follows the
    /// bundle.
    pub tube_margin_mm: f64,
    /// Minimum fraction of a streamline's length that must be in the tube of a bundle. The bundle is the one
    /// that connects the streamline's two regions.
    pub share_inside: f64,
    /// Minimum number of valid streamlines for a bundle to count as found. It is also the minimum number of
    /// streamlines for a false connection to be reported.
    pub minimum_streamlines: usize,
}

impl Default for ComparisonOptions {
    /// Returns the default criteria. Regions are at most 4 mm from the ends of streamlines. At least 80 % of
    /// a streamline's length is at most 2.5 mm outside the tube. A bundle is found with 5 streamlines.
    fn default() -> Self {
        Self { search_radius_mm: 4.0, tube_margin_mm: 2.5, share_inside: 0.8, minimum_streamlines: 5 }
    }
}

/// Comparison of a tractogram of the simulated brain with the ground truth.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Comparison {
    /// Comparison of all streamlines. Each streamline has the weight 1.
    pub before: Score,
    /// Comparison of the streamlines with a positive weight. `None` if no weights were given.
    pub after: Option<Score>,
    /// Median angle in degrees between the given principal directions and the true fibre directions. It is
    /// computed over the voxels that a single bundle fills to at least 80 %. `None` if no directions were
    /// given.
    pub median_angular_error: Option<f64>,
    /// Number of voxels that a single bundle fills to at least 80 %.
    pub single_bundle_voxels: usize,
}

/// Comparison of a set of streamlines with the ground truth. The terms are those of the Tractometer (Côté et
/// al. 2013, doi:10.1016/j.media.2013.03.009). Each streamline is in exactly one of five classes.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Score {
    /// Number of streamlines that were compared.
    pub streamlines: usize,
    /// Number of valid connections. A valid connection is a streamline that connects the two regions of a
    /// bundle and follows the bundle's tube.
    pub valid: usize,
    /// Number of wrong-path connections (a term of later Tractometer editions). A wrong-path connection is a
    /// streamline that connects the two regions of a bundle, but does not follow the bundle's tube.
    pub off_course: usize,
    /// Number of invalid connections. An invalid connection is a streamline between two regions that no
    /// bundle connects.
    pub invalid: usize,
    /// Number of streamlines whose two ends are in the same region, so that they connect nothing.
    pub within_region: usize,
    /// Number of streamlines that have an end in no region, so that they connect nothing.
    pub unconnected: usize,
    /// Total weight of the valid connections divided by the total weight of all streamlines. If there are no
    /// weights, each streamline has the weight 1.
    pub valid_share: f64,
    /// The result for each bundle, in the order of [`Phantom::bundles`].
    pub bundles: Vec<BundleScore>,
    /// The pairs of regions that have enough invalid connections to be reported. The pair with the most
    /// connections is first.
    pub false_connections: Vec<FalseConnection>,
}

/// The result for one bundle.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct BundleScore {
    /// The name of the bundle.
    pub name: String,
    /// Number of valid connections of the bundle.
    pub streamlines: usize,
    /// True if the bundle has at least the minimum number of valid connections.
    pub found: bool,
    /// Fraction of the bundle's volume that is in voxels with valid connections of this bundle, from 0 to 1.
    pub overlap: f64,
    /// Number of white matter voxels that contain valid connections of the bundle but no part of the bundle.
    /// It is divided by the number of voxels that contain a part of the bundle.
    pub overreach: f64,
}

/// Two regions that streamlines connect, although no bundle connects them.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct FalseConnection {
    /// The numbers of the two regions, smaller number first.
    pub regions: (u32, u32),
    /// The names of the two regions.
    pub names: (String, String),
    /// Number of streamlines between the two regions.
    pub streamlines: usize,
}

impl Score {
    /// Returns the number of bundles that were found.
    pub fn bundles_found(&self) -> usize {
        self.bundles.iter().filter(|bundle| bundle.found).count()
    }

    /// Returns the mean overlap over all bundles, including bundles that were not found.
    pub fn mean_overlap(&self) -> f64 {
        self.bundles.iter().map(|bundle| bundle.overlap).sum::<f64>() / self.bundles.len().max(1) as f64
    }

    /// Returns the mean overreach over all bundles, including bundles that were not found.
    pub fn mean_overreach(&self) -> f64 {
        self.bundles.iter().map(|bundle| bundle.overreach).sum::<f64>() / self.bundles.len().max(1) as f64
    }
}

/// The class of a streamline.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Class {
    /// A valid connection of the bundle with this index in [`Phantom::bundles`].
    Valid(usize),
    OffCourse,
    Invalid(u32, u32),
    WithinRegion,
    Unconnected,
}

/// Compares a tractogram that was computed from the data of the simulated brain with the ground truth.
///
/// `weights` has one weight per streamline. The streamlines with a positive weight are also compared
/// separately. `principal_directions` is an image with three channels (a vector in scanner axes) on the grid
/// of the simulated data. The vectors may have any length. A zero vector means that the voxel has no
/// direction. Returns an error if the number of weights is not the number of streamlines, or if a weight is
/// not finite. Also returns an error if the directions have another grid, or if an option is out of range.
pub fn compare_with_truth(
    truth: &Phantom,
    tractogram: &Tractogram,
    weights: Option<&[f64]>,
    principal_directions: Option<&Volume<f32>>,
    options: &ComparisonOptions,
) -> Result<Comparison> {
    check(truth, tractogram, weights, principal_directions, options)?;
    let classes = classify(truth, tractogram, options)?;
    let everyone: Vec<usize> = (0..tractogram.len()).collect();
    let before = score(truth, tractogram, &classes, &everyone, None, options);
    let after = weights.map(|weights| {
        let kept: Vec<usize> = everyone.iter().copied().filter(|&n| weights[n] > 0.0).collect();
        score(truth, tractogram, &classes, &kept, Some(weights), options)
    });
    let (median_angular_error, single_bundle_voxels) = angular_error(truth, principal_directions);
    Ok(Comparison { before, after, median_angular_error, single_bundle_voxels })
}

fn check(
    truth: &Phantom,
    tractogram: &Tractogram,
    weights: Option<&[f64]>,
    principal_directions: Option<&Volume<f32>>,
    options: &ComparisonOptions,
) -> Result<()> {
    if !(0.0..=1.0).contains(&options.share_inside) {
        let problem = format!("{} is not a fraction", options.share_inside);
        return Err(Error::usage("share inside the tube", problem, "give from 0 to 1"));
    }
    if !(options.tube_margin_mm.is_finite() && options.tube_margin_mm >= 0.0) {
        let problem = format!("the distance {} mm is not possible", options.tube_margin_mm);
        return Err(Error::usage("tube margin", problem, "give 0 or more millimetres"));
    }
    if let Some(weights) = weights {
        if weights.len() != tractogram.len() {
            let problem =
                format!("there are {} weights, but {} streamlines", weights.len(), tractogram.len());
            return Err(Error::invalid("streamline weights", problem, "give one weight per streamline"));
        }
        if let Some(row) = weights.iter().position(|weight| !weight.is_finite()) {
            let problem = format!("the weight of streamline {row} (counted from 0) is {}", weights[row]);
            return Err(Error::invalid("streamline weights", problem, "give finite numbers"));
        }
    }
    if let Some(directions) = principal_directions {
        truth.labels.grid().require_match(directions.grid(), "principal directions", "the phantom")?;
        if directions.channels() != 3 {
            let problem = format!("they have {} channels", directions.channels());
            return Err(Error::invalid("principal directions", problem, "give x, y and z"));
        }
    }
    Ok(())
}

fn classify(truth: &Phantom, tractogram: &Tractogram, options: &ComparisonOptions) -> Result<Vec<Class>> {
    let search = RegionSearch::new(&truth.labels, options.search_radius_mm)?;
    let bundle_of: BTreeMap<(u32, u32), usize> = truth
        .bundles
        .iter()
        .enumerate()
        .map(|(n, bundle)| {
            ((bundle.regions.0.min(bundle.regions.1), bundle.regions.0.max(bundle.regions.1)), n)
        })
        .collect();
    let class = |streamline: &[Point]| {
        let (a, b) = match search.ends(streamline) {
            Ends::Between(a, b) => (a, b),
            Ends::Within(_) => return Class::WithinRegion,
            Ends::Elsewhere => return Class::Unconnected,
        };
        match bundle_of.get(&(a, b)) {
            None => Class::Invalid(a, b),
            Some(&n) => {
                let inside = share_inside(truth, n, streamline, options.tube_margin_mm);
                if inside >= options.share_inside { Class::Valid(n) } else { Class::OffCourse }
            }
        }
    };
    Ok((0..tractogram.len())
        .into_par_iter()
        .with_min_len(16)
        .map(|n| class(tractogram.streamline(n)))
        .collect())
}

/// Returns the fraction of a streamline's length that is in the tube of a bundle.
fn share_inside(truth: &Phantom, bundle: usize, streamline: &[Point], margin: f64) -> f64 {
    /// A streamline is divided into pieces of at most this length in mm. A piece is in the tube if its centre
    /// is in the tube.
    const PIECE: f64 = 1.0;
    let (mut inside, mut total) = (0.0, 0.0);
    for pair in streamline.windows(2) {
        let (from, to) = (pair[0].map(f64::from), pair[1].map(f64::from));
        let length = (0..3).map(|n| (to[n] - from[n]).powi(2)).sum::<f64>().sqrt();
        // Both ends of the streamline are in regions. A valid streamline is therefore not longer than the
        // size of the head allows. The upper limit is needed for damaged files with distant points.
        let pieces = (length / PIECE).ceil().clamp(1.0, 1000.0) as usize;
        for piece in 0..pieces {
            let t = (piece as f64 + 0.5) / pieces as f64;
            let middle = std::array::from_fn(|n| from[n] + t * (to[n] - from[n]));
            total += length / pieces as f64;
            if truth.bundles[bundle].contains(middle, margin) {
                inside += length / pieces as f64;
            }
        }
    }
    if total > 0.0 { inside / total } else { 0.0 }
}

fn score(
    truth: &Phantom,
    tractogram: &Tractogram,
    classes: &[Class],
    members: &[usize],
    weights: Option<&[f64]>,
    options: &ComparisonOptions,
) -> Score {
    let weight = |n: usize| weights.map_or(1.0, |weights| weights[n]);
    let (mut valid, mut off_course, mut invalid, mut within_region, mut unconnected) = (0, 0, 0, 0, 0);
    let (mut valid_weight, mut total_weight) = (0.0, 0.0);
    let mut of_bundle: Vec<Vec<usize>> = vec![Vec::new(); truth.bundles.len()];
    let mut joined: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for &n in members {
        total_weight += weight(n);
        match classes[n] {
            Class::Valid(bundle) => {
                valid += 1;
                valid_weight += weight(n);
                of_bundle[bundle].push(n);
            }
            Class::OffCourse => off_course += 1,
            Class::Invalid(a, b) => {
                invalid += 1;
                *joined.entry((a, b)).or_default() += 1;
            }
            Class::WithinRegion => within_region += 1,
            Class::Unconnected => unconnected += 1,
        }
    }
    let name = |region: u32| truth.labels.names().get(&region).cloned().unwrap_or_default();
    let mut false_connections: Vec<FalseConnection> = joined
        .into_iter()
        .filter(|&(_, streamlines)| streamlines >= options.minimum_streamlines.max(1))
        .map(|((a, b), streamlines)| FalseConnection {
            regions: (a, b),
            names: (name(a), name(b)),
            streamlines,
        })
        .collect();
    // The sort is stable. Pairs of regions with equal numbers of streamlines therefore keep their order.
    false_connections.sort_by_key(|connection| std::cmp::Reverse(connection.streamlines));
    let bundles = of_bundle
        .par_iter()
        .enumerate()
        .map(|(bundle, streamlines)| bundle_score(truth, tractogram, bundle, streamlines, options))
        .collect();
    Score {
        streamlines: members.len(),
        valid,
        off_course,
        invalid,
        within_region,
        unconnected,
        valid_share: if total_weight > 0.0 { valid_weight / total_weight } else { 0.0 },
        bundles,
        false_connections,
    }
}

fn bundle_score(
    truth: &Phantom,
    tractogram: &Tractogram,
    bundle: usize,
    streamlines: &[usize],
    options: &ComparisonOptions,
) -> BundleScore {
    let grid = truth.labels.grid();
    let mut passed = vec![false; grid.len()];
    let mut voxels = Vec::new();
    for &n in streamlines {
        grid.voxels_along(tractogram.streamline(n), &mut voxels);
        for &voxel in &voxels {
            passed[voxel] = true;
        }
    }
    let (mut volume, mut covered, mut holding, mut beyond) = (0.0, 0.0, 0usize, 0usize);
    for (voxel, &passed) in passed.iter().enumerate() {
        let fraction = f64::from(truth.bundle_fractions.voxel(voxel)[bundle]);
        if fraction > 0.0 {
            holding += 1;
            volume += fraction;
            covered += if passed { fraction } else { 0.0 };
        } else if passed && truth.white_matter.contains(voxel) {
            beyond += 1;
        }
    }
    BundleScore {
        name: truth.bundles[bundle].name.clone(),
        streamlines: streamlines.len(),
        found: streamlines.len() >= options.minimum_streamlines.max(1),
        // If the image covers only a part of the head, some bundles may be outside the image.
        overlap: if volume > 0.0 { covered / volume } else { 0.0 },
        overreach: if holding > 0 { beyond as f64 / holding as f64 } else { 0.0 },
    }
}

/// Returns the median angle in degrees between `directions` and the true fibre directions, over the voxels
/// that a single bundle fills. Also returns the number of these voxels.
fn angular_error(truth: &Phantom, directions: Option<&Volume<f32>>) -> (Option<f64>, usize) {
    /// Minimum fraction of a voxel that a bundle must occupy, so that it counts as filling the voxel.
    const FILLED: f32 = 0.8;
    let single: Vec<usize> = (0..truth.labels.grid().len())
        .filter(|&voxel| truth.bundle_fractions.voxel(voxel).iter().any(|&fraction| fraction >= FILLED))
        .collect();
    let Some(directions) = directions else { return (None, single.len()) };
    let mut angles: Vec<f64> = single
        .iter()
        .map(|&voxel| {
            let (a, b) = (directions.voxel(voxel), &truth.peaks.voxel(voxel)[..3]);
            let dot = |a: &[f32], b: &[f32]| (0..3).map(|n| f64::from(a[n]) * f64::from(b[n])).sum::<f64>();
            let cross: [f64; 3] = std::array::from_fn(|n| {
                let (i, j) = ((n + 1) % 3, (n + 2) % 3);
                f64::from(a[i]) * f64::from(b[j]) - f64::from(a[j]) * f64::from(b[i])
            });
            let sine = cross.iter().map(|c| c * c).sum::<f64>().sqrt();
            let angle = sine.atan2(dot(a, b).abs()).to_degrees();
            // A voxel without a direction counts with the largest possible error, 90°.
            if dot(a, a) > 0.0 && angle.is_finite() { angle } else { 90.0 }
        })
        .collect();
    (statistics::median(&mut angles), single.len())
}

impl fmt::Display for Comparison {
    /// Writes the comparison as a table for a terminal, without a newline at the end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        type Row = (&'static str, fn(&Score) -> String);
        fn share(part: usize, score: &Score) -> String {
            format!("{part} ({:.1} %)", 100.0 * part as f64 / score.streamlines.max(1) as f64)
        }
        let rows: [Row; 11] = [
            ("streamlines", |s| s.streamlines.to_string()),
            ("bundles found", |s| format!("{} of {}", s.bundles_found(), s.bundles.len())),
            ("valid connections", |s| share(s.valid, s)),
            ("off course", |s| share(s.off_course, s)),
            ("invalid connections", |s| share(s.invalid, s)),
            ("within one region", |s| share(s.within_region, s)),
            ("an end in no region", |s| share(s.unconnected, s)),
            ("valid share of weight", |s| format!("{:.1} %", 100.0 * s.valid_share)),
            ("false region pairs", |s| s.false_connections.len().to_string()),
            ("mean overlap", |s| format!("{:.1} %", 100.0 * s.mean_overlap())),
            ("mean overreach", |s| format!("{:.1} %", 100.0 * s.mean_overreach())),
        ];
        write!(f, "{:<22}{:>18}", "compared with truth", "all streamlines")?;
        if self.after.is_some() {
            write!(f, "{:>18}", "weight above 0")?;
        }
        for (title, value) in rows {
            write!(f, "\n{title:<22}")?;
            for score in std::iter::once(&self.before).chain(&self.after) {
                write!(f, "{:>18}", value(score))?;
            }
        }
        if let Some(angle) = self.median_angular_error {
            write!(
                f,
                "\n{:<22}{:>18}  in {} voxels of one bundle",
                "median angular error",
                format!("{angle:.2}°"),
                self.single_bundle_voxels
            )?;
        }
        Ok(())
    }
}
