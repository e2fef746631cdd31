// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: e9f0cefbce3781dfc8ccd51cc7119e27515082052ad1ba22d28d234d6f3e363c
// Hash of the generated code: 779cbdabfd3594670971b868f657410eea612d645c5b804fdeb5b67d8587d1d0
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C)]
    struct RunParameters { seed: u64, step: [f32; 9], spread: [f32; 9], to_mm: [f32; 12], min_cosine: f32,
        min_fraction: f32, shape: [i32; 3], samples: u32, fibres: u32, centres: u32, each: u32, jitter: u32,
        initial: u32, initial_fibre: u32, flags: u32, points: u32, half_steps: u32, least_steps: u32,
        max_steps: u32, avoid: u32, stop: u32, exit: u32, ways: u32, targets: u32, spaces: u32, map: u32,
        seed_space: u32, words: u32 }

    #[repr(C)]
    struct SurfaceCells { least: [i32; 3], shape: [i32; 3], edge: u32, near: i32, division: u32, space: u32,
        second: u32, sets_at: u32 }

    #[repr(C)]
    struct Meeting { each: u64, first_row: u64, rows: u32, columns: u32, lattices: u32, triangles: u32,
        is_square: u32, unused: u32 }

    #[repr(C)]
    struct ElementCells { affine: [f32; 12], warp_affine: [f32; 12], warp_shape: [i32; 3], warp_at: u32,
        least: [i32; 3], shape: [i32; 3], edge: u32, near: i32, division: u32 }

    fn samples_follow_narrow(run_parameters: value RunParameters, begin: value u64, count: value u64,
        numbers: in u64, places: in u32, sectors: in [u32; 4], centres: in f32,
        spaces: in super::GridParameters, bits: in u32, sets: in u32, warps: in [f32; 4], queue: out u64,
        counters: out u64, counts: out u32, sums: out u64, hits: out u32, lists: out u32, list_steps: out u32,
        cells_of_loops: out f32, passages: out u32, records: out super::KernelOutcome, firsts: in u64,
        wanted: in [u32; 2], points: out f32);
    fn samples_follow_wide(run_parameters: value RunParameters, begin: value u64, count: value u64,
        numbers: in u64, places: in u32, sectors: in [u32; 4], centres: in f32,
        spaces: in super::GridParameters, bits: in u32, sets: in u32, warps: in [f32; 4], queue: out u64,
        counters: out u64, counts: out u32, sums: out u64, hits: out u32, lists: out u32, list_steps: out u32,
        cells_of_loops: out f32, passages: out u32, records: out super::KernelOutcome, firsts: in u64,
        wanted: in [u32; 2], points: out f32);
    fn samples_follow_narrow_surfaces(run_parameters: value RunParameters, begin: value u64, count: value u64,
        numbers: in u64, places: in u32, sectors: in [u32; 4], centres: in f32,
        spaces: in super::GridParameters, bits: in u32, sets: in u32, warps: in [f32; 4], queue: out u64,
        counters: out u64, counts: out u32, sums: out u64, hits: out u32, lists: out u32, list_steps: out u32,
        cells_of_loops: out f32, passages: out u32, records: out super::KernelOutcome, firsts: in u64,
        wanted: in [u32; 2], points: out f32, cells: value SurfaceCells, first_of_cells: in u32,
        list_of_cells: in super::ListedTriangle, triangles: in [u32; 4], inside_of_cells: in u32,
        exact_seeds: in i32);
    fn samples_follow_wide_surfaces(run_parameters: value RunParameters, begin: value u64, count: value u64,
        numbers: in u64, places: in u32, sectors: in [u32; 4], centres: in f32,
        spaces: in super::GridParameters, bits: in u32, sets: in u32, warps: in [f32; 4], queue: out u64,
        counters: out u64, counts: out u32, sums: out u64, hits: out u32, lists: out u32, list_steps: out u32,
        cells_of_loops: out f32, passages: out u32, records: out super::KernelOutcome, firsts: in u64,
        wanted: in [u32; 2], points: out f32, cells: value SurfaceCells, first_of_cells: in u32,
        list_of_cells: in super::ListedTriangle, triangles: in [u32; 4], inside_of_cells: in u32,
        exact_seeds: in i32);
    fn samples_gather_narrow(run_parameters: value RunParameters, begin: value u64, count: value u64,
        numbers: in u64, places: in u32, sectors: in [u32; 4], centres: in f32,
        spaces: in super::GridParameters, bits: in u32, sets: in u32, warps: in [f32; 4], queue: out u64,
        counters: out u64, counts: out u32, sums: out u64, hits: out u32, lists: out u32, list_steps: out u32,
        cells_of_loops: out f32, passages: out u32, rooms: out f32, points: out f32,
        spans: out super::StreamlineSpan, used: out u64, max_points: value u64, most_spans: value u64);
    fn samples_gather_wide(run_parameters: value RunParameters, begin: value u64, count: value u64,
        numbers: in u64, places: in u32, sectors: in [u32; 4], centres: in f32,
        spaces: in super::GridParameters, bits: in u32, sets: in u32, warps: in [f32; 4], queue: out u64,
        counters: out u64, counts: out u32, sums: out u64, hits: out u32, lists: out u32, list_steps: out u32,
        cells_of_loops: out f32, passages: out u32, rooms: out f32, points: out f32,
        spans: out super::StreamlineSpan, used: out u64, max_points: value u64, most_spans: value u64);
    fn samples_gather_narrow_surfaces(run_parameters: value RunParameters, begin: value u64, count: value u64,
        numbers: in u64, places: in u32, sectors: in [u32; 4], centres: in f32,
        spaces: in super::GridParameters, bits: in u32, sets: in u32, warps: in [f32; 4], queue: out u64,
        counters: out u64, counts: out u32, sums: out u64, hits: out u32, lists: out u32, list_steps: out u32,
        cells_of_loops: out f32, passages: out u32, rooms: out f32, points: out f32,
        spans: out super::StreamlineSpan, used: out u64, max_points: value u64, most_spans: value u64,
        cells: value SurfaceCells, first_of_cells: in u32, list_of_cells: in super::ListedTriangle,
        triangles: in [u32; 4], inside_of_cells: in u32, exact_seeds: in i32);
    fn samples_gather_wide_surfaces(run_parameters: value RunParameters, begin: value u64, count: value u64,
        numbers: in u64, places: in u32, sectors: in [u32; 4], centres: in f32,
        spaces: in super::GridParameters, bits: in u32, sets: in u32, warps: in [f32; 4], queue: out u64,
        counters: out u64, counts: out u32, sums: out u64, hits: out u32, lists: out u32, list_steps: out u32,
        cells_of_loops: out f32, passages: out u32, rooms: out f32, points: out f32,
        spans: out super::StreamlineSpan, used: out u64, max_points: value u64, most_spans: value u64,
        cells: value SurfaceCells, first_of_cells: in u32, list_of_cells: in super::ListedTriangle,
        triangles: in [u32; 4], inside_of_cells: in u32, exact_seeds: in i32);
    fn samples_count_narrow(run_parameters: value RunParameters, begin: value u64, count: value u64,
        places: in u32, sectors: in [u32; 4], centres: in f32, spaces: in super::GridParameters, bits: in u32,
        sets: in u32, warps: in [f32; 4], queue: out u64, counters: out u64, counts: out u32, sums: out u64,
        hits: out u32, lists: out u32, list_steps: out u32, cells_of_loops: out f32, passages: out u32,
        meeting: value Meeting, lattices: in super::ElementGrid, element_voxels: in u32,
        element_lists: in u32, listed_elements: in u32, element_warps: in [f32; 4],
        element_cells: value ElementCells, first_of_elements: in u32,
        list_of_elements: in super::ListedTriangle, element_triangles: in super::Triangle,
        rows_of_seeds: in u32, row_counts: out u32, row_steps: out u64, met: out u32, met_ranks: out u32,
        room: value u32, left: out u64, left_count: out u64, most_left: value u64);
    fn samples_count_wide(run_parameters: value RunParameters, begin: value u64, count: value u64,
        places: in u32, sectors: in [u32; 4], centres: in f32, spaces: in super::GridParameters, bits: in u32,
        sets: in u32, warps: in [f32; 4], queue: out u64, counters: out u64, counts: out u32, sums: out u64,
        hits: out u32, lists: out u32, list_steps: out u32, cells_of_loops: out f32, passages: out u32,
        meeting: value Meeting, lattices: in super::ElementGrid, element_voxels: in u32,
        element_lists: in u32, listed_elements: in u32, element_warps: in [f32; 4],
        element_cells: value ElementCells, first_of_elements: in u32,
        list_of_elements: in super::ListedTriangle, element_triangles: in super::Triangle,
        rows_of_seeds: in u32, row_counts: out u32, row_steps: out u64, met: out u32, met_ranks: out u32,
        room: value u32, left: out u64, left_count: out u64, most_left: value u64);
    fn samples_count_narrow_surfaces(run_parameters: value RunParameters, begin: value u64, count: value u64,
        places: in u32, sectors: in [u32; 4], centres: in f32, spaces: in super::GridParameters, bits: in u32,
        sets: in u32, warps: in [f32; 4], queue: out u64, counters: out u64, counts: out u32, sums: out u64,
        hits: out u32, lists: out u32, list_steps: out u32, cells_of_loops: out f32, passages: out u32,
        meeting: value Meeting, lattices: in super::ElementGrid, element_voxels: in u32,
        element_lists: in u32, listed_elements: in u32, element_warps: in [f32; 4],
        element_cells: value ElementCells, first_of_elements: in u32,
        list_of_elements: in super::ListedTriangle, element_triangles: in super::Triangle,
        rows_of_seeds: in u32, row_counts: out u32, row_steps: out u64, met: out u32, met_ranks: out u32,
        room: value u32, left: out u64, left_count: out u64, most_left: value u64, cells: value SurfaceCells,
        first_of_cells: in u32, list_of_cells: in super::ListedTriangle, triangles: in [u32; 4],
        inside_of_cells: in u32, exact_seeds: in i32);
    fn samples_count_wide_surfaces(run_parameters: value RunParameters, begin: value u64, count: value u64,
        places: in u32, sectors: in [u32; 4], centres: in f32, spaces: in super::GridParameters, bits: in u32,
        sets: in u32, warps: in [f32; 4], queue: out u64, counters: out u64, counts: out u32, sums: out u64,
        hits: out u32, lists: out u32, list_steps: out u32, cells_of_loops: out f32, passages: out u32,
        meeting: value Meeting, lattices: in super::ElementGrid, element_voxels: in u32,
        element_lists: in u32, listed_elements: in u32, element_warps: in [f32; 4],
        element_cells: value ElementCells, first_of_elements: in u32,
        list_of_elements: in super::ListedTriangle, element_triangles: in super::Triangle,
        rows_of_seeds: in u32, row_counts: out u32, row_steps: out u64, met: out u32, met_ranks: out u32,
        room: value u32, left: out u64, left_count: out u64, most_left: value u64, cells: value SurfaceCells,
        first_of_cells: in u32, list_of_cells: in super::ListedTriangle, triangles: in [u32; 4],
        inside_of_cells: in u32, exact_seeds: in i32);
}
