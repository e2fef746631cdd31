use crate::weights::{check_all_used, check_enough, check_weights};
use arcuate_core::{
    Error, KeptStreamlines, Point, Result, StreamlineBatch, StreamlineSink, StreamlineSubset, length,
    longest_of, shortest_of,
};
use rayon::prelude::*;

/// Criteria for keeping streamlines. A streamline is kept if it satisfies all of them.
#[derive(Debug, Clone, Default)]
pub struct Criteria {
    /// Minimum length of a streamline in mm.
    pub min_length_mm: Option<f64>,
    /// Maximum length of a streamline in mm.
    pub max_length_mm: Option<f64>,
    /// One weight per streamline, in the order of the streamlines.
    pub weights: Option<Vec<f64>>,
    /// Minimum weight of a streamline.
    pub min_weight: Option<f64>,
    /// Maximum weight of a streamline.
    pub max_weight: Option<f64>,
    /// Number of streamlines to skip: streamlines that satisfy the criteria before the first streamline is
    /// kept.
    pub skip: u64,
    /// Maximum number of streamlines to keep.
    pub select: Option<u64>,
}

/// An additional criterion: a function of a streamline's points that returns true if the streamline satisfies
/// the criterion.
type Also<'a> = &'a (dyn Fn(&[Point]) -> bool + Sync);

/// Selects the streamlines that satisfy the criteria, batch by batch.
#[derive(Debug)]
pub struct Selection {
    criteria: Criteria,
    seen: usize,
    /// Number of streamlines that satisfy the criteria, including skipped streamlines.
    fitting: u64,
    kept: u64,
    kept_weights: Vec<f64>,
}

impl Selection {
    /// Creates a selection.
    ///
    /// Returns an error if a weight is not finite, or if a bound is NaN, or if a lower bound exceeds its
    /// upper bound. Also returns an error if weights have bounds but no weights are given, or if the criteria
    /// allow no streamline.
    pub fn new(criteria: Criteria) -> Result<Self> {
        check_weights(criteria.weights.as_deref().unwrap_or_default())?;
        check_bounds(
            ["‘min_length_mm’", "‘max_length_mm’"],
            [criteria.min_length_mm, criteria.max_length_mm],
        )?;
        check_bounds(["‘min_weight’", "‘max_weight’"], [criteria.min_weight, criteria.max_weight])?;
        if criteria.weights.is_none() && (criteria.min_weight.is_some() || criteria.max_weight.is_some()) {
            let problem = "none are given to compare with ‘min_weight’ or ‘max_weight’";
            return Err(Error::usage("streamline weights", problem, "give one weight per streamline"));
        }
        if criteria.select == Some(0) {
            return Err(Error::usage("‘select’", "0 streamlines are none", "give 1 or more"));
        }
        Ok(Self { criteria, seen: 0, fitting: 0, kept: 0, kept_weights: Vec::new() })
    }

    /// Returns the streamlines of the next batch that are kept, as ascending indices in the batch. Returns an
    /// error if there are fewer weights than streamlines.
    pub fn next(&mut self, batch: StreamlineBatch<'_>) -> Result<Vec<usize>> {
        self.next_of(batch, &|_| true)
    }

    /// Returns the streamlines of the next batch that are kept, like [`next`](Self::next). Streamlines must
    /// also satisfy the criterion `also`, which is evaluated last.
    fn next_of(&mut self, batch: StreamlineBatch<'_>, also: Also<'_>) -> Result<Vec<usize>> {
        let criteria = &self.criteria;
        let first = self.seen;
        self.seen += batch.len();
        check_enough(criteria.weights.as_deref(), self.seen)?;
        if criteria.select == Some(self.kept) {
            return Ok(Vec::new());
        }
        let weight = |n: usize| criteria.weights.as_ref().map(|weights| weights[first + n]);
        let fits: Vec<bool> = (0..batch.len())
            .into_par_iter()
            .with_min_len(64)
            .map(|n| criteria.fit(batch.streamline(n), weight(n)) && also(batch.streamline(n)))
            .collect();
        let mut places = Vec::new();
        for (n, _) in fits.iter().enumerate().filter(|(_, fits)| **fits) {
            self.fitting += 1;
            if self.fitting > criteria.skip && criteria.select != Some(self.kept) {
                self.kept += 1;
                self.kept_weights.extend(weight(n));
                places.push(n);
            }
        }
        Ok(places)
    }

