use crate::regions::{Bounds, ConnectomeOptions, Found, Parcellation, RegionFinder};
use crate::sample::{Interpolation, Sampler, Statistic};
use crate::sums::{MatrixSums, SumsMemory};
use crate::weights::{check_all_used, check_enough, check_weights};
use arcuate_core::{
    Axis, ConnectivityMatrix, Error, Labels, Measure, Result, StreamlineBatch, StreamlineSink, Volume, length,
};
use rayon::prelude::*;

/// The regions that each streamline connects.
#[derive(Debug, Clone, PartialEq)]
pub enum Assignments {
    /// The regions of the two ends of each streamline (smaller region number first), or `None` if the
    /// streamline connects no regions.
    Ends(Vec<Option<(u32, u32)>>),
    /// The numbers of all regions that each streamline passes, in ascending order. The list of a streamline
    /// is empty or has at least two regions.
    Passed(PassedRegions),
}

/// Lists of regions, one for each streamline.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PassedRegions {
    ends: Vec<usize>,
    regions: Vec<u32>,
}

impl Assignments {
    /// Returns the number of streamlines.
    pub fn len(&self) -> usize {
        match self {
            Self::Ends(ends) => ends.len(),
            Self::Passed(passed) => passed.ends.len(),
        }
    }

    /// Returns whether there are no streamlines.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the regions that a streamline connects. A streamline that connects two regions has two
    /// numbers, which are equal if both ends are in one region. A streamline that passes more regions has
    /// more numbers. If the streamline connects no regions, the list is empty.
    ///
    /// # Panics
    /// Panics if `streamline` is not below the number of streamlines.
    pub fn of(&self, streamline: usize) -> Vec<u32> {
        match self {
            Self::Ends(ends) => ends[streamline].map(|(a, b)| vec![a, b]).unwrap_or_default(),
            Self::Passed(passed) => {
                let first = streamline.checked_sub(1).map_or(0, |before| passed.ends[before]);
                passed.regions[first..passed.ends[streamline]].to_vec()
            }
        }
    }

    /// Returns two numbers of streamlines: those that connect at least two different regions, and those with
    /// both ends in one region.
    pub fn between_and_within(&self) -> (u64, u64) {
        let (mut between, mut within) = (0, 0);
        match self {
            Self::Ends(ends) => {
                for (a, b) in ends.iter().flatten() {
                    *(if a == b { &mut within } else { &mut between }) += 1;
                }
            }
            Self::Passed(passed) => {
                let mut before = 0;
                for &end in &passed.ends {
                    between += u64::from(end > before);
                    before = end;
                }
            }
        }
        (between, within)
    }

    fn push(&mut self, found: Found) {
        match (self, found) {
            (Self::Ends(ends), Found::Two(a, b)) => ends.push(Some((a, b))),
            (Self::Ends(ends), _) => ends.push(None),
            (Self::Passed(passed), found) => {
                if let Found::Many(regions) = found {
                    passed.regions.extend(regions);
                }
                passed.ends.push(passed.regions.len());
            }
        }
    }
}

/// The connectivity matrix of one parcellation, and the regions that each streamline connects.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionConnectome {
    /// A symmetric matrix over the regions, with the number of streamlines and other measures. A streamline
    /// with both ends in one region counts once on the diagonal. If the assignment connects all regions that
    /// a streamline passes, the streamline counts for each pair of passed regions, and on the diagonal for
    /// each passed region.
    pub matrix: ConnectivityMatrix,
    /// The regions that each streamline connects.
    pub assignments: Assignments,
}

/// Origin of the values that a measure of the matrix averages or adds up, with one value per streamline.
#[derive(Debug, Clone, Copy)]
enum Source<'a> {
    /// The value is the weight of the streamline. Without weights, it is 1.
    Weight,
    Length,
    /// The values come from a list with one number per streamline, in the order of the streamlines.
    List(&'a [f64]),
    /// The value is the mean of an image along the streamline.
    Image(Sampler<'a>),
}

/// Computes connectomes for several parcellations in one pass over the tractogram. Each connectome can have
/// any number of measures.
///
/// For each parcellation, the computation needs memory for [the sums of its pairs of regions](Self::memory)
/// and 12 bytes per streamline. If streamlines connect all regions that they pass, the 12 bytes are replaced
/// by 8 bytes per streamline and 4 bytes per passed region.
#[derive(Debug)]
pub struct Connectomes<'a> {
    parts: Vec<Part<'a>>,
    weights: Option<&'a [f64]>,
    measures: Vec<(Measure, Source<'a>)>,
    most_dense_bytes: u64,
    streamlines: usize,
    /// Bounding box of the end points of all streamlines.
    ends: Bounds,
    /// For each measure, the number of streamline points outside the measure's image.
    outside: Vec<u64>,
}

#[derive(Debug)]
struct Part<'a> {
    finder: RegionFinder<'a>,
    sums: MatrixSums<f64>,
    assignments: Assignments,
}

