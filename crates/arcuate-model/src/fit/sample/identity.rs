//! Identifies the data and options of Markov chains. Chains can be continued only with the same data and
//! options. With other data or options, the new samples would have another distribution than the earlier
//! ones.

use super::options::{Deviation, Noise, SampleOptions};
use super::plans;
use crate::fit::options::{FitOptions, OverrideKind};
use crate::fit::overrides::override_of;
use crate::fit::{ModelMeasurements, Source};
use crate::language::{Form, Model, Parameter, Prior, Role};
use arcuate_core::{GradientTable, Result, Volume};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The inputs that determine the samples of chains: the name of each input, and its value or checksum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainIdentity(pub Vec<(String, String)>);

impl ChainIdentity {
    /// Describes all differences from another identity. Returns `None` if the identities are equal.
    pub fn difference(&self, of_state: &Self) -> Option<String> {
        let value = |of: &Self, what: &str| {
            of.0.iter().find(|(name, _)| name == what).map_or("none", |(_, value)| value).to_owned()
        };
        let mut names: Vec<&str> = self.0.iter().chain(&of_state.0).map(|(name, _)| name.as_str()).collect();
        names.dedup();
        let mut differences: Vec<String> = Vec::new();
        for name in names {
            let (here, there) = (value(self, name), value(of_state, name));
            let unit_text = format!("{name} {there} there, {here} here");
            if here != there && !differences.contains(&unit_text) {
                differences.push(unit_text);
            }
        }
        (!differences.is_empty()).then(|| differences.join("; "))
    }
}

/// Returns the identity of a model's chains: everything that determines the distribution of their samples. If
/// two runs have the same identity, the second run can continue the chains of the first run.
///
/// The identity does not include the mask, the number of samples (`jumps` and `interval`), the output files,
/// the device and the number of threads. It also does not include the burn-in, the start of the chains and
/// the adaptation of proposal widths, because these only affect the beginning of chains.
///
/// # Errors
/// Returns the errors of [`check_sampling`](super::check_sampling).
pub fn chain_identity(
    model: &Model,
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    options: &FitOptions,
    sampling: &SampleOptions,
) -> Result<ChainIdentity> {
    let (pipeline, _) = plans::<f64>(model, gradients, options, sampling)?;
    let plan = &pipeline.plans[pipeline.requested[0]];
    let mut parts: Vec<(String, String)> = Vec::new();
    let mut add = |what: &str, value: String| parts.push((what.to_owned(), value));
    add("series", format!("{} ({})", shape(dwi), checksum_of_volume(dwi)));
    add("gradient table", checksum(&text_of_table(gradients)));
    add("measurements", measurements(options, &pipeline.measurements));
    add("model", format!("{} ({})", model.name(), checksum(&text_of_model(model, plan))));
    for (n, parameter) in model.parameters().iter().enumerate() {
        add(&format!("prior of {}", parameter.name()), prior(model, parameter, &plan.roles)?);
        let known = match override_of(options, parameter) {
            Some(OverrideKind::Fixed(Source::Number(value))) => format!("known, {value:?}"),
            Some(OverrideKind::Fixed(Source::Map(map))) => format!("known, {}", checksum_of_volume(map)),
            // The parameter keeps one fixed value. The value is the default of the model, or the result of an
            // earlier fit.
            Some(OverrideKind::Kept) => "kept".to_owned(),
            _ if plan.roles[n] == Role::Free => continue,
            _ => format!("fixed, {:?}", parameter.start_number()),
        };
        add(&format!("value of {}", parameter.name()), known);
    }
    for column in &options.columns {
        add(&format!("column {}", column.name), checksum(&format!("{:?}", column.values)));
    }
    for (name, map) in &options.maps {
        add(&format!("map {name}"), checksum_of_volume(map));
    }
    let deviations = options.gradient_deviations.as_ref();
    add("gradient deviations", deviations.map_or("none".to_owned(), checksum_of_volume));
    add("noise", noise(&sampling.noise));
    add("precision", if options.single_precision { "single" } else { "double" }.to_owned());
    add("random seed", sampling.random_seed.to_string());
    add("number of chains", sampling.chains.to_string());
    if sampling.adapts_throughout {
        add("widths change every", format!("{} sweeps", sampling.window));
    }
    Ok(ChainIdentity(parts))
}

