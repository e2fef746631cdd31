// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: d5d6735a2777b49eb6a38baa2c63b3a495c3432ea475c85c4352117258b442c0
// Hash of the generated code: d43a65511702414e1d8f899cf2ddef074e8c130584547330143434a5d2b387c9
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    fn emulation_indices(out: out u32);
    fn emulation_shuffles(r#in: in u32, out: out u32, width: value i32, source: value i32, delta: value u32);
    fn emulation_leaving(out: out u32);
    fn emulation_named_barriers(out: out u32, rounds: value u32);
    fn emulation_leaving_named(out: out u32);
    fn emulation_block_sum(r#in: in f32, sums: out f32, backwards: out f32);
    fn emulation_atomic_add_i32(sum: out i32, sums_of_blocks: out i32);
    fn emulation_atomic_add_u32(sum: out u32, sums_of_blocks: out u32);
    fn emulation_atomic_add_u64(sum: out u64, sums_of_blocks: out u64);
    fn emulation_atomic_add<T>(sum: out T, sums_of_blocks: out T);
    fn emulation_atomics(places: out i32, ticket: out u64);
    fn emulation_lock(lock: out u32, counter: out u32);
    fn emulation_integers(r#in: in u32, out: out u64);
    fn emulation_reals(r#in: in f32, out: out f32, in64: in f64, out64: out f64, whole: out i64);
    fn emulation_functions(r#in: in f32, out: out f32);
    fn emulation_layouts(out: out u32);
    fn emulation_parameters(flag: value u8, real: value f64, single: value f32, wide: value i64,
        pointer: in f32, small: value u16, out: out f64);
    fn emulation_increment(values: out u32, count: value u32);
    fn emulation_matrix_product(a: in f32, b: in f32, d: out f32);
    fn emulation_halves(r#in: in f32, bits: out u32, back: out f32);
    fn emulation_async_copy(r#in: in [f32; 4], out: out [f32; 4], rows: value u32);
    fn emulation_async_copy_words(r#in: in u32, out: out u32, waits: value i32);
    fn emulation_wrong_race(out: out u32);
    fn emulation_wrong_order(last: out u32);
    fn emulation_wrong_barrier(out: out u32);
    fn emulation_wrong_shuffle(out: out u32);
    fn emulation_wrong_mask(out: out u32);
    fn emulation_wrong_barriers(out: out u32);
    fn emulation_wrong_code();
    fn emulation_wrong_meeting(number: value u32, threads: value u32);
    fn emulation_wrong_count();
    fn emulation_wrong_lanes();
    fn emulation_wrong_place(out: out u32, count: value u32);
    fn emulation_wrong_read(r#in: in u32, out: out u32, count: value u32);
    fn emulation_wrong_shared(count: value u32);
    fn emulation_wrong_index(out: out u32, at: value u32);
    fn emulation_wrong_unwritten(out: out u32);
    fn emulation_wrong_trap(out: out u32);
}
