//! Models of several fibre populations as in FSL's `bedpostx`, in addition to the models in files. They have
//! any number of populations, zeppelins, and a signal fraction without attenuation (Sotiropoulos et al. 2012
//! and 2016).

use super::model;
use crate::language::Model;
use arcuate_core::{Error, Result};
use std::fmt::Write;

/// The compartment that represents a fibre, and the distribution of diffusivities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FibreForm {
    /// Fibres are sticks, and the ball has the same diffusivity.
    Sticks = 1,
    /// Fibres are sticks, and both sticks and ball have the same gamma distribution of diffusivities (Jbabdi
    /// et al. 2012).
    GammaSticks = 2,
    /// The ball has gamma-distributed diffusivities. The fibres are zeppelins with the mean of this
    /// distribution as diffusivity.
    Zeppelins = 3,
}

/// A model of a ball and several fibre populations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fibres {
    /// The compartment that represents a fibre, and the distribution of diffusivities.
    pub form: FibreForm,
    /// Number of fibre populations in the model.
    pub count: usize,
    /// True if the model has a signal fraction f0 that is not attenuated by diffusion weighting.
    pub has_floor: bool,
    /// Expected mean and standard deviation of the ratio of perpendicular to parallel diffusivity in a
    /// zeppelin. They determine the bounds of this ratio in the fit.
    pub ratio: [f64; 2],
}

/// Maximum number of fibre populations in the built-in model files.
const KNOWN: usize = 3;

impl Fibres {
    /// Returns whether a built-in model file has the same model. If so, this file is used, with its bounds of
    /// the parameters.
    pub fn has_file(&self) -> bool {
        self.form != FibreForm::Zeppelins && !self.has_floor && self.count <= KNOWN
    }

    /// Builds the model. Its parameters are s0, d, d_std (with distributed diffusivities), r (with
    /// zeppelins), f0 (with a fraction that is not attenuated), and f1, n1, f2, n2 and so on. The built-in
    /// models with one fibre call the parameters of the fibre f and n.
    pub fn model(&self) -> Result<Model> {
        if self.has_file() {
            return model(&known_name(self.form, self.count));
        }
        let mut text = String::new();
        // Writing to a string cannot fail.
        write_text(&mut text, self)
            .map_err(|_| Error::invalid("fibres", "the model cannot be written", "report this as a bug"))?;
        Model::parse("the model of fibres", &text)
    }
}

/// Returns the name of a built-in model.
fn known_name(form: FibreForm, fibres: usize) -> String {
    let sticks = if fibres == 1 { "stick" } else { "sticks" };
    let gamma = if form == FibreForm::Sticks { "" } else { "-gamma" };
    format!("ball-{fibres}-{sticks}{gamma}")
}

fn write_text(text: &mut String, of: &Fibres) -> std::fmt::Result {
    let count = of.count;
    let fibres = || (1..=count).map(|fibre| format!("f{fibre}"));
    let floor: Vec<String> = of.has_floor.then(|| "f0".to_owned()).into_iter().collect();
    let parts: Vec<String> = fibres().chain(floor.clone()).collect();
    writeln!(text, "name = \"fibres-{count}-{}\"", of.form as u32)?;
    if parts.len() > 1 {
        writeln!(text, "constraints = [\"{} <= 1\"]", parts.join(" + "))?;
    }
    if count > 1 {
        let alike: Vec<String> = (1..=count).map(|k| format!("[\"f{k}\", \"n{k}\"]")).collect();
        writeln!(text, "alike = [{}]", alike.join(", "))?;
    }
    writeln!(text, "signal = \"\"\"")?;
    if of.form == FibreForm::Sticks {
        writeln!(text, "let ball = exp(-b * d)")?;
    } else {
        writeln!(text, "let shape = (d / d_std)^2\nlet per_rate = b * d_std^2 / d")?;
        writeln!(text, "let ball = exp(-shape * ln(1 + per_rate))")?;
    }
    if of.form == FibreForm::Zeppelins {
        writeln!(text, "let along = 3 * b * d / (2 * r + 1)")?;
    }
    for k in 1..=count {
        match of.form {
            FibreForm::Sticks => writeln!(text, "let fibre{k} = exp(-b * d * dot(g, n{k})^2)")?,
            FibreForm::GammaSticks => {
                writeln!(text, "let fibre{k} = exp(-shape * ln(1 + per_rate * dot(g, n{k})^2))")?;
            }
            FibreForm::Zeppelins => {
                writeln!(text, "let fibre{k} = exp(-along * ((1 - r) * dot(g, n{k})^2 + r))")?;
            }
        }
    }
    let attenuated = (1..=count).map(|k| format!("f{k} * fibre{k}"));
    let terms: Vec<String> = attenuated.chain(floor).collect();
    writeln!(text, "s0 * ((1 - {}) * ball + {})\n\"\"\"", parts.join(" - "), terms.join(" + "))?;
    write_parameters(text, of)?;
    write_stages(text, of)
}

