// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 4f8b2919caa5c07e98b07442eaeca6f272ac252f628d2a37174ac2d9adde4a31
// Hash of the generated code: c0df47755df6dee325dedc01073e4495efeeeb159e469499f78e2ae31cf9a02b
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C)]
    struct TransformPlan { radices: u64, in_outer: u64, out_outer: u64, in_summed: u64, map_stride: u64,
        length: u32, count_in: u32, count_out: u32, stages: u32, columns: u32, inner_count: u32,
        in_inner: u32, in_element: u32, out_inner: u32, out_element: u32, block_columns: u32, pitch: u32,
        summed: u32, spectrum_columns: u32, flags: u32, adds: u32 }

    fn fourier_transform<T>[1](plan: value TransformPlan, twiddles: in T, maps: in T, r#in: in T, out: out T);
    fn fourier_convolve<T>[1](plan: value TransformPlan, twiddles: in T, spectrum: in T, r#in: in T,
        out: out T);
}
