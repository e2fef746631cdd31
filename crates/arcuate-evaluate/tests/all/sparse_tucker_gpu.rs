//! Compares the products of the sparse Tucker operator, and LiFE's solvers, on GPUs with double precision on
//! the CPU. Also compares GPUs with other memory sizes and another number of GPUs. Without a GPU, the kernels
//! are emulated.

use arcuate_compute::{Device, DeviceChoice, Purpose, Random};
use arcuate_evaluate::{Dictionary, Element, ProductKernels, SparseTucker};
use arcuate_solve::{
    LinearOperator, NonNegativeLeastSquares, Outcome, Solution, StoppingRule, checks,
    projected_barzilai_borwein, sbbnnls,
};

/// An irregular problem. Some voxels have no coefficient, some have many, and some runs are long.
struct Problem {
    dictionary: Dictionary,
    columns: usize,
    starts: Vec<usize>,
    atoms: Vec<u16>,
    members: Vec<u32>,
    values: Vec<f64>,
}

impl Problem {
    fn new(voxels: usize, columns: usize, atoms: usize, directions: usize) -> Self {
        let mut random = Random::new(11, Purpose::Resampling, (voxels * directions) as u64);
        let values = (0..atoms * directions).map(|n| (n as f64 * 0.7).sin()).collect();
        let dictionary = Dictionary::new(directions, values).unwrap();
        let (mut starts, mut all_atoms, mut members, mut values) = (vec![0], vec![], vec![], vec![]);
        for voxel in 0..voxels {
            let crowd = if voxel == 40 { 700 } else { random.below(20) * random.below(3) };
            // A voxel with many coefficients has few orientations. Its runs are longer than a warp.
            let choices = if voxel == 40 { 5.min(atoms) } else { atoms };
            let mut here: Vec<(u16, u32)> =
                (0..crowd).map(|_| (random.below(choices) as u16, random.below(columns) as u32)).collect();
            here.sort_unstable();
            for (atom, member) in here {
                all_atoms.push(atom);
                members.push(member);
                values.push(random.uniform() + 0.1);
            }
            starts.push(values.len());
        }
        Self { dictionary, columns, starts, atoms: all_atoms, members, values }
    }

    fn operator<T: Element>(&self) -> SparseTucker<T> {
        let values = self.values.iter().map(|&v| T::of(v)).collect();
        let members = self.members.clone();
        SparseTucker::new(&self.dictionary, self.columns, &self.starts, &self.atoms, members, values).unwrap()
    }

    fn on<T: Element>(&self, device: &Device, kernels: ProductKernels) -> SparseTucker<T> {
        let mut operator = self.operator();
        operator.place(device, kernels).unwrap();
        operator
    }
}

fn gpus(ordinals: &[usize], cap: Option<u64>) -> Device {
    DeviceChoice::Cuda(ordinals.to_vec()).open(cap).unwrap()
}

/// Computes M w and Mᵀ y for random w and y. Half of the unknowns w are zero.
fn products<T: Element>(operator: &SparseTucker<T>) -> (Vec<T>, Vec<T>) {
    let mut random = Random::new(3, Purpose::Resampling, 0);
    let w: Vec<T> = (0..operator.columns()).map(|_| T::of((random.uniform() - 0.5).max(0.0))).collect();
    let y: Vec<T> = (0..operator.rows()).map(|_| T::of(random.normal())).collect();
    let (mut mw, mut mty) = (vec![T::of(f64::NAN); y.len()], vec![T::of(f64::NAN); w.len()]);
    operator.forward(&w, &mut mw);
    operator.adjoint(&y, &mut mty);
    (mw, mty)
}

fn error<T: Element>(got: &[T], expected: &[f64]) -> f64 {
    let difference: f64 = got.iter().zip(expected).map(|(g, e)| (g.double() - e).powi(2)).sum();
    (difference / expected.iter().map(|e| e * e).sum::<f64>()).sqrt()
}

/// Returns the largest relative error of both products, compared with double precision on the CPU.
fn errors<T: Element>(problem: &Problem, device: &Device, kernels: ProductKernels) -> f64 {
    let (mw, mty) = products(&problem.operator::<f64>());
    let operator = problem.on::<T>(device, kernels);
    assert_ne!(operator.computed_by(), "the CPU");
    let (got_mw, got_mty) = products(&operator);
    error(&got_mw, &mw).max(error(&got_mty, &mty))
}

