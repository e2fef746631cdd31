//! Times LiFE on problems of the size of the largest published problem: 190,589 voxels × 96 directions,
//! 500,000 streamlines, and 40 million coefficients.

mod gpu;
pub(crate) mod random;

use crate::measure::{median, processor_seconds, seconds};
use crate::options::{Ds1Options, Indices, KernelName, Options, Precision, SolverName};
use crate::outcome::Outcome;
use crate::rates::Rates;
use crate::whole_brain::{Tracking, WholeBrain};
use arcuate_compute::Device;
use arcuate_core::{Mask, Orientations, Tractogram};
use arcuate_evaluate::encoding::{Encoding, EncodingOptions, NodeValue};
use arcuate_evaluate::{
    Dictionary, Element, LifeOptions, LifeProblem, LifeShells, ProductKernels, SparseTucker,
    tensor_dictionary,
};
use arcuate_phantom::default_gradients;
use arcuate_solve::{
    LinearOperator, NonNegativeLeastSquares, Solution, StoppingRule, TracePoint, checks,
    projected_barzilai_borwein, sbbnnls, vector,
};
use random::{RandomCoefficients, planted_weights};
use std::time::Instant;

/// Numbers of voxels and streamlines of the published LiFE problem, and mean number of coefficients per
/// streamline.
const VOXELS: usize = 190_589;
const STREAMLINES: usize = 500_000;
const COEFFICIENTS_PER_STREAMLINE: usize = 80;

impl KernelName {
    fn kernels(self) -> ProductKernels {
        match self {
            Self::Auto => ProductKernels::Auto,
            Self::Rows => ProductKernels::Rows,
            Self::Tiles => ProductKernels::Tiles,
        }
    }
}

pub(crate) fn run(options: &Options) -> Outcome {
    let ds1 = &options.life_ds1;
    let device = ds1.device.open(ds1.device_memory)?;
    let streamlines = ds1.streamlines.unwrap_or(match &device {
        Device::Cpu => STREAMLINES / 2,
        Device::Cuda(_) => STREAMLINES,
    });
    let both = [Indices::Random, Indices::Tracked];
    let indices = if ds1.indices.is_empty() { &both[..] } else { &ds1.indices };
    for &directions in &ds1.directions {
        let mut brain = None;
        for &atoms in &ds1.atoms {
            let rates = match &device {
                Device::Cpu => Rates::measure(atoms, directions),
                Device::Cuda(_) => Rates::h200(),
            };
            println!(
                "rates: copy {:.1} GB/s, rows of the dictionary {:.0} GB/s, f32 {:.0} G operations/s",
                1e-9 * rates.copy,
                1e-9 * rates.rows,
                1e-9 * rates.operations
            );
            let bench = Bench { options: ds1, device: &device, atoms, directions, streamlines, rates };
            if indices.contains(&Indices::Random) {
                bench.random()?;
            }
            if indices.contains(&Indices::Tracked) {
                if brain.is_none() {
                    brain = Some(Brain::new(directions, streamlines)?);
                }
                if let Some(brain) = &brain {
                    bench.tracked(brain)?;
                }
            }
        }
    }
    Ok(())
}

/// A simulated brain, and the streamlines that were tracked in it.
struct Brain {
    scan: WholeBrain,
    tracks: Tractogram,
}

impl Brain {
    fn new(directions: usize, streamlines: usize) -> Outcome<Self> {
        let started = Instant::now();
        let scan = WholeBrain::simulate(directions)?;
        let simulated = started.elapsed().as_secs_f64();
        let tracks = scan.track(streamlines as u64, &Tracking::default())?;
        println!(
            "simulated whole brain: {simulated:.1} s; {} streamlines of {:.1} points tracked: {:.1} s",
            tracks.len(),
            tracks.positions().len() as f64 / tracks.len() as f64,
            started.elapsed().as_secs_f64() - simulated
        );
        Ok(Self { scan, tracks })
    }
}

/// The linear operator of a LiFE problem (from streamline weights to signals), and the measured signals.
pub(crate) struct System<T: Element> {
    pub(crate) operator: SparseTucker<T>,
    pub(crate) data: Vec<T>,
}

