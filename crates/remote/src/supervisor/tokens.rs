//! Secret names of sessions.

use std::fs::File;
use std::io::{self, Read};

use crate::pings::Token;

/// A token that nobody can guess.
///
/// # Errors
///
/// The system has no source of random bytes.
pub fn random_token() -> io::Result<Token> {
    let mut token = Token::default();
    File::open("/dev/urandom")?.read_exact(&mut token)?;
    Ok(token)
}
