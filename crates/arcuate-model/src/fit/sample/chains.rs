// Made of the built-in models by `cargo xtask kernels`: change those, not this.
//! Built-in models whose chains there are kernels for: the number in the kernel's name, the fingerprint of its moves,
//! and lanes of a voxel, measurements of a lane, and whether noise is Rician.

pub(super) const CHAINS: &[(u32, u64, &[[u32; 3]])] = &[
    // tensor-nonlinear
    (0, 0x937a7fde5ebac1e6, &[[8, 14, 0], [8, 14, 1], [32, 10, 0], [32, 10, 1]]),
    // ball-1-stick
    (1, 0x79d18fb99c24015c, &[[8, 14, 0], [8, 14, 1], [32, 10, 0], [32, 10, 1]]),
    // ball-2-sticks
    (2, 0x88aa27a176901e4a, &[[8, 14, 0], [8, 14, 1], [32, 10, 0], [32, 10, 1]]),
    // ball-3-sticks
    (3, 0x0b30757c32eef63c, &[[8, 14, 0], [8, 14, 1], [32, 10, 0], [32, 10, 1]]),
    // ball-1-stick-gamma
    (4, 0x0d7d32dc403fc1b7, &[[8, 14, 0], [8, 14, 1], [32, 10, 0], [32, 10, 1]]),
    // ball-2-sticks-gamma
    (5, 0x6d9103743a4a9f9f, &[[8, 14, 0], [8, 14, 1], [32, 10, 0], [32, 10, 1]]),
    // ball-3-sticks-gamma
    (6, 0x565109c1a3c4e4db, &[[8, 14, 0], [8, 14, 1], [32, 10, 0], [32, 10, 1]]),
    // noddi-watson
    (7, 0xb1417795453ee07e, &[[32, 10, 0]]),
    // noddi-watson
    (8, 0xdb788deecbac9071, &[[32, 10, 0]]),
    // noddi-watson-exvivo
    (9, 0x20f11b38bd47d6ac, &[[32, 10, 0]]),
    // noddi-watson-exvivo
    (10, 0xbe8e176650c095d8, &[[32, 10, 0]]),
];
