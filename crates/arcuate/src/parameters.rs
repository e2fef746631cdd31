//! Maps the names of library parameters to options of the command line and to keywords of Python. Errors and
//! warnings of the libraries contain parameter names in ‘single quotes’. Only this module replaces them by
//! options. A Python keyword is the name of the option with underscores: `min_length` for `--min-length`.

use crate::fsl_programs;
use arcuate_core::{Error, name_parameters};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Parameters and their options.
pub const OPTIONS: &[(&str, &str)] = &[
    ("absolute_lambda", "--absolute-lambda"),
    ("adapt_every", "--adapt-every"),
    ("anatomy", "--five-tissues"),
    ("assignment", "--assignment"),
    ("at_max_length", "--at-max-length"),
    ("atlas", "--atlas"),
    ("b0_threshold", "--b0-threshold"),
    ("b_step", "--b-step"),
    ("b_unit", "--b-unit"),
    ("b_value", "--b-value"),
    ("begin_at", "--begin-at"),
    ("best", "--best"),
    ("big_delta", "--big-delta"),
    ("blueprint", "--blueprint"),
    ("bounds", "--bounds"),
    ("burn_in", "--burn-in"),
    ("bval", "--bval"),
    ("bvec", "--bvec"),
    ("bvec_lengths", "--bvec-lengths"),
    ("chains", "--chains"),
    ("clusters", "--clusters"),
    ("column", "--column"),
    ("compare", "--compare"),
    ("compat", "--compat"),
    ("cone", "--cone"),
    ("cones", "--readouts"),
    ("confidence", "--confidence"),
    ("core_extent", "--blur-core-extent"),
    ("criteria", "--criteria"),
    ("csf", "--csf"),
    ("cutoff", "--cutoff"),
    ("d_isos", "--isotropic-diffusivities"),
    ("d_par", "--axial-diffusivity"),
    ("d_par_zep", "--zeppelin-axial-diffusivity"),
    ("d_perp", "--radial-diffusivity"),
    ("d_perps_zep", "--radial-diffusivities"),
    ("debias", "--debias"),
    ("demean", "--demean"),
    ("density", "--density"),
    ("derivatives", "--derivatives"),
    ("device", "--device"),
    ("device_memory", "--device-memory"),
    ("dictionary", "--dictionary"),
    ("directions", "--per-seed"),
    ("dwi", "--dwi"),
    ("dwi_to_masks", "--dwi-to-masks"),
    ("echo_time", "--echo-time"),
    ("edge", "--edge"),
    ("eigenvalues", "--eigenvalues"),
    ("evaluations", "--evaluations"),
    ("f", "--deflection-f"),
    ("fa_cutoff", "--cutoff"),
    ("fibres", "--fibres"),
    ("five_tissues", "--five-tissues"),
    ("fix", "--fix"),
    ("force", "--force"),
    ("format", "--format"),
    ("fov", "--fov"),
    ("free", "--free"),
    ("g", "--deflection-g"),
    ("gain", "--gain"),
    ("gamma_radii", "--gamma-radii"),
    ("gap", "--gap"),
    ("gauss_extent", "--blur-gauss-extent"),
    ("gauss_min", "--blur-gauss-min"),
    ("gradient_axes", "--gradient-axes"),
    ("gradient_deviations", "--gradient-deviations"),
    ("gradients", "--gradients"),
    ("grey_matter", "--grey-matter"),
    ("group_weights", "--group-weights"),
    ("groups", "--groups"),
    ("in_order", "--waypoints-in-order"),
    ("initial_fibre", "--initial-fibre"),
    ("integrator", "--integrator"),
    ("interleaves", "--readouts"),
    ("interpolation", "--interpolation"),
    ("interval", "--interval"),
    ("intra_fractions", "--intra-fractions"),
    ("iterations", "--iterations"),
    ("judged_by", "--judged-by"),
    ("jumps", "--jumps"),
    ("labels", "--labels"),
    ("lambda", "--lambda"),
    ("lambda_curve", "--lambda-curve"),
    ("lambda_extra", "--lambda-extra"),
    ("lambda_isotropic", "--lambda-isotropic"),
    ("lattice", "--like"),
    ("lesions", "--lesion"),
    ("like", "--like"),
    ("log", "--log"),
    ("map", "--map"),
    ("mask", "--mask"),
    ("masks_to_dwi", "--masks-to-dwi"),
    ("matrix", "--matrix"),
    ("matrix_format", "--matrix-format"),
    ("max_angle_degrees", "--angle"),
    ("max_b", "--max-b"),
    ("max_length_mm", "--max-length"),
    ("max_steps", "--max-steps"),
    ("max_weight", "--max-weight"),
    ("maximum_length", "--max-length"),
    ("measure", "--measure"),
    ("merge_b0s", "--merge-b0"),
    ("mesh_space", "--mesh-space"),
    ("method", "--method"),
    ("min_amplitude", "--cutoff"),
    ("min_fraction", "--cutoff"),
    ("min_half_length_mm", "--min-half-length"),
    ("min_length_mm", "--min-length"),
    ("min_peak", "--min-peak"),
    ("min_radius_mm", "--curvature-radius"),
    ("min_weight", "--min-weight"),
    ("minimum_b0", "--min-b0"),
    ("minimum_length", "--min-length"),
    ("minimum_segment", "--min-segment"),
    ("model", "--model"),
    ("names", "--names"),
    ("no_normalise_signal", "--no-normalise-signal"),
    ("noise", "--noise"),
    ("normalise", "--normalise"),
    ("one_way", "--waypoints-one-way"),
    ("order", "--order"),
    ("orientations", "--orientations"),
    ("out", "--out"),
    ("oversampling", "--oversampling"),
    ("part", "--part"),
    ("participant_label", "--participant-label"),
    ("pathological", "--pathological"),
    ("peak_threshold", "--peak-threshold"),
    ("peaks", "--peaks"),
    ("peaks_frame", "--peaks-frame"),
    ("per_seed", "--per-seed"),
    ("petals", "--petals"),
    ("precision", "--precision"),
    ("preset", "--preset"),
    ("prior", "--prior"),
    ("products", "--products"),
    ("protocols", "--protocols"),
    ("quantiles", "--quantiles"),
    ("radii", "--radii"),
    ("random_seed", "--random-seed"),
    ("raw", "--raw"),
    ("readouts", "--readouts"),
    ("reference", "--reference"),
    ("regularise", "--regularise"),
    ("replicates", "--replicates"),
    ("responses", "--responses"),
    ("resume", "--resume"),
    ("samples", "--samples"),
    ("save_q", "--save-q"),
    ("save_state", "--save-state"),
    ("scalar_map", "--scalar-map"),
    ("scan", "--scan"),
    ("search_radius_mm", "--assignment-radius"),
    ("seed_amplitude", "--seed-cutoff"),
    ("seed_anywhere", "--seed-anywhere"),
    ("seed_cifti", "--seed-cifti"),
    ("seed_cutoff", "--seed-cutoff"),
    ("seed_fa", "--seed-cutoff"),
    ("seed_grid", "--seed-grid"),
    ("seed_interface", "--seed-interface"),
    ("seed_list", "--seed-list"),
    ("seed_mask", "--seed-mask"),
    ("seed_number", "--seeds"),
    ("seed_points", "--seed-points"),
    ("seed_radius", "--seed-radius"),
    ("seed_surfaces", "--seed-surfaces"),
    ("seed_weights", "--seed-weights"),
    ("seeds", "--seeds"),
    ("select", "--select"),
    ("sharpen", "--sharpen"),
    ("sharpen_fa", "--sharpen-fa"),
    ("session_label", "--session-label"),
    ("shells", "--shells"),
    ("shots", "--readouts"),
    ("sigma", "--sigma"),
    ("sigma_prior", "--sigma-prior"),
    ("size", "--size"),
    ("slices", "--readouts"),
    ("small_delta", "--small-delta"),
    ("snr", "--snr"),
    ("solver", "--solver"),
    ("spacing", "--blur-spacing"),
    ("spokes", "--readouts"),
    ("standard_errors", "--standard-errors"),
    ("start", "--start"),
    ("step_mm", "--step"),
    ("subcortical", "--subcortical"),
    ("surfaces", "--surfaces"),
    ("target", "--targets"),
    ("target_columns", "--target-columns"),
    ("targets", "--targets"),
    ("tensor_order", "--tensor-order"),
    ("threads", "--threads"),
    ("threshold", "--threshold"),
    ("tolerance", "--tolerance"),
    ("trace_voxel", "--trace-voxel"),
    ("tracking", "--tracking"),
    ("tract_maps", "--tract-maps"),
    ("tracts", "--tracts"),
    ("trajectory_unit", "--trajectory-unit"),
    ("turns", "--turns"),
    ("voxels", "--readouts"),
    ("white", "--white"),
    ("white_matter", "--white-matter"),
];

