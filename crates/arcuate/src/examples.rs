//! Examples of each command, which its help and its manual page show.

/// Heading of the examples in the help.
pub(crate) const HEADING: &str = "Examples:";

/// For each command, its examples: the task of the example and its command line. A test runs all of them.
const EXAMPLES: &[(&str, &[[&str; 2]])] = &[
    (
        "run",
        &[
            ["Run the pipeline and write a report", "arcuate run dwi.nii.gz --out results"],
            [
                "Add a connectome, without evaluation",
                "arcuate run dwi.nii.gz --labels labels.nii.gz --evaluate none --out connected",
            ],
            ["Print the commands only", "arcuate run dwi.nii.gz --out results --dry-run"],
        ],
    ),
    (
        "bids",
        &[
            [
                "Process one participant of QSIPrep's derivatives, with tensor tracking",
                "arcuate bids qsiprep out participant --participant-label 01 --tracking tensor --select 5000",
            ],
            ["Summarise the group", "arcuate bids qsiprep out group"],
            ["Write a workflow for a cluster", "arcuate bids qsiprep out --workflow jobs"],
        ],
    ),
    ("bids status", &[["Print the state of each scan", "arcuate bids status derivatives"]]),
    (
        "recon",
        &[
            [
                "Reconstruct by conjugate gradients",
                "arcuate recon ksp.cfl --trajectory traj.cfl --out image.nii.gz",
            ],
            [
                "Use coil sensitivities and a penalty",
                "arcuate recon ksp8.cfl --trajectory traj.cfl --sensitivities sens.cfl --lambda 0.1 --out i.nii",
            ],
        ],
    ),
    (
        "mask",
        &[
            ["Find the brain", "arcuate mask dwi.nii.gz --out brain.nii.gz"],
            [
                "Use FSL's gradient table",
                "arcuate mask dwi.nii.gz --bval dwi.bval --bvec dwi.bvec --out brain.mif",
            ],
            [
                "Pipe the mask to the next command, for example of MRtrix",
                "arcuate mask dwi.nii.gz --out - | arcuate convert - brain.nii",
            ],
        ],
    ),
    (
        "5tt",
        &[
            [
                "Convert a FreeSurfer segmentation",
                "arcuate 5tt aparc+aseg.nii.gz --lut FreeSurfer --out 5tt.nii.gz",
            ],
            [
                "Combine tissue maps, for example from SPM",
                "arcuate 5tt --grey-matter c1.nii --white-matter c2.nii --csf c3.nii --out 5tt.mif",
            ],
        ],
    ),
    (
        "fit",
        &[
            ["Fit NODDI in a mask", "arcuate fit noddi-watson dwi.nii.gz --mask mask.nii.gz --out noddi"],
            [
                "Compare two models in each voxel",
                "arcuate fit ball-1-stick,ball-2-sticks dwi.nii.gz --compare bic --out sticks",
            ],
            [
                "Sample the posterior distribution",
                "arcuate fit ball-2-sticks dwi.nii.gz --mask white_matter.nii.gz --method mcmc --out samples",
            ],
        ],
    ),
    (
        "response",
        &[[
            "Estimate the single-fibre response",
            "arcuate response dwi.nii.gz --method single-fibre --voxels 20 --order 4 --out single",
        ]],
    ),
    (
        "fit csd",
        &[[
            "Estimate fibre orientation distributions",
            "arcuate fit csd dwi.nii.gz --responses responses --mask mask.nii.gz --out csd",
        ]],
    ),
    (
        "fit tensor",
        &[
            [
                "Fit the tensor and write its maps",
                "arcuate fit tensor dwi.nii.gz --mask mask.nii.gz --out tensor",
            ],
            ["Use low b-values only", "arcuate fit tensor dwi.nii.gz --max-b 1200 --out low"],
            ["Use the names and axes of FSL's dtifit", "arcuate fit tensor dwi.nii.gz --names fsl --out dti"],
        ],
    ),
    (
        "maps",
        &[
            ["Compute maps of a tensor image", "arcuate maps tensor.nii.gz --out maps"],
            [
                "Read a tensor image from MRtrix's dwi2tensor",
                "arcuate maps dt.mif --tensor-order mrtrix --mask mask.nii.gz --out mrtrix",
            ],
        ],
    ),
    (
        "bedpostx",
        &[
            ["Sample fibres in the folder subject", "arcuate bedpostx subject"],
            ["Use two sticks", "arcuate bedpostx other -n 2 -model 1"],
        ],
    ),
    (
        "xfibres",
        &[
            [
                "Sample two fibres",
                "arcuate xfibres -k dwi.nii.gz -m seeds.nii.gz -b dwi.bval -r dwi.bvec --nf=2 --logdir=xf",
            ],
            [
                "Run a short chain of model 2",
                "arcuate xfibres -k dwi.nii.gz -m seeds.nii.gz -b dwi.bval -r dwi.bvec --model=2 --nj=500",
            ],
        ],
    ),
    (
        "probtrackx2",
        &[
            [
                "Map the streamlines of a region",
                "arcuate probtrackx2 -s sub.bedpostX/merged -m sub.bedpostX/nodif_brain_mask -x seeds --opd",
            ],
            [
                "Count the connections of the regions in a text file",
                "arcuate probtrackx2 -s sub.bedpostX/merged -m sub/nodif_brain_mask -x regions.txt --network",
            ],
        ],
    ),
    (
        "dtifit",
        &[
            [
                "Write dti_FA, dti_V1 and so on",
                "arcuate dtifit -k dwi.nii.gz -o dti -m mask.nii.gz -r dwi.bvec -b dwi.bval",
            ],
            [
                "Use weighted least squares, and write the tensor",
                "arcuate dtifit -k dwi -o wls -m mask -r dwi.bvec -b dwi.bval --wls --save_tensor",
            ],
        ],
    ),
    (
        "track",
        &[
            ["Track through tensors", "arcuate track tensor tensor.nii.gz --out tracks.trx"],
            [
                "Track through fibre samples",
                "arcuate track samples samples --seed-mask seeds.nii.gz --products visits --out visits",
            ],
        ],
    ),
    (
        "track tensor",
        &[
            [
                "Track 50,000 streamlines in white matter",
                "arcuate track tensor tensor.nii.gz --out tracks.trx",
            ],
            [
                "Track 1,000 streamlines from a region",
                "arcuate track tensor tensor.nii.gz --seed-mask seeds.nii.gz --select 1000 --out region.tck",
            ],
        ],
    ),
    (
        "track fod",
        &[
            [
                "Track 1,000 streamlines in white matter",
                "arcuate track fod fod.nii.gz --select 1000 --out wm.trx",
            ],
            [
                "Track deterministically along peaks, from a region",
                "arcuate track fod fod.nii.gz --method peaks --seed-mask seeds.nii.gz --seed-grid 2 --out p.tck",
            ],
        ],
    ),
    (
        "track geodesic",
        &[
            [
                "Find the strongest connections of two regions",
                "arcuate track geodesic tensor.nii.gz --seed-mask seeds.nii.gz --targets end.nii.gz --out paths",
            ],
            ["Follow a ray from each voxel", "arcuate track geodesic tensor.nii.gz --out rays.trx"],
        ],
    ),
    (
        "track samples",
        &[
            [
                "Keep streamlines that reach another region",
                "arcuate track samples samples --seed-mask seeds.nii.gz --waypoints end.nii.gz --out bundle",
            ],
            ["Track the whole brain", "arcuate track samples samples --select 1000 --out whole.trx"],
            [
                "Track many tracts with XTRACT's masks",
                "arcuate track samples samples --protocols protocols --per-seed 5 --out tracts",
            ],
        ],
    ),
    ("merge", &[["Merge the parts of a visit map", "arcuate merge visits.parts"]]),
    (
        "track peaks",
        &[
            [
                "Map the streamlines of a region",
                "arcuate track peaks peaks.nii.gz --seed-mask seeds.nii.gz --products visits --out visits",
            ],
            ["Write a tractogram", "arcuate track peaks peaks.nii.gz --seeds 2000 --out tracks.tck"],
        ],
    ),
    (
        "track bootstrap",
        &[
            [
                "Map the streamlines of a region",
                "arcuate track bootstrap dwi.nii.gz --seed-mask seeds.nii.gz --products visits --out visits",
            ],
            [
                "Use 100 refits, and seeds anywhere",
                "arcuate track bootstrap dwi.nii.gz --replicates 100 --seeds 2000 --out refits",
            ],
        ],
    ),
    (
        "evaluate",
        &[
            ["Use LiFE", "arcuate evaluate life tracks.trx --dwi dwi.nii.gz --out life"],
            ["Use COMMIT", "arcuate evaluate commit tracks.trx --dwi dwi.nii.gz --out commit"],
        ],
    ),
    (
        "evaluate life",
        &[
            ["Weight the streamlines", "arcuate evaluate life tracks.trx --dwi dwi.nii.gz --out life"],
            [
                "Remove some streamlines virtually",
                "arcuate evaluate life tracks.trx --dwi dwi.nii.gz --lesion lesion.txt --out lesion",
            ],
        ],
    ),
    (
        "evaluate commit",
        &[
            ["Weight the streamlines", "arcuate evaluate commit tracks.trx --dwi dwi.nii.gz --out commit"],
            [
                "Keep few streamlines",
                "arcuate evaluate commit tracks.trx --dwi dwi.nii.gz --regularise lasso --lambda 0.1 --out few",
            ],
        ],
    ),
    (
        "density",
        &[
            ["Map the track density", "arcuate density tracks.trx --like fa.nii.gz --out density.nii.gz"],
            [
                "Map the mean length",
                "arcuate density tracks.trx --like fa.nii.gz --kind lengths --out lengths.mif",
            ],
        ],
    ),
    (
        "connectome",
        &[
            ["Count streamlines", "arcuate connectome tracks.trx --labels labels.nii.gz --out counts"],
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
            ["Find the largest target of each seed", "arcuate parcellate fdt_matrix2.dot --out biggest.tsv"],
            [
                "Find three clusters of seeds",
                "arcuate parcellate fdt_matrix2.dot --clusters 3 --out clusters.tsv",
            ],
        ],
    ),
    (
        "edit",
        &[
            [
                "Keep streamlines through one region and not another",
                "arcuate edit tracks.trx --waypoints seeds.nii.gz --avoid avoid.nii.gz --out bundle.tck",
            ],
            [
                "Join two tractograms, without short streamlines",
                "arcuate edit tracks.trx more.tck --min-length 20 --out both.trx",
            ],
        ],
    ),
    (
        "sample",
        &[
            ["Sample FA along streamlines", "arcuate sample tracks.trx fa.nii.gz --out fa.csv"],
            [
                "Compute the mean FA of each streamline",
                "arcuate sample tracks.trx fa.nii.gz --statistic mean --out mean.txt",
            ],
        ],
    ),
    (
        "convert",
        &[
            ["Convert a series with its gradients", "arcuate convert dwi.nii.gz dwi.mif"],
            ["Convert a tractogram", "arcuate convert tracks.trx tracks.tck"],
            ["Extract a shell", "arcuate convert dwi.nii.gz shell.nii.gz --shells 0,1000"],
        ],
    ),
    (
        "info",
        &[
            ["Describe files", "arcuate info dwi.nii.gz tracks.trx"],
            ["Print the result as JSON", "arcuate info --json dwi.nii.gz"],
        ],
    ),
    (
        "simulate",
        &[
            ["Simulate a brain", "arcuate simulate --out brain"],
            [
                "Use the gradient table of a scan",
                "arcuate simulate --gradients table.b --snr 20 --out like-a-scan",
            ],
            [
                "Simulate three shells and realistic tissues",
                "arcuate simulate --shells 0:6,700:16,2800:30 --tissues --voxel-size 4 --out tissues",
            ],
        ],
    ),
    (
        "simulate kspace",
        &[
            [
                "Simulate a radial scan with eight coils",
                "arcuate simulate kspace --coils 8 --size 64,64 --out radial",
            ],
            [
                "Simulate a noisy spiral scan",
                "arcuate simulate kspace --trajectory-kind spiral --size 64,64 --snr 30 --out spiral",
            ],
        ],
    ),
    (
        "demo",
        &[
            ["Run the demo", "arcuate demo --out demo"],
            ["Run it on a coarser brain", "arcuate demo --voxel-size 5 --select 5000 --out coarse"],
        ],
    ),
    (
        "report",
        &[
            ["Write the report of a folder of results again", "arcuate report results --force"],
            ["Write the report to another file", "arcuate report results --out page.html"],
        ],
    ),
    ("setup devices", &[["List the processor and the GPUs", "arcuate setup devices"]]),
    (
        "setup names",
        &[
            ["List FSL's programs", "arcuate setup names"],
            ["Link their names to Arcuate", "arcuate setup names fsl_names"],
        ],
    ),
    (
        "setup completions",
        &[
            ["For bash", "arcuate setup completions bash > arcuate.bash"],
            ["For fish", "arcuate setup completions fish > arcuate.fish"],
        ],
    ),
    (
        "setup man",
        &[
            ["Write the pages", "arcuate setup man --out man1"],
            ["Replace the pages", "arcuate setup man --out man1 --force"],
        ],
    ),
];

/// Returns the examples of a command. `command` is its name without `arcuate`. There are no examples for
/// `arcuate` itself and for `help`.
pub(crate) fn of(command: &str) -> &'static [[&'static str; 2]] {
    EXAMPLES.iter().find(|(name, _)| *name == command).map_or(&[], |(_, examples)| examples)
}

/// Returns the section with examples for the help of a command.
pub(crate) fn help(command: &str) -> String {
    let lines = of(command).iter().map(|[what, line]| format!("\n  {what}:\n    {line}"));
    lines.fold(HEADING.to_owned(), |text, line| text + &line)
}
