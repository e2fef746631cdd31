use super::blur::Copy;
use super::pieces::{Chunk, Tally, Task};
use super::{Segment, SegmentOptions, Segments};
use crate::encoding::no_streamline_in_mask;
use arcuate_core::{Error, Mask, Point, Result, StreamlineBatch, StreamlineSink, Tractogram, narrow};
use rayon::prelude::*;

/// Numbers and total lengths of the streamlines that were converted to segments.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SegmentSummary {
    /// Number of streamlines that were passed to the encoder, which converts them to segments.
    pub streamlines: usize,
    /// Number of streamlines whose length is below the minimum or above the maximum of the options.
    pub wrong_length: usize,
    /// Number of streamlines with a point that is NaN or infinite.
    pub not_finite: usize,
    /// Index of the first streamline with a point that is NaN or infinite, counted from 0.
    pub first_not_finite: Option<usize>,
    /// Number of valid streamlines that pass through no voxel of the mask.
    pub outside: usize,
    /// Total length of the streamlines inside the mask, in mm.
    pub length_inside: f64,
    /// Total length outside the mask, in mm, of the streamlines whose length the options allow.
    pub length_outside: f64,
}

/// Converts streamlines to the segments of COMMIT, batch by batch. A segment is a straight piece of a
/// streamline in a voxel of the mask, with its exact length and direction.
///
/// The function [`for_each_piece_between`](arcuate_core::Grid::for_each_piece_between) finds the points where
/// a streamline crosses voxel faces. The lengths of segments are therefore those of the polyline, for any
/// point spacing and any shape of voxels. Consecutive collinear pieces of a streamline in one voxel are
/// joined to one segment. With a [`Blur`](super::Blur), each edge of a streamline is shifted to each parallel
/// copy of the streamline. In each voxel, the pieces of all copies of an edge are joined to one segment.
///
/// Callers pass batches of streamlines to [`add`](Self::add), or use the [`StreamlineSink`] trait. The
/// segments do not depend on batch sizes or the number of threads. While batches are added, about 18 bytes of
/// memory are needed per segment. When the segments of all batches are joined at the end, the same amount of
/// memory is needed again.
pub struct SegmentEncoder<'a> {
    mask: &'a Mask,
    options: SegmentOptions,
    copies: Vec<Copy>,
    /// Points of streamlines that were received but not yet converted to segments. They wait until the batch
    /// is large enough.
    positions: Vec<Point>,
    offsets: Vec<u64>,
    chunks: Vec<Chunk>,
    tally: Tally,
}

/// Maximum number of streamline points that are converted to segments at once. Their positions need 48 MiB.
const POINTS_AT_ONCE: usize = 1 << 22;

/// Approximate number of streamline points that one task converts to segments.
const POINTS_OF_A_TASK: u64 = 1 << 17;

impl<'a> SegmentEncoder<'a> {
    /// Creates an encoder that converts streamlines to segments in the voxels of `mask`. Returns an error if
    /// the options are invalid or the grid has more than 2³² voxels.
    pub fn new(mask: &'a Mask, options: SegmentOptions) -> Result<Self> {
        let is_length = |value: f64| value >= 0.0;
        let lengths = [
            ("‘minimum_length’", options.minimum_length),
            ("‘maximum_length’", options.maximum_length),
            ("‘minimum_segment’", options.minimum_segment),
        ];
        if let Some((option, value)) = lengths.into_iter().find(|&(_, value)| !is_length(value)) {
            return Err(Error::usage(
                option,
                format!("{value} is not a length"),
                "give a length in mm of at \
                least 0",
            ));
        }
        if options.minimum_length > options.maximum_length {
            let problem =
                format!("the maximum length {} mm is less than ‘minimum_length’", options.maximum_length);
            return Err(Error::usage("‘maximum_length’", problem, "give a larger maximum length"));
        }
        if u32::try_from(mask.grid().len()).is_err() {
            return Err(Error::invalid(
                "mask",
                "the image has more than 4,294,967,295 voxels",
                "crop the image of the mask",
            ));
        }
        let copies = options.blur.unwrap_or_default().copies()?;
        Ok(Self {
            mask,
            options,
            copies,
            positions: Vec::new(),
            offsets: vec![0],
            chunks: Vec::new(),
            tally: Tally::default(),
        })
    }