impl<'a> Connectomes<'a> {
    /// Creates a computation without parcellations, to which [`with_parcellation`](Self::with_parcellation)
    /// adds them. The only measure is the number of streamlines. `weights` has one weight for each
    /// streamline, in the order of the streamlines. Returns an error if a weight is not finite.
    pub fn new(weights: Option<&'a [f64]>, options: &ConnectomeOptions) -> Result<Self> {
        check_weights(weights.unwrap_or_default())?;
        let most_dense_bytes = options.most_dense_bytes;
        Ok(Self {
            parts: Vec::new(),
            weights,
            measures: Vec::new(),
            most_dense_bytes,
            streamlines: 0,
            ends: Bounds::default(),
            outside: Vec::new(),
        })
    }

    /// Adds a parcellation, for which a connectome is computed. Returns an error if the search distance is
    /// invalid, or if the requested regions are not ascending or do not exist. Also returns an error if there
    /// is no memory for [the sums of all pairs of regions](Self::memory).
    pub fn with_parcellation(
        self,
        parcellation: &'a Parcellation,
        options: &ConnectomeOptions,
    ) -> Result<Self> {
        let (finder, axis) = RegionFinder::new(parcellation, options)?;
        self.with_finder(finder, axis)
    }

    /// Adds a parcellation that is an image of labels.
    pub(crate) fn with_labels(self, labels: &'a Labels, options: &ConnectomeOptions) -> Result<Self> {
        let (finder, axis) = RegionFinder::of_labels(labels, options)?;
        self.with_finder(finder, axis)
    }

    fn with_finder(mut self, finder: RegionFinder<'a>, axis: Axis) -> Result<Self> {
        let sums = MatrixSums::new(axis, None, self.summed(), self.most_dense_bytes)?;
        let assignments = if finder.finds_all() {
            Assignments::Passed(PassedRegions::default())
        } else {
            Assignments::Ends(Vec::new())
        };
        self.parts.push(Part { finder, sums, assignments });
        Ok(self)
    }

    /// Adds the sum of the streamlines' weights as a measure. Without weights, each streamline has the weight
    /// 1.
    pub fn with_weights(self) -> Result<Self> {
        self.with_measure(Measure::Weight, Source::Weight)
    }

    /// Adds the mean length of streamlines in mm as a measure.
    pub fn with_lengths(self) -> Result<Self> {
        self.with_measure(Measure::MeanLength, Source::Length)
    }

    /// Adds a measure of the matrix: the [mean](Measure::Mean) or [sum](Measure::Sum) of `values` over the
    /// streamlines between two regions. `values` has one value per streamline, in the order of the
    /// streamlines. Values of streamlines that connect no regions are ignored.
    pub fn with_values(self, measure: Measure, values: &'a [f64]) -> Result<Self> {
        self.with_measure(measure, Source::List(values))
    }

    /// Adds a measure of the matrix. Each streamline has as its value the mean of an image along the
    /// streamline ([`Statistic::Mean`]). The measure is the [mean](Measure::Mean) or [sum](Measure::Sum) of
    /// these values over the streamlines between two regions.
    pub fn with_image(
        self,
        measure: Measure,
        image: &'a Volume<f32>,
        interpolation: Interpolation,
    ) -> Result<Self> {
        let sampler = Sampler::new(image, interpolation).map_err(|e| e.about(measure.word()))?;
        self.with_measure(measure, Source::Image(sampler))
    }

    fn with_measure(mut self, measure: Measure, source: Source<'a>) -> Result<Self> {
        let is_there = measure == Measure::Count || self.measures.iter().any(|(there, _)| *there == measure);
        if is_there {
            let problem = format!("the connectome already has the measure {}", measure.word());
            return Err(Error::invalid(
                "measures of a connectome",
                problem,
                "give each mean and each sum a name that no other measure of the connectome has",
            ));
        }
        self.measures.push((measure, source));
        self.outside.push(0);
        for n in 0..self.parts.len() {
            let axis = self.parts[n].sums.rows().clone();
            self.parts[n].sums = MatrixSums::new(axis, None, self.summed(), self.most_dense_bytes)?;
        }
        Ok(self)
    }

