//! Tests the model language: which models are rejected with which message, and the derivatives of signals.

use arcuate_compute::{Purpose, Random};
use arcuate_model::language::{
    Expression, FUNCTIONS, Form, Input, Method, Model, Output, Parameter, SignalModel, Start, TensorPart,
    Unit,
};
use arcuate_model::models::{model, model_names, model_text};
use std::path::Path;

/// Returns the text of a small model file with this signal, and with `more` appended.
fn file(signal: &str, more: &str) -> String {
    format!(
        r#"name = "mine"
signal = "{signal}"

[parameters.s0]
unit = "signal"
bounds = [0, inf]
start = "mean_b0"

[parameters.d]
unit = "mm²/s"
bounds = [0, 5e-3]
start = 1e-3

{more}"#
    )
}

fn refused(text: &str) -> String {
    Model::parse("mine.toml", text).expect_err(text).to_string()
}

/// Values that need not be computed for each measurement or voxel have their own heading in the listing.
/// Values that are used twice have a name.
#[test]
fn listings_group_values_by_how_often_they_are_computed() {
    let text = file(
        "s0 * ((1 - f) * exp(-b * d) + f * exp(-(1 + k) * b * d) / (1 + f))",
        "[parameters.f]\nbounds = [0, 1]\nstart = 0.5\n[parameters.k]\nfixed = true\nstart = 2\n",
    );
    let listing = Model::parse("mine.toml", &text).unwrap().listing().unwrap();
    assert_eq!(
        listing,
        "once (1 operation)\n  v1 = k + 1\nper measurement (1 operation)\n  v2 = b * v1\nper voxel (2 operations)\n\
         \x20 v3 = 1 - f\n  v4 = f + 1\nper voxel and measurement (11 operations)\n\
         \x20 signal = s0 * (v3 * exp(-(b * d)) + f * exp(-(d * v2)) / v4)\n"
    );
}

