use super::*;
use crate::commit::AxialResponse;
use crate::commit::HarmonicElement;
use arcuate_compute::{Device, DeviceChoice, Purpose, Random};
use arcuate_core::{Affine, ErrorKind, Grid, Orientations};
use arcuate_solve::{
    Dense, GapRule, NonNegativeLeastSquares, Outcome, ProximalProblem, Regulariser, StoppingRule, checks,
    fista, projected_barzilai_borwein,
};

/// An irregular COMMIT problem. Some voxels have no segment, some have one, and some have many.
pub(super) struct Problem {
    pub(super) segments: Arc<Segments>,
    pub(super) axes: Axes,
    pub(super) responses: Responses,
    pub(super) scale: Vec<f64>,
}

/// Creates the problem. `counts` are the numbers of segments of the voxels, and `kinds` are the numbers of
/// intra-axonal, extra-axonal and isotropic responses.
pub(super) fn problem(counts: &[usize], streamlines: usize, kinds: [usize; 3], demean: bool) -> Problem {
    let mut random = Random::new(5, Purpose::Resampling, 0);
    let mut direction = |length: f64| loop {
        let d: [f64; 3] = std::array::from_fn(|_| 2.0 * random.uniform() - 1.0);
        let norm = d.iter().map(|c| c * c).sum::<f64>().sqrt();
        if (0.1..1.0).contains(&norm) {
            return d.map(|c| (c * length / norm) as f32);
        }
    };
    let mut starts = vec![0];
    let mut pieces = Vec::new();
    for (voxel, &count) in counts.iter().enumerate() {
        for n in 0..count {
            let length = 0.1 + 2.0 * ((n * 7 + voxel) % 11) as f64 / 11.0;
            let streamline = ((n * 13 + voxel * 5) % streamlines) as u32;
            pieces.push(Segment { piece: direction(length), streamline });
        }
        starts.push(pieces.len());
    }
    if let Some(first) = pieces.first_mut() {
        // A segment of length 0 does not contribute.
        first.piece = [0.0; 3];
    }
    let grid = Grid::new([counts.len(), 1, 1], Affine::identity()).unwrap();
    let voxels = (0..counts.len() as u32).collect();
    let segments = Segments::new(grid, streamlines, voxels, starts, pieces).unwrap();
    let mut axis_starts = vec![0];
    let mut axes = Vec::new();
    for voxel in 0..counts.len() {
        axes.extend((0..voxel % 4).map(|_| direction(1.0)));
        axis_starts.push(axes.len());
    }
    let mut directions = vec![[0.0; 3]];
    let mut shells = vec![0];
    for (shell, count) in [(1, 20), (2, 25)] {
        directions.extend_from_slice(Orientations::half_sphere(count).directions());
        shells.extend(std::iter::repeat_n(shell, count));
    }
    // Changes the order of the samples, so that they are not sorted by shell.
    directions.swap(0, 30);
    shells.swap(0, 30);
    let decay = |parallel: f64, radial: f64| -> AxialResponse {
        Box::new(move |shell, cosine| {
            let b = [0.0, 1.0, 2.5][shell];
            (-b * (radial + (parallel - radial) * cosine * cosine)).exp()
        })
    };
    let responses = Responses::new(
        directions,
        shells,
        (0..kinds[0]).map(|j| decay(1.7 - 0.1 * j as f64, 0.05 * j as f64)).collect(),
        (0..kinds[1]).map(|j| decay(1.7, 0.4 + 0.2 * j as f64)).collect(),
        (0..kinds[2]).map(|j| [0.0, 1.0, 2.5].map(|b| (-b * (1.7 + j as f64)).exp()).to_vec()).collect(),
        demean,
    )
    .unwrap();
    let scale = (0..counts.len()).map(|voxel| 0.5 + 0.25 * (voxel % 3) as f64).collect();
    Problem { segments: Arc::new(segments), axes: Axes::new(axis_starts, axes).unwrap(), responses, scale }
}

impl Problem {
    pub(super) fn operator<T: HarmonicElement>(&self) -> Harmonics<T> {
        self.within(1e-5)
    }

    fn within<T: HarmonicElement>(&self, tolerance: f64) -> Harmonics<T> {
        let scale = Some(self.scale.as_slice());
        Harmonics::new(self.segments.clone(), &self.axes, &self.responses, scale, tolerance).unwrap()
    }

