//! Builds the libraries that the program carries inside itself and preloads into MPI programs: the
//! recorder, and the one that gives ranks another order.
//!
//! They are dynamic libraries without dependencies, so the compiler alone can build them. Cargo has no
//! stable way to embed one crate's library in another crate as bytes.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

/// The folder of the root of each library, and the variable that says where the library is.
const LIBRARIES: [(&str, &str); 2] =
    [("preload", "TOPOLOOM_RECORDER"), ("order", "TOPOLOOM_ORDER")];

fn main() {
    let source = Path::new(topoloom_recorder::SOURCE);
    for folder in ["src", "common", "preload", "order"] {
        println!("cargo::rerun-if-changed={}", source.join(folder).display());
    }
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    let can_preload = variable("CARGO_CFG_TARGET_OS") == "linux"
        && variable("CARGO_CFG_TARGET_POINTER_WIDTH") == "64";
    let mut compilers = Vec::new();
    for (folder, name) in LIBRARIES {
        let output = PathBuf::from(variable("OUT_DIR")).join(folder).with_extension("so");
        println!("cargo::rustc-env={name}={}", output.display());
        if can_preload {
            compilers.push((folder, compile(&source.join(folder).join("lib.rs"), &output)));
        } else {
            // With an empty library, the commands say that they do not work here.
            std::fs::write(&output, []).expect("the folder for output can be written");
        }
    }
    for (folder, mut compiler) in compilers {
        let status = compiler.wait().expect("the compiler ends");
        assert!(status.success(), "{folder}/lib.rs does not compile");
    }
}

/// Starts the compiler of one library.
fn compile(root: &Path, output: &Path) -> Child {
    let mut compiler = Command::new(variable("RUSTC"));
    // Tests and the profile `quick` are built often and run briefly. Only `quick` aborts at a
    // panic.
    let is_brief =
        env::var("CARGO_CFG_DEBUG_ASSERTIONS").is_ok() || variable("CARGO_CFG_PANIC") == "abort";
    compiler
        .args(["--crate-name", "topoloom_preload", "--crate-type", "cdylib", "--edition", "2024"])
        .args(["-C", if is_brief { "opt-level=0" } else { "opt-level=3" }])
        .args(["-C", "panic=abort", "-C", "strip=symbols", "--cap-lints", "allow"])
        .args(["--target", &variable("TARGET")])
        .arg("-o")
        .arg(output)
        .arg(root);
    // Released builds (--profile dist) are as small and fast as possible. The others take half of
    // the time, or a quarter.
    if variable("OPT_LEVEL") == "3" {
        compiler.args(["-C", "codegen-units=1", "-C", "lto=fat"]);
    } else {
        compiler.args(["-C", "lto=off"]);
    }
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        compiler.arg("-C").arg(format!("linker={linker}"));
    }
    compiler.spawn().expect("the compiler can be started")
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}
