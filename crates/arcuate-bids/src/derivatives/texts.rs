//! The texts of `README.md` and `.bidsignore` in a derivatives dataset.

/// The text of `README.md`, which BIDS requires.
pub(super) const README: &str = "\
# Arcuate's results

Diffusion tensors, fibre orientations, streamlines with their weights and connectomes of preprocessed diffusion series, by
`arcuate bids`. Each series has

- `sub-*.html`, a report that opens in any browser: look at it first;
- `sub-*/[ses-*/]dwi/*_dwimap.nii.gz`, maps of diffusion models;
- `*_tractogram.trx`, streamlines in scanner coordinates (RAS, mm), with one weight each (`dps`);
- `*_relmat.dense.tsv`, the connections between regions; rows and columns are those of `*_nodeindices.tsv`;
- `*_desc-brain_mask.nii.gz`, the voxels that were processed;
- `*_seg-freesurfer_probseg.nii.gz`, the tissue fractions used in tracking, if they were computed from a segmentation.

The `.json` next to each file states its content, its sources and its method. Directions and tensors are along the axes of the scanner
(x to the right, y to the front, z up), not along those of the image. Tensors have six volumes: D11 D12 D13 D22 D23 D33.

Names of maps, streamlines and matrices follow drafts that are not yet part of BIDS; `.bidsignore` lists them.

If the file system supports hard links, files are links to files in `.arcuate`, Arcuate's work folder. A change of one file then also changes the other.
";

/// The text of `.bidsignore`. It lists the files that BIDS does not define, with comments that explain them.
pub(super) const IGNORED: &str = "\
# Files that BIDS 1.11 does not define. Validators ignore them.

# Maps of diffusion models: draft BEP016, https://github.com/bids-standard/bids-specification/pull/2258
*_dwimap.*

# Streamlines: draft BEP046, https://github.com/bids-standard/bids-specification/pull/2333
*_tractogram.*

# Connectomes and their regions: draft BEP017, https://github.com/bids-standard/bids-specification/pull/1902
*_relmat.*
*_nodeindices.*

# Connectomes of all scans together, an array for NumPy: BIDS does not define files of a group.
/group

# The table of all scans has one row per scan; BIDS requires one row per participant.
/phenotype/arcuate.*

# Reports, at the place where QSIPrep and fMRIPrep have theirs.
*.html
";
