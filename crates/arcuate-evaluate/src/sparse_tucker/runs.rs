//! The flag that marks the first coefficient of a run.

/// Flag that marks the first coefficient of a run. It is set in the member of the coefficient, which is the
/// index of its unknown.
pub(super) const RUN_BEGINS: u32 = 1 << 31;
