//! Elimination of the unknowns of single voxels, for any operator of COMMIT. It needs only products with the
//! operator.

use super::{Axes, Layout};
use arcuate_solve::{
    LinearOperator, LocalUnknowns, Real, SmallNonNegative, SolverOperator, SplitOperator, vector,
};
use rayon::prelude::*;

/// Number of voxels that a task processes.
const VOXELS: usize = 256;

/// The positions of the unknowns of single voxels. The unknowns of a voxel are first its isotropic unknowns,
/// and then those of its axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct LocalColumns<'a> {
    pub(super) layout: &'a Layout,
    pub(super) axes: &'a Axes,
}

impl LocalColumns<'_> {
    /// Returns the number of local unknowns of a voxel.
    fn count(&self, voxel: usize) -> usize {
        let axes = self.axes.voxel_starts[voxel + 1] - self.axes.voxel_starts[voxel];
        self.layout.isotropic + axes * self.layout.extra
    }

    /// Returns the column of the `n`-th local unknown of a voxel.
    fn column(&self, voxel: usize, n: usize) -> usize {
        let Layout { isotropic, extra, .. } = *self.layout;
        if n < isotropic {
            self.layout.isotropic_unknowns().start + voxel * isotropic + n
        } else {
            self.layout.extra_unknowns().start + self.axes.voxel_starts[voxel] * extra + (n - isotropic)
        }
    }
}

/// An operator of COMMIT whose local unknowns a solver can eliminate.
#[derive(Debug)]
pub(super) struct WithLocalColumns<'a, A> {
    pub(super) operator: &'a A,
    pub(super) columns: LocalColumns<'a>,
}

impl<T: Real, A: LinearOperator<T>> LinearOperator<T> for WithLocalColumns<'_, A> {
    fn rows(&self) -> usize {
        self.operator.rows()
    }

    fn columns(&self) -> usize {
        self.operator.columns()
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        self.operator.apply_forward(unknowns, data);
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        self.operator.apply_adjoint(data, unknowns);
    }
}

impl<T: Real, A: SolverOperator<T>> SolverOperator<T> for WithLocalColumns<'_, A> {
    fn on_gpus(&self) -> Option<Box<dyn SplitOperator<T> + '_>> {
        self.operator.on_gpus()
    }

    fn local_unknowns(&self) -> Option<Box<dyn LocalUnknowns<T> + '_>> {
        if let Some(own) = self.operator.local_unknowns() {
            return Some(own);
        }
        Some(Box::new(ByProducts::new(self.operator, self.columns)?))
    }
}

/// An operator with the matrices of inner products ⟨Aᵢ, Aⱼ⟩ of the local columns of each voxel.
struct ByProducts<'a, T, A> {
    operator: &'a A,
    columns: LocalColumns<'a>,
    /// One matrix per voxel, row by row.
    matrices: Vec<Vec<T>>,
}

impl<'a, T: Real, A: LinearOperator<T>> ByProducts<'a, T, A> {
    /// Computes the matrices. Returns `None` if there are no local unknowns, or if a voxel has more than
    /// [`SmallNonNegative::MOST`].
    fn new(operator: &'a A, columns: LocalColumns<'a>) -> Option<Self> {
        let voxels = columns.layout.voxels;
        let most = (0..voxels).map(|voxel| columns.count(voxel)).max().unwrap_or(0);
        if most == 0 || most > SmallNonNegative::MOST {
            return None;
        }
        let mut matrices: Vec<Vec<T>> =
            (0..voxels).map(|voxel| vec![T::zero(); columns.count(voxel).pow(2)]).collect();
        let mut unknowns = vec![T::zero(); operator.columns()];
        let mut data = vec![T::zero(); operator.rows()];
        // The local columns of different voxels are orthogonal, so one product serves all voxels.
        for n in 0..most {
            unknowns.fill(T::zero());
            for voxel in (0..voxels).filter(|&voxel| n < columns.count(voxel)) {
                unknowns[columns.column(voxel, n)] = T::one();
            }
            operator.apply_forward(&unknowns, &mut data);
            operator.apply_adjoint(&data, &mut unknowns);
            for (voxel, matrix) in matrices.iter_mut().enumerate() {
                let count = columns.count(voxel);
                if n < count {
                    for row in 0..count {
                        matrix[row * count + n] = unknowns[columns.column(voxel, row)];
                    }
                }
            }
        }
        Some(Self { operator, columns, matrices })
    }

    /// Returns the changes of all local unknowns to their minimum, and the decrease of the objective.
    fn changes(&self, unknowns: &[T], gradient: &[T]) -> (Vec<T>, f64) {
        let of_chunk = |(chunk, matrices): (usize, &[Vec<T>])| {
            let mut small = SmallNonNegative::default();
            let (mut changes, mut decrease) = (Vec::new(), 0.0);
            for (n, matrix) in matrices.iter().enumerate() {
                let voxel = chunk * VOXELS + n;
                let count = self.columns.count(voxel);
                decrease += small.solve(count, matrix, |n| {
                    let column = self.columns.column(voxel, n);
                    (unknowns[column].double(), gradient[column].double())
                });
                changes.extend(small.changes[..count].iter().map(|&change| T::of(change)));
            }
            (changes, decrease)
        };
        let chunks: Vec<(Vec<T>, f64)> = self.matrices.par_chunks(VOXELS).enumerate().map(of_chunk).collect();
        let mut all = vec![T::zero(); unknowns.len()];
        let mut changes = chunks.iter().flat_map(|(changes, _)| changes);
        for voxel in 0..self.columns.layout.voxels {
            for (n, &change) in (0..self.columns.count(voxel)).zip(&mut changes) {
                all[self.columns.column(voxel, n)] = change;
            }
        }
        (all, chunks.iter().map(|(_, decrease)| decrease).sum())
    }
}

