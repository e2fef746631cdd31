#!/usr/bin/env python3
"""Runs the replacement of FSL's probtrackx2 under its callers: nipype's unchanged ProbTrackX2, and the command lines of XTRACT,
xtract_blueprint, HCP's scripts, and FDT's window and network scripts. The links of `arcuate setup names` are on the path.

    pip install nipype==1.11.0 nibabel numpy
    ARCUATE=target/release/arcuate oracles/probtrackx2_callers.py [--work FOLDER]

All fibres are along the first voxel axis, to within a thousandth of a radian. Every number is therefore known: a sample of a seed
passes each voxel of its row once. This also determines the effect of regions: waypoints, exclusion and stop regions, targets,
networks and matrices. Fails if a file is missing or a count differs.
"""
import argparse
import os
import pathlib
import subprocess
import tempfile

import nibabel as nib
import numpy as np
from bedpostx_callers import check_promised, surroundings

SHAPE = (16, 6, 5)
SAMPLES = 20
SEED, FAR = (5, 2, 2), (12, 2, 2)


def save(path, values, affine):
    image = nib.Nifti1Image(np.asarray(values, np.float32), affine)
    image.set_sform(affine, 1)
    image.set_qform(affine, 1)
    nib.save(image, path)
    return str(path)


def write_subject(folder, affine):
    """A folder of bedpostX, and regions of one voxel or one plane each."""
    folder.mkdir(parents=True)
    ones = np.ones(SHAPE + (10,))
    # Angles of exactly 0 stop a path.
    save(folder / "merged_th1samples.nii.gz", ones * np.pi / 2, affine)
    save(folder / "merged_ph1samples.nii.gz", ones * 0.001, affine)
    save(folder / "merged_f1samples.nii.gz", ones * 0.6, affine)
    save(folder / "nodif_brain_mask.nii.gz", np.ones(SHAPE), affine)
    regions = {"seed": SEED, "far": FAR, "near": (8, 2, 2), "before": (2, 2, 2), "elsewhere": (8, 4, 4)}
    for name, place in regions.items():
        values = np.zeros(SHAPE)
        values[place] = 1
        save(folder / f"{name}.nii.gz", values, affine)
    both = np.zeros(SHAPE)
    both[SEED] = both[FAR] = 1
    save(folder / "both.nii.gz", both, affine)
    np.savetxt(folder / "eye.mat", np.eye(4), fmt="%g")


def call(line, folder, fails=False):
    words = line.replace("BPX", str(folder)).split()
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode != 0) == fails and bool(done.stderr) == fails, (line, done)
    return done


def paths(folder, name="fdt_paths"):
    image = nib.load(pathlib.Path(folder) / f"{name}.nii.gz")
    assert image.shape == SHAPE and image.get_data_dtype() == np.float32, image
    return image.get_fdata()


def row(first, last, count=SAMPLES):
    """A map with a count in the seed's row, from one voxel to another, and 0 elsewhere."""
    values = np.zeros(SHAPE)
    values[first : last + 1, SEED[1], SEED[2]] = count
    return values


def waytotal(folder):
    return [int(word) for word in (pathlib.Path(folder) / "waytotal").read_text().split()]


def dot(folder, name):
    entries = np.loadtxt(pathlib.Path(folder) / name, ndmin=2)
    matrix = np.zeros(entries[-1, :2].astype(int))
    for i, j, value in entries[:-1]:
        matrix[int(i) - 1, int(j) - 1] = value
    return matrix


