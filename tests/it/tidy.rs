//! The repository itself: text files, names, licences.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().expect("the tests are a member of the workspace").to_owned()
}

/// The files of the repository by path from its root, those not yet committed included: as git lists
/// them, or, in an archive without git, all but what builds leave behind.
fn files() -> Vec<PathBuf> {
    let git = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output();
    let mut files: Vec<PathBuf> = match git {
        Ok(output) if output.status.success() => {
            let list = String::from_utf8(output.stdout).expect("file names are UTF-8");
            list.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect()
        }
        _ => {
            let mut files = Vec::new();
            walk(&root(), Path::new(""), &mut files);
            files
        }
    };
    // Deleted, but not yet for git.
    files.retain(|file| root().join(file).is_file());
    files.sort();
    files.dedup();
    assert!(files.iter().any(|file| file == Path::new("Cargo.toml")), "{files:?}");
    files
}

fn walk(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) {
    const SKIPPED: [&str; 5] = ["target", ".git", "node_modules", ".venv", "__pycache__"];
    for entry in fs::read_dir(root.join(folder)).expect("a readable folder") {
        let name = PathBuf::from(entry.expect("a readable folder").file_name());
        if SKIPPED.iter().any(|skipped| name == Path::new(skipped)) {
            continue;
        }
        let path = folder.join(name);
        if root.join(&path).is_dir() {
            walk(root, &path, files);
        } else {
            files.push(path);
        }
    }
}

/// The text files with their text; what is not UTF-8 is data, and so are the cases of the fuzzer.
fn texts() -> Vec<(PathBuf, String)> {
    let read = |file: PathBuf| fs::read_to_string(root().join(&file)).ok().map(|text| (file, text));
    files().into_iter().filter(|file| !file.starts_with("tests/corpus")).filter_map(read).collect()
}

/// Fails with one line for each place where `wrong` finds something.
fn no_line(what: &str, texts: &[(PathBuf, String)], wrong: impl Fn(&Path, &str) -> bool) {
    let mut found = Vec::new();
    for (file, text) in texts {
        for (index, line) in text.split('\n').enumerate() {
            if wrong(file, line) {
                found.push(format!("{}:{}: {}", file.display(), index + 1, line.trim_end()));
            }
        }
    }
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

fn is(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|other| other == extension)
}

#[test]
fn no_trailing_blanks_and_no_tabs_in_code() {
    let texts = texts();
    // A reply without a text is "= " in the protocol, and transcripts show it; in tables, an empty last
    // column is data.
    let transcript = |file: &Path| {
        file.components().any(|part| part.as_os_str() == "transcripts") || file == Path::new("protocol.md")
    };
    no_line("trailing blanks", &texts, |file, line| {
        let allowed = transcript(file) && line.starts_with(['=', '?', '>']) || is(file, "tsv");
        line.ends_with([' ', '\t', '\r']) && !allowed
    });
    let code =
        |file: &Path| ["rs", "toml", "py", "js", "css", "html", "md"].iter().any(|other| is(file, other));
    no_line("tabs", &texts, |file, line| code(file) && line.contains('\t'));
    let unended: Vec<_> =
        texts.iter().filter(|(_, text)| !text.is_empty() && !text.ends_with('\n')).collect();
    assert!(
        unended.is_empty(),
        "no newline at the end: {:?}",
        unended.iter().map(|(file, _)| file).collect::<Vec<_>>()
    );
}

#[test]
fn nothing_depends_on_one_machine() {
    // Written in pieces, so that this file passes.
    let folders = ["work", "root", "home", "Users"].map(|name| format!("/{name}/"));
    no_line("absolute paths of some machine", &texts(), |_, line| {
        folders.iter().any(|folder| {
            line.match_indices(folder).any(|(at, _)| {
                let before = line[..at].chars().next_back();
                !before.is_some_and(|c| c.is_alphanumeric() || "._-~}])/*".contains(c))
            })
        })
    });
}

#[test]
fn no_addresses_of_package_registries() {
    let hosts = [
        concat!("crates", ".io"),
        concat!("pypi", ".org"),
        concat!("npm", "js"),
        concat!("rubygems", ".org"),
        concat!("deb.debian", ".org"),
        concat!("static.rust-", "lang"),
    ];
    // Cargo's lock file names the registry each package comes from.
    no_line("package registries", &texts(), |file, line| {
        !file.ends_with("Cargo.lock") && hosts.iter().any(|host| line.contains(host))
    });
}