fn write_parameters(text: &mut String, of: &Fibres) -> std::fmt::Result {
    let count = of.count;
    let mut parameter = |name: &str, lines: &str| writeln!(text, "[parameters.{name}]\n{lines}");
    let one = known_name(of.form, 1);
    parameter("s0", "unit = \"signal\"\nbounds = [0, inf]\nstart = \"mean_b0\"")?;
    let low = if of.form == FibreForm::Sticks { 0.0 } else { 1e-5 };
    parameter("d", &format!("unit = \"mm²/s\"\nbounds = [{low:e}, 5e-3]\nstart = \"{one}.d\""))?;
    if of.form != FibreForm::Sticks {
        let high = if of.form == FibreForm::Zeppelins { 4e-3 } else { 1e-2 };
        let start = format!("start = \"{one}.d_std\"");
        parameter("d_std", &format!("unit = \"mm²/s\"\nbounds = [5e-5, {high:e}]\n{start}"))?;
    }
    if of.form == FibreForm::Zeppelins {
        let [mean, deviation] = of.ratio;
        let low = (mean - 2.0 * deviation).max(1e-8);
        let high = if mean > 0.5 { 1.0 } else { 2.0 * mean };
        // The search grid of the ratio r has only one value, so that the fit does not change r. Markov chains
        // change it.
        parameter("r", &format!("bounds = [{low:e}, {high:e}]\ngrid = [{mean:e}]"))?;
    }
    if of.has_floor {
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
        // The signal fraction of each fibre after the fourth one starts at 0. The fit adds these fibres one
        // after the other.
        let start = if k > KNOWN + 1 { "\nstart = 0" } else { "" };
        parameter(&format!("f{k}"), &format!("bounds = [0, 1]\ngrid = {values}{start}"))?;
        let orientation = match (count, k) {
            (1, _) => format!("start = \"{one}.n\""),
            _ if k == count.min(KNOWN + 1) || k > KNOWN + 1 => "grid = 24".to_owned(),
            (2, _) => format!("start = \"{one}.n\""),
            _ => format!("start = \"{}.n{k}\"", known_name(of.form, (count - 1).min(KNOWN))),
        };
        parameter(&format!("n{k}"), &format!("kind = \"orientation\"\n{orientation}"))?;
    }
    Ok(())
}

fn write_stages(text: &mut String, of: &Fibres) -> std::fmt::Result {
    let count = of.count;
    let together = count.min(KNOWN + 1);
    let quoted =
        |names: Vec<String>| names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let mut searched: Vec<String> = (1..=together).map(|k| format!("f{k}")).collect();
    if count > 1 {
        searched.push(format!("n{together}"));
    }
    if of.form == FibreForm::Zeppelins {
        searched.push("r".to_owned());
    }
    writeln!(text, "[[stages]]\nmethod = \"grid\"\nparameters = [{}]", quoted(searched))?;
    for k in together + 1..=count {
        let searched = quoted(vec![format!("f{k}"), format!("n{k}")]);
        writeln!(text, "[[stages]]\nmethod = \"grid\"\nparameters = [{searched}]")?;
    }
    let mut moved = vec!["s0".to_owned(), "d".to_owned()];
    if of.form != FibreForm::Sticks {
        moved.push("d_std".to_owned());
    }
    moved.extend(of.has_floor.then(|| "f0".to_owned()));
    moved.extend((1..=count).flat_map(|k| [format!("f{k}"), format!("n{k}")]));
    writeln!(text, "[[stages]]\nmethod = \"levenberg-marquardt\"\nparameters = [{}]", quoted(moved))
}
