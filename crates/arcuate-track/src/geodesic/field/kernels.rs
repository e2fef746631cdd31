// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: c4c4bbfce06a1e1e57645f30da6c34f1586ab5b7b84b8a9b35808edd1eaed66b
// Hash of the generated code: 336110d50f07813f8076d021c3c5afb45a3ba09f8faa85cafa837b6fd9275f01
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C)]
    struct Recipe { inverse_mean: f64, gain: f64, exponent: f64, anisotropy: f64, to_mm: [f64; 9],
        sharpen: u32, scale: u32 }

    #[repr(C)]
    struct Lattice { shape: [u32; 3], mirrors: u32 }

    fn geodesic_means(voxels: value u64, tensors: in f32, mask: in u8, sums: out f64, counts: out u32);
    fn geodesic_values[1](recipe: value Recipe, voxels: value u64, tensors: in f32, factors: in f64,
        mask: in u8, planes: out f64, counts: out u32);
    fn geodesic_prefilter(lines: value u64, n: value u32, stride: value u64, planes: out f64);
    fn geodesic_prefilter_rows(lines: value u64, n: value u32, planes: out f64);
    fn geodesic_rows<T>(lattice: value Lattice, planes: in f64, nodes: out T);
    fn geodesic_thesis_rows<T>(lattice: value Lattice, planes: in f64, nodes: out T);
}
