use crate::language::Model;

/// Each row has b (ms/µm²), Δ and δ (ms), the diffusivity (µm²/ms), and the radius (µm). The last two numbers
/// are the signal of the sphere, and the signal of the cylinder for the cosine 0.3. `oracles/restricted_diffusion.py` prints the table. It
/// inverts a Laplace transform and uses no roots.
#[rustfmt::skip]
const SIGNALS: [[f64; 7]; 28] = [
    [3.0, 30.0, 10.0, 2.0, 5.0, 0.7932277891563613, 0.42921446886347064],
    [3.0, 30.0, 10.0, 3.0, 8.0, 0.4494478232397687, 0.163374305899659],
    [3.0, 30.0, 10.0, 1.7, 1.0, 0.9994033416897935, 0.6313701399961504],
    [3.0, 30.0, 10.0, 1.0, 15.0, 0.14766980667923166, 0.12252387041325043],
    [3.0, 30.0, 10.0, 0.6, 3.0, 0.9107912685420879, 0.7532352110092057],
    [3.0, 30.0, 10.0, 2.0, 0.3, 0.9999958386163015, 0.5827447334555654],
    [3.0, 30.0, 10.0, 3.0, 50.0, 0.0005921645263394547, 0.0004738326343962461],
    [1.0, 40.0, 20.0, 2.0, 5.0, 0.9639801607565455, 0.7939165119626405],
    [1.0, 40.0, 20.0, 3.0, 8.0, 0.8679623834202044, 0.6323625427987623],
    [1.0, 40.0, 20.0, 1.7, 1.0, 0.999919877983379, 0.8580301151722324],
    [1.0, 40.0, 20.0, 1.0, 15.0, 0.5717170529289887, 0.5288327959078166],
    [1.0, 40.0, 20.0, 0.6, 3.0, 0.9847988766873997, 0.9277732512265587],
    [1.0, 40.0, 20.0, 2.0, 0.3, 0.9999994448597113, 0.8352695384605149],
    [1.0, 40.0, 20.0, 3.0, 50.0, 0.09415708451259064, 0.0855767728621362],
    [10.0, 20.0, 20.0, 2.0, 5.0, 0.4316480168261198, 0.05349774189112328],
    [10.0, 20.0, 20.0, 3.0, 8.0, 0.05009796664112076, 0.0015530471874579976],
    [10.0, 20.0, 20.0, 1.7, 1.0, 0.9980056986321699, 0.21591092584125565],
    [10.0, 20.0, 20.0, 1.0, 15.0, 0.001360151239733614, 0.0007650376789977608],
    [10.0, 20.0, 20.0, 0.6, 3.0, 0.7094261438063281, 0.3706991501421551],
    [10.0, 20.0, 20.0, 2.0, 0.3, 0.9999861251867919, 0.16529555995610837],
    [10.0, 20.0, 20.0, 3.0, 50.0, 1.2677436389200824e-11, 6.390668876791443e-12],
    [0.5, 80.0, 2.0, 2.0, 5.0, 0.9751641092315392, 0.8869966013931488],
    [0.5, 80.0, 2.0, 3.0, 8.0, 0.932077557196041, 0.8047437934342194],
    [0.5, 80.0, 2.0, 1.7, 1.0, 0.9998420254044449, 0.9261448036373507],
    [0.5, 80.0, 2.0, 1.0, 15.0, 0.802915006296125, 0.7645011843295064],
    [0.5, 80.0, 2.0, 0.6, 3.0, 0.9906674495587036, 0.9626384431492468],
    [0.5, 80.0, 2.0, 2.0, 0.3, 0.9999988391870482, 0.9139296476055169],
    [0.5, 80.0, 2.0, 3.0, 50.0, 0.33908908079575023, 0.3167341727894962],
];

/// Returns the value of a formula of constants.
fn value(formula: &str) -> f64 {
    let text = format!(
        "name = \"mine\"\nsignal = \"s0 * {formula}\"\n[parameters.s0]\nunit = \"signal\"\nstart = \"mean_b0\"\n"
    );
    let model = Model::parse("mine.toml", &text).unwrap();
    let (program, signal) = model.program(&model.own_roles()).unwrap().parts();
    program.evaluate(|_| 1.0)[signal.index()]
}

#[test]
fn signals_agree_with_the_inverse_laplace_transform() {
    for [b, separation, duration, d, radius, sphere, cylinder] in SIGNALS {
        // The terms of all roots after the twelfth are approximated. The error grows with the radius.
        let tolerance = if radius < 20.0 { 1e-8 } else { 1e-6 };
        let inputs = format!("{b} [ms/µm²], {separation} [ms], {duration} [ms], {d} [µm²/ms], {radius} [µm]");
        for (found, expected) in [
            (value(&format!("sphere_gpd({inputs})")), sphere),
            (value(&format!("cylinder_gpd({inputs}, 0.3)")), cylinder),
        ] {
            assert!((found - expected).abs() < tolerance, "{inputs}: {found} {expected}");
        }
    }
}

#[test]
fn cylinders_agree_with_the_compartment_of_commit() {
    use crate::compartments::{Compartment, Weighting};
    use arcuate_core::PulseTiming;
    for [_, separation, duration, d, radius, ..] in SIGNALS.into_iter().filter(|row| row[4] < 20.0) {
        let timing = PulseTiming::with_b_value(1500.0, separation * 1e-3, duration * 1e-3, 0.2).unwrap();
        let weighting = Weighting { b: 1.5e9, timing: Some(timing) };
        let compartment = Compartment::Cylinder { diffusivity: d * 1e-9, radius: radius * 1e-6 };
        let expected = compartment.signal(&weighting, 0.0).unwrap();
        let formula = format!(
            "cylinder_gpd(1500 [s/mm²], {separation} [ms], {duration} [ms], {d} [µm²/ms], {radius} [µm], 0)"
        );
        let found = value(&formula);
        assert!((found - expected).abs() < 1e-8, "{formula}: {found} {expected}");
    }
}
