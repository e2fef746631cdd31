//! The table of the functions of the model language.

/// Calls a macro with the table. A row has the file in `functions/` and the name of the function's
/// [`Function`](super::functions::Function). If the function has an operation of its own in programs, the row
/// also has the name of the operation, which is a type in the same file: `unary` operations have one operand,
/// and `binary` operations have two. `operators` are operations that formulas write as operators.
macro_rules! functions {
    ($then:ident) => {
        $then! {
            operators {
                unary arithmetic::Negative;
                binary arithmetic::Add;
                binary arithmetic::Subtract;
                binary arithmetic::Multiply;
                binary arithmetic::Divide;
                binary arithmetic::Less;
            }
            functions {
                elementary::EXP, unary Exponential;
                elementary::LN, unary Logarithm;
                elementary::SQRT, unary Root;
                elementary::ABS, unary Absolute;
                comparison::MIN, binary Minimum;
                comparison::MAX, binary Maximum;
                comparison::WHERE;
                trigonometry::SIN, unary Sine;
                trigonometry::COS, unary Cosine;
                trigonometry::ATAN, unary ArcTangent;
                trigonometry::ATAN2, binary ArcTangent2;
                trigonometry::ACOS, unary ArcCosine;
                error_function::ERF, unary Erf;
                error_function::DAWSON, unary Dawson;
                bessel::I0E, unary BesselI0e;
                bessel::I1E, unary BesselI1e;
                debye::DEBYE, unary Debye;
                legendre::LEGENDRE;
                vectors::DOT;
                vectors::CROSS;
                vectors::NORM;
                vectors::VECTOR;
                vectors::TENSOR;
                rotations::DIRECTION;
                rotations::ROTATE;
                rotations::ACROSS;
                watson::POWDER_STICK;
                watson::WATSON_STICK;
                watson::WATSON_COS2;
                watson::WATSON_MOMENT;
                bingham::BINGHAM_STICK;
                bingham::BINGHAM_COS2;
                restricted::SPHERE_GPD;
                restricted::CYLINDER_GPD;
            }
        }
    };
}