/// Commands that have their own option for a parameter.
pub const OF_COMMANDS: &[(&str, &str, &str)] = &[
    ("convert", "out", "OUTPUT"),
    ("response", "voxels", "--voxels"),
    ("track bootstrap", "samples", "--replicates"),
    ("track geodesic", "tolerance", "--step-tolerance"),
];

/// Returns the option of a command for a library parameter, or `None` if there is none.
pub fn option(command: &str, parameter: &str) -> Option<&'static str> {
    let own = OF_COMMANDS.iter().find(|(of, known, _)| *of == command && *known == parameter);
    own.map(|(.., option)| *option)
        .or_else(|| fsl_programs::option(command, parameter))
        .or_else(|| OPTIONS.iter().find(|(known, _)| *known == parameter).map(|(_, option)| *option))
}

/// Returns an error of a library with the option names of a command.
pub fn in_options(error: Error, command: &str) -> Error {
    error.with_parameters(|parameter| option(command, parameter))
}

/// Returns a library message with the option names of the command line, for any command.
pub fn text_in_options(text: &str) -> Cow<'_, str> {
    name_parameters(text, |parameter| option("", parameter))
}

/// Returns the Python keyword for a library parameter. Returns `None` if there is no option for it.
fn keyword(parameter: &str) -> Option<&'static str> {
    static KEYWORDS: OnceLock<BTreeMap<&'static str, String>> = OnceLock::new();
    let keywords = KEYWORDS
        .get_or_init(|| OPTIONS.iter().map(|&(parameter, option)| (parameter, as_keyword(option))).collect());
    keywords.get(parameter).map(String::as_str)
}

