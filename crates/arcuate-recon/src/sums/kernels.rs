// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: d57f311beff98815bbceb850672f4a7f045b959b05e8bacbf589d608bfa9919b
// Hash of the generated code: e1f78a9f45559160ebe2c6738586a66e5127d6dea8713ed30951659d7df705e9
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C)]
    struct SumsPlan { nx: u32, ny: u32, nz: u32, samples: u32, first: u32, fragments: u32, row_tiles: u32,
        column_tiles: u32, resumes: u32, goes_on: u32, first_slice: u32, first_volume: u32 }

    fn fourier_rows(plan: value SumsPlan, steps: in u32, table: out [u32; 4]);
    fn fourier_adjoint[1](plan: value SumsPlan, table: in [u32; 4], along_x: in u32, along_y: in u32,
        along_z: in u32, data: in [f32; 2], scales: in [f32; 2], products: out f32, image: out [f32; 2]);
}
