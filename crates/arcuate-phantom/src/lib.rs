//! Simulated brains with ground truth, and how a result compares with it.
