//! The adapter, under a name of this package.

fn main() -> std::process::ExitCode {
    tengen_adapter::cli::main(std::env::args_os())
}