impl<T: Element> System<T> {
    /// Creates the LiFE operator and the data for streamlines through the simulated brain. The arithmetic of
    /// the operator runs on the device `device`.
    pub(crate) fn tracked(
        scan: &WholeBrain,
        tracks: &Tractogram,
        options: &LifeOptions,
        device: &Device,
    ) -> Outcome<Self> {
        let everywhere = Mask::full(*scan.dwi.grid());
        let problem = LifeProblem::new(&scan.dwi, &scan.gradients, &everywhere, tracks, options, device)?;
        let (operator, data) = problem.into_parts();
        Ok(Self { operator, data })
    }

    /// Runs a LiFE solver that starts with all weights at 0. The solver stops after the given number of
    /// iterations, or earlier if `watch` returns `false`.
    pub(crate) fn minimise(
        &self,
        solver: SolverName,
        iterations: usize,
        watch: impl FnMut(&TracePoint) -> bool,
    ) -> Solution<T> {
        let problem = NonNegativeLeastSquares::new(&self.operator, &self.data);
        let rule = StoppingRule { tolerance: 0.0, iterations };
        let start = vec![T::zero(); self.operator.columns()];
        match solver {
            SolverName::BarzilaiBorwein => projected_barzilai_borwein(&problem, &start, &rule, watch),
            SolverName::Sbbnnls => sbbnnls(&problem, &start, &rule, watch),
        }
    }
}

struct Bench<'a> {
    options: &'a Ds1Options,
    device: &'a Device,
    atoms: usize,
    directions: usize,
    streamlines: usize,
    rates: Rates,
}

