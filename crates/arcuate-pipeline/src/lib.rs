//! What commands, notebooks and workflows share.
