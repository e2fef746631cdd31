use crate::weights::{check_all_used, check_enough, check_weights};
use arcuate_core::{
    Connectome, Ends, Error, Labels, Point, RegionSearch, Result, StreamlineBatch, StreamlineSink,
    Tractogram, length,
};
use rayon::prelude::*;
use std::borrow::Cow;

/// How the end of a streamline finds its region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Assignment {
    /// The region of the voxel that contains the end point (`tck2connectome -assignment_end_voxels`).
    EndVoxel,
    /// The region of the labelled voxel whose centre is nearest to the end point, nearer than
    /// [`search_radius_mm`](ConnectomeOptions::search_radius_mm) (`tck2connectome -assignment_radial_search`).
    #[default]
    RadialSearch,
}

/// How a connectome is made.
#[derive(Debug, Clone, PartialEq)]
pub struct ConnectomeOptions {
    /// How the end of a streamline finds its region.
    pub assignment: Assignment,
    /// How far from an end point the radial search looks, in mm.
    pub search_radius_mm: f64,
    /// The regions that the matrices have rows for, ascending, without 0: those of a list of names, say, so that matrices
    /// of several brains fit together. Nothing: those that occur. Ends in other regions are in none.
    pub regions: Option<Vec<u32>>,
}

impl Default for ConnectomeOptions {
    /// Radial search up to 4 mm, as MRtrix's `tck2connectome`.
    fn default() -> Self {
        Self { assignment: Assignment::RadialSearch, search_radius_mm: 4.0, regions: None }
    }
}

/// Collects the connections that streamlines make between the regions of a parcellation.
///
/// A streamline joins the regions of its first and its last point. One with an end in no region, or with fewer than
/// two points, stays unassigned: it keeps its place in [`Connectome::assignments`] and counts nowhere.
#[derive(Debug)]
pub struct ConnectomeBuilder<'a> {
    search: RegionSearch<'a>,
    weights: Option<&'a [f64]>,
    /// Matrices so far, with sums of lengths where the mean will be.
    sums: Connectome,
}

impl<'a> ConnectomeBuilder<'a> {
    /// Most regions that a connectome may have: its three matrices then take 6 GiB. More comes of an image that is
    /// no parcellation.
    pub const MOST_REGIONS: usize = 16_384;

    /// An empty connectome over the regions of the options, or those that occur in `labels`. `weights` holds one weight
    /// per streamline, in the order in which they will come. Fails on weights that are not finite, on an impossible
    /// radius, on regions that do not ascend, and where there are none or more than
    /// [`MOST_REGIONS`](Self::MOST_REGIONS).
    pub fn new(labels: &'a Labels, weights: Option<&'a [f64]>, options: &ConnectomeOptions) -> Result<Self> {
        check_weights(weights.unwrap_or_default())?;
        let (search, sums) = prepare(labels, options)?;
        Ok(Self { search, weights, sums })
    }

    /// The connectome of all streamlines that came. Fails where there are weights for more.
    pub fn finish(self) -> Result<Connectome> {
        let Self { sums: mut connectome, weights, .. } = self;
        check_all_used(weights, connectome.assignments.len())?;
        for (mean, &count) in connectome.mean_lengths.iter_mut().zip(&connectome.counts) {
            if count > 0.0 {
                *mean /= count;
            }
        }
        warn_of_none(&connectome, connectome.assignments.len() as u64);
        Ok(connectome)
    }
}

/// Says where none of so many streamlines joins two regions.
pub(crate) fn warn_of_none(connectome: &Connectome, streamlines: u64) {
    if streamlines == 0 || connectome.between_regions() > 0 {
        return;
    }
    match connectome.within_regions() {
        0 => {
            tracing::warn!(
                "no streamline joins two regions: are the labels in the space of the streamlines?"
            );
        }
        within => tracing::warn!(
            "no streamline joins two regions; {within} of {streamlines} have both ends in one: is that the parcellation, \
             and are they long enough?"
        ),
    }
}

