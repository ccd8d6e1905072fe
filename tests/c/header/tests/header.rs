//! The header that is committed is the one that cbindgen writes.

use std::path::Path;

/// With `TOPOLOOM_WRITE_HEADER` set, the header is written again.
#[test]
fn the_header_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap();
    let folder = &root.join("crates").join("topoloom-c");
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).unwrap();
    let bindings = cbindgen::Builder::new().with_crate(folder).with_config(config).generate();
    let mut written = Vec::new();
    bindings.unwrap().write(&mut written);
    let path = folder.join("include").join("topoloom.h");
    if std::env::var_os("TOPOLOOM_WRITE_HEADER").is_some() {
        std::fs::write(&path, &written).unwrap();
    }
    let committed = std::fs::read(&path).unwrap_or_default();
    assert!(
        committed == written,
        "include/topoloom.h is not up to date: run TOPOLOOM_WRITE_HEADER=1 cargo test -p topoloom-c-header"
    );
}
