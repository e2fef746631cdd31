// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 17f313f9cd3b41d7d490b5e83103ed5c456bc956bdaf12fd73f4fa1d88fa4090
// Hash of the generated code: 64084d9a1b7496f0e847d4544ae905b12e78ec931efd556d18ce371be12479c0
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    fn dense_products<T>(rows: value u32, columns: value u32, raw: value u32, carry: value u32,
        matrix: in f64, basis: in f64, unknowns: in T, data: out T, sums: out u64, scale: in f64,
        norms: out f64);
    fn dense_expand(columns: value u32, raw: value u32, expansion: in i32, from: in u64, sums: out u64);
}