#[test]
fn products_agree_with_double_precision_for_any_number_of_directions_and_atoms() {
    if !arcuate_emulation::available("products on GPUs") {
        return;
    }
    let device = gpus(&[0], None);
    for (directions, atoms) in
        [(6, 7), (30, 90), (64, 40), (96, 130), (120, 25), (130, 33), (270, 60), (512, 20), (600, 9)]
    {
        let problem = Problem::new(150, 90, atoms, directions);
        // These are the error bounds that the operator states for each precision.
        let rows = errors::<f32>(&problem, &device, ProductKernels::Rows);
        assert!(rows <= 1e-5, "rows, {directions} directions: {rows:e}");
        let double = errors::<f64>(&problem, &device, ProductKernels::Rows);
        assert!(double <= 1e-12, "rows in double precision, {directions} directions: {double:e}");
        if directions <= 96 {
            let tiles = errors::<f32>(&problem, &device, ProductKernels::Tiles);
            assert!(tiles <= 1e-5, "tiles, {directions} directions: {tiles:e}");
        } else {
            let refused = problem.operator::<f32>().place(&device, ProductKernels::Tiles).unwrap_err();
            let expected = format!("cannot process {directions} directions in single precision");
            assert!(refused.to_string().contains(&expected), "{refused}");
        }
    }
}

#[test]
fn operators_pass_the_shared_checks() {
    if !arcuate_emulation::available("shared checks on GPUs") {
        return;
    }
    let problem = Problem::new(200, 70, 90, 48);
    let device = gpus(&[0], None);
    checks::all(&problem.on::<f64>(&device, ProductKernels::Auto), 1e-12);
    checks::all(&problem.on::<f32>(&device, ProductKernels::Rows), 1e-5);
    checks::all(&problem.on::<f32>(&device, ProductKernels::Tiles), 1e-5);
}

#[test]
fn products_do_not_depend_on_memory_and_the_number_of_gpus() {
    if !arcuate_emulation::available("memory caps and several GPUs") {
        return;
    }
    let several = DeviceChoice::Cuda(vec![0, 1]).open(None);
    let problem = Problem::new(1500, 300, 60, 33);
    for kernels in [ProductKernels::Rows, ProductKernels::Tiles] {
        let whole = problem.on::<f32>(&gpus(&[0], None), kernels);
        assert!(!whole.computed_by().contains("chunks"));
        let expected = products(&whole);
        drop(whole);
        let mut streamed = 0;
        let (mut too_little, mut minimum) = (0, 1 << 26);
        while minimum - too_little > 64 {
            let middle = u64::midpoint(too_little, minimum);
            let placed = problem.operator::<f32>().place(&gpus(&[0], Some(middle)), kernels);
            if placed.is_ok() { minimum = middle } else { too_little = middle }
        }
        // The coefficients need 115 kB to 145 kB of memory.
        for cap in [minimum, minimum + 20_000, minimum + 60_000] {
            let capped = problem.on::<f32>(&gpus(&[0], Some(cap)), kernels);
            assert_ne!(capped.computed_by(), "the CPU", "{cap} bytes");
            streamed += usize::from(capped.computed_by().contains("chunks"));
            assert_eq!(products(&capped), expected, "{kernels:?} in {cap} bytes");
        }
        assert!(streamed >= 2, "{kernels:?}: the caps are too generous");
        // If the machine has one GPU only, there is nothing to compare.
        if let Ok(several) = &several {
            assert_eq!(products(&problem.on::<f32>(several, kernels)), expected, "{kernels:?} on two GPUs");
        }
    }
}

