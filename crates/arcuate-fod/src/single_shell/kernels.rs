// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 27343c6c2972899ffe3a4cb2597d70f51b05e4f5fd5bbfff68497d24e7e57618
// Hash of the generated code: 792c13869cb8cb83d3342a580b94361b0a9d29d721c3980ac81197c4d2f4128b
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C)]
    struct SingleShellPlan { voxels: u32, series: u32, shell: u32, count: u32, stride: u32,
        beginning_count: u32, constraints: u32, iterations: u32, outside: u64, threshold: f64, singular: f64 }

    fn single_shell_fit(plan: value SingleShellPlan, signals: in f32, shell: in u32, beginning: in f64,
        forward: in f64, start: in f64, constraints: in f64, constraint_columns: in f64, places: in u32,
        matrices: out f64, coefficients: out f32, ends: out u32);
}
