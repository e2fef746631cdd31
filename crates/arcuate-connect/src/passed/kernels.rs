// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 68a0aa7a0bb1d401cf67f7fa8642df87a32e9f3e0b21f3169c310bba0a99497b
// Hash of the generated code: e8b26c798ff65a7e4402fa1758d67790d726aa48e74a938c6fc7bd50e6fbe610
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C)]
    struct Meeting { each: u64, first_row: u64, rows: u32, columns: u32, lattices: u32, triangles: u32,
        is_square: u32, unused: u32 }

    #[repr(C)]
    struct ElementCells { affine: [f32; 12], warp_affine: [f32; 12], warp_shape: [i32; 3], warp_at: u32,
        least: [i32; 3], shape: [i32; 3], edge: u32, near: i32, division: u32 }

    fn met_rows[1](run: value Meeting, streamlines: value u64, spans: in super::StreamlineSpan,
        positions: in f32, lattices: in super::ElementGrid, voxels: in u32, lists: in u32, listed: in u32,
        warps: in [f32; 4], cells: value ElementCells, first: in u32, list: in super::ListedTriangle,
        triangles: in super::Triangle, rows_of_seeds: in u32, counts: out u32, steps: out u64);
    fn met_row_sizes(columns: value u32, counts: in u32, sizes: out u32);
    fn met_row_entries(first: value u32, columns: value u32, counts: in u32, steps: in u64, begins: in u64,
        entry_columns: out u32, entry_counts: out u32, entry_steps: out u64);
}
