//! Surfaces of a tetrahedron, values and labels at its vertices, and a CIFTI-2 file.

/// Returns the name and the content of each file.
pub(super) fn surface_seeds() -> [(&'static str, Vec<u8>); 8] {
    let text = "#!ascii\n4 4\n0 0 0 0\n10 0 0 1\n0 10 0 2\n0 0 10 0.5\n0 2 1 0\n0 1 3 0\n0 3 2 0\n1 2 3 0\n";
    let vtk = "# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n0 0 0\n10 0 0\n0 10 0\n0 0 10\n\
               POLYGONS 4 16\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\nPOINT_DATA 4\nSCALARS values int\nLOOKUP_TABLE default\n\
               0\n1\n2\n0\n";
    [
        ("mesh.asc", text.into()),
        ("mesh.vtk", vtk.into()),
        ("mesh.gii", gifti().into()),
        ("lh.white", mesh()),
        ("lh.thickness", values()),
        ("lh.parts.annot", annotation()),
        (
            "maps.dscalar.nii",
            cifti("SCALARS\"><NamedMap><MapName>one</MapName></NamedMap>", 3006, [0.5, 1.5, 2.5, 3.5, 4.5]),
        ),
        (
            "parts.dlabel.nii",
            cifti(
                "LABELS\"><NamedMap><MapName>parts</MapName><LabelTable><Label Key=\"2\" Red=\"1\" Green=\"0\" Blue=\"0\" \
                 Alpha=\"1\">a</Label><Label Key=\"5\" Red=\"0\" Green=\"1\" Blue=\"0\" Alpha=\"1\">b</Label></LabelTable>\
                 </NamedMap>",
                3007,
                [2.0, 0.0, 5.0, 5.0, 2.0],
            ),
        ),
    ]
}

const CORNERS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [0.0, 10.0, 0.0], [0.0, 0.0, 10.0]];
const TRIANGLES: [[i32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

fn gifti() -> String {
    let array = |intent: &str, kind: &str, sizes: &str, rest: &str| {
        format!(
            "<DataArray Intent=\"NIFTI_INTENT_{intent}\" DataType=\"NIFTI_TYPE_{kind}\" {sizes} {rest}</DataArray>\n"
        )
    };
    let by_three = "Dimensionality=\"2\" Dim0=\"4\" Dim1=\"3\"";
    let one = "Dimensionality=\"1\" Dim0=\"4\"";
    let ascii = |data: &str| format!("Encoding=\"ASCII\"><Data>{data}</Data>");
    let compressed =
        "Encoding=\"GZipBase64Binary\" Endian=\"LittleEndian\"><Data>eNpjYACBA/YggoGhwQ4ADsUCfg==</Data>";
    let arrays = [
        array("POINTSET", "FLOAT32", by_three, &ascii("0 0 0 10 0 0 0 10 0 0 0 10")),
        array("TRIANGLE", "INT32", by_three, &ascii("0 2 1 0 1 3 0 3 2 1 2 3")),
        array("SHAPE", "FLOAT32", one, compressed),
        array("LABEL", "INT32", one, &ascii("0 0 0 3")),
    ];
    format!(
        "<?xml version=\"1.0\"?>\n<GIFTI Version=\"1.0\" NumberOfDataArrays=\"4\">\n<MetaData><MD><Name>\
         AnatomicalStructurePrimary</Name><Value>CortexLeft</Value></MD></MetaData>\n<LabelTable><Label Key=\"0\">none</Label>\
         <Label Key=\"3\" Red=\"1\" Green=\"0.2\" Blue=\"0\" Alpha=\"1\">tip</Label></LabelTable>\n{}</GIFTI>\n",
        arrays.concat()
    )
}

/// Returns numbers in FreeSurfer's big-endian format.
fn words(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}

fn mesh() -> Vec<u8> {
    let volume = "valid = 1  # volume info valid\nfilename = orig.mgz\nvolume = 256 256 256\nvoxelsize = 1 1 1\n\
                  xras = -1 0 0\nyras = 0 0 -1\nzras = 0 1 0\ncras = 1 2 3\n";
    let coordinates: Vec<u8> = CORNERS.iter().flatten().flat_map(|x| x.to_be_bytes()).collect();
    [
        &[0xff, 0xff, 0xfe][..],
        b"created by hand\n\n",
        &words(&[4, 4]),
        &coordinates,
        &words(TRIANGLES.as_flattened()),
        &words(&[2, 0, 20]),
        volume.as_bytes(),
    ]
    .concat()
}

fn values() -> Vec<u8> {
    let values: Vec<u8> = [0.5f32, 1.5, 2.5, 3.5].iter().flat_map(|x| x.to_be_bytes()).collect();
    [&[0xff, 0xff, 0xff][..], &words(&[4, 4, 1]), &values].concat()
}

fn annotation() -> Vec<u8> {
    let entry = |number: i32, name: &[u8], colour: [i32; 4]| {
        [words(&[number, name.len() as i32]), name.to_vec(), words(&colour)].concat()
    };
    [
        words(&[4, 0, 0, 1, 0, 2, 0, 3, 255, 1, -2, 2, 5]),
        b"hand\0".to_vec(),
        words(&[2]),
        entry(0, b"none\0", [0; 4]),
        entry(1, b"tip\0", [255, 0, 0, 0]),
    ]
    .concat()
}

/// Returns a CIFTI-2 file. `columns` describes its columns.
fn cifti(columns: &str, intent: i32, values: [f32; 5]) -> Vec<u8> {
    let text = "<CIFTI Version=\"2\"><Matrix><MatrixIndicesMap AppliesToMatrixDimension=\"0\" IndicesMapToDataType=\
                \"CIFTI_INDEX_TYPE_COLUMNS</MatrixIndicesMap><MatrixIndicesMap \
                AppliesToMatrixDimension=\"1\" IndicesMapToDataType=\"CIFTI_INDEX_TYPE_BRAIN_MODELS\"><Volume VolumeDimensions=\
                \"2,3,4\"><TransformationMatrixVoxelIndicesIJKtoXYZ MeterExponent=\"-3\">2 0 0 0 0 2 0 0 0 0 2 0 0 0 0 1\
                </TransformationMatrixVoxelIndicesIJKtoXYZ></Volume><BrainModel IndexOffset=\"0\" IndexCount=\"3\" BrainStructure=\
                \"CIFTI_STRUCTURE_CORTEX_LEFT\" ModelType=\"CIFTI_MODEL_TYPE_SURFACE\" SurfaceNumberOfVertices=\"4\"><VertexIndices>\
                0 1 3</VertexIndices></BrainModel><BrainModel IndexOffset=\"3\" IndexCount=\"2\" BrainStructure=\
                \"CIFTI_STRUCTURE_BRAIN_STEM\" ModelType=\"CIFTI_MODEL_TYPE_VOXELS\"><VoxelIndicesIJK>0 1 2 1 2 3</VoxelIndicesIJK>\
                </BrainModel></MatrixIndicesMap></Matrix></CIFTI>"
        .replace("COLUMNS", columns);
    let extension = (text.len() + 8).next_multiple_of(16);
    let mut bytes = vec![0; 544 + extension];
    let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
    put(0, &540i32.to_le_bytes());
    put(4, b"n+2\0\r\n\x1a\n");
    put(12, &16i16.to_le_bytes());
    put(14, &32i16.to_le_bytes());
    for (n, size) in [6i64, 1, 1, 1, 1, 1, 5, 1].into_iter().enumerate() {
        put(16 + 8 * n, &size.to_le_bytes());
    }
    put(168, &((544 + extension) as i64).to_le_bytes());
    put(504, &intent.to_le_bytes());
    put(540, &[1]);
    put(544, &(extension as i32).to_le_bytes());
    put(548, &32i32.to_le_bytes());
    put(552, text.as_bytes());
    bytes.extend(values.iter().flat_map(|x| x.to_le_bytes()));
    bytes
}