    fn summed(&self) -> Vec<Measure> {
        self.measures.iter().map(|(measure, _)| measure.clone()).collect()
    }

    /// Returns two numbers for each parcellation. The first number is the number of regions that have a row
    /// in the matrix. The second number is the host memory for the sums of all pairs of regions.
    pub fn memory(&self) -> Vec<(usize, SumsMemory)> {
        self.parts.iter().map(|part| (part.sums.rows().len(), part.sums.memory())).collect()
    }

    /// Checks that the regions of each parcellation are near the ends of the streamlines. `name` is a
    /// function that returns the name of the parcellation with a given index. `source` is the text " of FILE"
    /// with the file of the streamlines, or is empty.
    ///
    /// # Errors
    /// Returns an error if the end points of all streamlines are outside the bounding box of the regions of a
    /// parcellation. The search can then find no region of this parcellation.
    pub fn require_near(&self, name: impl Fn(usize) -> String, source: &str) -> Result<()> {
        let Some(&place) = self.elsewhere().first() else { return Ok(()) };
        let problem = format!(
            "no region is near the ends of the streamlines{source} (the regions may be in FreeSurfer's \
             surface coordinates, or in the space of another image)"
        );
        Err(Error::invalid(name(place), problem, "give streamlines and regions in the same space"))
    }

    /// Returns the indices of the parcellations whose regions are far from the ends of all streamlines.
    /// Returns an empty list if no streamline has two ends.
    fn elsewhere(&self) -> Vec<usize> {
        let Some([minimum, largest]) = self.ends.0 else { return Vec::new() };
        let is_apart = |part: &Part<'_>| {
            part.finder.bounds().is_some_and(|[low, high]| {
                (0..3).any(|axis| largest[axis] < low[axis] || minimum[axis] > high[axis])
            })
        };
        (0..self.parts.len()).filter(|&n| is_apart(&self.parts[n])).collect()
    }

    /// Returns the measures whose values come from an image. For each of these measures, also returns the
    /// number of streamline points outside this image, at which the value 0 was used.
    pub fn outside(&self) -> Vec<(&Measure, u64)> {
        let images = self.measures.iter().zip(&self.outside);
        let images = images.filter(|((_, source), _)| matches!(source, Source::Image(_)));
        images.map(|((measure, _), outside)| (measure, *outside)).collect()
    }

    /// Returns the connectome of each parcellation, for all received streamlines. Returns an error if there
    /// are more weights or values than streamlines.
    pub fn finish(self) -> Result<Vec<RegionConnectome>> {
        let Self { parts, weights, measures, streamlines, .. } = self;
        check_all_used(weights, streamlines)?;
        for (measure, source) in &measures {
            if let Source::List(values) = source {
                check_all_used(Some(values), streamlines).map_err(|e| about_values(e, measure))?;
            }
        }
        let finish = |part: Part<'_>| {
            let matrix = part.sums.finish(|_, sum| sum)?;
            Ok(RegionConnectome { matrix, assignments: part.assignments })
        };
        parts.into_iter().map(finish).collect()
    }
}

