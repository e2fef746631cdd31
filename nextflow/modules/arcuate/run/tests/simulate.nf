// A small brain whose connections are known, so that no data need to be fetched.
process ARCUATE_SIMULATE {
    container "arcuate:0.1.0"

    output:
        path "brain", emit: brain

    script:
    """
    arcuate simulate --out brain --voxel-size 6 --directions 12 --b-value 1000
    """

    stub:
    """
    mkdir brain
    touch brain/dwi.nii.gz brain/dwi.bval brain/dwi.bvec brain/mask.nii.gz brain/labels.nii.gz
    """
}