    /// Adds a batch of streamlines (RAS mm). The numbering of streamlines continues that of earlier batches.
    /// Returns an error if there are more than 2³² streamlines.
    pub fn add(&mut self, tractogram: &Tractogram) -> Result<()> {
        self.take(tractogram.as_batch())
    }

    /// Returns the segments of all streamlines, and the numbers and lengths of the streamlines. Warns about
    /// streamlines with points that are NaN or infinite.
    ///
    /// Returns an error if no streamline has a segment.
    pub fn finish(mut self) -> Result<(Segments, SegmentSummary)> {
        self.encode_waiting()?;
        let summary = summary(&self.tally);
        if let Some(first) = summary.first_not_finite {
            let count = summary.not_finite;
            tracing::warn!(
                "{count} streamlines have points that are not finite and get the weight 0; the first of \
                 these is streamline {first} (counted from 0)"
            );
        }
        if self.chunks.iter().all(|chunk| chunk.segments.is_empty()) {
            return Err(nothing_to_encode(&summary, &self.options));
        }
        let (voxels, voxel_starts, pieces) = join(&self.chunks, self.mask.grid().len());
        let grid = *self.mask.grid();
        Ok((Segments { grid, streamlines: summary.streamlines, voxels, voxel_starts, pieces }, summary))
    }

    fn encode_waiting(&mut self) -> Result<()> {
        let (positions, offsets) = (std::mem::take(&mut self.positions), std::mem::take(&mut self.offsets));
        self.encode(StreamlineBatch::new(&offsets, &positions))?;
        // Keeps the allocated memory of this batch of points for the next batch.
        (self.positions, self.offsets) = (positions, offsets);
        self.positions.clear();
        self.offsets.truncate(1);
        Ok(())
    }

    fn encode(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        let first = self.tally.streamlines;
        if u32::try_from(first + batch.len()).is_err() {
            let problem = "it has more than 4,294,967,295 streamlines";
            return Err(Error::invalid("tractogram", problem, "evaluate it in parts"));
        }
        let mut tasks = Vec::new();
        let mut begin = 0;
        while begin < batch.len() {
            let goal = batch.offsets[begin] + POINTS_OF_A_TASK;
            let end = batch.offsets[begin + 1..batch.len()].partition_point(|&offset| offset < goal);
            tasks.push(begin..begin + 1 + end);
            begin = tasks[tasks.len() - 1].end;
        }
        let done: Vec<(Vec<Chunk>, Tally)> = tasks
            .into_par_iter()
            .map(|task| {
                let mut task_of = Task::new(self.mask, &self.options, &self.copies);
                for n in task {
                    task_of.streamline(batch.streamline(n), first + n);
                }
                task_of.finish()
            })
            .collect();
        for (chunks, tally) in done {
            self.chunks.extend(chunks);
            self.tally.add(&tally);
        }
        Ok(())
    }
}

impl StreamlineSink for SegmentEncoder<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        let points = batch.points();
        if self.offsets.len() == 1 && points.len() >= POINTS_AT_ONCE {
            return self.encode(batch);
        }
        self.offsets.extend(batch.ends_from(self.positions.len() as u64));
        self.positions.extend_from_slice(points);
        if self.positions.len() >= POINTS_AT_ONCE || self.offsets.len() > POINTS_AT_ONCE {
            self.encode_waiting()?;
        }
        Ok(())
    }
}

