//! Arcuate: from a diffusion MRI scan to an evaluated tractogram.
