//! One sitting at the terminal: games one after the other, commands, the engine's moves.

use std::fs::{self, File};
use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;

use tengen_engine::game::{Color, Move};
use tengen_engine::games::{self, GameId, PlayError, Referee, Setup};
use tengen_engine::protocol::Proven;
use tengen_engine::search::clock;

use super::board::{Style, Tint, draw};
use super::opponent::{Opponent, Purpose, Thought};
use super::words;
use crate::records::sgf;

/// The longest line read; the rest of a longer one is thrown away.
const LONGEST_LINE: usize = 4096;
/// How many moves `moves` lists one by one; the largest board of points has this many.
const MOST_LISTED: usize = 484;
/// Width of lists in columns.
const WIDTH: usize = 76;

const HELP: &str = "  hint          what the engine would play, and its winning chance
  undo          take back your last move (and the engine's answer)
  moves [d1]    list the moves you can make (those that begin with d1)
  history       list the moves played
  board         draw the board
  level N       set the engine's strength, 1 (beginner) to 20
  time S        set the engine's time for a move in seconds
  switch        swap sides with the engine
  new [GAME]    begin a new game, also another one: new othello, new nogo size 7
  resign        give up
  save FILE     write the game to an SGF file
  load FILE     read a game from an SGF file
  quit          leave (so does the end of input)";

/// What becomes of the session after a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Stay,
    Leave,
}

/// Who begins.
pub(super) fn first_mover(game: GameId) -> Color {
    if game == GameId::Amazons { Color::White } else { Color::Black }
}

/// Reads a line without its line end, `None` at the end of input. What is not UTF-8 is replaced.
pub(super) fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut begun = false;
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if buffer.is_empty() {
            return Ok(begun.then(|| String::from_utf8_lossy(&line).into_owned()));
        }
        begun = true;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let used = end.map_or(buffer.len(), |end| end + 1);
        let text = end.map_or(buffer, |end| buffer.get(..end).unwrap_or(buffer));
        line.extend(text.iter().take(LONGEST_LINE.saturating_sub(line.len())));
        input.consume(used);
        if end.is_some() {
            return Ok(Some(String::from_utf8_lossy(&line).into_owned()));
        }
    }
}

/// A person, an engine and a game between them.
pub(super) struct Session<'a, R, W> {
    input: R,
    out: W,
    style: Style,
    opponent: &'a mut dyn Opponent,
    referee: Box<dyn Referee>,
    /// Whether a person plays Black, and White.
    humans: [bool; 2],
    resigned: Option<Color>,
    /// Changes with every new game.
    game: u64,
    /// Whether the present position has been drawn.
    drawn: bool,
    /// Whether the end of the game has been told.
    told: bool,
}

impl<'a, R: BufRead, W: Write> Session<'a, R, W> {
    pub(super) fn new(
        input: R,
        out: W,
        style: Style,
        opponent: &'a mut dyn Opponent,
        referee: Box<dyn Referee>,
        humans: [bool; 2],
    ) -> Self {
        Session {
            input,
            out,
            style,
            opponent,
            referee,
            humans,
            resigned: None,
            game: 1,
            drawn: false,
            told: false,
        }
    }

    /// Plays until the person leaves.
    ///
    /// # Errors
    /// When input or output fails.
    pub(super) fn run(&mut self) -> io::Result<()> {
        self.greet()?;
        loop {
            if let Some(result) = self.result() {
                self.draw()?;
                if !std::mem::replace(&mut self.told, true) {
                    writeln!(self.out, "The game is over. {result}")?;
                }
            } else if self.referee.must_pass() {
                self.pass()?;
                continue;
            } else if self.is_human(self.referee.turn()) {
                self.draw()?;
            } else {
                self.engine_move()?;
                continue;
            }
            let Some(line) = self.prompt()? else {
                writeln!(self.out)?;
                return Ok(());
            };
            if self.command(line.trim())? == Flow::Leave {
                return Ok(());
            }
        }
    }

    // ------------------------------------------------------------------------------------ what is said

    fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{text}")
    }

    fn refuse(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{}", self.style.paint(Tint::Bad, text))
    }

    /// The set-up and the players.
    fn greet(&mut self) -> io::Result<()> {
        let setup = self.referee.setup();
        let (game, title) = (setup.game, setup.game.description().title);
        let size = format!("{}x{}", setup.width, setup.height);
        let choices: String = setup.choices.iter().map(|(key, value)| format!(", {key}={value}")).collect();
        let rules = if game.description().rules.len() > 1 { setup.rules } else { "" };
        let rules = format!("{rules}{choices}");
        let rules = rules.trim_start_matches(", ");
        let rules = if rules.is_empty() { String::new() } else { format!(" ({rules})") };
        let [black, white] = Color::ALL.map(|color| self.player(color));
        writeln!(self.out, "\n{title} {size}{rules}. {black}; {white}.")?;
        writeln!(self.out, "{}", words::notation(game))?;
        self.say("Type help for the commands.")
    }

    /// `Black ● is you`, `White ○ is Tengen (level 20)`.
    fn player(&self, color: Color) -> String {
        let who = if self.is_human(color) {
            "you".to_owned()
        } else {
            format!("Tengen (level {})", self.opponent.get("level"))
        };
        format!("{} is {who}", self.side(color))
    }

    /// `Black ●`
    fn side(&self, color: Color) -> String {
        format!("{} {}", words::side(color), self.style.piece(self.referee.setup().game, color))
    }

    fn draw(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.drawn, true) {
            return Ok(());
        }
        writeln!(self.out, "\n{}\n", draw(&*self.referee, self.style))
    }

    fn prompt(&mut self) -> io::Result<Option<String>> {
        if self.result().is_some() {
            write!(self.out, "new, undo, save FILE, help, quit> ")?;
        } else {
            let side = self.side(self.referee.turn());
            write!(self.out, "{side} to move ({}, hint, undo, help, quit)> ", self.example())?;
        }
        self.out.flush()?;
        read_line(&mut self.input)
    }

    /// Some move that can be made now.
    fn example(&self) -> String {
        let moves = self.referee.legal_moves(None).unwrap_or_default();
        moves.get(moves.len() / 2).map_or_else(String::new, |&mv| self.referee.move_text(mv))
    }

    /// The result, once there is one.
    fn result(&self) -> Option<String> {
        if let Some(color) = self.resigned {
            return Some(format!("{} wins: {} has resigned.", words::side(!color), words::side(color)));
        }
        self.referee.ending().map(|ending| words::result(self.referee.setup().game, ending))
    }

    // ------------------------------------------------------------------------------------- moves

    fn is_human(&self, color: Color) -> bool {
        self.humans[color.index()]
    }

    fn changed(&mut self) {
        (self.drawn, self.told) = (false, false);
    }

    /// The pass of a side that has no move.
    fn pass(&mut self) -> io::Result<()> {
        let side = self.side(self.referee.turn());
        if self.referee.play(None, Move::PASS).is_ok() {
            self.changed();
            self.say(&format!("{side} has no move and must pass."))?;
        }
        Ok(())
    }

    fn engine_move(&mut self) -> io::Result<()> {
        if self.humans == [false; 2] {
            self.draw()?;
        }
        let color = self.referee.turn();
        let thought = self.think(Purpose::Play)?;
        let problem = match thought {
            Ok(thought) if thought.text == "resign" => {
                self.resigned = Some(color);
                self.changed();
                let side = self.side(color);
                return self.say(&format!("{side}: Tengen resigns."));
            }
            Ok(thought) => match self.referee.parse_move(&thought.text).map_err(PlayError::from) {
                Ok(mv) => match self.referee.play(Some(color), mv) {
                    Ok(()) => {
                        self.changed();
                        let side = self.side(color);
                        return self.say(&format!(
                            "{side}: Tengen plays {}{}",
                            thought.text,
                            opinion(&thought)
                        ));
                    }
                    Err(illegal) => format!("it wants to play {}: {illegal}", thought.text),
                },
                Err(error) => error.to_string(),
            },
            Err(problem) => problem,
        };
        // The person can go on, or give the side back with `switch`.
        self.humans = [true; 2];
        self.refuse(&format!("The engine has failed ({problem}). You now play both sides."))
    }

    /// Asks the engine; on a terminal a note stands there meanwhile.
    fn think(&mut self, purpose: Purpose) -> io::Result<Result<Thought, String>> {
        if self.style.color {
            write!(self.out, "Tengen is thinking ...")?;
            self.out.flush()?;
        }
        let thought = self.opponent.think(&*self.referee, purpose, self.game);
        if self.style.color {
            write!(self.out, "\r\x1b[K")?;
        }
        Ok(thought)
    }

    fn play(&mut self, words: &[&str]) -> io::Result<()> {
        // Three squares of an Amazons move may come apart: d1 d7 g7.
        let text = words.join("-");
        let mv = match self.referee.parse_move(&text) {
            Ok(mv) => mv,
            Err(error) => {
                let typed = words.join(" ").escape_default().to_string();
                return self.refuse(&format!(
                    "\"{typed}\" is neither a command (type help) nor a move: expected {}.",
                    error.1
                ));
            }
        };
        if self.resigned.is_some() {
            return self.refuse("The game is over. Type new for another one, or undo.");
        }
        match self.referee.play(None, mv) {
            Ok(()) => {
                self.changed();
                Ok(())
            }
            Err(illegal) => {
                let text = self.referee.move_text(mv);
                self.refuse(&format!("{text} is not possible: {}.", words::refusal(illegal)))
            }
        }
    }

    // ------------------------------------------------------------------------------------- commands

    fn command(&mut self, line: &str) -> io::Result<Flow> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((&first, rest)) = words.split_first() else { return Ok(Flow::Stay) };
        let name = first.to_ascii_lowercase();
        // A file name may contain blanks.
        let argument = line.strip_prefix(first).unwrap_or("").trim();
        match (name.as_str(), rest) {
            ("quit" | "exit" | "q", []) => return Ok(Flow::Leave),
            ("help" | "h" | "?", _) => {
                let game = self.referee.setup().game;
                self.say(words::notation(game))?;
                self.say(HELP)?;
            }
            ("hint", []) => self.hint()?,
            ("undo", []) => self.undo()?,
            ("moves", []) => self.list_moves("")?,
            ("moves", [prefix]) => self.list_moves(prefix)?,
            ("history", []) => self.list_history()?,
            ("board", []) => {
                self.drawn = false;
                self.draw()?;
            }
            ("level", _) => self.option("level", argument)?,
            ("time", _) => self.time(argument)?,
            ("switch", []) => self.switch()?,
            ("new", _) => self.new_game(rest)?,
            ("resign", []) => self.resign()?,
            ("save", [_, ..]) => self.save(argument)?,
            ("load", [_, ..]) => self.load(argument)?,
            ("save" | "load", []) => self.refuse(&format!("Which file? Type {name} FILE."))?,
            _ => self.play(&words)?,
        }
        Ok(Flow::Stay)
    }

    fn hint(&mut self) -> io::Result<()> {
        if self.result().is_some() {
            return self.say("The game is over.");
        }
        match self.think(Purpose::Hint)? {
            Ok(thought) => {
                let mut text = format!("Tengen would play {}{}", thought.text, opinion(&thought));
                if thought.line.len() > 1 {
                    let line: Vec<&str> = thought.line.iter().take(8).map(String::as_str).collect();
                    text.push_str(&format!(" It expects {}.", line.join(" ")));
                }
                writeln!(self.out, "{}", self.style.paint(Tint::Good, &text))
            }
            Err(problem) => self.refuse(&format!("The engine has failed ({problem}).")),
        }
    }

    /// Back to where the person made the last move of their own.
    fn undo(&mut self) -> io::Result<()> {
        if self.resigned.take().is_some() {
            self.changed();
            return self.say("Nobody has resigned.");
        }
        let history = self.referee.history();
        let own = history.iter().rposition(|&(color, mv)| self.is_human(color) && mv != Move::PASS);
        let Some(at) = own else {
            return self.refuse("You have made no move that could be taken back.");
        };
        if self.referee.undo(history.len() - at).is_ok() {
            self.changed();
        }
        Ok(())
    }

    fn list_moves(&mut self, prefix: &str) -> io::Result<()> {
        if self.result().is_some() {
            return self.say("The game is over.");
        }
        let prefix = prefix.to_ascii_lowercase();
        let moves = self.referee.legal_moves(None).unwrap_or_default();
        let all = moves.into_iter().map(|mv| self.referee.move_text(mv));
        let fits = |text: &String| {
            let rest = text.strip_prefix(&prefix);
            prefix.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        let moves: Vec<String> = all.filter(fits).collect();
        match moves.len() {
            0 => self.say(&format!("No move begins with {}.", prefix.escape_default()))?,
            1 => self.say("1 move:")?,
            count => self.say(&format!("{count} moves:"))?,
        }
        if moves.len() <= MOST_LISTED {
            return self.list(moves.iter().map(String::as_str));
        }
        // Too many to read: how many begin with each next square.
        let squares = if prefix.is_empty() { 1 } else { 2 + prefix.matches('-').count() };
        let mut groups: Vec<(String, usize)> = Vec::new();
        for text in &moves {
            let head = text.split('-').take(squares).collect::<Vec<_>>().join("-");
            match groups.iter_mut().find(|(known, _)| *known == head) {
                Some((_, count)) => *count += 1,
                None => groups.push((head, 1)),
            }
        }
        let groups: Vec<String> = groups.iter().map(|(head, count)| format!("{head} ({count})")).collect();
        self.list(groups.iter().map(String::as_str))?;
        self.say("Type moves and a beginning to see those.")
    }

    fn list_history(&mut self) -> io::Result<()> {
        let history = self.referee.history();
        let texts: Vec<String> = history
            .iter()
            .enumerate()
            .map(|(index, &(color, mv))| {
                format!("{}.{} {}", index + 1, color.letter(), self.referee.move_text(mv))
            })
            .collect();
        if texts.is_empty() {
            return self.say("No move has been played.");
        }
        self.list(texts.iter().map(String::as_str))
    }

    /// Words in lines of at most [`WIDTH`] columns.
    fn list<'t>(&mut self, texts: impl Iterator<Item = &'t str>) -> io::Result<()> {
        let mut line = String::new();
        for text in texts {
            if !line.is_empty() && line.len() + text.len() + 2 > WIDTH {
                writeln!(self.out, "  {line}")?;
                line.clear();
            }
            if !line.is_empty() {
                line.push_str("  ");
            }
            line.push_str(text);
        }
        if line.is_empty() { Ok(()) } else { writeln!(self.out, "  {line}") }
    }

    fn option(&mut self, name: &str, value: &str) -> io::Result<()> {
        if !value.is_empty()
            && let Err(problem) = self.opponent.set(name, value)
        {
            return self.refuse(&problem);
        }
        let value = self.opponent.get(name);
        self.say(&format!("The engine's {name} is {value}."))
    }

    fn time(&mut self, text: &str) -> io::Result<()> {
        let milliseconds = clock::parse_seconds(text).map(|time| time.as_millis());
        let result = match milliseconds {
            _ if text.is_empty() => Ok(()),
            Some(milliseconds) => self.opponent.set("move_time", &milliseconds.to_string()),
            None => Err(format!("\"{}\" is no number of seconds.", text.escape_default())),
        };
        if let Err(problem) = result {
            return self.refuse(&problem);
        }
        let seconds = self.opponent.get("move_time").parse::<f64>().unwrap_or_default() / 1000.0;
        self.say(&format!("The engine thinks {seconds} s about a move."))
    }

    /// Swaps sides; when one player has both, the other takes the side to move.
    fn switch(&mut self) -> io::Result<()> {
        let turn = self.referee.turn().index();
        match self.humans {
            [true, true] => self.humans[turn] = false,
            [false, false] => self.humans[turn] = true,
            [black, white] => self.humans = [white, black],
        }
        let [black, white] = Color::ALL.map(|color| self.player(color));
        self.say(&format!("{black}; {white}."))
    }

    fn new_game(&mut self, words: &[&str]) -> io::Result<()> {
        let setup = match words {
            [] => Ok(self.referee.setup().clone()),
            words => Setup::parse(words.iter().copied()),
        };
        match setup.and_then(games::referee) {
            Ok(referee) => self.take(referee),
            Err(problem) => self.refuse(&problem.to_string()),
        }
    }

    /// Goes on with another game. Whoever moved first still does.
    fn take(&mut self, referee: Box<dyn Referee>) -> io::Result<()> {
        if first_mover(referee.setup().game) != first_mover(self.referee.setup().game) {
            self.humans.reverse();
        }
        self.referee = referee;
        self.resigned = None;
        self.game += 1;
        self.changed();
        self.greet()
    }

    fn resign(&mut self) -> io::Result<()> {
        if self.result().is_some() {
            return self.say("The game is over.");
        }
        self.resigned = Some(self.referee.turn());
        self.changed();
        Ok(())
    }

    // ------------------------------------------------------------------------------------- files

    fn save(&mut self, name: &str) -> io::Result<()> {
        let mut properties = Vec::new();
        for (color, property) in Color::ALL.into_iter().zip(["PB", "PW"]) {
            let player = if self.is_human(color) { "Human" } else { "Tengen" };
            properties.push((property.to_owned(), player.to_owned()));
        }
        if let Some(color) = self.resigned {
            let winner = (!color).letter().to_ascii_uppercase();
            properties.push(("RE".to_owned(), format!("{winner}+R")));
        }
        let text = sgf::print(&*self.referee, &properties);
        match write_record(&path(name), &text) {
            Ok(()) => self.say(&format!("Saved to {name}.")),
            Err(problem) => self.refuse(&format!("Not saved: {problem}.")),
        }
    }

    fn load(&mut self, name: &str) -> io::Result<()> {
        let text = match read_record(&path(name)) {
            Ok(text) => text,
            Err(error) => return self.refuse(&format!("Cannot read {name}: {error}.")),
        };
        match sgf::load(&text, self.referee.setup(), None) {
            Ok(referee) => {
                self.say(&format!("Loaded {name}: {} moves.", referee.plies()))?;
                self.take(referee)
            }
            Err(error) => self.refuse(&format!("Cannot load {name}: {error}.")),
        }
    }
}

