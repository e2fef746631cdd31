//! `README.md` and `.bidsignore` of a derivatives dataset.

/// `README.md`, which BIDS requires.
pub(super) const README: &str = "\
# Arcuate's results

Diffusion tensors, fibre orientations, streamlines with their weights and connectomes of preprocessed diffusion series, by
`arcuate bids`. Each series has

- `sub-*.html`, a report that opens in any browser: look at it first;
- `sub-*/[ses-*/]dwi/*_dwimap.nii.gz`, maps of diffusion models;
- `*_tractogram.trx`, streamlines in scanner coordinates (RAS, mm), with a weight each (`dps`);
- `*_relmat.dense.tsv`, what joins two regions; rows and columns are those of `*_nodeindices.tsv`;
- `*_desc-brain_mask.nii.gz`, the voxels that were looked at;
- `*_seg-freesurfer_probseg.nii.gz`, the tissues that streamlines heeded, where they were made of a segmentation.

The `.json` beside each says what it is, of what it was made and how. Directions and tensors are along the axes of the scanner
(x to the right, y to the front, z up), not along those of the image. Tensors have six volumes: D11 D12 D13 D22 D23 D33.

Names of maps, streamlines and matrices are those of drafts that BIDS has not taken up yet; `.bidsignore` says which.

Where the file system allows it, files are the very files of `.arcuate`, the folder of Arcuate's own work, under another name: what
changes one in its place changes the other.
";

/// `.bidsignore`: files that BIDS does not define, with comments that explain them.
pub(super) const IGNORED: &str = "\
# What BIDS 1.11 has no names for. Validators leave it out.

# Maps of diffusion models: draft BEP016, https://github.com/bids-standard/bids-specification/pull/2258
*_dwimap.*

# Streamlines: draft BEP046, https://github.com/bids-standard/bids-specification/pull/2333
*_tractogram.*

# Connectomes and their regions: draft BEP017, https://github.com/bids-standard/bids-specification/pull/1902
*_relmat.*
*_nodeindices.*

# Connectomes of all scans together, an array for NumPy: BIDS has no place for what is of no single participant.
/group

# The table of all scans has a row for each; BIDS wants one for each participant, who may have several.
/phenotype/arcuate.*

# Reports for people, where QSIPrep and fMRIPrep have theirs.
*.html
";
