// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 0abbe6bcab3ce7aead08fd0c347a62e2a87de6300ed923222b9f359358e43371
// Hash of the generated code: 22bb0a25e5d2bb09ca6a88a14fb352b39b9d3565efb7c0384038617870150b88
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    fn solver_total(blocks: value u32, maxima: value u32, partials: in f64, totals: out f64);
    fn solver_norms(count: value u32, pairs: in f64, partials: out f64);
    fn solver_scale(largest: in f64, bound: value f64, scale: out f64);
    fn solver_add(count: value u32, sums: out u64, others: in u64);
}
