use super::local_unknowns::{LocalColumns, WithLocalColumns};
use super::{Axes, Commit, Data, Layout, Responses, Segment, Segments};
use arcuate_core::{Error, Orientations, Result, Volume};
use arcuate_solve::{LinearOperator, Real};
use std::sync::Arc;

/// Number of compartment axes over which the squared norm of a response function is averaged.
const AXES_OF_NORMS: usize = 500;

/// A COMMIT problem. It has the data y of all voxels, the linear operator A, and the factors that convert the
/// unknowns of the operator to the amounts of compartments.
///
/// The amounts x minimise ½‖√C (y − A x)‖² + Ω(x) over x ≥ 0. C is the confidence of each voxel (1 without a
/// confidence map), and Ω is the penalty. The rows of A are ordered by voxel, then by sample. [`Layout`]
/// defines the order of the columns.
#[derive(Debug)]
pub struct CommitProblem<T, A> {
    operator: A,
    data: Vec<T>,
    layout: Layout,
    segments: Arc<Segments>,
    axes: Axes,
    samples: usize,
    /// Divisors of the response functions: first intra-axonal, then extra-axonal, then isotropic.
    norms: Vec<f64>,
    /// For each streamline, the number by which the lengths of its segments are divided.
    streamline_norms: Vec<f64>,
    /// For each voxel, the number by which its samples are divided.
    units: Vec<f64>,
    /// For each voxel, the square root of its confidence C. `None` without a confidence map.
    row_scale: Option<Vec<f64>>,
}

impl<T: Real, A: LinearOperator<T>> CommitProblem<T, A> {
    /// Creates a COMMIT problem. Its voxels are the voxels of `segments`. All voxels must have usable data
    /// ([`Data::usable`]). `axes` has the axes of the extra-axonal compartments in each voxel. `confidence`
    /// is a map with a positive number in each voxel of the problem.
    ///
    /// If `normalise` is true, each response is divided by the square root of its mean squared norm over all
    /// axes. The lengths of a streamline's segments are divided by the square root of the sum over voxels of
    /// the squared length. All columns of A then have a norm of about 1. Solvers need far fewer iterations,
    /// and a penalty affects short and long streamlines equally. Results nevertheless refer to the original
    /// lengths and responses.
    ///
    /// `operator` is called to create the operator A. Its arguments are the segments, the axes, the
    /// responses, and the factor √C for the matrix rows of each voxel with confidence C.
    ///
    /// Returns an error if the inputs belong to different grids, voxels or samples. Also returns an error if
    /// the mean is subtracted from the responses but not from the data, or the reverse. Other errors are data
    /// or confidences that are not finite, and an error of `operator`.
    pub fn assemble(
        data: &Data,
        mut segments: Arc<Segments>,
        axes: Axes,
        mut responses: Responses,
        confidence: Option<&Volume<f32>>,
        normalise: bool,
        operator: impl FnOnce(&Arc<Segments>, &Axes, &Responses, Option<&[f64]>) -> Result<A>,
    ) -> Result<Self> {
        let fail = |problem: &str| {
            Err(Error::invalid(
                "COMMIT",
                problem,
                "compute the data, the segments, the peaks and the responses from the same series and the \
                 same mask",
            ))
        };
        if responses.samples() != data.samples().len() {
            return fail("responses and data have not the same samples");
        }
        if responses.demean != data.demeaned() {
            return fail("only one of responses and data is demeaned");
        }
        if axes.voxels() != segments.voxels().len() {
            return fail("the peaks are not those of the voxels with streamlines");
        }
        if !segments.grid().matches(data.grid()) {
            return fail("streamlines and series are not on the same grid");
        }
        let (norms, streamline_norms) = if normalise {
            (responses.normalise(), Arc::make_mut(&mut segments).normalise())
        } else {
            let count = responses.intra() + responses.extra() + responses.isotropic();
            (vec![1.0; count], vec![1.0; segments.streamlines()])
        };
        let row_scale = match confidence {
            Some(map) => {
                data.grid().require_match(map.grid(), "confidence map", "the diffusion series")?;
                let root = |&voxel: &u32| f64::from(map.voxel(voxel as usize)[0]).sqrt();
                let roots: Vec<f64> = segments.voxels().iter().map(root).collect();
                if !roots.iter().all(|&root| root > 0.0 && root.is_finite()) {
                    return fail("the confidence of a voxel is not above 0");
                }
                Some(roots)
            }
            None => None,
        };
        let layout = Layout {
            streamlines: segments.streamlines(),
            intra: responses.intra(),
            axes: axes.len(),
            extra: responses.extra(),
            voxels: segments.voxels().len(),
            isotropic: responses.isotropic(),
        };
        let mut y = Vec::with_capacity(layout.voxels * responses.samples());
        let (mut units, mut samples) = (Vec::with_capacity(layout.voxels), Vec::new());
        for (n, &voxel) in segments.voxels().iter().enumerate() {
            units.push(data.of_voxel(voxel as usize, &mut samples));
            let scale = row_scale.as_ref().map_or(1.0, |roots| roots[n]);
            y.extend(samples.iter().map(|&s| T::of(s * scale)));
        }
        if !y.iter().all(|value| value.is_finite()) {
            return fail("the signal of a voxel is not finite");
        }
        let operator = operator(&segments, &axes, &responses, row_scale.as_deref())?;
        if (operator.rows(), operator.columns()) != (y.len(), layout.len()) {
            return fail("the operator has another size than the data and the unknowns");
        }
        let samples = responses.samples();
        Ok(Self {
            operator,
            data: y,
            layout,
            segments,
            axes,
            samples,
            norms,
            streamline_norms,
            units,
            row_scale,
        })
    }

