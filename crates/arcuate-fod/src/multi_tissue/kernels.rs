// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 63ac328263b3b66c55fd51290e10d726a0dbcab4a71180b1fe6e13568adc7246
// Hash of the generated code: 83a0ae915d2b212c12ec98c039c43bccc51d75d4ec7b98d398253911600a3012
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C)]
    struct MultiTissuePlan { voxels: u32, measurements: u32, count: u32, stride: u32, rows: u32, steps: u32,
        outside: u64, tolerance: f64, dependent: f64 }

    fn multi_tissue_fit(plan: value MultiTissuePlan, signals: in f32, forward: in f64, factor: in f64,
        rows: in f64, columns: in f64, alike: in u32, matrices: out f64, coefficients: out f32,
        ends: out u32);
}
