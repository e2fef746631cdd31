//! What the command line calls the parameters of libraries. Their errors and warnings name these in ‘single quotes’; here, and
//! nowhere else, stands which option each is.

use arcuate_core::{Error, name_parameters};
use std::borrow::Cow;

/// Parameters and their options.
const OPTIONS: &[(&str, &str)] = &[
    ("absolute_lambda", "--absolute-lambda"),
    ("adapt_every", "--adapt-every"),
    ("anatomy", "--five-tissues"),
    ("assignment", "--assignment"),
    ("b0_threshold", "--b0-threshold"),
    ("b_step", "--b-step"),
    ("b_unit", "--b-unit"),
    ("begin_at", "--begin-at"),
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
    ("d_isos", "--isotropic-diffusivities"),
    ("d_par", "--axial-diffusivity"),
    ("d_par_zep", "--zeppelin-axial-diffusivity"),
    ("d_perp", "--radial-diffusivity"),
    ("d_perps_zep", "--radial-diffusivities"),
    ("debias", "--debias"),
    ("demean", "--demean"),
    ("device", "--device"),
    ("device_memory", "--device-memory"),
    ("dictionary", "--dictionary"),
    ("directions", "--per-seed"),
    ("dwi", "--dwi"),
    ("dwi_to_masks", "--dwi-to-masks"),
    ("echo_time", "--echo-time"),
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
    ("gradients", "--gradients"),
    ("grey_matter", "--grey-matter"),
    ("group_weights", "--group-weights"),
    ("groups", "--groups"),
    ("in_order", "--waypoints-in-order"),
    ("initial_fibre", "--initial-fibre"),
    ("integrator", "--integrator"),
    ("interleaves", "--readouts"),
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
    ("lengths", "--lengths"),
    ("lesions", "--lesion"),
    ("like", "--like"),
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
    ("min_amplitude", "--min-amplitude"),
    ("min_fraction", "--min-fraction"),
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
    ("pathological", "--pathological"),
    ("peak_threshold", "--peak-threshold"),
    ("peaks", "--peaks"),
    ("peaks_frame", "--peaks-frame"),
    ("per_seed", "--per-seed"),
    ("petals", "--petals"),
    ("precision", "--precision"),
    ("prior", "--prior"),
    ("protocols", "--protocols"),
    ("quantiles", "--quantiles"),
    ("radii", "--radii"),
    ("random_seed", "--random-seed"),
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
    ("search_radius_mm", "--assignment-radius"),
    ("seed_amplitude", "--seed-amplitude"),
    ("seed_anywhere", "--seed-anywhere"),
    ("seed_cifti", "--seed-cifti"),
    ("seed_fa", "--seed-cutoff"),
    ("seed_fraction", "--seed-fraction"),
    ("seed_grid", "--seed-grid"),
    ("seed_interface", "--seed-interface"),
    ("seed_list", "--seed-list"),
    ("seed_mask", "--seed-mask"),
    ("seed_number", "--seeds"),
    ("seed_points", "--seed-points"),
    ("seed_radius", "--seed-radius"),
    ("seed_surfaces", "--seed-surfaces"),
    ("seeds", "--seeds"),
    ("select", "--select"),
    ("sharpen", "--sharpen"),
    ("sharpen_fa", "--sharpen-fa"),
    ("shells", "--shells"),
    ("shots", "--readouts"),
    ("sigma", "--sigma"),
    ("sigma_prior", "--sigma-prior"),
    ("size", "--size"),
    ("slices", "--readouts"),
    ("small_delta", "--small-delta"),
    ("solver", "--solver"),
    ("spacing", "--blur-spacing"),
    ("spokes", "--readouts"),
    ("standard_errors", "--standard-errors"),
    ("start", "--start"),
    ("step_mm", "--step"),
    ("streamlines", "--streamlines"),
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

/// Commands that have an option of their own for a parameter.
const OF_COMMANDS: &[(&str, &str, &str)] = &[
    ("bedpostx", "adapt_every", "--updateproposalevery"),
    ("bedpostx", "interval", "--sampleevery"),
    ("bedpostx", "jumps", "--njumps"),
    ("probtrackx2", "dwi_to_masks", "--invxfm"),
    ("probtrackx2", "initial_fibre", "--fibst"),
    ("probtrackx2", "masks_to_dwi", "--xfm"),
    ("probtrackx2", "max_angle_degrees", "--cthr"),
    ("probtrackx2", "max_steps", "--nsteps"),
    ("probtrackx2", "mesh_space", "--meshspace"),
    ("probtrackx2", "min_fraction", "--fibthresh"),
    ("probtrackx2", "min_half_length_mm", "--distthresh"),
    ("probtrackx2", "out", "--dir"),
    ("probtrackx2", "per_seed", "--nsamples"),
    ("probtrackx2", "reference", "--seedref"),
    ("probtrackx2", "seed_radius", "--sampvox"),
    ("probtrackx2", "step_mm", "--steplength"),
    ("response", "voxels", "--voxels"),
    ("track bootstrap", "samples", "--replicates"),
    ("track geodesic", "tolerance", "--step-tolerance"),
    ("xfibres", "adapt_every", "--updateproposalevery"),
    ("xfibres", "interval", "--sampleevery"),
    ("xfibres", "jumps", "--njumps"),
];

/// The option of a command for a parameter of a library; nothing where there is none.
fn option(command: &str, parameter: &str) -> Option<&'static str> {
    let own = OF_COMMANDS.iter().find(|(of, known, _)| *of == command && *known == parameter);
    own.map(|(.., option)| *option)
        .or_else(|| OPTIONS.iter().find(|(known, _)| *known == parameter).map(|(_, option)| *option))
}

