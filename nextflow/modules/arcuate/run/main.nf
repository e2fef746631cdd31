process ARCUATE_RUN {
    tag "$meta.id"
    label 'process_high'

    container "arcuate:0.1.0"

    input:
        tuple val(meta), path(dwi), path(bval), path(bvec), path(mask), path(labels), path(five_tissues)

    output:
        tuple val(meta), path("*__arcuate")             , emit: results
        tuple val(meta), path("*__report.html")         , emit: report
        tuple val(meta), path("*__arcuate.json")        , emit: record
        tuple val(meta), path("*__tracks.trx")          , emit: trx
        tuple val(meta), path("*__track_density.nii.gz"), emit: density
        tuple val(meta), path("*__fa.nii.gz")           , emit: fa
        tuple val(meta), path("*__md.nii.gz")           , emit: md
        tuple val(meta), path("*__ad.nii.gz")           , emit: ad
        tuple val(meta), path("*__rd.nii.gz")           , emit: rd
        tuple val(meta), path("*__connectome_*.csv")    , emit: connectome, optional: true
        path "versions.yml"                             , emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def prefix = task.ext.prefix ?: "${meta.id}"
    def args = task.ext.args ?: ''

    def with_mask = mask ? "--mask $mask" : ''
    def with_labels = labels ? "--labels $labels" : ''
    def with_tissues = five_tissues ? "--five-tissues $five_tissues" : ''
    def select = task.ext.select ? "--select " + task.ext.select : ''
    def tracking = task.ext.tracking ? "--tracking " + task.ext.tracking : ''
    def evaluate = task.ext.evaluate ? "--evaluate " + task.ext.evaluate : ''
    // Without a GPU for the job, the results must not depend on the GPUs of its
    // node.
    def device = task.ext.device ?: (task.accelerator ? 'cuda' : 'cpu')
    def device_memory = task.ext.device_memory ? "--device-memory " + task.ext.device_memory : ''
    """
    arcuate run $dwi --bval $bval --bvec $bvec --out ${prefix}__arcuate --threads $task.cpus --device $device \\
        $with_mask $with_labels $with_tissues $select $tracking $evaluate $device_memory $args

    # Links with the prefix of the subject.
    for file in report.html arcuate.json tracks.trx track_density.nii.gz; do
        ln ${prefix}__arcuate/\$file ${prefix}__\$file
    done
    for map in fa md ad rd; do
        ln ${prefix}__arcuate/tensor/\$map.nii.gz ${prefix}__\$map.nii.gz
    done
    if [ -d ${prefix}__arcuate/connectome ]; then
        for table in ${prefix}__arcuate/connectome/connectome_*.csv; do
            ln \$table ${prefix}__\${table##*/}
        done
    fi

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        arcuate: \$(arcuate --version | cut -d' ' -f2)
    END_VERSIONS
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    arcuate run --help > /dev/null

    mkdir ${prefix}__arcuate
    for file in report.html arcuate.json tracks.trx track_density.nii.gz fa.nii.gz md.nii.gz ad.nii.gz rd.nii.gz; do
        touch ${prefix}__\$file
    done

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        arcuate: \$(arcuate --version | cut -d' ' -f2)
    END_VERSIONS
    """
}