/// Each case has a signal, a text that is appended to the model file, and the expected error message.
#[test]
fn invalid_models_give_one_line_errors_with_a_position() {
    for (signal, more, expected) in [
        ("s0 * exp(-b * dd)", "", "line 2, column 25: `dd` is not known here; did you mean `d`?"),
        (
            "s0 * exp(-b)",
            "",
            "line 2, column 20: `exp` takes a pure number, and this is ms/µm²; check the units of its terms",
        ),
        (
            "s0 + d",
            "",
            "line 2, column 14: units do not fit: signal and µm²/ms; check the units of these terms",
        ),
        (
            "exp(-b * d)",
            "",
            "line 2, column 11: the signal is a pure number; its unit must be `signal`, that of a parameter like s0",
        ),
        (
            "s0 * exp(-b * d) / (d - d)",
            "",
            "line 2, column 28: the divisor can be 0: it goes from 0 to 0 µm²/ms; bound the parameters in it away from 0, or write max(x, 1e-6), atan2(1, x) or powder_stick(x); a `where` around it does not help",
        ),
        (
            "s0 * exp(-b * d) / f",
            "[parameters.f]\nbounds = [0, 1]\nstart = 0.5\n",
            "line 2, column 28: the divisor can be 0: it goes from 0 to 1; bound the parameters in it away from 0, or write max(x, 1e-6), atan2(1, x) or powder_stick(x); a `where` around it does not help",
        ),
        (
            "s0 * exp(-b * d)",
            "[parameters.f]\nbounds = [0, 1]\nstart = 0.5\n",
            "line 14, column 13: `f` is not used in the signal; use it there, or remove it",
        ),
        (
            "s0 * exp(-b * d)",
            "[outputs.x]\nvalue = \"1 / d\"\n",
            "line 15, column 12: the divisor can be 0: it goes from 0 to 5 µm²/ms; bound the parameters in it away from 0, or write max(x, 1e-6), atan2(1, x) or powder_stick(x); a `where` around it does not help",
        ),
        ("s0 * exp(-b * d", "", "line 2, column 26: `)` is missing here; write it"),
        ("s0 * expp(-b * d)", "", "line 2, column 16: `expp` is not a function; did you mean `exp`?"),
        ("s0 * exp(-b * d, 1)", "", "line 2, column 16: `exp` takes 1: exp(x); 2 are given"),
        (
            "s0 * exp(-b * d) d",
            "",
            "line 2, column 28: the formula should have ended here; join it with an operator, or end the statement before it with a line or a `;`",
        ),
        (
            "s0 * ln(b * d)",
            "",
            "line 2, column 21: `ln` takes x above 0, and this goes from 0 up without end; bound the parameters in it, or use min or max; a `where` around it does not help",
        ),
        (
            "s0 * sqrt(d - 1 [mm²/s])",
            "",
            "line 2, column 23: `sqrt` takes x at least 0, and this goes from -1000 \
             to -995 µm²/ms; bound the parameters in it, or use min or max; a `where` around it does not \
             help",
        ),
        ("s0 * g", "", "line 2, column 14: the signal is a vector; make a number of it"),
        (
            "s0 * dot(g, d)",
            "",
            "line 2, column 23: `dot` takes a vector, and this is a number; check the formula",
        ),
        ("s0 * 1.2.3", "", "line 2, column 16: `1.2.3` is not a number; write it as 1.7e-3"),
        (
            "s0 * 3 [parsec]",
            "",
            "line 2, column 18: `parsec` is not a unit; write one like mm²/s, ms or mT/m",
        ),
        ("s0 * d ? 2", "", "line 2, column 18: `?` has no meaning here; see the page on the model language"),
        ("let x = 1; s0 * exp(-b * d)", "", "line 2, column 15: `x` is not used; use it or remove its line"),
        (
            "",
            "",
            "line 2, column 11: the formula has no value; write the expression of the signal after the last `let`",
        ),
        (
            "s0 * exp(-b * d)",
            "[parameters.s1]\nunit = \"signal\"\nbounds = [1, 2]\nstart = 1.5\n",
            "line 14, column 13: `s1` is a signal, which has no scale, and has bounds; bound it by 0 and inf",
        ),
        (
            "s0 * exp(-b * d)",
            "[parameters.f]\nbound = [0, 1]\nstart = 0.5\n",
            "line 15, column 1: `bound` is nothing that a parameter has; did you mean `bounds`?",
        ),
        (
            "s0 * exp(-b * d)",
            "[parameters.f]\nbounds = [1, 0]\nstart = 0.5\n",
            "line 15, column 10: `bounds` are not two numbers, the smaller one first; write bounds = [0, 3e-3]; inf and -inf are numbers too",
        ),
        (
            "s0 * exp(-b * d)",
            "[parameters.f]\nbounds = [0, 1]\nstart = 2\n",
            "line 14, column 13: `f` has a value 2 beyond its bounds; widen the bounds or change the value",
        ),
        (
            "s0 * exp(-b * d)",
            "[parameters.f]\nbounds = [0, 1]\n",
            "line 14, column 13: it is not known where `f` starts; give start = a number, \"mean_b0\", \"tensor.md\", ..., or a grid",
        ),
        (
            "s0 * exp(-b * d)",
            "[parameters.f]\nbounds = [0, 1]\nstart = \"tensor.xx\"\n",
            "line 16, column 9: `tensor` has no `xx`; it has s0, md, ad, rd, v1, v2, v3, dxx, dyy, dzz, dxy, dxz, dyz",
        ),
        (
            "s0 * exp(-b * d)",
            "[parameters.pi]\nstart = 1\n",
            "line 14, column 13: the name `pi` is taken; choose another",
        ),
        (
            "f * s0 * exp(-b * d)",
            "[parameters.f]\nbounds = [0, 1]\nstart = \"tensor.md\"\n",
            "line 14, column 13: `f` cannot start from that: it has another unit or kind; signals start from mean_b0 or largest, diffusivities from tensor.md, orientations from tensor.v1",
        ),
        (
            "s0 * exp(-b * d)",
            "[parameters.f]\nunit = \"foo\"\n",
            "line 15, column 8: `foo` is not a unit; write one like mm²/s, ms, mT/m, deg or signal",
        ),
        (
            "s0 * exp(-b * d)",
            "[parameterss.f]\nunit = \"foo\"\n",
            "line 14, column 2: `parameterss` is nothing that a model file has; did you mean `parameters`?",
        ),
        (
            "s0 * exp(-b * d)",
            "[[stages]]\nmethod = \"gridd\"\n",
            "line 15, column 10: `gridd` is not a method; write grid or levenberg-marquardt",
        ),
        (
            "s0 * exp(-b * d)",
            "[[stages]]\nmethod = \"grid\"\nparameters = [\"d\"]\n",
            "line 9, column 13: a search is to try `d`, which has no grid; give it one, or leave it out of the stage",
        ),
        (
            "s0 * exp(-b * d)",
            "[[stages]]\nparameters = [\"dd\"]\n",
            "line 15, column 15: `dd` is not a parameter; did you mean `d`?",
        ),
        (
            "s0 * exp(-b * d)",
            "x = \n",
            "line 14, column 5: it is not valid TOML (string values must be quoted, expected literal string); see `arcuate fit --list ball-1-stick` for a model file",
        ),
        (
            "s0 * watson_stick(b * d, k, dot(g, n))",
            "[parameters.k]\nbounds = [0, 100]\nstart = 1\n[parameters.n]\nkind = \"orientation\"\n",
            "line 2, column 36: `watson_stick` takes kappa from 0 to 64, and this goes from 0 to 100; bound the parameters in it, or use min or max; a `where` around it does not help",
        ),
        (
            "s0 * powder_stick(b * (d - e))",
            "[parameters.e]\nunit = \"mm²/s\"\nbounds = [0, 5e-3]\nstart = 1e-4\n",
            "line 2, column 31: `powder_stick` takes x from 0 to 60, and this has no bounds; write max(d - e, 0), or add the constraint \"e <= d\"; a `where` around it does not help",
        ),
        (
            "s0 * watson_stick(b * d, k, 2)",
            "[parameters.k]\nbounds = [0, 10]\nstart = 1\n",
            "line 2, column 39: `watson_stick` takes c from −1 to 1, and this goes from 2 to 2; bound the parameters in it, or use min or max; a `where` around it does not help",
        ),
        (
            "s0 * sphere_gpd(b, separation, duration, d, d)",
            "",
            "line 2, column 55: `sphere_gpd` takes radius in a unit like µm, and this is µm²/ms; check the units of its terms",
        ),
        (
            "s0 * sphere_gpd(b, separation, duration, d, r)",
            "[parameters.r]\nunit = \"µm\"\nbounds = [0, 10]\nstart = 5\n",
            "line 2, column 55: `sphere_gpd` takes radius above 0, and this goes from 0 to 10 µm; bound the parameters in it, or use min or max; a `where` around it does not help",
        ),
        (
            "s0 * legendre(3, dot(g, n)) * exp(-b*d)",
            "[parameters.n]\nkind = \"orientation\"\n",
            "line 2, column 25: a degree is an even number from 0 to 40; write it as a number",
        ),
        (
            "s0 * exp(-b * d)",
            "[parameters.f]\nbounds = [0, 1]\ngird = [0.5]\n",
            "line 16, column 1: `gird` is nothing that a parameter has; did you mean `grid`?",
        ),
        (
            "let b = 2; s0 * exp(-b * d)",
            "",
            "line 2, column 15: `let` would hide `b`, which has a meaning already; choose another name",
        ),
        (
            "let d = b; s0 * exp(-d)",
            "",
            "line 2, column 15: `let` would hide `d`, which has a meaning already; choose another name",
        ),
        (
            "s0 * exp(-b * d)",
            "[outputs.x]\nunit = \"mm²/s\"\nvalue = \"let x = d; x\"\n",
            "line 16, column 14: `let` would hide `x`, which has a meaning already; choose another name",
        ),
        (
            "s0 * exp(-b * d)",
            "[outputs.mask]\nunit = \"mm²/s\"\nvalue = \"d\"\n",
            "line 14, column 10: another file of the results has the name `mask`; choose another",
        ),
        (
            "s0 * exp(-b * d)",
            "[outputs.d_error]\nunit = \"mm²/s\"\nvalue = \"d\"\n",
            "line 14, column 10: the map of the uncertainty of `d` has the name `d_error`; choose another",
        ),
        (
            "s0 * exp(-b * d)",
            "[parameters.n]\nkind = \"vector\"\n",
            "line 15, column 8: `vector` is not a kind of parameter; write number or orientation",
        ),
    ] {
        assert_eq!(refused(&file(signal, more)), format!("mine.toml, {expected}"));
    }
}

