// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 998979ad0923f20d4140d7399d28c1d0682d973c9b64f54d3244ef00e962f19b
// Hash of the generated code: 85905bbf656720a7cd8eba261147057c4436ab6a02b46817db37d7673b94d356
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    fn gradients_begin<T>(count: value u64, right_side: in T, image: in T, x: in T, residual: out T,
        direction: out T, partials: out f64);
    fn gradients_curvature<T>(count: value u64, lambda: value f64, direction: in T, penalty: in T,
        image: out T, partials: out f64);
    fn gradients_step<T>(count: value u64, square: in f64, curvature: in f64, right_side: in T,
        direction: in T, image: in T, x: out T, residual: out T, partials: out f64);
    fn gradients_turn<T>(count: value u64, square: in f64, next: in f64, residual: in T, direction: out T);
}
