//! The chain of message authentication codes that protects a journal.

use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::entry::Digest;

type HmacSha256 = Hmac<Sha256>;

/// Bytes of a code, at the end of each entry.
pub const MAC_BYTES: usize = 32;

/// The keys of a journal.
#[derive(Default)]
pub struct Keys {
    /// Signs new entries. `None`: entries carry no code.
    pub sign: Option<Vec<u8>>,
    /// Further keys whose entries are accepted.
    pub verify: Vec<Vec<u8>>,
}

/// The code of an entry covers the session's id, the number of the entry, the code of the entry before it and the
/// entry's frame. So entries cannot be changed, moved, repeated or taken from another session.
pub struct Chain {
    id: String,
    /// With the keys, which are of no use otherwise: making one takes longer than the code of a small entry.
    sign: Option<HmacSha256>,
    verify: Vec<HmacSha256>,
    last: [u8; MAC_BYTES],
    /// The number of the next entry.
    next: u64,
}

impl Chain {
    pub fn new(id: String, keys: Keys) -> Self {
        let sign = keys.sign.as_deref().map(keyed);
        let verify = keys.verify.iter().map(|key| keyed(key)).collect();
        Self { id, sign, verify, last: [0; MAC_BYTES], next: 0 }
    }

    pub fn next(&self) -> u64 {
        self.next
    }

    /// The entry that has `frame`.
    pub fn sign(&mut self, mut frame: Vec<u8>) -> Vec<u8> {
        if let Some(key) = &self.sign {
            let code: [u8; MAC_BYTES] = self.code(key, &frame).finalize().into_bytes().into();
            self.last = code;
            frame.extend(code);
        }
        self.next += 1;
        frame
    }

    /// The frame of the next entry. `None`: no key accepts it.
    pub fn verify<'e>(&mut self, entry: &'e [u8]) -> Option<&'e [u8]> {
        if self.sign.is_none() {
            self.next += 1;
            return Some(entry);
        }
        let (frame, code) = entry.split_last_chunk::<MAC_BYTES>()?;
        let mut keys = self.sign.iter().chain(&self.verify);
        if !keys.any(|key| self.code(key, frame).verify_slice(code).is_ok()) {
            return None;
        }
        self.last = *code;
        self.next += 1;
        Some(frame)
    }

    /// The frame of an entry that was verified before.
    pub fn frame_of<'e>(&self, entry: &'e [u8]) -> &'e [u8] {
        match entry.split_last_chunk::<MAC_BYTES>() {
            Some((frame, _)) if self.sign.is_some() => frame,
            _ => entry,
        }
    }

    /// The digest of an answer to a call that the journal does not keep. It says nothing about the answer to somebody
    /// without the key.
    pub fn digest(&self, call: (u32, u64), answer: &[u8]) -> Digest {
        digest(self.sign.as_ref(), call, answer).finalize().into_bytes().into()
    }

    /// Whether the digest is that of the answer, with any of the keys.
    pub fn accepts(&self, expected: &Digest, call: (u32, u64), answer: &[u8]) -> bool {
        let mut keys = std::iter::once(self.sign.as_ref()).chain(self.verify.iter().map(Some));
        keys.any(|key| digest(key, call, answer).verify_slice(expected).is_ok())
    }

    fn code(&self, key: &HmacSha256, frame: &[u8]) -> HmacSha256 {
        let mut mac = key.clone();
        mac.update(&(self.id.len() as u64).to_le_bytes());
        mac.update(self.id.as_bytes());
        mac.update(&self.next.to_le_bytes());
        mac.update(&self.last);
        mac.update(frame);
        mac
    }
}

/// Codes of entries begin with the length of an id, which is shorter than this text is as a number.
const DIGEST_OF_ANSWER: &[u8] = b"answer of a tool";

fn digest(key: Option<&HmacSha256>, (run, number): (u32, u64), answer: &[u8]) -> HmacSha256 {
    let mut mac = key.cloned().unwrap_or_else(|| keyed(&[]));
    mac.update(DIGEST_OF_ANSWER);
    mac.update(&run.to_le_bytes());
    mac.update(&number.to_le_bytes());
    mac.update(answer);
    mac
}

fn keyed(key: &[u8]) -> HmacSha256 {
    HmacSha256::new_from_slice(key).unwrap_or_else(|_| unreachable!("HMAC takes keys of any length"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(id: &str, sign: &str, verify: &[&str]) -> Chain {
        let verify = verify.iter().map(|key| key.as_bytes().to_vec()).collect();
        Chain::new(id.to_owned(), Keys { sign: Some(sign.as_bytes().to_vec()), verify })
    }

    fn entries(chain: &mut Chain) -> Vec<Vec<u8>> {
        ["one", "two", "three"].map(|frame| chain.sign(frame.as_bytes().to_vec())).to_vec()
    }

    fn accepted(mut chain: Chain, entries: &[Vec<u8>]) -> usize {
        entries.iter().take_while(|entry| chain.verify(entry).is_some()).count()
    }

    #[test]
    fn a_journal_is_accepted_with_the_key_that_signed_it() {
        let entries = entries(&mut chain("s", "k", &[]));
        assert_eq!(accepted(chain("s", "k", &[]), &entries), 3);
        assert_eq!(accepted(chain("s", "new", &["k"]), &entries), 3);
        assert_eq!(accepted(chain("s", "other", &[]), &entries), 0);
        assert_eq!(accepted(chain("t", "k", &[]), &entries), 0);
    }

    #[test]
    fn changed_swapped_repeated_and_dropped_entries_are_refused() {
        let good = entries(&mut chain("s", "k", &[]));
        let mut changed = good.clone();
        changed[1][0] ^= 1;
        assert_eq!(accepted(chain("s", "k", &[]), &changed), 1);
        let mut swapped = good.clone();
        swapped.swap(0, 1);
        assert_eq!(accepted(chain("s", "k", &[]), &swapped), 0);
        let repeated = [good[0].clone(), good[0].clone()];
        assert_eq!(accepted(chain("s", "k", &[]), &repeated), 1);
        let dropped = [good[0].clone(), good[2].clone()];
        assert_eq!(accepted(chain("s", "k", &[]), &dropped), 1);
    }
}
