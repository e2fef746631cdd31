use crate::measure::{compare, median, scan, seconds};
use crate::options::Options;
use crate::outcome::Outcome;
use arcuate_compute::Device;
use arcuate_core::{GradientTable, Mask, Orientations, Tractogram, Volume};
use arcuate_evaluate::{Life, LifeOptions, LifeProblem, Normalisation, Solver};
use arcuate_solve::{LinearOperator, StoppingRule};
use std::fmt::Write;
use std::process::Command;
use std::time::Instant;

const STREAMLINES: usize = 5000;

/// Times LiFE with DIPY's definitions: directions on DIPY's sphere, the signal divided by S₀, and one count
/// per streamline node. The solver stops when it reaches the final objective of DIPY. Also compares the time
/// of the two matrix products with the time of SciPy's CSR matrices.
pub(crate) fn run(options: &Options) -> Outcome {
    println!("LiFE of philips_dwi: {STREAMLINES} streamlines, posed as DIPY does");
    let data = Data::read()?;
    let life_options = dipy_options();
    let mut rows: Vec<[f64; 4]> = Vec::new();
    let (mut pairs, mut csr_pairs, mut facts) = (Vec::new(), Vec::new(), None);
    for turn in 0..=options.turns {
        let peer = Dipy::run(options)?;
        let started = Instant::now();
        let problem = data.problem(&life_options)?;
        let encoded = started.elapsed().as_secs_f64();
        // DIPY's objective is the sum of squared residuals, which is twice the objective of Arcuate's solver.
        let mut reached = f64::NAN;
        let life = problem.solve(&life_options, |point| {
            let going = point.objective > 0.5 * peer.objective;
            if !going {
                reached = point.elapsed.as_secs_f64();
            }
            going
        });
        let pair = products(&problem)?;
        if turn > 0 {
            rows.push([encoded, reached, peer.set_up, peer.solve]);
            pairs.push(pair);
            csr_pairs.push(peer.csr_pair);
        }
        facts = Some((problem, life, peer.objective));
    }
    let column = |n: usize| rows.iter().map(|row| row[n]).collect::<Vec<f64>>();
    let sum = |a: usize, b: usize| rows.iter().map(|row| row[a] + row[b]).collect::<Vec<f64>>();
    compare("to DIPY's final objective, set-up included, f32", &sum(0, 1), "DIPY, f64", &sum(2, 3), 20.0);
    compare("the set-up alone, f32", &column(0), "DIPY, f64", &column(2), 1.0);
    compare("the solver alone, f32", &column(1), "DIPY, f64", &column(3), 20.0);
    compare("M w and Mᵀ y, f32", &pairs, "SciPy CSR, one thread, f64", &csr_pairs, 3.0);
    if let Some((problem, life, objective)) = facts {
        report(&problem, &life, objective, median(&pairs));
    }
    solvers(&data)
}

fn report(problem: &LifeProblem<f32>, life: &Life, objective: f64, pair: f64) {
    let operator = problem.operator();
    let operations = 4.0 * (operator.runs() * operator.directions() + operator.coefficients()) as f64;
    println!(
        "  {} coefficients in {} runs, {} voxels × {} directions; ½‖y − Mw‖² {:.3} after {} iterations, DIPY stops at {:.3}",
        operator.coefficients(),
        operator.runs(),
        operator.voxels(),
        operator.directions(),
        life.objective,
        life.trace.points.len() - 1,
        0.5 * objective,
    );
    println!(
        "  a pair reads {:.1} MB of coefficients twice: {:.1} GB/s, {:.2} G operations/s\n",
        operator.bytes() as f64 / 1e6,
        2.0 * operator.bytes() as f64 / pair / 1e9,
        operations / pair / 1e9,
    );
}

