// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 47d81c80248d9ac365b7e92012178a9696c9abfdc97e146e9e4135635fccd7d9
// Hash of the generated code: b2fdfc5b38c79a83d9150ebb305cc4f10be73f6a9e6fa7fff4b669619f19bef2
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C)]
    struct ForwardPlan { nx: u32, ny: u32, nz: u32, samples: u32, first: u32, count: u32, fragments: u32,
        column_tiles: u32, first_tile: u32, tiles: u32, resumes: u32, goes_on: u32 }

    fn forward_rows(plan: value ForwardPlan, steps: in u32, table: out [u32; 4]);
    fn forward_columns(plan: value ForwardPlan, scale: value f32, image: in [f32; 2], table: out [u32; 4]);
    fn forward_sums(plan: value ForwardPlan, rows: in [u32; 4], columns: in [u32; 4], along_x: in u32,
        along_y: in u32, along_z: in u32, scale: value f32, sums: out [f32; 2]);
}
