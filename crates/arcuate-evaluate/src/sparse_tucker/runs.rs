//! The marker of runs among coefficients.

/// Flag in the member (the unknown of a coefficient) for the first coefficient of a run.
pub(super) const RUN_BEGINS: u32 = 1 << 31;