#[test]
fn misspelt_required_keys_are_reported_as_misspelt() {
    let text = file("s0 * exp(-b * d)", "").replace("signal =", "sgnal =");
    assert_eq!(
        refused(&text),
        "mine.toml, line 2, column 1: `sgnal` is nothing that a model file has; did you mean `signal`?"
    );
    let text = file("s0 * exp(-b * d)", "").replace("signal =", "# signal =");
    assert_eq!(
        refused(&text),
        "mine.toml, line 1, column 1: a model file has no `signal`; write signal = \"...\""
    );
}

#[test]
fn conditions_are_correct_at_their_border() {
    for (condition, expected) in
        [("<", [1.0, 0.0, 0.0]), ("<=", [1.0, 1.0, 0.0]), (">", [0.0, 0.0, 1.0]), (">=", [0.0, 1.0, 1.0])]
    {
        let signal = format!("s0 * where(f {condition} 0.5, 1, 0) * exp(-b * d)");
        let model =
            Model::parse("mine.toml", &file(&signal, "[parameters.f]\nbounds = [0, 1]\nstart = 0.5\n"))
                .unwrap();
        let (program, signal) = model.program(&model.own_roles()).unwrap().parts();
        for (f, expected) in [0.25, 0.5, 0.75].into_iter().zip(expected) {
            let values = program.evaluate(|input| match input {
                Input::Parameter(n) => [1.0, 0.0, f][usize::from(n)],
                _ => 0.0,
            });
            assert_eq!(values[signal.index()], expected, "{f} {condition} 0.5");
        }
    }
}

