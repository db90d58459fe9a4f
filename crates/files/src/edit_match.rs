//! Finds the text that an edit replaces. The first search is exact except for line endings. The second forgives the
//! mistakes that models make. A third one only explains why the others found nothing: its places are never edited.
//!
//! All searches run on a view of the content. The view maps its positions back to the content, so an edit changes
//! nothing outside the match.

use std::ops::Range;

use icu_normalizer::DecomposingNormalizerBorrowed;
use unicode_security::skeleton;

/// Why there is not exactly one place to edit.
#[derive(Debug, PartialEq)]
pub enum NotUnique {
    Missing,
    Several(usize),
}

/// The place in `content` that matches `old_text`: the exact match if there is one.
///
/// The forgiving search counts the places, and it finds all exact matches too. Two passages that differ only in their
/// quotes are therefore not unique.
pub fn find_unique(content: &str, old_text: &str) -> Result<Range<usize>, NotUnique> {
    let needle = to_lf(old_text);
    let (exact_count, exact_first) = View::exact(content).search(&needle, |_| true);
    // Blank text would match everywhere after its spaces are removed.
    let (count, first) = if needle.trim().is_empty() { (0, None) } else { search_forgiving(content, &needle) };
    let (count, first) = (count.max(exact_count), exact_first.or(first));
    match (count, first) {
        (1, Some(place)) => Ok(place),
        (0, _) | (_, None) => Err(NotUnique::Missing),
        (count, _) => Err(NotUnique::Several(count)),
    }
}

/// The places that [`find_unique`] counts, if at most one of them is exact.
#[derive(Debug, PartialEq)]
pub struct Twins {
    pub exact: Option<Range<usize>>,
    /// The first ones that the forgiving search alone finds.
    pub others: Vec<Range<usize>>,
}

/// Why `old_text` is not unique although it has at most one exact match: at most `most` places that only look like it.
/// `None` if there are several exact matches.
pub fn find_twins(content: &str, old_text: &str, most: usize) -> Option<Twins> {
    let needle = to_lf(old_text);
    let (count, exact) = View::exact(content).search(&needle, |_| true);
    if count > 1 {
        return None;
    }
    let view = View::forgiving(content);
    let is_other = |place: &Range<usize>| {
        exact.as_ref().is_none_or(|exact| !(place.start <= exact.start && exact.end <= place.end))
    };
    let searches = forgiving_searches(&needle);
    let places = searches.iter().flat_map(|(needle, fits)| view.places(needle, fits)).filter(is_other);
    let others = places.take(most).collect();
    Some(Twins { exact, others })
}

/// At most `most` places that look like `old_text`, which the other searches do not find. Differences in white space,
/// in invisible characters, and between characters that look alike (UTS 39) are ignored. White space around the places
/// and around `old_text` is not part of the search.
pub fn find_lookalikes(content: &str, old_text: &str, most: usize) -> Vec<Range<usize>> {
    let needle = View::lookalike(old_text.trim()).text;
    View::lookalike(content).places(needle.trim(), |_| true).take(most).collect()
}

/// Whether a character has no ink: white space, and invisible characters.
pub fn is_blank(char: char) -> bool {
    char.is_whitespace() || !char.is_ascii() && skeleton(char.encode_utf8(&mut [0; 4])).next().is_none()
}

fn search_forgiving(content: &str, needle: &str) -> (usize, Option<Range<usize>>) {
    let view = View::forgiving(content);
    let (mut count, mut first) = (0, None);
    for (needle, fits) in forgiving_searches(needle) {
        let (more, place) = view.search(&needle, fits);
        count += more;
        first = first.or(place);
    }
    (count, first)
}

/// What the rest after an occurrence must be like.
type Fits = fn(&str) -> bool;