/// A search for regions as options say, and a connectome over these without a streamline.
pub(crate) fn prepare<'a>(
    labels: &'a Labels,
    options: &ConnectomeOptions,
) -> Result<(RegionSearch<'a>, Connectome)> {
    let radius = match options.assignment {
        Assignment::EndVoxel => 0.0,
        Assignment::RadialSearch if options.search_radius_mm > 0.0 => options.search_radius_mm,
        Assignment::RadialSearch => {
            return Err(Error::usage(
                "‘search_radius_mm’",
                format!("{} mm is no distance to search in", options.search_radius_mm),
                "give more than 0 mm, or look only at the voxels of the end points",
            ));
        }
    };
    let occurring = labels.regions();
    if occurring.is_empty() {
        return Err(Error::invalid("labels", "no voxel has a region", "give an image of region numbers"));
    }
    let regions = options.regions.clone().unwrap_or_else(|| occurring.clone());
    let ascend = regions.first().is_none_or(|&first| first > 0) && regions.is_sorted_by(|a, b| a < b);
    if regions.is_empty() || !ascend {
        let problem = "they are no list of ascending numbers above 0";
        return Err(Error::invalid("regions of the connectome", problem, "give each region once"));
    }
    let is_row = |region: &u32| regions.binary_search(region).is_ok();
    let labels = if occurring.iter().all(is_row) {
        Cow::Borrowed(labels)
    } else {
        Cow::Owned(labels.clone().restricted_to(&regions))
    };
    let n = regions.len();
    if n > ConnectomeBuilder::MOST_REGIONS {
        return Err(Error::invalid(
            "labels",
            format!("{n} different values are too many for regions"),
            "give a parcellation, not a map",
        ));
    }
    let empty = Connectome {
        names: labels.names().clone(),
        regions,
        counts: vec![0.0; n * n],
        weights: vec![0.0; n * n],
        mean_lengths: vec![0.0; n * n],
        assignments: Vec::new(),
    };
    let search = RegionSearch::new(labels, radius)?;
    Ok((search, empty))
}

/// The regions that the two ends of a streamline lie in, smaller number first; twice the same of one within a region.
pub(crate) fn join(search: &RegionSearch<'_>, streamline: &[Point]) -> Option<(u32, u32)> {
    match search.ends(streamline) {
        Ends::Elsewhere => None,
        Ends::Within(region) => Some((region, region)),
        Ends::Between(a, b) => Some((a, b)),
    }
}

impl StreamlineSink for ConnectomeBuilder<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        check_enough(self.weights, self.sums.assignments.len() + batch.len())?;
        let found: Vec<Option<((u32, u32), f64)>> = (0..batch.len())
            .into_par_iter()
            .with_min_len(64)
            .map(|n| {
                let streamline = batch.streamline(n);
                join(&self.search, streamline).map(|pair| (pair, length(streamline)))
            })
            .collect();
        // One after the other: the sums then do not depend on how the threads shared the work.
        let n = self.sums.regions.len();
        for streamline in found {
            if let Some(((a, b), length)) = streamline {
                let row = |region| self.sums.regions.binary_search(&region);
                if let (Ok(a), Ok(b)) = (row(a), row(b)) {
                    let weight = self.weights.map_or(1.0, |weights| weights[self.sums.assignments.len()]);
                    let both = [a * n + b, b * n + a];
                    // A connection within one region has one place, on the diagonal.
                    for &entry in &both[..if a == b { 1 } else { 2 }] {
                        self.sums.counts[entry] += 1.0;
                        self.sums.weights[entry] += weight;
                        self.sums.mean_lengths[entry] += length;
                    }
                }
            }
            self.sums.assignments.push(streamline.map(|(pair, _)| pair));
        }
        Ok(())
    }
}

