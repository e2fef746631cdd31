// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: ebfe9b76d591fd94e3fc353a74ffa9eced73fb948ea958a6289effb478782d4b
// Hash of the generated code: abc9bc2daece12cdd07dceb3a95583dab333bef8ccf01c61e75b574e1d5e13e7
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    fn sort_tile_sums(count: value u32, values: in u32, sums: out u32);
    fn sort_sums_before(count: value u32, sums: out u32, total: out u32);
    fn sort_values_before(count: value u32, values: out u32, sums: in u32);
    fn sort_digits(count: value u32, shift: value u32, mask: value u32, keys: in u64, counts: out u32);
    fn sort_pairs(count: value u32, shift: value u32, mask: value u32, keys: in u64, values: in u32,
        places: in u32, sorted_keys: out u64, sorted_values: out u32);
    fn sort_firsts(count: value u32, keys: in u64, firsts: out u32);
    fn sort_reduce_f32(count: value u32, keys: in u64, values: in f32, places: in u32, different: out u64,
        sums: out f32);
    fn sort_reduce_u32(count: value u32, keys: in u64, values: in u32, places: in u32, different: out u64,
        sums: out u32);
}
