//! Signal models fitted in every voxel, and brain masks.
