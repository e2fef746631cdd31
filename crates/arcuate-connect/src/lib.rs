//! Track density and label connectomes.
