#!/usr/bin/env python3
"""Compares `arcuate parcellate` with NumPy's argmax and scikit-learn's KMeans, and checks files of FSL and SciPy.

    pip install numpy scipy scikit-learn
    cargo build --release -p arcuate
    oracles/row_clusters_sklearn.py [--arcuate target/release/arcuate]

A sparse matrix of 600 seeds by 90 targets is made here, with ties and rows without an entry. Fails unless

- the largest column of each row is NumPy's argmax + 1, and 0 if the row is empty;
- k-means with the same starting rows ends with the same inertia (to 1e-6 of it) and the same clusters as
  `KMeans(init=…, n_init=1, tol=0)`. This is true by cosine (rows of length 1) and with the original rows;
- none of ten own starts of scikit-learn ends with an inertia more than 2 % smaller;
- FSL's `.dot` and the three files of its `--omatrix4`, written here, are read as this matrix and written unchanged.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np
import scipy.sparse
from sklearn.cluster import KMeans

parser = argparse.ArgumentParser()
parser.add_argument("--arcuate", default="target/release/arcuate")
arcuate = str(pathlib.Path(parser.parse_args().arcuate).resolve())
work = pathlib.Path(tempfile.mkdtemp())
failed = []


def check(title, good):
    print(f"{'  ' if good else '! '}{title}")
    if not good:
        failed.append(title)


def run(*words):
    subprocess.run([arcuate, "--quiet", *map(str, words)], check=True, cwd=work)


random = np.random.default_rng(5)
# Seeds of 5 kinds, each with its own targets, and noise on all of them.
kind = random.integers(5, size=600)
profile = random.gamma(0.3, 40, (5, 90))
counts = random.poisson(profile[kind] * random.gamma(2, 0.5, (600, 1)))
counts[random.random(counts.shape) < 0.3] = 0
counts[::37] = 0
rows, columns = counts.shape
dot = "".join(
    f"{row + 1}  {column + 1}  {counts[row, column]}\n"
    for column in range(columns)
    for row in range(rows)
    if counts[row, column]
)
dot += f"{rows}  {columns}  0\n"
(work / "m.dot").write_text(dot)
places = [(n % 20, n // 20 % 6, n // 120, 0, n + 1) for n in range(rows)]
coordinates = "".join("".join(f"{x}  " for x in place) + "\n" for place in places)
(work / "coords_for_m").write_text(coordinates)

run("convert", "m.dot", "m.npz")
matrix = scipy.sparse.load_npz(work / "m.npz")
check("SciPy reads what was FSL's .dot", np.array_equal(matrix.toarray(), counts))
run("convert", "m.npz", "again.dot")
check("FSL's .dot is written as it was", (work / "again.dot").read_text() == dot)
check("and so are the coordinates", (work / "coords_for_again").read_text() == coordinates)

code = (counts.astype(np.int64) << 32) + 400 * 1001**2 + 350 * 1001 + (counts % 900)
(work / "o_1.mtx").write_text(f"{rows}\n{columns}\n")
(counts != 0).sum(0).astype("<i8").tofile(work / "o_2.mtx")
of_column, of_row = np.nonzero(counts.T)
np.stack([of_row, code[of_row, of_column]], 1).astype("<i8").tofile(work / "o_3.mtx")
run("convert", "o_1.mtx", "o.npz")
check("the three files are read", np.array_equal(scipy.sparse.load_npz(work / "o.npz").toarray(), counts))
run("convert", "o_1.mtx", "p_1.mtx")
same = all((work / f"o_{n}.mtx").read_bytes() == (work / f"p_{n}.mtx").read_bytes() for n in (1, 2, 3))
check("and written as they were", same)


def labels(*options):
    run("parcellate", "m.dot", *options, "--out", "out.tsv", "--force")
    table = [line.split("\t") for line in (work / "out.tsv").read_text().splitlines()[1:]]
    figures = json.loads((work / "out.tsv.json").read_text())["figures"]
    return np.array([int(row[3]) for row in table]), {name: figure["value"] for name, figure in figures.items()}


biggest, _ = labels()
check("find the biggest is argmax", np.array_equal(biggest, np.where(counts.any(1), counts.argmax(1) + 1, 0)))

there = counts.any(1)
number_of = np.cumsum(there) - 1
for similarity in ["cosine", "euclidean"]:
    for clusters in [2, 5, 11]:
        found, figures = labels("--clusters", clusters, "--similarity", similarity)
        data = counts[there].astype(float)
        if similarity == "cosine":
            data /= np.linalg.norm(data, axis=1, keepdims=True)
        first = [number_of[int(row)] for row in figures["rows that clusters began with"].split()]
        theirs = KMeans(clusters, init=data[first], n_init=1, tol=0, max_iter=1000, algorithm="lloyd").fit(data)
        error = abs(theirs.inertia_ - figures["inertia"]) / theirs.inertia_
        pairs = len(set(zip(found[there], theirs.labels_)))
        title = f"{similarity}, {clusters} clusters: inertia {figures['inertia']:.6f}, {error:.1e} from scikit-learn's"
        check(title, error < 1e-6 and pairs == clusters and not found[~there].any())
        own = KMeans(clusters, n_init=10, random_state=0).fit(data)
        best = figures["inertia"] / own.inertia_
        check(f"  {best:.4f} of the best of ten starts of scikit-learn's", best < 1.02)
raise SystemExit(bool(failed))
