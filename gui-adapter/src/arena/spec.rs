//! What the user says of an engine: on the command line or in a TOML file.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use tengen_engine::search::clock::parse_seconds;

use super::limit::{self, Limit};
use crate::config::Scalar;

/// A protocol between the runner and an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Protocol {
    /// Tengen's own, `protocol.md`.
    #[default]
    Native,
    /// GTP 2.
    Gtp,
    /// Gomocup (Piskvork).
    Gomocup,
    /// UGI.
    Ugi,
    /// UCI as Fairy-Stockfish speaks it.
    Uci,
    /// NBoard 2.
    NBoard,
    /// No engine at all: the runner plays a legal move at random.
    Random,
}

const PROTOCOLS: [(&str, Protocol); 7] = [
    ("native", Protocol::Native),
    ("gtp", Protocol::Gtp),
    ("gomocup", Protocol::Gomocup),
    ("ugi", Protocol::Ugi),
    ("uci", Protocol::Uci),
    ("nboard", Protocol::NBoard),
    ("random", Protocol::Random),
];

/// The words for no and yes of each key.
const SWITCH: [&str; 2] = ["off", "on"];
const LETTERS: [&str; 2] = ["all", "skip-i"];
const ROWS: [&str; 2] = ["bottom", "top"];
const PASSES: [&str; 2] = ["implied", "told"];

impl Protocol {
    fn parse(text: &str) -> Result<Protocol, String> {
        let found = PROTOCOLS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        found.map(|&(_, protocol)| protocol).ok_or_else(|| {
            let known = PROTOCOLS.map(|(name, _)| name).join(", ");
            format!("no such protocol: \"{}\" (known: {known})", text.escape_default())
        })
    }
}

/// How a GTP engine writes, as far as the user says it; the rest is probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct GtpProfile {
    /// Whether columns skip the letter I.
    pub skips_i: Option<bool>,
    /// Whether row 1 of Othello is at the top.
    pub row_one_on_top: Option<bool>,
    /// Whether forced passes are told and answered.
    pub passes: Option<bool>,
}

/// An engine as the user describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSpec {
    /// Its name in the results, unique in the match.
    pub name: String,
    /// How to talk to it.
    pub protocol: Protocol,
    /// Its command line, split as a shell does; `None` for the engine in this program.
    pub command: Option<Vec<String>>,
    /// Options by name, in the order they are set.
    pub options: Vec<(String, String)>,
    /// The folder it runs in; `None` for the runner's own.
    pub folder: Option<PathBuf>,
    /// Environment variables on top of the runner's own.
    pub environment: Vec<(String, String)>,
    /// How long it may take to answer the first commands.
    pub start_timeout: Duration,
    /// How long it may take to answer what is not counted later on.
    pub reply_timeout: Duration,
    /// How long it may take to leave; it is killed then.
    pub stop_timeout: Duration,
    /// Its own limit, in place of the match's.
    pub limit: Option<Limit>,
    /// Whether each game gets a new process.
    pub restart: bool,
    /// What is known of a GTP engine's habits.
    pub profile: GtpProfile,
}

impl EngineSpec {
    /// The engine of this program, under a name.
    #[must_use]
    pub fn embedded(name: &str) -> EngineSpec {
        EngineSpec {
            name: name.to_owned(),
            protocol: Protocol::Native,
            command: None,
            options: Vec::new(),
            folder: None,
            environment: Vec::new(),
            start_timeout: Duration::from_secs(30),
            reply_timeout: Duration::from_secs(10),
            stop_timeout: Duration::from_secs(2),
            limit: None,
            restart: false,
            profile: GtpProfile::default(),
        }
    }

