//! Linear operators and the solvers that need nothing else.
