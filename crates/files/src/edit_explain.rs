//! Explains why an edit found no single place: names the characters in which the file and `oldText` differ.
//!
//! Nothing here decides what is edited.

use std::fmt::Write;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};

use super::edit_match::{find_lookalikes, find_twins, is_blank, to_lf};
use super::encoding::MARK;
use super::truncate::count_lines;

/// 1 MiB: larger files are not searched for similar text. A view can take 34 times as much memory.
const MAX_CONTENT_BYTES: usize = 1 << 20;
/// 64 KiB: longer texts are not compared.
const MAX_TEXT_BYTES: usize = 64 << 10;
/// 128 KiB: longer passages are not compared. White space between two words can be as long as the file.
const MAX_PASSAGE_BYTES: usize = 2 * MAX_TEXT_BYTES;
/// 4 KiB: longer passages of the file are not shown.
const MAX_SHOWN_BYTES: usize = 4 << 10;
/// Similar passages that are compared.
const MAX_PLACES: usize = 16;
/// Places besides the exact match that a message explains.
const MAX_TWINS: usize = 2;
/// Differences of one place that a message names.
const MAX_DIFFERENCES: usize = 3;
/// Characters of one difference that a message names.
const MAX_NAMED_CHARS: usize = 3;
/// For all comparisons of a call. After this time the differences are still correct, but coarse.
const TIMEOUT: Duration = Duration::from_millis(200);

/// For text that has no match: the first passage that looks the same, or has other white space, and the differences.
pub fn near_miss(content: &str, old_text: &str) -> Option<String> {
    if is_too_long(content, old_text) {
        return None;
    }
    let content = to_lf(content.strip_prefix(MARK).unwrap_or(content));
    let (old_text, deadline) = (to_lf(old_text), Instant::now() + TIMEOUT);
    let passages = find_lookalikes(&content, &old_text, MAX_PLACES).into_iter();
    let passage = passages
        .map(|place| with_blanks(&content, place, &old_text))
        .filter(|place| place.len() <= MAX_PASSAGE_BYTES)
        .map(|place| Passage::compare(&content, place, &old_text, deadline))
        .find(Passage::looks_the_same)?;
    let copy = if passage.text.len() <= MAX_SHOWN_BYTES {
        format!("Copy the exact text of the file:\n{}", passage.text)
    } else {
        let lines = count_lines(&passage.text);
        format!("Use read with offset={} and limit={lines} to copy the exact text.", passage.line)
    };
    Some(format!("The text at line {} differs only in this: {}. {copy}", passage.line, passage.differences()))
}

/// For text that is not unique although it has at most one exact match: the places that only look like it.
pub fn twins(content: &str, old_text: &str) -> Option<String> {
    if is_too_long(content, old_text) {
        return None;
    }
    let content = to_lf(content.strip_prefix(MARK).unwrap_or(content));
    let (old_text, deadline) = (to_lf(old_text), Instant::now() + TIMEOUT);
    let twins = find_twins(&content, &old_text, MAX_TWINS)?;
    let mut text = match twins.exact {
        Some(exact) => format!("Only the text at line {} matches exactly.", Position::of(&content, exact.start).line),
        None => "None matches exactly.".to_owned(),
    };
    for place in twins.others.into_iter().filter(|place| place.len() <= MAX_PASSAGE_BYTES) {
        let passage = Passage::compare(&content, place, &old_text, deadline);
        // Writing to a string does not fail.
        let _ = write!(
            text,
            " The text at line {} counts too, because it differs only in this: {}.",
            passage.line,
            passage.differences()
        );
    }
    Some(text)
}

fn is_too_long(content: &str, old_text: &str) -> bool {
    content.len() > MAX_CONTENT_BYTES || old_text.len() > MAX_TEXT_BYTES
}

/// `place` with the white space around it that corresponds to the white space around `old_text`.
fn with_blanks(content: &str, place: Range<usize>, old_text: &str) -> Range<usize> {
    let before = old_text.chars().take_while(|char| is_blank(*char)).collect::<Vec<_>>();
    let after = old_text.chars().rev().take_while(|char| is_blank(*char)).collect::<Vec<_>>();
    let start = place.start - blank_len(before.into_iter().rev(), content[..place.start].chars().rev());
    let end = place.end + blank_len(after.into_iter().rev(), content[place.end..].chars());
    start..end
}