impl Bench<'_> {
    fn random(&self) -> Outcome {
        let coefficients = COEFFICIENTS_PER_STREAMLINE * self.streamlines;
        // Each random LiFE problem has [`VOXELS`] voxels, whatever its number of streamlines.
        let all = RandomCoefficients::new(VOXELS, self.streamlines, coefficients, self.atoms);
        let gradients = default_gradients(self.directions, 2000.0, 1)?;
        let orientations = Orientations::half_sphere(self.atoms);
        let shells = LifeShells::new(&gradients, None)?;
        let dictionary = tensor_dictionary(&gradients, &shells, &orientations, [1.0, 0.0, 0.0])?;
        let reference: SparseTucker<f64> = all.operator(&dictionary)?;
        let data = all.data(&reference);
        let reference = System { operator: reference, data };
        let build = || random_system::<f32>(&all, &dictionary, &reference.data);
        match self.options.precision {
            Precision::Single => self.measure("random indices", build, &reference),
            Precision::Double => {
                let build = || random_system::<f64>(&all, &dictionary, &reference.data);
                self.measure("random indices", build, &reference)
            }
        }
    }

    fn tracked(&self, brain: &Brain) -> Outcome {
        let options =
            LifeOptions { orientations: Orientations::half_sphere(self.atoms), ..LifeOptions::default() };
        let everywhere = Mask::full(*brain.scan.dwi.grid());
        let encoding_options =
            EncodingOptions { orientations: options.orientations.clone(), node_value: NodeValue::Count };
        let encoding = seconds(|| {
            Encoding::new(&brain.tracks, &everywhere, &encoding_options, self.device)?;
            Ok(())
        })?;
        println!("encoding and sorting alone: {encoding:.2} s");
        let reference = System::tracked(&brain.scan, &brain.tracks, &options, &Device::Cpu)?;
        match self.options.precision {
            Precision::Single => {
                let build = || System::<f32>::tracked(&brain.scan, &brain.tracks, &options, self.device);
                self.measure("tracked brain", build, &reference)
            }
            Precision::Double => {
                let build = || System::<f64>::tracked(&brain.scan, &brain.tracks, &options, self.device);
                self.measure("tracked brain", build, &reference)
            }
        }
    }

    fn measure<T: Element>(
        &self,
        name: &str,
        build: impl Fn() -> Outcome<System<T>>,
        reference: &System<f64>,
    ) -> Outcome {
        let started = Instant::now();
        let mut system = build()?;
        let built = started.elapsed().as_secs_f64();
        let operator = &system.operator;
        println!(
            "\nlife-ds1, {name}, {} atoms × {} directions, {:?}: {} streamlines, {} coefficients in {} runs ({:.2} a run, \
             {:.0} a voxel), {} voxels; built in {built:.2} s",
            self.atoms,
            self.directions,
            self.options.precision,
            operator.columns(),
            operator.coefficients(),
            operator.runs(),
            operator.coefficients() as f64 / operator.runs() as f64,
            operator.coefficients() as f64 / operator.voxels() as f64,
            operator.voxels(),
        );
        let [bytes, rows, operations] = Self::work(operator);
        println!(
            "a product: {:.1} MB through memory, {:.2} GB of rows, {:.2} G operations; floor {:.2} ms here, {:.3} ms on one H200",
            1e-6 * bytes,
            1e-9 * rows,
            1e-9 * operations,
            1e3 * Self::floor(&self.rates, operator),
            1e3 * Self::floor(&Rates::h200(), operator)
        );
        let planted = planted_weights(operator.columns());
        let dense: Vec<f64> = planted.iter().map(|w| w + 0.5).collect();
        if let Device::Cuda(_) = self.device {
            let mut target = self.options.objective;
            for kernels in &self.options.kernels {
                let placing = Instant::now();
                system.operator.place(self.device, kernels.kernels())?;
                println!(
                    "{}: put on {} in {:.2} s",
                    system.operator.computed_by(),
                    self.device,
                    placing.elapsed().as_secs_f64()
                );
                self.products_on_gpus(&system, reference, &dense)?;
                if self.options.iterations > 0 {
                    self.solve(&system, reference, &mut target);
                }
            }
            return Ok(());
        }
        self.forward("M w, all weights above 0", &system, reference, &dense);
        self.forward("M w, 21 % of the weights above 0", &system, reference, &planted);
        self.adjoint(&system, reference);
        if self.options.iterations > 0 {
            self.solve(&system, reference, &mut self.options.objective.clone());
        }
        Ok(())
    }

    fn forward<T: Element>(&self, what: &str, system: &System<T>, reference: &System<f64>, weights: &[f64]) {
        let narrow: Vec<T> = weights.iter().map(|&w| T::of(w)).collect();
        let (mut out, mut expected) =
            (vec![T::zero(); system.operator.rows()], vec![0.0; reference.operator.rows()]);
        reference.operator.forward(weights, &mut expected);
        let times = repeat(|| system.operator.forward(&narrow, &mut out));
        self.line(what, &times, &system.operator, error(&out, &expected));
    }

    fn adjoint<T: Element>(&self, system: &System<T>, reference: &System<f64>) {
        let (mut out, mut expected) =
            (vec![T::zero(); system.operator.columns()], vec![0.0; reference.operator.columns()]);
        reference.operator.adjoint(&reference.data, &mut expected);
        let times = repeat(|| system.operator.adjoint(&system.data, &mut out));
        self.line("Mᵀ y", &times, &system.operator, error(&out, &expected));
    }

    /// Prints one line: the name of the problem, the device, and the time of a matrix product. The lower
    /// bound of this time, the ratio of both, and the error follow.
    fn line<T: Element>(&self, what: &str, times: &Times, operator: &SparseTucker<T>, error: f64) {
        let floor = Self::floor(&self.rates, operator);
        let minimum = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
        let (seconds, fastest) = (median(&times.wall), minimum(&times.wall));
        print!("{what:<34} {} {:>8.2} ms (fastest {:.2}", name(self.device), 1e3 * seconds, 1e3 * fastest);
        if !times.busy.is_empty() {
            print!(", processor time a thread {:.2}", 1e3 * minimum(&times.busy));
        }
        println!("), floor {:.2} ms, {:.2} × floor, error {error:.1e}", 1e3 * floor, seconds / floor);
    }

    /// Returns the minimum work of one matrix product: bytes that pass through memory, bytes of dictionary
    /// rows, and arithmetic operations. Coefficients, data and unknowns pass through memory once. Successive
    /// coefficients with the same voxel and dictionary atom share one read of the dictionary row. Each such
    /// read takes two operations per element of the row. Each coefficient takes two more.
    fn work<T: Element>(operator: &SparseTucker<T>) -> [f64; 3] {
        let real = size_of::<T>();
        let vectors = (operator.rows() + operator.columns()) * real;
        let elements = operator.runs() * operator.directions();
        let operations = 2 * (elements + operator.coefficients());
        [operator.bytes() + vectors, elements * real, operations].map(|n| n as f64)
    }

    /// Returns the lower bound of the time of a matrix product in seconds. It is the longest of the times for
    /// memory transfers, for reading dictionary rows, and for arithmetic.
    fn floor<T: Element>(rates: &Rates, operator: &SparseTucker<T>) -> f64 {
        let [bytes, rows, operations] = Self::work(operator);
        // A number in double precision is twice as wide as one in single precision. A SIMD register holds
        // half as many, so the arithmetic takes twice the time.
        let operations = operations * size_of::<T>() as f64 / 4.0;
        (bytes / rates.copy).max(rows / rates.rows).max(operations / rates.operations)
    }

    /// Times a fit, and the time after which the objective function reaches the value `target`. If `target`
    /// is `None`, first computes it with a fit in double precision.
    fn solve<T: Element>(&self, system: &System<T>, reference: &System<f64>, target: &mut Option<f64>) {
        let iterations = self.options.iterations;
        let target = *target.get_or_insert_with(|| {
            let solution = self.minimise(reference, |_, _| {});
            println!(
                "{iterations} iterations in double precision on the processor: objective {:.9e}",
                solution.objective
            );
            solution.objective
        });
        let (mut runs, mut first_there, mut last) = (Vec::new(), Vec::new(), None);
        while runs.len() < 3 && runs.iter().sum::<f64>() < 60.0 {
            let mut reached = f64::NAN;
            let started = Instant::now();
            let solution = self.minimise(system, |objective, elapsed| {
                if reached.is_nan() && objective <= target * (1.0 + 1e-6) {
                    reached = elapsed;
                }
            });
            runs.push(started.elapsed().as_secs_f64());
            first_there.push(reached);
            last = Some(solution);
        }
        let Some(solution) = last else { return };
        let point = solution.trace.points.last();
        println!(
            "{} iterations, {} products ({:?}): {:.3} s; to {target:.6e} (1 + 1e-6) in {:.3} s; objective {:.9e} ({:+.1e} of the \
             target), {} weights above 0, Σw {:.6e}, gradient {:.1e}; median of {}",
            point.map_or(0, |p| p.iteration),
            point.map_or(0, |p| p.products),
            self.options.solver,
            median(&runs),
            median(&first_there),
            solution.objective,
            (solution.objective - target) / target,
            solution.weights.iter().filter(|w| **w > T::zero()).count(),
            vector::sum(&solution.weights),
            solution.projected_gradient,
            runs.len()
        );
    }

    fn minimise<T: Element>(&self, system: &System<T>, mut watch: impl FnMut(f64, f64)) -> Solution<T> {
        system.minimise(self.options.solver, self.options.iterations, |point| {
            watch(point.objective, point.elapsed.as_secs_f64());
            true
        })
    }
}

