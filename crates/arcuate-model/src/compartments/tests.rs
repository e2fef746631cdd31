//! Compares the compartments with AMICO's and with numerical references. The script
//! `oracles/compartments_amico.py` computes the expected values.

use super::*;
use arcuate_core::GradientTable;

const D: f64 = 1.7e-9;

/// Creates a weighting with Δ = 40 ms, δ = 20 ms and this gradient amplitude in T/m.
fn pulses(amplitude: f64) -> Weighting {
    let timing = PulseTiming { amplitude, separation: 0.04, duration: 0.02, echo_time: 0.08 };
    Weighting { b: timing.b_value() * 1e6, timing: Some(timing) }
}

#[test]
fn cylinders_agree_with_amico() {
    for (amplitude, cosine, radius, amico) in [
        (0.04, 0.0, 1e-08, 0.999999999998),
        (0.04, 0.5, 1e-08, 0.522646139491),
        (0.08, 0.0, 1e-08, 0.999999999992),
        (0.08, 0.5, 1e-08, 0.0746158322473),
        (0.08, 1.0, 1e-08, 3.09973059197e-05),
        (0.04, 0.0, 1e-06, 0.999805269594),
        (0.04, 0.5, 1e-06, 0.522569806313),
        (0.08, 0.0, 1e-06, 0.999221305867),
        (0.08, 0.5, 1e-06, 0.0745722508216),
        (0.04, 0.0, 3e-06, 0.985435586905),
        (0.04, 0.5, 3e-06, 0.516926656612),
        (0.08, 0.0, 3e-06, 0.943002767651),
        (0.08, 0.5, 3e-06, 0.0714028773217),
        (0.04, 0.0, 5e-06, 0.908176461606),
        (0.04, 0.5, 5e-06, 0.486222920953),
        (0.08, 0.0, 5e-06, 0.680269447381),
        (0.08, 0.5, 5e-06, 0.055890978367),
        (0.04, 0.0, 8e-06, 0.666049176978),
        (0.04, 0.5, 8e-06, 0.385334122528),
        (0.04, 1.0, 8e-06, 0.0746158322477),
        (0.08, 0.0, 8e-06, 0.196800040722),
        (0.08, 0.5, 8e-06, 0.0220470189476),
    ] {
        let cylinder = Compartment::Cylinder { diffusivity: D, radius };
        let ours = cylinder.signal(&pulses(amplitude), cosine).unwrap();
        // AMICO's exponents x across the cylinder are 2.0e-6 to 2.5e-6 larger than the sums of the next test,
        // which two other methods confirm. An error of that fraction of x changes the signal exp(−x) by at
        // most 0.37 times the fraction, because x exp(−x) is at most 0.37.
        assert!((ours - amico).abs() < 9.3e-7, "R = {radius}, cosine {cosine}: {ours} is not {amico}");
        assert_eq!(ours, cylinder.signal(&pulses(amplitude), -cosine).unwrap());
    }
}

#[test]
fn cylinders_solve_the_diffusion_equation() {
    for (radius, volumes, sum) in [
        (1e-08, 7.85804572261e-12, 7.85804594126e-12),
        (5e-07, 4.90064257975e-05, 4.90064271611e-05),
        (1e-06, 0.000778995491327, 0.000778995513002),
        (2e-06, 0.0121370592895, 0.0121370596272),
        (3e-06, 0.058685915887, 0.0586859175193),
        (5e-06, 0.385265418057, 0.385265428766),
        (8e-06, 1.62556386439, 1.62556390953),
        (2e-05, 6.33797906951, 6.33797925652),
    ] {
        let timing = pulses(0.08).timing.unwrap();
        let ours = cylinder::perpendicular_exponent(D, radius, &timing);
        // The expected value is a finite-volume solution with 4000 volumes. Its error is inversely
        // proportional to the square of this number.
        assert!((ours / volumes - 1.0).abs() < 1e-7, "{radius}: {ours} is not {volumes}");
        // The expected sum is printed with twelve digits.
        assert!((ours / sum - 1.0).abs() < 1e-11, "{radius}: {ours} is not {sum}");
    }
    // The cylinder has a radius of 100 µm. The pulses are Δ = δ = 20 ms, and Δ = 20 ms with δ = 1 ms. The
    // expected sums have 1000 roots.
    for (duration, sum, tolerance) in [(0.02, 3.91904037700038, 1e-10), (0.001, 0.0146183527701448, 1e-8)] {
        let timing = PulseTiming { amplitude: 0.08, separation: 0.02, duration, echo_time: 0.08 };
        let ours = cylinder::perpendicular_exponent(D, 1e-4, &timing);
        // The expected values use the published formula, which loses digits by cancellation, in proportion to
        // x³ for the first root. With x = 0.01 and 6e-4, ten and seven digits remain. The first of 1000 terms
        // is most of the sum, and the other terms lose fewer digits.
        assert!((ours / sum - 1.0).abs() < tolerance, "{duration}: {ours} is not {sum}");
    }
}

