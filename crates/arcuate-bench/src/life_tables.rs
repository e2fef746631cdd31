//! Reproduces the tables of the thesis that optimised LiFE, on LiFE problems of this benchmark. The tables
//! compare tracking methods × numbers of streamlines (Table 6.9 of the thesis), the results of each
//! implementation (6.11), and numbers of threads (6.5). They also compare the matrix products with each
//! ordering of the coefficients (6.3 to 6.8). The brain is simulated from the peaks of a real subject, as for
//! the benchmark `life-ds1`.

use crate::gpu_products::milliseconds;
use crate::life_ds1::random::planted_weights;
use crate::life_ds1::{System, repeat};
use crate::measure::median;
use crate::options::{SolverName, Table, TablesOptions, TrackingMethod};
use crate::outcome::Outcome;
use crate::whole_brain::{Tracking, WholeBrain};
use arcuate_compute::Device;
use arcuate_core::{Orientations, Tractogram};
use arcuate_evaluate::{Element, LifeOptions, ProductKernels};
use arcuate_solve::{LinearOperator, SolverOperator, vector};
use arcuate_track::{Integrator, Method};
use clap::ValueEnum;
use std::time::Instant;

impl TrackingMethod {
    fn tracking(self) -> Tracking {
        let once = Tracking { measurements: 1, ..Tracking::default() };
        let euler = Integrator::Euler;
        match self {
            Self::Fact => Tracking { method: Method::Fact, integrator: euler, step: None, ..once },
            Self::Tensor => once,
            Self::Bootstrap => Tracking::default(),
            Self::Deflection => Tracking {
                method: Method::TensorDeflection { f: 0.2, g: 0.5 },
                integrator: euler,
                step: Some(0.25),
                ..once
            },
            Self::Fine => {
                // An angle of 9° per step of 0.1 voxels is the same curvature as 45° per step of 0.5 voxels.
                Tracking { integrator: euler, step: Some(0.1), angle: 9.0, seeds_by_fa: true, ..once }
            }
        }
    }
}

/// Returns the option value of a variant.
fn name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

pub(crate) fn run(options: &TablesOptions) -> Outcome {
    let devices = options
        .device
        .iter()
        .map(|choice| choice.open(options.device_memory))
        .collect::<Result<Vec<_>, _>>()?;
    let maximum = *options.streamlines.iter().max().ok_or("--streamlines: give at least one number")?;
    if options.streamlines.contains(&0) || options.iterations == 0 || options.threads.contains(&0) {
        return Err("--streamlines, --iterations and --threads: give numbers above 0".into());
    }
    let bench = Bench {
        options,
        devices,
        maximum,
        scan: WholeBrain::simulate(options.directions)?,
        life: LifeOptions {
            orientations: Orientations::half_sphere(options.atoms),
            ..LifeOptions::default()
        },
    };
    println!(
        "{} atoms × {} directions, {} iterations; {} processor threads",
        options.atoms,
        options.directions,
        options.iterations,
        rayon::current_num_threads()
    );
    let tables = chosen(&options.tables);
    if tables.contains(&Table::Tracking) {
        bench.tracking()?;
    }
    if tables.iter().any(|&table| table != Table::Tracking) {
        let tracks = bench.scan.track(maximum as u64, &TrackingMethod::Bootstrap.tracking())?;
        if tables.contains(&Table::Implementations) {
            bench.implementations(&tracks)?;
        }
        if tables.contains(&Table::Threads) {
            bench.threads(&tracks)?;
        }
        if tables.contains(&Table::Products) {
            bench.products(&tracks)?;
        }
    }
    Ok(())
}

/// Returns the values that the user named. If the user named none, returns all possible values.
fn chosen<V: ValueEnum>(named: &[V]) -> &[V] {
    if named.is_empty() { V::value_variants() } else { named }
}

struct Bench<'a> {
    options: &'a TablesOptions,
    devices: Vec<Device>,
    /// The largest number of streamlines.
    maximum: usize,
    scan: WholeBrain,
    life: LifeOptions,
}

