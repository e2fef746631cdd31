// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 134dee69cfc08dd58a368ac220beca4abc03ce3f1884ccfce99632acbe315bb5
// Hash of the generated code: d746d75ba7c51ebc014054ba8f9d9130b1fcb23cf9f11115299cdeab4fc9cc52
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C)]
    struct DifferencesPlan { voxels: u64, step_0: u64, step_1: u64, step_2: u64, axes: u64 }

    fn differences_normal<T>(plan: value DifferencesPlan, weights: in T, x: in T, out: out T);
}
