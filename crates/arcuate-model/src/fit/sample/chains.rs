// Made of the built-in models by `cargo xtask kernels`: change those, not this.
//! Built-in models whose chains there are kernels for: the number in the kernel's name, the fingerprint of its moves,
//! and lanes of a voxel, measurements of a lane, and whether noise is Rician.

pub(super) const CHAINS: &[(u32, u64, &[[u32; 3]])] = &[
    // tensor-nonlinear
    (0, 0x937a7fde5ebac1e6, &[[8, 14, 0], [8, 14, 1], [32, 10, 0], [32, 10, 1]]),
    // ball-1-stick
    (1, 0x6200db8f29ae8a0f, &[[8, 14, 0], [8, 14, 1], [32, 10, 0], [32, 10, 1]]),
    // ball-2-sticks
    (2, 0xb2cf6dd64d31da5f, &[[8, 14, 0], [8, 14, 1], [32, 10, 0], [32, 10, 1]]),
    // ball-3-sticks
    (3, 0x99bbc5871d0bbb3c, &[[8, 14, 0], [8, 14, 1], [32, 10, 0], [32, 10, 1]]),
    // ball-1-stick-gamma
    (4, 0x2c93c26b579f5fd5, &[[8, 14, 0], [8, 14, 1], [32, 10, 0], [32, 10, 1]]),
    // ball-2-sticks-gamma
    (5, 0xd279ef147dfade30, &[[8, 14, 0], [8, 14, 1], [32, 10, 0], [32, 10, 1]]),
    // ball-3-sticks-gamma
    (6, 0x3337514656145770, &[[8, 14, 0], [8, 14, 1], [32, 10, 0], [32, 10, 1]]),
    // noddi-watson
    (7, 0x89804587cc41b30e, &[[32, 10, 0]]),
    // noddi-watson
    (8, 0x918b9037ed94fe3c, &[[32, 10, 0]]),
    // noddi-watson-exvivo
    (9, 0xa4158efb70a78c4c, &[[32, 10, 0]]),
    // noddi-watson-exvivo
    (10, 0xdd02b375da2ec9e5, &[[32, 10, 0]]),
];
