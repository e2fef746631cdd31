// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 500bc4fe979aba4ed885e3ff439e351a37cceb0be8c06fea854dc2fd885c494f
// Hash of the generated code: a95ee3cbf072dac3e02c6e542307808a0f7ff9a9ee1b020d37f26f80a2c16092
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    fn convolution_f64(count: value u32, length: value u32, shift: value u32, transposed: value u32,
        taps: in f64, x: in f64, out: out f64);
}