/// The length of the blank text at the start of `rest` that corresponds to `blank`: as many lines, and as far on the
/// last one as the text is blank, if `blank` goes on there. Both go away from the place.
fn blank_len(blank: impl Iterator<Item = char>, rest: impl Iterator<Item = char>) -> usize {
    let (mut lines, mut goes_on) = (0, false);
    for char in blank {
        lines += usize::from(char == '\n');
        goes_on = char != '\n';
    }
    let (mut length, mut kept) = (0, 0);
    for char in rest.take_while(|char| is_blank(*char)) {
        if char == '\n' {
            match lines {
                0 => break,
                _ => lines -= 1,
            }
        }
        length += char.len_utf8();
        if char == '\n' || lines == 0 && goes_on {
            kept = length;
        }
    }
    kept
}

/// A place in a file, from 1.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Position {
    line: usize,
    /// In characters.
    column: usize,
}

impl Position {
    fn of(content: &str, at: usize) -> Self {
        let mut position = Self { line: 1, column: 1 };
        content[..at].chars().for_each(|char| position.pass(char));
        position
    }

    fn pass(&mut self, char: char) {
        if char == '\n' {
            *self = Self { line: self.line + 1, column: 1 };
        } else {
            self.column += 1;
        }
    }
}

/// A passage of a file that is compared with `oldText`. In both, lines end in LF.
struct Passage {
    line: usize,
    text: String,
    differences: Vec<Difference>,
}

struct Difference {
    at: Position,
    found: Vec<char>,
    wanted: Vec<char>,
}

impl Passage {
    fn compare(content: &str, place: Range<usize>, old_text: &str, deadline: Instant) -> Self {
        let mut at = Position::of(content, place.start);
        let line = at.line;
        let text = &content[place];
        // Spaces that a forgiving search includes at the end of a line.
        let text = if old_text.ends_with(is_blank) { text } else { text.trim_end_matches([' ', '\t']) }.to_owned();
        let (found, wanted): (Vec<_>, Vec<_>) = (text.chars().collect(), old_text.chars().collect());
        let mut differences = Vec::new();
        for op in capture_diff_slices_deadline(Algorithm::Myers, &wanted, &found, Some(deadline)) {
            let (tag, of_wanted, of_found) = op.as_tag_tuple();
            let found = &found[of_found];
            if tag != DiffTag::Equal {
                differences.push(Difference { at, found: found.to_vec(), wanted: wanted[of_wanted].to_vec() });
            }
            found.iter().for_each(|char| at.pass(*char));
        }
        Self { line, text, differences }
    }

    /// Whether all differences are in white space, or between characters of which one is not on keyboards. Letters of
    /// ASCII that look alike are different texts.
    fn looks_the_same(&self) -> bool {
        self.differences.iter().all(|Difference { found, wanted, .. }| {
            found.iter().chain(wanted).any(|char| !char.is_ascii())
                || found.iter().chain(wanted).all(|char| is_blank(*char))
        })
    }

    fn differences(&self) -> String {
        let mut named: Vec<_> = self.differences.iter().take(MAX_DIFFERENCES).map(Difference::describe).collect();
        match self.differences.len() - named.len() {
            0 => {}
            1 => named.push("1 more difference".to_owned()),
            more => named.push(format!("{more} more differences")),
        }
        named.join("; ")
    }
}

impl Difference {
    fn describe(&self) -> String {
        let Self { at: Position { line, column }, found, wanted } = self;
        format!("line {line}, column {column} has {} where oldText has {}", named(found), named(wanted))
    }
}

