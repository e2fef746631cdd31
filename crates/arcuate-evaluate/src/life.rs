//! Linear Fascicle Evaluation (LiFE). It finds the weights of streamlines that together predict the measured
//! diffusion signal best.
//!
//! The method is that of Pestilli, Yeatman, Rokem, Kay and Wandell 2014 (doi:10.1038/nmeth.3098). The sparse
//! form of its matrix follows Caiafa and Pestilli 2017 (doi:10.1038/s41598-017-09250-w). The equation below
//! models the signal S in voxel v and measurement θ of a shell.
//!
//! ```text
//! S(v, θ) − mean_θ S(v, θ) ≈ S₀(v) · Σ_f w_f · Σ_nodes φ · D(a, θ),   w_f ≥ 0,
//! ```
//!
//! D is the signal that a fascicle's tensor predicts along orientation a, and w are the weights of
//! streamlines. The means over each shell are subtracted from the measured and the predicted signals. The
//! mean signal of a shell is thus free, which represents isotropic diffusion ([`LifeShells`]). The weights
//! minimise ½‖y − Mw‖² + λ Σ w, with the data y and the matrix M of predicted signals. The penalty λ is 0 as
//! published. A λ above 0 keeps fewer streamlines (ReAl-LiFE: Kumar, Sreenivasan, Talukdar, Pestilli and
//! Sridharan 2019, doi:10.1609/aaai.v33i01.3301630).

use crate::encoding::{Encoding, EncodingOptions, NodeValue};
use crate::{Element, LifeShells, ProductKernels, SparseTucker, tensor_dictionary};
use arcuate_compute::Device;
use arcuate_core::{
    Control, Error, GradientTable, Mask, NotComputed, Orientations, Result, StreamlineSource, Volume,
    VoxelCounts, require_signal,
};
use arcuate_solve::{
    LinearOperator, NonNegativeLeastSquares, Outcome, Solution, StoppingRule, Trace, TracePoint,
    projected_barzilai_borwein, sbbnnls,
};

/// The normalisation of the measured signals that streamlines must explain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Normalisation {
    /// The data are the signal minus its mean over each shell. The prediction is S₀(v) · D · Φ, with the mean
    /// b = 0 signal S₀ of voxel v, the dictionary D and the coefficients Φ of streamlines. A voxel with a
    /// larger signal thus has a larger weight in the fit, as in the original LiFE and its sparse form.
    #[default]
    Signal,
    /// The data are the signal divided by the voxel's mean b = 0 signal S₀, minus the mean over each shell.
    /// The prediction is D · Φ, with the dictionary D and the coefficients Φ of streamlines. Every voxel has
    /// the same weight in the fit, as in DIPY.
    Relative,
}

/// The algorithm that computes the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Solver {
    /// The solver uses projected gradients with Barzilai–Borwein step lengths. Each iteration computes two
    /// matrix-vector products, with M or Mᵀ.
    #[default]
    ProjectedBarzilaiBorwein,
    /// The published algorithm of LiFE (SBBNNLS), for reference. Each iteration computes three and a half
    /// matrix-vector products on average.
    Sbbnnls,
}

/// Options of Linear Fascicle Evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct LifeOptions {
    /// The b-values (s/mm²) of the shells whose measurements are explained. If `None`, shells are selected as
    /// in [`LifeShells::new`].
    pub shells: Option<Vec<f64>>,
    /// Eigenvalues λ₁, λ₂ and λ₃ of the diffusion tensor of a fascicle, in µm²/ms. λ₂ and λ₃ must be equal.
    pub eigenvalues: [f64; 3],
    /// The directions of streamlines are replaced by the nearest of these orientations.
    pub orientations: Orientations,
    /// The value that each node (point) of a streamline has.
    pub node_value: NodeValue,
    /// The normalisation of the data.
    pub normalisation: Normalisation,
    /// The algorithm that computes the weights.
    pub solver: Solver,
    /// Strength of the penalty λ Σ w on the weights (ReAl-LiFE), from 0 (plain LiFE) to below 1. The strength
    /// is λ divided by λ_max = max(Mᵀy), the smallest λ for which all weights are 0. This fraction does not
    /// depend on the unit of the signal or on the point spacing of streamlines.
    pub l1: f64,
    /// The stopping rule of the solver.
    pub stopping: StoppingRule,
}

impl LifeOptions {
    /// Returns an error if [`LifeProblem::new`] would reject a gradient table with these options. The
    /// gradient table can thus be checked before other work starts.
    pub fn check(&self, gradients: &GradientTable) -> Result<()> {
        check_table(gradients)?;
        let shells = self.shells_of(gradients)?;
        tensor_dictionary(gradients, &shells, &self.orientations, self.eigenvalues).map(|_| ())
    }

