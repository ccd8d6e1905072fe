//! Reads anything as a platform in TOML; what can be read is the same once it is written and read
//! again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_io::Fault;
use topoloom_io::platforms::{parse_platform, parse_toml_platform, write_toml_platform};

fuzz_target!(|data: &[u8]| {
    let _ = parse_platform("a", data);
    let refuse = |_: &std::path::Path, _: topoloom_arrange::Interpolation| {
        Err(Fault::Unsupported("no files".to_string()))
    };
    let Ok(platform) = parse_toml_platform("a", data, &refuse) else { return };
    // Large ones are honest, but slow to compare.
    if platform.num_processors() > 1000 {
        return;
    }
    let Ok((text, _)) = write_toml_platform(&platform) else { return };
    let again = parse_toml_platform("again", text.as_bytes(), &refuse).expect("it was written");
    assert_eq!(again, platform);
});