def with_nipype(work, name, subject):
    from nipype.interfaces import fsl

    here = work / f"nipype-{name}"
    here.mkdir()
    os.chdir(here)

    def run(folder, **options):
        (here / folder).mkdir()
        os.chdir(here / folder)
        samples = {f"{what}samples": [str(subject / f"merged_{what}1samples.nii.gz")] for what in ["th", "ph", "f"]}
        tracking = {"n_samples": SAMPLES, "n_steps": 2000, "force_dir": True, "opd": True, "out_dir": "."}
        program = fsl.ProbTrackX2(mask=str(subject / "nodif_brain_mask.nii.gz"), **samples, **tracking, **options)
        print(f"{name}: {program.cmdline}")
        return check_promised(program.run().outputs)

    image = lambda region: str(subject / f"{region}.nii.gz")
    count = run("plain", seed=image("seed"))
    np.testing.assert_array_equal(paths("."), row(0, SHAPE[0] - 1))
    assert waytotal(".") == [SAMPLES]
    count += run("targets", seed=image("seed"), os2t=True, target_masks=[image("far"), image("elsewhere")])
    np.testing.assert_array_equal(paths(".", "seeds_to_far"), row(*[SEED[0]] * 2))
    assert not paths(".", "seeds_to_elsewhere").any()
    count += run("way", seed=image("seed"), waypoints=image("far"), avoid_mp=image("before"), stop_mask=image("far"))
    np.testing.assert_array_equal(paths("."), row(SEED[0], FAR[0]))
    count += run("matrix1", seed=image("both"), omatrix1=True, s2tastext=True, os2t=True, target_masks=[image("near")])
    np.testing.assert_array_equal(dot(".", "fdt_matrix1.dot"), SAMPLES * np.array([[0, 1], [1, 0]]))
    count += run("matrix2", seed=image("seed"), omatrix2=True, target2=image("both"))
    np.testing.assert_array_equal(dot(".", "fdt_matrix2.dot"), [[SAMPLES, SAMPLES]])
    places = np.loadtxt("tract_space_coords_for_fdt_matrix2", ndmin=2)[:, :3]
    assert sorted(map(tuple, places.astype(int))) == sorted([SEED, FAR])
    os.chdir(here)
    print(f"{name}: nipype found its {count} files")


