//! The daemon. Everything is in the library, so that the adapter can be the daemon too.

fn main() -> std::process::ExitCode {
    tengen_engine::cli::main(std::env::args_os())
}
