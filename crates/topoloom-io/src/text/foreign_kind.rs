//! Files of kinds that many programs write and nothing here reads, told by their first bytes.

/// What to do with a file that begins with these bytes, if it is of such a kind.
pub(crate) fn advice(bytes: &[u8]) -> Option<&'static str> {
    const KINDS: &[(&[u8], &str)] = &[
        (b"\xfd7zXZ\0", "is packed with xz; unpack it first (gzip and zstd are read as they are)"),
        (b"BZh", "is packed with bzip2; unpack it first (gzip and zstd are read as they are)"),
        (
            b"\x04\x22\x4d\x18",
            "is packed with lz4; unpack it first (gzip and zstd are read as they are)",
        ),
        (b"7z\xbc\xaf\x27\x1c", "is a 7-Zip archive; unpack it first"),
        (b"\x89HDF\r\n\x1a\n", "is an HDF5 file; save the matrix as .npy, .npz or .csv"),
        (b"MATLAB 5.0 MAT", "is a MATLAB file; save the matrix as .npy, .npz or .csv"),
        (b"PAR1", "is a Parquet file; save the table as .csv"),
        (b"ARROW1", "is an Arrow file; save the table as .csv"),
        (b"\xff\xfe", "is in UTF-16; save it in UTF-8"),
        (b"\xfe\xff", "is in UTF-16; save it in UTF-8"),
        (b"%PDF-", "is a PDF document, not data"),
        (b"\x89PNG", "is a picture, not data"),
        (b"\x7fELF", "is a program, not data"),
    ];
    // Documents of office programs are archives whose first file has a known name.
    if bytes.starts_with(b"PK\x03\x04")
        && bytes.get(30..).is_some_and(|name| name.starts_with(b"[Content_Types].xml"))
    {
        return Some("is a spreadsheet or a document; save the table as .csv");
    }
    let known = KINDS.iter().find(|(start, _)| bytes.starts_with(start));
    let is_pickle = matches!(bytes, [0x80, 2..=5, ..]);
    known
        .map(|&(_, advice)| advice)
        .or(is_pickle.then_some("is a pickle of Python; save the matrix as .npy, .npz or .csv"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_other_kinds_get_advice() {
        assert!(advice(b"\xfd7zXZ\0\0\x04").unwrap().contains("xz"));
        assert!(advice(b"\x80\x04\x95").unwrap().contains("pickle"));
        let spreadsheet = [&b"PK\x03\x04"[..], &[0; 26], b"[Content_Types].xml"].concat();
        assert!(advice(&spreadsheet).unwrap().contains("spreadsheet"));
        for ours in [&b"%%MatrixMarket"[..], b"0,1,5\n", b"\x93NUMPY", b"PK\x03\x04", b"{}", b""] {
            assert_eq!(advice(ours), None);
        }
    }
}