def with_scripts(work, name, subject):
    here = work / f"scripts-{name}"
    here.mkdir()
    os.chdir(here)
    write = lambda file, *regions: pathlib.Path(file).write_text(" ".join(f"{subject}/{r}.nii.gz" for r in regions))
    write("targets.txt", "near", "far")
    base = "probtrackx2 -s BPX/merged -m BPX/nodif_brain_mask"
    # XTRACT.
    call(
        f"{base} -V 1 --loopcheck --forcedir --opd --ompl --sampvox=0 --randfib=1 --seedref=BPX/seed --xfm=BPX/eye.mat "
        f"--invxfm=BPX/eye.mat --avoid=BPX/elsewhere --stop=BPX/before --nsamples={SAMPLES} -x BPX/seed.nii.gz "
        "--waypoints=targets.txt --wayorder --waycond=AND -o density --dir=xtract",
        subject,
    )
    density = paths("xtract", "density")
    np.testing.assert_array_equal(density[SEED[0] :], row(SEED[0], SHAPE[0] - 1)[SEED[0] :])
    # The half that passes no waypoint counts if it comes after the one that passes all.
    behind = density[2, 2, 2]
    assert 0 < behind < SAMPLES
    np.testing.assert_array_equal(density[: SEED[0]], row(2, SHAPE[0] - 1, behind)[: SEED[0]])
    lengths = paths("xtract", "density_lengths")
    assert abs(lengths[FAR] - (FAR[0] - SEED[0]) * 2.0) <= 1.5, lengths[FAR]
    assert waytotal("xtract") == [SAMPLES]
    # xtract_blueprint, with a volume for seeds.
    call(
        f"probtrackx2 --samples=BPX/merged --mask=BPX/nodif_brain_mask --target2=BPX/both --omatrix2 --loopcheck --forcedir --opd "
        f"--nsamples={SAMPLES} --xfm=BPX/eye.mat --invxfm=BPX/eye.mat --seedref=BPX/seed --seed=BPX/seed --dir=blueprint",
        subject,
    )
    np.testing.assert_array_equal(dot("blueprint", "fdt_matrix2.dot"), [[SAMPLES, SAMPLES]])
    lookup = nib.load("blueprint/lookup_tractspace_fdt_matrix2.nii.gz").get_fdata()
    assert sorted([lookup[SEED], lookup[FAR]]) == [1, 2] and (lookup > 0).sum() == 2
    assert len(np.loadtxt("blueprint/coords_for_fdt_matrix2", ndmin=2)) == 1
    # HCP's dense connectome.
    call(
        f"{base} --loopcheck --forcedir --fibthresh=0.01 -c 0.2 --sampvox=0 --randfib=1 -P {SAMPLES} -S 2000 --steplength=0.5 "
        "--meshspace=caret -x BPX/seed --seedref=BPX/nodif_brain_mask --xfm=BPX/eye.mat --invxfm=BPX/eye.mat --omatrix3 "
        "--target3=BPX/both --dir=hcp --rseed=7",
        subject,
    )
    np.testing.assert_array_equal(dot("hcp", "fdt_matrix3.dot"), [[0, SAMPLES], [0, 0]])
    assert not pathlib.Path("hcp/fdt_paths.nii.gz").exists(), "nobody asked for it"
    # FDT's window.
    call(
        f"probtrackx2 -x BPX/seed -l --onewaycondition -c 0.2 -S 2000 --steplength=0.5 -P {SAMPLES} --fibthresh=0.01 "
        "--distthresh=0.0 --sampvox=0.0 --avoid=BPX/before --forcedir --opd -s BPX/merged -m BPX/nodif_brain_mask --dir=fdt "
        "--targetmasks=targets.txt --os2t",
        subject,
    )
    np.testing.assert_array_equal(paths("fdt"), row(SEED[0], SHAPE[0] - 1))
    np.testing.assert_array_equal(paths("fdt", "seeds_to_near"), row(*[SEED[0]] * 2))
    # A network, and the spelling of old scripts.
    write("masks.txt", "seed", "far", "elsewhere")
    call(f"{base} --network -x masks.txt --forcedir --opd -P {SAMPLES} --dir=network", subject)
    wanted = np.zeros((3, 3))
    wanted[0, 1] = wanted[1, 0] = SAMPLES
    np.testing.assert_array_equal(np.loadtxt("network/fdt_network_matrix"), wanted)
    assert waytotal("network") == [SAMPLES, SAMPLES, 0]
    call(f"{base} --usef=0.05 --omatrix3 --target3=BPX/both -S 250 --steplength=1 --network -x masks.txt --dir=old", subject)
    # Single voxels, as coordinates.
    pathlib.Path("voxels.txt").write_text("5 2 2\n")
    call(f"{base} --simple --seedref=BPX/seed -x voxels.txt --forcedir --opd -P {SAMPLES} --dir=simple", subject)
    np.testing.assert_array_equal(paths("simple", "fdt_paths_5_2_2"), row(0, SHAPE[0] - 1))
    # Errors have FSL's exit codes.
    assert call(f"{base} -x BPX/seed --nothing", subject, fails=True).returncode == 2
    assert call(f"{base} -x BPX/seed --omatrix2 --forcedir --dir=wrong", subject, fails=True).returncode == 1
    call(f"{base} -x BPX/absent --forcedir --dir=wrong", subject, fails=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path)
    arguments = parser.parse_args()
    work = (arguments.work or pathlib.Path(tempfile.mkdtemp())).absolute()
    surroundings(work)
    turn = np.array([[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
    for name, matrix in {"left": np.diag([-2.0, 2, 2]), "right": np.diag([2.0, 2, 2]), "oblique": turn * 2}.items():
        affine = np.eye(4)
        affine[:3, :3], affine[:3, 3] = matrix, [10, -20, 5]
        subject = work / "subjects" / f"{name}.bedpostX"
        write_subject(subject, affine)
        with_nipype(work, name, subject)
        with_scripts(work, name, subject)
    print("all callers found what they expect")


if __name__ == "__main__":
    main()
