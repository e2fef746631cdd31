//! Times COMMIT with a table of responses at fixed orientations, and compares Arcuate with dmri-commit. Both
//! programs use the same dictionary files and the same response functions (kernels), and run alternately.

use crate::measure::scan;
use crate::options::Options;
use crate::outcome::Outcome;
use arcuate_core::statistics::quantile;
use arcuate_evaluate::commit::{Kernels, dictionary_operator};
use arcuate_evaluate::{Dictionary, Element, SparseTucker};
use arcuate_io::read_commit_dictionary;
use arcuate_solve::{
    GapRule, LinearOperator, NonNegativeLeastSquares, ProximalProblem, Regulariser, StoppingRule, fista,
    projected_barzilai_borwein, vector,
};
use rayon::ThreadPool;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// `TURNS` is how often the programs alternate, and `REPEATS` the number of timed matrix products per turn.
/// In each turn, one more product runs first and is not timed. In total, each product is timed fifty times.
const TURNS: usize = 10;
const REPEATS: usize = 5;
/// `FITS` is how often the programs alternate in fits. `ITERATIONS` is the number of iterations of each fit.
/// `FIRST` is the number of its first iterations that are not timed. dmri-commit has a longer line search in
/// its first iterations.
const FITS: usize = 3;
const ITERATIONS: usize = 60;
const FIRST: usize = 10;

pub(crate) fn run(options: &Options) -> Outcome {
    let data = match &options.commit.data {
        Some(folder) => folder.clone(),
        None => scan("dwi.nii.gz")?.parent().ok_or("the scan is not in a folder")?.to_owned(),
    };
    for model in &options.commit.models {
        println!("commit, {model}, {}", data.file_name().unwrap_or_default().display());
        let folder = tempfile::tempdir()?;
        let mut peer = Peer::start(options, folder.path(), &data, model)?;
        let products = folder.path().join("products");
        let single = System::<f32>::read(&products, &peer)?;
        let double = System::<f64>::read(&products, &peer)?;
        let operator = &single.operator;
        println!(
            "  {} coefficients in {} runs, {} voxels × {} samples, {} atoms, {} unknowns",
            operator.coefficients(),
            operator.runs(),
            operator.voxels(),
            operator.directions(),
            operator.atoms(),
            operator.columns()
        );
        for threads in 1..=options.threads {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
            peer.ask("threads", threads)?;
            println!("  {threads} threads, ms: median (quartiles)");
            side_by_side(&pool, &single, &double, &mut peer)?;
        }
        println!();
    }
    Ok(())
}

fn side_by_side(pool: &ThreadPool, single: &System<f32>, double: &System<f64>, peer: &mut Peer) -> Outcome {
    let [mut forward, mut adjoint] = [Times::default(), Times::default()];
    for _ in 0..TURNS {
        forward.ours[0].extend(pool.install(|| single.forward()));
        forward.ours[1].extend(pool.install(|| double.forward()));
        forward.peer.extend(&peer.ask("forward", REPEATS + 1)?[1..]);
        adjoint.ours[0].extend(pool.install(|| single.adjoint()));
        adjoint.ours[1].extend(pool.install(|| double.adjoint()));
        adjoint.peer.extend(&peer.ask("adjoint", REPEATS + 1)?[1..]);
    }
    forward.print("A x");
    adjoint.print("Aᵀ y");
    let [mut steps, mut proximal] = [Times::default(), Times::default()];
    for _ in 0..FITS {
        steps.ours[0].extend(pool.install(|| single.iterations()));
        steps.ours[1].extend(pool.install(|| double.iterations()));
        proximal.ours[0].extend(pool.install(|| single.proximal_iterations()));
        proximal.ours[1].extend(pool.install(|| double.proximal_iterations()));
        steps.peer.extend(&peer.ask("fit", ITERATIONS)?[FIRST..]);
    }
    proximal.peer.clone_from(&steps.peer);
    steps.print("an iteration, Barzilai–Borwein");
    proximal.print("an iteration, FISTA");
    Ok(())
}