/// In one tile, weights and steps have very different sizes, and some tiles have no weights. The block
/// floating point of the tile kernels must adapt its unit. No block may wait for another block that has
/// nothing to do.
#[test]
fn tiles_follow_weights_over_sixty_orders_of_magnitude() {
    if !arcuate_emulation::available("weights of very different size") {
        return;
    }
    let problem = Problem::new(140, 300, 200, 12);
    let operator = problem.on::<f32>(&gpus(&[0], None), ProductKernels::Tiles);
    let reference = problem.operator::<f64>();
    for size in [
        |n: usize| if n.is_multiple_of(3) { 1.0 } else { 1e-29 },
        |n: usize| 1e-30 * (1.0 + n as f64),
        |n: usize| if n < 20 { 1e30 } else { 0.0 },
        |_: usize| 0.0,
    ] {
        let w: Vec<f32> = (0..300).map(|n| size(n) as f32).collect();
        let wide: Vec<f64> = w.iter().map(|&w| f64::from(w)).collect();
        let (mut got, mut expected) = (vec![f32::NAN; operator.rows()], vec![f64::NAN; reference.rows()]);
        operator.forward(&w, &mut got);
        reference.forward(&wide, &mut expected);
        let largest = expected.iter().fold(0.0, |all: f64, e| all.max(e.abs()));
        for (g, e) in got.iter().zip(&expected) {
            assert!((f64::from(*g) - e).abs() <= 1e-5 * largest, "{g} is not {e}");
        }
    }
}

/// The problem is so small that one of the two GPUs has no voxel.
#[test]
fn more_gpus_than_work_give_correct_results() {
    if !arcuate_emulation::available("more GPUs than work") {
        return;
    }
    let Ok(several) = DeviceChoice::Cuda(vec![0, 1]).open(None) else { return };
    let problem = Problem::new(60, 50, 30, 12);
    let y: Vec<f64> = (0..60 * 12).map(|n| (n as f64).sin()).collect();
    for kernels in [ProductKernels::Rows, ProductKernels::Tiles] {
        let one = problem.on::<f32>(&gpus(&[0], None), kernels);
        let two = problem.on::<f32>(&several, kernels);
        assert_eq!(products(&one), products(&two));
        assert_eq!(solve(&one, &y, 0, 0.0).objective, solve(&two, &y, 0, 0.0).objective);
    }
}

fn solve<T: Element>(operator: &SparseTucker<T>, y: &[f64], method: usize, l1: f64) -> Solution<T> {
    let y: Vec<T> = y.iter().map(|&y| T::of(y)).collect();
    let problem = NonNegativeLeastSquares::new(operator, &y).with_l1(l1);
    let start = vec![T::of(0.0); operator.columns()];
    let rule = StoppingRule { tolerance: 1e-5, iterations: 400 };
    match method {
        0 => projected_barzilai_borwein(&problem, &start, &rule, |_| true),
        _ => sbbnnls(&problem, &start, &rule, |_| true),
    }
}

#[test]
fn solvers_reach_the_objective_of_double_precision_on_the_processor() {
    if !arcuate_emulation::available("solvers on GPUs") {
        return;
    }
    let problem = Problem::new(40, 20, 30, 20);
    // The weights explain only a part of the data, so that some weights end at zero.
    let reference = problem.operator::<f64>();
    let mut random = Random::new(5, Purpose::Noise, 0);
    let truth: Vec<f64> = (0..20).map(|_| (random.uniform() - 0.4).max(0.0)).collect();
    let mut y = vec![0.0; reference.rows()];
    reference.forward(&truth, &mut y);
    for value in &mut y {
        *value += 0.5 * random.normal();
    }
    let devices = [Some(gpus(&[0], None)), DeviceChoice::Cuda(vec![0, 1]).open(None).ok()];
    for (method, l1) in [(0, 0.0), (1, 0.0), (0, 3.0)] {
        let expected = solve(&reference, &y, method, l1);
        assert_eq!(expected.outcome, Outcome::Converged);
        for device in devices.iter().flatten() {
            let off = |objective: f64| (objective - expected.objective).abs() / expected.objective;
            let double = solve(&problem.on::<f64>(device, ProductKernels::Auto), &y, method, l1);
            assert!(off(double.objective) <= 1e-6, "{device}, method {method}: {:e}", off(double.objective));
            // The first iterations are the same in both precisions, except for rounding.
            for (a, b) in double.trace.points.iter().zip(&expected.trace.points).take(5) {
                assert_eq!((a.iteration, a.products), (b.iteration, b.products));
                let close = (a.objective - b.objective).abs() <= 1e-9 * b.objective;
                assert!(close && a.positive == b.positive, "{a:?} is not {b:?}");
            }
            for kernels in [ProductKernels::Rows, ProductKernels::Tiles] {
                let single = solve(&problem.on::<f32>(device, kernels), &y, method, l1);
                let off = off(single.objective);
                assert!(off <= 1e-6, "{device}, method {method}, {kernels:?}: {off:e}");
            }
        }
    }
}