#[test]
fn gamma_distributed_radii_agree_with_the_integral() {
    for (shape, scale, amplitude, cosine, integral) in [
        (2.0, 5e-07, 0.08, 0.0, 0.968414913936),
        (2.0, 5e-07, 0.3, 0.1, 0.177441916519),
        (5.0, 4e-07, 0.08, 0.0, 0.926914354673),
        (5.0, 4e-07, 0.3, 0.1, 0.126314155111),
        (0.5, 1e-06, 0.08, 0.0, 0.918487728547),
        (0.5, 1e-06, 0.3, 0.1, 0.147863138145),
        (20.0, 2e-07, 0.08, 0.0, 0.764001108789),
        (20.0, 2e-07, 0.3, 0.1, 0.0252956751348),
    ] {
        let radii = GammaRadii { shape, scale };
        let compartment = Compartment::GammaCylinders { diffusivity: D, radii };
        let ours = compartment.signal(&pulses(amplitude), cosine).unwrap();
        // Small exponents are merged into one, which has an error of their square, 1e-12. The expected
        // integrals come from an adaptive quadrature with a tolerance of 1e-12.
        assert!((ours - integral).abs() < 1e-11, "{shape}, {scale}: {ours} is not {integral}");
    }
}

#[test]
fn tensors_and_astrosticks_agree_with_amico() {
    let at = |compartment: Compartment, cosine| compartment.signal(&pulses(0.08), cosine).unwrap();
    // The expected signals are printed with nine digits.
    let close = |ours: f64, amico: f64| assert!((ours / amico - 1.0).abs() < 1e-8, "{ours} is not {amico}");
    let stick = Compartment::Stick { diffusivity: D };
    assert_eq!(at(stick, 0.0), 1.0);
    close(at(stick, 0.5), 7.46158322e-02);
    close(at(stick, 1.0), 3.09973059e-05);
    let zeppelin = Compartment::Zeppelin { parallel: D, perpendicular: 0.51e-9 };
    close(at(zeppelin, 0.0), 4.44014533e-02);
    close(at(zeppelin, 0.5), 7.21736844e-03);
    let ball = Compartment::Ball { diffusivity: 3.0e-9 };
    close(at(ball, 0.3), 1.10538318e-08);
    close(ball.signal(&pulses(0.04), 0.3).unwrap(), 1.02536435e-02);
    let astrosticks = Compartment::Astrosticks { diffusivity: D };
    for (amplitude, quadrature) in
        [(0.04, 0.5376101998145042), (0.08, 0.2750491600936472), (0.3, 0.07334682388643216)]
    {
        let ours = astrosticks.signal(&pulses(amplitude), 0.7).unwrap();
        // The expected signals come from a quadrature with a tolerance of 1e-13.
        assert!((ours - quadrature).abs() < 1e-13, "{ours} is not {quadrature}");
    }
    assert_eq!(at(Compartment::Dot, 0.2), 1.0);
}

#[test]
fn small_arguments_are_accurate() {
    // The formula of astrosticks changes to a series for small x. The test compares values on both sides of
    // this transition with the series and its next term.
    for x in [1e-12_f64, 0.99e-5, 1.01e-5, 1e-3] {
        let series = 1.0 - x / 3.0 + x * x / 10.0 - x * x * x / 42.0 + x.powi(4) / 216.0;
        assert!((powder_average(x) - series).abs() < 3e-16, "{x}");
    }
    // A radius of 0 gives a stick, and a narrow cylinder approaches it.
    let stick = Compartment::Stick { diffusivity: D };
    for cosine in [0.0, 0.3, 1.0] {
        let cylinder = |radius| Compartment::Cylinder { diffusivity: D, radius };
        let stick = stick.signal(&pulses(0.08), cosine).unwrap();
        assert_eq!(cylinder(0.0).signal(&pulses(0.08), cosine).unwrap(), stick);
        // The exponent of a cylinder with a radius of 10 nm is 8e-12.
        assert!((cylinder(1e-8).signal(&pulses(0.08), cosine).unwrap() - stick).abs() < 1e-11);
    }
}

