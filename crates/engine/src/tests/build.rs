//! The parts of the build that work on text.

use std::fs;
use std::path::{Path, PathBuf};

#[path = "../../build/lines.rs"]
mod lines;
#[path = "../../build/patches.rs"]
mod patches;

use lines::lines;
use patches::patched;

const HEAD: &str = "Say two.\n\nTest: none\n\n";
const DIFF: &str = "--- a/text\n+++ b/text\n@@ -1,2 +1,2 @@\n a\n-one\n+two\n";

/// A folder with these patches.
fn folder(name: &str, patches: &[(&str, &str)]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("ses-patches-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    patches.iter().for_each(|(name, text)| fs::write(folder.join(name), text).unwrap());
    folder
}

fn outcome(name: &str, text: &str, patches: &[(&str, &str)]) -> Result<String, String> {
    let folder = folder(name, patches);
    let outcome =
        patched(text.to_owned(), &folder).map_err(|error| error.replace(folder.to_str().unwrap(), "<folder>"));
    fs::remove_dir_all(folder).unwrap();
    outcome
}

#[test]
fn patches_apply_in_the_order_of_their_numbers() {
    let three = "--- a/text\n+++ b/text\n@@ -1,2 +1,2 @@\n a\n-two\n+three\n";
    let patches = [("0002-b.patch", format!("{HEAD}{three}")), ("0001-a.patch", format!("{HEAD}{DIFF}"))];
    let patches = patches.each_ref().map(|(name, text)| (*name, text.as_str()));
    assert_eq!(outcome("order", "a\none\nb\n", &patches).as_deref(), Ok("a\nthree\nb\n"));
}

#[test]
fn patches_that_do_not_apply_are_named() {
    let whole = format!("{HEAD}{DIFF}");
    for (name, text, patch, message) in [
        ("other", "a\n1\n", whole.as_str(), "it does not apply: error applying hunk #1; was the package upgraded?"),
        ("empty", "a\none\n", HEAD, "it changes nothing"),
        ("testless", "a\none\n", DIFF, "it names no test: a line of its head must begin with `Test: `"),
    ] {
        assert_eq!(outcome(name, text, &[("0001-a.patch", patch)]), Err(format!("<folder>/0001-a.patch: {message}")));
    }
    let broken = format!("{HEAD}{}", DIFF.replace("@@ -1,2", "@@ -1,5"));
    assert!(outcome("broken", "a\n", &[("1.patch", &broken)]).unwrap_err().contains("it is not a unified diff"));
    assert!(patched(String::new(), Path::new("/nowhere")).unwrap_err().contains("/nowhere cannot be read"));
}

#[test]
fn minified_code_is_broken_where_no_literal_is() {
    for (text, broken) in [
        ("f(a,b);let c={d:1,e:[2,3]};g()", "f(a,b);\nlet c={\nd:1,\ne:[2,3]};\ng()"),
        ("for(a=0;a<1;a++){b()}c", "for(a=0;a<1;a++){\nb()}\nc"),
        ("a=\"{;\",b=';\\';',c", "a=\"{;\",\nb=';\\';',\nc"),
        ("a=/[/;]{1,2}/,b", "a=/[/;]{1,2}/,\nb"),
        ("a=`{;${b({c:`,`})},\\``;d", "a=`{;${b({\nc:`,`})},\\``;\nd"),
        ("ä={ö:'ü;'};", "ä={\nö:'ü;'};\n"),
        ("a=\"", "a=\""),
    ] {
        assert_eq!(lines(text), broken, "{text}");
    }
}
