use crate::connectomes::{Assignments, Connectomes, RegionConnectome};
use crate::regions::{Assignment, ConnectomeOptions, chosen, search_around};
use crate::sums::SumsMemory;
use arcuate_core::{
    Axis, ConnectivityMatrix, Ends, Error, Labels, Measure, Point, RegionSearch, Result, StreamlineBatch,
    StreamlineSink, Tractogram,
};

/// The connectivity matrix of a parcellation, and the regions that each streamline connects.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LabelConnectome {
    /// A symmetric matrix over the regions. Its measures are the number of streamlines, the sum of their
    /// weights, their mean length in mm, and further measures that were added. If streamlines have no
    /// weights, the sum of weights is equal to the number of streamlines. A streamline with both ends in one
    /// region counts once on the diagonal.
    pub matrix: ConnectivityMatrix,
    /// For each streamline, the two regions that it connects (smaller region number first), or `None` if it
    /// connects no regions.
    pub assignments: Vec<Option<(u32, u32)>>,
}

/// Computes the connectivity matrix of one image of labels: the number of streamlines between two regions,
/// the sum of their weights, and their mean length. The type [`Connectomes`] has more options.
///
/// A streamline connects the regions of its first and last points. A streamline with fewer than two points,
/// or with an end in no region, is unassigned. An unassigned streamline has an entry in
/// [`LabelConnectome::assignments`], but does not count in the matrix.
///
/// The builder needs memory for [the sums of all pairs of regions](Self::memory) and 12 bytes per streamline.
#[derive(Debug)]
pub struct ConnectomeBuilder<'a>(Connectomes<'a>);

impl<'a> ConnectomeBuilder<'a> {
    /// Creates an empty connectome. If `options` lists regions, the matrix has these regions. If not, it has
    /// the regions that occur in `labels`. `weights` has one weight per streamline, in the order of the
    /// streamlines. Returns an error if a weight is not finite, if the search radius is invalid, or if the
    /// listed regions are not ascending or not in `labels`. Also returns an error if there is no memory for
    /// [the sums of all pairs of regions](Self::memory). An error is also returned if `options` selects an
    /// assignment that does not use only the ends of streamlines.
    pub fn new(labels: &'a Labels, weights: Option<&'a [f64]>, options: &ConnectomeOptions) -> Result<Self> {
        if options.assignment == Assignment::AllVoxels {
            return Err(Error::usage(
                "‘assignment’",
                "this assignment finds all regions that a streamline passes, but this connectome uses only \
                 the regions at its two ends",
                "choose an assignment that searches for regions at the ends of streamlines",
            ));
        }
        let all = Connectomes::new(weights, options)?.with_weights()?.with_lengths()?;
        all.with_labels(labels, options).map(Self)
    }

    /// Adds a measure of the matrix: the [mean](Measure::Mean) or [sum](Measure::Sum) of `values` over the
    /// streamlines between two regions. `values` has one value per streamline, in the order of the
    /// streamlines, for example the mean of a map along the streamline. Values of streamlines that connect no
    /// regions are ignored.
    ///
    /// Returns an error if `measure` is not a mean or a sum, if the matrix already has this measure, or if
    /// there is no memory for the sums.
    pub fn with_values(self, measure: Measure, values: &'a [f64]) -> Result<Self> {
        self.0.with_values(measure, values).map(Self)
    }

    /// Returns the host memory of the sums.
    pub fn memory(&self) -> SumsMemory {
        self.0.memory()[0].1
    }

    /// Returns the number of regions with a row.
    pub fn regions(&self) -> usize {
        self.0.memory()[0].0
    }

    /// Returns the connectome of all streamlines.
    ///
    /// # Errors
    /// Returns an error if there are more weights or values than streamlines, or if the end points of all
    /// streamlines are far from the labelled regions.
    pub fn finish(self) -> Result<LabelConnectome> {
        self.0.require_near(|_| "labels".to_owned(), "")?;
        // The list has one connectome, because there is one parcellation. The assignment uses only the ends
        // of streamlines, so that each streamline has two regions or none.
        let only = self.0.finish()?.into_iter().next();
        let Some(RegionConnectome { matrix, assignments: Assignments::Ends(assignments) }) = only else {
            unreachable!("one parcellation and an assignment of ends");
        };
        warn_of_none("", between_and_within(&matrix), assignments.len() as u64);
        Ok(LabelConnectome { matrix, assignments })
    }
}

