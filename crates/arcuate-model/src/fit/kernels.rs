// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 6ca49a0bb446dbba8b16a2465ac5b9a7b250813c76e9483939658e44fc6edc4d
// Hash of the generated code: fe059ec44982fd3e5bd6ca5ae45faa1e287480f4cab7060c1e00649ead6042de
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C)]
    struct BeginPlan { voxels: u64, measurements: u32, b0_count: u32, row_count: u32, numbers: u32,
        fewest: u32, needs_a_tensor: u32 }

    #[repr(C)]
    struct BeginNumber<T> { value: T, low: T, high: T, what: u32, component: u32 }

    #[repr(C)]
    struct StartPlan { voxels: u32, numbers: u32, searched: u32, keep: u32, start: u32 }

    fn fit_begin<T>(plan: value BeginPlan, signals: in f32, b0: in u32, places: in u32, rows: in T,
        beginnings: in BeginNumber<T>, factors: out T, squares: out T, values: out T, usable: out u32,
        status: out u8);
    fn fit_next_start<T>(plan: value StartPlan, candidates: in T, searched: in u32, kept: in u32, from: in T,
        from_status: in u8, best: out T, best_status: out u8, best_costs: out T, values: out T,
        status: out u8, costs: out T);
}