    /// Returns the linear operator √C A for the normalised responses, with the confidence C of each voxel.
    pub fn operator(&self) -> &A {
        &self.operator
    }

    /// Returns the linear operator √C A and the data √C y, with the confidence C of each voxel.
    pub fn into_parts(self) -> (A, Vec<T>) {
        (self.operator, self.data)
    }

    /// Returns the operator as one whose local unknowns a solver can eliminate.
    pub(super) fn with_local_columns(&self) -> WithLocalColumns<'_, A> {
        let columns = LocalColumns { layout: &self.layout, axes: &self.axes };
        WithLocalColumns { operator: &self.operator, columns }
    }

    /// Returns the data √C y.
    pub fn data(&self) -> &[T] {
        &self.data
    }

    /// Returns the order of the unknowns.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the segments of the streamlines. Their lengths are those that the operator uses, which are
    /// normalised if the problem was created with `normalise`.
    pub fn segments(&self) -> &Segments {
        &self.segments
    }

    /// Returns the amounts of all compartments for a solution, maps of these amounts, and the errors of the
    /// solution.
    ///
    /// # Panics
    ///
    /// Panics if the number of unknowns differs from the number of columns of the operator.
    pub fn results(&self, unknowns: &[T]) -> Commit {
        assert_eq!(unknowns.len(), self.layout.len(), "unknowns and operator do not fit");
        let mut amounts: Vec<f64> = unknowns.iter().map(|x| x.double()).collect();
        let back: Vec<f64> = self.norms.iter().map(|norm| norm.recip()).collect();
        self.layout.scale(&mut amounts, &back);
        let intra = &mut amounts[self.layout.intra_unknowns()];
        for (of_streamline, norm) in
            intra.chunks_exact_mut(self.layout.intra.max(1)).zip(&self.streamline_norms)
        {
            for amount in of_streamline {
                *amount /= norm;
            }
        }
        let mut prediction = vec![T::zero(); self.data.len()];
        self.operator.forward(unknowns, &mut prediction);
        Commit::new(&self.layout, &self.segments, &self.streamline_norms, &self.axes, amounts, |voxel| {
            self.errors(voxel, &prediction)
        })
    }

    /// Predicts the signal of a solution in the unit of the diffusion series, with one channel per sample.
    /// Voxels outside the problem are NaN. If the mean of each voxel's data was subtracted, the mean of the
    /// prediction is 0, too.
    ///
    /// # Panics
    ///
    /// Panics if the number of unknowns differs from the number of columns of the operator.
    pub fn predicted_signal(&self, unknowns: &[T]) -> Volume<f32> {
        self.prediction(unknowns, |n| self.units[n])
    }

    /// Predicts the data y of a solution, in the unit of the data. If the samples of a voxel were divided by
    /// its mean b = 0 signal, this signal is the unit.
    ///
    /// # Panics
    ///
    /// Panics if the number of unknowns differs from the number of columns of the operator.
    pub fn predicted_data(&self, unknowns: &[T]) -> Volume<f32> {
        self.prediction(unknowns, |_| 1.0)
    }

    fn prediction(&self, unknowns: &[T], unit: impl Fn(usize) -> f64) -> Volume<f32> {
        let mut prediction = vec![T::zero(); self.data.len()];
        self.operator.forward(unknowns, &mut prediction);
        let mut volume = Volume::filled(*self.segments.grid(), self.samples, f32::NAN);
        for (n, &voxel) in self.segments.voxels().iter().enumerate() {
            let unit = unit(n) / self.scale_of(n);
            let predicted = &prediction[n * self.samples..(n + 1) * self.samples];
            for (out, p) in volume.voxel_mut(voxel as usize).iter_mut().zip(predicted) {
                *out = (p.double() * unit) as f32;
            }
        }
        volume
    }

    /// Returns √C, the square root of the confidence of the `n`-th voxel of the problem.
    fn scale_of(&self, n: usize) -> f64 {
        self.row_scale.as_ref().map_or(1.0, |roots| roots[n])
    }

    /// Returns two mean squares over the samples of the `n`-th voxel of the problem. The first is the mean
    /// square of the residual y − A x. The second is the mean square of the data y.
    fn errors(&self, n: usize, prediction: &[T]) -> (f64, f64) {
        let range = n * self.samples..(n + 1) * self.samples;
        let (mut error, mut signal) = (0.0, 0.0);
        for (y, p) in self.data[range.clone()].iter().zip(&prediction[range]) {
            error += (y.double() - p.double()).powi(2);
            signal += y.double().powi(2);
        }
        let count = self.samples as f64 * self.scale_of(n).powi(2);
        (error / count, signal / count)
    }
}

