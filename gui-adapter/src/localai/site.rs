//! The site's HTTP interface.

use std::sync::Arc;
use std::time::Duration;

use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig};

use super::show;

/// How long a request may take; the site ends one that brings nothing much earlier.
const PATIENCE: Duration = Duration::from_secs(300);
const CONNECT: Duration = Duration::from_secs(20);
/// How often in a row the site may fail in a way that is not "nothing yet".
const FAILURES: u32 = 60;
/// The longest reply.
const LONGEST: u64 = 4 << 20;
/// What is shown of a reply.
const SHOWN: usize = 200;

/// A match to be started.
#[derive(Clone, Debug)]
pub(super) struct Opening {
    /// The game's name on the site.
    pub(super) game: &'static str,
    /// The opponent's id.
    pub(super) opponent: String,
    /// Our place, 0 or 1.
    pub(super) slot: u8,
    /// The initial data.
    pub(super) initdata: String,
    /// Whether moves are numbers on lines.
    pub(super) simple_io: bool,
    /// For a turn.
    pub(super) time_limit: Duration,
}

/// What came back.
enum Reply {
    /// The body.
    Text(String),
    /// Nothing yet.
    Nothing,
    /// The site, or the way to it, has a problem.
    Failed(String),
    /// The request is refused; the text says why.
    Refused(u16, String),
}

/// The site, for one user.
pub(super) struct Site {
    agent: Agent,
    /// The address of the user's interface, which contains the secret.
    address: String,
    secret: String,
    retry: Duration,
}

impl Site {
    /// # Errors
    /// When the id or the secret cannot be part of an address.
    pub(super) fn new(url: &str, user: &str, secret: String, retry: Duration) -> Result<Site, String> {
        let plain = |text: &str| {
            (1..=200).contains(&text.len())
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
        };
        if !plain(user) {
            return Err("bad user id: expected letters and digits".to_owned());
        }
        if !plain(&secret) {
            return Err("bad secret: expected letters and digits".to_owned());
        }
        if !url.starts_with("https://") && !url.starts_with("http://") {
            return Err("bad url: expected https://HOST".to_owned());
        }
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::PlatformVerifier)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .build();
        // A redirection would carry the secret to another place.
        let config = Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_global(Some(PATIENCE))
            .timeout_connect(Some(CONNECT))
            .user_agent(concat!("tengen/", env!("CARGO_PKG_VERSION")))
            .build();
        let address = format!("{}/api/{user}/{secret}", url.trim_end_matches('/'));
        Ok(Site { agent: config.new_agent(), address, secret, retry })
    }

    /// How long to wait before the site is asked again.
    pub(super) fn retry(&self) -> Duration {
        self.retry
    }

    /// Sends answers (match and response) and waits for requests.
    ///
    /// # Errors
    /// When the site refuses us, or fails again and again.
    pub(super) fn poll(&self, answers: &[(String, String)]) -> Result<String, String> {
        let mut headers: Vec<(String, &str)> =
            answers.iter().map(|(id, answer)| (format!("X-Match-{id}"), answer.as_str())).collect();
        let mut failures = 0;
        loop {
            match self.get("localai", &headers) {
                Reply::Text(body) => return Ok(body),
                Reply::Nothing => failures = 0,
                // An answer to a match that has been aborted must not end all others.
                Reply::Refused(400, why) if !headers.is_empty() => {
                    show(&format!("the site refuses the answers: {why}"));
                    headers.clear();
                }
                Reply::Refused(status, why) => return Err(refusal(status, &why)),
                Reply::Failed(why) => {
                    failures += 1;
                    if failures == 1 {
                        show(&format!("the site does not answer: {why}; trying again"));
                    }
                    if failures == FAILURES {
                        return Err(format!("the site does not answer: {why}"));
                    }
                }
            }
            std::thread::sleep(self.retry);
        }
    }

    /// Starts a match and gives its id.
    ///
    /// # Errors
    /// When the site does not start it.
    pub(super) fn start(&self, opening: &Opening) -> Result<String, String> {
        let (own, other) = (format!("X-Player-{}", opening.slot), format!("X-Player-{}", 1 - opening.slot));
        let limit = opening.time_limit.as_secs_f64().ceil().to_string();
        let headers = [
            ("X-Game".to_owned(), opening.game),
            (own, "me"),
            (other, opening.opponent.as_str()),
            ("X-Initdata".to_owned(), opening.initdata.as_str()),
            ("X-UseSimpleIO".to_owned(), if opening.simple_io { "true" } else { "false" }),
            ("X-Timelimit".to_owned(), limit.as_str()),
        ];
        match self.get("runmatch", &headers) {
            Reply::Text(id) => Ok(shown(id.trim())),
            Reply::Nothing => Err("no match was started: the site does not answer".to_owned()),
            Reply::Failed(why) => Err(format!("no match was started: {why}")),
            Reply::Refused(status, why) => Err(format!("no match was started: {}", refusal(status, &why))),
        }
    }

    fn get(&self, what: &str, headers: &[(String, &str)]) -> Reply {
        let mut request = self.agent.get(format!("{}/{what}", self.address));
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        let mut response = match request.call() {
            Ok(response) => response,
            Err(ureq::Error::Timeout(_)) => return Reply::Nothing,
            Err(error) => return Reply::Failed(self.without_secret(&error.to_string())),
        };
        let status = response.status().as_u16();
        let body = response.body_mut().with_config().limit(LONGEST).lossy_utf8(true).read_to_string();
        match (status, body) {
            (502 | 504, _) => Reply::Nothing,
            (200, Ok(text)) => Reply::Text(text),
            (200, Err(error)) => Reply::Failed(self.without_secret(&error.to_string())),
            (500.., _) => Reply::Failed(format!("status {status}")),
            (_, body) => Reply::Refused(status, shown(&self.without_secret(body.unwrap_or_default().trim()))),
        }
    }

    fn without_secret(&self, text: &str) -> String {
        text.replace(&self.secret, "***")
    }
}

/// A text from the site, harmless and not too long.
fn shown(text: &str) -> String {
    text.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn refusal(status: u16, why: &str) -> String {
    match status {
        401 => "the site refuses the user id or the secret, or the level of the account is too low (401)"
            .to_owned(),
        _ => format!("the site refuses the request ({status}): {why}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_texts_do_not_betray_the_secret() {
        let site =
            Site::new("http://127.0.0.1:1/", "user", "s3cret".into(), Duration::from_millis(1)).unwrap();
        assert_eq!(site.without_secret("bad uri /api/user/s3cret/localai"), "bad uri /api/user/***/localai");
        for (user, secret) in [("a/b", "x"), ("", "x"), ("user", ""), ("user", "a b"), ("user", "a?b")] {
            let error = Site::new("http://127.0.0.1:1", user, secret.into(), Duration::ZERO).err().unwrap();
            assert!(secret.len() < 2 || !error.contains(secret), "{error}");
        }
        assert!(Site::new("ftp://x", "user", "s".into(), Duration::ZERO).is_err());
    }

    #[test]
    fn what_the_site_says_is_made_harmless() {
        assert_eq!(shown("a\u{1b}[2Jb\n"), "a [2Jb ");
        assert_eq!(shown(&"x".repeat(1000)).len(), SHOWN);
    }
}