#[test]
fn start_values_must_satisfy_constraints() {
    let fractions =
        "[parameters.f1]\nbounds = [0, 1]\nstart = 0.7\n[parameters.f2]\nbounds = [0, 1]\nstart = 0.7\n";
    let with = |constraint: &str| {
        let named = format!("name = \"mine\"\nconstraints = [\"{constraint}\"]");
        file("s0 * (f1 + f2) * exp(-b * d)", fractions).replace("name = \"mine\"", &named)
    };
    for (constraint, expected) in [
        (
            "f1 + f2 <= 1",
            "line 2, column 16: no start value meets the constraints; change start or grid of its parameters",
        ),
        (
            "f1 * f2 <= 0.4",
            "line 2, column 16: no start value meets the constraints; change start or grid of its parameters",
        ),
        (
            "f1 < b",
            "line 2, column 16: units do not fit: a pure number and ms/µm²; check the units of these terms",
        ),
        ("f1 + f2", "line 2, column 24: a comparison of two sides is expected here; write <=, >= or ="),
        (
            "f1 + d <= 1",
            "line 2, column 20: units do not fit: a pure number and µm²/ms; check the units of these terms",
        ),
    ] {
        assert_eq!(refused(&with(constraint)), format!("mine.toml, {expected}"));
    }
    for right in ["f1 + f2 <= 1.5", "f1 >= 0.5 * f2", "f1 = f2", "f1 + f2 = 1.4", "f1 * f2 <= 0.5"] {
        Model::parse("mine.toml", &with(right)).unwrap();
    }
}

