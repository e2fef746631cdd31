//! The commands that read the seeds (files that are damaged).

use super::random::Random;

/// Seeds, and the commands that read each of them. In a command, `@` is the damaged seed, and `%name` is another,
/// intact seed. `@/name` is a file in a seed that is a folder; any file of the folder may be damaged. `#` is an extreme
/// number.
pub(super) struct Group {
    pub(super) seeds: &'static [&'static str],
    pub(super) commands: &'static [&'static str],
}

/// All seeds with their commands. They cover every reader and every command.
pub(super) const GROUPS: &[Group] = &[
    Group {
        seeds: &["dwi.nii", "dwi.nii.gz", "dwi_2.nii", "dwi.mif", "dwi.mif.gz", "dwi.mgh", "dwi.mgz"],
        commands: &[
            "info @",
            "convert @ out.nii",
            "convert @ out.mif.gz --gradients %dwi.b",
            "convert @ out.nii.gz --volumes 0,2-4 --nifti-2",
            "convert @ out.mif --gradients %dwi.b --shells 0,2000",
            "mask @ --gradients %dwi.b --out out.nii",
            "fit tensor @ --gradients %dwi.b --mask %mask.nii --out out",
            "evaluate life %tracks.tck --dwi @ --gradients %dwi.b --iterations 5 --out out",
            "evaluate commit %tracks.tck --dwi @ --gradients %dwi.b --peaks %peaks.nii --iterations 3 --out out",
            "run @ --gradients %dwi.b --mask %mask.nii --select 5 --recipe %recipe_small.toml --out out",
        ],
    },
    Group {
        seeds: &["dwi.mif", "dwi.mif.gz"],
        commands: &["convert @ out.b", "convert @ out.nii", "fit tensor @ --out out"],
    },
    Group {
        seeds: &["pair"],
        commands: &[
            "info @/dwi.hdr",
            "convert @/dwi.img out.nii",
            "fit tensor @/dwi.hdr --gradients %dwi.b --out out",
        ],
    },
    Group {
        seeds: &["split"],
        commands: &["info @/dwi.mih", "convert @/dwi.mih out.mif", "fit tensor @/dwi.mih --out out"],
    },
    Group {
        seeds: &["mask.nii", "mask.nii.gz", "mask.mif", "fa.nii"],
        commands: &[
            "info @",
            "convert @ out.mif",
            "fit tensor %dwi.nii --gradients %dwi.b --mask @ --out out",
            "maps %tensor.nii --mask @ --out out",
            "track tensor %tensor.nii --seed-mask @ --seeds 200 --out out.tck",
            "track tensor %tensor.nii --seed-mask @ --seed-grid 1 --method fact --out out.trk",
            "track tensor %tensor.nii --seed-weights @ --seeds 200 --out out.trx",
            "track tensor %tensor.nii --mask @ --select 5 --one-way --out out.tck",
            "track geodesic %tensor.nii --seed-mask @ --seeds 20 --all --out out",
            "track geodesic %tensor.nii --seed-points %points.txt --targets @ --per-seed 20 --out out",
            "track geodesic %tensor.nii --mask @ --all --seeds 20 --integrator heun --field trilinear --out out",
            "5tt --grey-matter %mask.nii --white-matter @ --csf %fa.nii --out out.nii --interface between.nii",
            "5tt --grey-matter @ --white-matter %mask.nii --csf %mask.nii --subcortical @ --pathological @ --out out.mif",
            "density %tracks.tck --like @ --out out.nii",
            "density %tracks.tck --like @ --kind directional --out out.mif",
            "density %tracks.tck --like @ --kind lengths --weights %weights.txt --out out.nii.gz",
            "edit %tracks.tck --waypoints @ --out out.tck",
            "edit %tracks.tck --avoid @ --region-test ends --out out.tck",
            "convert %tracks.tck out.trk --reference @",
            "convert %tracks.tck out.trx --reference @",
            "convert %dwi.b out.scheme --reference @",
            "sample %tracks.tck @ --out out.txt",
            "sample %tracks.trx @ --nearest --statistic median --name value --out out.trx",
            "evaluate life %tracks.tck --dwi %dwi.nii --gradients %dwi.b --mask @ --iterations 3 --out out",
            "evaluate commit %tracks.tck --dwi %dwi.nii --gradients %dwi.b --mask @ --iterations 3 --out out",
            "evaluate commit %tracks.tck --dwi %dwi.nii --gradients %dwi.b --confidence @ --iterations 3 --out out",
            "evaluate commit %tracks.tck --model scalar-map --scalar-map @ --iterations 3 --out out",
            "run %dwi.nii --gradients %dwi.b --mask @ --select 5 --out out",
        ],
    },
    Group {
        seeds: &["labels.nii", "labels.mif"],
        commands: &[
            "info @",
            "5tt @ --lut FreeSurfer --out out.nii",
            "connectome %tracks.tck --labels @ --out out",
            "connectome %tracks.tck --labels @ --label-names %names.txt --weights %weights.txt --assignment end-voxel --out out",
            "connectome %tracks.tck --labels @ --labels %labels.mif --assignment forward --measure fa=%fa.nii,length --out out",
            "run %dwi.nii --gradients %dwi.b --mask %mask.nii --labels @ --select 5 --out out",
        ],
    },
    Group {
        seeds: &["tensor.nii", "tensor.mif"],
        commands: &[
            "track tensor @ --select 5 --out out.tck",
            "track tensor @ --select 5 --method fact --out out.trk",
            "track tensor @ --seeds 300 --method deflection --integrator euler --curvature-radius 5 --out out.trx",
            "track tensor @ --seed-points %points.txt --out out.tck",
            "track tensor @ --tensor-order fsl --select 5 --out out.tck",
            "track geodesic @ --all --seeds 20 --out out",
            "track geodesic @ --seed-points %points.txt --targets %mask.nii --per-seed 20 --field trilinear --out out",
            "maps @ --out out",
            "maps @ --tensor-order dipy --out out",
            "maps @ --tensor-order mrtrix --out out",
        ],
    },
    Group {
        seeds: &["peaks.nii", "peaks.mif"],
        commands: &[
            "evaluate commit %tracks.tck --dwi %dwi.nii --gradients %dwi.b --peaks @ --iterations 3 --out out",
            "evaluate commit %tracks.tck --dwi %dwi.nii --gradients %dwi.b --peaks @ --peaks-frame image --orientations 500 \
             --iterations 3 --out out",
        ],
    },
    Group {
        seeds: &[
            "tracks.tck",
            "double.tck",
            "tracks.trk",
            "sampled.trk",
            "averaged.trk",
            "tracks.tck.gz",
            "sampled.trk.gz",
            "tracks.trx",
            "sampled.trx",
            "known.trx",
            "points.trx",
            "half.trx",
            "double.trx",
        ],
        commands: &[
            "info @",
            "convert @ out.tck",
            "convert @ out.trk --reference %mask.nii",
            "convert @ out.tck.gz",
            "convert @ out.trk.gz --reference %mask.nii",
            "convert @ out.trx --reference %mask.nii --positions f16",
            "convert @ out.trx --reference %mask.nii --folder",
            "evaluate life @ --dwi %dwi.nii --gradients %dwi.b --iterations 3 --out out",
            "evaluate commit @ --dwi %dwi.nii --gradients %dwi.b --iterations 3 --out out",
            "connectome @ --labels %labels.nii --out out",
            "connectome @ --labels %labels.nii --assignment end-voxel --weights %weights.txt --out out",
            "connectome @ --labels %labels.nii --assignment reverse --measure length,fa=%fa.nii --out out",
            "connectome @ --labels %labels.nii --assignment forward --assignment-radius 20 --out out.npz",
            "connectome @ --labels %labels.nii --assignment all-voxels --out out",
            "density @ --like %mask.nii --out out.nii",
            "density @ --like %mask.nii --kind directional --by-length --weights %weights.txt --out out.nii",
            "edit @ --out out.tck --min-length 30",
            "edit @ %tracks.tck --reference %mask.nii --waypoints %mask.nii --skip 2 --select 20 --out out.trx",
            "edit @ --reference %mask.nii --weights %weights.txt --min-weight 0.1 --weights-out out.txt --out out.trk",
            "sample @ %fa.nii --out out.txt",
            "sample @ %fa.nii --statistic mean --out out.txt",
            "sample @ %fa.nii --name value --out out.trx",
        ],
    },
    Group {
        seeds: &["tracks.trx", "known.trx"],
        commands: &[
            "evaluate life @ --dwi %dwi.nii --gradients %dwi.b --lesion callosum_body --refit --iterations 3 --out out",
            "evaluate commit @ --dwi %dwi.nii --gradients %dwi.b --regularise group-sparse --groups all --lambda 0.1 \
             --iterations 3 --out out",
        ],
    },
    Group {
        seeds: &["dwi.b", "dwi.scheme", "dwi.prtcl", "timed.scheme", "timed.prtcl"],
        commands: &[
            "info @",
            "convert @ out.b --reference %dwi.nii",
            "convert @ out.scheme --reference %dwi.nii",
            "convert @ out.prtcl --reference %dwi.nii",
            "convert @ out.bvec --reference %dwi.nii",
            "convert %dwi.nii out.mif --gradients @",
            "mask %dwi.nii --gradients @ --out out.nii",
            "fit tensor %dwi.nii --gradients @ --out out",
            "evaluate life %tracks.tck --dwi %dwi.nii --gradients @ --iterations 3 --out out",
            "evaluate commit %tracks.tck --dwi %dwi.nii --gradients @ --iterations 3 --out out",
        ],
    },
    Group {
        seeds: &["dwi.b"],
        commands: &["simulate --voxel-size 10 --gradients @ --streamlines-per-bundle 1 --out out"],
    },
    Group {
        seeds: &["timed.scheme", "timed.prtcl"],
        commands: &[
            "evaluate commit %tracks.tck --dwi %dwi.nii --gradients @ --model cylinder-zeppelin-ball --radii 1,4 \
             --iterations 3 --out out",
        ],
    },
    Group {
        seeds: &["fsl"],
        commands: &[
            "info @/dwi.bval",
            "convert @/dwi.bvec out.b --reference %dwi.nii",
            "fit tensor %dwi.nii --bval @/dwi.bval --bvec @/dwi.bvec --out out",
            "run %dwi.nii --bval @/dwi.bval --bvec @/dwi.bvec --mask %mask.nii --select 5 --out out",
            "dtifit -k %dwi.nii -m %mask.nii -r @/dwi.bvec -b @/dwi.bval -o out --sse",
        ],
    },
    Group {
        seeds: &["weights.txt"],
        commands: &[
            "connectome %tracks.tck --labels %labels.nii --weights @ --out out",
            "density %tracks.tck --like %mask.nii --weights @ --out out.nii",
            "density %tracks.tck --like %mask.nii --kind lengths --by-length --weights @ --out out.nii",
            "edit %tracks.tck --weights @ --min-weight 0.1 --weights-out out.txt --out out.tck",
        ],
    },
    Group {
        seeds: &["names.txt", "freesurfer.txt", "mrtrix.txt", "names.csv"],
        commands: &[
            "connectome %tracks.tck --labels %labels.nii --label-names @ --out out",
            "run %dwi.nii --gradients %dwi.b --mask %mask.nii --labels %labels.nii --label-names @ --select 5 --out out",
        ],
    },
    Group {
        seeds: &["points.txt"],
        commands: &[
            "track tensor %tensor.nii --seed-points @ --out out.tck",
            "track tensor %tensor.nii --seed-points @ --select 2 --integrator euler --out out.trx",
            "track geodesic %tensor.nii --seed-points @ --all --out out",
        ],
    },
    Group {
        seeds: &["directions.txt"],
        commands: &[
            "evaluate life %tracks.tck --dwi %dwi.nii --gradients %dwi.b --orientations @ --iterations 3 --out out",
            "evaluate commit %tracks.tck --dwi %dwi.nii --gradients %dwi.b --orientations @ --iterations 3 --out out",
            "evaluate commit --dictionary %dict --dictionary-directions @ --dwi %dwi.nii --gradients %dwi.b --iterations 3 \
             --out out",
        ],
    },
    Group {
        seeds: &["numbers.txt"],
        commands: &[
            "evaluate life %tracks.tck --dwi %dwi.nii --gradients %dwi.b --lesion @ --iterations 3 --out out",
        ],
    },
    Group {
        seeds: &["groups.txt"],
        commands: &[
            "evaluate commit %tracks.tck --dwi %dwi.nii --gradients %dwi.b --regularise group-sparse --groups @ --lambda 0.1 \
             --iterations 3 --out out",
        ],
    },
    Group {
        seeds: &["mesh.asc", "mesh.vtk", "mesh.gii", "lh.white", "lh.thickness", "lh.parts.annot"],
        commands: &[
            "info @",
            "convert @ out.gii",
            "convert @ out.gii --mesh-space caret --structure CORTEX_RIGHT",
            "convert @ out.asc --mesh-space tkras --reference %mask.nii",
            "convert @ rh.white --reference %mask.nii",
            "convert @ out.annot",
            "find_the_biggest @ @ out",
        ],
    },
    Group {
        seeds: &["maps.dscalar.nii"],
        commands: &[
            "info @",
            "convert @ out.dscalar.nii",
            "convert @ out.gii",
            "convert @ out.gii --structure CORTEX_LEFT",
        ],
    },
    Group {
        seeds: &["lh.parts.annot", "mesh.gii"],
        commands: &[
            "connectome %tracks.tck --labels @ --surfaces %lh.white --out out",
            "connectome %tracks.tck --labels %labels.nii --labels @ --surfaces %lh.white --assignment-radius 50 --out out.npz",
        ],
    },
    Group {
        seeds: &["lh.white", "mesh.gii"],
        commands: &["connectome %tracks.tck --labels %lh.parts.annot --surfaces @ --out out"],
    },
    Group {
        seeds: &["parts.dlabel.nii"],
        commands: &[
            "info @",
            "convert @ out.gii",
            "connectome %tracks.tck --labels @ --surfaces %lh.white --assignment-radius 50 --out out",
        ],
    },
    Group {
        seeds: &["affine.txt", "affine.mat", "flirt.mat"],
        commands: &[
            "track tensor %tensor.nii --seed-mask %mask.nii --masks-to-dwi @ --seeds 50 --out out.tck",
            "track geodesic %tensor.nii --seed-points %points.txt --targets %mask.nii --masks-to-dwi @ --per-seed 20 --out out",
        ],
    },
    Group {
        seeds: &["affine.txt", "affine.mat"],
        commands: &[
            "track tensor %tensor.nii --seed-mask %mask.nii --masks-to-dwi @:inverse --masks-to-dwi %affine.mat --seeds 50 --out out.tck",
        ],
    },
    Group {
        seeds: &["warp.nii", "composite.h5"],
        commands: &[
            "track tensor %tensor.nii --seed-mask %mask.nii --masks-to-dwi @ --dwi-to-masks %warp.nii --seeds 50 --out out.tck",
            "track tensor %tensor.nii --seed-mask %mask.nii --masks-to-dwi %affine.txt --masks-to-dwi %warp.nii --dwi-to-masks @ \
             --dwi-to-masks %affine.txt:inverse --seeds 50 --out out.tck",
        ],
    },
    Group {
        seeds: &["coefficients.nii", "displacements.nii"],
        commands: &[
            "track tensor %tensor.nii --seed-mask %mask.nii --masks-to-dwi @ --dwi-to-masks %coefficients.nii --seeds 50 --out out.tck",
        ],
    },
    Group {
        seeds: &["matrix.dot", "matrix.npz", "pairs_counts.npz", "pairs_lengths.npz"],
        commands: &[
            "info @",
            "convert @ out.npz",
            "convert @ out.dot",
            "convert @ out_1.mtx",
            "parcellate @ --out out.tsv",
            "parcellate @ --clusters 2 --restarts 2 --out out.tsv",
        ],
    },
    Group {
        seeds: &["named"],
        commands: &[
            "info @/m.dot",
            "convert @/m.npz out.dot",
            "convert @/m.dot out.npz",
            "parcellate @/m.dot --like %mask.nii --out out.nii",
        ],
    },
    Group {
        seeds: &["oxford"],
        commands: &["info @/m_1.mtx", "convert @/m_2.mtx out_1.mtx", "convert @/m_3.mtx out.dot"],
    },
    Group {
        seeds: &["numbers.txt", "fa.nii"],
        commands: &["connectome %tracks.tck --labels %labels.nii --measure count,x=@ --out out"],
    },
    Group {
        seeds: &["recipe.toml", "recipe_small.toml"],
        commands: &[
            "run %dwi.nii --gradients %dwi.b --mask %mask.nii --recipe @ --select 5 --out out",
            "run %dwi.nii --gradients %dwi.b --recipe @ --evaluate commit --labels %labels.nii --dry-run --out out",
        ],
    },
    Group {
        seeds: &["scan"],
        commands: &[
            "recon @/ksp.cfl --trajectory @/traj.cfl --sensitivities @/sens.cfl --truth @/truth.nii.gz --out out.nii",
            "recon @/ksp.cfl --trajectory @/traj.cfl --sensitivities @/sens.cfl --q @/q.arcuate --iterations 3 --out out.cfl",
            "recon @/ksp.cfl --trajectory @/traj.cfl --iterations 3 --lambda auto --out out.nii",
            "recon @/ksp.cfl --trajectory @/traj.cfl --sample-weights @/ksp.cfl --size 16,16 --method gridding --density voronoi --out \
             out.nii",
            "recon @/ksp.cfl --trajectory @/traj.cfl --like @/truth.nii.gz --out out.nii",
            "recon @/ksp.cfl --trajectory @/traj.cfl --fov 220 --regularise anatomy=@/image.nii --iterations 3 --out out.nii",
            "recon @/ksp.npy --trajectory @/traj.npy --sensitivities @/sens.cfl --sample-weights @/weights.npy --iterations 3 --out out.nii",
            "recon @/ksp.npy --trajectory @/traj.cfl --sensitivities @/sens.cfl --method gridding --density @/weights.npy --complex --out \
             out.nii",
            "recon @/ksp.cfl --trajectory @/traj.cfl --sensitivities @/sens.cfl --size=#,# --out out.nii",
            "recon @/ksp.cfl --trajectory @/traj.cfl --trajectory-unit voxel --size=#,#,# --method adjoint --out out.cfl",
            "recon @/ksp.cfl --trajectory @/traj.cfl --trajectory-unit per-metre --size 16,16 --fov=# --out out.nii",
            "recon @/ksp.cfl --trajectory @/traj.cfl --sensitivities @/sens.cfl --lambda=# --sigma=# --iterations=# --tolerance=# --out \
             out.nii",
            "recon @/ksp.cfl --trajectory @/traj.cfl --sensitivities @/sens.cfl --lambda=# --precision double --out out.nii",
            "recon @/ksp.cfl --trajectory @/traj.cfl --fov=#,#,# --regularise anatomy=@/image.nii --edge=# --lambda=# --out out.nii",
            "recon @/ksp.cfl --trajectory @/traj.cfl --sensitivities @/sens.cfl --method gridding --oversampling=# --out out.nii",
            "recon @/ksp.cfl --trajectory @/traj.cfl --sensitivities @/sens.cfl --save-q out.nii --out out.nii",
            "report @/image.nii --out out.html",
        ],
    },
    Group {
        seeds: &["ellipsoids.txt"],
        commands: &[
            "simulate kspace --object @ --size 8,8 --readouts 4 --coils 2 --out out",
            "simulate kspace --object @ --size 6,6,6 --trajectory-kind cones --out out",
            "simulate kspace --object @ --size=#,# --out out",
            "simulate kspace --object @ --size=#,#,# --trajectory-kind cartesian --coils 3 --out out",
            "simulate kspace --object @ --size 8,8 --readouts=# --samples=# --coils=# --out out",
            "simulate kspace --object @ --size 8,8 --fov=# --snr=# --out out",
            "simulate kspace --size 8,8 --fov=# --snr=# --readouts 3 --out out",
            "simulate kspace --size 8,8 --trajectory-kind spiral --turns=# --readouts=# --out out",
            "simulate kspace --size 8,8 --trajectory-kind rosette --petals=# --turns=# --samples 100 --out out",
            "simulate kspace --size 8,8 --trajectory-kind rosette --petals=# --out out",
            "simulate kspace --size 8,8,8 --trajectory-kind cones --turns=# --readouts=# --out out",
            "simulate kspace --size 8,8,# --trajectory-kind spiral --readouts 1 --out out",
        ],
    },
    Group {
        seeds: &["results", "shown", "chain"],
        // The damaged record is the input of this report, so the report may read all of it.
        commands: &["report @ --out out.html", "report @ --out @/arcuate.json --force"],
    },
    Group {
        // A record may name files of another result. If these are in the folder, the command removes them.
        seeds: &["shown"],
        commands: &["maps %tensor.nii --out @ --force", "maps %tensor.nii --mask %mask.nii --out @ --force"],
    },
    Group {
        seeds: &["study", "prepared"],
        commands: &[
            "bids @ out participant --tracking tensor --evaluate none --select 5",
            "bids @ results --workflow out",
        ],
    },
    Group {
        seeds: &["study"],
        commands: &[
            "bids %prepared out participant --derivatives @ --tracking tensor --evaluate none --select 5",
        ],
    },
    Group {
        seeds: &["cohort"],
        commands: &[
            "bids @/data @/out participant --tracking tensor --evaluate none --select 5",
            "bids @/data @/out group",
            "status @/out",
            "status @/out/.arcuate --json",
        ],
    },
    Group {
        // If the record of another run names files in the folder, the command removes these files.
        seeds: &["kept"],
        commands: &[
            "run %dwi.nii --gradients %dwi.b --mask %mask.nii --tracking tensor --out @ --evaluate none --select 5",
            "run %dwi.nii --gradients %dwi.b --mask %mask.nii --tracking tensor --out @ --evaluate none --select 4 --force",
        ],
    },
    Group {
        seeds: &["chain"],
        commands: &[
            "fit ball-1-stick %dwi.nii --gradients %dwi.b --mask %mask.nii --method mcmc --jumps 10 --interval 5 --resume \
             @/state.nii.gz --save-state --out out",
            "track samples @ --seed-mask %mask.nii --per-seed 1 --out out.tck",
            "track samples @ --seed-mask %mask.nii --per-seed 1 --labels %labels.nii --out out",
            "track samples @ --seed-mask %mask.nii --per-seed 1 --matrix seeds --measure length --matrix-format npz,dot --out out",
            "track samples @ --seed-mask %mask.nii --per-seed 1 --matrix pairs --targets %mask.nii --out out",
        ],
    },
    Group {
        seeds: &["subject"],
        commands: &["bedpostx @ -n 1 -b 5 -j 10 -s 5", "bedpostx @ -n 2 -b 5 -j 10 -s 5 -model 1"],
    },
    Group {
        seeds: &["stick.toml", "sticks.toml", "noddi.toml"],
        commands: &[
            "models ./@",
            "fit ./@ %dwi.nii --gradients %dwi.b --mask %mask.nii --evaluations 3 --out out",
            "fit ./@ %dwi.nii --gradients %dwi.b --mask %mask.nii --method mcmc --burn-in 2 --jumps 4 --interval 2 --out out",
        ],
    },
    Group {
        seeds: &["dict"],
        commands: &[
            "evaluate commit --dictionary @ --dictionary-directions %directions.txt --dwi %dwi.nii --gradients %dwi.b \
             --iterations 3 --out out",
            "evaluate commit --dictionary @ --dictionary-directions %directions.txt --model scalar-map --scalar-map %fa.nii \
             --iterations 3 --out out",
        ],
    },
];

