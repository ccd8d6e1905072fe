//! The sizes of elements of tensors, by the names that PyTorch gives them.

/// The bytes of an element.
pub(super) fn bytes_of(name: &str) -> Option<u64> {
    // Kineto writes `BFloat16`, and others `bfloat16` or `c10::BFloat16`.
    let name = name.rsplit("::").next().unwrap_or(name).to_ascii_lowercase();
    Some(match name.as_str() {
        "bool" | "byte" | "char" | "int8" | "uint8" => 1,
        "qint8" | "quint8" | "bits8" => 1,
        name if name.starts_with("float8") => 1,
        "half" | "bfloat16" | "float16" | "short" | "int16" | "uint16" => 2,
        "float" | "float32" | "int" | "int32" | "uint32" | "qint32" | "complexhalf" => 4,
        "double" | "float64" | "long" | "int64" | "uint64" | "complexfloat" => 8,
        "complexdouble" => 16,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_the_sizes_of_their_types() {
        let sizes = ["BFloat16", "Float8_e4m3fn", "c10::Half", "Long", "Float", "Tensor"];
        let expected = [Some(2), Some(1), Some(2), Some(8), Some(4), None];
        assert_eq!(sizes.map(bytes_of), expected);
    }
}