/// `.` or `, which wins for certain.` and the like, behind a move.
fn opinion(thought: &Thought) -> String {
    match (thought.proven, thought.chance) {
        (Some(Proven::Win), _) => ", which wins for certain.".to_owned(),
        (Some(Proven::Loss), _) => ", but the game is lost against best play.".to_owned(),
        (Some(Proven::Draw), _) => ", which holds the draw.".to_owned(),
        (None, Some(chance)) => format!(" (winning chance {:.0} %).", chance * 100.0),
        (None, None) => ".".to_owned(),
    }
}

/// A file name as typed; `~/` is the home directory, as a shell has it.
fn path(name: &str) -> PathBuf {
    match (name.strip_prefix("~/"), std::env::var_os("HOME")) {
        (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
        _ => PathBuf::from(name),
    }
}

/// Writes a record; what is there already is replaced only when it is a record, too.
fn write_record(path: &PathBuf, text: &str) -> Result<(), String> {
    if let Ok(file) = File::open(path) {
        let mut head = Vec::new();
        let read = file.take(1024).read_to_end(&mut head);
        if read.is_ok() && !head.is_empty() && !String::from_utf8_lossy(&head).contains("(;") {
            return Err(format!("{} exists and is no game record", path.display()));
        }
    }
    fs::write(path, text).map_err(|error| error.to_string())
}

/// Reads a file, no more than a record may have.
fn read_record(path: &PathBuf) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(sgf::LONGEST as u64 + 1).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
