//! Which fleet: the brokers, the pool, and the credentials.

use async_nats::ServerAddr;

/// A pool of workers, and the way to it. Executors with equal values share a connection.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fleet {
    /// Addresses of brokers of one cluster, such as `nats://host:4222`.
    pub servers: Vec<String>,
    pub pool: String,
    /// Path of a file with a JWT and the seed of an NKey.
    pub credentials: Option<String>,
}

/// Name and password, or a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Login {
    None,
    User(String, String),
    Token(String),
}

/// The longest name of a pool or a worker.
const MAX_NAME_CHARS: usize = 64;

impl Fleet {
    /// The addresses without user information, and the user information.
    ///
    /// # Errors
    ///
    /// An address is not one of a broker, or the addresses have different users. The client logs in to all brokers in
    /// the same way.
    pub fn addresses(&self) -> Result<(Vec<ServerAddr>, Login), String> {
        let mut login = None;
        let mut addresses = Vec::new();
        for server in &self.servers {
            let address: ServerAddr =
                server.parse().map_err(|_| "a server is not an address of a broker".to_owned())?;
            let own = match (address.username(), address.password()) {
                (None, None) => Login::None,
                (Some(user), Some(password)) => Login::User(decoded(user)?, decoded(password)?),
                (Some(token), None) => Login::Token(decoded(token)?),
                (None, Some(_)) => return Err("a server has a password without a user".to_owned()),
            };
            if login.get_or_insert_with(|| own.clone()) != &own {
                return Err("the servers have different users".to_owned());
            }
            let mut url = address.into_inner();
            // These calls fail only for addresses without a host.
            let _ = url.set_username("");
            let _ = url.set_password(None);
            addresses.push(ServerAddr::from_url(url).map_err(|error| error.to_string())?);
        }
        if addresses.is_empty() {
            return Err("there is no server".to_owned());
        }
        Ok((addresses, login.unwrap_or(Login::None)))
    }
}

/// The text of a part of an address, in which bytes may be written as `%` and two digits.
fn decoded(text: &str) -> Result<String, String> {
    let wrong = || "the user or password of a server is not encoded correctly".to_owned();
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let (Some(high), Some(low)) = (digit(), digit()) else { return Err(wrong()) };
        bytes.push((high << 4 | low) as u8);
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}

/// Whether a name can be a part of a subject.
pub fn is_name(name: &str) -> bool {
    (1..=MAX_NAME_CHARS).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(servers: &[&str]) -> Result<(Vec<String>, Login), String> {
        let servers = servers.iter().map(|&server| server.to_owned()).collect();
        let fleet = Fleet { servers, pool: "default".to_owned(), credentials: None };
        let (addresses, login) = fleet.addresses()?;
        Ok((addresses.into_iter().map(|address| address.into_inner().to_string()).collect(), login))
    }

    #[test]
    fn users_and_tokens_are_taken_from_addresses() {
        let user = Login::User("a".to_owned(), "b:c".to_owned());
        assert_eq!(of(&["nats://a:b%3Ac@h:1"]), Ok((vec!["nats://h:1".to_owned()], user)));
        assert_eq!(of(&["nats://secret@h:1"]).map(|(_, login)| login), Ok(Login::Token("secret".to_owned())));
        assert_eq!(of(&["tls://h", "tls://i"]).map(|(_, login)| login), Ok(Login::None));
    }

    #[test]
    fn addresses_that_cannot_be_used_together_are_refused() {
        for servers in [&[][..], &["nats://a:b@h", "nats://h"], &["nats://:b@h"], &["nats://a%zz:b@h"], &["ftp://["]] {
            assert!(of(servers).is_err(), "{servers:?}");
        }
    }

    #[test]
    fn names_are_parts_of_subjects() {
        assert!(is_name("gpu-1_b"));
        for name in ["", "a.b", "*", ">", "a b", &"x".repeat(65)] {
            assert!(!is_name(name), "{name}");
        }
    }
}