/// The values of `name = "..."` in the sections of that heading.
fn names(manifest: &str, heading: &str) -> Vec<String> {
    let mut inside = false;
    let mut names = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line == heading;
        } else if let Some(value) = line.strip_prefix("name = ").filter(|_| inside) {
            names.push(value.trim_matches('"').to_owned());
        }
    }
    names
}

#[test]
fn packages_and_programs_have_their_names() {
    let mut programs = Vec::new();
    for (member, package) in [
        ("engine", "tengen-engine"),
        ("gui-adapter", "tengen-adapter"),
        ("tests", "tengen-tests"),
        ("tools", "tengen-tools"),
    ] {
        let manifest = fs::read_to_string(root().join(member).join("Cargo.toml")).expect(member);
        assert_eq!(names(&manifest, "[package]"), [package]);
        programs.extend(names(&manifest, "[[bin]]").into_iter().filter(|_| member != "tests"));
        assert!(
            manifest.contains("[lints]\nworkspace = true"),
            "{member} does not take the workspace's lints"
        );
    }
    assert_eq!(programs, ["tengen-engine", "tengen-adapter", "tengen-tools"]);
    let workspace = fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    assert!(workspace.contains("default-members = [\"gui-adapter\"]"));
}

#[test]
fn the_documents_of_a_repository_are_there() {
    for name in [
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "tests/run",
        ".ci/run",
    ] {
        assert!(root().join(name).is_file(), "{name} is missing");
    }
    #[cfg(unix)]
    for name in ["tests/run", ".ci/run"] {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(root().join(name)).expect(name).permissions().mode();
        assert!(mode & 0o111 != 0, "{name} is not executable");
    }
}

// ------------------------------------------------------------------------------------------- licences

/// Licences under which a library may be used; each allows Tengen's own two.
const ALLOWED: [&str; 10] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unicode-3.0",
    "CC0-1.0",
    "0BSD",
];

/// Whether a licence expression can be satisfied by the list: one side of each `OR` (or, in old
/// manifests, `/`), both of each `AND`.
fn allowed(expression: &str) -> bool {
    fn any(words: &mut &[String]) -> bool {
        let mut result = all(words);
        while let Some((_, rest)) = words.split_first().filter(|(word, _)| *word == "OR") {
            *words = rest;
            result |= all(words);
        }
        result
    }
    fn all(words: &mut &[String]) -> bool {
        let mut result = one(words);
        while let Some((_, rest)) = words.split_first().filter(|(word, _)| *word == "AND") {
            *words = rest;
            result &= one(words);
        }
        result
    }
    fn one(words: &mut &[String]) -> bool {
        let Some((first, rest)) = words.split_first() else { return false };
        *words = rest;
        if first == "(" {
            let result = any(words);
            let closed = words.split_first().filter(|(word, _)| *word == ")");
            *words = closed.map_or(*words, |(_, rest)| rest);
            return result && closed.is_some();
        }
        let name = match rest {
            [with, exception, rest @ ..] if with == "WITH" => {
                *words = rest;
                format!("{first} WITH {exception}")
            }
            _ => first.clone(),
        };
        ALLOWED.contains(&name.as_str())
    }
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<String> = spaced.split_whitespace().map(str::to_owned).collect();
    let mut rest = words.as_slice();
    any(&mut rest) && rest.is_empty()
}

#[test]
fn licence_expressions() {
    for good in
        ["MIT", "MIT OR Apache-2.0", "Unlicense OR MIT", "MIT/Apache-2.0", "(MIT OR GPL-3.0) AND Unicode-3.0"]
    {
        assert!(allowed(good), "{good}");
    }
    for bad in [
        "",
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "MPL-2.0 OR GPL-3.0",
        "(MIT",
        "MIT Apache-2.0",
        "MIT AND",
        "Unlicense",
    ] {
        assert!(!allowed(bad), "{bad}");
    }
}

#[test]
fn all_dependencies_are_under_licences_that_fit() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args([
            "tree",
            "--workspace",
            "--locked",
            "--offline",
            "--prefix",
            "none",
            "--edges",
            "normal,build,dev",
        ])
        .args(["--format", "{p}\t{l}"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let list = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    let mut seen = 0;
    for line in list.lines().filter(|line| !line.is_empty()) {
        // A package that was listed before is marked behind its licence.
        let line = line.trim_end_matches("(*)").trim_end();
        let (package, licence) = line.split_once('\t').unwrap_or((line, ""));
        assert!(allowed(licence), "{package} is under the licence \"{licence}\"");
        seen += 1;
    }
    assert!(seen > 20, "only {seen} packages in:\n{list}");
}