    /// Returns the measurements of a series that streamlines must explain. Returns an error if
    /// [`LifeShells::new`] fails.
    #[doc(hidden)]
    pub fn shells_of(&self, gradients: &GradientTable) -> Result<LifeShells> {
        LifeShells::new(gradients, self.shells.as_deref())
    }
}

impl Default for LifeOptions {
    fn default() -> Self {
        Self {
            shells: None,
            eigenvalues: [1.0, 0.0, 0.0],
            // The published problems have 1,057 orientations. The distance between neighbours is 4°.
            orientations: Orientations::half_sphere(1057),
            node_value: NodeValue::default(),
            normalisation: Normalisation::default(),
            solver: Solver::default(),
            l1: 0.0,
            stopping: StoppingRule::default(),
        }
    }
}

/// A LiFE problem, which consists of the linear operator M and the data y.
pub struct LifeProblem<T: Element> {
    pub(crate) encoding: Encoding,
    pub(crate) operator: SparseTucker<T>,
    pub(crate) data: Vec<T>,
    /// For each streamline, the index of its weight among the unknowns of the operator.
    pub(crate) columns: Vec<u32>,
    counts: VoxelCounts,
    /// The power of two by which the data and the linear operator are multiplied.
    gain: f64,
}

/// The fitted weights of streamlines, and the errors of the fit.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Life {
    /// One weight ≥ 0 per streamline of the tractogram. The weight is 0 if the signal does not support the
    /// streamline.
    pub weights: Vec<f64>,
    /// Error without streamlines: for each voxel, the root mean square over the measurements if all weights
    /// are 0. It is the deviation of the data from the mean of each shell. Its unit is that of the signal, or
    /// S₀ if the data were divided by S₀. Voxels without streamlines are NaN.
    pub rmse_before: Volume<f32>,
    /// Error of the fit: for each voxel, the root mean square over the measurements of the data minus the
    /// prediction from the fitted weights.
    pub rmse_after: Volume<f32>,
    /// The number λ of the penalty λ Σ w that was used, in the unit of Mᵀy. It is 0 without a penalty.
    pub l1: f64,
    /// Value of the objective ½‖y − Mw‖² + λ Σ w for the returned weights w.
    pub objective: f64,
    /// Norm of the projected gradient at the returned weights, divided by its norm at w = 0.
    pub projected_gradient: f64,
    /// The reason why the solver stopped.
    pub outcome: Outcome,
    /// The iteration history of the solver.
    pub trace: Trace,
}

impl Life {
    /// Returns the numbers of the streamlines with a positive weight, ascending.
    pub fn supported(&self) -> Vec<usize> {
        (0..self.weights.len()).filter(|&n| self.weights[n] > 0.0).collect()
    }
}

impl<T: Element> LifeProblem<T> {
    /// Converts the streamlines of a tractogram (RAS mm) to sparse coefficients, in the voxels of `mask`. The
    /// streamlines can also come from a file that is read in batches. Then prepares the linear operator and
    /// the data.
    ///
    /// Unusable data are excluded, and warnings report them. Voxels are excluded if their mean b = 0 signal
    /// is not positive or a signal is not finite. Shells are excluded by [`LifeShells::new`]. Returns an
    /// error if the gradient table does not match the series, if it has no b = 0 or no shell, or if no data
    /// remain.
    pub fn new(
        dwi: &Volume<f32>,
        gradients: &GradientTable,
        mask: &Mask,
        streamlines: &dyn StreamlineSource,
        options: &LifeOptions,
        device: &Device,
    ) -> Result<Self> {
        check_series(dwi, gradients, mask)?;
        let shells = options.shells_of(gradients)?;
        let dictionary = tensor_dictionary(gradients, &shells, &options.orientations, options.eigenvalues)?;
        if options.shells.is_none() {
            shells.warn_of_left_out(gradients);
        }
        let encoding_options =
            EncodingOptions { orientations: options.orientations.clone(), node_value: options.node_value };
        let mut encoding = Encoding::new(streamlines, mask, &encoding_options, device)?;
        let b0 = gradients.b0_indices();
        let mut counts = VoxelCounts::of(encoding.voxels().len());
        let mut usable = Vec::with_capacity(encoding.voxels().len());
        for &voxel in encoding.voxels() {
            let reason = why_not_usable(dwi.voxel(voxel as usize), &b0);
            if let Some(reason) = reason {
                counts.add(reason, 1);
            }
            usable.push(reason.is_none());
        }
        counts.require_some()?;
        counts.warn("LiFE", &Control::default());
        encoding.retain_voxels(&usable);
        let gain = match options.normalisation {
            Normalisation::Signal => {
                let s0 = |&voxel: &u32| mean(dwi.voxel(voxel as usize), &b0);
                gain(encoding.voxels().iter().map(s0).sum::<f64>() / encoding.voxels().len() as f64)
            }
            Normalisation::Relative => 1.0,
        };
        let mut data = Vec::with_capacity(encoding.voxels().len() * shells.measurements().len());
        let mut centred = Vec::new();
        let mut scale = Vec::with_capacity(encoding.voxels().len());
        for &voxel in encoding.voxels() {
            let signal = dwi.voxel(voxel as usize);
            let s0 = mean(signal, &b0);
            centred.clear();
            centred.extend(shells.measurements().iter().map(|&m| f64::from(signal[m])));
            shells.centre(&mut centred);
            let unit = match options.normalisation {
                Normalisation::Signal => 1.0 / gain,
                Normalisation::Relative => s0,
            };
            scale.push(s0 / unit);
            data.extend(centred.iter().map(|&s| T::of(s / unit)));
        }
        // If streamlines pass through the same voxels, their weights are neighbours among the unknowns.
        // Matrix products therefore access nearby memory.
        let columns = encoding.numbers_by_first_voxel();
        let mut operator = SparseTucker::from_encoding(&encoding, &dictionary, &scale, &columns)?;
        operator.place(device, ProductKernels::Auto)?;
        Ok(Self { encoding, operator, data, columns, counts, gain })
    }