fn all() -> [Compartment; 7] {
    [
        Compartment::Stick { diffusivity: D },
        Compartment::Cylinder { diffusivity: D, radius: 3e-6 },
        Compartment::GammaCylinders { diffusivity: D, radii: GammaRadii { shape: 2.0, scale: 1e-6 } },
        Compartment::Zeppelin { parallel: D, perpendicular: 0.5e-9 },
        Compartment::Ball { diffusivity: D },
        Compartment::Astrosticks { diffusivity: D },
        Compartment::Dot,
    ]
}

#[test]
fn signals_without_weighting_are_one() {
    let untimed = Weighting { b: 0.0, timing: Some(PulseTiming { separation: f64::NAN, ..timing_of(0.08) }) };
    for compartment in all() {
        for cosine in [-1.0, 0.0, 0.6] {
            assert_eq!(compartment.signal(&Weighting::NONE, cosine).unwrap(), 1.0);
            assert_eq!(compartment.signal(&untimed, cosine).unwrap(), 1.0);
        }
        let (across, along) = (
            compartment.signal(&pulses(0.08), 0.0).unwrap(),
            compartment.signal(&pulses(0.08), 1.0).unwrap(),
        );
        assert_eq!(compartment.is_isotropic(), across == along, "{}", compartment.name());
    }
}

fn timing_of(amplitude: f64) -> PulseTiming {
    pulses(amplitude).timing.unwrap()
}

#[test]
fn tortuosity_gives_the_default_zeppelins() {
    // The default zeppelin of StickZeppelinBall corresponds to an intra-axonal fraction of 0.7. The default
    // zeppelins with cylinders, which are those of `dmri-commit`, correspond to 0.3, 0.5, 0.7 and 0.9.
    let of = |kind, options: &ModelOptions| Model::new(kind, options).unwrap().compartments().extra.clone();
    let fractions = |f: &[f64]| ModelOptions { intra_fractions: Some(f.to_vec()), ..Default::default() };
    let none = ModelOptions::default();
    let beside_cylinders = ModelOptions { d_par: Some(1.7e-9), ..none.clone() };
    for (default, tortuous) in [
        (of(ModelKind::StickZeppelinBall, &none), fractions(&[0.7])),
        (of(ModelKind::CylinderZeppelinBall, &beside_cylinders), fractions(&[0.3, 0.5, 0.7, 0.9])),
    ] {
        let tortuous = of(ModelKind::StickZeppelinBall, &tortuous);
        assert_eq!(default.len(), tortuous.len());
        for (one, other) in default.iter().zip(&tortuous) {
            let signals = [one, other].map(|zeppelin| zeppelin.signal(&pulses(0.08), 0.2).unwrap());
            assert!((signals[0] - signals[1]).abs() < 1e-14);
        }
    }
    assert!(Compartment::tortuous_zeppelin(D, 1.2).is_err());
}

#[test]
fn models_have_the_named_compartments() {
    let model = |kind, options: &ModelOptions| Model::new(kind, options).unwrap();
    let none = ModelOptions::default();
    let sizes = |model: &Model| {
        let c = model.compartments();
        (c.intra.len(), c.extra.len(), c.isotropic.len(), model.needs_timing())
    };
    assert_eq!(sizes(&model(ModelKind::StickZeppelinBall, &none)), (1, 1, 2, false));
    let cylinders = model(ModelKind::CylinderZeppelinBall, &none);
    assert_eq!(sizes(&cylinders), (21, 4, 1, true));
    // The expected radii are the second to fourth that help(commit.models) prints.
    for (compartment, published) in
        cylinders.compartments().intra[1..].iter().zip([5e-7, 8.94736842e-7, 1.28947368e-6])
    {
        let Compartment::Cylinder { radius, .. } = compartment else { panic!("no cylinder") };
        assert!((radius - published).abs() < 1e-14);
    }
    assert_eq!(sizes(&model(ModelKind::BallAndStick, &none)), (1, 0, 2, false));
    assert_eq!(sizes(&model(ModelKind::VolumeFractions, &none)), (1, 1, 1, false));
    let scalar = model(ModelKind::ScalarMap, &none);
    assert_eq!((sizes(&scalar), scalar.is_scalar()), ((1, 0, 0, false), true));
    let radii = vec![GammaRadii { shape: 2.0, scale: 1e-6 }];
    let options = ModelOptions { gamma_radii: Some(radii), d_isos: Some(vec![]), ..Default::default() };
    assert_eq!(sizes(&model(ModelKind::GdrCylinders, &options)), (1, 4, 0, true));
    // A stick with d⊥ > 0 is a zeppelin with the given parameters.
    let options = ModelOptions {
        d_par: Some(2e-9),
        d_perp: Some(1e-10),
        d_par_zep: Some(1.8e-9),
        d_perps_zep: Some(vec![0.5e-9]),
        ..Default::default()
    };
    let chosen = model(ModelKind::StickZeppelinBall, &options);
    let zeppelin = |parallel, perpendicular| Compartment::Zeppelin { parallel, perpendicular };
    assert_eq!(chosen.compartments().intra, [zeppelin(2e-9, 1e-10)]);
    assert_eq!(chosen.compartments().extra, [zeppelin(1.8e-9, 0.5e-9)]);
    for kind in ModelKind::ALL {
        assert_eq!(kind.name().parse::<ModelKind>().unwrap(), kind);
        assert_eq!(kind.option_name().parse::<ModelKind>().unwrap(), kind);
    }
}

