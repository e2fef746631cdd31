//! Tests of solvers through the public interface.

#![cfg(test)]

mod non_negative;
mod proximal;
