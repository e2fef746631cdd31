//! Help pages of the programs.

use super::call::Program;

const BEDPOSTX: &str = "\
Sample crossing fibres with the options and files of FSL's bedpostx

Usage: arcuate bedpostx SUBJECT [OPTIONS]; or `bedpostx SUBJECT [OPTIONS]` by a link of that name

Reads data, nodif_brain_mask, bvals and bvecs in the folder SUBJECT and writes SUBJECT.bedpostX.

  -n N        largest number of fibres per voxel [3]
  -w W        weight of automatic relevance determination (ARD), which removes fibres without support [1]
  -b N        number of sweeps (updates of all parameters) before the first sample [1000]
  -j N        number of sweeps after the burn-in [1250]
  -s N        number of sweeps per sample [25]
  -model M    signal model [2]
              1: ball and sticks
              2: ball and sticks with gamma-distributed diffusivities
              3: ball and zeppelins with gamma-distributed diffusivities
  -g          use the gradient deviations in the image grad_dev
  -c, -NJOBS N, -Q QUEUE, -QSYS N    accepted and ignored

Every other word is an option of xfibres (`arcuate xfibres -h`).

";

const XFIBRES: &str = "\
Sample crossing fibres of one series with the options of FSL's xfibres

Usage: arcuate xfibres --data=IMAGE --mask=IMAGE --bvecs=FILE --bvals=FILE [OPTIONS]; or `xfibres …` by a link of that name

  -k, --data, --datafile   diffusion series, a 4-D image
  -m, --mask, --maskfile   mask of the voxels to sample
  -r, --bvecs              gradient directions, in FSL's format
  -b, --bvals              b-values, in s/mm²
  --ld, --logdir           output folder; if it exists, + is appended to its name [logdir]
  --forcedir               write into --logdir, even if it exists
  --nf, --nfibres          largest number of fibres per voxel [1]
  --model                  signal model [1]
                           1: ball and sticks
                           2: ball and sticks with gamma-distributed diffusivities
                           3: ball and zeppelins with gamma-distributed diffusivities
  --fudge                  weight of automatic relevance determination (ARD), which removes fibres without support [1]
  --noard                  do not use automatic relevance determination (ARD) for any fibre
  --allard                 use automatic relevance determination (ARD) for the first fibre, too
  --bi, --burnin           number of sweeps (updates of all parameters) before the first sample [1000]
  --nj, --njumps           number of sweeps after the burn-in [1250]
  --se, --sampleevery      number of sweeps per sample [25]
  --upe, --updateproposalevery   number of sweeps between two adaptations of the proposal widths [40]
  --seed                   seed of the random numbers [8665904]
  --rician                 assume Rician noise, and sample its precision
  --f0                     add a compartment without diffusion (unattenuated signal) to the model
  --ardf0                  use automatic relevance determination (ARD) for the compartment of --f0
  --Rmean                  mean of the prior of the ratio of diffusivities, perpendicular over parallel, in model 3 [0.13]
  --Rstd                   standard deviation of the prior of --Rmean [0.03]
  --Rfudge                 weight of automatic relevance determination for the ratio of --Rmean [0]
  --nospat, --nonlinear, --cnonlinear, --bn, --burnin_noard   accepted and ignored: chains start from a fit
  --gradnonlin             image of gradient deviations with nine volumes (grad_dev)
  -V, --verbose            accepted and ignored

";

const PROBTRACKX2: &str = "\
Track through fibre samples with the options of FSL's probtrackx2

Usage: arcuate probtrackx2 -s X.bedpostX/merged -m MASK -x SEEDS [OPTIONS]; or `probtrackx2 …` by a link of that name

Regions are images (voxels other than 0), surfaces, or text files with several names. Required:
  -s, --samples            base name of bedpostX's samples
  -m, --mask               mask of the voxels to track through
  -x, --seed               seed regions; with --simple, a text file of seed voxels, x y z per line

Modes:
  --network                keep only streamlines that connect two regions of --seed
  --simple                 write one result per seed point

Results:
  --dir                    output folder; if it exists, + is appended to its name [logdir]
  --forcedir               write into --dir, even if it exists
  -o, --out                name of the visit map [fdt_paths]
  --opd                    write the visit map: number of streamlines per voxel
  --pd                     multiply each visit map by the mean length of the streamlines
  --ompl                   write the mean length of the streamlines per voxel (_lengths)
  --fopd                   also write the visit map in these regions (_alt)
  --opathdir               write the principal direction of the streamlines per voxel (_localdir)
  --savepaths              write the points of the streamlines (saved_paths.txt)
  --targetmasks            target regions for --os2t, --s2tastext and --otargetpaths
  --os2t                   write a map for each target: the number of streamlines from each seed that pass the target
  --s2tastext              write a text table with the numbers of --os2t: a row per seed, a column per target
  --otargetpaths           write the visit map of the streamlines of each target
  --omatrix1               write a matrix of the numbers of streamlines, seeds by seeds
  --distthresh1            smallest length of a streamline that --omatrix1 counts, in mm [0]
  --omatrix2               write a matrix of the numbers of streamlines, seeds by voxels of --target2
  --target2                image whose voxels are the columns of --omatrix2
  --omatrix3               write a matrix of streamlines that pass two voxels or vertices of target regions
  --target3                regions whose voxels and vertices are the rows of --omatrix3
  --lrtarget3              regions whose voxels and vertices are the columns of --omatrix3 [those of --target3]
  --distthresh3            smallest length of a streamline that --omatrix3 counts, in mm [0]
  --omatrix4               write a matrix of the sampled voxels by seeds, with fibres and lengths
  --target4                mask whose voxels are the rows of --omatrix4
  --colmask4               mask whose voxels are the columns of --omatrix4 [the seeds]