impl<T: Real, A: LinearOperator<T>> LocalUnknowns<T> for ByProducts<'_, T, A> {
    fn shared(&self) -> usize {
        self.columns.layout.intra_unknowns().end
    }

    fn products(&self) -> usize {
        4
    }

    fn minimise(&self, data: &[T], unknowns: &mut [T], gradient: &mut [T]) -> f64 {
        let mut residual = vec![T::zero(); data.len()];
        self.operator.apply_forward(unknowns, &mut residual);
        vector::subtract(&mut residual, data);
        let misfit = 0.5 * vector::norm_squared(&residual);
        self.operator.apply_adjoint(&residual, gradient);
        let (changes, decrease) = self.changes(unknowns, gradient);
        if decrease > 0.0 {
            for (unknown, &change) in unknowns.iter_mut().zip(&changes).skip(self.shared()) {
                *unknown = (*unknown + change).max(T::zero());
            }
            let mut image = vec![T::zero(); data.len()];
            self.operator.apply_forward(&changes, &mut image);
            vector::add(&mut residual, &image);
            self.operator.apply_adjoint(&residual, gradient);
        }
        misfit - decrease
    }
}

#[cfg(test)]
mod tests {
    use super::super::DataOptions;
    use super::super::test_problem::Small;
    use super::*;
    use arcuate_solve::{Dense, NonNegativeLeastSquares, Outcome, StoppingRule, projected_barzilai_borwein};

    /// An operator without the function for local unknowns.
    struct Plain<'a>(&'a Dense<f64>);

    impl LinearOperator<f64> for Plain<'_> {
        fn rows(&self) -> usize {
            self.0.rows()
        }

        fn columns(&self) -> usize {
            self.0.columns()
        }

        fn apply_forward(&self, unknowns: &[f64], data: &mut [f64]) {
            self.0.apply_forward(unknowns, data);
        }

        fn apply_adjoint(&self, data: &[f64], unknowns: &mut [f64]) {
            self.0.apply_adjoint(data, unknowns);
        }
    }

    impl SolverOperator<f64> for Plain<'_> {}

    #[test]
    fn eliminated_unknowns_are_optimal() {
        let small = Small::new();
        let problem = small.problem(&small.series(), &DataOptions::default(), None, true).unwrap();
        let operator = problem.with_local_columns();
        let local = operator.local_unknowns().unwrap();
        let mut unknowns: Vec<f64> = (0..problem.layout().len()).map(|n| 0.1 * n as f64).collect();
        let mut gradient = vec![0.0; unknowns.len()];
        for _ in 0..3 {
            let misfit = local.minimise(problem.data(), &mut unknowns, &mut gradient);
            let mut residual = vec![0.0; problem.data().len()];
            operator.apply_forward(&unknowns, &mut residual);
            vector::subtract(&mut residual, problem.data());
            assert!((misfit - 0.5 * vector::norm_squared(&residual)).abs() < 1e-12);
            let mut expected = vec![0.0; unknowns.len()];
            operator.apply_adjoint(&residual, &mut expected);
            assert!(gradient.iter().zip(&expected).all(|(g, e)| (g - e).abs() < 1e-12));
        }
        for (x, g) in unknowns.iter().zip(&gradient).skip(local.shared()) {
            assert!(*x >= 0.0 && if *x > 0.0 { g.abs() < 1e-10 } else { *g > -1e-10 }, "{x} {g}");
        }
    }

    #[test]
    fn elimination_needs_fewer_iterations_for_the_same_minimum() {
        let small = Small::new();
        let mut series = small.series();
        for (n, value) in series.values_mut().iter_mut().enumerate() {
            *value *= 1.0 + 0.02 * (n as f32 * 2.3).cos();
        }
        let problem = small.problem(&series, &DataOptions::default(), None, true).unwrap();
        let rule = StoppingRule { tolerance: 1e-9, iterations: 100_000 };
        let start = vec![0.0; problem.layout().len()];
        let solve = |operator: &dyn SolverOperator<f64>| {
            let problem = NonNegativeLeastSquares::new(operator, problem.data());
            projected_barzilai_borwein(&problem, &start, &rule, |_| true)
        };
        let (expected, got) = (solve(&Plain(problem.operator())), solve(&problem.with_local_columns()));
        assert_eq!((got.outcome, expected.outcome), (Outcome::Converged, Outcome::Converged));
        assert!((got.objective - expected.objective).abs() <= 1e-12 * expected.objective.max(1e-6));
        assert!(got.trace.points.len() < expected.trace.points.len());
        for (a, b) in got.weights.iter().zip(&expected.weights) {
            assert!((a - b).abs() < 1e-6, "{a} {b}");
        }
    }
}
