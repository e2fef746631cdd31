//! Compares functions of the model language with values of 40 digits from mpmath
//! (`oracles/special_functions.py` prints the table).

use arcuate_model::language::{Input, Model, Role};

/// Each row has x, Dawson's integral, erf x, exp(−|x|) I₀(x) and exp(−|x|) I₁(x).
#[rustfmt::skip]
const FUNCTIONS: [[f64; 5]; 14] = [
    [0.0, 0.0, 0.0, 1.0, 0.0],
    [1e-06, 9.999999999993333e-07, 1.1283791670951364e-06, 0.99999900000075, 4.999995000003125e-07],
    [0.01, 0.009999333359999238, 0.011283415555849618, 0.9900745851497075, 0.004950311047118276],
    [0.3, 0.28263166502131193, 0.3286267594591274, 0.7575806251825479, 0.1123775606398388],
    [0.9241388730045916, 0.5410442246351816, 0.8087634212592733, 0.4862403417470913, 0.20366893533831962],
    [1.0, 0.5380795069127684, 0.8427007929497149, 0.46575960759364043, 0.20791041534970844],
    [1.5, 0.4282490710853986, 0.9661051464753108, 0.36743360905415834, 0.21903938742092569],
    [2.5, 0.2230837221674355, 0.999593047982555, 0.27004644161220276, 0.20658464953126657],
    [3.4, 0.15452405773696345, 0.9999984780066371, 0.2264314012334565, 0.189229851177452],
    [5.0, 0.10213407442427684, 0.9999999999984626, 0.18354081260932836, 0.16397226694454237],
    [7.5, 0.06727581164463062, 1.0, 0.14831583007739552, 0.1380412115485542],
    [12.0, 0.04181287645398826, 1.0, 0.11642622121344044, 0.11146429929018098],
    [20.0, 0.02503136792640367, 1.0, 0.08978031188482602, 0.08750622218328867],
    [50.0, 0.010002001201201684, 1.0, 0.05656162664745419, 0.0559931238928954],
];

/// Returns the value of a function of the model language at `x`. It is the signal of a model with s0 = 1.
fn value(function: &str, x: f64) -> f64 {
    let text = format!(
        "name = \"mine\"\nsignal = \"s0 * {function}(x)\"\n[parameters.s0]\nunit = \"signal\"\nbounds = [0, inf]\n\
         start = \"mean_b0\"\n[parameters.x]\nbounds = [-100, 100]\nstart = 0\n"
    );
    let model = Model::parse("mine.toml", &text).unwrap();
    let (program, signal) = model.program(&[Role::Free; 2]).unwrap().parts();
    let values = program.evaluate(|input| match input {
        Input::Parameter(0) => 1.0,
        Input::Parameter(1) => x,
        _ => f64::NAN,
    });
    values[signal.index()]
}

#[test]
fn functions_agree_with_multiple_precision() {
    for [x, dawson, erf, i0e, i1e] in FUNCTIONS {
        for (function, expected, sign) in
            [("dawson", dawson, -1.0), ("erf", erf, -1.0), ("i0e", i0e, 1.0), ("i1e", i1e, -1.0)]
        {
            let found = value(function, x);
            // The tolerance is relative, so that small values at small x are compared, too. It allows for a
            // few roundings in double precision.
            assert!((found - expected).abs() <= 1e-15 * expected, "{function}({x}): {found} {expected}");
            assert_eq!(value(function, -x), sign * found, "{function}(−{x})");
        }
    }
}
