use super::{
    Axes, CommitProblem, Data, Harmonics, Responses, Segments, harmonics_are_worth_it, table_operator,
};
use crate::{Element, ProductKernels, SparseTucker};
use arcuate_compute::Device;
use arcuate_core::{Orientations, Result, Volume};
use arcuate_solve::{LinearOperator, LocalUnknowns, SolverOperator, SplitOperator};
use std::sync::Arc;

/// Maximum error of a response in any direction, for COMMIT's operator with exact directions. It is 1e-5 of a
/// normalised response, far below the noise.
const TOLERANCE: f64 = 1e-5;

/// How COMMIT's operator represents the directions of segments and peaks.
#[derive(Debug, Clone, PartialEq)]
pub enum Directions {
    /// Directions are exact, by spherical harmonics.
    Exact,
    /// The direction of every segment and peak is replaced by the nearest of the orientations in this list.
    Table(Orientations),
    /// Directions are exact if a product then needs at most three times the multiplications of a product with
    /// a table of orientations. If it needs more, every direction is replaced by the nearest of the
    /// orientations in this list.
    Auto(Orientations),
}

/// The linear operator A of COMMIT, either with exact directions or with a table of orientations. The
/// unknowns and the data are the same in both cases.
#[derive(Debug)]
pub enum CommitOperator<T: Element> {
    /// The operator with exact directions.
    Harmonics(Box<Harmonics<T>>),
    /// The operator in which each direction is replaced by one of a table of orientations.
    Table(Box<SparseTucker<T>>),
}

impl<T: Element> CommitOperator<T> {
    /// Creates COMMIT's operator for segments, axes and responses, and places it on a device. The matrix rows
    /// of voxel n are multiplied by `voxel_scale[n]`.
    ///
    /// Returns an error in the same cases as [`Harmonics::new`] and [`table_operator`], and if a GPU cannot
    /// be used.
    pub fn new(
        segments: &Arc<Segments>,
        axes: &Axes,
        responses: &Responses,
        voxel_scale: Option<&[f64]>,
        directions: &Directions,
        device: &Device,
    ) -> Result<Self> {
        let table = match directions {
            Directions::Exact => None,
            Directions::Table(orientations) => Some(orientations),
            Directions::Auto(orientations) => {
                (!harmonics_are_worth_it(responses, segments, axes, TOLERANCE)).then_some(orientations)
            }
        };
        let mut operator = if let Some(orientations) = table {
            let operator = table_operator(segments, axes, responses, orientations, voxel_scale)?;
            Self::Table(Box::new(operator))
        } else {
            let segments = Arc::clone(segments);
            let operator = Harmonics::new(segments, axes, responses, voxel_scale, TOLERANCE)?;
            Self::Harmonics(Box::new(operator))
        };
        match &mut operator {
            Self::Harmonics(operator) => operator.place(device)?,
            Self::Table(operator) => operator.place(device, ProductKernels::Auto)?,
        }
        Ok(operator)
    }

    /// Returns what computes the products A x and Aᵀ y: the words `the CPU`, or the names of the GPU kernels.
    pub fn computed_by(&self) -> String {
        match self {
            Self::Harmonics(operator) => operator.computed_by(),
            Self::Table(operator) => operator.computed_by(),
        }
    }

    /// Returns a text for messages that describes how the operator represents directions.
    pub fn describe(&self) -> String {
        match self {
            Self::Harmonics(operator) => {
                let orders: Vec<String> = operator.orders().iter().map(usize::to_string).collect();
                let [intra, extra] = operator.ranks();
                format!(
                    "exact: harmonics to degree {} (by shell), {intra} functions for intra-axonal responses, {extra} for \
                     extra-axonal ones, error at most {:.1e}",
                    orders.join(", "),
                    operator.response_error()
                )
            }
            Self::Table(operator) => {
                format!("looked up: {} atoms, {} runs", operator.atoms(), operator.runs())
            }
        }
    }

    fn inner(&self) -> &dyn SolverOperator<T> {
        match self {
            Self::Harmonics(operator) => operator.as_ref(),
            Self::Table(operator) => operator.as_ref(),
        }
    }
}

impl<T: Element> LinearOperator<T> for CommitOperator<T> {
    fn rows(&self) -> usize {
        self.inner().rows()
    }

    fn columns(&self) -> usize {
        self.inner().columns()
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        self.inner().apply_forward(unknowns, data);
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        self.inner().apply_adjoint(data, unknowns);
    }

    fn apply_normal(&self, unknowns: &[T], out: &mut [T]) {
        self.inner().apply_normal(unknowns, out);
    }
}

impl<T: Element> SolverOperator<T> for CommitOperator<T> {
    fn on_gpus(&self) -> Option<Box<dyn SplitOperator<T> + '_>> {
        self.inner().on_gpus()
    }

    fn local_unknowns(&self) -> Option<Box<dyn LocalUnknowns<T> + '_>> {
        self.inner().local_unknowns()
    }
}

impl<T: Element> CommitProblem<T, CommitOperator<T>> {
    /// Creates COMMIT's operator on a device, and [`assemble`](Self::assemble)s the COMMIT problem with this
    /// operator.
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        data: &Data,
        segments: Arc<Segments>,
        axes: Axes,
        responses: Responses,
        confidence: Option<&Volume<f32>>,
        normalise: bool,
        directions: &Directions,
        device: &Device,
    ) -> Result<Self> {
        Self::assemble(data, segments, axes, responses, confidence, normalise, |s, a, r, scale| {
            CommitOperator::new(s, a, r, scale, directions, device)
        })
    }
}