    /// Reads `name=A,cmd='…',proto=gtp,option.level=3`, or the bare name of an engine of the file. Commas
    /// within quotes divide nothing.
    ///
    /// # Errors
    /// A line that names the word that is wrong.
    pub fn parse(text: &str, file: &[EngineSpec]) -> Result<EngineSpec, String> {
        let fields = split_fields(text)?;
        let wrong = |problem: String| format!("engine \"{}\": {problem}", text.escape_default());
        let base = match fields.first() {
            Some((name, None)) => Some(name.as_str()),
            Some((key, Some(name))) if key == "conf" => Some(name.as_str()),
            _ => None,
        };
        let mut spec = match base {
            Some(name) => file.iter().find(|spec| spec.name == name).cloned().ok_or_else(|| {
                wrong("no file of engines has this name (write name=A for the engine in this program)".into())
            })?,
            None => EngineSpec::embedded(""),
        };
        let mut protocol = None;
        for (key, value) in fields.iter().skip(usize::from(base.is_some())) {
            let Some(value) = value else {
                return Err(wrong(format!(
                    "\"{}\" is no KEY=VALUE (a value with a comma stands in quotes)",
                    key.escape_default()
                )));
            };
            if key == "proto" {
                protocol = Some(Protocol::parse(value).map_err(wrong)?);
            } else {
                spec.set(key, value).map_err(wrong)?;
            }
        }
        spec.protocol = protocol.unwrap_or(spec.protocol);
        spec.check().map_err(wrong)?;
        Ok(spec)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        if let Some(option) = key.strip_prefix("option.") {
            self.options.retain(|(name, _)| name != option);
            self.options.push((option.to_owned(), value.to_owned()));
            return Ok(());
        }
        if let Some(variable) = key.strip_prefix("env.") {
            self.environment.retain(|(name, _)| name != variable);
            self.environment.push((variable.to_owned(), value.to_owned()));
            return Ok(());
        }
        let seconds = || {
            parse_seconds(value)
                .ok_or_else(|| format!("bad time \"{}\": expected seconds", value.escape_default()))
        };
        let number = || {
            let expected = || format!("bad number \"{}\" for {key}", value.escape_default());
            value.parse::<u64>().ok().filter(|&number| number > 0).ok_or_else(expected)
        };
        match key {
            "name" => self.name = value.to_owned(),
            "cmd" => self.command = Some(words(value)?),
            "dir" => self.folder = Some(value.into()),
            "start" => self.start_timeout = seconds()?,
            "reply" => self.reply_timeout = seconds()?,
            "stop" => self.stop_timeout = seconds()?,
            "restart" => self.restart = choice(key, value, SWITCH)?,
            "tc" => self.own_limit().control = limit::parse_control(value)?,
            "movetime" => self.own_limit().control = limit::parse_control(&format!("{value}/move"))?,
            "nodes" => self.own_limit().nodes = Some(number()?),
            "depth" => {
                self.own_limit().depth = Some(u32::try_from(number()?).map_err(|error| error.to_string())?);
            }
            "letters" => self.profile.skips_i = Some(choice(key, value, LETTERS)?),
            "row1" => self.profile.row_one_on_top = Some(choice(key, value, ROWS)?),
            "pass" => self.profile.passes = Some(choice(key, value, PASSES)?),
            _ => {
                return Err(format!(
                    "unknown key \"{}\" (known: name, cmd, proto, option.K, dir, env.K, start, reply, stop, restart, \
                     tc, movetime, nodes, depth, letters, row1, pass)",
                    key.escape_default()
                ));
            }
        }
        Ok(())
    }

    /// Makes sure that there is a program to start, before the first game depends on it.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn find_program(&self) -> Result<(), String> {
        let Some(program) = self.command.as_ref().and_then(|words| words.first()) else { return Ok(()) };
        let named = Path::new(program);
        let found = if named.components().count() > 1 {
            // As the system does it: from the folder the engine runs in.
            self.folder.as_deref().unwrap_or(Path::new("")).join(named).is_file()
        } else {
            let folders = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&folders).any(|folder| folder.join(named).is_file())
        };
        let place = match &self.folder {
            Some(folder) if named.is_relative() => format!(" (looked for from {})", folder.display()),
            _ => String::new(),
        };
        if found { Ok(()) } else { Err(format!("engine {}: no such program: {program}{place}", self.name)) }
    }

    /// Search threads, as far as its options tell.
    #[must_use]
    pub fn threads(&self) -> u32 {
        let named =
            |name: &str| ["threads", "thread_num"].iter().any(|other| name.eq_ignore_ascii_case(other));
        let value = self.options.iter().rev().find(|(name, _)| named(name));
        value.and_then(|(_, value)| value.parse().ok()).unwrap_or(1)
    }

    fn own_limit(&mut self) -> &mut Limit {
        self.limit.get_or_insert_default()
    }

    fn check(&self) -> Result<(), String> {
        let printable = |c: char| !c.is_control();
        if self.name.is_empty() || self.name.len() > 100 || !self.name.chars().all(printable) {
            return Err("a name is missing, or longer than 100 bytes, or not printable".to_owned());
        }
        if self.protocol != Protocol::Gtp && self.profile != GtpProfile::default() {
            return Err("letters, row1 and pass are for proto=gtp".to_owned());
        }
        match (self.protocol, &self.command) {
            (Protocol::Native, _) | (Protocol::Random, None) => Ok(()),
            (Protocol::Random, Some(_)) => Err("proto=random needs no cmd".to_owned()),
            (_, Some(_)) => Ok(()),
            (_, None) => Err("cmd is missing: only native engines are in this program".to_owned()),
        }
    }
}

