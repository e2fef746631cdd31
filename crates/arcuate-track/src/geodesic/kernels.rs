// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: e586ecb21107207311afe899ba655ed46a818825283a39d6c5e17f24f658b8cb
// Hash of the generated code: e297e4efc0917d6eab204f4f2654219304f13a9da0624c97d9ae3299a1c3c2ed
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C, align(8))]
    struct Course<T> { to_mm: [T; 9], to_voxels: [T; 9], euclidean: [T; 6], origin: [T; 3], step: T,
        shortest: T, min_cosine: T, tolerance: T, scale: T, shape: [i32; 3], connectivity: u32,
        ends_at_target: u32, end_loops: u32, max_length: f64 }

    #[repr(C)]
    struct Begin<T> { voxel: u64, steps: u64, numbers: [T; 10] }

    #[repr(C)]
    struct State<T> { length: f64, geodesic: f64, voxel: u64, whole: [T; 3], rest: [T; 3], velocity: [T; 3],
        anchor_whole: [T; 3], anchor_rest: [T; 3], anchor_velocity: [T; 3], stride: T, inverse_energy: T,
        drift: T, density: T, chord: T, unused: T, steps: u32, limit: u32, next_anchor: u32, target: u32,
        kept: u32, nearest_point: u32, measure: f32, nearest: f32, connectivity_there: f32, flags: u32 }

    fn geodesic_begin<T>(course: value Course<T>, count: value u32, begins: in Begin<T>, marks: in u16,
        states: out State<T>, outcomes: out super::Outcome);
    fn geodesic_keys<T>(course: value Course<T>, count: value u32, order: in u32, states: in State<T>,
        outcomes: in super::Outcome, places: out u64, rays_by_place: out u32, going: out u32);
    fn geodesic_rays<T>[2](course: value Course<T>, count: value u32, lanes: value u32, budget: value u32,
        hits_room: value u32, order: in u32, rows: in T, plain: in T, marks: in u16, distances: in f32,
        states: out State<T>, outcomes: out super::Outcome, hits: out super::Hit, hit_count: out u32,
        firsts: in u64, points: out f32, connectivity: out f32);
}