fn name(device: &Device) -> String {
    match device {
        Device::Cpu => "cpu".to_owned(),
        Device::Cuda(gpus) => format!("{} GPU", gpus.len()),
    }
}

fn random_system<T: Element>(
    all: &RandomCoefficients,
    dictionary: &Dictionary,
    data: &[f64],
) -> Outcome<System<T>> {
    Ok(System { operator: all.operator(dictionary)?, data: data.iter().map(|&y| T::of(y)).collect() })
}

/// Returns the relative error ‖a − b‖ / ‖b‖ of `values` (a), with `expected` as reference (b).
fn error<T: Element>(values: &[T], expected: &[f64]) -> f64 {
    let wide: Vec<f64> = values.iter().map(|v| v.double()).collect();
    checks::relative_difference(&wide, expected)
}

/// The times of several runs in seconds.
#[derive(Default)]
pub(crate) struct Times {
    pub(crate) wall: Vec<f64>,
    /// CPU time of each run, divided by the number of threads, in seconds. Empty if the system does not
    /// report CPU times.
    busy: Vec<f64>,
}

/// Times eleven runs. A first run is not counted.
pub(crate) fn repeat(mut run: impl FnMut()) -> Times {
    run();
    let mut times = Times::default();
    for _ in 0..11 {
        let (started, busy) = (Instant::now(), processor_seconds());
        run();
        times.wall.push(started.elapsed().as_secs_f64());
        if let (Some(before), Some(after)) = (busy, processor_seconds()) {
            times.busy.push((after - before) / rayon::current_num_threads() as f64);
        }
    }
    times
}
