//! How runs are marked among coefficients.

/// In the member, the unknown of a coefficient: it is the first of a run.
pub(super) const RUN_BEGINS: u32 = 1 << 31;
