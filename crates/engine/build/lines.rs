//! Breaks minified JavaScript into lines, so that patches of it can be read.

/// Adds line breaks after braces, semicolons and commas, except in parentheses, brackets and literals. There they
/// change nothing, because none of the tokens that must be on the same line as the token before can follow.
pub fn lines(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len() * 2);
    // The open constructs: brackets, `` ` `` for the text of a template, and `$` for code in it.
    let mut open = Vec::new();
    let mut last = b' ';
    let mut from = 0;
    while let Some(&byte) = bytes.get(from) {
        let to = match byte {
            b'\\' if open.last() == Some(&b'`') => from + 2,
            b'$' if open.last() == Some(&b'`') && bytes.get(from + 1) == Some(&b'{') => {
                open.push(b'$');
                from + 2
            }
            b'`' => {
                if open.last() == Some(&b'`') {
                    open.pop();
                } else {
                    open.push(b'`');
                }
                from + 1
            }
            _ if open.last() == Some(&b'`') => from + 1,
            b'"' | b'\'' => end_of_literal(bytes, from),
            b'/' if b"(,=:[!&|?{};+ ".contains(&last) => end_of_literal(bytes, from),
            _ => from + 1,
        };
        let to = to.min(bytes.len());
        // Literals end at ASCII characters. Other bytes are copied one by one, up to the next character boundary.
        out.push_str(&text[from..next_boundary(text, to)]);
        let is_code = to == from + 1 && open.last() != Some(&b'`') && byte != b'`';
        if is_code {
            match byte {
                b'(' | b'[' | b'{' => open.push(byte),
                b')' | b']' => drop(open.pop()),
                _ => {}
            }
            let is_broken = match byte {
                b'{' => true,
                b'}' => open.pop() == Some(b'{') && !b";,)}].`".contains(bytes.get(to).unwrap_or(&b';')),
                b';' | b',' => !matches!(open.last(), Some(b'(' | b'[')),
                _ => false,
            };
            if is_broken {
                out.push('\n');
            }
        }
        last = bytes[to - 1];
        from = next_boundary(text, to);
    }
    out
}

fn next_boundary(text: &str, at: usize) -> usize {
    (at..).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

/// The end of a string or a regular expression that begins at `from`.
fn end_of_literal(bytes: &[u8], from: usize) -> usize {
    let quote = bytes[from];
    let mut is_class = false;
    let mut at = from + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'[' if quote == b'/' => is_class = true,
            b']' => is_class = false,
            _ if byte == quote && !is_class => return at + 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}