    /// Computes every entry of the matrix from the responses.
    fn written_out(&self) -> Dense<f64> {
        let (responses, segments) = (&self.responses, &self.segments);
        let [intra, extra, isotropic] = [responses.intra(), responses.extra(), responses.isotropic()];
        let (samples, voxels) = (responses.samples(), segments.voxels().len());
        let first_extra = segments.streamlines() * intra;
        let first_isotropic = first_extra + self.axes.len() * extra;
        let columns = first_isotropic + voxels * isotropic;
        let mut values = vec![0.0; voxels * samples * columns];
        for voxel in 0..voxels {
            let mut add = |column: usize, amount: f64, signal: Vec<f64>| {
                for (sample, value) in signal.iter().enumerate() {
                    values[(voxel * samples + sample) * columns + column] +=
                        self.scale[voxel] * amount * value;
                }
            };
            for segment in segments.of_voxel(voxel) {
                let d = segment.piece.map(f64::from);
                let length = d.iter().map(|c| c * c).sum::<f64>().sqrt();
                if length > 0.0 {
                    for (j, response) in responses.intra.iter().enumerate() {
                        let signal = responses.signal(response, d.map(|c| c / length));
                        add(segment.streamline as usize * intra + j, length, signal);
                    }
                }
            }
            for (n, axis) in self.axes.of_voxel(voxel).iter().enumerate() {
                for (j, response) in responses.extra.iter().enumerate() {
                    let p = self.axes.voxel_starts[voxel] + n;
                    add(first_extra + p * extra + j, 1.0, responses.signal(response, axis.map(f64::from)));
                }
            }
            for (j, response) in responses.isotropic.iter().enumerate() {
                let signal = responses.isotropic_signal(response);
                add(first_isotropic + voxel * isotropic + j, 1.0, signal);
            }
        }
        Dense::new(columns, values)
    }
}

const COUNTS: [usize; 7] = [3, 0, 1, 40, 16, 200, 0];

#[test]
fn products_agree_with_the_explicit_matrix() {
    for (kinds, demean) in [([1, 1, 2], false), ([5, 3, 1], false), ([2, 0, 0], true), ([0, 2, 1], true)] {
        let problem = problem(&COUNTS, 9, kinds, demean);
        let reference = problem.written_out();
        // Smaller tolerances are not tested. Axes are in single precision with a length of 1 within 6e-8,
        // which would matter then.
        for tolerance in [1e-5, 1e-6] {
            let operator = problem.within::<f64>(tolerance);
            assert!(operator.response_error() <= tolerance);
            assert_eq!((operator.rows(), operator.columns()), (reference.rows(), reference.columns()));
            let x: Vec<f64> = (0..operator.columns()).map(|n| (n as f64 * 0.7).sin().max(0.0)).collect();
            let y: Vec<f64> = (0..operator.rows()).map(|n| (n as f64 * 1.3).cos()).collect();
            let (mut expected, mut got) = (vec![0.0; y.len()], vec![0.0; y.len()]);
            reference.forward(&x, &mut expected);
            operator.forward(&x, &mut got);
            // The error of each response is at most the tolerance. Up to 200 segments of up to 2 mm, 5
            // responses and amounts below 1 add up. Because the errors have both signs, their sum is far
            // below a hundred times the tolerance.
            let largest =
                |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(largest(&expected, &got) < 100.0 * tolerance, "{}", largest(&expected, &got));
            // Responses are about 0.5, so that their relative error is about twice the tolerance. The
            // relative error is slightly larger if demeaned data nearly cancel.
            assert!(checks::relative_difference(&got, &expected) < 3.0 * tolerance);
            let (mut expected, mut got) = (vec![0.0; x.len()], vec![0.0; x.len()]);
            reference.adjoint(&y, &mut expected);
            operator.adjoint(&y, &mut got);
            assert!(checks::relative_difference(&got, &expected) < 3.0 * tolerance);
        }
    }
}

#[test]
fn shared_checks() {
    for kinds in [[1, 1, 2], [5, 3, 1], [1, 0, 0]] {
        let problem = problem(&COUNTS, 9, kinds, false);
        checks::all(&problem.operator::<f64>(), 1e-13);
        // In single precision, sums have hundreds of terms. Harmonics are accurate to about 1e-6.
        checks::all(&problem.operator::<f32>(), 1e-5);
    }
}