/// What the results may depend on, in the words of the command line.
impl fmt::Display for EngineSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = PROTOCOLS.iter().find(|(_, protocol)| *protocol == self.protocol);
        write!(f, "proto={}", named.map_or("", |(name, _)| name))?;
        if let Some(words) = &self.command {
            let words = words.iter().map(String::as_str);
            write!(f, ",cmd={}", shlex::try_join(words).unwrap_or_default())?;
        }
        for (name, value) in &self.options {
            write!(f, ",option.{name}={value}")?;
        }
        for (name, value) in &self.environment {
            write!(f, ",env.{name}={value}")?;
        }
        if let Some(folder) = &self.folder {
            write!(f, ",dir={}", folder.display())?;
        }
        if let Some(limit) = &self.limit {
            write!(f, ",limit {limit}")?;
        }
        let told =
            |f: &mut fmt::Formatter<'_>, key: &str, [no, yes]: [&str; 2], value: Option<bool>| match value {
                Some(value) => write!(f, ",{key}={}", if value { yes } else { no }),
                None => Ok(()),
            };
        told(f, "letters", LETTERS, self.profile.skips_i)?;
        told(f, "row1", ROWS, self.profile.row_one_on_top)?;
        told(f, "pass", PASSES, self.profile.passes)?;
        told(f, "restart", SWITCH, self.restart.then_some(true))
    }
}

/// Reads a file of engines: tables `[[engine]]` with the keys of the command line, options under
/// `[engine.options]`, environment variables under `[engine.environment]`.
///
/// # Errors
/// A line that names the place and the problem.
pub fn parse_file(text: &str) -> Result<Vec<EngineSpec>, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        #[serde(default)]
        engine: Vec<Table>,
    }
    #[derive(Deserialize)]
    struct Table {
        #[serde(default)]
        options: BTreeMap<String, Scalar>,
        #[serde(default)]
        environment: BTreeMap<String, Scalar>,
        #[serde(flatten)]
        fields: BTreeMap<String, Scalar>,
    }
    let file: File = toml::from_str(text).map_err(|error| {
        let place = error.span().map_or(String::new(), |span| {
            let line = 1 + text.bytes().take(span.start).filter(|&b| b == b'\n').count();
            format!("line {line}: ")
        });
        format!("{place}{}", error.message().lines().collect::<Vec<_>>().join(" "))
    })?;
    let mut specs: Vec<EngineSpec> = Vec::new();
    for (index, table) in file.engine.into_iter().enumerate() {
        let name = table.fields.get("name").map_or_else(|| format!("{}", index + 1), Scalar::text);
        let wrong = |problem: String| format!("engine {name}: {problem}");
        let mut spec = EngineSpec::embedded("");
        for (key, value) in &table.fields {
            if key == "proto" {
                spec.protocol = Protocol::parse(&value.text()).map_err(wrong)?;
            } else {
                spec.set(key, &value.text()).map_err(wrong)?;
            }
        }
        for (key, value) in &table.options {
            spec.options.push((key.clone(), value.text()));
        }
        for (key, value) in &table.environment {
            spec.environment.push((key.clone(), value.text()));
        }
        spec.check().map_err(wrong)?;
        if specs.iter().any(|other| other.name == spec.name) {
            return Err(wrong("the name is given twice".into()));
        }
        specs.push(spec);
    }
    Ok(specs)
}

fn words(line: &str) -> Result<Vec<String>, String> {
    shlex::split(line)
        .filter(|words| !words.is_empty())
        .ok_or_else(|| format!("bad command line \"{}\"", line.escape_default()))
}

fn choice(key: &str, value: &str, [no, yes]: [&str; 2]) -> Result<bool, String> {
    match value {
        _ if value.eq_ignore_ascii_case(no) => Ok(false),
        _ if value.eq_ignore_ascii_case(yes) => Ok(true),
        _ => Err(format!("bad value \"{}\" for {key}: expected {no} or {yes}", value.escape_default())),
    }
}

