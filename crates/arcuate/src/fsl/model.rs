//! FSL's signal models in the model language. Where one is a model that comes with Arcuate it is taken from there, with its
//! bounds, because there are kernels for it: its diffusivity begins at 10⁻⁵ instead of 0 mm²/s where it is distributed, and
//! its standard deviation goes from 5·10⁻⁵ to 5·10⁻³ instead of 0 to 10⁻².

use super::xfibres_options::{Chains, Form, Relevance};
use arcuate_core::{Error, Result};
use arcuate_model::language::{Model, Prior};
use arcuate_model::models;
use std::fmt::Write;

/// A model, and which of its parameters are those of fibres.
pub(super) struct FibreModel {
    pub(super) model: Model,
    /// Of each fibre the parameters that are its part of the signal and its orientation.
    pub(super) fibres: Vec<[String; 2]>,
}

/// FSL's names of parameters that are not of a fibre, and ours.
pub(super) fn quantities(chains: &Chains) -> Vec<(&'static str, &'static str)> {
    let mut quantities = vec![("S0", "s0"), ("d", "d")];
    if chains.form != Form::Sticks {
        quantities.push(("d_std", "d_std"));
    }
    if chains.form == Form::Zeppelins {
        quantities.push(("R", "r"));
    }
    if chains.floor.is_some() {
        quantities.push(("f0", "f0"));
    }
    quantities
}

/// Fibres of the models that come with Arcuate at most.
const KNOWN: usize = 3;
/// Above this diffusivity FSL draws a zeppelin's ratio to 0, where that was asked for.
const HIGH_DIFFUSIVITY: f64 = 2.5e-3;

impl FibreModel {
    pub(super) fn new(chains: &Chains) -> Result<Self> {
        let count = chains.fibres;
        let is_known = chains.form != Form::Zeppelins && chains.floor.is_none() && count <= KNOWN;
        let model = if is_known {
            models::model(&known_name(chains.form, count))?
        } else {
            Model::parse("the model of xfibres", &text(chains)?)?
        };
        let name = |letter: &str, fibre: usize| {
            if is_known && count == 1 { letter.to_owned() } else { format!("{letter}{fibre}") }
        };
        let fibres = (1..=count).map(|fibre| [name("f", fibre), name("n", fibre)]).collect();
        Self { model, fibres }.with_priors(chains)
    }

