// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: d28621d280bf2bc7ab92ee7408314a83478a64922380245cfdc1960355b458a4
// Hash of the generated code: 3885d68987db6e3bad25f08b3dd5b366e8e4931d9556a813b444d3f089755be9
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C)]
    struct LadderPlan { voxels: u32, samples: u32 }

    fn ladder_1_naive(plan: value LadderPlan, x: in f32, y: in f32, z: in f32, kx: in f32, ky: in f32,
        kz: in f32, re: in f32, im: in f32, out_re: out f32, out_im: out f32);
    fn ladder_2_registers(plan: value LadderPlan, x: in f32, y: in f32, z: in f32, kx: in f32, ky: in f32,
        kz: in f32, re: in f32, im: in f32, out_re: out f32, out_im: out f32);
    fn ladder_3_shared(plan: value LadderPlan, x: in f32, y: in f32, z: in f32, kx: in f32, ky: in f32,
        kz: in f32, re: in f32, im: in f32, out_re: out f32, out_im: out f32);
    fn ladder_4_layout(plan: value LadderPlan, x: in f32, y: in f32, z: in f32, samples: in super::Sample,
        out_re: out f32, out_im: out f32);
    fn ladder_5_hardware(plan: value LadderPlan, x: in f32, y: in f32, z: in f32, samples: in super::Sample,
        out_re: out f32, out_im: out f32);
    fn ladder_6_tuned[2](plan: value LadderPlan, x: in f32, y: in f32, z: in f32, samples: in super::Sample,
        out_re: out f32, out_im: out f32);
}
