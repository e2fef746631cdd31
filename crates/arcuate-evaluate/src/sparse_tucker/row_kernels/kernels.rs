// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: c32e2567158d379582eea6750035d6aa51947a3438b3e4febcd7428d498f2385
// Hash of the generated code: 52d94c299c2c086bf14f0118441403a670f53f2d3a937b5b4d6d63d32d59229d
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    fn sparse_tucker_rows<T>[1](mode: value u32, first_place: value u32, end_place: value u32,
        first_coefficient: value u32, first_run: value u32, directions: value u32, stride: value u32,
        voxel_order: in u32, voxel_starts: in u32, voxel_runs: in u32, run_atoms: in u16, members: in u32,
        values: in T, dictionary: in T, weights: in T, data: out T, sums: out u64, scale_of_sums: in f64,
        norms: out f64);
}
