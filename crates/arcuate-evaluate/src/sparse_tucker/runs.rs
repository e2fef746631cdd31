//! The flag that marks the first coefficient of a run. A run is a group of coefficients with the same voxel
//! and dictionary row.

/// Flag that marks the first coefficient of a run. It is the highest bit in the member of the coefficient,
/// which is the index of its unknown.
pub(super) const RUN_BEGINS: u32 = 1 << 31;