impl Bench<'_> {
    /// Returns the LiFE operator and data for the streamlines on a device, and the time of their creation in
    /// seconds.
    fn system<T: Element>(&self, tracks: &Tractogram, device: &Device) -> Outcome<(System<T>, f64)> {
        let started = Instant::now();
        let system = System::tracked(&self.scan, tracks, &self.life, device)?;
        Ok((system, started.elapsed().as_secs_f64()))
    }

    fn tracking(&self) -> Outcome {
        println!(
            "\n## Ways of tracking (projected Barzilai–Borwein, f32)\n\nSeconds from streamlines to ready (encoding, set-up) + of {} \
             iterations, on each device.\n",
            self.options.iterations
        );
        let names: Vec<String> = self.devices.iter().map(ToString::to_string).collect();
        let mut header = vec!["streamlines", "tracking", "voxels", "coefficients", "a run"];
        header.extend(names.iter().map(String::as_str));
        if names.len() > 1 {
            header.push("speed-up of the iterations");
            header.push("speed-up of all");
        }
        head(&header);
        let mut warm = false;
        for &tracking_method in chosen(&self.options.ways) {
            // Tracks the streamlines once, with the largest requested number. For a smaller number, evenly
            // distributed streamlines are selected from these.
            let all = self.scan.track(self.maximum as u64, &tracking_method.tracking())?;
            for &streamlines in &self.options.streamlines {
                let part: Vec<usize> = (0..streamlines).map(|n| n * all.len() / streamlines).collect();
                let tracks = all.select(&part);
                if !warm {
                    // Creates a small problem on each device before the timing, because the initialisation of
                    // a device (such as loading its kernels) must not be timed.
                    for device in &self.devices {
                        let few = all.select(&(0..all.len().min(100)).collect::<Vec<_>>());
                        self.system::<f32>(&few, device)?
                            .0
                            .minimise(SolverName::BarzilaiBorwein, 1, |_| true);
                    }
                    warm = true;
                }
                self.row_of_tracking(tracking_method, &tracks)?;
            }
        }
        Ok(())
    }

    fn row_of_tracking(&self, tracking_method: TrackingMethod, tracks: &Tractogram) -> Outcome {
        let mut cells = vec![tracks.len().to_string(), name(&tracking_method)];
        let mut times = Vec::new();
        for (n, device) in self.devices.iter().enumerate() {
            let (system, ready) = self.system::<f32>(tracks, device)?;
            let operator = &system.operator;
            if n == 0 {
                let a_run = operator.coefficients() as f64 / operator.runs() as f64;
                cells.extend([operator.voxels().to_string(), operator.coefficients().to_string()]);
                cells.push(format!("{a_run:.2}"));
            }
            let started = Instant::now();
            system.minimise(SolverName::BarzilaiBorwein, self.options.iterations, |_| true);
            times.push([ready, started.elapsed().as_secs_f64()]);
        }
        cells.extend(times.iter().map(|[ready, solved]| format!("{ready:.2} + {solved:.3}")));
        if let [first, .., last] = times[..] {
            cells.push(format!("{:.1} ×", first[1] / last[1]));
            cells.push(format!("{:.1} ×", (first[0] + first[1]) / (last[0] + last[1])));
        }
        row(&cells);
        Ok(())
    }

    fn implementations(&self, tracks: &Tractogram) -> Outcome {
        println!(
            "\n## Results of each implementation ({} streamlines, {} iterations)\n\nRMSE: mean over the voxels of the root \
             mean square over directions. Ready: seconds from streamlines to an operator \
             on the device. Overhead: seconds to put that operator on the GPU again, in the order that these kernels take.\n",
            tracks.len(),
            self.options.iterations
        );
        head(&[
            "implementation",
            "solver",
            "RMSE",
            "Σw",
            "non-zeros",
            "objective",
            "seconds",
            "ready",
            "overhead",
        ]);
        for device in &self.devices {
            if let Device::Cpu = device {
                self.rows_of_implementation::<f32>(tracks, device, &[("f32", ProductKernels::Auto)])?;
                self.rows_of_implementation::<f64>(tracks, device, &[("f64", ProductKernels::Auto)])?;
            } else {
                let single = [("rows f32", ProductKernels::Rows), ("tiles f32", ProductKernels::Tiles)];
                self.rows_of_implementation::<f32>(tracks, device, &single)?;
                self.rows_of_implementation::<f64>(tracks, device, &[("rows f64", ProductKernels::Rows)])?;
            }
        }
        Ok(())
    }

    fn rows_of_implementation<T: Element>(
        &self,
        tracks: &Tractogram,
        device: &Device,
        variants: &[(&str, ProductKernels)],
    ) -> Outcome {
        let (mut system, ready) = self.system::<T>(tracks, device)?;
        for &(variant, kernels) in variants {
            let placing = Instant::now();
            system.operator.place(device, kernels)?;
            let overhead = placing.elapsed().as_secs_f64();
            for solver in [SolverName::BarzilaiBorwein, SolverName::Sbbnnls] {
                let started = Instant::now();
                let solution = system.minimise(solver, self.options.iterations, |_| true);
                let seconds = started.elapsed().as_secs_f64();
                row(&[
                    format!("{device} {variant}"),
                    name(&solver),
                    format!("{:.6}", rmse(&system, &solution.weights)),
                    format!("{:.6}", vector::sum(&solution.weights)),
                    solution.weights.iter().filter(|w| **w > T::zero()).count().to_string(),
                    format!("{:.9e}", solution.objective),
                    format!("{seconds:.3}"),
                    format!("{ready:.2}"),
                    format!("{overhead:.3}"),
                ]);
            }
        }
        Ok(())
    }

    fn threads(&self, tracks: &Tractogram) -> Outcome {
        const FEW: usize = 50;
        let here = std::thread::available_parallelism()?.get();
        let (iterations, few) = (self.options.iterations, FEW.min(self.options.iterations));
        println!(
            "\n## Threads (CPU f32, {} streamlines, projected Barzilai–Borwein; {here} threads here)\n",
            tracks.len()
        );
        let [start, end] = [few, iterations].map(|n| format!("{n} iterations, s"));
        head(&["threads", "ready, s", &start, "speed-up", &end, "speed-up"]);
        let mut first = None;
        for &threads in self.options.threads.iter().filter(|&&threads| threads <= here) {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
            let (ready, seconds) = pool.install(|| -> Result<_, String> {
                let (system, ready) =
                    self.system::<f32>(tracks, &Device::Cpu).map_err(|error| error.to_string())?;
                let mut seconds = [f64::NAN; 2];
                system.minimise(SolverName::BarzilaiBorwein, iterations, |point| {
                    let elapsed = point.elapsed.as_secs_f64();
                    if point.iteration == few {
                        seconds[0] = elapsed;
                    }
                    if point.iteration == iterations {
                        seconds[1] = elapsed;
                    }
                    let expected = elapsed / few as f64 * iterations as f64;
                    point.iteration != few || expected <= self.options.patience
                });
                Ok((ready, seconds))
            })?;
            let base = *first.get_or_insert(seconds);
            let cell = |value: f64, unit: &str| {
                if value.is_nan() { "–".to_owned() } else { format!("{value:.2}{unit}") }
            };
            let mut cells = vec![threads.to_string(), cell(ready, "")];
            for (base, seconds) in base.into_iter().zip(seconds) {
                cells.extend([cell(seconds, ""), cell(base / seconds, " ×")]);
            }
            row(&cells);
        }
        Ok(())
    }

    fn products(&self, tracks: &Tractogram) -> Outcome {
        println!(
            "\n## Products of each ordering (f32, {} streamlines, ms)\n\nVoxel: runs of equal (voxel, atom) by \
             voxel, with work split at voxel boundaries. Rows: the same by warps of a GPU. Tiles: sums per (voxel, \
             atom) in shared memory, then tensor cores. GPUs by their own clock, everything in their memory; a \
             fifth: 21 % of the weights above 0.\n",
            tracks.len()
        );
        head(&["device", "ordering", "M w", "M w, a fifth", "Mᵀ y"]);
        for device in &self.devices {
            let (mut system, _) = self.system::<f32>(tracks, device)?;
            let sparse: Vec<f32> =
                planted_weights(system.operator.columns()).iter().map(|&w| w as f32).collect();
            let dense: Vec<f32> = sparse.iter().map(|w| w + 0.5).collect();
            let orderings: &[_] = match device {
                Device::Cpu => &[("voxel", ProductKernels::Auto)],
                Device::Cuda(_) => &[("rows", ProductKernels::Rows), ("tiles", ProductKernels::Tiles)],
            };
            for &(ordering, kernels) in orderings {
                system.operator.place(device, kernels)?;
                let [all, fifth, adjoint] = product_milliseconds(&system, &dense, &sparse)?;
                let times = [all, fifth, adjoint].map(|time| format!("{time:.3}"));
                row(&[&[device.to_string(), ordering.to_owned()], &times[..]].concat());
            }
        }
        Ok(())
    }
}

