//! The program `topoloom`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(topoloom_cli::run(std::env::args_os()))
}