    fn with_priors(mut self, chains: &Chains) -> Result<Self> {
        // Models that come with Arcuate have priors of their own.
        let named = self.model.parameters().iter().map(|parameter| parameter.name().to_owned());
        let mut priors: Vec<(String, Prior)> = named.map(|name| (name, Prior::Uniform)).collect();
        let relevance = |weight: f64| Prior::Relevance { weight };
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
        if chains.form != Form::Sticks {
            priors.push(("d_std".to_owned(), relevance(1.0)));
        }
        if chains.form == Form::Zeppelins {
            // The energy −2 ln d + 4000 d.
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

/// The energy ((R − mean) / deviation)², without FSL's missing ½; where relevance determination of R was asked for and the
/// diffusivity is high, its logarithm in place of that.
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

/// The name of a model that comes with Arcuate.
fn known_name(form: Form, fibres: usize) -> String {
    let sticks = if fibres == 1 { "stick" } else { "sticks" };
    let gamma = if form == Form::Sticks { "" } else { "-gamma" };
    format!("ball-{fibres}-{sticks}{gamma}")
}

/// Any other model as a file.
fn text(chains: &Chains) -> Result<String> {
    let mut text = String::new();
    // Writing to a string cannot fail.
    write_text(&mut text, chains).map_err(|_| {
        Error::invalid("the model of xfibres", "it cannot be written", "report this as a bug")
    })?;
    Ok(text)
}

fn write_text(text: &mut String, chains: &Chains) -> std::fmt::Result {
    let count = chains.fibres;
    let fibres = || (1..=count).map(|fibre| format!("f{fibre}"));
    let floor: Vec<String> = chains.floor.iter().map(|_| "f0".to_owned()).collect();
    let parts: Vec<String> = fibres().chain(floor.clone()).collect();
    writeln!(text, "name = \"fibres-{count}-{}\"", chains.form as u32)?;
    if parts.len() > 1 {
        writeln!(text, "constraints = [\"{} <= 1\"]", parts.join(" + "))?;
    }
    if count > 1 {
        let alike: Vec<String> = (1..=count).map(|k| format!("[\"f{k}\", \"n{k}\"]")).collect();
        writeln!(text, "alike = [{}]", alike.join(", "))?;
    }
    writeln!(text, "signal = \"\"\"")?;
    if chains.form == Form::Sticks {
        writeln!(text, "let ball = exp(-b * d)")?;
    } else {
        writeln!(text, "let shape = (d / d_std)^2\nlet per_rate = b * d_std^2 / d")?;
        writeln!(text, "let ball = exp(-shape * ln(1 + per_rate))")?;
    }
    if chains.form == Form::Zeppelins {
        writeln!(text, "let along = 3 * b * d / (2 * r + 1)")?;
    }
    for k in 1..=count {
        match chains.form {
            Form::Sticks => writeln!(text, "let fibre{k} = exp(-b * d * dot(g, n{k})^2)")?,
            Form::GammaSticks => {
                writeln!(text, "let fibre{k} = exp(-shape * ln(1 + per_rate * dot(g, n{k})^2))")?;
            }
            Form::Zeppelins => {
                writeln!(text, "let fibre{k} = exp(-along * ((1 - r) * dot(g, n{k})^2 + r))")?;
            }
        }
    }
    let attenuated = (1..=count).map(|k| format!("f{k} * fibre{k}"));
    let terms: Vec<String> = attenuated.chain(floor).collect();
    writeln!(text, "s0 * ((1 - {}) * ball + {})\n\"\"\"", parts.join(" - "), terms.join(" + "))?;
    write_parameters(text, chains)?;
    write_stages(text, chains)
}

fn write_parameters(text: &mut String, chains: &Chains) -> std::fmt::Result {
    let count = chains.fibres;
    let mut parameter = |name: &str, lines: &str| writeln!(text, "[parameters.{name}]\n{lines}");
    let one = known_name(chains.form, 1);
    parameter("s0", "unit = \"signal\"\nbounds = [0, inf]\nstart = \"mean_b0\"")?;
    let low = if chains.form == Form::Sticks { 0.0 } else { 1e-5 };
    parameter("d", &format!("unit = \"mm²/s\"\nbounds = [{low:e}, 5e-3]\nstart = \"{one}.d\""))?;
    if chains.form != Form::Sticks {
        let high = if chains.form == Form::Zeppelins { 4e-3 } else { 1e-2 };
        let start = format!("start = \"{one}.d_std\"");
        parameter("d_std", &format!("unit = \"mm²/s\"\nbounds = [5e-5, {high:e}]\n{start}"))?;
    }
    if chains.form == Form::Zeppelins {
        let ratio = &chains.ratio;
        let low = (ratio.mean - 2.0 * ratio.deviation).max(1e-8);
        let high = if ratio.mean > 0.5 { 1.0 } else { 2.0 * ratio.mean };
        // A search of one value: chains move it, and the fit before them does not.
        parameter("r", &format!("bounds = [{low:e}, {high:e}]\ngrid = [{:e}]", ratio.mean))?;
    }
    if chains.floor.is_some() {
        parameter("f0", "bounds = [0, 1]\nstart = 0.001")?;
    }
    for k in 1..=count {
        let values = match (count.min(KNOWN + 1), k) {
            (1, _) => "[0.1, 0.3, 0.5, 0.7, 0.9]",
            (2, 1) => "[0.2, 0.45]",
            (2, _) => "[0.1, 0.3]",
            (3, 1) => "[0.2, 0.4]",
            (3, 2) => "[0.15, 0.3]",
            (3, _) => "[0.05, 0.2]",
            (_, 1) => "[0.2, 0.35]",
            (_, 2) => "[0.1, 0.25]",
            _ => "[0.05, 0.15]",
        };
        // Those beyond the fourth come one after the other, when the others have their parts.
        let start = if k > KNOWN + 1 { "\nstart = 0" } else { "" };
        parameter(&format!("f{k}"), &format!("bounds = [0, 1]\ngrid = {values}{start}"))?;
        let orientation = match (count, k) {
            (1, _) => format!("start = \"{one}.n\""),
            _ if k == count.min(KNOWN + 1) || k > KNOWN + 1 => "grid = 24".to_owned(),
            (2, _) => format!("start = \"{one}.n\""),
            _ => format!("start = \"{}.n{k}\"", known_name(chains.form, (count - 1).min(KNOWN))),
        };
        parameter(&format!("n{k}"), &format!("kind = \"orientation\"\n{orientation}"))?;
    }
    Ok(())
}

fn write_stages(text: &mut String, chains: &Chains) -> std::fmt::Result {
    let count = chains.fibres;
    let together = count.min(KNOWN + 1);
    let quoted =
        |names: Vec<String>| names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let mut searched: Vec<String> = (1..=together).map(|k| format!("f{k}")).collect();
    if count > 1 {
        searched.push(format!("n{together}"));
    }
    if chains.form == Form::Zeppelins {
        searched.push("r".to_owned());
    }
    writeln!(text, "[[stages]]\nmethod = \"grid\"\nparameters = [{}]", quoted(searched))?;
    for k in together + 1..=count {
        let searched = quoted(vec![format!("f{k}"), format!("n{k}")]);
        writeln!(text, "[[stages]]\nmethod = \"grid\"\nparameters = [{searched}]")?;
    }
    let mut moved = vec!["s0".to_owned(), "d".to_owned()];
    if chains.form != Form::Sticks {
        moved.push("d_std".to_owned());
    }
    moved.extend(chains.floor.map(|_| "f0".to_owned()));
    moved.extend((1..=count).flat_map(|k| [format!("f{k}"), format!("n{k}")]));
    writeln!(text, "[[stages]]\nmethod = \"levenberg-marquardt\"\nparameters = [{}]", quoted(moved))
}

#[cfg(test)]
mod tests {
    use super::super::grammar;
    use super::super::xfibres_options::RULES;
    use super::*;
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

    /// The attenuation of diffusion along g with c = g · v, as FSL has it; of free diffusion without c.
    fn attenuation(form: u32, b: f64, c: Option<f64>) -> f64 {
        let gamma = |x: f64| (D / (D + b * x * D_STD * D_STD)).powf((D / D_STD).powi(2));
        match (form, c) {
            (1, c) => (-b * D * c.map_or(1.0, |c| c * c)).exp(),
            (3, Some(c)) => (-3.0 * b * D * ((1.0 - R) * c * c + R) / (2.0 * R + 1.0)).exp(),
            (_, c) => gamma(c.map_or(1.0, |c| c * c)),
        }
    }

    #[test]
    fn signals_are_those_of_fsls_models() {
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

    /// Priors that are not uniform, as `name: prior`.
    fn priors(line: &str) -> String {
        let model = FibreModel::new(&chains(line)).unwrap().model;
        let parameters = model.parameters().iter().filter(|p| !matches!(p.prior(), Prior::Uniform));
        let said = parameters.map(|parameter| match *parameter.prior() {
            Prior::Relevance { weight } => format!("{}: ard {weight}", parameter.name()),
            Prior::Normal { mean, deviation } => {
                format!("{}: normal {mean} {:.6}", parameter.name(), 2.0 * deviation * deviation)
            }
            Prior::Gamma { shape, scale } => {
                format!("{}: gamma {shape} {:.1}", parameter.name(), 1.0 / scale)
            }
            _ => format!("{}: energy", parameter.name()),
        });
        said.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn priors_are_fsls() {
        assert_eq!(priors("--model=1 --nf=3"), "f2: ard 1, f3: ard 1");
        assert_eq!(priors("--model=1 --nf=1"), "");
        assert_eq!(priors("--model=1 --nf=1 --allard --fudge=2"), "f: ard 2");
        assert_eq!(priors("--model=2 --nf=2 --noard"), "d_std: ard 1");
        assert_eq!(priors("--model=1 --nf=2 --f0 --ardf0"), "f0: ard 1, f2: ard 1");
        assert_eq!(priors("--model=1 --nf=1 --f0"), "");
        // ((R − mean)/deviation)² is that of a normal distribution of variance deviation²/2.
        let zeppelins = "d: gamma 3 4000.0, d_std: ard 1, r: normal 0.2 0.002500";
        assert_eq!(priors("--model=3 --Rmean=0.2 --Rstd=0.05"), zeppelins);
        assert_eq!(priors("--model=3 --Rfudge=1"), "d: gamma 3 4000.0, d_std: ard 1, r: energy");
    }

    #[test]
    fn bounds_of_the_ratio_follow_its_prior() {
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
