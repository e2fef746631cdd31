// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: ae044ba06b6a160e8b1e58b25c6cb1e997bafde244d47202dd065ae0c0630ec4
// Hash of the generated code: d65f4a29166136d28d2ed8a64275430faad0a243d99dec0b5da023b0287cbf79
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    fn elementary_test_single(count: value u32, x: in f32, values: out f32);
}