    /// Returns the number of streamlines seen so far.
    pub fn seen(&self) -> u64 {
        self.seen as u64
    }

    /// Returns the number of streamlines kept so far.
    pub fn kept(&self) -> u64 {
        self.kept
    }

    /// Returns the weights of the kept streamlines. If no weights were given, the list is empty. Returns an
    /// error if there are more weights than streamlines.
    pub fn finish(self) -> Result<Vec<f64>> {
        check_all_used(self.criteria.weights.as_deref(), self.seen)?;
        Ok(self.kept_weights)
    }
}

/// Receives streamlines, and passes those that a selection keeps to another sink, with their data.
pub struct Filter<'a> {
    selection: &'a mut Selection,
    also: Also<'a>,
    subset: StreamlineSubset<&'a mut dyn StreamlineSink>,
}

impl<'a> Filter<'a> {
    /// Creates a filter that passes the kept streamlines to `sink`.
    pub fn new(selection: &'a mut Selection, sink: &'a mut dyn StreamlineSink) -> Self {
        Self { selection, also: &|_| true, subset: StreamlineSubset::new(sink) }
    }

    /// Adds the criterion `also`, for example that a streamline passes a region. This criterion is evaluated
    /// last, and may be evaluated on any thread.
    #[must_use]
    pub fn only(self, also: &'a (dyn Fn(&[Point]) -> bool + Sync)) -> Self {
        Self { also, ..self }
    }

    /// Returns the numbers of the streamlines that were kept. Streamlines are counted from the first one that
    /// the filter received.
    pub fn finish(self) -> KeptStreamlines {
        self.subset.into_parts().0
    }
}

impl StreamlineSink for Filter<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        let places = self.selection.next_of(batch, self.also)?;
        self.subset.take(batch, &places)
    }
}

impl Criteria {
    fn fit(&self, streamline: &[Point], weight: Option<f64>) -> bool {
        let within = |value: f64, min: Option<f64>, max: Option<f64>| {
            min.is_none_or(|min| value >= min) && max.is_none_or(|max| value <= max)
        };
        // The criteria that need the least computing time are evaluated first.
        weight.is_none_or(|weight| within(weight, self.min_weight, self.max_weight))
            && (self.min_length_mm.is_none() && self.max_length_mm.is_none()
                || within(
                    length(streamline),
                    self.min_length_mm.map(shortest_of),
                    self.max_length_mm.map(longest_of),
                ))
    }
}

