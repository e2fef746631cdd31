#!/bin/sh
# Compares `arcuate connectome` with the installed MRtrix (tck2connectome) on the 5,000 streamlines of philips_dwi and
# 80 made regions: compact clusters of the voxels of the brain mask with FA below 0.2, so that most ends of streamlines
# lie in no region and the radial search has work to do.
#
#     oracles/connectome_mrtrix.sh [FOLDER]
#
# FOLDER holds philips_dwi/ with tracks.tck, mask.nii.gz and fa.nii.gz; without it, $ARCUATE_DATA or ../shared/data
# beside the checkout. $PYTHON (default python3) needs numpy, scipy and nibabel; $ARCUATE is the program, that of a release
# build by default.
#
# Fails unless 99.9 % of the assignments are identical, in each way of assigning, and the matrices are equal where no
# assignment differs.
set -eu

repository=$(cd "$(dirname "$0")/.." && pwd)
data=$(cd "${1:-${ARCUATE_DATA:-$repository/../shared/data}}" && pwd)/philips_dwi
python=${PYTHON:-python3}
arcuate=${ARCUATE:-$repository/target/release/arcuate}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" - "$data" "$work" <<'PYTHON'
import sys
import nibabel, numpy
from scipy.cluster.vq import kmeans2

data, work = sys.argv[1:]
fa = nibabel.load(f"{data}/fa.nii.gz")
inside = (nibabel.load(f"{data}/mask.nii.gz").get_fdata() > 0) & (fa.get_fdata() < 0.2)
voxels = numpy.argwhere(inside)
_, cluster = kmeans2(voxels.astype(float), 80, minit="++", seed=1)
labels = numpy.zeros(fa.shape, numpy.int16)
# Numbers with gaps: 3, 6, 9, …
labels[tuple(voxels.T)] = 3 * (cluster + 1)
nibabel.save(nibabel.Nifti1Image(labels, fa.affine), f"{work}/labels.nii.gz")
numpy.savetxt(f"{work}/weights.txt", numpy.random.default_rng(2).uniform(0, 2, 5000))
PYTHON

tck2connectome -version | head -n 1
for way in radial end-voxel; do
    case $way in
    radial) option="-assignment_radial_search 4"; radius="--assignment-radius 4" ;;
    *) option="-assignment_end_voxels"; radius= ;;
    esac
    # shellcheck disable=SC2086
    mrtrix() { tck2connectome -quiet -force -symmetric $option "$data/tracks.tck" "$work/labels.nii.gz" "$@"; }
    mrtrix "$work/counts.csv" -out_assignments "$work/assignments.txt"
    mrtrix "$work/weights.csv" -tck_weights_in "$work/weights.txt"
    mrtrix "$work/lengths.csv" -scale_length -stat_edge mean
    # shellcheck disable=SC2086
    "$arcuate" --quiet connectome "$data/tracks.tck" --labels "$work/labels.nii.gz" \
        --weights "$work/weights.txt" --assignment "$way" $radius --out "$work/$way"
    "$python" - "$work" "$way" <<'PYTHON'
import sys
import numpy

work, way = sys.argv[1:]
theirs = numpy.loadtxt(f"{work}/assignments.txt", dtype=int)
ours = numpy.loadtxt(f"{work}/{way}/connectome_assignments.txt", dtype=int)
# MRtrix keeps the region of one end where the other has none; ours then says 0 0.
theirs = numpy.where((theirs == 0).any(1, keepdims=True), 0, numpy.sort(theirs, 1))
same = (theirs == ours).all(1)
print(f"{way}: {same.sum()} of {len(same)} assignments identical, {(ours[:, 0] > 0).sum()} streamlines join regions")
regions = numpy.loadtxt(f"{work}/{way}/connectome_regions.csv", delimiter=",", skiprows=1, usecols=1, dtype=int)
for ours_name, theirs_name in [("counts", "counts"), ("weights", "weights"), ("lengths", "lengths")]:
    a = numpy.loadtxt(f"{work}/{way}/connectome_{ours_name}.csv", delimiter=",")
    full = numpy.loadtxt(f"{work}/{theirs_name}.csv", delimiter=",")
    # MRtrix's rows are the numbers 1, 2, 3, … up to the largest.
    b = numpy.nan_to_num(full[numpy.ix_(regions - 1, regions - 1)])
    error = numpy.abs(a - b).max() / b.max()
    print(f"{way}: {ours_name}: largest difference {error:.1e} of the largest entry, sums {a.sum():.6g} and {b.sum():.6g}")
    # MRtrix adds and writes single precision.
    assert not same.all() or error < 1e-5, ours_name
assert same.mean() >= 0.999, "assignments differ"
PYTHON
done
