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
    /// whose name says that it speaks the Gomocup protocol.
    recipe: &'static str,
}

const CLIENTS: &[Client] = &[
    Client {
        name: "quarry",
        about: "GUI for Othello and Amazons",
        recipe: "Preferences, GTP Engines, Add; command line:\n\n  {program} gtp\n\nQuarry tells the engine which game it plays.",
    },
    Client {
        name: "gogui",
        about: "GUI for all four games (the fork of Rémi Coulom)",
        recipe: "Program, New Program; command line, with the game you want:\n\n  {program} gtp --game gomoku --size 15\n\nFor Othello with row 1 at the top as in books:\n\n  {program} gtp --game othello --othello-row-one bottom",
    },
    Client {
        name: "twogtp",
        about: "matches of GTP programs: NoGo, Gomoku, Othello",
        recipe: "  gogui-twogtp -black \"{program} gtp --game nogo\" -white \"OTHER PROGRAM\" -size 9 -games 10 -auto -sgffile match",
    },
    Client {
        name: "sabaki",
        about: "Go board for NoGo and Gomoku, with analysis",
        recipe: "Engines, Manage Engines, Add:\n\n  path:      {program}\n  arguments: gtp --game nogo",
    },
    Client {
        name: "lizzie",
        about: "Go board for NoGo and Gomoku, with analysis (Lizzie, LizzieYzy)",
        recipe: "As the engine command in the settings:\n\n  {program} gtp --game nogo --size 9",
    },
    Client {
        name: "gomill",
        about: "tournaments of GTP programs: NoGo",
        recipe: "In the control file of a playoff:\n\n  players = {'tengen': Player(\"{program} gtp --game nogo --size 9\")}",
    },
    Client {
        name: "piskvork",
        about: "manager and GUI for Gomoku, Renju and Caro",
        recipe: "Players are chosen by file and get no arguments. Give this program a name that begins with pbrain-:\n\n  {pbrain}\n\nand choose that file in Players, Settings.",
    },
    Client {
        name: "c-gomoku-cli",
        about: "matches of Gomocup engines: Gomoku, Renju",
        recipe: "  c-gomoku-cli -each tc=10/1 rule=0 -engine name=tengen cmd=\"{program} gomocup\" -engine name=other cmd=OTHER -games 10",
    },
    Client {
        name: "yixin-board",
        about: "GUI for Gomoku and Renju",
        recipe: "Yixin-Board starts the file engine in its own folder (engine.exe on Windows). Put a link or copy of this program there as\n\n  {pbrain}\n\nunder that name, and beside it the file tengen.toml with\n\n  front = \"yixin\"",
    },
    Client {
        name: "pygomo",
        about: "Gomoku from Python (pygomo-lib)",
        recipe: "The library takes a file and no arguments. Give this program a name that begins with pbrain-:\n\n  {pbrain}",
    },
    Client {
        name: "cutegames",
        about: "matches of all four games over UGI",
        recipe: "In the settings file, for each engine:\n\n  {\"name\": \"tengen\", \"path\": \"{program}\", \"protocol\": \"UGI\", \"parameters\": \"ugi --game amazons\"}\n\nwith \"game\": \"generic\".",
    },
    Client {
        name: "fairyground",
        about: "GUI in the browser for Othello and Amazons, over UCI",
        recipe: "Load Engine, command without arguments:\n\n  {program}\n\nIt is told to speak UCI by its first line; the variants are flipello, flipello10 and amazons.",
    },
    Client {
        name: "nboard",
        about: "GUI for Othello",
        recipe: "Engine, Add engine: as working folder the folder of this program, as command\n\n  {program} nboard",
    },
    Client {
        name: "botzone",
        about: "server botzone.org.cn: NoGo, Gomoku, Renju, Reversi, Amazons",
        recipe: "Your own machine plays, as a \"local AI\"; the secret stands in a file that only you can read:\n\n  {program} botzone-local --game nogo --user-id ID --secret-file FILE\n\nAs an uploaded bot:\n\n  {program} botzone --game nogo --keep-running",
    },
    Client {
        name: "json",
        about: "analysis of many positions at once, for scripts and web pages",
        recipe: "One query a line in, one answer a line out:\n\n  {program} json",
    },
    Client {
        name: "pipe",
        about: "the engine's own protocol, for scripts",
        recipe: "  printf 'newgame othello\\nplay b d3\\ngenmove w\\nquit\\n' | {program} engine",
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
    let path = program.display().to_string();
    let folder = program.parent().map(Path::to_owned).unwrap_or_default();
    let pbrain = folder.join(format!("pbrain-tengen{}", std::env::consts::EXE_SUFFIX)).display().to_string();
    Ok(client.recipe.replace("{program}", &path).replace("{pbrain}", &pbrain) + "\n")
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
            assert!(!text.contains("{p"), "{text}");
            assert!(list().contains(client.name));
        }
        assert!(recipe("chess", program).unwrap_err().contains("known: quarry, gogui"));
    }
}