fn check_bounds(names: [&str; 2], bounds: [Option<f64>; 2]) -> Result<()> {
    for (name, bound) in names.into_iter().zip(bounds) {
        if let Some(bound) = bound.filter(|bound| bound.is_nan()) {
            return Err(Error::usage(
                name,
                format!("{bound} is not a possible bound of lengths or weights"),
                "give a number",
            ));
        }
    }
    match bounds {
        [Some(min), Some(max)] if min > max => {
            let problem = format!("the maximum {max} is smaller than the minimum {min} of {}", names[0]);
            Err(Error::usage(names[1], problem, "exchange the two"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Tractogram;

    fn lines() -> Tractogram {
        let mut lines = Tractogram::new();
        lines.push(&[[0.0, 0.0, 0.0], [18.0, 0.0, 0.0]]);
        lines.push(&[[0.0, 2.0, 0.0], [8.0, 2.0, 0.0], [8.0, 0.0, 0.0], [12.0, 0.0, 0.0]]);
        lines.push(&[[8.2, -0.3, 0.1]]);
        lines.push(&[]);
        lines.push(&[[12.0, 0.0, 0.0], [0.0, 0.0, 0.0], [8.0, 0.0, 0.0]]);
        lines
    }

    fn kept(criteria: Criteria) -> Vec<usize> {
        let mut selection = Selection::new(criteria).unwrap();
        let kept = selection.next(lines().as_batch()).unwrap();
        selection.finish().unwrap();
        kept
    }

    #[test]
    fn additional_criteria_are_applied() {
        let lines = lines();
        let criteria = Criteria { min_length_mm: Some(1.0), skip: 1, ..Criteria::default() };
        let (mut selection, mut out) = (Selection::new(criteria).unwrap(), Tractogram::new());
        let also = |line: &[Point]| line.len() > 2;
        let mut filter = Filter::new(&mut selection, &mut out).only(&also);
        filter.take(lines.as_batch()).unwrap();
        assert_eq!(filter.finish().len(), 1);
        assert_eq!((out, selection.seen()), (lines.select(&[4]), 5));
    }

    #[test]
    fn length_bounds_are_inclusive() {
        let bounds =
            |min_length_mm, max_length_mm| Criteria { min_length_mm, max_length_mm, ..Criteria::default() };
        // The streamlines of this test have lengths of 18, 14, 0, 0 and 20 mm.
        assert_eq!(kept(bounds(Some(18.0), None)), [0, 4]);
        assert_eq!(kept(bounds(None, Some(14.0))), [1, 2, 3]);
        assert_eq!(kept(bounds(Some(1.0), Some(18.0))), [0, 1]);
        let weights = Some(vec![1.0, 0.5, 2.0, 4.0, 0.25]);
        let criteria =
            Criteria { weights, min_weight: Some(0.5), max_weight: Some(2.0), ..Criteria::default() };
        let mut selection = Selection::new(criteria).unwrap();
        assert_eq!(selection.next(lines().as_batch()).unwrap(), [0, 1, 2]);
        assert_eq!(selection.finish().unwrap(), [1.0, 0.5, 2.0]);
    }

    #[test]
    fn skip_and_select_count_across_batches() {
        let lines = lines();
        let criteria = Criteria { min_length_mm: Some(1.0), skip: 1, select: Some(1), ..Criteria::default() };
        assert_eq!(kept(criteria.clone()), [1]);
        let mut selection = Selection::new(criteria).unwrap();
        let mut out = Tractogram::new();
        for n in 0..5 {
            Filter::new(&mut selection, &mut out).take(lines.as_batch().part(n..n + 1)).unwrap();
        }
        assert_eq!((selection.seen(), selection.kept()), (5, 1));
        assert_eq!(out, lines.select(&[1]));
    }

    #[test]
    fn the_selection_does_not_depend_on_threads_and_batches() {
        let mut many = Tractogram::new();
        for n in 0..2000u16 {
            let y = f32::from(n % 23) / 2.0;
            many.push(&[[0.0, y, 0.0], [f32::from(n % 40), y, f32::from(n % 7)]]);
        }
        let criteria = Criteria {
            min_length_mm: Some(5.0),
            weights: Some((0..2000).map(|n| f64::from(n % 11)).collect()),
            min_weight: Some(2.0),
            skip: 3,
            select: Some(20),
            ..Criteria::default()
        };
        let whole = Selection::new(criteria.clone()).unwrap().next(many.as_batch()).unwrap();
        assert_eq!(whole.len(), 20);
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let again = || Selection::new(criteria.clone()).unwrap().next(many.as_batch()).unwrap();
            assert_eq!(pool.install(again), whole);
        }
        let (mut selection, mut out) = (Selection::new(criteria).unwrap(), Tractogram::new());
        for range in [0..7, 7..7, 7..1999, 1999..2000] {
            Filter::new(&mut selection, &mut out).take(many.as_batch().part(range)).unwrap();
        }
        assert_eq!(out, many.select(&whole));
        let weights: Vec<f64> = whole.iter().map(|n| (n % 11) as f64).collect();
        assert_eq!(selection.finish().unwrap(), weights);
    }

    #[test]
    fn invalid_criteria_are_rejected() {
        let refused = |criteria: Criteria| Selection::new(criteria).unwrap_err().to_string();
        let both = Criteria { min_length_mm: Some(9.0), max_length_mm: Some(3.0), ..Criteria::default() };
        assert_eq!(
            refused(both),
            "‘max_length_mm’: the maximum 3 is smaller than the minimum 9 of ‘min_length_mm’; exchange the \
             two"
        );
        let nan = Criteria { max_length_mm: Some(f64::NAN), ..Criteria::default() };
        assert_eq!(
            refused(nan),
            "‘max_length_mm’: NaN is not a possible bound of lengths or weights; give a number"
        );
        assert!(
            refused(Criteria { min_weight: Some(0.0), ..Criteria::default() }).contains("none are given")
        );
        assert!(refused(Criteria { select: Some(0), ..Criteria::default() }).contains("‘select’"));
        for weights in [4, 6] {
            let criteria = Criteria { weights: Some(vec![1.0; weights]), ..Criteria::default() };
            let mut selection = Selection::new(criteria).unwrap();
            let outcome = selection.next(lines().as_batch()).and_then(|_| selection.finish());
            assert!(outcome.unwrap_err().to_string().contains("give one weight per streamline"));
        }
    }
}