fn summary(tally: &Tally) -> SegmentSummary {
    let millimetres = |millionths: u64| millionths as f64 * 1e-6;
    SegmentSummary {
        streamlines: tally.streamlines,
        wrong_length: tally.wrong_length,
        not_finite: tally.not_finite,
        first_not_finite: tally.first_not_finite,
        outside: tally.outside,
        length_inside: millimetres(tally.inside_length),
        length_outside: millimetres(tally.outside_length),
    }
}

fn nothing_to_encode(summary: &SegmentSummary, options: &SegmentOptions) -> Error {
    let all = summary.streamlines;
    if all == 0 {
        return Error::invalid("tractogram", "it has no streamline", "give one that has");
    }
    if summary.not_finite == all {
        let problem = format!("all {all} streamlines have points that are not finite");
        return Error::invalid("tractogram", problem, "create it again");
    }
    if summary.wrong_length + summary.not_finite == all {
        let (minimum, maximum) = (options.minimum_length, options.maximum_length);
        let problem = format!(
            "all {all} streamlines of the tractogram are shorter than {minimum} mm or longer than {maximum} mm"
        );
        return Error::invalid(
            "tractogram",
            problem,
            "allow other lengths, or check that the unit of the tractogram is mm",
        );
    }
    no_streamline_in_mask()
}

/// Joins the chunks of segments that tasks have produced. Returns the voxels with segments, the index of the
/// first segment of each voxel, and all segments. Within a voxel, segments are in the order of the chunks,
/// which is the order of the streamlines.
fn join(chunks: &[Chunk], grid_len: usize) -> (Vec<u32>, Vec<usize>, Vec<Segment>) {
    let begin = |chunk: &Chunk, n: usize| if n == 0 { 0 } else { chunk.voxels[n - 1].1 as usize };
    let mut counts = vec![0_usize; grid_len];
    for chunk in chunks {
        for (n, &(voxel, end)) in chunk.voxels.iter().enumerate() {
            counts[voxel as usize] += end as usize - begin(chunk, n);
        }
    }
    let voxels: Vec<u32> = (0..narrow::<u32>(grid_len)).filter(|&voxel| counts[voxel as usize] > 0).collect();
    let mut starts = Vec::with_capacity(voxels.len() + 1);
    starts.push(0);
    starts.extend(voxels.iter().scan(0, |sum, &voxel| {
        *sum += counts[voxel as usize];
        Some(*sum)
    }));
    drop(counts);
    let total = starts[voxels.len()];

    // Each task fills in the segments of a range of voxels. The task copies these segments from one chunk
    // after the other.
    let of_a_task = (total / 256).max(1 << 16);
    let mut segments = vec![Segment { piece: [0.0; 3], streamline: 0 }; total];
    let (mut tasks, mut rest, mut first) = (Vec::new(), segments.as_mut_slice(), 0);
    while first < voxels.len() {
        let end =
            first + starts[first + 1..voxels.len()].partition_point(|&s| s - starts[first] < of_a_task) + 1;
        let (mine, tail) = rest.split_at_mut(starts[end] - starts[first]);
        tasks.push((first..end, mine));
        (rest, first) = (tail, end);
    }
    tasks.into_par_iter().for_each(|(task, segments)| {
        let (voxels, offset) = (&voxels[task.clone()], starts[task.start]);
        let mut next: Vec<usize> = starts[task].iter().map(|start| start - offset).collect();
        let (Some(&low), Some(&high)) = (voxels.first(), voxels.last()) else { return };
        for chunk in chunks {
            let from = chunk.voxels.partition_point(|&(voxel, _)| voxel < low);
            let to = chunk.voxels.partition_point(|&(voxel, _)| voxel <= high);
            let mut place = 0;
            for n in from..to {
                let (voxel, end) = chunk.voxels[n];
                while voxels[place] < voxel {
                    place += 1;
                }
                let here = &chunk.segments[begin(chunk, n)..end as usize];
                segments[next[place]..next[place] + here.len()].copy_from_slice(here);
                next[place] += here.len();
            }
        }
    });
    (voxels, starts, segments)
}

