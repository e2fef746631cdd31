// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 21dcb6742827e4d4cdab2e883b9c10aeef4ba2f08d62f45daceea8bfc59a8116
// Hash of the generated code: 5986a711f45ebb2d9f465b15daa996c56505861e906991e1250f90babdc2bca7
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C)]
    struct Task { first_point: u64, points: u32, streamlines: u32, first_streamline: u32, shape: [u32; 3],
        cells: u32, atom_bits: u32, streamline_bits: u32, lengths: u32 }

    fn encoding_nodes(task: value Task, offsets: in u64, positions: in f32, inverse: in f64, ranks: in u32,
        directions: in f64, cell_starts: in u32, candidates: in u32, words: out u64, values: out f32,
        counters: out u64);
    fn encoding_coefficients(task: value Task, count: value u32, words: in u64, atoms: out u16,
        members: out u32, voxel_starts: out u32);
}
