//! The pages of help.

use super::call::Program;

const BEDPOSTX: &str = "\
Sample crossing fibres with the options and files of FSL's bedpostx

Usage: arcuate bedpostx SUBJECT [OPTIONS]; or `bedpostx SUBJECT [OPTIONS]` by a link of that name

Reads data, nodif_brain_mask, bvals and bvecs in the folder SUBJECT and writes SUBJECT.bedpostX.

  -n N        fibres per voxel [3]
  -w W        weight of automatic relevance determination (ARD) [1]
  -b N        sweeps before the first sample [1000]
  -j N        sweeps after them [1250]
  -s N        number of sweeps per sample [25]
  -model M    1: ball and sticks, 2: diffusivities gamma-distributed, 3: zeppelins [2]
  -g          use the gradient deviations in grad_dev
  -c, -NJOBS N, -Q QUEUE, -QSYS N    accepted and ignored

Every other word is an option of xfibres (`arcuate xfibres -h`).

";

const XFIBRES: &str = "\
Sample crossing fibres of one series with the options of FSL's xfibres

Usage: arcuate xfibres --data=IMAGE --mask=IMAGE --bvecs=FILE --bvals=FILE [OPTIONS]; or `xfibres …` by a link of that name

  -k, --data, --datafile   diffusion series     -m, --mask, --maskfile   voxels to sample
  -r, --bvecs              directions           -b, --bvals              b-values (s/mm²)
  --ld, --logdir           output folder [logdir]; + is appended if it exists
  --forcedir               write into --logdir, even if it exists
  --nf, --nfibres          fibres per voxel [1]
  --model                  1: ball and sticks, 2: diffusivities gamma-distributed, 3: zeppelins [1]
  --fudge                  weight of automatic relevance determination (ARD) [1]
  --noard, --allard        ARD of no fibre; of the first fibre, too
  --bi, --burnin           sweeps before the first sample [1000]
  --nj, --njumps           sweeps after them [1250]
  --se, --sampleevery      number of sweeps per sample [25]
  --upe, --updateproposalevery   sweeps after which proposal widths adapt [40]
  --seed                   seed of random numbers [8665904]
  --rician                 Rician noise with sampled precision
  --f0, --ardf0            unattenuated part of the signal; ARD of it
  --Rmean, --Rstd, --Rfudge   prior of model 3's ratio of diffusivities [0.13, 0.03, 0]
  --nospat, --nonlinear, --cnonlinear, --bn, --burnin_noard   accepted and ignored: chains start from a fit
  --gradnonlin             gradient deviations, nine volumes (grad_dev)
  -V, --verbose            accepted and ignored

";

const PROBTRACKX2: &str = "\
Track through fibre samples with the options of FSL's probtrackx2

Usage: arcuate probtrackx2 -s X.bedpostX/merged -m MASK -x SEEDS [OPTIONS]; or `probtrackx2 …` by a link of that name

Regions are images (voxels other than 0), surfaces, or text files with several names. Required:
  -s, --samples            base name of bedpostX's samples
  -m, --mask               mask of the voxels to track through
  -x, --seed               seeds; with --simple a table of voxels, x y z per line

Modes:
  --network                keep streamlines that connect two regions of --seed
  --simple                 one result per seed point

Results:
  --dir, --forcedir        output folder [logdir], + is appended if it exists; write into --logdir, even if it exists
  -o, --out                name of the visit map [fdt_paths]
  --opd                    write the visit map: number of streamlines per voxel
  --pd, --ompl             counts times mean length; also write mean lengths (_lengths)
  --fopd                   visit map of these regions (_alt)
  --opathdir               principal direction of the streamlines in each voxel (_localdir)
  --savepaths              points of the streamlines (saved_paths.txt)
  --targetmasks            targets; --os2t writes a map per target, --s2tastext a table of seeds by targets
  --otargetpaths           visit map of the streamlines of each target
  --omatrix1, --distthresh1              seeds by seeds; shortest streamline, mm [0]
  --omatrix2, --target2                  seeds by voxels of an image
  --omatrix3, --target3, --lrtarget3, --distthresh3   elements of regions by elements of the same or other regions
  --omatrix4, --target4, --colmask4      voxels of the samples by seeds, or by elements, with fibres and lengths

Rules:
  --waypoints, --waycond   regions to pass: AND all of them, OR any [AND]
  --wayorder, --onewaycondition          pass them in this order; test each half separately
  --avoid, --stop, --wtstop              reject in these; stop in these; stop when leaving these

Spaces:
  --xfm, --invxfm          seeds to samples: a FLIRT matrix, or a FNIRT field and its inverse
  --seedref                reference image of seeds that are not an image [the mask]
  --meshspace              coordinates of surfaces: caret, freesurfer, first, vox [caret]

