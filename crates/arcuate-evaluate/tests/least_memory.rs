//! Runs every solver with every operator in the least memory that the operator accepts. The operator is
//! streamed chunk by chunk. The CPU must not repeat work (tests of GPUs forbid this), and the results must be
//! bit-identical to those with all the memory. The test is alone in its process, because a memory limit
//! counts the memory of all tests.

#![cfg(test)]

use arcuate_compute::{Device, DeviceChoice, Purpose, Random};
use arcuate_core::{Affine, ErrorKind, Grid, Result};
use arcuate_evaluate::commit::{Axes, AxialResponse, Harmonics, Responses, Segment, Segments};
use arcuate_evaluate::{Dictionary, Element, ProductKernels, SparseTucker};
use arcuate_solve::{
    GapRule, GroupPenalty, NonNegativeLeastSquares, ProximalProblem, Regulariser, SolverOperator,
    StoppingRule, fista, projected_barzilai_borwein, sbbnnls,
};
use std::sync::Arc;

fn gpu(cap: Option<u64>) -> Device {
    DeviceChoice::Cuda(vec![0]).open(cap).unwrap()
}

/// Creates an operator whose coefficients need more memory than everything else.
fn tucker<T: Element>() -> SparseTucker<T> {
    let (voxels, columns, atoms, directions) = (350, 20, 20, 12);
    let mut random = Random::new(4, Purpose::Resampling, 0);
    let dictionary = (0..atoms * directions).map(|n| (n as f64 * 0.7).sin().abs()).collect();
    let dictionary = Dictionary::new(directions, dictionary).unwrap();
    let (mut starts, mut all_atoms, mut members, mut values) = (vec![0], vec![], vec![], vec![]);
    for _ in 0..voxels {
        let mut here: Vec<(u16, u32)> = (0..120 + random.below(60))
            .map(|_| (random.below(atoms) as u16, random.below(columns) as u32))
            .collect();
        here.sort_unstable();
        for (atom, member) in here {
            all_atoms.push(atom);
            members.push(member);
            values.push(T::of(random.uniform()));
        }
        starts.push(values.len());
    }
    SparseTucker::new(&dictionary, columns, &starts, &all_atoms, members, values).unwrap()
}

fn harmonics() -> Harmonics<f32> {
    let (voxels, streamlines) = (260, 60);
    let mut random = Random::new(6, Purpose::Resampling, 0);
    let (mut starts, mut pieces) = (vec![0], vec![]);
    for _ in 0..voxels {
        for n in 0..150 + random.below(80) {
            let piece = random.on_sphere().map(|c| c as f32);
            pieces.push(Segment { piece, streamline: (n * streamlines / 230) as u32 });
        }
        starts.push(pieces.len());
    }
    let grid = Grid::new([voxels, 1, 1], Affine::identity()).unwrap();
    let segments = Segments::new(grid, streamlines, (0..voxels as u32).collect(), starts, pieces).unwrap();
    let directions = (0..9).map(|_| random.on_sphere()).collect();
    let response: AxialResponse = Box::new(|_, cosine| (-1.5 * cosine * cosine).exp());
    let responses =
        Responses::new(directions, vec![0; 9], vec![response], vec![], vec![vec![0.4]], false).unwrap();
    Harmonics::new(Arc::new(segments), &Axes::none(voxels), &responses, None, 1e-2).unwrap()
}

/// Returns the solution of each solver after three iterations, and the duality gap of the first solution.
fn solutions<T: Element, A: SolverOperator<T>>(operator: &A) -> (Vec<Vec<T>>, Option<f64>) {
    let mut random = Random::new(8, Purpose::Resampling, 0);
    let y: Vec<T> = (0..operator.rows()).map(|_| T::of(1.0 + random.uniform())).collect();
    let columns = operator.columns();
    let start = vec![T::zero(); columns];
    let rule = StoppingRule { tolerance: 0.0, iterations: 3 };
    let problem = NonNegativeLeastSquares::new(operator, &y);
    let fixed: Vec<bool> = (0..columns).map(|n| n % 5 == 2).collect();
    let first = projected_barzilai_borwein(&problem, &start, &rule, |_| true).weights;
    let second = sbbnnls(&problem.with_l1(0.1), &start, &rule, |_| true).weights;
    let third = projected_barzilai_borwein(&problem.with_fixed(&fixed), &start, &rule, |_| true).weights;
    assert!(third.iter().zip(&fixed).all(|(x, fixed)| !fixed || *x == T::zero()));
    // This penalty needs the largest possible memory: each unknown has a penalty and is in a group.
    let groups =
        GroupPenalty::new((0..=columns).collect(), (0..columns as u32).collect(), vec![0.1; columns]);
    let regulariser =
        Regulariser::new(columns, true, vec![(0..columns, 0.1)], Some(groups.unwrap())).unwrap();
    let rule = GapRule { gap: Some(0.0), iterations: 3, ..GapRule::default() };
    let proximal = ProximalProblem::new(operator, &y, &regulariser);
    let fourth = fista(&proximal, &start, &rule, |_| true).weights;
    let gap = problem.duality_gap(&first).map(|gap| gap.gap);
    (vec![first, second, third, fourth], gap)
}

/// Solves a problem with all the memory, and with the least memory that `place` accepts. Compares the
/// solutions.
fn compare<T: Element, A: SolverOperator<T>>(
    what: &str,
    make: impl Fn() -> A,
    place: impl Fn(&mut A, &Device) -> Result<()>,
    computed_by: impl Fn(&A) -> String,
) {
    let placed = |cap: Option<u64>| {
        let mut operator = make();
        match place(&mut operator, &gpu(cap)) {
            Ok(()) => Some(operator),
            Err(error) if error.kind() == ErrorKind::DeviceTooSmall => None,
            Err(error) => panic!("{what} in {cap:?} bytes: {error}"),
        }
    };
    let whole = placed(None).unwrap();
    assert!(!computed_by(&whole).contains("chunks") && computed_by(&whole) != "the CPU", "{what}");
    let expected = solutions::<T, A>(&whole);
    drop(whole);
    let (mut too_little, mut enough) = (1_u64, 1 << 23);
    while enough - too_little > 64 {
        let middle = u64::midpoint(too_little, enough);
        if placed(Some(middle)).is_some() { enough = middle } else { too_little = middle }
    }
    let minimum = placed(Some(enough)).unwrap();
    let by = computed_by(&minimum);
    assert!(by.contains("chunks"), "{what}: {by} in {enough} bytes");
    // If a solver needed more memory than planned, it would fail here, because the CPU must not repeat its
    // work.
    assert_eq!(solutions::<T, A>(&minimum), expected, "{what}, {by} in {enough} bytes");
}

#[test]
fn every_solver_runs_with_every_operator_in_minimum_memory() {
    if !arcuate_emulation::available("solvers in the least memory") {
        return;
    }
    for kernels in [ProductKernels::Rows, ProductKernels::Tiles] {
        compare::<f32, _>(
            &format!("{kernels:?}"),
            tucker::<f32>,
            |operator, device| operator.place(device, kernels),
            SparseTucker::computed_by,
        );
    }
    compare::<f64, _>(
        "rows in double precision",
        tucker::<f64>,
        |operator, device| operator.place(device, ProductKernels::Rows),
        SparseTucker::computed_by,
    );
    compare::<f32, _>("harmonics", harmonics, Harmonics::place, Harmonics::computed_by);
}