/// An error of a library in the words of a command.
pub(crate) fn in_options(error: Error, command: &str) -> Error {
    error.with_parameters(|parameter| option(command, parameter))
}

/// What a library says of results, in the words of a command.
pub(crate) fn line_in_options<'t>(text: &'t str, command: &str) -> Cow<'t, str> {
    name_parameters(text, |parameter| option(command, parameter))
}

/// What a library says, whatever the command, in the words of the command line.
pub(crate) fn text_in_options(text: &str) -> Cow<'_, str> {
    name_parameters(text, |parameter| option("", parameter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::definition;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// Parameters that no option sets: who calls a library by itself sees them.
    const OF_THE_LIBRARY: &[&str] = &["filter", "grey_share", "negative_lambda", "number", "rays"];

    /// The sources of the libraries, file by file, without comments and tests.
    fn said_by_libraries() -> Vec<String> {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of all crates");
        let mut folders: Vec<_> = crates
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| !["arcuate", "arcuate-bench"].iter().any(|name| path.ends_with(name)))
            .map(|path| path.join("src"))
            .collect();
        let mut said = Vec::new();
        while let Some(folder) = folders.pop() {
            for path in folder.read_dir().unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs") {
                    let text = std::fs::read_to_string(&path).unwrap();
                    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
                    let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
                    said.push(code.collect::<Vec<_>>().join("\n"));
                }
            }
        }
        said
    }

    fn named(said: &str) -> impl Iterator<Item = &str> {
        let words = said.split('‘').skip(1).filter_map(|rest| Some(rest.split_once('’')?.0));
        words.filter(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
    }

    #[test]
    fn every_parameter_that_a_library_names_has_an_option() {
        let said = said_by_libraries();
        let all: BTreeSet<&str> = said.iter().flat_map(|said| named(said)).collect();
        assert!(all.len() > 50, "{all:?}");
        for parameter in &all {
            let is_known = option("", parameter).is_some() || OF_THE_LIBRARY.contains(parameter);
            assert!(
                is_known,
                "‘{parameter}’ stands in an error of a library: name its option in OPTIONS, or it in OF_THE_LIBRARY"
            );
        }
        for (parameter, _) in OPTIONS {
            assert!(all.contains(parameter), "no library names ‘{parameter}’");
        }
        for (_, parameter, _) in OF_COMMANDS {
            assert!(all.contains(parameter), "no library names ‘{parameter}’");
        }
    }

    #[test]
    fn every_option_is_one_of_a_command() {
        let definition = definition();
        let mut commands = vec![&definition];
        let mut known = BTreeSet::new();
        while let Some(command) = commands.pop() {
            commands.extend(command.get_subcommands());
            known
                .extend(command.get_arguments().filter_map(|a| a.get_long()).map(|long| format!("--{long}")));
        }
        let of_fsl = |command: &str| ["bedpostx", "xfibres", "probtrackx2"].contains(&command);
        let own = OF_COMMANDS.iter().filter(|(command, ..)| !of_fsl(command));
        for (parameter, option) in OPTIONS.iter().copied().chain(own.map(|&(_, name, option)| (name, option)))
        {
            assert!(known.contains(option), "‘{parameter}’ is {option}, which no command has");
        }
    }

    #[test]
    fn libraries_name_no_options() {
        for said in said_by_libraries() {
            let words =
                said.match_indices("\"--").map(|(at, _)| said[at + 3..].lines().next().unwrap_or_default());
            // A property of the style of a report's page is none.
            let is_option = |word: &&str| {
                word.starts_with(|c: char| c.is_ascii_lowercase()) && !word.starts_with("share:")
            };
            let option = words.into_iter().find(is_option);
            assert_eq!(option, None, "a library names an option; name the parameter in ‘single quotes’");
        }
    }

    #[test]
    fn errors_are_said_in_the_words_of_the_command() {
        let error = || Error::usage("‘jumps’", "1 is fewer than ‘interval’", "use ‘device’ cpu");
        let said = |command: &str| in_options(error(), command).to_string();
        assert_eq!(said("fit noddi"), "--jumps: 1 is fewer than --interval; use --device cpu");
        assert_eq!(said("xfibres"), "--njumps: 1 is fewer than --sampleevery; use --device cpu");
        assert_eq!(text_in_options("‘shells’ and ‘nothing’"), "--shells and ‘nothing’");
    }
}
