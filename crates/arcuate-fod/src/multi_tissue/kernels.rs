// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 85ac7630996003cfe3f6743a92fd3cbe8e8db7cb44be87aa6f3078282a8426e0
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
