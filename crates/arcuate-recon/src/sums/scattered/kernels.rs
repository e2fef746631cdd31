// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 3b5fcd65d6cc9476f42826cc3efb3cc653758df9d6e8107a1bc584d03f7d0ea8
// Hash of the generated code: 32e43ea3fcab9736c8dec6438e5e8c348d656febde1b0fd26d824d0373f72e09
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C)]
    struct ScatteredPlan { first: u32, end: u32, to_count: u32, resumes: u32, goes_on: u32 }

    fn scattered_hardware(plan: value ScatteredPlan, from: in [i32; 4], values: in [f32; 2], to: in [i32; 4],
        factor: value f32, out: out [f32; 2]);
    fn scattered_own(plan: value ScatteredPlan, from: in [i32; 4], values: in [f32; 2], to: in [i32; 4],
        factor: value f32, out: out [f32; 2]);
    fn scattered_near_hardware(plan: value ScatteredPlan, from: in [i32; 4], values: in [f32; 2],
        middles: in [i32; 4], to: in [i32; 4], factor: value f32, out: out [f32; 2]);
    fn scattered_near_own(plan: value ScatteredPlan, from: in [i32; 4], values: in [f32; 2],
        middles: in [i32; 4], to: in [i32; 4], factor: value f32, out: out [f32; 2]);
    fn scattered_double(plan: value ScatteredPlan, from: in [f64; 4], values: in [f64; 2], to: in [f64; 4],
        factor: value f64, out: out [f64; 2]);
}