#[test]
fn arbitrary_model_texts_do_not_panic() {
    let text = model_text("noddi-watson").unwrap();
    let mut random = Random::new(5, Purpose::Resampling, 0);
    let letters: Vec<char> = "()[]{}.,;^*/-+=<>\"'#λ0exp\n".chars().collect();
    for _ in 0..2_000 {
        let mut damaged: Vec<char> = text.chars().collect();
        for _ in 0..3 {
            let place = (random.uniform() * damaged.len() as f64) as usize;
            let letter = letters[(random.uniform() * letters.len() as f64) as usize];
            match (random.uniform() * 3.0) as u32 {
                0 => damaged[place] = letter,
                1 => damaged.insert(place, letter),
                _ => damaged.truncate(place.max(1)),
            }
        }
        let damaged: String = damaged.into_iter().collect();
        if let Err(error) = Model::parse("mine.toml", &damaged) {
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }
    // Formulas that are nested too deeply give a one-line error, not a stack overflow.
    for deep in ["(".repeat(5_000), "-".repeat(5_000), "d^".repeat(5_000), "exp(".repeat(5_000)] {
        refused(&file(&format!("s0 * {deep}"), ""));
    }
}

/// Compares the derivatives of the signal by every parameter value with finite differences.
#[test]
fn derivatives_agree_with_finite_differences_of_the_signal() {
    let mut random = Random::new(6, Purpose::Resampling, 0);
    for name in model_names() {
        let model = model(name).unwrap();
        let (mut program, signal) = model.program(&model.own_roles()).unwrap().parts();
        let settings: Vec<f64> = model
            .parameters()
            .iter()
            .filter(|parameter| parameter.is_fixed())
            .map(|parameter| parameter.start_number().unwrap() * parameter.unit().factor())
            .collect();
        let free = model.parameters().iter().filter(|parameter| !parameter.is_fixed());
        let forms: Vec<&Form> = free.flat_map(|p| vec![p.form(); p.numbers()]).collect();
        let inputs: Vec<Input> = (0..forms.len() as u16).map(Input::Parameter).collect();
        let gradient = program.gradient(signal, &inputs);
        for _ in 0..20 {
            let numbers: Vec<f64> = forms
                .iter()
                .map(|form| match form {
                    Form::Orientation { .. } => 0.57 * (2.0 * random.uniform() - 1.0),
                    Form::Number { .. } => 0.2 + 0.3 * random.uniform(),
                })
                .collect();
            let b = 3.0 * random.uniform();
            let at = |numbers: &[f64]| {
                program.evaluate(|input| match input {
                    Input::Parameter(n) => numbers[usize::from(n)],
                    Input::Setting(n) => settings[usize::from(n)],
                    Input::Measurement(0) => b,
                    Input::Measurement(n @ 1..4) => [0.48, 0.6, 0.64][usize::from(n) - 1],
                    _ => f64::NAN,
                })
            };
            let values = at(&numbers);
            for n in 0..numbers.len() {
                let step = 1e-5;
                let moved = |by: f64| {
                    let mut numbers = numbers.clone();
                    numbers[n] += by;
                    at(&numbers)[signal.index()]
                };
                let difference = (moved(step) - moved(-step)) / (2.0 * step);
                let derivative = values[gradient[n].index()];
                // The finite difference has two errors: the third derivative times the square of the step,
                // and rounding divided by the step.
                assert!(
                    (derivative - difference).abs() < 1e-7,
                    "{name}, number {n}: {derivative} {difference}"
                );
            }
        }
    }
}

/// The model `ball-1-stick`, written in Rust.
struct BallAndStick;

impl SignalModel for BallAndStick {
    fn name(&self) -> &'static str {
        "ball-1-stick"
    }

    fn parameters(&self) -> Vec<Parameter> {
        let diffusivity = Unit::parse("mm²/s").unwrap();
        vec![
            Parameter::signal("s0"),
            Parameter::number("d", diffusivity)
                .with_bounds(0.0, 5e-3)
                .with_grid(&[0.8e-3, 1.2e-3, 1.8e-3, 3e-3]),
            Parameter::fraction("f").with_grid(&[0.1, 0.3, 0.5, 0.7, 0.9]),
            Parameter::orientation("n").with_start(Start::Tensor(TensorPart::Eigenvector(0))),
        ]
    }

    fn signal(&self) -> Expression {
        let [s0, b, d, f, g, n] = ["s0", "b", "d", "f", "g", "n"].map(Expression::name);
        let ball = (-b.clone() * d.clone()).call("exp");
        let cosine = Expression::function("dot", [g, n]);
        let stick = (-b * d * cosine.to_the(2.0)).call("exp");
        s0 * ((1.0 - f.clone()) * ball + f * stick)
    }
}