/// Returns the first characters of a SHA-256 checksum. These characters suffice to detect accidental
/// differences.
fn short(digest: impl AsRef<[u8]>) -> String {
    digest.as_ref().iter().take(8).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn checksum(text: &str) -> String {
    short(Sha256::digest(text))
}

/// Number of bytes in a piece of an image. Each piece of the image has its own checksum.
const PIECE: usize = 1 << 22;

/// Returns the checksum of an image's values, which does not depend on the file format. The checksum combines
/// those of all pieces of the image, which several threads compute.
fn checksum_of_volume(volume: &Volume<f32>) -> String {
    let bytes: &[u8] = bytemuck::cast_slice(volume.values());
    let pieces: Vec<_> = bytes.par_chunks(PIECE).map(Sha256::digest).collect();
    let mut whole = Sha256::new();
    whole.update(format!("{:?}", volume.grid().affine()));
    for piece in &pieces {
        whole.update(piece);
    }
    short(whole.finalize())
}

fn shape(volume: &Volume<f32>) -> String {
    let [x, y, z] = volume.grid().shape();
    format!("{x} × {y} × {z} × {}", volume.channels())
}

fn text_of_table(gradients: &GradientTable) -> String {
    let threshold = gradients.b0_threshold();
    let mut text = format!(
        "{:?} {:?} {threshold:?} {:?}",
        gradients.b_values(),
        gradients.directions(),
        gradients.timings()
    );
    if let Some(counts) = gradients.averaged() {
        let _ = write!(text, " means of {counts:?}");
    }
    text
}

fn measurements(options: &FitOptions, used: &[usize]) -> String {
    let which = match &options.measurements {
        ModelMeasurements::All => "all".to_owned(),
        ModelMeasurements::UpTo(b) => format!("b up to {b}"),
        ModelMeasurements::Shells(shells) => format!("shells {shells:?}"),
    };
    format!("{which} ({} of them, {})", used.len(), checksum(&format!("{used:?}")))
}

/// Returns a text with the model's signal formula and the ranges of its parameters. Models with equal text
/// predict equal signals.
fn text_of_model(model: &Model, plan: &crate::fit::plan::ModelPlan<f64>) -> String {
    let program = &plan.program;
    let mut text = format!("{}{:?}\n", program.program, program.signal);
    for constraint in &program.constraints {
        let _ = writeln!(text, "{:?} {}", constraint.value, constraint.is_equality);
    }
    for parameter in model.parameters() {
        let bounds = match parameter.form() {
            Form::Number { bounds, .. } => format!("{bounds:?}"),
            Form::Orientation { .. } => "orientation".to_owned(),
        };
        let _ = writeln!(text, "{} {} {bounds}", parameter.name(), parameter.unit());
    }
    let _ = write!(text, "{:?}", model.alike());
    text
}

fn prior(model: &Model, parameter: &Parameter, roles: &[Role]) -> Result<String> {
    Ok(match parameter.prior() {
        Prior::Energy(_) => {
            let energies = model.energy_program(roles, false)?;
            format!("a formula ({})", checksum(&format!("{} {:?}", energies.program, energies.energies)))
        }
        prior => number_prior(prior),
    })
}

fn number_prior(prior: &Prior) -> String {
    match prior {
        Prior::Uniform => "uniform".to_owned(),
        Prior::Normal { mean, deviation } => format!("normal({mean}, {deviation})"),
        Prior::Gamma { shape, scale } => format!("gamma({shape}, {scale})"),
        Prior::Relevance { weight, least } => format!("ard({weight}, {least})"),
        Prior::LogUniform => "log_uniform".to_owned(),
        Prior::Energy(_) => "a formula".to_owned(),
    }
}

fn noise(noise: &Noise) -> String {
    let (kind, deviation) = match noise {
        Noise::Gaussian(deviation) => ("gaussian", deviation),
        Noise::Rician(deviation) => ("rician", deviation),
    };
    match deviation {
        Deviation::Integrated => format!("{kind}, σ integrated"),
        Deviation::Sampled(prior) => format!("{kind}, σ sampled, {}", number_prior(prior)),
        Deviation::Known(sigma) => format!("{kind}, σ {sigma}"),
    }
}
