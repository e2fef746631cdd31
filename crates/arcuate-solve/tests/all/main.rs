//! Tests of solvers through the public interface.

mod non_negative;
mod proximal;