/// The connectome of a whole tractogram. `weights` holds one weight per streamline.
///
/// Fails as [`ConnectomeBuilder::new`] does, and on a number of weights that is not the number of streamlines.
pub fn connectome(
    tractogram: &Tractogram,
    labels: &Labels,
    weights: Option<&[f64]>,
    options: &ConnectomeOptions,
) -> Result<Connectome> {
    let mut builder = ConnectomeBuilder::new(labels, weights, options)?;
    builder.take(tractogram.as_batch())?;
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid};
    use std::collections::BTreeMap;

    /// A row of 2 mm voxels along x: region 7 at 0 mm, region 3 at 20 mm, region 12 at 40 mm.
    fn row() -> Labels {
        let grid = Grid::new([21, 1, 1], Affine::scaling([2.0; 3], [0.0; 3])).unwrap();
        let mut values = vec![0; 21];
        (values[0], values[10], values[20]) = (7, 3, 12);
        Labels::new(grid, values, BTreeMap::from([(7, "left".to_owned())])).unwrap()
    }

    fn between(ends: &[(f32, f32)]) -> Tractogram {
        let mut t = Tractogram::new();
        for &(from, to) in ends {
            t.push(&[[from, 0.0, 0.0], [f32::midpoint(from, to), 0.0, 0.0], [to, 0.0, 0.0]]);
        }
        t
    }

    #[test]
    fn rows_are_those_that_were_asked_for() {
        let labels = row();
        let options = |regions: &[u32]| ConnectomeOptions {
            regions: Some(regions.to_vec()),
            ..ConnectomeOptions::default()
        };
        let t = between(&[(0.0, 20.0), (0.0, 40.0)]);
        // Region 5 does not occur; what ends in region 12 ends in none.
        let found = connectome(&t, &labels, None, &options(&[3, 5, 7])).unwrap();
        assert_eq!(found.regions, [3, 5, 7]);
        assert_eq!(found.assignments, [Some((3, 7)), None]);
        assert_eq!(found.counts, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        for wrong in [&[][..], &[0, 3], &[7, 3], &[3, 3]] {
            let error = connectome(&t, &labels, None, &options(wrong)).unwrap_err().to_string();
            assert!(error.starts_with("regions of the connectome: "), "{error}");
        }
    }

    #[test]
    fn counts_weights_and_lengths_of_made_connections() {
        let mut t = between(&[(0.0, 20.0), (23.0, 1.0), (0.0, 0.5), (10.0, 20.0), (20.0, 40.0)]);
        t.push(&[]);
        t.push(&[[0.0; 3]]);
        t.push(&[[f32::NAN; 3], [0.0; 3]]);
        let weights = [1.0, 0.25, 5.0, 100.0, 0.0, 100.0, 100.0, 100.0];
        let c = connectome(&t, &row(), Some(&weights), &ConnectomeOptions::default()).unwrap();
        assert_eq!(c.regions, [3, 7, 12]);
        assert_eq!(c.counts, [0.0, 2.0, 1.0, 2.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!(c.weights, [0.0, 1.25, 0.0, 1.25, 5.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(c.mean_lengths, [0.0, 21.0, 20.0, 21.0, 0.5, 0.0, 20.0, 0.0, 0.0]);
        let expected = [Some((3, 7)), Some((3, 7)), Some((7, 7)), None, Some((3, 12)), None, None, None];
        assert_eq!(c.assignments, expected);
        assert_eq!((c.between_regions(), c.within_regions()), (3, 1));
        assert_eq!(c.names[&7], "left");
    }

    #[test]
    fn the_radius_is_exclusive_and_end_voxels_need_none() {
        let t = between(&[(4.0, 20.0), (3.99, 20.0), (0.99, 20.5), (1.01, 20.0)]);
        let radial = connectome(&t, &row(), None, &ConnectomeOptions::default()).unwrap();
        // As tck2connectome: a centre at exactly the radius is out of reach.
        assert_eq!(radial.assignments, [None, Some((3, 7)), Some((3, 7)), Some((3, 7))]);
        let options = ConnectomeOptions { assignment: Assignment::EndVoxel, ..ConnectomeOptions::default() };
        let voxel = connectome(&t, &row(), None, &options).unwrap();
        assert_eq!(voxel.assignments, [None, None, Some((3, 7)), None]);
        assert_eq!(voxel.weights, voxel.counts);
    }

    #[test]
    fn batches_and_threads_change_nothing() {
        let ends: Vec<(f32, f32)> =
            (0..3000u16).map(|n| (f32::from(n % 47) * 0.9 - 1.0, f32::from(n % 31) * 1.35)).collect();
        let t = between(&ends);
        let weights: Vec<f64> = (0..3000).map(|n| 1.0 / f64::from(n + 1)).collect();
        let labels = row();
        let options = ConnectomeOptions::default();
        let whole = connectome(&t, &labels, Some(&weights), &options).unwrap();
        let new = || ConnectomeBuilder::new(&labels, Some(&weights), &options).unwrap();
        let (mut batches, mut parts) = (new(), new());
        for (n, chunk) in ends.chunks(7).enumerate() {
            batches.take(between(chunk).as_batch()).unwrap();
            parts.take(t.as_batch().part(7 * n..7 * n + chunk.len())).unwrap();
        }
        assert_eq!(whole, batches.finish().unwrap());
        assert_eq!(whole, parts.finish().unwrap());
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let again = pool.install(|| connectome(&t, &labels, Some(&weights), &options)).unwrap();
            assert_eq!(whole, again);
        }
    }

    #[test]
    fn what_cannot_be_a_connectome_is_refused() {
        let t = between(&[(0.0, 20.0)]);
        let options = ConnectomeOptions::default();
        assert!(connectome(&t, &row(), Some(&[]), &options).is_err());
        assert!(connectome(&t, &row(), Some(&[1.0, 2.0]), &options).is_err());
        assert!(connectome(&t, &row(), Some(&[f64::INFINITY]), &options).is_err());
        for search_radius_mm in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let options = ConnectomeOptions { search_radius_mm, ..options.clone() };
            assert!(connectome(&t, &row(), None, &options).is_err(), "{search_radius_mm}");
        }
        let grid = Grid::new([200, 100, 1], Affine::identity()).unwrap();
        let none = Labels::new(grid, vec![0; 20_000], BTreeMap::new()).unwrap();
        assert!(connectome(&t, &none, None, &options).is_err());
        let map = Labels::new(grid, (0..20_000).collect(), BTreeMap::new()).unwrap();
        let message = connectome(&t, &map, None, &options).unwrap_err().to_string();
        assert_eq!(
            message,
            "labels: 19999 different values are too many for regions; give a parcellation, not a map"
        );
    }
}