#[cfg(test)]
mod tests {
    use super::super::Blur;
    use super::*;
    use arcuate_compute::{Purpose, Random};
    use arcuate_core::{Affine, Grid};

    /// Creates an oblique, anisotropic and left-handed grid.
    fn oblique() -> Grid {
        let affine =
            Affine::from_rows([[-1.9, 0.3, 0.2, 9.0], [0.25, 1.4, -0.5, -6.0], [0.15, 0.45, 3.0, -8.0]]);
        Grid::new([9, 11, 7], affine.unwrap()).unwrap()
    }

    /// Creates meandering streamlines. Some of them leave the image.
    fn wandering(count: usize) -> Tractogram {
        let mut tractogram = Tractogram::new();
        let grid = oblique();
        for n in 0..count {
            let mut random = Random::new(5, Purpose::Resampling, n as u64);
            let start = grid.shape().map(|size| random.uniform() * size as f64 - 0.5);
            let mut point = grid.affine().apply(start);
            let mut step = [0.0; 3];
            let points: Vec<Point> = (0..random.below(40))
                .map(|_| {
                    for c in 0..3 {
                        step[c] = 0.8 * step[c] + random.uniform() - 0.5;
                        point[c] += step[c];
                    }
                    point.map(|c| c as f32)
                })
                .collect();
            tractogram.push(&points);
        }
        tractogram
    }

    fn encode(
        tractogram: &Tractogram,
        mask: &Mask,
        options: SegmentOptions,
    ) -> Result<(Segments, SegmentSummary)> {
        let mut encoder = SegmentEncoder::new(mask, options)?;
        encoder.add(tractogram)?;
        encoder.finish()
    }

    fn length_of(segment: &Segment) -> f64 {
        segment.piece.iter().map(|&c| f64::from(c).powi(2)).sum::<f64>().sqrt()
    }

    #[test]
    fn a_known_line_has_the_expected_segments() {
        let grid = Grid::new([5, 4, 3], Affine::scaling([2.0, 3.0, 1.0], [0.0; 3])).unwrap();
        let mut tractogram = Tractogram::new();
        tractogram.push(&[]);
        // The test streamline has three edges along x (one of them between equal points), one along y, and
        // one that leaves the image.
        tractogram.push(&[[0.0; 3], [0.5, 0.0, 0.0], [0.5, 0.0, 0.0], [2.5, 0.0, 0.0], [2.5, -4.5, 0.0]]);
        tractogram.push(&[[4.0, 3.0, 1.0]]);
        let (segments, summary) = encode(&tractogram, &Mask::full(grid), SegmentOptions::default()).unwrap();
        let segment = |piece| Segment { piece, streamline: 1 };
        assert_eq!(segments.voxels(), [0, 1]);
        assert_eq!(segments.of_voxel(0), [segment([1.0, 0.0, 0.0])]);
        assert_eq!(segments.of_voxel(1), [segment([1.5, 0.0, 0.0]), segment([0.0, -1.5, 0.0])]);
        let expected = SegmentSummary {
            streamlines: 3,
            outside: 2,
            length_inside: 4.0,
            length_outside: 3.0,
            ..SegmentSummary::default()
        };
        assert_eq!(summary, expected);
    }

