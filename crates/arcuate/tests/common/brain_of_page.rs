// The programs of the page "Use Arcuate from Rust" include this file when they run as tests.

/// Writes a series of a small brain to a new folder, which becomes the current folder.
fn folder_with_brain() -> arcuate::core::Result<tempfile::TempDir> {
    use arcuate::{io, phantom};
    let folder = tempfile::tempdir().expect("a temporary folder");
    let brain = folder.path().join("brain");
    std::fs::create_dir(&brain).expect("a new folder");
    let [dwi, bval, bvec] = ["dwi.nii.gz", "dwi.bval", "dwi.bvec"].map(|name| brain.join(name));
    let options = phantom::PhantomOptions { voxel_size_mm: 4.0, ..Default::default() };
    let brain = phantom::simulate(&phantom::default_gradients(45, 2000.0, 3)?, &options)?;
    io::write_image(&dwi, &brain.dwi, &io::WriteOptions::default())?;
    io::fsl_gradients::write(&bval, &bvec, &brain.gradients, brain.dwi.grid().affine())?;
    std::env::set_current_dir(folder.path()).expect("the folder exists");
    Ok(folder)
}