/// Times of the same work in seconds: Arcuate in single precision, Arcuate in double precision, and
/// dmri-commit.
#[derive(Default)]
struct Times {
    ours: [Vec<f64>; 2],
    peer: Vec<f64>,
}

impl Times {
    fn print(&self, what: &str) {
        let quartiles = |times: &[f64]| -> [f64; 3] {
            let quartile = |part| quantile(&mut times.to_vec(), part).unwrap_or(f64::NAN);
            [0.25, 0.5, 0.75].map(|part| 1e3 * quartile(part))
        };
        let shown = |[low, median, high]: [f64; 3]| format!("{median:.2} ({low:.2} to {high:.2})");
        let [single, double, peer] = [&self.ours[0], &self.ours[1], &self.peer].map(|times| quartiles(times));
        println!(
            "    {what:<32} f32 {:<24} f64 {:<24} dmri-commit {:<24} {:.1} × and {:.1} × faster",
            shown(single),
            shown(double),
            shown(peer),
            peer[1] / single[1],
            peer[1] / double[1]
        );
    }
}

/// The linear operator and the data that dmri-commit wrote to files, read in single or double precision.
struct System<T: Element> {
    operator: SparseTucker<T>,
    data: Vec<T>,
}

impl<T: Element> System<T> {
    /// Reads the operator and the data that dmri-commit wrote to files. Returns an error if matrix products
    /// with the operator differ from those that dmri-commit computed.
    fn read(products: &Path, peer: &Peer) -> Outcome<Self> {
        let dictionary = read_commit_dictionary(products)?;
        let operator = dictionary_operator::<T>(&dictionary, &kernels(products)?)?;
        let bytes = std::fs::read(products.join("y.f64"))?;
        let data: Vec<T> = bytes.as_chunks().0.iter().map(|&b| T::of(f64::from_le_bytes(b))).collect();
        if [operator.rows(), operator.columns(), data.len()] != [peer.shape[0], peer.shape[1], peer.shape[0]]
        {
            return Err("the operators differ in size".into());
        }
        // The unknowns of dmri-commit have a different order. The norms of A 1 and Aᵀ A 1, with a vector 1 of
        // ones, do not depend on this order.
        let (mut image, mut adjoint) = (vec![T::zero(); data.len()], vec![T::zero(); operator.columns()]);
        operator.forward(&vec![T::one(); operator.columns()], &mut image);
        operator.adjoint(&image, &mut adjoint);
        for (ours, theirs) in [(&image, peer.norms[0]), (&adjoint, peer.norms[1])] {
            let norm = vector::norm_squared(ours).sqrt();
            // The response functions and the lengths of segments are in single precision. A sum of a million
            // of their products has a smaller relative error than one rounding to single precision.
            if (norm - theirs).abs() > 1e-5 * theirs {
                return Err(format!("the products differ: a norm is {norm}, dmri-commit's {theirs}").into());
            }
        }
        Ok(Self { operator, data })
    }

    fn forward(&self) -> Vec<f64> {
        let x: Vec<T> = (0..self.operator.columns()).map(|n| T::of((n % 97) as f64 / 97.0 + 0.01)).collect();
        let mut image = vec![T::zero(); self.operator.rows()];
        repeat(|| self.operator.forward(&x, &mut image))
    }

    fn adjoint(&self) -> Vec<f64> {
        let mut out = vec![T::zero(); self.operator.columns()];
        repeat(|| self.operator.adjoint(&self.data, &mut out))
    }

    fn iterations(&self) -> Vec<f64> {
        let problem = NonNegativeLeastSquares::new(&self.operator, &self.data);
        let rule = StoppingRule { tolerance: 0.0, iterations: ITERATIONS };
        let mut ends = Vec::new();
        projected_barzilai_borwein(&problem, &vec![T::zero(); self.operator.columns()], &rule, |point| {
            ends.push(point.elapsed);
            true
        });
        intervals(&ends)
    }

