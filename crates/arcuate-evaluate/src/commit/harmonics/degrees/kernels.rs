// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 3709161b0b77ce77ae43059d342bf66dd598a93ed6f13a5aa063cecc0058c026
// Hash of the generated code: c860820aeb3ee2fde7515b29e87ebe8abaae149c090c94e6e4511a5b18bfce03
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C)]
    struct Work { first_unit: u32, units: u32, first_segment: u32, first_place: u32, first_voxel: u32,
        rows: u32, shells: u32 }

    fn commit_moments_f32[2](work: value Work, all_units: in super::Unit, segments: in super::Segment,
        z: in f32, harmonic: in u32, mix: in f32, parts: out f32);
    fn commit_adjoint_f32[2](work: value Work, all_units: in super::Unit, segments: in super::Segment,
        amplitudes: in f32, row_of: in u32, mix: in f32, scale: in f64, raw: out u64);
}