#[test]
fn models_in_rust_agree_with_model_files() {
    let (ours, file) = (Model::of(&BallAndStick).unwrap(), model("ball-1-stick").unwrap());
    let program = |model: &Model| model.program(&model.own_roles()).unwrap().parts().0.to_string();
    assert_eq!(program(&ours), program(&file));
    assert_eq!(ours.stages(), file.stages());
    let methods: Vec<Method> = ours.stages().iter().map(|stage| stage.method).collect();
    assert_eq!(methods, [Method::GridSearch { keep: 1 }, Method::LevenbergMarquardt]);
}

#[test]
fn invalid_models_in_rust_are_rejected() {
    struct Wrong;
    impl SignalModel for Wrong {
        fn name(&self) -> &'static str {
            "wrong"
        }

        fn parameters(&self) -> Vec<Parameter> {
            vec![Parameter::signal("s0"), Parameter::fraction("f")]
        }

        fn signal(&self) -> Expression {
            Expression::name("s0") / Expression::name("f")
        }

        fn outputs(&self) -> Vec<Output> {
            vec![Output::new("half", Unit::number(), 0.5 * Expression::name("f"))]
        }
    }
    let message = Model::of(&Wrong).unwrap_err().to_string();
    assert!(message.starts_with("wrong: the divisor can be 0: it goes from 0 to 1;"), "{message}");
}

/// Operators, in formulas of two fractions p and q.
const OPERATORS: [&str; 4] = [
    "p^3 / q^2 - p^0.5",
    "-p + 2^1 - q",
    "p^-1 * (q - p)^2",
    "watson_stick(p, 0.1 * q, dot(direction(p, q), g))",
];

/// Returns the value of a formula of constants.
fn constant(formula: &str) -> f64 {
    let model = Model::parse("mine.toml", &file(&format!("s0 * exp(-b * d) * ({formula})"), ""))
        .unwrap_or_else(|e| panic!("{formula}: {e}"));
    let (program, signal) = model.program(&model.own_roles()).unwrap().parts();
    let values = program.evaluate(|input| match input {
        Input::Measurement(0) => 0.0,
        _ => 1.0,
    });
    values[signal.index()]
}

#[test]
fn every_function_has_its_reference_value() {
    for function in FUNCTIONS {
        let (formula, expected, tolerance) = function.reference;
        assert!(formula.starts_with(&format!("{}(", function.name)), "{formula}");
        assert!(function.example.contains(&format!("{}(", function.name)), "{}", function.example);
        let found = constant(formula);
        assert!((found - expected).abs() <= tolerance * expected.abs(), "{formula}: {found} {expected}");
    }
}

/// The table of functions in the documentation has the rows of [`FUNCTIONS`].
/// `ARCUATE_WRITE_PYTHON=1 cargo test -p arcuate-model --test all language` writes it.
#[test]
fn the_documentation_has_every_function() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/reference/model-language.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let heading = "| function | value | arguments |\n|---|---|---|\n";
    let (before, rest) = text.split_once(heading).unwrap();
    let (_, after) = rest.split_once("\n\n").unwrap();
    let rows: Vec<String> = FUNCTIONS.iter().map(|function| function.table_row()).collect();
    let expected = format!("{before}{heading}{}\n\n{after}", rows.join("\n"));
    if std::env::var_os("ARCUATE_WRITE_PYTHON").is_some() {
        std::fs::write(&page, &expected).unwrap();
    } else {
        assert!(text == expected, "write the table with ARCUATE_WRITE_PYTHON=1:\n{}", rows.join("\n"));
    }
}

