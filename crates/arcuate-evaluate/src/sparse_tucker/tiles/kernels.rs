// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: f26bf751c052553226640a9099b4f46085f2f97926d1bbce3c047fb4f36816fd
// Hash of the generated code: 8609426035619c1a910e6ea5de76b0ccaf955079ebc943c8218f6db498e81be2
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C)]
    struct Launch { mode: u32, first_place: u32, first_coefficient: u32, voxels: u32, directions: u32,
        atoms: u32, unit_of_dictionary: f32 }

    fn sparse_tucker_tiles[1](launch: value Launch, tile_order: in u32, tile_segments: in u32,
        segment_starts: in u32, segment_facts: in u32, cells: in u16, members: in u32, values: in f32,
        forward_fragments: in [u32; 4], adjoint_fragments: in [u32; 4], weights: in f32, data: out f32,
        sums: out u64, scale_of_sums: in f64, norms: out f64);
}
