//! The pages of help.

use super::call::Program;

const BEDPOSTX: &str = "\
Crossing fibres by Markov chains, in the words of FSL's bedpostx

Usage: arcuate bedpostx SUBJECT [OPTIONS]; or `bedpostx SUBJECT [OPTIONS]` by a link of that name

Reads data, nodif_brain_mask, bvals and bvecs in the folder SUBJECT and writes SUBJECT.bedpostX.

  -n N        fibres of a voxel [3]
  -w W        weight of automatic relevance determination [1]
  -b N        sweeps before the first sample [1000]
  -j N        sweeps behind them [1250]
  -s N        of these, every so many-th is a sample [25]
  -model M    1: ball and sticks, 2: diffusivities gamma-distributed, 3: zeppelins [2]
  -g          gradients deviate in each voxel, as the image grad_dev says
  -c, -NJOBS N, -Q QUEUE, -QSYS N    taken, without effect

Every other word is an option of xfibres (`arcuate xfibres -h`).

";

const XFIBRES: &str = "\
Crossing fibres of one series, in the words of FSL's xfibres

Usage: arcuate xfibres --data=IMAGE --mask=IMAGE --bvecs=FILE --bvals=FILE [OPTIONS]; or `xfibres …` by a link of that name

  -k, --data, --datafile   diffusion series     -m, --mask, --maskfile   where to sample
  -r, --bvecs              directions           -b, --bvals              b-values (s/mm²)
  --ld, --logdir           folder of results [logdir]: + behind its name until that is new
  --forcedir               write into it as it is named
  --nf, --nfibres          fibres of a voxel [1]
  --model                  1: ball and sticks, 2: diffusivities gamma-distributed, 3: zeppelins [1]
  --fudge                  weight of automatic relevance determination [1]
  --noard, --allard        of no fibre; of the first one too
  --bi, --burnin           sweeps before the first sample [1000]
  --nj, --njumps           sweeps behind them [1250]
  --se, --sampleevery      of these, every so many-th is a sample [25]
  --upe, --updateproposalevery   sweeps after which widths of proposals change [40]
  --seed                   seed of random numbers [8665904]
  --rician                 Rician noise, whose precision is sampled
  --f0, --ardf0            a part of the signal that is not attenuated; relevance determination of it
  --Rmean, --Rstd, --Rfudge   prior of model 3's ratio of diffusivities [0.13, 0.03, 0]
  --nospat, --nonlinear, --cnonlinear, --bn, --burnin_noard   taken: chains start from our own fit in any case
  --gradnonlin             how gradients deviate in each voxel, nine volumes (grad_dev)
  -V, --verbose            taken

";

const PROBTRACKX2: &str = "\
Streamlines through samples of fibres, in the words of FSL's probtrackx2

Usage: arcuate probtrackx2 -s X.bedpostX/merged -m MASK -x SEEDS [OPTIONS]; or `probtrackx2 …` by a link of that name

Regions are images (all voxels that are not 0), surfaces, or text files that name several. Needed:
  -s, --samples            base name of the samples of bedpostx
  -m, --mask               where to track
  -x, --seed               where streamlines begin; with --simple a table of voxels, x y z a line

Modes:
  --network                from each region of --seed those that meet another one of them
  --simple                 from points, each with results of its own

Results:
  --dir, --forcedir        folder [logdir]: + behind its name until that is new; write into it as it is named
  -o, --out                name of the path distribution [fdt_paths]
  --opd                    write it: streamlines that pass each voxel
  --pd, --ompl             counts times mean length; mean lengths beside every result (_lengths)
  --fopd                   the same on these regions (_alt)
  --opathdir               principal direction of the streamlines in each voxel (_localdir)
  --savepaths              points of the streamlines (saved_paths.txt)
  --targetmasks            with --os2t a map of each target, with --s2tastext a table of seeds by targets
  --otargetpaths           where those streamlines pass that meet each target
  --omatrix1, --distthresh1              seeds by seeds; of streamlines as long as this, mm [0]
  --omatrix2, --target2                  seeds by voxels of an image
  --omatrix3, --target3, --lrtarget3, --distthresh3   elements of regions by elements of the same, or of others
  --omatrix4, --target4, --colmask4      voxels of the samples by seeds, or by elements, with fibres and lengths

Rules:
  --waypoints, --waycond   regions to pass: AND all of them, OR any [AND]
  --wayorder, --onewaycondition          in their order; each half by itself
  --avoid, --stop, --wtstop              reject there; end there; end where they leave again