/// The searches in a forgiving view. Spaces at the end of the needle are forgiven at the end of a line. Elsewhere they
/// are part of the search.
fn forgiving_searches(needle: &str) -> Vec<(String, Fits)> {
    let last_line = needle.rsplit('\n').next().unwrap_or_default();
    let spaces = &last_line[last_line.trim_end().len()..];
    let forgiven = View::forgiving(needle).text;
    if spaces.is_empty() {
        return vec![(forgiven, |_| true)];
    }
    let within = format!("{forgiven}{}", spaces.chars().map(plain).collect::<String>());
    vec![(forgiven, |rest| rest.is_empty() || rest.starts_with('\n')), (within, |_| true)]
}

/// The line ending of `content`: that of its first line.
pub fn line_ending(content: &str) -> &'static str {
    match content.find('\n') {
        Some(at) if content[..at].ends_with('\r') => "\r\n",
        Some(_) => "\n",
        None if content.contains('\r') => "\r",
        None => "\n",
    }
}

/// `text` with all line endings as LF.
pub fn to_lf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// A string built from another string, piece by piece.
#[derive(Default)]
struct View {
    text: String,
    seams: Seams,
    /// Positions inside of what one character of the source became: a match neither begins nor ends there.
    inside: Bits,
}

impl View {
    /// Line endings as LF.
    fn exact(source: &str) -> Self {
        let mut view = Self::default();
        view.lines(source, |view, line, at| view.copy(line, at));
        view
    }

    /// Line endings as LF, no spaces at the ends of lines, plain quotes, hyphens and spaces for typographic ones, and
    /// other characters decomposed (NFKD): full-width characters, ligatures, letters with marks.
    fn forgiving(source: &str) -> Self {
        let mut view = Self::default();
        let normalizer = DecomposingNormalizerBorrowed::new_nfkd();
        view.lines(source, |view, line, at| {
            for (offset, char) in line.trim_end().char_indices() {
                let start = view.text.len();
                match plain(char) {
                    plain if plain != char || char.is_ascii() => view.text.push(plain),
                    _ => view.text.extend(normalizer.normalize_iter(std::iter::once(char)).map(plain)),
                }
                let end = view.text.len();
                if end - start != char.len_utf8() {
                    view.seam(at + offset + char.len_utf8());
                }
                view.inside.add(start + 1..end);
            }
        });
        view
    }

    /// Like [`Self::forgiving`], also without white space at the starts of lines and without invisible characters.
    /// Other white space is one space. Characters that look alike are the same, also within ASCII: the prototype of I
    /// is l.
    fn lookalike(source: &str) -> Self {
        let mut view = Self::default();
        let normalizer = DecomposingNormalizerBorrowed::new_nfkd();
        let looks = |char: char, text: &mut String| {
            for part in normalizer.normalize_iter(std::iter::once(plain(char))).map(plain) {
                text.extend(skeleton(part.encode_utf8(&mut [0; 4])));
            }
        };
        let ascii: Vec<String> = (0..128_u8)
            .map(|byte| {
                let mut text = String::new();
                looks(char::from(byte), &mut text);
                text
            })
            .collect();
        view.lines(source, |view, line, at| {
            let trimmed = line.trim_matches(is_blank);
            let first = line.len() - line.trim_start_matches(is_blank).len();
            view.seam(at + first);
            let mut in_space = false;
            for (offset, char) in trimmed.char_indices() {
                let start = view.text.len();
                let is_space = char.is_whitespace();
                match ascii.get(char as usize) {
                    _ if is_space && in_space => {}
                    _ if is_space => view.text.push(' '),
                    Some(text) => view.text.push_str(text),
                    None => looks(char, &mut view.text),
                }
                let end = view.text.len();
                // Invisible characters do not end white space.
                in_space = is_space || in_space && start == end;
                if end - start != char.len_utf8() {
                    view.seam(at + first + offset + char.len_utf8());
                }
                view.inside.add(start + 1..end);
            }
        });
        view
    }