    /// Returns the sparse coefficients of the streamlines.
    #[doc(hidden)]
    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// Returns the linear operator M. Its unknowns are the weights of the streamlines, in the order in which
    /// the list of voxels first contains the streamlines.
    #[doc(hidden)]
    pub fn operator(&self) -> &SparseTucker<T> {
        &self.operator
    }

    /// Returns the data y. The data of a voxel with streamlines are contiguous. If signals are very large or
    /// very small, the data and the operator are multiplied by a power of two. Otherwise, sums of squares
    /// would exceed the range of single precision.
    pub fn data(&self) -> &[T] {
        &self.data
    }

    /// Returns the linear operator M and the data y.
    #[doc(hidden)]
    pub fn into_parts(self) -> (SparseTucker<T>, Vec<T>) {
        (self.operator, self.data)
    }

    /// Returns, for each streamline, the index of its weight among the unknowns of the operator.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// Returns the number of voxels with streamlines. Also returns how many of them have unusable signals, by
    /// reason.
    pub fn counts(&self) -> &VoxelCounts {
        &self.counts
    }

    /// Computes the weights w of the streamlines, starting at w = 0. `watch` is called in every iteration. If
    /// it returns `false`, the solver stops. If the solver stops before it reaches its tolerance, a warning
    /// is logged.
    ///
    /// # Panics
    ///
    /// Panics if `l1` in the options is negative or not finite.
    pub fn solve(&self, options: &LifeOptions, watch: impl FnMut(&TracePoint) -> bool) -> Life {
        let l1 = self.penalty(options);
        let mut solution = minimise(&self.problem(l1), options, watch);
        let squared = self.gain * self.gain;
        for point in &mut solution.trace.points {
            point.objective /= squared;
        }
        let zero = vec![T::zero(); self.columns.len()];
        let weights = self.by_streamline(&solution.weights);
        Life {
            rmse_before: self.rmse_map(&self.rmse(&zero)),
            rmse_after: self.rmse_map(&self.rmse(&weights)),
            weights: weights.iter().map(|w| w.double()).collect(),
            l1,
            objective: solution.objective / squared,
            projected_gradient: solution.projected_gradient,
            outcome: solution.outcome,
            trace: solution.trace,
        }
    }

    /// Returns the λ of the penalty for the strength `l1` of the options, which is a fraction.
    pub(crate) fn penalty(&self, options: &LifeOptions) -> f64 {
        if options.l1 == 0.0 {
            return 0.0;
        }
        let largest = NonNegativeLeastSquares::new(&self.operator, &self.data).largest_useful_l1();
        options.l1 * largest / (self.gain * self.gain)
    }