impl StreamlineSink for ConnectomeBuilder<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        self.0.take(batch)
    }
}

/// Returns two numbers of streamlines: those that connect two different regions, and those with both ends in
/// one region, which connect nothing. Both are 0 if the matrix does not contain numbers of streamlines.
pub fn between_and_within(matrix: &ConnectivityMatrix) -> (u64, u64) {
    let [within, between] = matrix.sums(&Measure::Count).unwrap_or_default();
    (between as u64, within as u64)
}

/// Prints a warning if no streamline connects two different regions. `between` is the number of streamlines
/// that do, `within` the number of streamlines with both ends in one region, and `streamlines` the number of
/// all streamlines. `of` is the beginning of the warning. It names the parcellation if there are several.
pub fn warn_of_none(of: &str, (between, within): (u64, u64), streamlines: u64) {
    if streamlines == 0 || between > 0 {
        return;
    }
    if within == 0 {
        tracing::warn!(
            "{of}no streamline connects two regions; check that the labels are in the space of the \
             streamlines"
        );
    } else {
        tracing::warn!(
            "{of}no streamline connects two regions; {within} of {streamlines} streamlines have both ends \
             in one region; check the parcellation and the lengths of the streamlines"
        );
    }
}

/// Prepares the search for the regions of streamline ends, with the method and distance of `options`. Also
/// returns the regions that have a row in the matrix.
pub(crate) fn prepare<'a>(
    labels: &'a Labels,
    options: &ConnectomeOptions,
) -> Result<(RegionSearch<'a>, Axis)> {
    if !matches!(options.assignment, Assignment::EndVoxel | Assignment::RadialSearch) {
        return Err(Error::usage(
            "‘assignment’",
            "if streamlines are not stored, the regions that they connect can be found only from their end \
             points",
            "choose the assignment by radial search or by end voxels",
        ));
    }
    let radius = options.distance()?;
    let (labels, axis) = chosen(labels, options)?;
    Ok((search_around(labels, radius)?, axis))
}

/// Returns the regions of the two ends of a streamline, smaller region number first. The numbers are equal if
/// both ends are in one region.
pub(crate) fn join(search: &RegionSearch<'_>, streamline: &[Point]) -> Option<(u32, u32)> {
    match search.ends(streamline) {
        Ends::Elsewhere => None,
        Ends::Within(region) => Some((region, region)),
        Ends::Between(a, b) => Some((a, b)),
    }
}

