//! For parameters of the library, the options of FSL's programs that set them.

/// Program, parameter, and option of the program.
pub const OPTIONS: &[(&str, &str, &str)] = &[
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
    ("xfibres", "adapt_every", "--updateproposalevery"),
    ("xfibres", "interval", "--sampleevery"),
    ("xfibres", "jumps", "--njumps"),
];

/// Returns the option of a program for a parameter of the library. `None` if the program has no option for
/// it.
pub fn option(program: &str, parameter: &str) -> Option<&'static str> {
    let is_own = |&&(of, known, _): &&(&str, &str, &str)| of == program && known == parameter;
    OPTIONS.iter().find(is_own).map(|(.., option)| *option)
}