    fn lines(&mut self, source: &str, mut line: impl FnMut(&mut Self, &str, usize)) {
        let mut at = 0;
        loop {
            let length = source[at..].find(['\r', '\n']).unwrap_or(source.len() - at);
            line(self, &source[at..at + length], at);
            at += length;
            // After dropped spaces: a match that ends here includes them.
            self.seam(at);
            let ending = match source.as_bytes().get(at..) {
                Some([b'\r', b'\n', ..]) => 2,
                Some([_, ..]) => 1,
                _ => return,
            };
            at += ending;
            self.text.push('\n');
            if ending == 2 {
                self.seam(at);
            }
        }
    }

    fn copy(&mut self, piece: &str, at: usize) {
        self.text.push_str(piece);
        self.seam(at + piece.len());
    }

    /// Records that the end of the view is at `source`, unless that follows from the earlier seams.
    fn seam(&mut self, source: usize) {
        self.seams.add(self.text.len(), source);
    }

    /// The position in the source for `position` of the view.
    fn source_of(&self, position: usize) -> usize {
        self.seams.source_of(position)
    }

    /// How often `needle` occurs before a rest that `fits`, and where in the source it occurs first. Occurrences may
    /// overlap.
    fn search(&self, needle: &str, fits: impl Fn(&str) -> bool) -> (usize, Option<Range<usize>>) {
        let mut found = self.found(needle, fits);
        let first = found.next().map(|place| self.in_source(place));
        (usize::from(first.is_some()) + found.count(), first)
    }

    /// All these places.
    fn places(&self, needle: &str, fits: impl Fn(&str) -> bool) -> impl Iterator<Item = Range<usize>> {
        self.found(needle, fits).map(|place| self.in_source(place))
    }

    /// The same in the view.
    fn found(&self, needle: &str, fits: impl Fn(&str) -> bool) -> impl Iterator<Item = Range<usize>> {
        let searched = if needle.is_empty() || needle.len() > self.text.len() { "" } else { self.text.as_str() };
        ends(searched, needle)
            .map(|end| end - needle.len()..end)
            .filter(|place| !self.inside.has(place.start) && !self.inside.has(place.end))
            .filter(move |place| fits(&self.text[place.end..]))
    }

    fn in_source(&self, place: Range<usize>) -> Range<usize> {
        self.source_of(place.start)..self.source_of(place.end)
    }
}

/// Where a view and its source diverge. Between two seams, both advance in step.
///
/// A file can have as many seams as characters, so a seam is stored as what it adds to the seam before it: two bytes
/// for a letter with a mark.
#[derive(Default)]
struct Seams {
    /// For each seam, what both positions add, as two numbers of `varint`.
    added: Vec<u8>,
    /// Every [`SEAMS_PER_MARK`]th seam, and where the seams after it begin in `added`.
    marks: Vec<(Seam, usize)>,
    count: usize,
    last: Seam,
}

/// Positions in the view and in the source.
#[derive(Clone, Copy, Default)]
struct Seam {
    view: usize,
    source: usize,
}

/// A search for a position reads at most that many seams.
const SEAMS_PER_MARK: usize = 256;

impl Seams {
    /// Both positions never decrease. Omits a seam that follows from the last one.
    fn add(&mut self, view: usize, source: usize) {
        if self.last.source + (view - self.last.view) == source {
            return;
        }
        push_varint(&mut self.added, view - self.last.view);
        push_varint(&mut self.added, source - self.last.source);
        self.last = Seam { view, source };
        self.count += 1;
        if self.count.is_multiple_of(SEAMS_PER_MARK) {
            self.marks.push((self.last, self.added.len()));
        }
    }

    fn source_of(&self, view: usize) -> usize {
        let after = self.marks.partition_point(|(mark, _)| mark.view <= view);
        let (mut seam, start) = after.checked_sub(1).map_or_else(Default::default, |index| self.marks[index]);
        let mut bytes = self.added[start..].iter();
        while let (Some(in_view), Some(in_source)) = (next_varint(&mut bytes), next_varint(&mut bytes)) {
            if seam.view + in_view > view {
                break;
            }
            seam = Seam { view: seam.view + in_view, source: seam.source + in_source };
        }
        seam.source + (view - seam.view)
    }
}