Spaces:
  --xfm, --invxfm          seeds to samples: a FLIRT matrix, or a FNIRT field and its inverse
  --seedref                where seeds lie that are no image [the mask]
  --meshspace              coordinates of surfaces: caret, freesurfer, first, vox [caret]

Tracking:
  -P, --nsamples           streamlines of each seed [5000]
  -S, --nsteps             steps of a streamline, half of them to each side [2000]
  --steplength             mm [0.5]
  --distthresh             shortest half, mm [0]
  -c, --cthr               smallest cosine of a turn [0.2]
  --fibthresh              fraction above which a fibre counts [0.01]
  --fibst, --randfib       first fibre [1]; 1: drawn, 2: in proportion, 3: of all [0]
  -l, --loopcheck          end where a streamline comes back against its direction
  -f, --usef               go on with the fraction of the fibre as probability
  --modeuler               modified Euler steps
  --noprobinterpol         orientations of the nearest voxel
  --forcefirststep         spare the seed of what is avoided, and the end of the first step of what stops
  --sampvox                radius of the ball in which streamlines begin, mm [0]
  --rseed                  seed of random numbers [12345]
  -V, --verbose            0, 1 or 2 [0]
  --onewayonly, --osampfib taken: they have no effect in FSL either

Not there yet, and refused: --closestvertex, --prefdir, --no_integrity, --locfibchoice, --loccurvthresh

";

const SURROUNDINGS: &str = "\
Environment:
  ARCUATE_DEVICE           auto, cpu, cuda, cuda:1, cuda:0,1 [auto: the first GPU where there is one]
  ARCUATE_DEVICE_MEMORY    most memory to use on each GPU, as 2GiB
  ARCUATE_THREADS          processor threads [all]
  FSLOUTPUTTYPE            NIFTI_GZ, NIFTI, NIFTI2_GZ or NIFTI2 [NIFTI_GZ]
";

const PARTS: &str = "\
Parts of a subject, in the words of FSL's helpers of bedpostx_gpu

  split_parts_gpu DATA MASK BVALS BVECS GRAD|NULL 0|1 PARTS FOLDER
  xfibres_gpu <options of xfibres> SUBJECT PART PARTS VOXELS
  merge_parts_gpu <options of xfibres> VOXELS PARTS SUBJECT
  bedpostx_postproc_gpu.sh <options of xfibres> VOXELS PARTS SUBJECT FOLDER_OF_PROGRAMS

One after the other they come to the same files as bedpostx.

";

const DTIFIT: &str = "\
A diffusion tensor in every voxel, in the words of FSL's dtifit

Usage: arcuate dtifit --data=IMAGE --out=NAME --mask=IMAGE --bvecs=FILE --bvals=FILE [OPTIONS]; or `dtifit …` by a link of that name

  -k, --data       diffusion series        -m, --mask       where to fit
  -r, --bvecs      directions              -b, --bvals      b-values (s/mm²)
  -o, --out        what names of maps begin with: NAME_V1, V2, V3, L1, L2, L3, MD, FA, MO, S0
  -w, --wls        weights are squares of signals [all are the same]
  --sse            NAME_sse too, the sum of squared differences of logarithms
  --save_tensor    NAME_tensor too: Dxx Dxy Dxz Dyy Dyz Dzz, FSL's axes
  --littlebit      a part of the image alone, which the next ones say
  -x, --xmin  -X, --xmax  -y, --ymin  -Y, --ymax  -z, --zmin  -Z, --zmax   from this voxel on, up to the one before that
  -V, --verbose    taken
  --kurt, --kurtdir, --cni, --gradnonlin   refused: that is not done here

";

const TOOLS: &str = "\
What is made of samples and of maps of seeds, in the words of FSL's programs

  make_dyadic_vectors THETA PHI [MASK] OUT [PERCENT]
      principal directions of samples in OUT, 1 − the largest eigenvalue in OUT_dispersion, and the angle in degrees
      within which so many percent of the samples lie in OUT_conesPERCENT
  find_the_biggest MAP … OUT
      which of the maps (seeds_to_…) is the largest at each seed, counted from 1; 0 where none is above 0
  proj_thresh MAP … THRESHOLD
      each map over the sum of all where that is THRESHOLD or more, as MAP_proj_seg_thr_THRESHOLD; the sum as total
  fdt_matrix_merge LIST OUT
      the sum of the .dot matrices that the file LIST names

Maps are images, or surfaces (.asc, .gii) with a value at each vertex.

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