#[test]
fn invalid_parameters_and_missing_timings_are_reported() {
    let none = ModelOptions::default();
    let problem = |kind, options: &ModelOptions| Model::new(kind, options).unwrap_err().to_string();
    let radii = ModelOptions { radii: Some(vec![1e-6]), ..none.clone() };
    assert_eq!(
        problem(ModelKind::BallAndStick, &radii),
        "‘radii’: the model ball-and-stick does not have this parameter; leave out this option, or choose \
         another ‘model’"
    );
    let empty = ModelOptions { radii: Some(vec![]), ..none.clone() };
    assert_eq!(
        problem(ModelKind::CylinderZeppelinBall, &empty),
        "‘radii’: the list is empty; give one at least"
    );
    assert_eq!(
        problem(ModelKind::GdrCylinders, &none),
        "‘gamma_radii’: the model gdr-cylinders needs the distribution of its radii; give the shape and the \
         scale (µm) of the gamma distribution"
    );
    let unit = ModelOptions { d_par: Some(1.7e-3), ..none.clone() };
    assert_eq!(
        problem(ModelKind::StickZeppelinBall, &unit),
        "stick: the diffusivity 1700000 µm²/ms is not possible for water; give a diffusivity from 0 to 100 \
         µm²/ms (free water: 3)"
    );
    let both =
        ModelOptions { intra_fractions: Some(vec![0.5]), d_perps_zep: Some(vec![1e-9]), ..none.clone() };
    assert!(problem(ModelKind::StickZeppelinBall, &both).starts_with("‘intra_fractions’: ‘d_perps_zep’"));
    for bad in [f64::NAN, -1e-6, 1.0] {
        assert!(Compartment::Cylinder { diffusivity: D, radius: bad }.check().is_err());
        assert!(GammaRadii { shape: 2.0, scale: bad }.check().is_err());
        assert!(Compartment::Stick { diffusivity: bad }.check().is_err());
    }
    assert_eq!(
        "tensor".parse::<ModelKind>().unwrap_err().to_string(),
        "‘model’: there is no model `tensor`; give one of stick-zeppelin-ball, cylinder-zeppelin-ball, gdr-cylinders, \
         ball-and-stick, volume-fractions, scalar-map"
    );

    let table = GradientTable::new(&[[0.0; 3], [1.0, 0.0, 0.0]], vec![0.0, 1000.0], 50.0).unwrap();
    let cylinders = Model::new(ModelKind::CylinderZeppelinBall, &none).unwrap();
    assert_eq!(
        cylinders.require_timing(&table).unwrap_err().to_string(),
        "CylinderZeppelinBall: the radii of its cylinders show only with |G|, Δ, δ and TE, which the gradient table \
         lacks; give a Camino scheme of version STEJSKALTANNER, a .prtcl with G (or b), Delta, delta and TE, or \
         ‘big_delta’, ‘small_delta’ and ‘echo_time’"
    );
    Model::new(ModelKind::BallAndStick, &none).unwrap().require_timing(&table).unwrap();
    cylinders.require_timing(&table.clone().with_pulses(0.04, 0.02, 0.08).unwrap()).unwrap();
    let untimed = Weighting { b: 1e9, timing: None };
    assert_eq!(
        cylinders.compartments().intra[0].signal(&untimed, 0.0).unwrap_err().to_string(),
        "cylinder: it needs the timing of the gradient pulses, which the weighting lacks; also give the \
         gradient amplitude |G| and the times Δ and δ"
    );
}

