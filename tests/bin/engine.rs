//! The daemon, under a name of this package.

fn main() -> std::process::ExitCode {
    tengen_engine::cli::main(std::env::args_os())
}