/// Replaces options in a message by Python keywords: `--min-length` becomes `min_length`.
pub fn options_as_keywords(text: &str) -> String {
    replace_options(text, "")
}

/// Replaces options in a docstring by Python keywords between double backquotes. A keyword that is already
/// between backquotes gets no others.
#[cfg(test)]
pub(crate) fn options_as_code(text: &str) -> String {
    replace_options(text, "``")
}

/// Replaces options by Python keywords with a quotation mark before and after each keyword.
fn replace_options(text: &str, mark: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(place) = rest.find("--") {
        let (before, after) = (&rest[..place], &rest[place + 2..]);
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let name = &after[..after.find(|c| !is_name(c)).unwrap_or(after.len())];
        let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
        out.push_str(before);
        if begins && !before.ends_with(char::is_alphanumeric) {
            let mark = if out.matches('`').count().is_multiple_of(2) { mark } else { "" };
            out.extend([mark, &as_keyword(name), mark]);
        } else {
            out.push_str("--");
            out.push_str(name);
        }
        rest = &after[name.len()..];
    }
    out.push_str(rest);
    out
}

/// Returns the keyword of an option. Reserved words of Python get a trailing underscore, as PEP 8 recommends.
pub(crate) fn as_keyword(option: &str) -> String {
    let name = option.trim_start_matches('-').replace('-', "_");
    if name == "lambda" { "lambda_".into() } else { name }
}

/// Returns an error of a library with Python keywords.
#[must_use]
pub fn in_keywords(error: Error) -> Error {
    error.with_parameters(keyword)
}

/// Returns a library message about results with Python keywords.
pub fn line_in_keywords(text: &str) -> Cow<'_, str> {
    name_parameters(text, keyword)
}