    #[test]
    fn segment_lengths_agree_with_dense_sampling() {
        let (grid, tractogram) = (oblique(), wandering(300));
        let options = SegmentOptions { minimum_segment: 0.0, ..SegmentOptions::default() };
        let (segments, summary) = encode(&tractogram, &Mask::full(grid), options).unwrap();
        let total: f64 = (0..tractogram.len()).map(|n| tractogram.length(n)).sum();
        // The sum has the lengths of 300 streamlines, and each length is rounded to 10⁻⁶ mm.
        assert!((summary.length_inside + summary.length_outside - total).abs() < 3e-4);
        assert!(summary.length_outside > 0.05 * total, "some leave the image");
        let held: f64 = segments.pieces.iter().map(length_of).sum();
        // The vectors of segments are in single precision, with a relative error of 6e-8 for each segment.
        assert!((held - summary.length_inside).abs() < 1e-6 * total + 3e-4);

        let mut sampled = vec![[0.0; 3]; grid.len()];
        let samples = 2000;
        for pair in tractogram.iter().flat_map(|streamline| streamline.windows(2)) {
            let [a, b] = [pair[0], pair[1]].map(|point| point.map(f64::from));
            for n in 0..samples {
                let t = (f64::from(n) + 0.5) / f64::from(samples);
                let at = std::array::from_fn(|c| a[c] + t * (b[c] - a[c]));
                if let Some(voxel) = grid.voxel_at(at) {
                    for c in 0..3 {
                        sampled[voxel][c] += (b[c] - a[c]) / f64::from(samples);
                    }
                }
            }
        }
        let edges = tractogram.positions().len() as f64;
        for (n, &voxel) in segments.voxels().iter().enumerate() {
            for c in 0..3 {
                let exact: f64 = segments.of_voxel(n).iter().map(|s| f64::from(s.piece[c])).sum();
                // The test computes lengths from sample points along the streamline. At each voxel face,
                // about one sample point falls into the wrong voxel. Sample points have a distance of an edge
                // length (2 mm) divided by 2000.
                let limit = 1e-3 * (edges / segments.voxels().len() as f64).max(10.0);
                assert!((exact - sampled[voxel as usize][c]).abs() < limit, "voxel {voxel}");
            }
        }
    }

