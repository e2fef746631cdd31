//! Tests of connectomes and of the rows of seeds.

#![cfg(test)]

mod connections;
mod rows;
