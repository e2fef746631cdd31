use crate::fit::dispersion_series::SeriesLength;
use crate::fit::interpreter::Interpreter;
use crate::fit::protocol::Protocol;
use crate::fit::schedule::Schedule;
use crate::language::{Input, Model, ModelProgram};
use crate::models;
use crate::special::bingham::means::MEANS;
use arcuate_core::GradientTable;
use arcuate_numbers::{Lanes, Real};

/// Creates a model whose signal is the mean over the Bingham distribution, as a function of κ₁, κ₂ and the
/// frame.
const MEAN: &str = r#"
name = "mean"
signal = "s0 * bingham_stick(b * d, kappa1, kappa2, g, mu, fan)"
[parameters.s0]
unit = "signal"
start = "mean_b0"
[parameters.d]
unit = "mm²/s"
bounds = [1e-3, 2e-3]
start = 1e-3
fixed = true
[parameters.kappa1]
bounds = [0, 64]
start = 1
[parameters.kappa2]
bounds = [0, 64]
start = 1
[parameters.mu]
kind = "orientation"
[parameters.fan]
kind = "orientation"
"#;

/// Returns the computed and the expected signals of the rows of the table with b d up to `largest_x`, in this
/// precision.
fn signals<T: Real>(largest_x: f64, length: SeriesLength) -> Vec<(f64, f64)> {
    let model = Model::parse("mean.toml", MEAN).unwrap();
    let rows: Vec<[f64; 7]> = MEANS.into_iter().filter(|row| row[2] <= largest_x).collect();
    let directions: Vec<[f64; 3]> = rows
        .iter()
        .map(|[_, _, _, cosine, share, ..]| {
            let square = 1.0 - cosine * cosine;
            [(square * (1.0 - share)).sqrt(), (square * share).sqrt(), *cosine]
        })
        .collect();
    let table = GradientTable::new(&directions, rows.iter().map(|row| 1e3 * row[2]).collect(), 50.0).unwrap();
    let used: Vec<usize> = (0..rows.len()).collect();
    let protocol = Protocol::new(&table, &used, &model, &[]).unwrap();
    let program = model.program(&model.own_roles()).unwrap();
    let schedule = Schedule::new(&program, &protocol, &[1.0], &[], length).unwrap();
    let mut interpreter = Interpreter::<T>::new(&schedule, rows.len());
    let mut found = Vec::new();
    for (n, row) in rows.iter().enumerate() {
        let numbers = [1.0, row[0], row[1], 0.0, 0.0, 1.0, 0.0, 1.0, 0.0].map(Lanes::all);
        interpreter.set_inputs(&[], &numbers, &[], &[]);
        interpreter.blocks(&[], |of, block| {
            if block.contains(&n) {
                found.push((of.result(0, &block)[n - block.start].0[0].double(), row[5]));
            }
        });
    }
    found
}

fn worst(signals: Vec<(f64, f64)>) -> f64 {
    signals.into_iter().map(|(found, exact)| (found - exact).abs()).fold(0.0, f64::max)
}

#[test]
fn signals_agree_with_multiple_precision() {
    for largest_x in [1.7, 3.4, 5.1, 10.0, 16.0] {
        let single = worst(signals::<f32>(largest_x, SeriesLength::Single));
        println!("{largest_x}: {single:e}");
        assert!(single < 2e-6, "{largest_x}: {single:e}");
        let double = worst(signals::<f64>(largest_x, SeriesLength::Double));
        println!("{largest_x}: {double:e}");
        assert!(double < 1e-11, "{largest_x}: {double:e}");
    }
}

/// Returns a set of different parameter values for a model, in base units.
fn numbers_of(model: &Model) -> Vec<f64> {
    let orientations =
        [[2.0 / 7.0, 3.0 / 7.0, -6.0 / 7.0], [0.8, -0.6, 0.0], [1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]];
    let mut numbers = Vec::new();
    let mut turns = orientations.into_iter().cycle();
    for parameter in model.parameters().iter().filter(|parameter| !parameter.is_fixed()) {
        let place = numbers.len() as f64;
        match parameter.name() {
            "s0" => numbers.push(1.3),
            "d" => numbers.push(1.1),
            "reference" => numbers.extend([0.36, 0.48, 0.8]),
            _ if parameter.numbers() == 3 => numbers.extend(turns.next().unwrap()),
            name if name.starts_with("kappa1") => numbers.push(9.0 + place),
            name if name.starts_with("kappa2") => numbers.push(1.0 + 0.2 * place),
            name if name.starts_with("psi") => numbers.push(0.3 + 0.1 * place),
            name if name.starts_with("ndi") => numbers.push(0.45 + 0.02 * place),
            _ => numbers.push(0.15 + 0.01 * place),
        }
    }
    numbers
}

