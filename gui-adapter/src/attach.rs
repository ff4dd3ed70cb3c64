//! `tengen-adapter attach`: for each known program, the lines to paste to have it use Tengen.

use std::fmt::Write;
use std::path::Path;

/// A program Tengen can be attached to.
struct Client {
    /// The name on the command line.
    name: &'static str,
    /// What it is good for, for the list.
    about: &'static str,
    /// What to do. `{program}` stands for the path of this program, `{pbrain}` for a copy or link of it
    /// whose name says that it speaks the Gomocup protocol, `{link}` for the command that makes the link
    /// `engine`.
    recipe: &'static str,
    /// What the paths stand in.
    place: Place,
}

/// What a path is pasted into, which decides how it is quoted.
#[derive(Clone, Copy)]
enum Place {
    /// A field or a dialogue that takes the path alone.
    Field,
    /// A command line that the other program takes apart.
    Line,
    /// The same, itself an argument in double quotes on a shell's command line.
    Argument,
    /// A shell's command line.
    Shell,
    /// A JSON text.
    Json,
    /// A command line in a Python text.
    Python,
}

/// A path in double quotes where it has to be.
fn word(path: &str) -> String {
    if path.contains(char::is_whitespace) { format!("\"{path}\"") } else { path.to_owned() }
}

/// The inside of a JSON text, which is one of Python too.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

impl Place {
    /// The path as it stands there.
    fn quote(self, path: &str) -> String {
        // Windows' paths hold no quotes, and its backslashes mean themselves.
        let posix =
            |path: &str| shlex::try_quote(path).map_or_else(|_| word(path), std::borrow::Cow::into_owned);
        let shell = |path: &str| if cfg!(windows) { word(path) } else { posix(path) };
        match self {
            Place::Field => path.to_owned(),
            Place::Line => word(path),
            Place::Argument if cfg!(windows) => word(path).replace('"', "\\\""),
            Place::Argument => escaped(&word(path)).replace('$', "\\$").replace('`', "\\`"),
            Place::Shell => shell(path),
            Place::Json => escaped(path),
            Place::Python => escaped(&posix(path)),
        }
    }
}

const CLIENTS: &[Client] = &[
    Client {
        name: "quarry",
        about: "GUI for Othello and Amazons",
        recipe: "Preferences, GTP Engines, Add; command line:\n\n  {program} gtp\n\nQuarry tells the engine which game it plays.",
        place: Place::Line,
    },
    Client {
        name: "gogui",
        about: "GUI for all four games (the fork of Rémi Coulom)",
        recipe: "Program, New Program; command line, with the game you want:\n\n  {program} gtp --game gomoku --size 15\n\nFor Othello with row 1 at the top as in books:\n\n  {program} gtp --game othello --othello-row-one bottom",
        place: Place::Line,
    },
    Client {
        name: "twogtp",
        about: "matches of GTP programs: NoGo, Gomoku, Othello",
        recipe: "  gogui-twogtp -black \"{program} gtp --game nogo\" -white \"OTHER PROGRAM\" -size 9 -games 10 -auto -sgffile match",
        place: Place::Argument,
    },
    Client {
        name: "sabaki",
        about: "Go board for NoGo and Gomoku, with analysis",
        recipe: "Engines, Manage Engines, Add:\n\n  path:      {program}\n  arguments: gtp --game nogo",
        place: Place::Field,
    },
    Client {
        name: "lizzie",
        about: "Go board for NoGo and Gomoku, with analysis (Lizzie, LizzieYzy)",
        recipe: "As the engine command in the settings:\n\n  {program} gtp --game nogo --size 9",
        place: Place::Line,
    },
    Client {
        name: "gomill",
        about: "tournaments of GTP programs: NoGo",
        recipe: "In the control file of a playoff:\n\n  players = {'tengen': Player(\"{program} gtp --game nogo --size 9\")}",
        place: Place::Python,
    },
    Client {
        name: "piskvork",
        about: "manager and GUI for Gomoku, Renju and Caro",
        recipe: "Players are chosen by file and get no arguments. Give this program a name that begins with pbrain-:\n\n  {pbrain}\n\nand choose that file in Players, Settings.",
        place: Place::Field,
    },
    Client {
        name: "c-gomoku-cli",
        about: "matches of Gomocup engines: Gomoku, Renju",
        recipe: "  c-gomoku-cli -each tc=10/1 rule=0 -engine name=tengen cmd=\"{program} gomocup\" -engine name=other cmd=OTHER -games 10",
        place: Place::Argument,
    },
    Client {
        name: "yixin-board",
        about: "GUI for Gomoku and Renju",
        recipe: "Yixin-Board starts the file engine in its own folder (engine.exe on Windows). In that folder make a link to this program (a copy does as well):\n\n  {link}\n\nand beside it the file tengen.toml with\n\n  front = \"yixin\"",
        place: Place::Shell,
    },
    Client {
        name: "pygomo",
        about: "Gomoku from Python (pygomo-lib)",
        recipe: "The library takes a file and no arguments. Give this program a name that begins with pbrain-:\n\n  {pbrain}",
        place: Place::Field,
    },
    Client {
        name: "cutegames",
        about: "matches of all four games over UGI",
        recipe: "In the settings file, for each engine:\n\n  {\"name\": \"tengen\", \"path\": \"{program}\", \"protocol\": \"UGI\", \"parameters\": \"ugi --game amazons\"}\n\nwith \"game\": \"generic\".",
        place: Place::Json,
    },
    Client {
        name: "fairyground",
        about: "GUI in the browser for Othello and Amazons, over UCI",
        recipe: "Load Engine, command without arguments:\n\n  {program}\n\nIt is told to speak UCI by its first line; the variants are flipello, flipello10 and amazons.",
        place: Place::Field,
    },
    Client {
        name: "nboard",
        about: "GUI for Othello",
        recipe: "Engine, Add engine: as working folder the folder of this program, as command\n\n  {program} nboard",
        place: Place::Line,
    },
    Client {
        name: "botzone",
        about: "server botzone.org.cn: NoGo, Gomoku, Renju, Reversi, Amazons",
        recipe: "Your own machine plays, as a \"local AI\"; the secret stands in a file that only you can read:\n\n  {program} botzone-local --game nogo --user-id ID --secret-file FILE\n\nAs an uploaded bot:\n\n  {program} botzone --game nogo --keep-running",
        place: Place::Shell,
    },
    Client {
        name: "json",
        about: "analysis of many positions at once, for scripts and web pages",
        recipe: "One query a line in, one answer a line out:\n\n  {program} json",
        place: Place::Shell,
    },
    Client {
        name: "pipe",
        about: "the engine's own protocol, for scripts",
        recipe: "  printf 'newgame othello\\nplay b d3\\ngenmove w\\nquit\\n' | {program} engine",
        place: Place::Shell,
    },
];