impl StreamlineSink for Connectomes<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        let (first, end) = (self.streamlines, self.streamlines + batch.len());
        check_enough(self.weights, end)?;
        for (measure, source) in &self.measures {
            if let Source::List(values) = source {
                check_enough(Some(values), end).map_err(|e| about_values(e, measure))?;
            }
        }
        for n in 0..batch.len() {
            if let [a, .., b] = batch.streamline(n) {
                self.ends.add(a.map(f64::from));
                self.ends.add(b.map(f64::from));
            }
        }
        // For each streamline, finds the regions in all parcellations before the next streamline is
        // processed.
        let parts = &self.parts;
        let found: Vec<Vec<Found>> = parts
            .iter()
            .map(|part| {
                let find = |n| part.finder.find(batch.streamline(n));
                (0..batch.len()).into_par_iter().with_min_len(64).map(find).collect()
            })
            .collect();
        let values: Vec<Vec<f64>> = self
            .measures
            .iter()
            .zip(&mut self.outside)
            .map(|((_, source), outside)| match source {
                Source::Weight => self
                    .weights
                    .map_or_else(|| vec![1.0; batch.len()], |weights| weights[first..end].to_vec()),
                Source::Length => {
                    let joins = |n: usize| found.iter().any(|found| found[n] != Found::Nothing);
                    let of = |n| if joins(n) { length(batch.streamline(n)) } else { 0.0 };
                    (0..batch.len()).into_par_iter().with_min_len(64).map(of).collect()
                }
                Source::List(values) => values[first..end].to_vec(),
                Source::Image(sampler) => {
                    let samples = sampler.streamlines(batch, Statistic::Mean);
                    *outside += samples.outside;
                    samples.values.into_iter().map(f64::from).collect()
                }
            })
            .collect();
        let measures = &self.measures;
        let add = |(part, found): (&mut Part<'_>, Vec<Found>)| -> Result<()> {
            // The values of streamlines are added one after the other, so that the sums do not depend on the
            // distribution of work over threads.
            let mut summed = vec![0.0; measures.len()];
            for (n, found) in found.into_iter().enumerate() {
                if found != Found::Nothing {
                    for (((measure, _), values), place) in measures.iter().zip(&values).zip(&mut summed) {
                        *place = finite(measure, first + n, values[n])?;
                    }
                }
                let row = |sums: &MatrixSums<f64>, region: u32| sums.rows().place(u64::from(region));
                let sums = &mut part.sums;
                match &found {
                    Found::Nothing => {}
                    Found::Two(a, b) => {
                        if let (Some(a), Some(b)) = (row(sums, *a), row(sums, *b)) {
                            sums.add(a, b, 1, &summed)?;
                        }
                    }
                    Found::Many(regions) => {
                        let rows: Vec<usize> =
                            regions.iter().filter_map(|&region| row(sums, region)).collect();
                        for (n, &a) in rows.iter().enumerate() {
                            rows[n..].iter().try_for_each(|&b| sums.add(a, b, 1, &summed))?;
                        }
                    }
                }
                part.assignments.push(found);
            }
            Ok(())
        };
        self.parts.par_iter_mut().zip(found).map(add).collect::<Result<Vec<()>>>()?;
        self.streamlines = end;
        Ok(())
    }
}

/// Changes the text of an error about a wrong number of weights, so that the text is about a wrong number of
/// values of the measure.
fn about_values(error: Error, measure: &Measure) -> Error {
    error.about(measure.word()).advise("give one value per streamline")
}