#[test]
fn single_precision_agrees_with_double_precision() {
    let problem = problem(&COUNTS, 9, [5, 3, 1], false);
    let (single, double) = (problem.operator::<f32>(), problem.operator::<f64>());
    let x: Vec<f64> = (0..double.columns()).map(|n| (n as f64 * 0.7).sin().max(0.0)).collect();
    let (mut expected, mut got) = (vec![0.0; double.rows()], vec![0.0; double.rows()]);
    double.forward(&x, &mut expected);
    let mut data = vec![0f32; double.rows()];
    single.forward(&x.iter().map(|&x| x as f32).collect::<Vec<_>>(), &mut data);
    for (to, from) in got.iter_mut().zip(data) {
        *to = f64::from(from);
    }
    // The tolerance allows for rounding of f32 (6e-8) over hundreds of terms, which partly cancel between
    // functions and degrees.
    assert!(checks::relative_difference(&got, &expected) < 2e-6);
}

#[test]
fn products_do_not_depend_on_the_number_of_threads() {
    let counts: Vec<usize> = (0..3000).map(|n| (n * 37) % 50).collect();
    let operator = problem(&counts, 500, [2, 1, 1], false).operator::<f32>();
    let x: Vec<f32> = (0..operator.columns()).map(|n| (n as f32 * 0.7).sin()).collect();
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (mut data, mut back) = (vec![0f32; operator.rows()], vec![0f32; operator.columns()]);
        pool.install(|| {
            operator.forward(&x, &mut data);
            operator.adjoint(&data, &mut back);
        });
        (data, back)
    };
    assert!(on(1) == on(3));
}

/// Returns data with deterministic noise, and amounts of which a part is 0.
fn noisy<T: HarmonicElement>(operator: &Harmonics<T>) -> (Vec<T>, Vec<T>) {
    let amounts: Vec<T> = (0..operator.columns()).map(|n| T::of((n as f64 * 0.9).sin().max(0.0))).collect();
    let mut data = vec![T::zero(); operator.rows()];
    operator.forward(&amounts, &mut data);
    for (n, value) in data.iter_mut().enumerate() {
        *value += T::of(0.2 * (n as f64 * 2.3).cos());
    }
    (data, amounts)
}

#[test]
fn eliminated_unknowns_are_optimal() {
    for (kinds, demean) in [([1, 1, 2], false), ([5, 3, 1], false), ([2, 0, 1], true), ([0, 2, 1], false)] {
        let problem = problem(&COUNTS, 9, kinds, demean);
        let operator = problem.operator::<f64>();
        let (data, mut amounts) = noisy(&operator);
        // The amounts of streamlines differ from those of the data. The local unknowns start at other values.
        for (n, x) in amounts.iter_mut().enumerate() {
            *x = (n as f64 * 0.4).cos().max(0.0);
        }
        let local = operator.local_unknowns().unwrap();
        let mut gradient = vec![0.0; amounts.len()];
        let given = amounts.clone();
        for _ in 0..3 {
            let misfit = local.minimise(&data, &mut amounts, &mut gradient);
            assert_eq!(amounts[..local.shared()], given[..local.shared()]);
            let mut residual = vec![0.0; data.len()];
            operator.forward(&amounts, &mut residual);
            arcuate_solve::vector::subtract(&mut residual, &data);
            let squares: f64 = residual.iter().map(|r| r * r).sum();
            assert!((misfit - 0.5 * squares).abs() < 1e-10 * squares, "{misfit} {squares}");
            let mut expected = vec![0.0; gradient.len()];
            operator.adjoint(&residual, &mut expected);
            let scale = expected.iter().fold(1.0, |largest: f64, g| largest.max(g.abs()));
            for (got, expected) in gradient.iter().zip(&expected) {
                assert!((got - expected).abs() < 1e-11 * scale, "{got} {expected}");
            }
        }
        // Rounding errors of 2e-16 are multiplied by the condition number of the columns of a voxel.
        for n in local.shared()..amounts.len() {
            let (x, g) = (amounts[n], gradient[n]);
            assert!(x >= 0.0 && if x > 0.0 { g.abs() < 1e-8 } else { g > -1e-8 }, "{kinds:?} {x} {g}");
        }
    }
}