/// Returns the times of three matrix products in milliseconds: M w with dense weights, M w with sparse
/// weights (most are 0), and Mᵀ y.
fn product_milliseconds(system: &System<f32>, dense: &[f32], sparse: &[f32]) -> Outcome<[f64; 3]> {
    let (operator, data) = (&system.operator, &system.data);
    if let Some(on_gpus) = SolverOperator::on_gpus(operator) {
        let [all, adjoint, _] = milliseconds(&*on_gpus, dense, data)?;
        let [fifth, _, _] = milliseconds(&*on_gpus, sparse, data)?;
        return Ok([all, fifth, adjoint]);
    }
    let (mut image, mut gradient) = (vec![0f32; operator.rows()], vec![0f32; operator.columns()]);
    let all = repeat(|| operator.forward(dense, &mut image));
    let fifth = repeat(|| operator.forward(sparse, &mut image));
    let adjoint = repeat(|| operator.adjoint(data, &mut gradient));
    Ok([all, fifth, adjoint].map(|times| 1e3 * median(&times.wall)))
}

/// Returns the root mean square of the residuals over the directions in a voxel, averaged over all voxels.
fn rmse<T: Element>(system: &System<T>, weights: &[T]) -> f64 {
    let mut prediction = vec![T::zero(); system.operator.rows()];
    system.operator.forward(weights, &mut prediction);
    let directions = system.operator.directions();
    let voxels = prediction.chunks_exact(directions).zip(system.data.chunks_exact(directions));
    let errors = voxels.map(|(p, y)| {
        let squares: f64 = p.iter().zip(y).map(|(p, y)| (p.double() - y.double()).powi(2)).sum();
        (squares / directions as f64).sqrt()
    });
    errors.sum::<f64>() / system.operator.voxels() as f64
}

fn head(names: &[&str]) {
    println!("| {} |\n|{}", names.join(" | "), "---|".repeat(names.len()));
}

fn row(cells: &[String]) {
    println!("| {} |", cells.join(" | "));
}