Tracking:
  -P, --nsamples           streamlines per seed [5000]
  -S, --nsteps             steps per streamline, half in each direction [2000]
  --steplength             step, mm [0.5]
  --distthresh             shortest half, mm [0]
  -c, --cthr               smallest cosine of a turn [0.2]
  --fibthresh              smallest volume fraction of a fibre [0.01]
  --fibst, --randfib       initial fibre [1]; 1: random, 2: by fraction, 3: of all fibres [0]
  -l, --loopcheck          stop if a streamline returns against its direction
  -f, --usef               continue with the fibre fraction as probability
  --modeuler               modified Euler steps
  --noprobinterpol         orientations of the nearest voxel
  --forcefirststep         ignore --avoid at the seed and --stop after the first step
  --sampvox                radius of the ball of seed positions, mm [0]
  --rseed                  seed of random numbers [12345]
  -V, --verbose            0, 1 or 2 [0]
  --onewayonly, --osampfib accepted and ignored, as in FSL

Not available, refused: --closestvertex, --prefdir, --no_integrity, --locfibchoice, --loccurvthresh

";

const SURROUNDINGS: &str = "\
Environment:
  ARCUATE_DEVICE           auto, cpu, cuda, cuda:1, cuda:0,1 [auto: the first GPU, otherwise the CPU]
  ARCUATE_DEVICE_MEMORY    largest memory to use on each GPU, such as 2GiB
  ARCUATE_THREADS          CPU threads [all]
  FSLOUTPUTTYPE            NIFTI_GZ, NIFTI, NIFTI2_GZ or NIFTI2 [NIFTI_GZ]
";

const PARTS: &str = "\
Process parts of a subject with the options of FSL's helpers of bedpostx_gpu

  split_parts_gpu DATA MASK BVALS BVECS GRAD|NULL 0|1 PARTS FOLDER
  xfibres_gpu <options of xfibres> SUBJECT PART PARTS VOXELS
  merge_parts_gpu <options of xfibres> VOXELS PARTS SUBJECT
  bedpostx_postproc_gpu.sh <options of xfibres> VOXELS PARTS SUBJECT FOLDER_OF_PROGRAMS

Called in this order, they write the files of bedpostx.

";

const DTIFIT: &str = "\
Fit the diffusion tensor with the options of FSL's dtifit

Usage: arcuate dtifit --data=IMAGE --out=NAME --mask=IMAGE --bvecs=FILE --bvals=FILE [OPTIONS]; or `dtifit …` by a link of that name

  -k, --data       diffusion series        -m, --mask       voxels to fit
  -r, --bvecs      directions              -b, --bvals      b-values (s/mm²)
  -o, --out        prefix of the maps: NAME_V1, V2, V3, L1, L2, L3, MD, FA, MO, S0
  -w, --wls        weight by squared signals [equal weights]
  --sse            write NAME_sse, the sum of squared differences of logarithms
  --save_tensor    write NAME_tensor: Dxx Dxy Dxz Dyy Dyz Dzz, FSL's axes
  --littlebit      fit only the box of the following options
  -x, --xmin  -X, --xmax  -y, --ymin  -Y, --ymax  -z, --zmin  -Z, --zmax   first voxel, and one after the last
  -V, --verbose    accepted and ignored
  --kurt, --kurtdir, --cni, --gradnonlin   not available, refused

";

const TOOLS: &str = "\
Process samples and seed maps with the options of FSL's programs

  make_dyadic_vectors THETA PHI [MASK] OUT [PERCENT]
      writes principal directions to OUT, 1 − the largest eigenvalue to OUT_dispersion, and the angle in degrees that
      contains PERCENT of the samples to OUT_conesPERCENT
  find_the_biggest MAP … OUT
      writes the number of the largest map (seeds_to_…) at each seed, counted from 1; 0 if all are 0
  proj_thresh MAP … THRESHOLD
      writes each map divided by the sum of all maps, if the sum is at least THRESHOLD, as MAP_proj_seg_thr_THRESHOLD;
      and the sum as total
  fdt_matrix_merge LIST OUT
      writes the sum of the .dot matrices listed in the file LIST

Maps are images, or surfaces (.asc, .gii) with one value per vertex.

";

/// The page of a program, without its examples.
pub(super) fn page(program: Program) -> String {
    let own = match program {
        Program::Bedpostx => BEDPOSTX,
        Program::Xfibres => XFIBRES,
        Program::Dtifit => DTIFIT,
        Program::Probtrackx2 => PROBTRACKX2,
        Program::MakeDyadicVectors | Program::FindTheBiggest | Program::ProjThresh | Program::MatrixMerge => {
            TOOLS
        }
        Program::SplitParts | Program::XfibresOfPart | Program::MergeParts | Program::Postprocessing => PARTS,
    };
    format!("{own}{SURROUNDINGS}")
}
