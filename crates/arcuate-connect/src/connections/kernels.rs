// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 9bd56627e143674d2b7b4dc190c66864915a7d3c656de9b5ccad6c2750958901
// Hash of the generated code: 249292d1bd3ecb7bc78a08002401adc7f5ddc2df2e4c16a7998e2a2c5c38bf03
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C)]
    struct Search { to_voxels: [f64; 12], to_mm: [f64; 9], radius: f64, reach: f64, shape: [i32; 3],
        steps: u32, regions: u32, unused: u32 }

    fn connections_count(search: value Search, streamlines: value u64, spans: in super::StreamlineSpan,
        positions: in f32, rows: in u32, steps: in super::Step, counts: out u64, lengths: out u64);
    fn connections_pairs(search: value Search, streamlines: value u64, spans: in super::StreamlineSpan,
        positions: in f32, rows: in u32, steps: in super::Step, pairs: out u64, lengths: out u64);
}
