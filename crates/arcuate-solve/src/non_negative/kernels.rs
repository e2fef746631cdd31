// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 51ebe0e4ffbfc411471ba9042a6636ceedbd1bd02a6aa1d91ae4d9f8d766b567
// Hash of the generated code: 7c6b282f91dfd56ffda351018ede59eca1519ebf4206002c236c366010824b45
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    fn non_negative_step<T>(count: value u32, length: value f64, direction: in T, weights: out T,
        taken: out T, partials: out f64);
    fn non_negative_subspace<T>(count: value u32, gradient: in T, weights: in T, direction: out T,
        partials: out f64);
    fn non_negative_collect<T>(count: value u32, what: value u32, l1: value f64, sums: out u64,
        others: in u64, scale: in f64, fixed: in u8, gradient: out T, weights: in T, taken: in T,
        partials: out f64);
    fn non_negative_residual<T>(count: value u64, fresh: value u32, measured: in T, data: out T,
        partials: out f64);
    fn non_negative_promised<T>(count: value u32, gradient: in T, before: in T, now: in T, partials: out f64);
}
