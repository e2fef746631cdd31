//! FSL's signal models in Arcuate's model language. If Arcuate has the same model built in, this model is
//! used, because it has GPU kernels. Its bounds can differ from FSL's. For distributed diffusivities, the
//! mean diffusivity is at least 10⁻⁵ mm²/s (0 in FSL). Their standard deviation is from 5·10⁻⁵ to 5·10⁻³
//! mm²/s (from 0 to 10⁻² mm²/s in FSL).

use super::xfibres_options::{Chains, Relevance};
use arcuate_core::{Error, Result};
use arcuate_model::language::{Model, Prior};
use arcuate_model::models::{FibreForm, Fibres};

/// Minimum mean volume fraction of a fibre whose direction is not 0 in the image `dyads<i>_thr0.05`.
pub(super) const THRESHOLD: f64 = 0.05;

/// A signal model of several fibres, and the names of their parameters.
pub(super) struct FibreModel {
    pub(super) model: Model,
    /// For each fibre, the names of its volume fraction and of its orientation in the model.
    pub(super) fibres: Vec<[String; 2]>,
}

/// Returns the model parameters that do not belong to a single fibre. For each: its name in FSL's files and
/// its name in Arcuate.
pub(super) fn quantities(chains: &Chains) -> Vec<(&'static str, &'static str)> {
    let mut quantities = vec![("S0", "s0"), ("d", "d")];
    if chains.form != FibreForm::Sticks {
        quantities.push(("d_std", "d_std"));
    }
    if chains.form == FibreForm::Zeppelins {
        quantities.push(("R", "r"));
    }
    if chains.floor.is_some() {
        quantities.push(("f0", "f0"));
    }
    quantities
}

/// Diffusivity in mm²/s. Above it, FSL's prior of the zeppelin's diffusivity ratio favours a ratio of 0, if
/// automatic relevance determination (ARD) of the ratio is requested.
const HIGH_DIFFUSIVITY: f64 = 2.5e-3;

impl FibreModel {
    pub(super) fn new(chains: &Chains) -> Result<Self> {
        let count = chains.fibres;
        let fibres = Fibres {
            form: chains.form,
            count,
            has_floor: chains.floor.is_some(),
            ratio: [chains.ratio.mean, chains.ratio.deviation],
        };
        let model = fibres.model()?;
        let name = |letter: &str, fibre: usize| {
            if fibres.has_file() && count == 1 { letter.to_owned() } else { format!("{letter}{fibre}") }
        };
        let fibres = (1..=count).map(|fibre| [name("f", fibre), name("n", fibre)]).collect();
        Self { model, fibres }.with_priors(chains)
    }

    fn with_priors(mut self, chains: &Chains) -> Result<Self> {
        // The priors of a built-in model of Arcuate are replaced by uniform priors, before FSL's priors are
        // added.
        let named = self.model.parameters().iter().map(|parameter| parameter.name().to_owned());
        let mut priors: Vec<(String, Prior)> = named.map(|name| (name, Prior::Uniform)).collect();
        let relevance = |weight: f64| Prior::Relevance { weight, least: 0.0 };
        for (place, [part, _]) in self.fibres.iter().enumerate() {
            let has = match chains.relevance {
                Relevance::NoFibre => false,
                Relevance::AllButTheFirst => place > 0,
                Relevance::All => true,
            };
            if has && chains.fudge > 0.0 {
                priors.push((part.clone(), relevance(chains.fudge)));
            }
        }
        if chains.form != FibreForm::Sticks {
            priors.push(("d_std".to_owned(), relevance(1.0)));
        }
        if chains.form == FibreForm::Zeppelins {
            // The energy (minus the logarithm) of this gamma prior of the diffusivity d is −2 ln d + 4000 d.
            priors.push(("d".to_owned(), Prior::Gamma { shape: 3.0, scale: 1.0 / 4000.0 }));
            priors.push(("r".to_owned(), ratio_prior(chains)?));
        }
        if chains.floor == Some(true) {
            priors.push(("f0".to_owned(), relevance(1.0)));
        }
        for (name, prior) in priors {
            let place = self.model.parameter_of(&name).ok_or_else(|| {
                Error::invalid(self.model.name(), format!("it has no `{name}`"), "report this as a bug")
            })?;
            self.model = self.model.with_prior(place, prior)?;
        }
        Ok(self)
    }
}

