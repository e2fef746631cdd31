#!/bin/sh
# Fits philips_dwi with the installed MRtrix (dwi2tensor, tensor2metric), and runs the comparison test of arcuate-model
# with this fit. Without this script, the test uses the results that are stored with the scan.
#
#     oracles/tensor_mrtrix.sh [FOLDER]
#
# FOLDER has philips_dwi/ with dwi.nii.gz, dwi.bval, dwi.bvec and mask.nii.gz. The default is $ARCUATE_DATA or
# ../shared/data next to the checkout.
set -eu

repository=$(cd "$(dirname "$0")/.." && pwd)
data=$(cd "${1:-${ARCUATE_DATA:-$repository/../shared/data}}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

scan=$work/philips_dwi
mkdir "$scan"
for file in dwi.nii.gz dwi.bval dwi.bvec mask.nii.gz; do
    ln -s "$data/philips_dwi/$file" "$scan/$file"
done
dwi2tensor -version | head -n 1
dwi2tensor -quiet "$scan/dwi.nii.gz" -fslgrad "$scan/dwi.bvec" "$scan/dwi.bval" -mask "$scan/mask.nii.gz" \
    "$scan/dt.nii.gz"
tensor2metric -quiet "$scan/dt.nii.gz" -mask "$scan/mask.nii.gz" -fa "$scan/fa.nii.gz" -adc "$scan/md.nii.gz"

cd "$repository"
ARCUATE_DATA=$work cargo test --quiet -p arcuate-model --test all -- --nocapture real_scans::tensors_
