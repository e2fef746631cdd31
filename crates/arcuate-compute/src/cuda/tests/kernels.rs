// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 64566bda8c46365381af0caf5dcef0213686a9b01b893a9090a6b19440743cbf
// Hash of the generated code: b95f0a6bd535eaffa116db88617211b13434161bd0696233192c2380d6b14741
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C)]
    struct Recipe { factors: [f64; 4], first: u64, offsets: [f32; 2], count: u32, sign: i32 }

    fn compute_test_number(numbers: out u32);
    fn compute_test_scale(x: in f32, y: out f64, count: value u32, first: value i64, scale: value f32,
        offset: value f64, add: value i32, nothing: in f32);
    fn compute_test_recipe(recipe: value Recipe, y: out f64);
    fn compute_test_add<T>[1](count: value u32, more: value T, x: in T, y: out T);
    fn compute_test_increment(values: out u32, count: value u32, rounds: value u32);
    fn compute_test_sum(values: in f32, count: value u32, shared: value u32, sums: out f64);
}
