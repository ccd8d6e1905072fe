//! The version of the interface is part of the name that programs look for. Only linkers of ELF systems
//! know this option, and cargo-c names the library itself.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let by_cargo_c = env::var_os("CARGO_FEATURE_CAPI").is_some();
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") && !by_cargo_c {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libtopoloom.so.0");
    }
}