#[test]
fn elimination_finds_the_same_minimum_as_other_solvers() {
    let counts: Vec<usize> = (0..40).map(|n| (n * 37) % 50).collect();
    let operator = problem(&counts, 60, [1, 1, 2], false).operator::<f64>();
    let (data, start) = (noisy(&operator).0, vec![0.0; operator.columns()]);
    let regulariser = Regulariser::non_negative(start.len());
    let rule = GapRule { gap: None, gradient_mapping: 1e-9, iterations: 100_000 };
    let expected = fista(&ProximalProblem::new(&operator, &data, &regulariser), &start, &rule, |_| true);
    let rule = StoppingRule { tolerance: 1e-8, iterations: 2000 };
    let problem = NonNegativeLeastSquares::new(&operator, &data);
    let got = projected_barzilai_borwein(&problem, &start, &rule, |_| true);
    assert_eq!((got.outcome, expected.outcome), (Outcome::Converged, Outcome::Converged));
    // Both solvers stop at a relative gradient of 1e-8 or less, so the objectives differ by far less.
    assert!((got.objective - expected.objective).abs() < 1e-9 * expected.objective);
    let start = vec![0f32; operator.columns()];
    let counted = self::problem(&counts, 60, [1, 1, 2], false).operator::<f32>();
    let data: Vec<f32> = data.iter().map(|&y| y as f32).collect();
    let rule = StoppingRule { tolerance: 1e-5, iterations: 2000 };
    let single =
        projected_barzilai_borwein(&NonNegativeLeastSquares::new(&counted, &data), &start, &rule, |_| true);
    assert_eq!(single.outcome, Outcome::Converged);
    assert!((single.objective - expected.objective).abs() < 1e-5 * expected.objective);
}

#[test]
fn elimination_does_not_depend_on_the_number_of_threads() {
    let counts: Vec<usize> = (0..3000).map(|n| (n * 37) % 50).collect();
    let operator = problem(&counts, 500, [1, 1, 2], false).operator::<f32>();
    let (data, given) = noisy(&operator);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let local = operator.local_unknowns().unwrap();
            let (mut amounts, mut gradient) = (given.clone(), vec![0f32; given.len()]);
            for x in &mut amounts {
                *x *= 0.5;
            }
            let misfit = local.minimise(&data, &mut amounts, &mut gradient);
            (misfit, amounts, gradient)
        })
    };
    assert!(on(1) == on(3));
}

#[test]
fn parts_with_different_voxels_are_rejected() {
    let problem = problem(&COUNTS, 9, [1, 1, 1], false);
    let new = |axes: &Axes, scale: Option<&[f64]>| {
        Harmonics::<f64>::new(problem.segments.clone(), axes, &problem.responses, scale, 1e-5)
    };
    assert!(new(&problem.axes, None).is_ok());
    assert!(new(&Axes::none(3), None).is_err());
    assert!(new(&problem.axes, Some(&[1.0])).is_err());
}

#[test]
fn harmonics_are_used_for_many_samples_responses_or_segments() {
    let worth = |kinds, counts: &[usize], tolerance| {
        let problem = problem(counts, 9, kinds, false);
        harmonics_are_worth_it(&problem.responses, &problem.segments, &problem.axes, tolerance)
    };
    let (crowded, sparse) = ([200; 20], [2; 20]);
    // There are 46 samples. The harmonics of one response cost several times as much as the samples. The
    // harmonics of nine responses, which share functions, cost less.
    assert!(!worth([1, 1, 2], &crowded, 1e-3));
    assert!(worth([9, 1, 2], &crowded, 1e-3));
    // The tolerance of 0.1 allows harmonics up to degree 4, which are only 15.
    assert!(worth([1, 1, 2], &crowded, 0.1));
    // With two segments per voxel, the conversion between harmonics and a voxel's samples costs too much.
    assert!(!worth([9, 0, 2], &sparse, 1e-3));
}

fn gpus(ordinals: &[usize], cap: Option<u64>) -> Device {
    DeviceChoice::Cuda(ordinals.to_vec()).open(cap).unwrap()
}