/// Fields between commas, each a key and what follows `=`. A value may stand in quotes; in a bare one,
/// quotes keep their commas and stay, for the command line's own words.
fn split_fields(text: &str) -> Result<Vec<(String, Option<String>)>, String> {
    let mut fields = vec![String::new()];
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if c == ',' => {
                fields.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(field) = fields.last_mut() {
            field.push(c);
        }
    }
    if quote.is_some() {
        return Err(format!("engine \"{}\": a quote is not closed", text.escape_default()));
    }
    let unquoted = |value: &str| {
        let inner =
            |quote: char| value.strip_prefix(quote)?.strip_suffix(quote).filter(|s| !s.contains(quote));
        ['"', '\''].into_iter().find_map(inner).unwrap_or(value).to_owned()
    };
    let pair = |field: &String| match field.split_once('=') {
        Some((key, value)) => (key.trim().to_owned(), Some(unquoted(value.trim()))),
        None => (field.trim().to_owned(), None),
    };
    Ok(fields.iter().map(pair).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<EngineSpec, String> {
        EngineSpec::parse(text, &[])
    }

    #[test]
    fn engines_of_the_command_line() {
        let spec = parse("name=A").unwrap();
        assert_eq!((spec.protocol, spec.command), (Protocol::Native, None));
        let spec = parse("name=R 3,cmd=gtp-rhino -l 3,proto=GTP,tc=inf,option.a=b=c,pass=implied").unwrap();
        assert_eq!(spec.name, "R 3");
        assert_eq!(spec.command.unwrap(), ["gtp-rhino", "-l", "3"]);
        assert_eq!(spec.limit, Some(Limit::default()));
        assert_eq!(spec.options, [("a".to_owned(), "b=c".to_owned())]);
        assert_eq!(spec.profile.passes, Some(false));
        let spec = parse("name=B,cmd='sh -c \"a, b\"',proto=ugi").unwrap();
        assert_eq!(spec.command.unwrap(), ["sh", "-c", "a, b"]);
        let spec = parse("name=B,cmd=sh -c 'a, b',proto=ugi,nodes=7,dir=x,env.HOME=y,restart=on").unwrap();
        assert_eq!(spec.command.unwrap(), ["sh", "-c", "a, b"]);
        assert_eq!(spec.limit.unwrap().nodes, Some(7));
        assert_eq!((spec.environment[0].1.as_str(), spec.restart), ("y", true));
    }

    #[test]
    fn engines_of_a_file() {
        let text = "[[engine]]\nname = 'rhino'\ncmd = 'gtp-rhino -l 3'\nproto = 'gtp'\nstart = 5\n\
                    [engine.options]\nlevel = 3\n[[engine]]\nname = 'own'\nnodes = 100\n\
                    environment = { A = 'b' }\n";
        let specs = parse_file(text).unwrap();
        assert_eq!(specs.len(), 2);
        assert_eq!(specs[0].options, [("level".to_owned(), "3".to_owned())]);
        assert_eq!(specs[0].start_timeout, Duration::from_secs(5));
        let spec = EngineSpec::parse("rhino,option.level=4", &specs).unwrap();
        assert_eq!(spec.options, [("level".to_owned(), "4".to_owned())]);
        assert_eq!(EngineSpec::parse("conf=own", &specs).unwrap(), specs[1]);
        for (bad, problem) in [
            ("[[engine]]\nname='a'\nsped=1\n", "engine a: unknown key \"sped\""),
            ("[[engine]]\nname='a'\nproto='x'\n", "engine a: no such protocol: \"x\""),
            ("[[engine]]\ncmd='a'\n", "engine 1: a name is missing"),
            ("[[engine]]\nname='a'\n[[engine]]\nname='a'\n", "engine a: the name is given twice"),
            ("[engine\n", "line 1: "),
            ("[[engin]]\n", "line 1: unknown field `engin`"),
        ] {
            let error = parse_file(bad).unwrap_err();
            assert!(error.starts_with(problem) && !error.contains('\n'), "{bad}: {error}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (bad, problem) in [
            ("", "no file of engines has this name"),
            ("A", "no file of engines has this name"),
            ("cmd=x", "a name is missing"),
            ("name=A,proto=gtp", "cmd is missing"),
            ("name=A,proto=xboard", "no such protocol: \"xboard\""),
            ("name=A,speed=3", "unknown key \"speed\""),
            ("name=A,x", "\"x\" is no KEY=VALUE"),
            ("name=A,cmd='x", "a quote is not closed"),
            ("name=A,tc=x", "bad time control"),
            ("name=A,nodes=0", "bad number \"0\" for nodes"),
            ("name=A,restart=maybe", "expected off or on"),
            ("name=A,cmd=", "bad command line"),
        ] {
            let error = parse(bad).unwrap_err();
            assert!(error.contains(problem) && !error.contains('\n'), "{bad}: {error}");
        }
    }
}