#[test]
fn constraints_restrict_the_arguments_of_functions() {
    let more = "[parameters.e]\nunit = \"mm²/s\"\nbounds = [0, 5e-3]\nstart = 1e-3\n\
                [parameters.f]\nbounds = [0, 1]\nstart = 0.6\n[parameters.h]\nbounds = [0, 1]\nstart = 0.4\n";
    let with = |constraint: &str, formula: &str| {
        let named = format!("name = \"mine\"\nconstraints = [\"{constraint}\"]");
        let signal = format!("s0 * exp(-b * d) * exp(-b * e) * (1 + f) * (1 + h) * ({formula})");
        Model::parse("mine.toml", &file(&signal, more).replace("name = \"mine\"", &named))
    };
    for (constraint, formula) in [
        ("e <= d", "powder_stick(b * (d - e))"),
        ("d >= e", "sqrt(3 * (2 * d - 2 * e)) / sqrt(3e-3 [mm²/s])"),
        ("f + h <= 1", "sqrt(1 - f - h)"),
        ("f + h <= 1", "(1 - (f + h))^1.5"),
        ("f + h <= 1", "acos(2 * f + 2 * h - 1)"),
        ("f >= h + 0.1", "ln(f - h)"),
        ("h - f <= -0.1", "1 / (f - h) + 1 / (h - f)"),
        ("f = 1 - h", "watson_cos2(64 * (f + h))"),
        ("f * h <= 0.25", "sqrt(0.25 - f * h)"),
    ] {
        with(constraint, formula).unwrap_or_else(|e| panic!("{constraint}, {formula}: {e}"));
    }
    for (constraint, formula) in [
        ("d <= e", "powder_stick(b * (d - e))"),
        ("f + h <= 1.1", "sqrt(1 - f - h)"),
        ("f >= h", "ln(f - h)"),
        ("f >= h", "1 / (f - h)"),
        ("f = 1 - h", "watson_cos2(65 * (f + h))"),
        ("f >= 0.5 * h", "sqrt(f - h)"),
    ] {
        let message = with(constraint, formula).expect_err(formula).to_string();
        assert!(message.contains("and this") || message.contains("can be 0"), "{message}");
    }
    // A fit keeps constraints up to rounding errors, so that the argument is clipped to the domain.
    let (program, signal) = {
        let model = with("f + h <= 1", "sqrt(1 - f - h)").unwrap();
        model.program(&model.own_roles()).unwrap().parts()
    };
    let values = program.evaluate(|input| match input {
        Input::Parameter(3 | 4) => 0.5 + 1e-17 + f64::EPSILON,
        Input::Parameter(0) => 1.0,
        _ => 0.0,
    });
    assert_eq!(values[signal.index()], 0.0);
}

#[test]
fn every_function_has_correct_derivatives() {
    let fractions = "[parameters.p]\nbounds = [0.1, 0.9]\nstart = 0.5\n[parameters.q]\nbounds = [0.1, 0.9]\nstart = 0.5\n";
    let examples = FUNCTIONS.iter().map(|function| function.example);
    for formula in examples.chain(OPERATORS) {
        let text = file(&format!("s0 * exp(-b * d) * ({formula}) * (1 + 1e-3 * p * q)"), fractions);
        let model = Model::parse("mine.toml", &text).unwrap_or_else(|e| panic!("{formula}: {e}"));
        let (mut program, signal) = model.program(&model.own_roles()).unwrap().parts();
        let inputs = [Input::Parameter(2), Input::Parameter(3)];
        let gradient = program.gradient(signal, &inputs);
        for [p, q] in [[0.31, 0.62], [0.7, 0.27], [0.45, 0.84]] {
            let at = |p: f64, q: f64| {
                program.evaluate(|input| match input {
                    Input::Parameter(n) => [1.0, 1.0, p, q][usize::from(n)],
                    Input::Measurement(0) => 0.5,
                    Input::Measurement(n @ 1..4) => [0.48, 0.6, 0.64][usize::from(n) - 1],
                    _ => f64::NAN,
                })
            };
            let step = 1e-5;
            let value = |dp: f64, dq: f64| at(p + dp, q + dq)[signal.index()];
            let differences = [value(step, 0.0) - value(-step, 0.0), value(0.0, step) - value(0.0, -step)];
            for (id, difference) in gradient.iter().zip(differences) {
                let (found, expected) = (at(p, q)[id.index()], difference / (2.0 * step));
                // The finite difference has two errors: the third derivative times the square of the step,
                // and rounding divided by the step.
                assert!(
                    (found - expected).abs() < 1e-8 * (1.0 + expected.abs()),
                    "{formula}: {found} {expected}"
                );
            }
        }
    }
}
