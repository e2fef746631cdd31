//! One self-contained HTML page of results; computes nothing.
