#!/bin/sh
# Compares `arcuate connectome` with the installed MRtrix (tck2connectome), for each method of assigning streamlines to regions, on
#
# - the 5,000 streamlines of philips_dwi and 80 artificial regions. These are compact clusters of brain mask voxels with FA below
#   0.2, so that most ends of streamlines are in no region and must be searched for;
# - the same streamlines and blocks of the grid, with the numbers of the test `every_assignment_method_agrees_with_mrtrix`;
# - a simulated brain with its own labels and streamlines (`arcuate simulate`, 3 mm, seed 0). Its streamlines start and end in
#   voxels of regions.
#
#     oracles/connectome_mrtrix.sh [FOLDER]
#
# FOLDER has philips_dwi/ with tracks.tck, mask.nii.gz and fa.nii.gz. The default is $ARCUATE_DATA or ../shared/data
# next to the checkout. $PYTHON (default python3) needs numpy, scipy and nibabel. $ARCUATE is the program; the default is the release
# build.
#
# Fails unless 99.9 % of the assignments are identical for each method, and the matrices are equal if no assignment differs. It also
# fails unless one pass for two parcellations and four measures gives the same result as separate passes.
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
for clusters, factor, name in [(80, 3, "labels"), (25, 1, "coarse")]:
    _, cluster = kmeans2(voxels.astype(float), clusters, minit="++", seed=1)
    labels = numpy.zeros(fa.shape, numpy.int16)
    # The finer regions have numbers with gaps: 3, 6, 9, …
    labels[tuple(voxels.T)] = factor * (cluster + 1)
    nibabel.save(nibabel.Nifti1Image(labels, fa.affine), f"{work}/{name}.nii.gz")
# As in crates/arcuate/tests/processing/connectome.rs: blocks of 16 x 16 x 8 voxels, with every fifth voxel labelled.
i, j, k = numpy.indices(fa.shape)
blocks = numpy.where((i + 2 * j + 3 * k) % 5 == 0, 1 + i // 16 + 8 * (j // 16) + 64 * (k // 8), 0)
nibabel.save(nibabel.Nifti1Image(blocks.astype(numpy.int16), fa.affine), f"{work}/blocks.nii.gz")
numpy.savetxt(f"{work}/weights.txt", numpy.random.default_rng(2).uniform(0, 2, 5000))
PYTHON
"$arcuate" --quiet simulate --voxel-size 3 --directions 6 --b0s 1 --out "$work/brain"
"$arcuate" --quiet convert "$work/brain/truth_streamlines.trx" "$work/brain.tck"

tck2connectome -version | head -n 1
compare() {
    name=$1 tracks=$2 labels=$3
    for way in radial end-voxel reverse reverse-6 forward-8 all-voxels; do
        case $way in
        radial) theirs="-assignment_radial_search 4"; ours="radial --assignment-radius 4" ;;
        end-voxel) theirs="-assignment_end_voxels"; ours="end-voxel" ;;
        reverse) theirs="-assignment_reverse_search 0"; ours="reverse" ;;
        reverse-6) theirs="-assignment_reverse_search 6"; ours="reverse --assignment-radius 6" ;;
        forward-8) theirs="-assignment_forward_search 8"; ours="forward --assignment-radius 8" ;;
        *) theirs="-assignment_all_voxels"; ours="all-voxels" ;;
        esac
        # shellcheck disable=SC2086
        mrtrix() { tck2connectome -quiet -force -symmetric $theirs "$tracks" "$labels" "$@"; }
        mrtrix "$work/counts.csv" -out_assignments "$work/assignments.txt"
        mrtrix "$work/lengths.csv" -scale_length -stat_edge mean
        weights=
        if [ "$name" = philips ]; then
            mrtrix "$work/weights.csv" -tck_weights_in "$work/weights.txt"
            weights="--weights $work/weights.txt"
        else
            cp "$work/counts.csv" "$work/weights.csv"
        fi
        # shellcheck disable=SC2086
        "$arcuate" --quiet connectome "$tracks" --labels "$labels" $weights --assignment $ours --out "$work/$name-$way"
        "$python" - "$work" "$name-$way" <<'PYTHON'