impl Segments {
    /// Divides the lengths of each streamline by the square root of the sum over voxels of the squared
    /// length. Returns these divisors. The divisor is 1 for a streamline without a segment.
    fn normalise(&mut self) -> Vec<f64> {
        let mut squares = vec![0.0; self.streamlines];
        for n in 0..self.voxels.len() {
            for own in self.of_voxel(n).chunk_by(|a, b| a.streamline == b.streamline) {
                squares[own[0].streamline as usize] += own.iter().map(Segment::length).sum::<f64>().powi(2);
            }
        }
        let norms: Vec<f64> = squares.iter().map(|&s| if s > 0.0 { s.sqrt() } else { 1.0 }).collect();
        for segment in &mut self.pieces {
            let norm = norms[segment.streamline as usize];
            segment.piece = segment.piece.map(|c| (f64::from(c) / norm) as f32);
        }
        norms
    }
}

impl Responses {
    /// Divides each response by the square root of its mean squared norm over all axes. Returns these
    /// divisors in the order intra-axonal, extra-axonal, isotropic. A response that is zero everywhere is not
    /// changed.
    fn normalise(&mut self) -> Vec<f64> {
        let axes = Orientations::half_sphere(AXES_OF_NORMS);
        let of = |signal: Vec<f64>| signal.iter().map(|s| s * s).sum::<f64>();
        let mean_norm = |response| {
            let squares: f64 = axes.directions().iter().map(|&axis| of(self.signal(response, axis))).sum();
            (squares / axes.len() as f64).sqrt()
        };
        let axial = self.intra.iter().chain(&self.extra).map(mean_norm);
        let isotropic = self.isotropic.iter().map(|response| of(self.isotropic_signal(response)).sqrt());
        let norms: Vec<f64> = axial.chain(isotropic).map(|n| if n > 0.0 { n } else { 1.0 }).collect();
        let mut rest = norms.iter().copied();
        for responses in [&mut self.intra, &mut self.extra] {
            let scaled = std::mem::take(responses).into_iter().zip(&mut rest).map(|(response, norm)| {
                Box::new(move |shell, cosine| response(shell, cosine) / norm) as super::AxialResponse
            });
            *responses = scaled.collect();
        }
        for (response, norm) in self.isotropic.iter_mut().zip(rest) {
            for value in response {
                *value /= norm;
            }
        }
        norms
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_problem::{Small, dense};
    use super::super::{CommitSolver, DataOptions, FitOptions, Penalty};
    use super::*;
    use arcuate_core::Mask;
    use arcuate_solve::{Dense, Outcome};

    fn solve(problem: &CommitProblem<f64, Dense<f64>>) -> Vec<f64> {
        let options = FitOptions {
            solver: CommitSolver::BarzilaiBorwein,
            tolerance: 1e-9,
            gap: None,
            iterations: 100_000,
            penalty: Penalty::default(),
            path: 1,
            debias: false,
        };
        let fit = problem.fit(&options, |_| true).unwrap();
        assert_eq!(fit.outcome, Outcome::Converged);
        fit.unknowns
    }

    /// In the first voxel, the true amounts sum to 0.4 + 0.15 + 0.3 + 0.15 = 1 at b = 0. The division by the
    /// b = 0 signal therefore does not change them. In the second voxel, this division divides the amounts by
    /// their sum.
    #[test]
    fn amounts_maps_and_errors_match_the_truth() {
        let small = Small::new();
        let series = small.series();
        let mut plain = Vec::new();
        for normalise in [false, true] {
            let options = DataOptions { normalise_signal: false, ..DataOptions::default() };
            let problem = small.problem(&series, &options, None, normalise).unwrap();
            let unknowns = solve(&problem);
            let commit = problem.results(&unknowns);
            // Streamline 0 passes through both voxels of the problem, and the signals of the two voxels are
            // divided by different b = 0 signals. No amount of streamline 0 therefore fits both voxels
            // exactly. The reported errors must still match the predictions of the fit.
            plain.push(commit.amounts.clone());
            let signal = problem.predicted_signal(&unknowns);
            for (n, &voxel) in small.segments.voxels().iter().enumerate() {
                let voxel = voxel as usize;
                let rmse = f64::from(commit.rmse.values()[voxel]);
                let squares = |signal: &[f32]| signal.iter().map(|s| f64::from(*s).powi(2)).sum::<f64>();
                let measured: Vec<f32> =
                    series.voxel(voxel)[1..].iter().zip(signal.voxel(voxel)).map(|(y, p)| y - p).collect();
                // The signals are at most 200, and single precision resolves seven digits of them.
                assert!((rmse - (squares(&measured) / 29.0).sqrt()).abs() < 1e-4, "voxel {n}");
                let nrmse = rmse / (squares(&series.voxel(voxel)[1..]) / 29.0).sqrt();
                assert!((f64::from(commit.nrmse.values()[voxel]) - nrmse).abs() < 1e-5, "voxel {n}");
            }
            assert!(commit.intra.values()[1].is_nan() && signal.voxel(1)[0].is_nan());
        }
        // If the unit of the responses changes, the results change only because the solver stops at another
        // point.
        for (a, b) in plain[0].iter().zip(&plain[1]) {
            assert!((a - b).abs() < 1e-5, "{plain:?}");
        }
    }

    #[test]
    fn fractions_of_one_voxel_are_recovered_exactly() {
        let both = Small::new();
        let series = both.series();
        let first = both.segments.of_voxel(0).to_vec();
        let small = Small {
            segments: Segments::new(*series.grid(), 3, vec![0], vec![0, 2], first).unwrap().into(),
            axes: Axes::new(vec![0, 1], vec![[0.0, 0.6, 0.8]]).unwrap(),
            ..both
        };
        for (demean, normalise) in [(false, false), (false, true), (true, true)] {
            let options = DataOptions { demean, ..DataOptions::default() };
            let problem = small.problem(&series, &options, None, normalise).unwrap();
            let commit = problem.results(&solve(&problem));
            let expected = [0.4, 0.3, 0.0, 0.3, 0.15, 0.0];
            for (got, expected) in commit.amounts.iter().zip(expected) {
                // The signals of the series have seven digits. The fit loses two of them, because the signals
                // of the compartments are similar.
                assert!((got - expected).abs() < 2e-5, "{demean} {normalise}: {:?}", commit.amounts);
            }
            assert_eq!(commit.supported(), [0, 1]);
            // The signals of this voxel were divided by 200, and their mean was subtracted.
            let unknowns = solve(&problem);
            let (signal, data) = (problem.predicted_signal(&unknowns), problem.predicted_data(&unknowns));
            for (s, y) in signal.voxel(0).iter().zip(data.voxel(0)) {
                assert!((s - 200.0 * y).abs() < 1e-3, "{demean} {normalise}");
            }
            assert!(data.voxel(1)[0].is_nan());
            for (map, expected) in commit.fractions().iter().zip([0.55, 0.3, 0.15]) {
                assert!((map.values()[0] - expected).abs() < 2e-5, "{demean} {normalise}");
                assert!(map.values()[1].is_nan());
            }
        }
    }

    #[test]
    fn voxels_with_low_confidence_have_less_influence() {
        let small = Small::new();
        // The signals of the two voxels require different amounts of streamline 0.
        let series = small.series();
        let weight = |confidence: [f32; 2]| {
            let mut map = Volume::filled(*series.grid(), 1, 1.0);
            (map.values_mut()[0], map.values_mut()[2]) = (confidence[0], confidence[1]);
            let problem = small.problem(&series, &DataOptions::default(), Some(&map), false).unwrap();
            let commit = problem.results(&solve(&problem));
            (commit.weights[0], commit.rmse.values()[0], commit.rmse.values()[2])
        };
        let (first, second) = (weight([1.0, 1e-6]), weight([1e-6, 1.0]));
        // The true amounts of the second voxel sum to 0.4 · √½ + 0.2 + 0.25 = 0.7328. The division by the b =
        // 0 signal divides the voxel's signal by this sum.
        assert!(
            (first.0 - 0.4).abs() < 1e-3 && (second.0 - 0.4 / 0.7328).abs() < 1e-3,
            "{first:?} {second:?}"
        );
        assert!(first.1 < 1e-5 && first.2 > 1e-3 && second.1 > 1e-3 && second.2 < 1e-5);
    }

    #[test]
    fn inconsistent_parts_are_rejected() {
        let small = Small::new();
        let series = small.series();
        let samples = small.samples();
        let data = Data::new(&series, &samples, DataOptions::default()).unwrap();
        let refused = |axes: Axes, demean: bool, confidence: Option<&Volume<f32>>| {
            let responses = small.responses(demean);
            let segments = small.segments.clone();
            CommitProblem::<f64, _>::assemble(
                &data,
                segments,
                axes,
                responses,
                confidence,
                false,
                |s, a, r, scale| Ok(dense(s, a, r, scale)),
            )
            .unwrap_err()
            .to_string()
        };
        assert!(refused(Axes::none(3), false, None).contains("the peaks are not those"));
        assert!(refused(small.axes.clone(), true, None).contains("is demeaned"));
        let zero = Volume::filled(*series.grid(), 1, 0.0);
        assert!(refused(small.axes.clone(), false, Some(&zero)).contains("the confidence of a voxel"));
        assert!(data.usable(&Mask::full(*series.grid()), None).unwrap().mask.indices() == [0, 2]);
    }
}
