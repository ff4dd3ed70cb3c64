//! Options as the two protocols write them. Those of the engine come from its own table.

use tengen_engine::games::{self, Description, GAMES, Setup};
use tengen_engine::options::{Kind, OptionSpec, TABLE};

use super::variant::{VARIANTS, Variant};
use super::{Protocol, Uci};

/// The names that every UCI program uses for options of Tengen's table.
const COMMON_NAMES: [(&str, &str); 6] = [
    ("hash", "Hash"),
    ("threads", "Threads"),
    ("multipv", "MultiPV"),
    ("level", "Skill Level"),
    ("move_overhead", "Move Overhead"),
    ("book", "OwnBook"),
];

/// GUIs read numbers into 32 bits; the engine takes greater ones all the same.
const GREATEST_SHOWN: u64 = i32::MAX as u64;

/// The rows that say something here: neither protocol has a resignation, and only the GUI may order
/// thinking on the opponent's time.
fn rows() -> impl Iterator<Item = &'static OptionSpec> {
    TABLE.iter().filter(|spec| !["resign", "ponder"].contains(&spec.name))
}

fn shown_name(spec: &OptionSpec) -> &'static str {
    COMMON_NAMES.iter().find(|(name, _)| *name == spec.name).map_or(spec.name, |&(_, shown)| shown)
}

/// A name without what people write differently.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, ' ' | '_' | '-')).map(|c| c.to_ascii_lowercase()).collect()
}

fn combo(name: &str, value: &str, words: &[&str]) -> String {
    let words: String = words.iter().map(|word| format!(" var {word}")).collect();
    format!("option name {name} type combo default {value}{words}\n")
}

fn row(spec: &OptionSpec, value: &str) -> String {
    let name = shown_name(spec);
    match spec.kind {
        Kind::Spin { min, max } => {
            format!(
                "option name {name} type spin default {value} min {min} max {}\n",
                max.min(GREATEST_SHOWN)
            )
        }
        Kind::Check => format!("option name {name} type check default {}\n", value == "on"),
        Kind::Combo(words) => combo(name, value, words),
    }
}

/// The rules of all games, each once.
fn all_rules() -> Vec<&'static str> {
    let mut all: Vec<&str> = Vec::new();
    for rule in GAMES.iter().flat_map(|game| game.rules) {
        if !all.contains(rule) {
            all.push(rule);
        }
    }
    all
}

fn size_text(setup: &Setup) -> String {
    if setup.width == setup.height {
        setup.width.to_string()
    } else {
        format!("{}x{}", setup.width, setup.height)
    }
}

/// The game whose choice has this name.
fn game_with_choice(name: &str) -> Option<(&'static Description, &'static str)> {
    GAMES.iter().find_map(|game| {
        game.choices.iter().find(|choice| plain(choice.key) == plain(name)).map(|choice| (game, choice.key))
    })
}

impl Uci {
    /// The `option` lines, with the values in force for the defaults.
    pub(super) fn option_lines(&self) -> String {
        let setup = self.desk.referee.setup();
        let mut text = String::new();
        match self.protocol {
            Protocol::Uci => {
                let variant = Variant::of(setup).map_or("", |variant| variant.name);
                text.push_str(&combo("UCI_Variant", variant, &VARIANTS.map(|variant| variant.name)));
                text.push_str(&format!("option name Ponder type check default {}\n", self.ponder));
            }
            Protocol::Ugi => {
                let names: Vec<&str> = GAMES.iter().map(|game| game.name).chain(["renju"]).collect();
                text.push_str(&combo("Game", setup.game.description().name, &names));
                text.push_str(&format!("option name Size type string default {}\n", size_text(setup)));
                text.push_str(&combo("Rules", setup.rules, &all_rules()));
                for game in &GAMES {
                    for choice in game.choices {
                        let value = if game.id == setup.game { setup.choice(choice.key) } else { "" };
                        let default = choice.values.first().copied().unwrap_or_default();
                        let value = if value.is_empty() { default } else { value };
                        text.push_str(&combo(choice.key, value, choice.values));
                    }
                }
            }
        }
        let values = self.desk.options();
        for spec in rows() {
            text.push_str(&row(spec, &values.get(spec.name).unwrap_or_default()));
        }
        text
    }

    /// Sets an option by any of its names.
    pub(super) fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        let wanted = plain(name);
        match (self.protocol, wanted.as_str()) {
            (Protocol::Uci, "ucivariant") => {
                let variant = Variant::parse(value)
                    .ok_or_else(|| format!("no such variant: \"{}\"", super::shown(value)))?;
                return self.change_game(variant.setup());
            }
            (Protocol::Uci, "ponder") => {
                self.ponder = match value.to_ascii_lowercase().as_str() {
                    "true" => true,
                    "false" => false,
                    _ => return Err("Ponder must be true or false".to_owned()),
                };
                return Ok(());
            }
            (Protocol::Ugi, "game") => {
                let setup =
                    Setup::parse(value.split_ascii_whitespace()).map_err(|error| error.to_string())?;
                return self.change_game(setup);
            }
            (Protocol::Ugi, "size") => return self.change_setup(|setup| setup.set_size(value)),
            (Protocol::Ugi, "rules" | "rule") => return self.change_setup(|setup| setup.set_rules(value)),
            (Protocol::Ugi, _) => {
                if let Some((game, key)) = game_with_choice(name) {
                    let present = self.desk.referee.setup();
                    // A GUI that sends all options sends those of the other games too.
                    if game.id != present.game
                        && game.choices.iter().any(|c| c.values.first() == Some(&value))
                    {
                        return Ok(());
                    }
                    return self.change_setup(|setup| setup.set_choice(key, value));
                }
            }
            (Protocol::Uci, _) => {}
        }
        let row = rows().find(|spec| plain(spec.name) == wanted || plain(shown_name(spec)) == wanted);
        // GUIs for chess variants set those of others, whether they were offered or not.
        if row.is_none() && self.protocol == Protocol::Uci && wanted.starts_with("uci") {
            return Ok(());
        }
        let Some(spec) = row else { return Err(format!("no such option: \"{}\"", super::shown(name))) };
        self.desk.set(spec.name, value).map_err(|error| error.to_string())
    }

    fn change_setup(
        &mut self,
        change: impl FnOnce(&mut Setup) -> Result<(), games::SetupError>,
    ) -> Result<(), String> {
        let mut setup = self.desk.referee.setup().clone();
        change(&mut setup).map_err(|error| error.to_string())?;
        self.change_game(setup)
    }

    /// Begins a game of this set-up; the same one goes on.
    fn change_game(&mut self, setup: Setup) -> Result<(), String> {
        if setup == *self.desk.referee.setup() {
            return Ok(());
        }
        self.desk.new_game(setup).map_err(|error| error.to_string())?;
        self.begin();
        Ok(())
    }
}