/// Computes A x and Aᵀ y for random x and y. Half of the unknowns x are zero.
fn products<T: HarmonicElement>(operator: &Harmonics<T>) -> (Vec<T>, Vec<T>) {
    let mut random = Random::new(3, Purpose::Resampling, 0);
    let x: Vec<T> = (0..operator.columns()).map(|_| T::of((random.uniform() - 0.5).max(0.0))).collect();
    let y: Vec<T> = (0..operator.rows()).map(|_| T::of(random.normal())).collect();
    let (mut ax, mut aty) = (vec![T::of(f64::NAN); y.len()], vec![T::of(f64::NAN); x.len()]);
    operator.forward(&x, &mut ax);
    operator.adjoint(&y, &mut aty);
    (ax, aty)
}

fn error<T: HarmonicElement>(got: &[T], expected: &[f64]) -> f64 {
    let got: Vec<f64> = got.iter().map(|v| v.double()).collect();
    checks::relative_difference(&got, expected)
}

/// Creates numbers of segments for several bricks of voxels. One voxel has more segments than a unit, others
/// have few or none.
fn crowded() -> Vec<usize> {
    (0..300).map(|voxel| if voxel == 40 { 1100 } else { (voxel * 37) % 11 }).collect()
}

#[test]
fn gpus_agree_with_double_precision() {
    if !arcuate_emulation::available("harmonics on GPUs") {
        return;
    }
    let device = gpus(&[0], None);
    for (kinds, demean) in [([1, 1, 2], false), ([2, 0, 0], true), ([9, 4, 1], false), ([0, 3, 1], false)] {
        let problem = problem(&crowded(), 70, kinds, demean);
        let (ax, aty) = products(&problem.operator::<f64>());
        let (mut single, mut double) = (problem.operator::<f32>(), problem.operator::<f64>());
        single.place(&device).unwrap();
        double.place(&device).unwrap();
        assert_eq!(single.computed_by(), "harmonics");
        let (got_ax, got_aty) = products(&single);
        // The tolerances allow for rounding in sums of hundreds of terms that partly cancel: 6e-8 per term
        // for f32, 1e-16 for f64.
        let errors = [error(&got_ax, &ax), error(&got_aty, &aty)];
        assert!(errors.iter().all(|&e| e <= 1e-5), "{kinds:?}: {errors:?}");
        let (got_ax, got_aty) = products(&double);
        let errors = [error(&got_ax, &ax), error(&got_aty, &aty)];
        assert!(errors.iter().all(|&e| e <= 1e-12), "{kinds:?}: {errors:?}");
    }
}

#[test]
fn operators_on_gpus_pass_the_shared_checks() {
    if !arcuate_emulation::available("shared checks of harmonics on GPUs") {
        return;
    }
    let problem = problem(&crowded(), 70, [5, 3, 1], false);
    let (mut single, mut double) = (problem.operator::<f32>(), problem.operator::<f64>());
    single.place(&gpus(&[0], None)).unwrap();
    double.place(&gpus(&[0], None)).unwrap();
    checks::all(&single, 1e-5);
    checks::all(&double, 1e-12);
}

#[test]
fn kernels_compiled_for_a_degree_agree_with_double_precision() {
    if !arcuate_emulation::available("kernels compiled for a degree") {
        return;
    }
    let device = gpus(&[0], None);
    // The numbers of segments per voxel are near the sizes of warps, blocks and units.
    let mut problem = problem(&[1, 31, 32, 33, 0, 127, 129, 256, 257, 1024, 1025, 2], 300, [1, 1, 1], false);
    let mut left: Vec<(usize, usize)> =
        degrees::COMPILED.iter().flat_map(|&order| (1..=4).map(move |rank| (order, rank))).collect();
    for rank in 1..=4 {
        for decay in (2..40).map(|n| 0.25 * f64::from(n)) {
            // The responses are linearly independent functions of increasing degree, so that none can be
            // omitted.
            let response = |j: i32| -> AxialResponse {
                Box::new(move |shell, cosine| {
                    let square = cosine * cosine;
                    square.powi(j) * (-decay * [0.0, 0.4, 1.0][shell] * square).exp()
                })
            };
            problem.responses = Responses::new(
                problem.responses.directions.clone(),
                problem.responses.shells.clone(),
                (0..rank).map(response).collect(),
                vec![response(0)],
                vec![vec![1.0, 0.5, 0.1]],
                false,
            )
            .unwrap();
            let mut single = problem.operator::<f32>();
            let order = single.orders().iter().copied().max().unwrap();
            let Some(n) = left.iter().position(|&wanted| wanted == (order, single.ranks()[0])) else {
                continue;
            };
            left.remove(n);
            single.place(&device).unwrap();
            assert_eq!(single.computed_by(), "harmonics");
            let (ax, aty) = products(&problem.operator::<f64>());
            let (got_ax, got_aty) = products(&single);
            // The tolerance allows for rounding of f32 (6e-8) in harmonics, and in sums of hundreds of
            // harmonics.
            let errors = [error(&got_ax, &ax), error(&got_aty, &aty)];
            assert!(errors.iter().all(|&e| e < 2e-6), "degree {order}, rank {rank}: {errors:?}");
        }
    }
    assert!(left.is_empty(), "not reached: degrees and ranks {left:?}");
}