/// `2 tabs`, or code points with their names.
fn named(chars: &[char]) -> String {
    let Some(first) = chars.first() else { return "nothing".to_owned() };
    let space = match first {
        ' ' => Some("space"),
        '\t' => Some("tab"),
        '\n' => Some("line end"),
        _ => None,
    };
    if let Some(space) = space.filter(|_| chars.iter().all(|char| char == first)) {
        return format!("{} {space}{}", chars.len(), if chars.len() == 1 { "" } else { "s" });
    }
    let runs: Vec<_> = chars.chunk_by(|one, other| one == other).collect();
    let names: Vec<_> = runs.iter().take(MAX_NAMED_CHARS).map(|run| code_point(run[0], run.len())).collect();
    let others = match chars.len() - runs.iter().take(MAX_NAMED_CHARS).map(|run| run.len()).sum::<usize>() {
        0 => String::new(),
        1 => " and 1 other".to_owned(),
        more => format!(" and {more} others"),
    };
    names.join(", ") + &others
}

/// `U+2019 RIGHT SINGLE QUOTATION MARK`, or `U+002E FULL STOP (3 times)`. Control characters have no names.
fn code_point(char: char, count: usize) -> String {
    let name = unicode_names2::name(char).map_or_else(String::new, |name| format!(" {name}"));
    let times = if count > 1 { format!(" ({count} times)") } else { String::new() };
    format!("U+{:04X}{name}{times}", u32::from(char))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The explanation up to the text to copy, and that text.
    fn missed(content: &str, old_text: &str) -> (String, String) {
        let message = near_miss(content, old_text).unwrap_or_else(|| panic!("{content:?}"));
        let (differences, copy) = message.split_once(" Copy the exact text of the file:\n").unwrap();
        let start = differences.find(": ").unwrap() + 2;
        (differences[start..].to_owned(), copy.to_owned())
    }

    #[test]
    fn characters_that_look_alike_are_named() {
        for (content, old_text, differences, copy) in [
            (
                "let x;\nlet p\u{430}th = 2;\n",
                "let path = 2",
                "line 2, column 6 has U+0430 CYRILLIC SMALL LETTER A where oldText has U+0061 LATIN SMALL LETTER A.",
                "let p\u{430}th = 2",
            ),
            (
                "Id End",
                "\u{406}d \u{395}nd",
                "line 1, column 1 has U+0049 LATIN CAPITAL LETTER I where oldText has U+0406 CYRILLIC CAPITAL LETTER \
                 BYELORUSSIAN-UKRAINIAN I; line 1, column 4 has U+0045 LATIN CAPITAL LETTER E where oldText has U+0395 \
                 GREEK CAPITAL LETTER EPSILON.",
                "Id End",
            ),
            (
                "wait\u{2026}\u{2060} go",
                "wait... go",
                "line 1, column 5 has U+2026 HORIZONTAL ELLIPSIS, U+2060 WORD JOINER where oldText has U+002E FULL STOP \
                 (3 times).",
                "wait\u{2026}\u{2060} go",
            ),
            (
                "a = 2 \u{d7} b\u{2019}\u{200b}s",
                "a = 2 x b's",
                "line 1, column 7 has U+00D7 MULTIPLICATION SIGN where oldText has U+0078 LATIN SMALL LETTER X; line 1, \
                 column 10 has U+2019 RIGHT SINGLE QUOTATION MARK, U+200B ZERO WIDTH SPACE where oldText has U+0027 \
                 APOSTROPHE.",
                "a = 2 \u{d7} b\u{2019}\u{200b}s",
            ),
        ] {
            assert_eq!(missed(content, old_text), (differences.to_owned(), copy.to_owned()));
        }
    }

    #[test]
    fn invisible_characters_are_named() {
        for (content, old_text, differences, copy) in [
            (
                "a\r\n  foo(\u{200b}bar);\r\nb",
                "foo(bar);",
                "line 2, column 7 has U+200B ZERO WIDTH SPACE where oldText has nothing.",
                "foo(\u{200b}bar);",
            ),
            (
                "foo(bar);",
                "foo(\u{ad}bar\u{200d});",
                "line 1, column 5 has nothing where oldText has U+00AD SOFT HYPHEN; line 1, column 8 has nothing where \
                 oldText has U+200D ZERO WIDTH JOINER.",
                "foo(bar);",
            ),
            (
                "\u{feff}first\n",
                "\u{feff}\u{feff}first",
                "line 1, column 1 has nothing where oldText has U+FEFF ZERO WIDTH NO-BREAK SPACE (2 times).",
                "first",
            ),
            (
                "x\n\n\nfoo\u{ad}bar\n\n\nbaz",
                "\n\nfoobar\n\n",
                "line 4, column 4 has U+00AD SOFT HYPHEN where oldText has nothing.",
                "\n\nfoo\u{ad}bar\n\n",
            ),
        ] {
            assert_eq!(missed(content, old_text), (differences.to_owned(), copy.to_owned()));
        }
    }

    #[test]
    fn other_white_space_is_counted() {
        for (content, old_text, differences, copy) in [
            (
                "def f():\n\tif x:\n\t\treturn 1\n",
                "def f():\n    if x:\n        return 1\n",
                "line 2, column 1 has 1 tab where oldText has 4 spaces; line 3, column 1 has 2 tabs where oldText has 8 \
                 spaces.",
                "def f():\n\tif x:\n\t\treturn 1\n",
            ),
            (
                "class A:\n    def f():\n        return 1\n\n",
                "def f():\n    return 1\n",
                "line 3, column 5 has 4 spaces where oldText has nothing.",
                "def f():\n        return 1\n",
            ),
            (
                "x\n    a = 1\n    b = 2\n",
                "  a = 1\n  b = 2\n",
                "line 2, column 3 has 2 spaces where oldText has nothing; line 3, column 3 has 2 spaces where oldText \
                 has nothing.",
                "    a = 1\n    b = 2\n",
            ),
            (
                "a  =  1\r\nb\u{a0}\u{a0}= 2\r\n",
                "a = 1\nb = 2\n",
                "line 1, column 3 has 1 space where oldText has nothing; line 1, column 6 has 1 space where oldText has \
                 nothing; line 2, column 2 has U+00A0 NO-BREAK SPACE (2 times) where oldText has 1 space.",
                "a  =  1\nb\u{a0}\u{a0}= 2\n",
            ),
        ] {
            assert_eq!(missed(content, old_text), (differences.to_owned(), copy.to_owned()));
        }
    }

    #[test]
    fn other_text_is_not_compared() {
        for (content, old_text) in [
            ("x1 = 2", "xl = 2"),
            ("O = 0", "0 = O"),
            ("modern", "rnodern"),
            ("nothing like it", "other"),
            ("ab", "a b"),
            ("", "\u{200b}"),
            ("a\u{200b}b", "\u{200b} \n"),
            (&"a\u{200b}b".repeat(MAX_CONTENT_BYTES / 5 + 1), "ab"),
            ("a\u{200b}b", &format!("ab{}", " ".repeat(MAX_TEXT_BYTES))),
            (&format!("a{}b", " ".repeat(MAX_PASSAGE_BYTES)), "a b"),
            (&format!("{}a\u{200b}b", " ".repeat(MAX_PASSAGE_BYTES)), " ab"),
        ] {
            assert_eq!(near_miss(content, old_text), None, "{content:.10} {old_text:.10}");
        }
    }

    #[test]
    fn a_passage_of_other_letters_hides_none_after_it() {
        let (differences, copy) = missed("x1 = 2\nx\u{200b}l = 2", "xl = 2");
        assert_eq!(differences, "line 2, column 2 has U+200B ZERO WIDTH SPACE where oldText has nothing.");
        assert_eq!(copy, "x\u{200b}l = 2");
    }

    #[test]
    fn a_message_is_short() {
        let content = format!("x\n{}", "a\u{200b} line\n".repeat(1000));
        let old_text = "a line\n".repeat(1000);
        let expected = "The text at line 2 differs only in this: \
                        line 2, column 2 has U+200B ZERO WIDTH SPACE where oldText has nothing; \
                        line 3, column 2 has U+200B ZERO WIDTH SPACE where oldText has nothing; \
                        line 4, column 2 has U+200B ZERO WIDTH SPACE where oldText has nothing; 997 more differences. \
                        Use read with offset=2 and limit=1000 to copy the exact text.";
        assert_eq!(near_miss(&content, &old_text).as_deref(), Some(expected));
        let mixed = ['\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{ad}'];
        let content = format!("a{}b", mixed.iter().collect::<String>());
        let named = "U+200B ZERO WIDTH SPACE, U+200C ZERO WIDTH NON-JOINER, U+200D ZERO WIDTH JOINER and 2 others";
        assert_eq!(missed(&content, "ab").0, format!("line 1, column 2 has {named} where oldText has nothing."));
    }

    #[test]
    fn places_that_only_look_like_the_text_are_explained() {
        for (content, old_text, expected) in [
            (
                "\u{feff}x = 'a'\ny\nx = \u{2018}a\u{2019};",
                "x = 'a'",
                "Only the text at line 1 matches exactly. The text at line 3 counts too, because it differs only in this: \
                 line 3, column 5 has U+2018 LEFT SINGLE QUOTATION MARK where oldText has U+0027 APOSTROPHE; line 3, \
                 column 7 has U+2019 RIGHT SINGLE QUOTATION MARK where oldText has U+0027 APOSTROPHE.",
            ),
            (
                "1\u{2013}5  \r\n\u{a0}1-5\r\n",
                "1-5",
                "Only the text at line 2 matches exactly. The text at line 1 counts too, because it differs only in this: \
                 line 1, column 2 has U+2013 EN DASH where oldText has U+002D HYPHEN-MINUS.",
            ),
            (
                "\u{ff58}\n\u{ff58}\n\u{ff58}",
                "x",
                "None matches exactly. The text at line 1 counts too, because it differs only in this: line 1, column 1 has \
                 U+FF58 FULLWIDTH LATIN SMALL LETTER X where oldText has U+0078 LATIN SMALL LETTER X. The text at line 2 \
                 counts too, because it differs only in this: line 2, column 1 has U+FF58 FULLWIDTH LATIN SMALL LETTER X \
                 where oldText has U+0078 LATIN SMALL LETTER X.",
            ),
            (
                "foo \nbar\nfoo\nbar",
                "foo\nbar",
                "Only the text at line 3 matches exactly. The text at line 1 counts too, because it differs only in this: \
                 line 1, column 4 has 1 space where oldText has nothing.",
            ),
        ] {
            assert_eq!(twins(content, old_text).as_deref(), Some(expected));
        }
        for (content, old_text) in [("a a", "a"), ("a a \u{ff41}", "a"), ("a\r\n-\na\n", "a\n")] {
            assert_eq!(twins(content, old_text), None);
        }
    }

    #[test]
    fn long_text_of_differences_is_compared() {
        let long = |unit: &str| unit.repeat(MAX_TEXT_BYTES / unit.len());
        for (unit, old_text, is_explained) in [
            ("a\u{430}", long("a"), true),
            ("\u{fdfa}\t", long("\u{fdfa} "), true),
            ("\u{200b}", "\u{200b}a".to_owned(), false),
            ("a\u{200b}", format!("b{}", &long("a")[1..]), false),
            (" \u{a0}", long(" "), false),
            ("1l", long("l"), false),
        ] {
            let content = unit.repeat(4 * MAX_TEXT_BYTES / unit.len());
            assert_eq!(near_miss(&content, &old_text).is_some(), is_explained, "{unit:?}");
        }
    }

    #[test]
    fn any_text_is_explained_without_a_panic() {
        const UNITS: [&str; 20] = [
            "a", "l", "1", " ", "\t", "\n", "\r\n", "\r", "\u{a0}", "\u{200b}", "\u{feff}", "'", "\u{2019}", "\u{430}",
            "m", "rn", "\u{fb01}", "e\u{301}", "\u{e9}", "\u{2026}",
        ];
        let mut seed = 1_u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % below
        };
        let mut explained = 0;
        for _ in 0..20_000 {
            let mut text = |most| (0..random(most)).map(|_| UNITS[random(UNITS.len())]).collect::<String>();
            let (content, old_text) = (text(12), text(4));
            explained += usize::from(near_miss(&content, &old_text).is_some());
            explained += usize::from(twins(&content, &old_text).is_some());
        }
        assert!(explained > 1000);
    }
}
