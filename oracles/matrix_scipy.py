#!/usr/bin/env python3
"""Checks `arcuate connectome --out NAME.npz` as SciPy reads it (`scipy.sparse.load_npz`).

    pip install numpy scipy nibabel
    cargo build --release -p arcuate
    oracles/matrix_scipy.py DATA/philips_dwi [--arcuate target/release/arcuate]

Uses the 5,000 streamlines of a real scan and two sets of regions. The first has 27 blocks of the brain mask. In the second, every voxel
of the mask is a region (tens of thousands, which uses sums of connected pairs). Fails unless, bit for bit,

- the sparse matrices of the blocks equal the dense ones that `--out FOLDER` writes;
- counts, weights and lengths, for both, equal those computed here from the assignments and the points;
- all measures store the same entries, in SciPy's canonical form, and are symmetric, as they state;
- the table next to them names the regions.

For the voxels it prints the number of entries, and the sizes of the files and the process.
"""
import argparse
import pathlib
import resource
import subprocess
import tempfile

import nibabel as nib
import numpy as np
import scipy.sparse

failed = []


def check(title, good):
    print(f"{'  ' if good else '! '}{title}")
    if not good:
        failed.append(title)


def same(sparse, dense):
    return np.array_equal(sparse.toarray(), dense)


def expected(assignments, weights, lengths, numbers):
    """Counts, sums of weights and mean lengths, summed one streamline after the other."""
    place = {number: n for n, number in enumerate(numbers)}
    sums = {}
    for (a, b), weight, length in zip(assignments, weights, lengths):
        if a:
            both = {(place[a], place[b]), (place[b], place[a])}
            for pair in both:
                count, sum_of_weights, sum_of_lengths = sums.get(pair, (0, 0.0, 0.0))
                sums[pair] = (count + 1, sum_of_weights + weight, sum_of_lengths + length)
    rows, columns = np.array(list(sums)).T
    counts, sum_of_weights, sum_of_lengths = np.array(list(sums.values())).T
    shape = (len(numbers), len(numbers))
    values = counts, sum_of_weights, sum_of_lengths / counts
    return [scipy.sparse.csr_matrix((data, (rows, columns)), shape=shape) for data in values]


def length(points):
    """Differences in single precision, as positions are; their squares and sums in double precision, in order."""
    steps = (points[1:] - points[:-1]).astype(np.float32).astype(float) ** 2
    total = 0.0
    for step in np.sqrt(steps[:, 0] + steps[:, 1] + steps[:, 2]):
        total += step
    return total


def run(arguments, out, labels, work):
    subprocess.run(
        [arguments.arcuate, "connectome", arguments.data / "tracks.tck", "--labels", labels, "--weights", work / "weights.txt",
         "--out", out, "--quiet"],
        check=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--arcuate", default="target/release/arcuate")
    arguments = parser.parse_args()
    mask = nib.load(arguments.data / "mask.nii.gz")
    inside = mask.get_fdata() > 0
    streamlines = [np.asarray(line) for line in nib.streamlines.load(arguments.data / "tracks.tck").streamlines]
    lengths = [length(points) if len(points) else 0.0 for points in streamlines]
    weights = np.random.default_rng(1).uniform(0, 2, len(streamlines))
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        # The number of digits that reproduces the same numbers on reading.
        (work / "weights.txt").write_text("".join(f"{weight!r}\n" for weight in weights.tolist()))
        index = np.indices(inside.shape)
        thirds = [3 * i // n for i, n in zip(index, inside.shape)]
        blocks = np.where(inside, 1 + 2 * (thirds[0] + 3 * thirds[1] + 9 * thirds[2]), 0)
        voxels = np.where(inside, 1 + np.arange(inside.size).reshape(inside.shape), 0)
        for name, labels in ("blocks", blocks), ("voxels", voxels):
            nib.save(nib.Nifti1Image(labels.astype(np.int32), mask.affine), work / f"{name}.nii.gz")
            run(arguments, work / name / "m.npz", work / f"{name}.nii.gz", work)
            names = "counts", "weights", "lengths"
            read = [scipy.sparse.load_npz(work / name / f"m_{measure}.npz") for measure in names]
            table = (work / name / "m_regions.tsv").read_text().splitlines()
            numbers = [int(line.split("\t")[1]) for line in table[1:]]
            assignments = np.loadtxt(work / name / "m_assignments.txt", dtype=int)
            check(f"{name}: rows are the regions", table[0] == "place\tregion\tname" and numbers == sorted(set(labels[labels > 0])))
            wanted = expected(assignments.tolist(), weights.tolist(), lengths, numbers)
            for measure, sparse, other in zip(names, read, wanted):
                other.sort_indices()
                canonical = sparse.has_canonical_format and sparse.dtype == np.float64 and sparse.format == "csr"
                check(f"{name}: {measure} are in canonical form", canonical)
                entries = np.array_equal(sparse.indptr, other.indptr) and np.array_equal(sparse.indices, other.indices)
                check(f"{name}: {measure} store what is joined", entries)
                check(f"{name}: {measure} are those of the assignments", entries and np.array_equal(sparse.data, other.data))
                check(f"{name}: {measure} are symmetric", (sparse != sparse.T).nnz == 0)
                with np.load(work / name / f"m_{measure}.npz") as arrays:
                    check(f"{name}: {measure} say so", arrays["symmetry"].item() == b"symmetric")
            if name == "blocks":
                run(arguments, work / "dense", work / "blocks.nii.gz", work)
                for measure, sparse in zip(names, read):
                    check(f"{name}: {measure} are the dense ones", same(sparse, np.load(work / f"dense/connectome_{measure}.npy")))
            bytes_of_files = sum((work / name / f"m_{measure}.npz").stat().st_size for measure in names)
            print(f"   {name}: {len(numbers)} regions, {read[0].nnz} entries, {bytes_of_files} bytes in three files")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        print(f"   largest process: {peak} KiB")
    if failed:
        raise SystemExit(f"{len(failed)} differ")


if __name__ == "__main__":
    main()
