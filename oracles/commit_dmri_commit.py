#!/usr/bin/env python3
"""Computes COMMIT's optimum by dmri-commit 2.4.2, with and without penalties. Arcuate must not be worse on the same columns.

    pip install dmri-commit nibabel numpy
    oracles/commit_dmri_commit.py OUT --data DATA/philips_dwi    # a real scan, some minutes
    oracles/commit_dmri_commit.py OUT                            # a handful of streamlines, made here
    ARCUATE_COMMIT_FITS=OUT/fits cargo test --release -p arcuate-evaluate --test all commit_fits:: -- --nocapture

OUT/fits gets a folder per model, with the dictionary, and the kernels and data (as in commit_products.py). It also has λ and the cost
of each case (cases.txt), dmri-commit's x, and the group of each kept streamline (groups.txt). The table has costs and numbers of
iterations in parentheses, for 2.4.2, `philips_dwi`, `--mask wm_fa02.nii.gz` and 500 orientations. Both use the same columns.

| problem | dmri-commit | Arcuate |
|---|---|---|
| zeppelin, plain | 4456.496759 (474) | 4456.483713 (467) |
| zeppelin, lasso 0.01, 0.02, 0.03 | 16780.973365 (302) | 16780.827246 (2049) |
| zeppelin, 50 groups, 0.005 | 5028.807938 (494) | 5028.718956 (1694) |
| ball and stick, plain | 15078.152159 (175) | 15078.107799 (190) |

Arcuate's own encoding with the same orientations ends at 4457.340554 and 15084.274725 (`--arcuate`).
"""
import argparse
import pathlib
import shutil
import subprocess

import amico
import commit
import nibabel as nib
import numpy as np
from commit_products import make_dictionary, save_kernels, small

D_PARALLEL, D_ACROSS, D_BALLS = 1.7e-3, 0.51e-3, [1.7e-3, 3.0e-3]
# dmri-commit's default is 1e-3.
TOLERANCE = 1e-7
GROUPS = 50


def evaluation(out, data, folder, across, ndirs):
    mit = commit.Evaluation(study_path=str(out), subject=".", dictionary_path=str(folder))
    mit.set_verbose(1)
    mit.load_data(str(data / "dwi.nii.gz"), str(out / "dwi.scheme"), b0_thr=50)
    mit.set_model("StickZeppelinBall")
    mit.model.set(D_PARALLEL, across, D_BALLS)
    mit.set_config("ATOMS_path", str(out / "kernels"))
    mit.generate_kernels(regenerate=True, ndirs=ndirs)
    mit.load_kernels()
    mit.load_dictionary(str(folder))
    mit.set_threads(2)
    mit.build_operator()
    return mit


def solve(mit, folder, name, groups=None, **penalty):
    """One line of cases.txt: name, λ of IC, EC, ISO, of groups, dmri-commit's cost; and its x."""
    if penalty:
        mit.set_regularisation(**penalty)
    mit.fit(tol_fun=TOLERANCE, max_iter=5000)
    chosen = mit.CONFIG["optimization"]["regularisation"]
    details = mit.CONFIG["optimization"]["fit_details"]
    lambdas = [float(chosen.get(f"lambda{part}") or 0) if penalty else 0.0 for part in ("IC", "EC", "ISO")]
    x = np.asarray(mit.x, "<f8")
    cost = 0.5 * np.sum((mit.A.dot(x) - mit.get_y()) ** 2)
    group = 0.0
    if groups is not None:
        group, lambdas[0] = lambdas[0], 0.0
        cost += group * sum(np.sqrt(len(g)) * np.linalg.norm(x[g]) for g in groups)
    kept, peaks = (np.fromfile(folder / f"dictionary_{n}.dict", t) for n, t in {"TRK_kept": "u1", "EC_v": "<u4"}.items())
    ends = np.cumsum([kept.sum(dtype=int), len(peaks) * len(mit.KERNELS["wmh"])])
    cost += sum(weight * part.sum() for weight, part in zip(lambdas, np.split(x, ends)))
    # dmri-commit's cost agrees up to rounding, so the penalties are understood correctly.
    assert abs(cost / details["cost_function"] - 1) < 1e-9, (cost, details)
    x.tofile(folder / f"{name}.f64")
    print(f"{name}: {details['iterations']} iterations, cost {cost:.6f}, λ {lambdas} {group}")
    return " ".join([name, *(repr(float(v)) for v in [*lambdas, group, cost])])