/// Runs the two solvers of LiFE on all streamlines with the default options. For each solver, prints the
/// relative difference between its objective and the optimum, after 100, 200 and 400 matrix products.
fn solvers(data: &Data) -> Outcome {
    println!("solvers on the same {STREAMLINES} streamlines, default problem (f64)");
    let converged = LifeOptions {
        stopping: StoppingRule { tolerance: 1e-9, iterations: 20_000 },
        ..LifeOptions::default()
    };
    let problem = LifeProblem::<f64>::new(
        &data.dwi,
        &data.gradients,
        &Mask::full(*data.dwi.grid()),
        &data.tracks,
        &converged,
        &Device::Cpu,
    )?;
    let optimum = problem.solve(&converged, |_| true).objective;
    for solver in [Solver::ProjectedBarzilaiBorwein, Solver::Sbbnnls] {
        let options = LifeOptions { solver, ..converged.clone() };
        let mut line = format!("  {solver:?}: above the optimum by");
        let mut marks = [100, 200, 400].into_iter().peekable();
        problem.solve(&options, |point| {
            if marks.peek().is_some_and(|&mark| point.products >= mark) {
                let excess = (point.objective - optimum) / optimum;
                // Writing to a string cannot fail.
                let _ = write!(line, " {excess:.1e} after {} products,", marks.next().unwrap_or_default());
            }
            marks.peek().is_some()
        });
        println!("{}", line.trim_end_matches(','));
    }
    println!();
    Ok(())
}

struct Data {
    dwi: Volume<f32>,
    gradients: GradientTable,
    tracks: Tractogram,
}

impl Data {
    fn read() -> Outcome<Self> {
        let dwi = arcuate_io::read_volume(&scan("dwi.nii.gz")?)?;
        let gradients = arcuate_io::fsl_gradients::read(
            &scan("dwi.bval")?,
            &scan("dwi.bvec")?,
            dwi.grid().affine(),
            Some(dwi.channels()),
        )?
        .table(&arcuate_io::GradientReading::with_threshold(50.0))?;
        let tracks = arcuate_io::read_tractogram(&scan("tracks.tck")?)?.tractogram;
        let first: Vec<usize> = (0..STREAMLINES.min(tracks.len())).collect();
        Ok(Self { dwi, gradients, tracks: tracks.select(&first) })
    }

    fn problem(&self, options: &LifeOptions) -> Outcome<LifeProblem<f32>> {
        let everywhere = Mask::full(*self.dwi.grid());
        let problem =
            LifeProblem::new(&self.dwi, &self.gradients, &everywhere, &self.tracks, options, &Device::Cpu);
        Ok(problem?)
    }
}

/// Returns the median time of 21 runs in seconds. One run computes both matrix products, M w and Mᵀ y.
fn products(problem: &LifeProblem<f32>) -> Outcome<f64> {
    let operator = problem.operator();
    let weights = vec![1f32; operator.columns()];
    let (mut data, mut gradient) = (vec![0f32; operator.rows()], vec![0f32; operator.columns()]);
    let mut times = Vec::new();
    for _ in 0..21 {
        times.push(seconds(|| {
            operator.forward(&weights, &mut data);
            operator.adjoint(&data, &mut gradient);
            Ok(())
        })?);
    }
    Ok(median(&times))
}

fn dipy_options() -> LifeOptions {
    let vertices: Vec<[f64; 3]> = include_str!("../../arcuate-evaluate/tests/data/dipy_half_sphere.txt")
        .lines()
        .filter_map(|line| {
            let numbers: Vec<f64> = line.split_whitespace().filter_map(|n| n.parse().ok()).collect();
            numbers.try_into().ok()
        })
        .collect();
    LifeOptions {
        orientations: Orientations::new(&vertices).expect("the file holds directions"),
        normalisation: Normalisation::Relative,
        ..LifeOptions::default()
    }
}

/// The times and the results that the script with DIPY's LiFE prints.
struct Dipy {
    objective: f64,
    set_up: f64,
    solve: f64,
    csr_pair: f64,
}

impl Dipy {
    fn run(options: &Options) -> Outcome<Self> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../oracles/life_dipy.py");
        let folder = scan("dwi.nii.gz")?;
        let folder = folder.parent().ok_or("the scan is not in a folder")?;
        let output = Command::new(&options.python)
            .arg(script)
            .arg(folder)
            .args(["--streamlines", &STREAMLINES.to_string(), "--time"])
            .env("OMP_NUM_THREADS", options.threads.to_string())
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            return Err(format!("life_dipy.py failed: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        let after = |marker: &str| -> Outcome<f64> {
            let rest =
                text.split(marker).nth(1).ok_or_else(|| format!("life_dipy.py does not print `{marker}`"))?;
            let word = rest.split_whitespace().next().unwrap_or_default();
            Ok(word.parse()?)
        };
        Ok(Self {
            objective: after("dipy's solver: sum of squares")?,
            set_up: after("dipy set-up")?,
            solve: after(" s, solve")?,
            csr_pair: 1e-3 * after("SciPy CSR pair of products")?,
        })
    }
}
