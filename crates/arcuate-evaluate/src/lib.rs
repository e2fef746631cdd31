//! Which streamlines the measured signal supports: the sparse encoding and LiFE.
