#!/usr/bin/env python3
"""Checks the files that `arcuate bids` writes with the BIDS validator.

    pip install bids-validator-deno==3.0.2 bidsschematools nibabel numpy
    cargo build --release -p arcuate
    oracles/bids_validator.py [--arcuate target/release/arcuate] [--keep FOLDER] [--derivatives FOLDER]

`simulate` makes a brain. Three series of two participants are made from it, with QSIPrep's names. The images have a positive
determinant, `.bvec` along their axes and `.b` along the scanner's. One participant has two sessions, one of them with a resolution
in its name. One series has no sidecar. `arcuate bids` processes them by distributions, samples and tensors, and then the cohort. With
`--derivatives`, existing derivatives are checked instead. The comparison fails unless all of these are true:

- The validator with its own schema passes everything with the `.bidsignore` that is written. Without it, the validator reports only the
  files that `.bidsignore` names.
- If the names of the drafts are added to the schema, the validator passes everything except reports. The drafts are BEP016 (diffusion
  models, pull request 2258 of bids-standard/bids-specification), BEP046 (tractography, 2333) and BEP017 (connectivity, 1902).
- With this schema, it finds each of four errors. These are a truncated header of an image, a sidecar that is not JSON, a sidecar
  without spatial reference, and a wrong order of entities.
- Every `bids:` address of a sidecar leads to a file.
- Tensors agree with the run, in the order D11 D12 D13 D22 D23 D33, and so do matrices.
"""
import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile

import bidsschematools.data
import nibabel
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--arcuate", default="target/release/arcuate")
parser.add_argument("--keep")
parser.add_argument("--derivatives")
given = parser.parse_args()
arcuate = str(pathlib.Path(given.arcuate).resolve())
work = pathlib.Path(given.keep or tempfile.mkdtemp()).resolve()
work.mkdir(exist_ok=True)
validator = pathlib.Path(sysconfig.get_path("scripts")) / "bids-validator-deno"
failed = []


def check(title, good):
    print(f"{'  ' if good else '! '}{title}")
    if not good:
        failed.append(title)


def run(*words):
    subprocess.run([arcuate, *map(str, words), "--quiet"], check=True)


def with_drafts():
    """The schema of the released standard, with entities, suffixes and rules of the drafts."""
    schema = json.loads((pathlib.Path(bidsschematools.data.__file__).parent / "schema.json").read_text())
    objects, rules = schema["objects"], schema["rules"]
    new = {"model": "model", "measure": "meas", "tract": "tract", "tracking": "track", "parameter": "param"}
    for key, short in new.items():
        of_label = {"type": "string", "format": "label"}
        objects["entities"][key] = {"name": short, "display_name": key, "description": key, **of_label}
    place = rules["entities"].index("description")
    rules["entities"][place:place] = ["model", "measure", "tract", "tracking"]
    rules["entities"].append("parameter")
    for suffix in ["dwimap", "tractogram", "relmat", "nodeindices"]:
        objects["suffixes"][suffix] = {"value": suffix, "display_name": suffix, "description": suffix}
    for key, ending in {"trx": ".trx", "dense": ".dense.tsv"}.items():
        objects["extensions"][key] = {"value": ending, "display_name": ending, "description": ending}
    imaging = rules["files"]["deriv"]["imaging"]
    known = imaging["dwi_dwi_volumetric"]["entities"]
    of_regions = {"atlas": "required", "segmentation": "optional", "scale": "optional"}
    for suffix, endings, entities in [
        ("dwimap", [".nii.gz", ".nii"], {"model": "required", "parameter": "required"}),
        ("tractogram", [".trx"], {"tract": "optional", "tracking": "required", "hemisphere": "optional"}),
        ("relmat", [".dense.tsv"], {**of_regions, "measure": "required"}),
        ("nodeindices", [".tsv"], of_regions),
    ]:
        imaging[f"draft_{suffix}"] = {
            "suffixes": [suffix],
            "extensions": [*endings, ".json"],
            "datatypes": ["dwi"],
            "entities": {**known, **entities},
            "selectors": ["dataset.dataset_description.DatasetType == 'derivative'"],
        }
    path = work / "schema.json"
    path.write_text(json.dumps(schema))
    return path.as_uri()


def validate(folder, schema=None):
    """The exit code of the validator, and the errors that it finds in each file."""
    words = [validator, folder, "--format", "json"] + (["--schema", schema] if schema else [])
    done = subprocess.run([*map(str, words)], stdout=subprocess.PIPE, text=True)
    issues = json.loads(done.stdout)["issues"]["issues"]
    return done.returncode, {(one["code"], one["location"]) for one in issues if one["severity"] == "error"}