    /// Returns the least squares problem for the weights, with the penalty λ = `l1`.
    pub(crate) fn problem(&self, l1: f64) -> NonNegativeLeastSquares<'_, T> {
        NonNegativeLeastSquares::new(&self.operator, &self.data).with_l1(l1 * self.gain * self.gain)
    }

    /// Returns the unknowns of the operator in the order of the streamlines.
    pub(crate) fn by_streamline(&self, unknowns: &[T]) -> Vec<T> {
        self.columns.iter().map(|&column| unknowns[column as usize]).collect()
    }

    /// Returns the root mean square error of each voxel that has streamlines. `weights` has one weight per
    /// streamline.
    pub fn rmse(&self, weights: &[T]) -> Vec<f64> {
        let mut unknowns = vec![T::zero(); weights.len()];
        for (&column, &weight) in self.columns.iter().zip(weights) {
            unknowns[column as usize] = weight;
        }
        let mut prediction = vec![T::zero(); self.data.len()];
        self.operator.forward(&unknowns, &mut prediction);
        let directions = self.operator.directions();
        prediction
            .chunks_exact(directions)
            .zip(self.data.chunks_exact(directions))
            .map(|(p, y)| {
                let squares: f64 = p.iter().zip(y).map(|(p, y)| (p.double() - y.double()).powi(2)).sum();
                (squares / directions as f64).sqrt() / self.gain
            })
            .collect()
    }

    fn rmse_map(&self, rmse: &[f64]) -> Volume<f32> {
        let mut map = Volume::filled(*self.encoding.grid(), 1, f32::NAN);
        for (&voxel, &error) in self.encoding.voxels().iter().zip(rmse) {
            map.values_mut()[voxel as usize] = error as f32;
        }
        map
    }
}

/// Minimises the objective of a problem with the solver and the stopping rule of the options, starting at w
/// = 0.
pub(crate) fn minimise<T: Element>(
    problem: &NonNegativeLeastSquares<'_, T>,
    options: &LifeOptions,
    watch: impl FnMut(&TracePoint) -> bool,
) -> Solution<T> {
    let start = vec![T::zero(); problem.columns()];
    let solution = match options.solver {
        Solver::ProjectedBarzilaiBorwein => {
            projected_barzilai_borwein(problem, &start, &options.stopping, watch)
        }
        Solver::Sbbnnls => sbbnnls(problem, &start, &options.stopping, watch),
    };
    let advice = match solution.outcome {
        Outcome::Converged => return solution,
        // If the solver reports its iteration limit although it did fewer iterations, `watch` has stopped it.
        Outcome::IterationLimit
            if solution
                .trace
                .points
                .last()
                .is_some_and(|last| last.iteration < options.stopping.iterations) =>
        {
            return solution;
        }
        Outcome::IterationLimit => {
            "give more ‘iterations’ or a larger ‘tolerance’, so that the fit converges"
        }
        Outcome::PrecisionLimit => {
            "give a larger ‘tolerance’ or ‘precision’ double, so that the fit converges"
        }
    };
    tracing::warn!(
        "LiFE stopped before it converged to the tolerance {:e}; the norm of the projected gradient is still \
         {:.1e} of its initial value; {advice}",
        options.stopping.tolerance,
        solution.projected_gradient
    );
    solution
}

fn check_series(dwi: &Volume<f32>, gradients: &GradientTable, mask: &Mask) -> Result<()> {
    if gradients.len() != dwi.channels() {
        let problem = format!(
            "the gradient table has {} measurements, but the series has {} volumes",
            gradients.len(),
            dwi.channels()
        );
        return Err(Error::invalid("gradient table", problem, "give one row per volume"));
    }
    dwi.grid().require_match(mask.grid(), "mask", "the diffusion series")?;
    require_signal(dwi)?;
    check_table(gradients)
}

/// Returns the reason why the signals of a voxel cannot be used, or `None` if they can be used.
fn why_not_usable(signals: &[f32], b0: &[usize]) -> Option<NotComputed> {
    if signals.iter().any(|signal| !signal.is_finite()) {
        Some(NotComputed::NotFinite)
    } else if signals.iter().all(|signal| *signal <= 0.0) {
        Some(NotComputed::NoSignal)
    } else {
        (mean(signals, b0) <= 0.0).then_some(NotComputed::WeakB0)
    }
}

fn check_table(gradients: &GradientTable) -> Result<()> {
    if gradients.b0_indices().is_empty() {
        return Err(Error::invalid(
            "gradient table",
            format!("no measurement has b ≤ {} s/mm², so S₀ is unknown", gradients.b0_threshold()),
            "give a series with b = 0 volumes, or raise ‘b0_threshold’",
        ));
    }
    Ok(())
}

/// Returns the power of two by which signals of this mean size are multiplied to be about 1. If single
/// precision can represent the squares of the signals and their sums, returns 1. This is the usual case.
fn gain(size: f64) -> f64 {
    if (1e-4..1e6).contains(&size) { 1.0 } else { (-size.log2().round()).exp2() }
}

fn mean(signal: &[f32], measurements: &[usize]) -> f64 {
    measurements.iter().map(|&m| f64::from(signal[m])).sum::<f64>() / measurements.len() as f64
}
