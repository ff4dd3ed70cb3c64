//! What a list of finished games comes to.
use super::record::Finished;
use super::statistics::Sprt;

#[derive(Debug)]
pub struct Standings(Vec<String>, Vec<Finished>);
#[derive(Debug, serde::Serialize)]
pub struct Summary {
    games: usize,
}
impl Standings {
    pub fn new(engines: &[String], _sprt: Option<Sprt>) -> Standings {
        Standings(engines.to_vec(), Vec::new())
    }
    pub fn add(&mut self, game: &Finished) {
        self.1.push(game.clone())
    }
    pub fn summary(&self) -> Summary {
        Summary { games: self.1.len() }
    }
}
impl Summary {
    pub fn short(&self) -> String {
        format!("{} games", self.games)
    }
    pub fn table(&self) -> String {
        format!("{} games\n", self.games)
    }
    pub fn decided(&self) -> bool {
        false
    }
}
