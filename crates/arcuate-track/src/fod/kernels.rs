// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 11dcbda42826ada6dea3246fe39a0ec6eebf1bd293259818d96ce73acd17b6c7
// Hash of the generated code: 5764d4e93be3c8a879819ac6b1ce917c032b617c9cf51150a9af8576e06184b2
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C)]
    struct RunParameters { seed: u64, step: [f32; 9], spread: [f32; 9], to_mm: [f32; 12], cutoff: f32,
        begin: f32, shape: [i32; 3], voxels: u32, centres: u32, each: u32, jitter: u32, points: u32,
        least_steps: u32, max_steps: u32 }

    #[repr(C)]
    struct Anatomy { way: [f32; 12], shape: [i32; 3], back_track: u32, crop: u32, unit: u32 }

    #[repr(C)]
    struct Harmonics { firsts: [f32; 9], recurrences: [f32; 48] }

    fn fod_follow_arcs(run_parameters: value RunParameters, anatomy: value Anatomy, fractions: in f32,
        harmonics: value Harmonics, begin: value u64, count: value u64, places: in u32, rows: in [f32; 4],
        everywhere: in f32, arcs: in f32, centres: in f32, queue: out u64, rooms: out f32,
        records: out super::KernelOutcome, firsts: out u64, points: out f32, used: out u64);
    fn fod_follow_arcs_in_tissues(run_parameters: value RunParameters, anatomy: value Anatomy,
        fractions: in f32, harmonics: value Harmonics, begin: value u64, count: value u64, places: in u32,
        rows: in [f32; 4], everywhere: in f32, arcs: in f32, centres: in f32, queue: out u64, rooms: out f32,
        records: out super::KernelOutcome, firsts: out u64, points: out f32, used: out u64);
}