def copied(name, ignored):
    """A copy of hard links with another `.bidsignore`. To damage a file, replace it: a change would change the original, too."""
    copy = work / name
    shutil.rmtree(copy, ignore_errors=True)
    skip = shutil.ignore_patterns(".arcuate")
    shutil.copytree(derivatives, copy, copy_function=os.link, ignore=skip)
    (copy / ".bidsignore").unlink()
    (copy / ".bidsignore").write_text(ignored)
    return copy


def prepared():
    """A dataset like QSIPrep's."""
    simulated, root = work / "simulated", work / "qsiprep"
    shutil.rmtree(root, ignore_errors=True)
    if not simulated.exists():
        shells = ["--shells", "0:6,1000:30,2500:45"]
        run("simulate", "--out", simulated, "--voxel-size", 6, "--tissues", *shells)
    first = nibabel.load(simulated / "dwi.nii.gz")
    to_left = nibabel.orientations.axcodes2ornt("LPS")

    def turned(image):
        start = nibabel.io_orientation(image.affine)
        return image.as_reoriented(nibabel.orientations.ornt_transform(start, to_left))

    def axes(image):
        columns = image.affine[:3, :3]
        return columns / np.linalg.norm(columns, axis=0)

    bvec, bval = np.loadtxt(simulated / "dwi.bvec"), np.loadtxt(simulated / "dwi.bval")
    if np.linalg.det(axes(first)) > 0:
        bvec[0] *= -1
    in_scanner = axes(first) @ bvec
    series = turned(first)
    mask, labels = (turned(nibabel.load(simulated / f"{name}.nii.gz")) for name in ["mask", "labels"])
    along = axes(series).T @ in_scanner
    root.mkdir()
    tool = {"Name": "qsiprep", "Version": "26.1.1"}
    description = {"Name": "qsiprep output", "BIDSVersion": "1.1.1", "DatasetType": "derivative", "GeneratedBy": [tool]}
    (root / "dataset_description.json").write_text(json.dumps(description))
    for scan in ["sub-01_ses-a_space-ACPC_res-2mm", "sub-01_ses-b_space-ACPC", "sub-02_space-ACPC"]:
        levels = [part for part in scan.split("_") if part[:4] in ("sub-", "ses-")]
        folder = root.joinpath(*levels, "dwi")
        folder.mkdir(parents=True)
        stem = folder / f"{scan}_desc-preproc_dwi"
        nibabel.save(series, f"{stem}.nii.gz")
        nibabel.save(mask, folder / f"{scan}_desc-brain_mask.nii.gz")
        np.savetxt(f"{stem}.bval", bval[None], fmt="%g")
        np.savetxt(f"{stem}.bvec", along, fmt="%.8f")
        np.savetxt(f"{stem}.b", np.column_stack([in_scanner.T, bval]), fmt="%.8f")
        if "sub-02" not in scan:
            pathlib.Path(f"{stem}.json").write_text(json.dumps({"EchoTime": 0.08, "MagneticFieldStrength": 3}))
        anatomy = root / levels[0] / "anat"
        anatomy.mkdir(exist_ok=True)
        nibabel.save(labels, anatomy / f"{levels[0]}_space-ACPC_seg-phantom_dseg.nii.gz")
    return root


def derived(root):
    """Processes it with Arcuate; each series has another kind of tracking."""
    out = work / "arcuate"
    shutil.rmtree(out, ignore_errors=True)
    recipe = work / "recipe.toml"
    recipe.write_text("[fit.ball-2-sticks]\nburn-in = 40\n")
    for participant, session, tracking in [("01", "a", "distributions"), ("01", "b", "samples"), ("02", None, "tensor")]:
        chosen = ["--participant-label", participant] + (["--session-label", session] if session else [])
        options = ["--tracking", tracking, "--select", 300, "--recipe", recipe]
        run("bids", root, out, "participant", *chosen, *options)
    run("bids", root, out, "group")
    return out


def addresses(value):
    """All `bids:` addresses in a sidecar."""
    if isinstance(value, str):
        return [value] if value.startswith("bids:") else []
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [address for part in parts for address in addresses(part)]


def leads_to(address):
    _, name, path = address.split(":", 2)
    links = json.loads((derivatives / "dataset_description.json").read_text())["DatasetLinks"]
    root = derivatives / links[name].removeprefix("file://") if name else derivatives
    return root / path


derivatives = pathlib.Path(given.derivatives).resolve() if given.derivatives else derived(prepared())
schema = with_drafts()