import sys
import numpy

work, way = sys.argv[1:]


def lists(path):
    rows = (tuple(sorted(int(word) for word in line.split())) for line in open(path) if not line.startswith("#"))
    # If the other end has no region, MRtrix keeps the region of one end, or a single region on the path. Arcuate has 0.
    return [row if len(row) > 1 and row[0] > 0 else () for row in rows]


theirs = lists(f"{work}/assignments.txt")
ours = lists(f"{work}/{way}/connectome_assignments.txt")
assert len(theirs) == len(ours)
same = sum(a == b for a, b in zip(theirs, ours))
print(f"{way}: {same} of {len(ours)} assignments identical, {sum(map(bool, ours))} streamlines join regions")
regions = numpy.loadtxt(f"{work}/{way}/connectome_regions.csv", delimiter=",", skiprows=1, usecols=1, dtype=int)
for name in ["counts", "weights", "lengths"]:
    a = numpy.loadtxt(f"{work}/{way}/connectome_{name}.csv", delimiter=",")
    full = numpy.loadtxt(f"{work}/{name}.csv", delimiter=",")
    # MRtrix's rows are the numbers 1, 2, 3, … up to the largest label.
    b = numpy.nan_to_num(full[numpy.ix_(regions - 1, regions - 1)])
    error = numpy.abs(a - b).max() / b.max()
    print(f"{way}: {name}: largest difference {error:.1e} of the largest entry, sums {a.sum():.6g} and {b.sum():.6g}")
    # MRtrix sums and writes in single precision.
    assert same < len(ours) or error < 1e-5, name
assert same >= 0.999 * len(ours), "assignments differ"
PYTHON
    done
}
compare philips "$data/tracks.tck" "$work/labels.nii.gz"
compare blocks "$data/tracks.tck" "$work/blocks.nii.gz"
compare brain "$work/brain.tck" "$work/brain/labels.nii.gz"

# Several parcellations and measures in one pass. In MRtrix, a separate program samples FA along streamlines. Its statistic is
# not weighted by length, so the mean of a list of numbers is compared.
tcksample -quiet -force "$data/tracks.tck" "$data/fa.nii.gz" "$work/fa.txt" -stat_tck mean
measure="count,weight,length,fa=$work/fa.txt"
"$arcuate" --quiet connectome "$data/tracks.tck" --labels "$work/labels.nii.gz,$work/coarse.nii.gz" \
    --weights "$work/weights.txt" --measure "$measure" --out "$work/together"
for labels in labels coarse; do
    "$arcuate" --quiet connectome "$data/tracks.tck" --labels "$work/$labels.nii.gz" --weights "$work/weights.txt" \
        --measure "$measure" --out "$work/alone"  --force
    for name in counts weights lengths mean_fa; do
        cmp "$work/together/${labels}_$name.npy" "$work/alone/connectome_$name.npy"
    done
    tck2connectome -quiet -force -symmetric -assignment_radial_search 4 "$data/tracks.tck" "$work/$labels.nii.gz" \
        -scale_file "$work/fa.txt" -stat_edge mean "$work/fa.csv"
    "$python" - "$work" "$labels" <<'PYTHON'
import sys
import numpy

work, labels = sys.argv[1:]
regions = numpy.loadtxt(f"{work}/together/{labels}_regions.csv", delimiter=",", skiprows=1, usecols=1, dtype=int)
a = numpy.load(f"{work}/together/{labels}_mean_fa.npy")
b = numpy.nan_to_num(numpy.loadtxt(f"{work}/fa.csv", delimiter=",")[numpy.ix_(regions - 1, regions - 1)])
error = numpy.abs(a - b).max()
print(f"one pass: {labels}: mean FA between regions differs by {error:.1e} at most")
assert error < 1e-5
PYTHON
done