    fn proximal_iterations(&self) -> Vec<f64> {
        let regulariser = Regulariser::non_negative(self.operator.columns());
        let problem = ProximalProblem::new(&self.operator, &self.data, &regulariser);
        let rule = GapRule { gap: None, gradient_mapping: 0.0, iterations: ITERATIONS };
        let mut ends = Vec::new();
        fista(&problem, &vec![T::zero(); self.operator.columns()], &rule, |point| {
            ends.push(point.elapsed);
            true
        });
        intervals(&ends)
    }
}

/// Runs the function once without timing it, then [`REPEATS`] times. Returns the time of each of these runs
/// in seconds.
fn repeat(mut run: impl FnMut()) -> Vec<f64> {
    run();
    let mut timed = || {
        let started = Instant::now();
        run();
        started.elapsed().as_secs_f64()
    };
    (0..REPEATS).map(|_| timed()).collect()
}

fn intervals(ends: &[Duration]) -> Vec<f64> {
    ends.windows(2).skip(FIRST).map(|pair| pair[1].as_secs_f64() - pair[0].as_secs_f64()).collect()
}

fn kernels(folder: &Path) -> Outcome<Kernels> {
    let text = std::fs::read_to_string(folder.join("shape.txt"))?;
    let shape: Vec<usize> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    let [intra, extra, isotropic, orientations, samples] =
        shape.try_into().map_err(|_| "shape.txt has not five numbers")?;
    let singles = |name: &str| -> Outcome<Vec<f64>> {
        let bytes = std::fs::read(folder.join(name))?;
        Ok(bytes.as_chunks().0.iter().map(|&four| f64::from(f32::from_le_bytes(four))).collect())
    };
    let oriented = |name: &str, count: usize| -> Outcome<Vec<Dictionary>> {
        let values = singles(name)?;
        if values.len() != count * orientations * samples {
            return Err(format!("{name} has another size").into());
        }
        let rows = values.chunks(orientations * samples);
        Ok(rows.map(|rows| Dictionary::new(samples, rows.to_vec())).collect::<Result<_, _>>()?)
    };
    let rows = singles("iso.f32")?;
    Ok(Kernels {
        intra: oriented("wmr.f32", intra)?,
        extra: oriented("wmh.f32", extra)?,
        isotropic: if isotropic > 0 { Some(Dictionary::new(samples, rows)?) } else { None },
    })
}

/// The program dmri-commit, running as a separate process that waits for requests of this benchmark.
struct Peer {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// The numbers of rows and columns of the matrix A of dmri-commit's linear operator.
    shape: [usize; 2],
    /// The norms ‖A 1‖ and ‖Aᵀ A 1‖ that dmri-commit computes, with a vector 1 of ones.
    norms: [f64; 2],
}

impl Peer {
    fn start(options: &Options, folder: &Path, data: &Path, model: &str) -> Outcome<Self> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../oracles/commit_speed.py");
        let mut process = Command::new(&options.python)
            .arg(script)
            .args([folder, data])
            .args(["--model", model, "--mask", &options.commit.mask])
            .args(["--blas-threads", &options.threads.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(questions), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            return Err("dmri-commit has no pipes".into());
        };
        let mut peer =
            Self { process, questions, answers: BufReader::new(answers), shape: [0; 2], norms: [0.0; 2] };
        let numbers = peer.answer("ready")?;
        let [rows, columns, image, adjoint] =
            numbers.try_into().map_err(|_| "commit_speed.py does not report the size of its operator")?;
        (peer.shape, peer.norms) = ([rows as usize, columns as usize], [image, adjoint]);
        Ok(peer)
    }

    fn ask(&mut self, what: &str, count: usize) -> Outcome<Vec<f64>> {
        writeln!(self.questions, "{what} {count}")?;
        self.questions.flush()?;
        self.answer("seconds")
    }

    fn answer(&mut self, expected: &str) -> Outcome<Vec<f64>> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let mut words = line.split_whitespace();
        if words.next() != Some(expected) {
            return Err("commit_speed.py ended; run it by hand to see why".into());
        }
        Ok(words.map(str::parse).collect::<Result<_, _>>()?)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // An error of `kill` is ignored, because the process of dmri-commit may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
