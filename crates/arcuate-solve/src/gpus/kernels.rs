// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 5d65ac5f007cd26048ded8e080c926b1991cc16a0b30254a5894358921d2560a
// Hash of the generated code: 6842e6af460f3a1c29775e55e0b1ba21b31279e6e2987e9531eef2c4e6825081
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    fn solver_total(blocks: value u32, maxima: value u32, partials: in f64, totals: out f64);
    fn solver_norms(count: value u32, pairs: in f64, partials: out f64);
    fn solver_scale(largest: in f64, bound: value f64, scale: out f64);
    fn solver_add(count: value u32, sums: out u64, others: in u64);
    fn solver_groups<T>(count: value u32, length: value f64, starts: in u32, members: in u32, weights: in f64,
        x: out T, partials: out f64);
}