/// Seven bits in each byte, the lowest first. The highest bit says that another byte follows.
fn push_varint(bytes: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn next_varint<'a>(bytes: &mut impl Iterator<Item = &'a u8>) -> Option<usize> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = *bytes.next()?;
        number |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}

/// A set of positions, with a bit for each position up to the greatest one.
#[derive(Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn add(&mut self, positions: Range<usize>) {
        for position in positions {
            let word = position / 64;
            if self.0.len() <= word {
                self.0.resize(word + 1, 0);
            }
            self.0[word] |= 1 << (position % 64);
        }
    }

    fn has(&self, position: usize) -> bool {
        self.0.get(position / 64).is_some_and(|word| word >> (position % 64) & 1 == 1)
    }
}

/// The ends of all occurrences of `needle` in `text`, including overlapping ones, in linear time (Knuth, Morris and
/// Pratt).
fn ends(text: &str, needle: &str) -> impl Iterator<Item = usize> {
    let needle = needle.as_bytes();
    // The number of first bytes of `needle` that the text ends with, given that number before `byte`.
    let advance = move |borders: &[usize], mut count: usize, byte: u8| {
        while needle.get(count) != Some(&byte) {
            match count.checked_sub(1) {
                Some(last) => count = borders[last],
                None => return 0,
            }
        }
        count + 1
    };
    // For each prefix of `needle`, the longest shorter prefix that it ends with.
    let mut borders = Vec::with_capacity(needle.len());
    let mut count = 0;
    for (index, &byte) in needle.iter().enumerate() {
        count = if index == 0 { 0 } else { advance(&borders, count, byte) };
        borders.push(count);
    }
    let mut count = 0;
    text.bytes().zip(1..).filter_map(move |(byte, end)| {
        count = advance(&borders, count, byte);
        (count == needle.len()).then_some(end)
    })
}

