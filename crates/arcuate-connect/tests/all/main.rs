//! Tests of connectomes and of the rows of seeds.

mod connections;
mod rows;
