//! Secret names of sessions.

use crate::pings::Token;

/// A token that nobody can guess.
///
/// # Errors
///
/// The system has no source of random bytes.
pub fn random_token() -> Result<Token, getrandom::Error> {
    let mut token = Token::default();
    getrandom::fill(&mut token)?;
    Ok(token)
}