/// Computes the connectivity matrix of a whole tractogram. `weights` has one weight per streamline.
///
/// # Errors
/// Returns an error for the reasons that [`ConnectomeBuilder::new`] states, and if the number of weights
/// differs from the number of streamlines.
pub fn connectome(
    tractogram: &Tractogram,
    labels: &Labels,
    weights: Option<&[f64]>,
    options: &ConnectomeOptions,
) -> Result<LabelConnectome> {
    let mut builder = ConnectomeBuilder::new(labels, weights, options)?;
    builder.take(tractogram.as_batch())?;
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid};
    use std::collections::BTreeMap;

    /// Creates an image of labels: a row of 2 mm voxels along x. Region 7 is at 0 mm, region 3 at 20 mm, and
    /// region 12 at 40 mm.
    fn row() -> Labels {
        let grid = Grid::new([21, 1, 1], Affine::scaling([2.0; 3], [0.0; 3])).unwrap();
        let mut values = vec![0; 21];
        (values[0], values[10], values[20]) = (7, 3, 12);
        Labels::new(grid, values, BTreeMap::from([(7, "left".to_owned())])).unwrap()
    }

    fn whole(connectome: &LabelConnectome, measure: &Measure) -> Vec<Vec<f64>> {
        let matrix = &connectome.matrix;
        let n = matrix.rows().len();
        let row = |row| (0..n).map(|column| matrix.get(measure, row, column).unwrap()).collect();
        (0..n).map(row).collect()
    }

    fn between(ends: &[(f32, f32)]) -> Tractogram {
        let mut t = Tractogram::new();
        for &(from, to) in ends {
            t.push(&[[from, 0.0, 0.0], [f32::midpoint(from, to), 0.0, 0.0], [to, 0.0, 0.0]]);
        }
        t
    }

    #[test]
    fn labels_far_from_all_streamlines_are_an_error() {
        let options = ConnectomeOptions::default();
        let far = between(&[(500.0, 520.0), (510.0, 540.0)]);
        let error = connectome(&far, &row(), None, &options).unwrap_err().to_string();
        assert!(
            error.starts_with("labels: no region is near the ends of the streamlines (the regions may be in"),
            "{error}"
        );
        let near = between(&[(500.0, 520.0), (0.0, 20.0)]);
        assert_eq!(connectome(&near, &row(), None, &options).unwrap().assignments, [None, Some((3, 7))]);
    }

    #[test]
    fn matrix_rows_are_the_requested_regions() {
        let labels = row();
        let options = |regions: &[u32]| ConnectomeOptions {
            regions: Some(regions.to_vec()),
            ..ConnectomeOptions::default()
        };
        let t = between(&[(0.0, 20.0), (0.0, 40.0)]);
        // Region 5 does not occur in the labels. Region 12 is not selected. A streamline that ends in region
        // 12 therefore counts as ending in no region.
        let found = connectome(&t, &labels, None, &options(&[3, 5, 7])).unwrap();
        assert_eq!(found.matrix.rows().numbers(), [3, 5, 7]);
        assert_eq!(found.assignments, [Some((3, 7)), None]);
        assert_eq!(whole(&found, &Measure::Count), [[0.0, 0.0, 1.0], [0.0; 3], [1.0, 0.0, 0.0]]);
        for wrong in [&[][..], &[0, 3], &[7, 3], &[3, 3]] {
            let error = connectome(&t, &labels, None, &options(wrong)).unwrap_err().to_string();
            assert!(error.starts_with("regions of the connectome: "), "{error}");
        }
    }

    #[test]
    fn counts_weights_and_lengths_of_known_connections() {
        let mut t = between(&[(0.0, 20.0), (23.0, 1.0), (0.0, 0.5), (10.0, 20.0), (20.0, 40.0)]);
        t.push(&[]);
        t.push(&[[0.0; 3]]);
        t.push(&[[f32::NAN; 3], [0.0; 3]]);
        let weights = [1.0, 0.25, 5.0, 100.0, 0.0, 100.0, 100.0, 100.0];
        let c = connectome(&t, &row(), Some(&weights), &ConnectomeOptions::default()).unwrap();
        assert_eq!(c.matrix.rows().numbers(), [3, 7, 12]);
        assert_eq!(whole(&c, &Measure::Count), [[0.0, 2.0, 1.0], [2.0, 1.0, 0.0], [1.0, 0.0, 0.0]]);
        assert_eq!(whole(&c, &Measure::Weight), [[0.0, 1.25, 0.0], [1.25, 5.0, 0.0], [0.0; 3]]);
        let lengths = [[0.0, 21.0, 20.0], [21.0, 0.5, 0.0], [20.0, 0.0, 0.0]];
        assert_eq!(whole(&c, &Measure::MeanLength), lengths);
        let expected = [Some((3, 7)), Some((3, 7)), Some((7, 7)), None, Some((3, 12)), None, None, None];
        assert_eq!(c.assignments, expected);
        assert_eq!(between_and_within(&c.matrix), (3, 1));
        assert_eq!([0, 1].map(|row| c.matrix.rows().name(row)), [None, Some("left")]);
        assert!(c.matrix.is_symmetric() && c.matrix.pattern().is_none());
        // Storing sums only for connected pairs gives the same result as storing sums for all pairs.
        let options = ConnectomeOptions { most_dense_bytes: 0, ..ConnectomeOptions::default() };
        let sparse = connectome(&t, &row(), Some(&weights), &options).unwrap();
        assert_eq!(sparse.matrix.pattern().unwrap().columns, [1, 2, 1]);
        for measure in [Measure::Count, Measure::Weight, Measure::MeanLength] {
            assert_eq!(whole(&sparse, &measure), whole(&c, &measure));
        }
        assert_eq!(sparse.assignments, c.assignments);
    }

    #[test]
    fn additional_values_are_averaged_and_summed() {
        let t = between(&[(0.0, 20.0), (23.0, 1.0), (0.0, 0.5), (10.0, 20.0)]);
        let fa = [0.25, 0.5, 1.0, f64::NAN];
        let labels = row();
        let new = || ConnectomeBuilder::new(&labels, None, &ConnectomeOptions::default()).unwrap();
        let (mean, sum) = (|| Measure::Mean("fa".into()), || Measure::Sum("fa".into()));
        let mut builder = new().with_values(mean(), &fa).unwrap().with_values(sum(), &fa).unwrap();
        builder.take(t.as_batch()).unwrap();
        let c = builder.finish().unwrap();
        assert_eq!(whole(&c, &mean()), [[0.0, 0.375, 0.0], [0.375, 1.0, 0.0], [0.0; 3]]);
        assert_eq!(whole(&c, &sum()), [[0.0, 0.75, 0.0], [0.75, 1.0, 0.0], [0.0; 3]]);
        assert_eq!(c.matrix.measures().count(), 5);
        // The cases of the test are: too few values, too many values, NaN, and a measure that the matrix has
        // already.
        let error = |values: &[f64]| {
            let mut builder = new().with_values(mean(), values).unwrap();
            let taken = builder.take(t.as_batch());
            taken.and_then(|()| builder.finish().map(|_| ())).unwrap_err().to_string()
        };
        let advice = "give one value per streamline";
        assert_eq!(
            error(&fa[..3]),
            format!("mean_fa: there are 3 weights, but at least 4 streamlines; {advice}")
        );
        assert_eq!(error(&[0.0; 5]), format!("mean_fa: there are 5 weights, but 4 streamlines; {advice}"));
        let not_finite = "mean_fa: streamline 1 has NaN; give finite numbers";
        assert_eq!(error(&[0.0, f64::NAN, 0.0, 0.0]), not_finite);
        assert!(new().with_values(Measure::Weight, &fa).is_err());
        assert!(new().with_values(mean(), &fa).unwrap().with_values(mean(), &fa).is_err());
    }

    #[test]
    fn the_search_radius_is_exclusive_and_not_used_for_end_voxels() {
        let t = between(&[(4.0, 20.0), (3.99, 20.0), (0.99, 20.5), (1.01, 20.0)]);
        let radial = connectome(&t, &row(), None, &ConnectomeOptions::default()).unwrap();
        // The search does not find a voxel whose centre is at exactly the search radius, as in
        // tck2connectome.
        assert_eq!(radial.assignments, [None, Some((3, 7)), Some((3, 7)), Some((3, 7))]);
        let options = ConnectomeOptions { assignment: Assignment::EndVoxel, ..ConnectomeOptions::default() };
        let voxel = connectome(&t, &row(), None, &options).unwrap();
        assert_eq!(voxel.assignments, [None, None, Some((3, 7)), None]);
        assert_eq!(whole(&voxel, &Measure::Weight), whole(&voxel, &Measure::Count));
    }

    #[test]
    fn results_do_not_depend_on_batches_and_threads() {
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
    fn too_many_regions_for_dense_sums() {
        let grid = Grid::new([200, 100, 1], Affine::identity()).unwrap();
        let map = Labels::new(grid, (0..20_000).collect(), BTreeMap::new()).unwrap();
        let options = ConnectomeOptions { assignment: Assignment::EndVoxel, ..ConnectomeOptions::default() };
        let builder = ConnectomeBuilder::new(&map, None, &options).unwrap();
        assert_eq!(builder.memory(), SumsMemory::Sparse { pairs: 199_990_000, bytes_of_a_pair: 131 });
        assert_eq!(builder.regions(), 19_999);
        let c = connectome(&between(&[(1.0, 20.0), (20.0, 1.0)]), &map, None, &options).unwrap();
        assert_eq!((c.matrix.shape(), between_and_within(&c.matrix)), ([19_999; 2], (2, 0)));
        assert_eq!(c.matrix.get(&Measure::Count, 19, 0), Some(2.0));
        assert_eq!(c.matrix.pattern().unwrap().columns, [19]);
    }

    #[test]
    fn invalid_connectome_requests_are_rejected() {
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
    }
}
