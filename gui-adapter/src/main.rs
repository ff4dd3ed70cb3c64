//! `tengen-adapter`: see [`tengen_adapter::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    tengen_adapter::cli::main(std::env::args_os())
}