code, errors = validate(derivatives)
check(f"the released schema passes: {code}, {sorted(errors)[:3]}", code == 0 and not errors)

code, errors = validate(copied("all", ""))
kinds = collections.Counter(name.rsplit("_", 1)[-1].split(".")[0] if "_" in name else name for _, name in errors)
draft = ("dwimap", "tractogram", "relmat", "nodeindices")
# Files of the cohort are not counted here.
of_scans = {name for _, name in errors if name.startswith("/sub-") and not name.endswith(".html")}
others = {name for name in of_scans if not any(f"_{suffix}." in name for suffix in draft)}
check(f"without .bidsignore it fails for names of drafts and reports alone: {others or dict(kinds)}", code == 16 and not others)

code, errors = validate(copied("drafts", "*.html\n/group\n/phenotype/arcuate.*\n"), schema)
check(f"a schema with the drafts' names passes: {code}, {sorted(errors)[:3]}", code == 0 and not errors)

all_maps = sorted(derivatives.glob("sub-*/**/*_dwimap.nii.gz"))
for what, expected in [
    ("an image that is cut off", "NIFTI_HEADER_UNREADABLE"),
    ("a sidecar that is no JSON", "JSON_INVALID"),
    ("a sidecar without its spatial reference", "SIDECAR_KEY_REQUIRED"),
    ("entities in another order", "FILENAME_MISMATCH"),
]:
    copy = copied("broken", "*.html\n/group\n")
    image = copy / all_maps[0].relative_to(derivatives)
    sidecar = image.with_name(image.name.replace(".nii.gz", ".json"))
    if expected == "NIFTI_HEADER_UNREADABLE":
        start = image.read_bytes()[:60]
        image.unlink()
        image.write_bytes(start)
    elif expected == "FILENAME_MISMATCH":
        for path in [image, sidecar]:
            parts = path.name.split("_")
            model = next(n for n, part in enumerate(parts) if part.startswith("model-"))
            parts[model], parts[model - 1] = parts[model - 1], parts[model]
            path.rename(path.with_name("_".join(parts)))
    else:
        said = json.loads(sidecar.read_text())
        sidecar.unlink()
        said.pop("SpatialReference")
        sidecar.write_text("{" if expected == "JSON_INVALID" else json.dumps(said))
    code, errors = validate(copy, schema)
    check(f"{what}: {expected}", code == 16 and expected in {one for one, _ in errors})

sidecars = sorted(derivatives.glob("sub-*/**/*.json"))
found = {address for path in sidecars for address in addresses(json.loads(path.read_text()))}
lost = [address for address in found if not leads_to(address).is_file()]
check(f"all {len(found)} addresses in {len(sidecars)} sidecars lead to files: {lost[:3]}", bool(found) and not lost)

MEASURES = {"counts": "count", "lengths": "length", "weights": "weight"}
for results in sorted((derivatives / ".arcuate").glob("**/tensor/tensor.nii.gz")):
    run_folder = results.parents[1]
    scan = next(page.stem for page in derivatives.glob("*.html") if page.stem in run_folder.parts)
    [path] = derivatives.glob(f"sub-*/**/{scan}_model-tensor_param-diffusivity_dwimap.nii.gz")
    own, published = (nibabel.load(one).get_fdata() for one in [results, path])
    # D11 D22 D33 D12 D13 D23 against D11 D12 D13 D22 D23 D33, as whole matrices.
    same = np.array_equal(own[..., [0, 3, 4, 3, 1, 5, 4, 5, 2]], published[..., [0, 1, 2, 1, 3, 4, 2, 4, 5]])
    check(f"{scan}: tensors are those of the run", same)
    # The entity of the atlas is between the entities of the scan.
    tables = {
        path.name.split("_meas-")[1].split("_")[0]: path
        for path in derivatives.glob("sub-*/**/*_meas-*_relmat.dense.tsv")
        if "_".join(part for part in path.name.split("_")[:-2] if not part.startswith("atlas-")) == scan
    }
    check(f"{scan}: matrices of {sorted(tables)}", {"count", "length"} <= tables.keys())
    for name, measure in MEASURES.items():
        # There are weights if streamlines were evaluated.
        if path := tables.get(measure):
            matrix = np.loadtxt(run_folder / f"connectome/connectome_{name}.csv", delimiter=",")
            same = np.array_equal(matrix, np.loadtxt(path, delimiter="\t", skiprows=1))
            check(f"{scan}: the matrix of {measure} is that of the run", same)
sys.exit(bool(failed))
