// Made of the built-in models by `cargo xtask kernels`: change those, not this.
//! Stages of built-in models that there are kernels for: the number in the kernel's name, and the fingerprint of
//! its schedule.

pub(super) const SINGLE: &[(u32, u64)] = &[
    // tensor-nonlinear, stage 1 of 1: s0, dxx, dyy, dzz, dxy, dxz, dyz
    (0, 0x6fe4d219291aa5ba),
    // ball-1-stick, stage 1 of 2: d, f
    (1, 0x204b3569597a0267),
    // ball-1-stick, stage 2 of 2: s0, d, f, n
    (2, 0x80e202679e681eed),
    // ball-2-sticks, stage 1 of 2: f1, f2, n2
    (3, 0xa98b0c04de466caf),
    // ball-2-sticks, stage 2 of 2: s0, d, f1, n1, f2, n2
    (4, 0x96a48c714a8f3f28),
    // ball-3-sticks, stage 1 of 2: f1, f2, f3, n3
    (5, 0x821e3f6cae954348),
    // ball-3-sticks, stage 2 of 2: s0, d, f1, n1, f2, n2, f3, n3
    (6, 0xf5fe60df7b94f686),
    // ball-1-stick-gamma, stage 1 of 2: d, d_std, f
    (7, 0x5d13ad9f59692cc3),
    // ball-1-stick-gamma, stage 2 of 2: s0, d, d_std, f, n
    (8, 0xb6317f1698069c07),
    // ball-2-sticks-gamma, stage 1 of 2: f1, f2, n2
    (9, 0xb7d6b7b32f1f541c),
    // ball-2-sticks-gamma, stage 2 of 2: s0, d, d_std, f1, n1, f2, n2
    (10, 0x95d57e93f4828ad3),
    // ball-3-sticks-gamma, stage 1 of 2: f1, f2, f3, n3
    (11, 0x95d61594615d5aed),
    // ball-3-sticks-gamma, stage 2 of 2: s0, d, d_std, f1, n1, f2, n2, f3, n3
    (12, 0xeb8ee19763594ae8),
    // noddi-watson, stage 1 of 3: fwf, ndi, kappa
    (13, 0x62a8f4906822eae7),
    // noddi-watson, stage 1 of 3: fwf, ndi, kappa
    (14, 0xee720785152167bb),
    // noddi-watson, stage 2 of 3: fwf, ndi
    (15, 0xe32e14a17339cabb),
    // noddi-watson, stage 2 of 3: fwf, ndi
    (16, 0x09dc757a3a1edd90),
    // noddi-watson, stage 3 of 3: s0, fwf, ndi, kappa, mu
    (17, 0x1b07b082585c5b72),
    // noddi-watson, stage 3 of 3: s0, fwf, ndi, kappa, mu
    (18, 0xfd59bf67bc2e6db2),
    // noddi-watson-exvivo, stage 1 of 2: fwf, ndi, kappa, dot_fraction
    (19, 0xec59f4537a7253a9),
    // noddi-watson-exvivo, stage 1 of 2: fwf, ndi, kappa, dot_fraction
    (20, 0x73bbbc09ba4d7eb6),
    // noddi-watson-exvivo, stage 2 of 2: s0, fwf, ndi, kappa, mu, dot_fraction
    (21, 0xa3310c25925ff35c),
    // noddi-watson-exvivo, stage 2 of 2: s0, fwf, ndi, kappa, mu, dot_fraction
    (22, 0x87a07eb963d521a5),
];
pub(super) const DOUBLE: &[(u32, u64)] = &[
    // tensor-nonlinear, stage 1 of 1: s0, dxx, dyy, dzz, dxy, dxz, dyz
    (0, 0x6fe4d219291aa5ba),
    // ball-1-stick, stage 1 of 2: d, f
    (1, 0x204b3569597a0267),
    // ball-1-stick, stage 2 of 2: s0, d, f, n
    (2, 0x80e202679e681eed),
    // ball-2-sticks, stage 1 of 2: f1, f2, n2
    (3, 0xa98b0c04de466caf),
    // ball-2-sticks, stage 2 of 2: s0, d, f1, n1, f2, n2
    (4, 0x96a48c714a8f3f28),
    // ball-3-sticks, stage 1 of 2: f1, f2, f3, n3
    (5, 0x821e3f6cae954348),
    // ball-3-sticks, stage 2 of 2: s0, d, f1, n1, f2, n2, f3, n3
    (6, 0xf5fe60df7b94f686),
    // ball-1-stick-gamma, stage 1 of 2: d, d_std, f
    (7, 0x5d13ad9f59692cc3),
    // ball-1-stick-gamma, stage 2 of 2: s0, d, d_std, f, n
    (8, 0xb6317f1698069c07),
    // ball-2-sticks-gamma, stage 1 of 2: f1, f2, n2
    (9, 0xb7d6b7b32f1f541c),
    // ball-2-sticks-gamma, stage 2 of 2: s0, d, d_std, f1, n1, f2, n2
    (10, 0x95d57e93f4828ad3),
    // ball-3-sticks-gamma, stage 1 of 2: f1, f2, f3, n3
    (11, 0x95d61594615d5aed),
    // ball-3-sticks-gamma, stage 2 of 2: s0, d, d_std, f1, n1, f2, n2, f3, n3
    (12, 0xeb8ee19763594ae8),
    // noddi-watson, stage 1 of 3: fwf, ndi, kappa
    (13, 0xbe1ca375dcb2f532),
    // noddi-watson, stage 2 of 3: fwf, ndi
    (15, 0x840de0d520480f8c),
    // noddi-watson, stage 3 of 3: s0, fwf, ndi, kappa, mu
    (17, 0xd400ca1d6b3d2dfe),
    // noddi-watson-exvivo, stage 1 of 2: fwf, ndi, kappa, dot_fraction
    (19, 0x821a8c88f0b5c5d4),
    // noddi-watson-exvivo, stage 2 of 2: s0, fwf, ndi, kappa, mu, dot_fraction
    (21, 0xc04ff05fd3d51d75),
];
