//! Pings between a client and a worker, and their answers: which messages of each session have arrived.

/// Bytes of a session's token.
pub const TOKEN_BYTES: usize = 16;
/// Bytes of one session: its token, a number, and a count.
const ROW_BYTES: usize = TOKEN_BYTES + 4 + 2;
/// The most sessions of one ping. The broker passes messages of up to 1 MiB on.
const MAX_ROWS: usize = 2_000;

/// The secret name of a session.
pub type Token = [u8; TOKEN_BYTES];

/// How far one end of a session has come with the messages of the other one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The number of the first message that has not arrived.
    pub arrived: u32,
    /// The number of the first message that is not consumed.
    pub consumed: u32,
}

/// A ping or its answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Ping {
    /// The answer has the number of the ping.
    pub number: u32,
    /// Sessions. `None`: the worker does not have the session.
    pub sessions: Vec<(Token, Option<Progress>)>,
}

/// In place of the count: the worker does not have the session.
const UNKNOWN: u16 = u16::MAX;

impl Ping {
    /// Pings with the same number, which name all of the sessions together. At least one.
    pub fn parts(number: u32, mut sessions: Vec<(Token, Option<Progress>)>) -> Vec<Self> {
        let mut parts = Vec::new();
        loop {
            let rest = sessions.split_off(sessions.len().min(MAX_ROWS));
            parts.push(Self { number, sessions });
            if rest.is_empty() {
                return parts;
            }
            sessions = rest;
        }
    }

    /// The bytes of a ping with at most [`MAX_ROWS`] sessions.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = self.number.to_le_bytes().to_vec();
        for (token, progress) in &self.sessions {
            let Progress { arrived, consumed } = progress.unwrap_or_default();
            // Messages that have arrived and are not consumed. The window has room for fewer than a count can express.
            let held = u16::try_from(arrived.wrapping_sub(consumed)).map_or(UNKNOWN - 1, |held| held.min(UNKNOWN - 1));
            bytes.extend(token);
            bytes.extend(consumed.to_le_bytes());
            bytes.extend(if progress.is_some() { held } else { UNKNOWN }.to_le_bytes());
        }
        bytes
    }

    /// `None`: not a ping.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (number, rows) = bytes.split_first_chunk()?;
        let rows = rows.chunks_exact(ROW_BYTES);
        if !rows.remainder().is_empty() || rows.len() > MAX_ROWS {
            return None;
        }
        let row = |row: &[u8]| {
            let (token, rest) = row.split_first_chunk::<TOKEN_BYTES>()?;
            let (consumed, held) = rest.split_first_chunk()?;
            let (consumed, held) = (u32::from_le_bytes(*consumed), u16::from_le_bytes(*held.first_chunk()?));
            let progress = Progress { arrived: consumed.wrapping_add(held.into()), consumed };
            Some((*token, (held != UNKNOWN).then_some(progress)))
        };
        Some(Self { number: u32::from_le_bytes(*number), sessions: rows.map(row).collect::<Option<_>>()? })
    }
}

/// The token as a part of a subject.
pub fn token_text(token: &Token) -> String {
    token.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The inverse of [`token_text`].
pub fn token_of(text: &str) -> Option<Token> {
    let mut token = Token::default();
    if text.len() != 2 * TOKEN_BYTES || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (index, byte) in token.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * index..2 * index + 2)?, 16).ok()?;
    }
    Some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ping_is_read_as_it_was_written() {
        let known = |arrived, consumed| Some(Progress { arrived, consumed });
        let sessions = vec![([1; 16], known(5, 5)), ([2; 16], None), ([3; 16], known(3, u32::MAX))];
        let ping = Ping { number: 7, sessions };
        assert_eq!(Ping::read(&ping.write()), Some(ping));
        assert_eq!(Ping::read(&Ping::default().write()), Some(Ping::default()));
    }

    #[test]
    fn pings_name_all_sessions_however_many_there_are() {
        for count in [0, 1, MAX_ROWS, 2 * MAX_ROWS + 1] {
            let sessions: Vec<_> =
                (0..count as u128).map(|token| (token.to_le_bytes(), Some(Progress::default()))).collect();
            let parts = Ping::parts(7, sessions.clone());
            assert_eq!(parts.len(), count.div_ceil(MAX_ROWS).max(1));
            let read: Vec<_> = parts.iter().map(|part| Ping::read(&part.write()).expect("a ping")).collect();
            assert!(read.iter().all(|ping| ping.number == 7));
            assert_eq!(read.into_iter().flat_map(|ping| ping.sessions).collect::<Vec<_>>(), sessions);
        }
    }

    #[test]
    fn other_bytes_are_no_ping() {
        for length in [0, 3, 5, 25, 27] {
            assert_eq!(Ping::read(&vec![0; length]), None);
        }
        assert_eq!(Ping::read(&vec![0; 4 + (MAX_ROWS + 1) * ROW_BYTES]), None);
    }

    #[test]
    fn a_token_is_read_as_it_was_written() {
        let token = [0xA5; TOKEN_BYTES];
        assert_eq!(token_of(&token_text(&token)), Some(token));
        for text in ["", "zz", &"g".repeat(32), &"é".repeat(16)] {
            assert_eq!(token_of(text), None);
        }
    }
}