/// Returns an error if `value` is not finite.
fn finite(measure: &Measure, streamline: usize, value: f64) -> Result<f64> {
    if value.is_finite() {
        return Ok(value);
    }
    let problem = format!("streamline {streamline} has {value}");
    Err(Error::invalid(measure.word(), problem, "give finite numbers"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regions::{Assignment, LabelledVertices};
    use arcuate_core::{Affine, Grid, Surface, Tractogram};
    use std::collections::BTreeMap;

    /// Creates ten voxels of 1 mm along x.
    fn grid() -> Grid {
        Grid::new([10, 1, 1], Affine::identity()).unwrap()
    }

    fn labels(values: [u32; 10]) -> Parcellation {
        Labels::new(grid(), values.to_vec(), BTreeMap::new()).unwrap().into()
    }

    fn lines(lines: &[&[f32]]) -> Tractogram {
        let mut tracks = Tractogram::new();
        for line in lines {
            tracks.push(&line.iter().map(|&x| [x, 0.0, 0.0]).collect::<Vec<_>>());
        }
        tracks
    }

    fn whole(matrix: &ConnectivityMatrix, measure: &Measure) -> Vec<Vec<f64>> {
        let n = matrix.rows().len();
        (0..n).map(|row| (0..n).map(|column| matrix.get(measure, row, column).unwrap()).collect()).collect()
    }

    #[test]
    fn several_parcellations_in_one_pass_agree_with_separate_passes() {
        let tracks = lines(&[&[0.0, 4.0, 9.0], &[1.0, 2.0, 3.0], &[9.0, 5.0], &[4.4], &[0.2, 8.0]]);
        let two = [labels([1, 1, 0, 0, 2, 2, 0, 0, 3, 3]), labels([5, 5, 5, 5, 5, 6, 6, 6, 6, 6])];
        let fa = Volume::new(grid(), 1, (0..10).map(|n| n as f32).collect()).unwrap();
        let list = [0.5, 1.5, 2.5, f64::NAN, 3.5];
        let weights = [1.0, 2.0, 3.0, 4.0, 0.25];
        let options = ConnectomeOptions { assignment: Assignment::EndVoxel, ..ConnectomeOptions::default() };
        let run = |parcellations: &[Parcellation], cut: usize| {
            let mut all = Connectomes::new(Some(&weights), &options).unwrap().with_weights().unwrap();
            for parcellation in parcellations {
                all = all.with_parcellation(parcellation, &options).unwrap();
            }
            let all = all
                .with_lengths()
                .unwrap()
                .with_image(Measure::Mean("fa".into()), &fa, Interpolation::Linear)
                .unwrap();
            let mut all = all.with_values(Measure::Mean("x".into()), &list).unwrap();
            for (n, _) in tracks.as_batch().ends_from(0).enumerate().step_by(cut) {
                all.take(tracks.as_batch().part(n..(n + cut).min(5))).unwrap();
            }
            assert!(all.elsewhere().is_empty());
            assert_eq!(all.outside(), [(&Measure::Mean("fa".into()), 0)]);
            all.finish().unwrap()
        };
        let together = run(&two, 5);
        assert_eq!(together, run(&two, 2));
        assert_eq!(together, [run(&two[..1], 3), run(&two[1..], 1)].concat());
        let [first, second] = &together[..] else { panic!() };
        assert_eq!(
            first.assignments,
            Assignments::Ends(vec![Some((1, 3)), None, Some((2, 3)), None, Some((1, 3))])
        );
        assert_eq!(
            whole(&first.matrix, &Measure::Weight),
            [[0.0, 0.0, 1.25], [0.0, 0.0, 3.0], [1.25, 3.0, 0.0]]
        );
        assert_eq!(whole(&first.matrix, &Measure::Mean("x".into()))[0], [0.0, 0.0, 2.0]);
        // The means of the image along the two streamlines are 4.5 and 4.1.
        let mean = first.matrix.get(&Measure::Mean("fa".into()), 0, 2).unwrap();
        assert!((mean - 4.3).abs() < 1e-6, "{mean}");
        assert_eq!(whole(&second.matrix, &Measure::Count), [[1.0, 2.0], [2.0, 1.0]]);
        assert_eq!(second.assignments.between_and_within(), (2, 2));
    }

    #[test]
    fn all_passed_regions_are_connected() {
        let parcellation = labels([1, 1, 0, 0, 2, 2, 0, 0, 3, 3]);
        let tracks = lines(&[&[0.0, 4.0, 9.0], &[1.0, 2.0, 3.0], &[9.0, 5.0], &[2.0, 3.0]]);
        let options = ConnectomeOptions { assignment: Assignment::AllVoxels, ..ConnectomeOptions::default() };
        let all =
            Connectomes::new(None, &options).unwrap().with_parcellation(&parcellation, &options).unwrap();
        let mut all = all.with_lengths().unwrap();
        all.take(tracks.as_batch()).unwrap();
        let [connectome] = &all.finish().unwrap()[..] else { panic!() };
        // If a streamline passes only one region, it connects nothing, as in MRtrix.
        assert_eq!(
            whole(&connectome.matrix, &Measure::Count),
            [[1.0, 1.0, 1.0], [1.0, 2.0, 2.0], [1.0, 2.0, 2.0]]
        );
        let lists: Vec<Vec<u32>> = (0..4).map(|n| connectome.assignments.of(n)).collect();
        assert_eq!(lists, [vec![1, 2, 3], vec![], vec![2, 3], vec![]]);
        assert_eq!(connectome.assignments.between_and_within(), (2, 0));
    }

    #[test]
    fn parcellations_outside_the_streamlines_are_reported() {
        let surface =
            |x: f32| Surface::new(vec![[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0]], Vec::new(), None).unwrap();
        let at = |x: f32| {
            let mut vertices = LabelledVertices::default();
            vertices.add(&surface(x), &[1, 2]).unwrap();
            Parcellation::new(vertices, None, BTreeMap::new())
        };
        let parcellations = [at(0.0), at(200.0), at(13.5)];
        let options = ConnectomeOptions::default();
        let mut all = Connectomes::new(None, &options).unwrap();
        for parcellation in &parcellations {
            all = all.with_parcellation(parcellation, &options).unwrap();
        }
        assert!(all.elsewhere().is_empty());
        all.take(lines(&[&[0.2, 5.0, 0.9], &[f32::NAN, 1.0], &[10.0, 0.0]]).as_batch()).unwrap();
        assert_eq!(all.elsewhere(), [1]);
        let found = all.finish().unwrap();
        assert_eq!(found[0].matrix.get(&Measure::Count, 0, 1), Some(1.0));
    }
}