#[test]
fn gradient_tables_are_grouped_into_shells() {
    let directions = [[0.0, 0.0, 1.0]; 6];
    let b = vec![1005.0, 0.0, 2000.0, 995.0, 10.0, 2000.0];
    let table = GradientTable::new(&directions, b, 50.0).unwrap();
    let (shells, weightings) = Weighting::shells(&table, 0.0).unwrap();
    assert_eq!(shells, [2, 0, 3, 1, 0, 3]);
    assert_eq!(weightings.iter().map(|w| w.b).collect::<Vec<_>>(), [0.0, 995e6, 1005e6, 2e9]);
    let timed = table.with_pulses(0.04, 0.02, 0.08).unwrap();
    let (shells, weightings) = Weighting::shells(&timed, 100.0).unwrap();
    assert_eq!(shells, [1, 0, 2, 1, 0, 2]);
    // The amplitude of the pulses is the square root of a multiple of the rounded b. Computing b from the
    // amplitude therefore has a rounding error.
    assert!((weightings[1].timing.unwrap().b_value() - 1000.0).abs() < 1e-9);
    assert_eq!(weightings[0], Weighting::NONE);

    let problem = |step| Weighting::shells(&timed, step).unwrap_err().to_string();
    assert_eq!(
        problem(4000.0),
        "‘b_step’: this step rounds b = 1005 s/mm² of measurement 1 to 0; give a smaller step"
    );
    assert!(problem(-1.0).contains("not a possible step"));
    let mut timings = timed.timings().unwrap().to_vec();
    timings[2].amplitude *= 1.1;
    let other = timed.clone().with_timings(timings).unwrap();
    let message = Weighting::shells(&other, 0.0).unwrap_err().to_string();
    assert!(message.starts_with("measurement 3: the b-value is 2000.0 s/mm², but |G| = "), "{message}");
    assert!(message.ends_with("give 2420.0 s/mm²; correct b or the pulses"), "{message}");
    let overlapping = Weighting { b: 1e9, timing: Some(PulseTiming { separation: 0.01, ..timing_of(0.08) }) };
    assert_eq!(
        overlapping.check().unwrap_err().to_string(),
        "gradient timings: |G| = 0.08 T/m, Δ = 0.01 s, δ = 0.02 s are not possible pulses; give SI units \
         with 0 < δ ≤ Δ"
    );
}

#[test]
fn nine_radii_are_represented_by_three_functions() {
    // The weightings are those of the Human Connectome Project: Δ = 43.1 ms, δ = 10.6 ms, b = 1000, 2000 and
    // 3000 s/mm². The cosines of the gradient directions are uniformly distributed, as for uniform
    // directions.
    let directions = vec![[0.0, 0.0, 1.0]; 3];
    let table = GradientTable::new(&directions, vec![1000.0, 2000.0, 3000.0], 50.0).unwrap();
    let (_, shells) = Weighting::shells(&table.with_pulses(0.0431, 0.0106, 0.0895).unwrap(), 0.0).unwrap();
    let cosines = 200;
    let row = |n: usize| -> Vec<f64> {
        let cylinder = Compartment::Cylinder { diffusivity: D, radius: 1e-6 + 0.5e-6 * n as f64 };
        let of_shell = |shell| {
            let attenuation = cylinder.attenuation(shell).unwrap();
            (0..cosines).map(move |c| attenuation.at((f64::from(c) + 0.5) / f64::from(cosines)))
        };
        shells.iter().flat_map(of_shell).collect()
    };
    let rows: Vec<Vec<f64>> = (0..9).map(row).collect();
    let matrix = nalgebra::DMatrix::from_fn(9, rows[0].len(), |r, c| rows[r][c]);
    let values = matrix.svd(false, false).singular_values;
    // The expected singular values are NumPy's, for a matrix computed with the published sum.
    for (n, numpy) in [2.09623273e-2, 1.55709198e-4, 7.37410648e-7].into_iter().enumerate() {
        let value = values[n + 1] / values[0];
        // The signals are rounded to 1e-16 of the largest singular value, which is 2e-10 of the smallest
        // singular value compared here.
        assert!((value / numpy - 1.0).abs() < 1e-6, "{value} is not {numpy}");
    }
}
