//! The site's HTTP interface.

use std::sync::Arc;
use std::time::Duration;

use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig};

use super::show;

/// How long a request may take; the site ends one that brings nothing much earlier.
const PATIENCE: Duration = Duration::from_secs(300);
/// The same while more answers wait that must be sent one by one.
const HURRY: Duration = Duration::from_secs(5);
const CONNECT: Duration = Duration::from_secs(20);
/// How often in a row the site may fail in a way that is not "nothing yet".
pub(super) const FAILURES: u32 = 60;
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

/// Why a match was not started.
#[derive(Debug)]
pub(super) enum Unstarted {
    /// The site, or the way to it, has a problem that may pass.
    Failed(String),
    /// The site refuses it.
    Refused(String),
}

/// Whether a request that has timed out has reached the site, which then has nothing for us yet.
fn is_nothing_yet(timeout: ureq::Timeout) -> bool {
    use ureq::Timeout;
    matches!(timeout, Timeout::Global | Timeout::PerCall | Timeout::RecvResponse | Timeout::RecvBody)
}

/// Whether the address is safe for a secret: encrypted, or on this machine.
fn is_safe(url: &str) -> bool {
    let Ok(uri) = url.parse::<ureq::http::Uri>() else { return false };
    let host = uri.host().unwrap_or_default();
    match uri.scheme_str() {
        Some("https") => !host.is_empty(),
        Some("http") => {
            let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
            host == "localhost" || address.is_ok_and(|address| address.is_loopback())
        }
        _ => false,
    }
}

/// The site, for one user.
pub(super) struct Site {
    agent: Agent,
    /// The address of the user's interface, which contains the secret.
    address: String,
    secret: String,
    retry: Duration,
    /// Whether answers are sent one by one, since one of them is refused.
    singly: bool,
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
        if !is_safe(url) {
            return Err("bad url: expected https://HOST (http only for this machine: the secret would be \
                        readable on the way)"
                .to_owned());
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
        Ok(Site { agent: config.new_agent(), address, secret, retry, singly: false })
    }

    /// How long to wait before the site is asked again.
    pub(super) fn retry(&self) -> Duration {
        self.retry
    }

    /// Sends answers (match and response) and waits for requests. Answers that were sent are taken out; what
    /// stays is to be sent with the next poll.
    ///
    /// # Errors
    /// When the site refuses us, or fails again and again.
    pub(super) fn poll(&mut self, answers: &mut Vec<(String, String)>) -> Result<String, String> {
        let mut failures = 0;
        loop {
            self.singly &= !answers.is_empty();
            let count = if self.singly { 1 } else { answers.len() };
            let sent = answers.iter().take(count);
            let headers: Vec<(String, &str)> =
                sent.map(|(id, answer)| (format!("X-Match-{id}"), answer.as_str())).collect();
            let patience = if count < answers.len() { HURRY } else { PATIENCE };
            match self.get("localai", &headers, patience) {
                Reply::Text(body) => {
                    answers.drain(..count);
                    return Ok(body);
                }
                Reply::Nothing => {
                    failures = 0;
                    // The site has it; else it asks again.
                    if self.singly {
                        answers.remove(0);
                        continue;
                    }
                }
                // An answer to a match that has been aborted must not end all others.
                Reply::Refused(400, _) if count > 1 => {
                    self.singly = true;
                    continue;
                }
                Reply::Refused(400, why) if count == 1 => {
                    let (id, _) = answers.remove(0);
                    show(&format!("the site refuses the answer to match {}: {why}", shown(&id)));
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
    pub(super) fn start(&self, opening: &Opening) -> Result<String, Unstarted> {
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
        let not = |why: &str| format!("no match was started: {why}");
        match self.get("runmatch", &headers, PATIENCE) {
            Reply::Text(id) => Ok(shown(id.trim())),
            Reply::Nothing => Err(Unstarted::Failed(not("the site does not answer"))),
            Reply::Failed(why) => Err(Unstarted::Failed(not(&why))),
            Reply::Refused(status, why) => Err(Unstarted::Refused(not(&refusal(status, &why)))),
        }
    }

    fn get(&self, what: &str, headers: &[(String, &str)], patience: Duration) -> Reply {
        let request = self.agent.get(format!("{}/{what}", self.address));
        let mut request = request.config().timeout_recv_response(Some(patience)).build();
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        let mut response = match request.call() {
            Ok(response) => response,
            Err(ureq::Error::Timeout(timeout)) if is_nothing_yet(timeout) => return Reply::Nothing,
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
    }

    #[test]
    fn the_secret_does_not_travel_in_clear() {
        for good in
            ["https://a.b", "https://a.b:1/", "http://127.0.0.1:1", "http://[::1]:2", "http://localhost/"]
        {
            assert!(is_safe(good), "{good}");
        }
        for bad in [
            "http://a.b",
            "http://127.0.0.1.a.b",
            "http://127.0.0.1@a.b",
            "http://8.8.8.8",
            "ftp://x",
            "https://",
            "x",
        ] {
            assert!(!is_safe(bad), "{bad}");
            assert!(Site::new(bad, "user", "s".into(), Duration::ZERO).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_site_out_of_reach_is_not_nothing_yet() {
        use ureq::Timeout;
        for timeout in [Timeout::Resolve, Timeout::Connect, Timeout::SendRequest] {
            assert!(!is_nothing_yet(timeout), "{timeout:?}");
        }
        for timeout in [Timeout::Global, Timeout::RecvResponse] {
            assert!(is_nothing_yet(timeout), "{timeout:?}");
        }
    }

    #[test]
    fn what_the_site_says_is_made_harmless() {
        assert_eq!(shown("a\u{1b}[2Jb\n"), "a [2Jb ");
        assert_eq!(shown(&"x".repeat(1000)).len(), SHOWN);
    }
}