def by_arcuate(program, out, data, mask, across, ndirs, folder):
    """Objective and weights of Arcuate's own encoding, with the same orientations and with exact directions."""
    axes = nib.load(data / "dwi.nii.gz").affine[:3, :3]
    file = out / "orientations.txt"
    np.savetxt(file, amico.lut.load_directions(ndirs) @ (axes / np.linalg.norm(axes, axis=0)).T, fmt="%.17g")
    theirs = np.zeros(np.fromfile(folder / "dictionary_TRK_kept.dict", np.uint8).size)
    norms = np.fromfile(folder / "dictionary_TRK_norm.dict", "<f4")
    kept = np.flatnonzero(np.fromfile(folder / "dictionary_TRK_kept.dict", np.uint8))
    theirs[kept] = np.fromfile(folder / "plain.f64", "<f8")[: len(norms)] / norms
    diffusivities = ",".join(f"{1e3 * d:g}" for d in D_BALLS)
    for name, orientations in {f"{ndirs} orientations": file, "exact directions": "exact"}.items():
        results = out / "arcuate"
        command = [program, "evaluate", "commit", data / "tracks.tck", "--dwi", data / "dwi.nii.gz"]
        command += ["--bval", data / "dwi.bval", "--bvec", data / "dwi.bvec", "--mask", data / mask]
        command += ["--isotropic-diffusivities", diffusivities, "--orientations", orientations]
        command += ["--precision", "double", "--tolerance", "1e-5", "--iterations", "5000", "--out", results, "--force"]
        if across:
            command += ["--peaks", data / "peaks.nii.gz", "--radial-diffusivities", f"{1e3 * across[0]:g}"]
        else:
            command += ["--model", "ball-and-stick"]
        subprocess.run(list(map(str, command)), check=True)
        last = (results / "commit_trace.csv").read_text().split("\n")[-2].split(",")
        weights = np.loadtxt(results / "commit_weights.txt")
        print(f"arcuate, {name}: {last[0]} iterations, objective {float(last[2]):.6f}, "
              f"correlation of weights {np.corrcoef(weights, theirs)[0, 1]:.4f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--mask", default="mask.nii.gz", help="its name in the data")
    parser.add_argument("--ndirs", type=int, default=500)
    parser.add_argument("--arcuate", type=pathlib.Path, help="the program, to run it on the same files too")
    options = parser.parse_args()
    out = options.out.resolve()
    data = (options.data or small(out / "data")).resolve()
    commit.setup()
    amico.util.fsl2scheme(str(data / "dwi.bval"), str(data / "dwi.bvec"), str(out / "dwi.scheme"))
    for name, across in {"zeppelin": [D_ACROSS], "ball_and_stick": []}.items():
        folder = out / "fits" / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        make_dictionary(data, folder, options.ndirs, options.mask)
        mit = evaluation(out, data, folder, across, options.ndirs)
        save_kernels(mit, folder, options.ndirs)
        np.asarray(mit.get_y(), "<f8").tofile(folder / "data.f64")
        lines = [solve(mit, folder, "plain")]
        if across:
            lines.append(solve(mit, folder, "lasso", regularisers=("lasso",) * 3, lambdas=(0.01, 0.02, 0.03)))
            # Consecutive streamlines, numbered as in the tractogram, and the groups of the kept streamlines. Group sizes differ,
            # because dmri-commit fails if all groups have the same size.
            kept = np.fromfile(folder / "dictionary_TRK_kept.dict", np.uint8).astype(bool)
            count = min(GROUPS, len(kept) // 2)
            cuts = len(kept) * (np.arange(1, count) / count) ** 1.5
            parts = np.split(np.arange(len(kept), dtype=np.int32), cuts.astype(int))
            index = np.empty(count, dtype=object)
            for n, part in enumerate(parts):
                index[n] = part
            number = np.cumsum(kept) - 1
            groups = [number[part[kept[part]]] for part in parts]
            np.savetxt(folder / "groups.txt", np.repeat(np.arange(count), [len(g) for g in groups]), fmt="%d")
            weights = {"group_idx": index, "group_weights_cardinality": True, "group_weights_adaptive": False}
            lines.append(
                solve(mit, folder, "groups", groups=groups, regularisers=("group_lasso", None, None),
                      lambdas=(0.005, None, None), params=(weights, None, None))
            )
        (folder / "cases.txt").write_text("\n".join(lines) + "\n")
        if options.arcuate:
            by_arcuate(options.arcuate, out, data, options.mask, across, options.ndirs, folder)


if __name__ == "__main__":
    main()
