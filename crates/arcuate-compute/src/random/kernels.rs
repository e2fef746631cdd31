// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 1d0325df86572d1af2dab14e19e73f1e1a2d00b2b463fbe78f9a4393a321fe49
// Hash of the generated code: 2ee8ff72b448e966620fc54ebe4858c91e1290c5b464c55fefeae6744253774d
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C)]
    struct Wanted { seed: u64, purpose: u64, first: u64, items: u64, first_draw: u64, draws: u64,
        parameter: f64 }

    fn random_uniform(wanted: value Wanted, values: out f64);
    fn random_below(wanted: value Wanted, values: out f64);
    fn random_normal(wanted: value Wanted, values: out f64);
    fn random_exponential(wanted: value Wanted, values: out f64);
    fn random_gamma(wanted: value Wanted, values: out f64);
    fn random_on_sphere(wanted: value Wanted, values: out f64);
}