    #[test]
    fn segments_do_not_depend_on_threads_and_batches() {
        let (grid, tractogram) = (oblique(), wandering(9000));
        let mask = Mask::new(grid, (0..grid.len()).map(|voxel| voxel % 5 != 0).collect()).unwrap();
        let blur = Blur { gauss_extent: 0.5, ..Blur::default() };
        for blur in [None, Some(blur)] {
            let options = SegmentOptions { minimum_length: 2.0, blur, ..SegmentOptions::default() };
            // Passes the tractogram to the encoder in batches. If `waits` is true, the encoder gathers the
            // batches until the end. If not, it converts each batch at once.
            let on = |threads: usize, batch: usize, waits: bool| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let mut encoder = SegmentEncoder::new(&mask, options.clone()).unwrap();
                    for first in (0..tractogram.len()).step_by(batch) {
                        let end = (first + batch).min(tractogram.len());
                        encoder.take(tractogram.as_batch().part(first..end)).unwrap();
                        if !waits {
                            encoder.encode_waiting().unwrap();
                        }
                    }
                    encoder.finish().unwrap()
                })
            };
            let one = on(1, 9000, true);
            assert!(one == on(3, 9000, true) && one == on(2, 700, false) && one == on(2, 700, true));
            for n in 0..one.0.voxels().len() {
                assert!(mask.contains(one.0.voxels()[n] as usize));
                assert!(one.0.of_voxel(n).is_sorted_by_key(|segment| segment.streamline));
            }
            assert!(one.1.wrong_length > 100);
        }
    }

    #[test]
    fn sub_batches_are_gathered_for_any_size_of_the_whole() {
        let mask = Mask::full(oblique());
        let streamlines = wandering(30);
        let mut positions = streamlines.positions().to_vec();
        positions.resize(POINTS_AT_ONCE, [f32::NAN; 3]);
        let mut encoder = SegmentEncoder::new(&mask, SegmentOptions::default()).unwrap();
        encoder.take(StreamlineBatch::new(streamlines.offsets(), &positions)).unwrap();
        assert!(encoder.chunks.is_empty() && encoder.positions.len() == streamlines.positions().len());
        assert!(encoder.finish().unwrap() == encode(&streamlines, &mask, SegmentOptions::default()).unwrap());
    }

    #[test]
    fn blur_spreads_segments_and_keeps_length_and_direction() {
        let grid = Grid::new([20, 20, 20], Affine::identity()).unwrap();
        let mut tractogram = Tractogram::new();
        tractogram.push(&[[4.0, 10.1, 10.05], [7.5, 10.1, 10.05], [7.5, 14.0, 10.05]]);
        let blur = Some(Blur { core_extent: 0.3, gauss_extent: 0.6, ..Blur::default() });
        let options = SegmentOptions { blur, ..SegmentOptions::default() };
        let mask = Mask::full(grid);
        let (blurred, summary) = encode(&tractogram, &mask, options).unwrap();
        let (sharp, _) = encode(&tractogram, &mask, SegmentOptions::default()).unwrap();
        // The comparison has a tolerance for the rounding of segment vectors to single precision.
        let total: f64 = blurred.pieces.iter().map(length_of).sum();
        assert!((total - 7.4).abs() < 1e-6 && (summary.length_inside - 7.4).abs() < 1e-6);
        assert!(blurred.voxels().len() > 2 * sharp.voxels().len());
        assert!(blurred.pieces.iter().all(|s| s.piece[1..] == [0.0; 2] || s.piece[..1] == [0.0]));
    }

    #[test]
    fn streamlines_without_segments_are_counted() {
        let grid = Grid::new([4, 4, 4], Affine::identity()).unwrap();
        let mask = Mask::full(grid);
        let mut tractogram = Tractogram::new();
        tractogram.push(&[[0.0; 3], [2.0, 0.0, 0.0]]);
        tractogram.push(&[[0.0; 3], [f32::NAN, 0.0, 0.0]]);
        tractogram.push(&[[0.0; 3], [0.1, 0.0, 0.0]]);
        tractogram.push(&[[f32::INFINITY; 3], [1.0; 3]]);
        tractogram.push(&[[0.0; 3], [900.0, 0.0, 0.0]]);
        tractogram.push(&[[9.0; 3], [19.0; 3]]);
        let options =
            SegmentOptions { minimum_length: 1.0, maximum_length: 250.0, ..SegmentOptions::default() };
        let (segments, summary) = encode(&tractogram, &mask, options.clone()).unwrap();
        assert_eq!((segments.len(), segments.streamlines()), (3, 6));
        assert_eq!((summary.wrong_length, summary.not_finite, summary.outside), (2, 2, 1));
        assert_eq!(summary.first_not_finite, Some(1));

        let error = |streamlines: &[usize]| {
            encode(&tractogram.select(streamlines), &mask, options.clone()).unwrap_err().to_string()
        };
        assert!(error(&[]).starts_with("tractogram: it has no streamline;"));
        assert!(error(&[1, 3]).contains("all 2 streamlines have points that are not finite"));
        assert!(
            error(&[1, 2, 4])
                .contains("all 3 streamlines of the tractogram are shorter than 1 mm or longer than 250 mm")
        );
        assert_eq!(error(&[2, 5]), no_streamline_in_mask().to_string());
    }

    #[test]
    fn impossible_options_are_rejected() {
        let mask = Mask::full(Grid::new([4, 4, 4], Affine::identity()).unwrap());
        let good = SegmentOptions::default();
        for wrong in [
            SegmentOptions { minimum_length: -1.0, ..good.clone() },
            SegmentOptions { maximum_length: f64::NAN, ..good.clone() },
            SegmentOptions { minimum_length: 5.0, maximum_length: 4.0, ..good.clone() },
            SegmentOptions { minimum_segment: -1e-3, ..good.clone() },
            SegmentOptions { blur: Some(Blur { spacing: 0.0, ..Blur::default() }), ..good },
        ] {
            assert!(SegmentEncoder::new(&mask, wrong).is_err());
        }
    }
}
