// Made of the built-in models by `cargo xtask kernels`: change those, not this.
//! Built-in models whose chains there are kernels for: the number in the kernel's name, the fingerprint of its moves,
//! and lanes of a voxel, measurements of a lane, whether noise is Rician, and threads of a block.

pub(super) const CHAINS: &[(u32, u64, &[[u32; 4]])] = &[
    // tensor-nonlinear
    (0, 0x937a7fde5ebac1e6, &[[8, 14, 0, 256], [8, 14, 1, 192], [32, 10, 0, 256], [32, 10, 1, 192]]),
    // ball-1-stick
    (1, 0x6200db8f29ae8a0f, &[[8, 14, 0, 256], [8, 14, 1, 192], [32, 10, 0, 256], [32, 10, 1, 192]]),
    // ball-2-sticks
    (2, 0xb2cf6dd64d31da5f, &[[8, 14, 0, 256], [8, 14, 1, 192], [32, 10, 0, 256], [32, 10, 1, 192]]),
    // ball-3-sticks
    (3, 0x99bbc5871d0bbb3c, &[[8, 14, 0, 192], [8, 14, 1, 256], [32, 10, 0, 256], [32, 10, 1, 192]]),
    // ball-1-stick-gamma
    (4, 0x2c93c26b579f5fd5, &[[8, 14, 0, 256], [8, 14, 1, 192], [32, 10, 0, 256], [32, 10, 1, 192]]),
    // ball-2-sticks-gamma
    (5, 0xd279ef147dfade30, &[[8, 14, 0, 256], [8, 14, 1, 192], [32, 10, 0, 256], [32, 10, 1, 192]]),
    // ball-3-sticks-gamma
    (6, 0x3337514656145770, &[[8, 14, 0, 192], [8, 14, 1, 256], [32, 10, 0, 256], [32, 10, 1, 192]]),
    // noddi-watson
    (7, 0x89804587cc41b30e, &[[32, 10, 0, 256]]),
    // noddi-watson
    (8, 0x918b9037ed94fe3c, &[[32, 10, 0, 256]]),
    // noddi-watson-exvivo
    (9, 0xa4158efb70a78c4c, &[[32, 10, 0, 256]]),
    // noddi-watson-exvivo
    (10, 0xdd02b375da2ec9e5, &[[32, 10, 0, 256]]),
    // fibres-1-1
    (11, 0xa8581312968fa317, &[[32, 10, 0, 256]]),
    // ball-1-stick, gradients deviate
    (12, 0x076001d0d9e17175, &[[32, 10, 0, 256]]),
    // fibres-2-1
    (13, 0x3bd99e98559f3e96, &[[32, 10, 0, 256]]),
    // ball-2-sticks, gradients deviate
    (14, 0xf73e5b1c3b0b3ddd, &[[32, 10, 0, 256]]),
    // fibres-3-1
    (15, 0xc985d334c4d433a3, &[[32, 10, 0, 256]]),
    // ball-3-sticks, gradients deviate
    (16, 0x37e7404d9a48aade, &[[32, 10, 0, 256]]),
    // fibres-1-2
    (17, 0xbb2829a3b588cc82, &[[32, 10, 0, 256]]),
    // ball-1-stick-gamma, gradients deviate
    (18, 0x19eaccc6a290c5ef, &[[32, 10, 0, 256]]),
    // fibres-2-2
    (19, 0x6728ce376c5f33e4, &[[32, 10, 0, 256]]),
    // ball-2-sticks-gamma, gradients deviate
    (20, 0x8acda5c3da6816fd, &[[32, 10, 0, 256]]),
    // fibres-3-2
    (21, 0xc811b630e571b7db, &[[32, 10, 0, 256]]),
    // ball-3-sticks-gamma, gradients deviate
    (22, 0xe16ff5e8d5ac82df, &[[32, 10, 0, 256]]),
    // fibres-1-3
    (23, 0xcc97e06a335de454, &[[32, 10, 0, 256]]),
    // fibres-2-3
    (24, 0x7dacfc21ec94c294, &[[32, 10, 0, 256]]),
    // fibres-3-3
    (25, 0x6a66def379823953, &[[32, 10, 0, 256]]),
];
