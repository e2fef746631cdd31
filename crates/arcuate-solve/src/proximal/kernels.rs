// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 79c7454b4aa4aeb993b54fed71e39b28c5383f34641d2f8b63844be91a4565e8
// Hash of the generated code: ca29469adb2593576db3b0436a841ce11342eae326764ee428e6d49b1a58768b
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    fn proximal_step<T>(count: value u32, length: value f64, momentum: value f64, non_negative: value u32,
        now: in T, before: in T, gradient: in T, gradient_before: in T, l1: in T, next: out T);
    fn proximal_groups<T>(count: value u32, length: value f64, starts: in u32, members: in u32,
        weights: in f64, next: out T, partials: out f64);
    fn proximal_moved<T>(count: value u32, momentum: value f64, now: in T, before: in T, next: in T, l1: in T,
        partials: out f64);
    fn proximal_residual<T>(count: value u64, momentum: value f64, measured: in T, now: in T, before: in T,
        next: out T, partials: out f64);
    fn proximal_gradient<T>(count: value u32, sums: out u64, others: in u64, scale: in f64, gradient: out T);
}