/// The names of the programs, one a line, with what each is good for.
#[must_use]
pub fn list() -> String {
    let mut text = String::new();
    for client in CLIENTS {
        let _ = writeln!(text, "{:<13} {}", client.name, client.about);
    }
    text
}

/// What to do to attach `program`, this program, to the client of that name.
///
/// # Errors
/// When there is no such client.
pub fn recipe(name: &str, program: &Path) -> Result<String, String> {
    let Some(client) = CLIENTS.iter().find(|client| client.name.eq_ignore_ascii_case(name)) else {
        let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
        return Err(format!("no such program: \"{}\" (known: {})", name.escape_default(), names.join(", ")));
    };
    let path = client.place.quote(&program.display().to_string());
    let link =
        if cfg!(windows) { format!("mklink engine.exe {path}") } else { format!("ln -s {path} engine") };
    let folder = program.parent().map(Path::to_owned).unwrap_or_default();
    let pbrain = folder.join(format!("pbrain-tengen{}", std::env::consts::EXE_SUFFIX));
    let pbrain = client.place.quote(&pbrain.display().to_string());
    let text = client.recipe.replace("{link}", &link).replace("{program}", &path);
    Ok(text.replace("{pbrain}", &pbrain) + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_names_this_program() {
        let program = Path::new("/opt/games/tengen-adapter");
        for client in CLIENTS {
            let text = recipe(&client.name.to_uppercase(), program).unwrap();
            assert!(text.contains("/opt/games/"), "{text}");
            assert!(!text.contains("{p") && !text.contains("{link"), "{text}");
            assert!(list().contains(client.name));
        }
        let text = recipe("yixin-board", program).unwrap();
        assert!(!text.contains("pbrain") && text.contains("engine"), "{text}");
        assert!(recipe("chess", program).unwrap_err().contains("known: quarry, gogui"));
    }

    #[test]
    fn a_path_with_blanks_and_backslashes_survives_pasting() {
        let path = r"C:\My Games\tengen-adapter.exe";
        let json = format!("\"{}\"", Place::Json.quote(path));
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), path);
        assert_eq!(Place::Field.quote(path), path);
        assert_eq!(Place::Line.quote(path), format!("\"{path}\""));
        let unix = "/my games/it's/tengen-adapter";
        let words = |line: &str| shlex::split(line).unwrap();
        assert_eq!(words(&Place::Argument.quote("/a/b")), ["/a/b"]);
        let python = format!("\"{}\"", Place::Python.quote(unix));
        assert_eq!(words(&serde_json::from_str::<String>(&python).unwrap()), [unix]);
        if !cfg!(windows) {
            assert_eq!(words(&Place::Shell.quote(unix)), [unix]);
            let line = words(&format!("-black \"{} gtp\"", Place::Argument.quote("/my games/$x")));
            assert_eq!(words(&line[1].replace('$', "\\$")), ["/my games/$x", "gtp"]);
        }
    }
}
