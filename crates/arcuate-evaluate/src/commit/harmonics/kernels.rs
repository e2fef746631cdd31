// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: a46d162e5d0be20e1bb81c01e9d52ea466ca8e8b5ed380c775ff1cae1db99591
// Hash of the generated code: 3005eb0775e86d4da4f9dc9a9495fbd46dc8b6cd0adb1aa4b60157d9ef778036
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C)]
    struct Group { elements: u32, responses: u32, rank_of_all: u32, first_function: u32, rank: u32 }

    #[repr(C)]
    struct Voxels { first: u32, count: u32, first_place: u32, rows: u32, shells: u32, samples: u32,
        isotropic: u32 }

    #[repr(C)]
    struct Work { first_unit: u32, units: u32, first_segment: u32, first_place: u32, first_voxel: u32,
        rows: u32, shells: u32 }

    #[repr(C)]
    struct Degree { highest: u32, harmonics: u32, steps: u32 }

    #[repr(C, align(16))]
    struct Step<T> { square: T, constant: T, before: T, unused: T }

    fn commit_expand(group: value Group, raw: in u64, weights: in f64, sums: out u64);
    fn commit_reduce<T>(group: value Group, x: in T, weights: in T, z: out T);
    fn commit_amplitudes<T>(voxels: value Voxels, voxel_units: in u32, parts: in T, shell_of: in u32,
        isotropic: in T, x: in T, voxel_scale: in T, out: out T);
    fn commit_isotropic<T>(voxels: value Voxels, constant_row: in u32, isotropic: in T,
        amplitudes_of_voxels: in T, scale: in f64, raw: out u64);
    fn commit_synthesis<T>(mode: value u32, voxels: value Voxels, ranges: in u32, amplitudes_of_voxels: in T,
        matrix: in T, sample: in u32, data: out T, image: out T, norms: out f64);
    fn commit_analysis<T>(voxels: value Voxels, ranges: in u32, image: in T, matrix: in T, sample: in u32,
        voxel_scale: in T, out: out T);
    fn commit_moments<T>[1](work: value Work, degree: value Degree, all_units: in super::Unit,
        segments: in super::Segment, z: in T, steps: in Step<T>, harmonic: in u32, mix: in T, parts: out T);
    fn commit_adjoint<T>[1](work: value Work, degree: value Degree, all_units: in super::Unit,
        segments: in super::Segment, amplitudes_of_voxels: in T, steps: in Step<T>, row_of: in u32, mix: in T,
        scale: in f64, raw: out u64);
}
