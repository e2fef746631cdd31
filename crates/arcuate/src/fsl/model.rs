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
        let mut priors: Vec<(String, Prior)> = Vec::new();
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