Rules:
  --waypoints              regions that a streamline must pass
  --waycond                AND: a streamline must pass all waypoints; OR: at least one [AND]
  --wayorder               require that waypoints are passed in the order of --waypoints
  --onewaycondition        test waypoints in each half of a streamline separately
  --avoid                  reject streamlines that enter these regions
  --stop                   stop streamlines at their first point in these regions
  --wtstop                 stop streamlines when they leave these regions

Spaces:
  --xfm                    transform from seeds to samples: a FLIRT matrix or a FNIRT field
  --invxfm                 inverse of the transform in --xfm; required if that is a field
  --seedref                reference image, if the seeds are not an image [the mask]
  --meshspace              coordinates of surfaces: caret, freesurfer, first or vox [caret]

Tracking:
  -P, --nsamples           number of streamlines per seed [5000]
  -S, --nsteps             largest number of steps per streamline, half of them in each direction [2000]
  --steplength             step length, in mm [0.5]
  --distthresh             smallest length of each half of a streamline, in mm [0]
  -c, --cthr               smallest cosine of the angle between two steps [0.2]
  --fibthresh              smallest volume fraction of a fibre to follow [0.01]
  --fibst                  number of the fibre to follow at the seed, counted from 1 [1]
  --randfib                rule that chooses the fibre to follow at the seed [0]
                           0: the fibre of --fibst
                           1: a random fibre above --fibthresh, unless --fibst is given
                           2: as 1, but with probabilities proportional to the volume fractions
                           3: a random fibre of all fibres
  -l, --loopcheck          stop a streamline that returns to a place in the opposite direction
  -f, --usef               continue at each step with a probability equal to the fibre fraction
  --modeuler               use modified Euler steps
  --noprobinterpol         use the orientations of the nearest voxel
  --forcefirststep         ignore --avoid at the seed, and --stop at the end of the first step
  --sampvox                radius of the ball around each seed in which streamlines begin, in mm [0]
  --rseed                  seed of the random numbers [12345]
  -V, --verbose            amount of messages: 0, 1 or 2 [0]
  --onewayonly, --osampfib accepted and ignored, as in FSL

These options are not available and are refused: --closestvertex, --prefdir, --no_integrity, --locfibchoice, --loccurvthresh

";

const SURROUNDINGS: &str = "\
Environment:
  ARCUATE_DEVICE           computing device: auto, cpu, cuda, cuda:1 or cuda:0,1 [auto: the first GPU, or else the CPU]
  ARCUATE_DEVICE_MEMORY    largest amount of memory to use on each GPU, such as 2GiB [all free memory]
  ARCUATE_THREADS          number of CPU threads [all]
  FSLOUTPUTTYPE            image format: NIFTI_GZ, NIFTI, NIFTI2_GZ or NIFTI2 [NIFTI_GZ]
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

  -k, --data       diffusion series, a 4-D image
  -m, --mask       mask of the voxels to fit
  -r, --bvecs      gradient directions, in FSL's format
  -b, --bvals      b-values, in s/mm²
  -o, --out        prefix of the maps: NAME_V1, V2, V3, L1, L2, L3, MD, FA, MO, S0
  -w, --wls        weight measurements by their squared signals [equal weights]
  --sse            write NAME_sse, the sum of squared residuals of the log signal
  --save_tensor    write NAME_tensor with the volumes Dxx Dxy Dxz Dyy Dyz Dzz, in FSL's axes
  --littlebit      fit only a box of voxels, which the next six options give, counted from 0
  -x, --xmin  -y, --ymin  -z, --zmin   first voxel of the box along each axis
  -X, --xmax  -Y, --ymax  -Z, --zmax   voxel after the last one of the box along each axis
  -V, --verbose    accepted and ignored
  --kurt, --kurtdir, --cni, --gradnonlin   not available; refused

";

const TOOLS: &str = "\
Process samples and seed maps with the options of FSL's programs

  make_dyadic_vectors THETA PHI [MASK] OUT [PERCENT]
      writes principal directions to OUT, and 1 − the largest eigenvalue to OUT_dispersion;
      with PERCENT, also OUT_conesPERCENT, the angle in degrees that contains PERCENT of the samples
  find_the_biggest MAP … OUT
      writes the number of the largest map (seeds_to_…) at each seed, counted from 1, or 0 if all maps are 0
  proj_thresh MAP … THRESHOLD
      writes each map divided by the sum of all maps as MAP_proj_seg_thr_THRESHOLD, 0 where the sum is below
      THRESHOLD; writes the sum as total
  fdt_matrix_merge LIST OUT
      writes the sum of the .dot matrices listed in the file LIST

Maps are images, or surfaces (.asc, .gii) with one value per vertex.

";

/// Returns the text of a program's help page, without its examples.
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