#[test]
fn products_do_not_depend_on_memory_and_the_number_of_gpus() {
    // A tolerance of 1e-2 needs few harmonics, because emulated kernels are slow. The second tolerance needs
    // a degree for which kernels are compiled.
    same_bits(1e-2);
    same_bits(1e-4);
}

fn same_bits(tolerance: f64) {
    if !arcuate_emulation::available("harmonics in little memory") {
        return;
    }
    // The segments of this problem need more memory than everything else.
    let counts: Vec<usize> =
        (0..600).map(|voxel| if voxel == 300 { 1100 } else { 20 + voxel % 40 }).collect();
    let problem = problem(&counts, 70, [5, 1, 1], false);
    let mut whole = problem.within::<f32>(tolerance);
    whole.place(&gpus(&[0], None)).unwrap();
    let expected = products(&whole);
    let placed = |cap| {
        let mut operator = problem.within::<f32>(tolerance);
        match operator.place(&gpus(&[0], Some(cap))) {
            Ok(()) => Some(operator),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::DeviceTooSmall, "{cap} bytes: {error}");
                None
            }
        }
    };
    let (mut too_little, mut minimum) = (0, 1 << 26);
    while minimum - too_little > 1000 {
        let middle = u64::midpoint(too_little, minimum);
        if placed(middle).is_some() { minimum = middle } else { too_little = middle }
    }
    // The segments need 384 kB. With more than the least memory, only a part of the segments must be
    // streamed.
    for cap in [minimum, minimum + 50_000, minimum + 150_000] {
        let operator = placed(cap).expect("more than the least");
        let by = operator.computed_by();
        assert!(by.ends_with("chunks"), "{cap} bytes, {by}");
        assert!(products(&operator) == expected, "{cap} bytes, {by}");
    }
    let mut two = problem.within::<f32>(tolerance);
    // This part is skipped if the test machine has only one GPU.
    if let Ok(device) = DeviceChoice::Cuda(vec![0, 1]).open(None) {
        two.place(&device).unwrap();
        assert!(products(&two) == expected);
    }
}

#[test]
fn gpu_solutions_agree_with_the_cpu() {
    if !arcuate_emulation::available("solver with harmonics on GPUs") {
        return;
    }
    let problem = problem(&[9, 0, 3, 12, 5], 12, [1, 1, 1], false);
    // The coarse tolerance results in few harmonics, because emulated kernels are slow. It changes the
    // problem equally for both devices.
    let mut operator = problem.within::<f64>(1e-2);
    let truth: Vec<f64> = (0..operator.columns()).map(|n| (n as f64 * 0.9).sin().max(0.0)).collect();
    let mut data = vec![0.0; operator.rows()];
    operator.forward(&truth, &mut data);
    for (n, value) in data.iter_mut().enumerate() {
        *value += 0.05 * (n as f64 * 2.3).cos();
    }
    let rule = StoppingRule { tolerance: 1e-8, iterations: 20_000 };
    let solve = |operator: &Harmonics<f64>| {
        let start = vec![0.0; operator.columns()];
        let problem = NonNegativeLeastSquares::new(operator, &data);
        projected_barzilai_borwein(&problem, &start, &rule, |_| true)
    };
    let expected = solve(&operator);
    operator.place(&gpus(&[0], None)).unwrap();
    let got = solve(&operator);
    assert_eq!((got.outcome, expected.outcome), (Outcome::Converged, Outcome::Converged));
    assert_eq!(operator.computed_by(), "harmonics");
    // The solvers stop at a relative gradient of 1e-8. The distance of the objective from its optimum then
    // depends on the problem's conditioning. It is about 1e-8 for both solvers here.
    assert!((got.objective - expected.objective).abs() <= 1e-6 * expected.objective);
}