/// Returns the prior of the diffusivity ratio R with the energy ((R − mean) / deviation)². As in FSL, it has
/// no factor ½. If automatic relevance determination (ARD) of R is requested and the diffusivity is high, the
/// energy is the ARD weight times ln R.
fn ratio_prior(chains: &Chains) -> Result<Prior> {
    let ratio = &chains.ratio;
    if ratio.fudge == 0.0 {
        return Ok(Prior::Normal { mean: ratio.mean, deviation: ratio.deviation / 2f64.sqrt() });
    }
    Prior::parse(&format!(
        "energy(where(d > {HIGH_DIFFUSIVITY} [mm²/s], {} * ln(r), ((r - {}) / {})^2))",
        ratio.fudge, ratio.mean, ratio.deviation
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar;
    use crate::xfibres_options::RULES;
    use arcuate_core::GradientTable;
    use arcuate_model::fit::Prediction;
    use arcuate_model::language::Form as Kind;

    fn chains(line: &str) -> Chains {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Chains::read(&grammar::read(RULES, &words).unwrap()).unwrap()
    }

    const D: f64 = 1.3e-3;
    const D_STD: f64 = 0.7e-3;
    const R: f64 = 0.15;
    const FLOOR: f64 = 0.04;

    /// Returns the attenuation by diffusion along the gradient direction g in FSL's models. `c` is the cosine
    /// g · v of the angle to the fibre direction v. If `c` is `None`, the diffusion is isotropic.
    fn attenuation(form: u32, b: f64, c: Option<f64>) -> f64 {
        let gamma = |x: f64| (D / (D + b * x * D_STD * D_STD)).powf((D / D_STD).powi(2));
        match (form, c) {
            (1, c) => (-b * D * c.map_or(1.0, |c| c * c)).exp(),
            (3, Some(c)) => (-3.0 * b * D * ((1.0 - R) * c * c + R) / (2.0 * R + 1.0)).exp(),
            (_, c) => gamma(c.map_or(1.0, |c| c * c)),
        }
    }

    #[test]
    fn signals_agree_with_fsl_models() {
        let directions = [[1.0, 0.0, 0.0], [0.6, 0.0, 0.8], [0.0, 0.6, -0.8], [0.48, 0.64, 0.6]];
        let b_values = vec![0.0, 1000.0, 2000.0, 3000.0];
        let table = GradientTable::new(&directions, b_values.clone(), 50.0).unwrap();
        let orientations =
            [[0.0, 0.0, 1.0], [0.8, 0.6, 0.0], [0.0, 0.6, 0.8], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        for line in [
            "--model=1 --nf=1",
            "--model=1 --nf=3",
            "--model=2 --nf=2",
            "--model=1 --nf=1 --f0",
            "--model=2 --nf=3 --f0",
            "--model=2 --nf=5",
            "--model=3 --nf=1",
            "--model=3 --nf=2 --f0",
        ] {
            let chains = chains(line);
            let FibreModel { model, fibres } = FibreModel::new(&chains).unwrap();
            let part = |fibre: usize| 0.3 / (fibre + 1) as f64;
            let mut numbers = Vec::new();
            for parameter in model.parameters() {
                let of_fibre =
                    fibres.iter().position(|names| names.iter().any(|name| name == parameter.name()));
                match (parameter.name(), of_fibre) {
                    (_, Some(fibre)) if parameter.numbers() == 3 => numbers.extend(orientations[fibre]),
                    (_, Some(fibre)) => numbers.push(part(fibre)),
                    ("s0", _) => numbers.push(900.0),
                    ("d", _) => numbers.push(D),
                    ("d_std", _) => numbers.push(D_STD),
                    ("r", _) => numbers.push(R),
                    ("f0", _) => numbers.push(FLOOR),
                    (name, _) => panic!("{name}"),
                }
            }
            let found = Prediction::new(&model, &table, &[]).unwrap().signals(&numbers);
            let floor = if chains.floor.is_some() { FLOOR } else { 0.0 };
            let all: f64 = floor + (0..fibres.len()).map(part).sum::<f64>();
            for (m, signal) in found.iter().enumerate() {
                let form = chains.form as u32;
                let of_fibres: f64 = (0..fibres.len())
                    .map(|fibre| {
                        let c = directions[m].iter().zip(orientations[fibre]).map(|(a, b)| a * b).sum();
                        part(fibre) * attenuation(form, b_values[m], Some(c))
                    })
                    .sum();
                let free = attenuation(form, b_values[m], None);
                let wanted = 900.0 * ((1.0 - all) * free + floor + of_fibres);
                assert!((signal - wanted).abs() < 1e-9 * 900.0, "{line}: {signal} for {wanted}");
            }
        }
    }

    /// Lists the priors of the model's parameters that are not uniform, each as `name: prior`.
    fn priors(line: &str) -> String {
        let model = FibreModel::new(&chains(line)).unwrap().model;
        let parameters = model.parameters().iter().filter(|p| !matches!(p.prior(), Prior::Uniform));
        let prior_texts = parameters.map(|parameter| match *parameter.prior() {
            Prior::Relevance { weight, least } => {
                assert_eq!(least, 0.0, "FSL has no least part");
                format!("{}: ard {weight}", parameter.name())
            }
            Prior::Normal { mean, deviation } => {
                format!("{}: normal {mean} {:.6}", parameter.name(), 2.0 * deviation * deviation)
            }
            Prior::Gamma { shape, scale } => {
                format!("{}: gamma {shape} {:.1}", parameter.name(), 1.0 / scale)
            }
            _ => format!("{}: energy", parameter.name()),
        });
        prior_texts.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn priors_agree_with_fsl() {
        assert_eq!(priors("--model=1 --nf=3"), "f2: ard 1, f3: ard 1");
        assert_eq!(priors("--model=1 --nf=1"), "");
        assert_eq!(priors("--model=1 --nf=1 --allard --fudge=2"), "f: ard 2");
        assert_eq!(priors("--model=2 --nf=2 --noard"), "d_std: ard 1");
        assert_eq!(priors("--model=1 --nf=2 --f0 --ardf0"), "f0: ard 1, f2: ard 1");
        assert_eq!(priors("--model=1 --nf=1 --f0"), "");
        // The energy ((R − mean)/deviation)² is that of a normal distribution with the variance deviation²/2.
        let zeppelins = "d: gamma 3 4000.0, d_std: ard 1, r: normal 0.2 0.002500";
        assert_eq!(priors("--model=3 --Rmean=0.2 --Rstd=0.05"), zeppelins);
        assert_eq!(priors("--model=3 --Rfudge=1"), "d: gamma 3 4000.0, d_std: ard 1, r: energy");
    }

    #[test]
    fn ratio_bounds_follow_the_prior() {
        let bounds = |line: &str| {
            let model = FibreModel::new(&chains(line)).unwrap().model;
            let ratio = &model.parameters()[model.parameter_of("r").unwrap()];
            assert_eq!(ratio.start_number(), Some(chains(line).ratio.mean), "chains begin there");
            match ratio.form() {
                Kind::Number { bounds, .. } => (bounds.low, bounds.high),
                Kind::Orientation { .. } => panic!("a number"),
            }
        };
        assert_eq!(bounds("--model=3"), (0.13 - 2.0 * 0.03, 0.26));
        assert_eq!(bounds("--model=3 --Rmean=0.05"), (1e-8, 0.1));
        assert_eq!(bounds("--model=3 --Rmean=0.6 --Rstd=0.1").1, 1.0);
    }
}
