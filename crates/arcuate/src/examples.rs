//! Command lines that work, for the help and the manual page of each command.

/// What stands above them in the help.
pub(crate) const HEADING: &str = "Examples:";

/// Of each command what is wanted, and the line that does it. A test runs them all.
const EXAMPLES: &[(&str, &[[&str; 2]])] = &[
    (
        "run",
        &[
            ["The whole way, with a report", "arcuate run dwi.nii.gz --out results"],
            [
                "A connectome of streamlines that are not evaluated",
                "arcuate run dwi.nii.gz --labels labels.nii.gz --evaluate none --out connected",
            ],
            ["The commands that it would run", "arcuate run dwi.nii.gz --out results --dry-run"],
        ],
    ),
    (
        "bids",
        &[
            [
                "A participant of QSIPrep's derivatives, along tensors",
                "arcuate bids qsiprep out participant --participant-label 01 --tracking tensor --select 5000",
            ],
            ["What all of them are together", "arcuate bids qsiprep out group"],
            ["A workflow for a cluster", "arcuate bids qsiprep out --workflow jobs"],
        ],
    ),
    ("status", &[["How far they are", "arcuate status derivatives"]]),
    (
        "recon",
        &[
            ["Conjugate gradients", "arcuate recon ksp.cfl --trajectory traj.cfl --out image.nii.gz"],
            [
                "Several coils, regularised",
                "arcuate recon ksp8.cfl --trajectory traj.cfl --sensitivities sens.cfl --lambda 0.1 --out i.nii",
            ],
        ],
    ),
    (
        "mask",
        &[
            ["Find the brain", "arcuate mask dwi.nii.gz --out brain.nii.gz"],
            [
                "With a gradient table of FSL's",
                "arcuate mask dwi.nii.gz --bval dwi.bval --bvec dwi.bvec --out brain.mif",
            ],
            [
                "Into the next command, one of MRtrix's say",
                "arcuate mask dwi.nii.gz --out - | arcuate convert - brain.nii",
            ],
        ],
    ),
    (
        "5tt",
        &[
            [
                "Of a segmentation of FreeSurfer's",
                "arcuate 5tt aparc+aseg.nii.gz --lut FreeSurfer --out 5tt.nii.gz",
            ],
            [
                "Of maps of tissues, SPM's say",
                "arcuate 5tt --grey-matter c1.nii --white-matter c2.nii --csf c3.nii --out 5tt.mif",
            ],
        ],
    ),
    (
        "fit",
        &[
            ["NODDI in a mask", "arcuate fit noddi-watson dwi.nii.gz --mask mask.nii.gz --out noddi"],
            [
                "Two models, and which of them each voxel supports",
                "arcuate fit ball-1-stick,ball-2-sticks dwi.nii.gz --compare bic --out sticks",
            ],
            [
                "Samples of the posterior distribution",
                "arcuate fit ball-2-sticks dwi.nii.gz --mask white_matter.nii.gz --method mcmc --out samples",
            ],
        ],
    ),
    (
        "response",
        &[[
            "Of single fibres",
            "arcuate response dwi.nii.gz --method single-fibre --voxels 20 --order 4 --out single",
        ]],
    ),
    (
        "fit csd",
        &[[
            "Distributions of fibre orientations",
            "arcuate fit csd dwi.nii.gz --responses responses --mask mask.nii.gz --out csd",
        ]],
    ),
    (
        "fit tensor",
        &[
            ["Tensors and their maps", "arcuate fit tensor dwi.nii.gz --mask mask.nii.gz --out tensor"],
            ["Low b-values alone", "arcuate fit tensor dwi.nii.gz --max-b 1200 --out low"],
            [
                "With the names and axes of FSL's dtifit",
                "arcuate fit tensor dwi.nii.gz --names fsl --out dti",
            ],
        ],
    ),
    (
        "maps",
        &[
            ["Maps of a tensor image", "arcuate maps tensor.nii.gz --out maps"],
            [
                "Of MRtrix's dwi2tensor, within a mask",
                "arcuate maps dt.mif --tensor-order mrtrix --mask mask.nii.gz --out mrtrix",
            ],
        ],
    ),
    (
        "models",
        &[
            ["List them", "arcuate models"],
            ["One as a file, to change it", "arcuate models noddi-watson > mine.toml"],
        ],
    ),
    (
        "bedpostx",
        &[
            ["Of the folder subject", "arcuate bedpostx subject"],
            ["Two fibres, sticks", "arcuate bedpostx other -n 2 -model 1"],
        ],
    ),
    (
        "xfibres",
        &[
            [
                "Two fibres",
                "arcuate xfibres -k dwi.nii.gz -m seeds.nii.gz -b dwi.bval -r dwi.bvec --nf=2 --logdir=xf",
            ],
            [
                "A short chain, model 2",
                "arcuate xfibres -k dwi.nii.gz -m seeds.nii.gz -b dwi.bval -r dwi.bvec --model=2 --nj=500",
            ],
        ],
    ),
    (
        "probtrackx2",
        &[
            [
                "Where streamlines from a region pass",
                "arcuate probtrackx2 -s sub.bedpostX/merged -m sub.bedpostX/nodif_brain_mask -x seeds --opd",
            ],
            [
                "A network of the regions that a text file names",
                "arcuate probtrackx2 -s sub.bedpostX/merged -m sub/nodif_brain_mask -x regions.txt --network",
            ],
        ],
    ),
    (
        "dtifit",
        &[
            [
                "Maps dti_FA, dti_V1 and so on",
                "arcuate dtifit -k dwi.nii.gz -o dti -m mask.nii.gz -r dwi.bvec -b dwi.bval",
            ],
            [
                "Weighted, with the tensor itself",
                "arcuate dtifit -k dwi -o wls -m mask -r dwi.bvec -b dwi.bval --wls --save_tensor",
            ],
        ],
    ),
    (
        "track",
        &[
            ["Through tensors", "arcuate track tensor tensor.nii.gz --out tracks.trx"],
            [
                "Through samples of fibres",
                "arcuate track samples samples --seed-mask seeds.nii.gz --out visits",
            ],
        ],
    ),
    (
        "track tensor",
        &[
            ["50,000 streamlines of white matter", "arcuate track tensor tensor.nii.gz --out tracks.trx"],
            [
                "1,000 from a region",
                "arcuate track tensor tensor.nii.gz --seed-mask seeds.nii.gz --select 1000 --out region.tck",
            ],
        ],
    ),
    (
        "track fod",
        &[
            ["1,000 streamlines of white matter", "arcuate track fod fod.nii.gz --select 1000 --out wm.trx"],
            [
                "Along peaks, from a region, without chance",
                "arcuate track fod fod.nii.gz --method peaks --seed-mask seeds.nii.gz --seed-grid 2 --out p.tck",
            ],
        ],
    ),
    (
        "track geodesic",
        &[
            [
                "The strongest connections of two regions",
                "arcuate track geodesic tensor.nii.gz --seed-mask seeds.nii.gz --targets end.nii.gz --out paths",
            ],
            ["A ray from each voxel", "arcuate track geodesic tensor.nii.gz --all --out rays"],
        ],
    ),
    (
        "track samples",
        &[
            [
                "Those that reach another region",
                "arcuate track samples samples --seed-mask seeds.nii.gz --waypoints end.nii.gz --out bundle",
            ],
            [
                "A tractogram of the whole brain",
                "arcuate track samples samples --select 1000 --out whole.trx",
            ],
            [
                "Many tracts, by XTRACT's masks",
                "arcuate track samples samples --protocols protocols --per-seed 5 --out tracts",
            ],
        ],
    ),
    ("merge", &[["All parts of a map of visits, which are beside it", "arcuate merge visits.parts"]]),
    (
        "track peaks",
        &[
            [
                "Where streamlines of a region pass",
                "arcuate track peaks peaks.nii.gz --seed-mask seeds.nii.gz --out visits",
            ],
            ["A tractogram", "arcuate track peaks peaks.nii.gz --seeds 2000 --out tracks.tck"],
        ],
    ),
    (
        "track bootstrap",
        &[
            [
                "Where streamlines of a region pass",
                "arcuate track bootstrap dwi.nii.gz --seed-mask seeds.nii.gz --out visits",
            ],
            [
                "100 refits, seeds anywhere",
                "arcuate track bootstrap dwi.nii.gz --replicates 100 --seeds 2000 --out refits",
            ],
        ],
    ),
    (
        "evaluate",
        &[
            ["LiFE", "arcuate evaluate life tracks.trx --dwi dwi.nii.gz --out life"],
            ["COMMIT", "arcuate evaluate commit tracks.trx --dwi dwi.nii.gz --out commit"],
        ],
    ),
    (
        "evaluate life",
        &[
            ["Weights of streamlines", "arcuate evaluate life tracks.trx --dwi dwi.nii.gz --out life"],
            [
                "What the signal loses without some",
                "arcuate evaluate life tracks.trx --dwi dwi.nii.gz --lesion lesion.txt --out lesion",
            ],
        ],
    ),
    (
        "evaluate commit",
        &[
            ["Weights of streamlines", "arcuate evaluate commit tracks.trx --dwi dwi.nii.gz --out commit"],
            [
                "Few of them",
                "arcuate evaluate commit tracks.trx --dwi dwi.nii.gz --regularise lasso --lambda 0.1 --out few",
            ],
        ],
    ),
    (
        "density",
        &[
            ["Streamlines in each voxel", "arcuate density tracks.trx --like fa.nii.gz --out density.nii.gz"],
            [
                "Their mean length there",
                "arcuate density tracks.trx --like fa.nii.gz --kind lengths --out lengths.mif",
            ],
        ],
    ),
    (
        "connectome",
        &[
            ["Count", "arcuate connectome tracks.trx --labels labels.nii.gz --out counts"],
            [
                "Sum weights",
                "arcuate connectome tracks.trx --labels labels.nii.gz --weights weights.txt --out weighted",
            ],
            [
                "Measure the mean FA between regions",
                "arcuate connectome tracks.trx --labels labels.nii.gz --measure fa=fa.nii.gz --out fa",
            ],
        ],
    ),
    (
        "parcellate",
        &[
            ["The largest target of each seed", "arcuate parcellate fdt_matrix2.dot --out biggest.tsv"],
            ["Three clusters of seeds", "arcuate parcellate fdt_matrix2.dot --clusters 3 --out clusters.tsv"],
        ],
    ),
    (
        "edit",
        &[
            [
                "Those that meet one region and not another",
                "arcuate edit tracks.trx --waypoints seeds.nii.gz --avoid avoid.nii.gz --out bundle.tck",
            ],
            [
                "Two tractograms in one, without short ones",
                "arcuate edit tracks.trx more.tck --min-length 20 --out both.trx",
            ],
        ],
    ),
    (
        "sample",
        &[
            ["FA along streamlines", "arcuate sample tracks.trx fa.nii.gz --out fa.csv"],
            ["Its mean of each", "arcuate sample tracks.trx fa.nii.gz --statistic mean --out mean.txt"],
        ],
    ),
    (
        "convert",
        &[
            ["A series with its gradients", "arcuate convert dwi.nii.gz dwi.mif"],
            ["A tractogram", "arcuate convert tracks.trx tracks.tck"],
            ["A shell", "arcuate convert dwi.nii.gz shell.nii.gz --shells 0,1000"],
        ],
    ),
    (
        "info",
        &[
            ["What files are", "arcuate info dwi.nii.gz tracks.trx"],
            ["For a program", "arcuate info --json dwi.nii.gz"],
        ],
    ),
    (
        "simulate",
        &[
            ["A brain", "arcuate simulate --out brain"],
            [
                "With the gradients of a scan",
                "arcuate simulate --gradients table.b --snr 20 --out like-a-scan",
            ],
            [
                "Three shells, and tissues as real ones with the truth about them",
                "arcuate simulate --shells 0:6,700:16,2800:30 --tissues --voxel-size 4 --out tissues",
            ],
        ],
    ),
    (
        "simulate kspace",
        &[
            ["Radial, eight coils", "arcuate simulate kspace --coils 8 --size 64,64 --out radial"],
            [
                "A spiral with noise",
                "arcuate simulate kspace --trajectory-kind spiral --size 64,64 --snr 30 --out spiral",
            ],
        ],
    ),
    (
        "demo",
        &[
            ["A third of a minute", "arcuate demo --out demo"],
            ["Coarser", "arcuate demo --voxel-size 5 --directions 30 --select 5000 --out coarse"],
        ],
    ),
    (
        "report",
        &[
            ["Of a folder of results", "arcuate report results --force"],
            ["Somewhere else", "arcuate report results --out page.html"],
        ],
    ),
    (
        "devices",
        &[["What can compute", "arcuate devices"], ["Is there a GPU", "arcuate devices --device auto"]],
    ),
    ("names", &[["Print them", "arcuate names --list"], ["As links in a folder", "arcuate names fsl_names"]]),
    (
        "completions",
        &[
            ["Of bash", "arcuate completions bash > arcuate.bash"],
            ["Of fish", "arcuate completions fish > arcuate.fish"],
        ],
    ),
    ("man", &[["Into a folder", "arcuate man --out man1"], ["Once more", "arcuate man --out man1 --force"]]),
];

/// The examples of a command, by its name without `arcuate`; none of `arcuate` itself and of `help`.
pub(crate) fn of(command: &str) -> &'static [[&'static str; 2]] {
    EXAMPLES.iter().find(|(name, _)| *name == command).map_or(&[], |(_, examples)| examples)
}

/// The part of a command's help.
pub(crate) fn help(command: &str) -> String {
    let lines = of(command).iter().map(|[what, line]| format!("\n  {what}:\n    {line}"));
    lines.fold(HEADING.to_owned(), |text, line| text + &line)
}