/// The keyboard character for `char`.
fn plain(char: char) -> char {
    match char {
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(content: &str, old: &str, new: &str) -> Result<String, NotUnique> {
        let place = find_unique(content, old)?;
        Ok([&content[..place.start], new, &content[place.end..]].concat())
    }

    #[test]
    fn only_the_place_changes() {
        let content = "a  \r\n‘b’ \n–c\r\nd\u{a0}e  ";
        assert_eq!(edited(content, "'b'", "B").unwrap(), "a  \r\nB\n–c\r\nd\u{a0}e  ");
        assert_eq!(edited(content, "-c\n", "C\n").unwrap(), "a  \r\n‘b’ \nC\nd\u{a0}e  ");
        assert_eq!(edited(content, "d e", "D").unwrap(), "a  \r\n‘b’ \n–c\r\nD");
        assert_eq!(edited(content, "a\n'b'\n-c\nd e", "all").unwrap(), "all");
    }

    #[test]
    fn compatibility_forms_and_composition_are_forgiven() {
        assert_eq!(edited("let ｘ＝１；", "let x=1;", "y").unwrap(), "y");
        assert_eq!(edited("caf\u{e9} au lait", "cafe\u{301} au", "tea").unwrap(), "tea lait");
        assert_eq!(edited("cafe\u{301}!", "caf\u{e9}!", "tea").unwrap(), "tea");
        assert_eq!(edited("the ﬁrst ½", "first", "1st").unwrap(), "the 1st ½");
        // An edit cannot replace part of a character.
        assert_eq!(find_unique("ﬁ caf\u{e9}", "cafe"), Err(NotUnique::Missing));
        assert_eq!(find_unique("ﬁ", "f"), Err(NotUnique::Missing));
        assert_eq!(find_unique("ａ a", "a"), Err(NotUnique::Several(2)));
    }

    #[test]
    fn a_seam_in_the_middle_of_a_line_moves_what_follows() {
        assert_eq!(edited("“x” y “z” w", "\"z\" w", "Z").unwrap(), "“x” y Z");
        assert_eq!(edited("——— a b", "a b", "A").unwrap(), "——— A");
    }

    #[test]
    fn occurrences_are_counted_over_endings_and_spellings() {
        assert_eq!(find_unique("a\r\nb\r\n-\na\nb\n", "a\nb\n"), Err(NotUnique::Several(2)));
        assert_eq!(find_unique("x = 'a'; x = ‘a’;", "x = 'a'"), Err(NotUnique::Several(2)));
        assert_eq!(find_unique("abc", "abd"), Err(NotUnique::Missing));
    }

    #[test]
    fn spaces_at_the_end_count_where_the_line_goes_on() {
        assert_eq!(find_unique("let x = 1; let xy = 2", "let x "), Ok(0..6));
        assert_eq!(edited("a\nfoo\nfoobar", "foo  ", "x").unwrap(), "a\nx\nfoobar");
        assert_eq!(edited("“foo”\u{a0}bar \"foo", "\"foo\" ", "x ").unwrap(), "x bar \"foo");
        assert_eq!(find_unique("foo(bar)", "foo "), Err(NotUnique::Missing));
        assert_eq!(find_unique("foo bar\nfoo\n", "foo "), Err(NotUnique::Several(2)));
    }

    #[test]
    fn occurrences_that_overlap_are_several() {
        assert_eq!(find_unique("}\n}\n}\n", "}\n}\n"), Err(NotUnique::Several(2)));
        assert_eq!(find_unique("abababa", "aba"), Err(NotUnique::Several(3)));
        assert_eq!(find_unique("aabaaab", "aaab"), Ok(3..7));
        assert_eq!(find_unique("‘’’‘’’‘’’", "''''''"), Err(NotUnique::Several(4)));
        // An occurrence that does not count hides none after it.
        assert_eq!(find_unique("foo foo foo\n", "foo foo  "), Ok(4..11));
        assert_eq!(find_unique(&"a".repeat(1 << 20), &"a".repeat(1 << 19)), Err(NotUnique::Several((1 << 19) + 1)));
    }

    #[test]
    fn blank_text_matches_exactly_only() {
        assert_eq!(find_unique("a b\u{a0}c", " "), Ok(1..2));
        assert_eq!(find_unique("ab", ""), Err(NotUnique::Missing));
        assert_eq!(find_unique("a\n\n\nb", "\n\n\n"), Ok(1..4));
    }

    #[test]
    fn every_position_that_can_be_matched_maps_to_a_boundary() {
        let content = "é  \r\r\n\n“ü”\u{3000}\r—–\u{a0}x \t\n\u{feff}";
        for view in [View::exact(content), View::forgiving(content), View::lookalike(content)] {
            for (at, _) in view.text.char_indices().chain([(view.text.len(), ' ')]) {
                assert!(view.inside.has(at) || content.is_char_boundary(view.source_of(at)), "{at}");
            }
            assert_eq!(view.source_of(view.text.len()), content.len());
        }
    }

    // Cause: each of these letters became a seam and a range of 16 bytes each.
    #[test]
    fn views_of_letters_with_marks_take_little_memory() {
        let source = "\u{e9}".repeat(1 << 18);
        for view in [View::forgiving(&source), View::lookalike(&source)] {
            let marks = size_of_val(view.seams.marks.as_slice());
            let bytes = view.text.len() + view.seams.added.len() + marks + size_of_val(view.inside.0.as_slice());
            assert!(bytes < 3 * source.len(), "{bytes}");
        }
    }

    #[test]
    fn endings() {
        let endings = ["", "a", "a\nb\r\n", "a\r\nb\n", "a\rb"].map(line_ending);
        assert_eq!(endings, ["\n", "\n", "\n", "\r\n", "\r"]);
    }
}