/// Returns the values of all roots of a program, and their derivatives by the fitted values.
fn with_gradient(program: &ModelProgram) -> impl Fn(&[f64], f64, [f64; 3]) -> Vec<f64> {
    let inputs: Vec<Input> = (0..program.free_numbers as u16).map(Input::Parameter).collect();
    let (mut graph, signal) = program.clone().parts();
    let gradient = graph.gradient(signal, &inputs);
    move |numbers: &[f64], b: f64, g: [f64; 3]| {
        let values = graph.evaluate(|input| match input {
            Input::Parameter(n) => numbers[usize::from(n)],
            Input::Setting(n) => [1.7, 3.0][usize::from(n)],
            Input::Measurement(0) => b,
            Input::Measurement(n @ 1..4) => g[usize::from(n) - 1],
            _ => f64::NAN,
        });
        std::iter::once(&signal).chain(&gradient).map(|id| values[id.index()]).collect()
    }
}

#[test]
fn model_derivatives_agree_with_central_differences() {
    let directions =
        [[0.0, 0.0, 1.0], [0.6, 0.0, 0.8], [-2.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0], [0.48, 0.6, -0.64]];
    let fans = models::model_names()
        .filter(|name| models::model_text(name).is_some_and(|text| text.contains("bingham_stick(")));
    for name in fans {
        let model = models::model(name).unwrap();
        let program = model.program(&model.own_roles()).unwrap();
        let of = with_gradient(&program);
        let numbers = numbers_of(&model);
        for (b, g) in [1.0, 2.0, 3.0, 0.7].into_iter().zip(directions) {
            let found = of(&numbers, b, g);
            for n in 0..numbers.len() {
                let at = |step: f64| {
                    let mut moved = numbers.clone();
                    moved[n] += step;
                    of(&moved, b, g)[0]
                };
                let slope = (at(1e-6) - at(-1e-6)) / 2e-6;
                let found = found[1 + n];
                assert!((found - slope).abs() < 1e-8, "{name}: number {n} at b {b}: {found} {slope}");
            }
        }
    }
}

#[test]
fn schedule_derivatives_agree_with_programs() {
    let table = GradientTable::new(&[[0.48, 0.6, -0.64]], vec![2000.0], 50.0).unwrap();
    for name in ["noddi-bingham", "noddi-2-binghams", "ball-1-racket"] {
        let model = models::model(name).unwrap();
        let protocol = Protocol::new(&table, &[0], &model, &[]).unwrap();
        let program = model.program(&model.own_roles()).unwrap();
        let all: Vec<usize> = (0..model.parameters().len()).collect();
        // Derivatives by turns of an orientation are not compared. They are sums of derivatives by its
        // components.
        let unknowns: Vec<_> = program
            .unknowns(&model, &all)
            .into_iter()
            .filter(|unknown| matches!(unknown, crate::fit::unknowns::Unknown::Number(_)))
            .collect();
        let settings = [1.7, 3.0];
        let schedule =
            Schedule::new(&program, &protocol, &settings, &unknowns, SeriesLength::Double).unwrap();
        let numbers = numbers_of(&model);
        let expected = with_gradient(&program)(&numbers, 2.0, [0.48, 0.6, -0.64]);
        let mut interpreter = Interpreter::<f64>::new(&schedule, 1);
        let rows: Vec<_> = numbers.iter().map(|value| Lanes::all(*value)).collect();
        interpreter.set_inputs(&unknowns, &rows, &[], &[]);
        let of_unknowns = unknowns.iter().map(|unknown| expected[1 + usize::from(unknown.place())]);
        let expected: Vec<f64> = std::iter::once(expected[0]).chain(of_unknowns).collect();
        interpreter.blocks(&[], |of, block| {
            for (n, expected) in expected.iter().enumerate() {
                let found = of.result(n, &block)[0].0[0];
                assert!((found - expected).abs() < 1e-10, "{name}, result {n}: {found} {expected}");
            }
        });
    }
}
