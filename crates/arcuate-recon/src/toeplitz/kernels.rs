// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 95c041a8883af92b02645412d583878ab5198ac65dec43eb9354a5ee9bd0f326
// Hash of the generated code: 343c9cb55faa1ac371063909ba251335a8a7ac66979771e122a050ba1e8567fb
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C)]
    struct SpectrumPlan { count: u64, length_x: u32, length_z: u32, plane: u32, first_x: u32, lag_x: u32,
        lag_z: u32 }

    fn toeplitz_spectrum<T>(plan: value SpectrumPlan, factor: value T, of_x: in T, of_z: in T, values: in T,
        out: out T);
    fn toeplitz_halve<T>(count: value u64, row: value u64, stride: value u64, lags: out T);
}