/// Extreme numbers, and some ordinary ones. None causes more work than the time limit allows, unless it requests more
/// memory than available.
const EXTREMES: [&str; 24] = [
    "0",
    "1",
    "2",
    "7",
    "0.5",
    "-1",
    "-0",
    "1e-300",
    "1e-38",
    "1e-20",
    "1e15",
    "1e18",
    "1e38",
    "1e160",
    "1e308",
    "1e999",
    "nan",
    "inf",
    "-inf",
    "1000000000",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
];

/// A command and the damaged seed that it reads.
#[derive(Clone, Copy)]
pub(super) struct Job {
    pub(super) seed: &'static str,
    pub(super) command: &'static str,
}

/// Returns all commands with all their seeds.
pub(super) fn all() -> Vec<Job> {
    let of = |group: &'static Group| {
        let commands = group.commands.iter();
        commands.flat_map(|command| group.seeds.iter().map(move |seed| Job { seed, command }))
    };
    GROUPS.iter().flat_map(of).collect()
}

impl Job {
    /// Returns the arguments of the command, which runs in a folder next to that of the seeds.
    pub(super) fn words(&self, random: &mut Random) -> Vec<String> {
        // The file may follow a name, as in `anatomy=@/image.nii`.
        let word = |word: &str| {
            let (name, file) = match word.split_once('=') {
                Some((name, file)) => (format!("{name}="), file),
                None => (String::new(), word),
            };
            // The name of a model that contains a folder is the path of a file.
            let (name, file) = match file.strip_prefix("./@") {
                Some(inside) => return format!("{name}./{}{inside}", self.seed),
                None => (name, file),
            };
            match (file.strip_prefix('@'), file.strip_prefix('%')) {
                (Some(inside), _) => format!("{name}{}{inside}", self.seed),
                (_, Some(other)) => format!("{name}../seeds/{other}"),
                _ => {
                    let parts = word.split('#').map(str::to_owned);
                    parts
                        .reduce(|before, after| format!("{before}{}{after}", random.one_of(&EXTREMES)))
                        .unwrap_or_default()
                }
            }
        };
        self.command.split_whitespace().map(word).collect()
    }

    /// If the command writes into the folder of a seed, returns this folder.
    pub(super) fn results_in_seed(&self) -> Option<String> {
        if self.command.contains("--out @ ") {
            Some(self.seed.to_owned())
        } else {
            self.command.starts_with("bids @/data @/out ").then(|| format!("{}/out", self.seed))
        }
    }

    /// Returns the command without arguments: `track tensor`.
    pub(super) fn name(&self) -> String {
        let mut words = self.command.split(' ');
        let first = words.next().unwrap_or_default();
        match first {
            "simulate" if !self.command.starts_with("simulate kspace") => first.to_owned(),
            "fit" | "track" | "evaluate" | "simulate" => {
                format!("{first} {}", words.next().unwrap_or_default())
            }
            _ => first.to_owned(),
        }
    }
}
