//! The adapter started without a subcommand, as programs do that pass no arguments, and what stands in
//! for arguments: the first line, the program's name, `tengen.toml`. And the command lines `attach` prints.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::harness::Process;

/// A folder with a program in it; gone with the value.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The adapter under another name, as a file of its own.
    fn copy(&self, name: &str) -> PathBuf {
        let (program, path) = (env!("CARGO_BIN_EXE_test-adapter"), self.path(name));
        if fs::hard_link(program, &path).is_err() {
            fs::copy(program, &path).expect("a copy");
        }
        path
    }

    fn config(&self, text: &str) {
        fs::write(self.path("tengen.toml"), text).expect("a file");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.0);
    }
}

struct Said {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Runs a program to its end, this text its whole input, without the configuration of the user who runs
/// the tests.
fn run(command: &mut Command, input: &str) -> Said {
    if !command.get_envs().any(|(name, _)| name == "XDG_CONFIG_HOME") {
        command.env("XDG_CONFIG_HOME", "/no/such/folder");
    }
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    // It may have left before it has read everything.
    let _gone = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Said { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

fn start(program: &Path, args: &[&str], input: &str) -> Said {
    run(Command::new(program).args(args), input)
}

/// The game and the options, by GTP.
const DESCRIBE: &str = "gomill-describe_engine\nquit\n";

#[test]
fn the_first_line_decides() {
    let program = Path::new(env!("CARGO_BIN_EXE_test-adapter"));
    for (input, answers) in [
        ("uci\nisready\nquit\n", &["id name Tengen", "uciok", "readyok"][..]),
        ("\r\n\r\nuci\r\nisready\r\nquit\r\n", &["id name Tengen", "uciok", "readyok"]),
        ("ugi\nquery p1turn\nquit\n", &["id name Tengen", "ugiok", "response true"]),
        ("nboard 2\nping 1\nquit\n", &["set myname Tengen", "pong 1"]),
        ("START 15\nBEGIN\nEND\n", &["OK"]),
        ("INFO rule 1\nSTART 20\nEND\n", &["OK"]),
        ("ABOUT\nEND\n", &["name=\"Tengen\""]),
        ("{\"id\":\"a\",\"maxVisits\":20}\n", &["{\"id\":\"a\",", "\"moveInfos\":["]),
        ("{\"type\":\"go\"}\n", &["\"type\":\"move\""]),
        ("{\"requests\":[{\"x\":-1,\"y\":-1}],\"responses\":[]}\n", &["{\"response\":{\"x\":"]),
        ("list_commands\nquit\n", &["= protocol_version\nname\n", "\n\n= \n\n"]),
        ("12 name\n", &["=12 Tengen\n\n"]),
        ("nonsense\n", &["? unknown command"]),
    ] {
        let said = start(program, &["--move-time", "50"], input);
        assert_eq!(said.code, Some(0), "{input:?}: {}", said.stderr);
        for answer in answers {
            assert!(said.stdout.contains(answer), "{input:?}: no {answer:?} in {:?}", said.stdout);
        }
        assert_eq!(said.stderr, "", "{input:?}");
    }
    let said = start(program, &[], "");
    assert_eq!((said.code, said.stdout.as_str(), said.stderr.as_str()), (Some(0), "", ""));
}

#[test]
fn a_program_named_pbrain_speaks_gomocup_and_only_when_spoken_to() {
    let folder = Folder::new("pbrain");
    for name in ["pbrain-tengen", "PBRAIN-TENGEN64.exe"] {
        let program = folder.copy(name);
        let mut brain = Process::start(program.to_str().expect("UTF-8"), &["--move-time", "100"]);
        assert_eq!(brain.hear_within(Duration::from_millis(400)), None);
        // Not a word that tells Gomocup from other protocols.
        brain.tell("hello");
        assert!(brain.hear().starts_with("UNKNOWN"));
        brain.tell("START 15");
        assert_eq!(brain.hear(), "OK");
        brain.tell("BEGIN");
        while !brain.hear().starts_with(|c: char| c.is_ascii_digit()) {}
        brain.tell("END");
        assert!(brain.wait().success());
        let said = start(&program, &[], "START 99\nSTART 15\nTURN 99,99\nBEGIN X\nFOO\nEND\n");
        assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
        assert!(said.stdout.starts_with("ERROR ") && said.stdout.contains("\nOK\n"), "{}", said.stdout);
    }
}

#[test]
fn the_file_beside_the_program_stands_for_arguments() {
    let folder = Folder::new("beside");
    let program = folder.copy("tengen-adapter");
    folder.config(
        "front = \"gtp\"\ngame = \"othello\"\nsize = 6\n[options]\nlevel = 3\nponder = true\nthreads = \"2\"\n",
    );
    let said = start(&program, &[], DESCRIBE);
    for line in ["\nothello size 6 rules standard\n", "\nlevel 3\n", "\nponder on\n", "\nthreads 2\n"] {
        assert!(said.stdout.contains(line), "no {line:?} in {}", said.stdout);
    }
    // The front is the file's, whatever the first line looks like.
    assert!(start(&program, &[], "uci\n").stdout.starts_with("? unknown command"));
    // What the command line says comes first, and another game has rules and sizes of its own.
    let said = start(&program, &["gtp", "--level", "9"], DESCRIBE);
    for line in ["\nothello size 6 rules standard\n", "\nlevel 9\n", "\nponder on\n"] {
        assert!(said.stdout.contains(line), "no {line:?} in {}", said.stdout);
    }
    let said = start(&program, &["gtp", "--game", "amazons"], DESCRIBE);
    assert!(said.stdout.contains("\namazons size 10 "), "{}", said.stdout);
    let said = start(&program, &["--threads", "1"], DESCRIBE);
    assert!(said.stdout.contains("\nthreads 1\n") && said.stdout.contains("othello"), "{}", said.stdout);

    folder.config("game = \"nogo\"\nsize = \"7x5\"\nrules = \"capture\"\n");
    assert!(start(&program, &[], DESCRIBE).stdout.contains("\nnogo size 7x5 rules capture"));
    folder.config("front = \"nboard\"\n");
    assert!(start(&program, &[], "nboard 2\nping 3\n").stdout.contains("pong 3\n"));
    folder.config("front = \"botzone\"\ngame = \"amazons\"\n[options]\nnodes = 50\n");
    let all = r#"{"x0":-1,"y0":-1,"x1":-1,"y1":-1,"x2":-1,"y2":-1}"#;
    let said = start(&program, &[], &format!("{{\"requests\":[{all}],\"responses\":[]}}\n"));
    assert!(said.stdout.contains("\"x2\":"), "{}", said.stdout);
    // Yixin-Board writes the row first, and its rule 2 is Renju.
    folder.config("front = \"yixin\"\n");
    let yixin = "START 15\nINFO rule 2\nYXBOARD\n0,0,1\n7,7,2\nDONE\nEND\n";
    for name in ["engine", "pbrain-tengen"] {
        let said = start(&folder.copy(name), &[], yixin);
        assert!(said.stdout.contains("OK\n") && !said.stdout.contains("ERROR"), "{}", said.stdout);
        assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
    }
}

#[test]
#[cfg(unix)]
fn the_file_is_looked_for_beside_the_link_then_beside_the_program_then_with_the_user() {
    let (real, gui, user) = (Folder::new("real"), Folder::new("gui"), Folder::new("user"));
    let program = real.copy("tengen-adapter");
    let link = gui.path("engine");
    std::os::unix::fs::symlink(&program, &link).expect("a link");
    fs::create_dir(user.path("tengen")).expect("a folder");
    let sized = |size: u8| format!("front = \"gtp\"\ngame = \"nogo\"\nsize = {size}\n");
    fs::write(user.path("tengen/tengen.toml"), sized(5)).expect("a file");
    let size_of = |command: &mut Command| {
        let said = run(command.env("XDG_CONFIG_HOME", &user.0), DESCRIBE);
        let line = said.stdout.lines().find_map(|line| line.strip_prefix("nogo size ")).map(str::to_owned);
        let line = line.unwrap_or_else(|| panic!("{command:?}: {} {}", said.stdout, said.stderr));
        line.split(' ').next().expect("a word").parse::<u8>().expect("a size")
    };
    assert_eq!(size_of(&mut Command::new(&program)), 5);
    assert_eq!(size_of(&mut Command::new(&link)), 5);
    real.config(&sized(6));
    assert_eq!(size_of(&mut Command::new(&program)), 6);
    assert_eq!(size_of(&mut Command::new(&link)), 6);
    gui.config(&sized(7));
    assert_eq!(size_of(&mut Command::new(&program)), 6);
    assert_eq!(size_of(&mut Command::new(&link)), 7);
    // From within the folder, and by name alone.
    assert_eq!(size_of(Command::new("sh").args(["-c", "exec ./engine"]).current_dir(&gui.0)), 7);
    assert_eq!(size_of(Command::new("sh").args(["-c", "PATH=$0; exec engine"]).arg(&gui.0)), 7);
}

#[test]
fn a_broken_file_is_told_with_its_line() {
    let folder = Folder::new("broken");
    let programs = [folder.copy("tengen-adapter"), folder.copy("pbrain-tengen")];
    for (text, line, word) in [
        ("front = \"gtp\"\ngame = \n", "line 2", ""),
        ("game = \"nogo\"\n\ncolour = 3\n", "line 3", "colour"),
        ("[options]\nthreads = 0\n", "", "threads"),
        ("[options]\nlevel = 3\nspeed = 1\n", "", "speed"),
        ("front = \"gtp\"\nsize = [9]\n", "line 2", ""),
    ] {
        folder.config(text);
        let ways = [&[][..], &["gtp"], &["gomocup"], &["ugi"], &["uci"], &["nboard"], &["json"]];
        for (program, args) in
            ways.map(|args| (&programs[0], args)).into_iter().chain([(&programs[1], &[][..])])
        {
            let said = start(program, args, "START 15\n");
            assert_eq!((said.code, said.stdout.as_str()), (Some(2), ""), "{text:?} {args:?}");
            let told = said.stderr.starts_with("error: ") && said.stderr.contains("tengen.toml: ");
            assert!(told && said.stderr.contains(line) && said.stderr.contains(word), "{}", said.stderr);
            assert_eq!(said.stderr.lines().count(), 1, "{}", said.stderr);
        }
    }
    folder.config("front = \"xboard\"\n");
    let said = start(&programs[0], &[], "START 15\n");
    assert!(said.code == Some(2) && said.stderr.contains("no such front: \"xboard\""), "{}", said.stderr);
    folder.config("game = \"chess\"\n");
    let said = start(&programs[0], &["gtp"], "name\n");
    assert!(said.code == Some(2) && said.stderr.contains("no such game: \"chess\""), "{}", said.stderr);
    // What takes nothing from the file does not need it.
    assert_eq!(start(&programs[0], &["attach", "--list"], "").code, Some(0));
    assert_eq!(start(&programs[0], &["--version"], "").code, Some(0));
}

/// The arguments of every command line of `program` in a recipe. They stand behind the path up to the end
/// of the line or of the quotes, or apart from it where the other program wants them so.
fn command_lines(recipe: &str, program: &str) -> Vec<Vec<String>> {
    let words = |text: &str| text.split_ascii_whitespace().map(str::to_owned).collect();
    let behind = |(at, _): (usize, &str)| {
        let rest = &recipe[at + program.len()..];
        let line = rest.lines().next().unwrap_or_default();
        if let Some((_, apart)) = line.split_once("\"parameters\": \"") {
            return words(apart.split('"').next().unwrap_or_default());
        }
        if let Some(apart) = rest.lines().nth(1).and_then(|next| next.trim().strip_prefix("arguments: ")) {
            return words(apart);
        }
        words(line.split('"').next().unwrap_or_default())
    };
    recipe.match_indices(program).map(behind).collect()
}

#[test]
fn every_command_line_that_attach_prints_is_accepted() {
    let folder = Folder::new("attach");
    let program = folder.copy("tengen-adapter");
    let list = start(&program, &["attach", "--list"], "");
    assert_eq!(list.code, Some(0));
    let names: Vec<&str> = list.stdout.lines().filter_map(|line| line.split(' ').next()).collect();
    for name in ["quarry", "gogui", "piskvork", "cutegames", "fairyground", "nboard", "botzone", "sabaki"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    let brain = folder.path("pbrain-tengen");
    let mut tried = 0;
    for name in names {
        let recipe = start(&program, &["attach", name], "");
        assert_eq!((recipe.code, recipe.stderr.as_str()), (Some(0), ""), "{name}");
        let mut lines: Vec<(&Path, Vec<String>)> = Vec::new();
        for path in [&program, &brain] {
            let args = command_lines(&recipe.stdout, path.to_str().expect("UTF-8"));
            lines.extend(args.into_iter().map(|args| (path.as_path(), args)));
        }
        assert!(!lines.is_empty(), "{name}: {}", recipe.stdout);
        for (path, args) in lines {
            if path == brain && !brain.exists() {
                // As the recipe says.
                folder.copy("pbrain-tengen");
            }
            let said = run(Command::new(path).args(&args), "");
            tried += 1;
            if args.first().is_some_and(|command| command == "botzone-local") {
                // It would go on the site; the file is what is to be put in.
                assert!(said.stderr.contains("cannot read the secret from FILE"), "{}", said.stderr);
                continue;
            }
            let ended = (said.code, said.stdout.as_str(), said.stderr.as_str());
            assert_eq!(ended, (Some(0), "", ""), "{name}: {path:?} {args:?}");
        }
    }
    assert!(tried >= 18, "{tried}");
    let said = start(&program, &["attach", "chess"], "");
    assert!(said.code == Some(2) && said.stderr.contains("no such program: \"chess\""), "{}", said.stderr);
}

#[test]
fn a_bad_game_in_the_file_is_told_before_the_first_line() {
    let folder = Folder::new("bad-game");
    folder.config("game = \"chess\"\n");
    let said = start(&folder.copy("tengen-adapter"), &[], "list_commands\nquit\n");
    assert_eq!((said.code, said.stdout.as_str()), (Some(2), ""));
    assert!(said.stderr.contains("chess") && said.stderr.trim_end().lines().count() == 1, "{}", said.stderr);
}

#[test]
fn botzone_takes_the_general_name_of_a_game_from_the_file() {
    let folder = Folder::new("botzone-game");
    folder.config("game = \"othello\"\n[options]\nnodes = 50\n");
    let request = "{\"requests\":[{\"x\":-1,\"y\":-1}],\"responses\":[]}\n";
    let said = start(&folder.copy("tengen-adapter"), &[], request);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stdout.contains("\"response\":{\"x\":"), "{}", said.stdout);
}

#[test]
fn botzone_local_reads_the_file() {
    let folder = Folder::new("local-options");
    folder.config("[options]\nponder = true\nthreads = 0\n");
    let said =
        start(&folder.copy("tengen-adapter"), &["botzone-local", "--game", "nogo", "--user-id", "u"], "");
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("tengen.toml: line 3: bad value"), "{}", said.stderr);
}
