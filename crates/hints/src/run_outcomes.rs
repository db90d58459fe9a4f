//! Hints about how a run ended, and which hint counts if there are several.

/// A run met its deadline, and earlier runs have left promises that never settle.
pub const DROPPED_CALLS: &str = "Do less in one run, and await only promises that settle. Promises of tool calls that an earlier run \
     did not await never settle. Call the tools again and await them in the same run.";
/// A run met its memory limit, and a collection after it leaves no room for the next run.
pub const NO_ROOM: &str = "Variables, including those of earlier runs, hold nearly all of the memory: work on smaller pieces, \
    and keep results instead of intermediate values.";

/// A run met its limit of iterations while a module was loaded.
pub fn limit_in_module(module: &str) -> String {
    format!("The limit was reached while module '{module}' was loaded, not in this code: do not use this module.")
}

/// The hint of an uncaught error: what is wrong in its line, otherwise where it comes from and its causes.
pub fn of_uncaught(
    found: Option<String>,
    place: Option<String>,
    causes: impl FnOnce() -> Option<String>,
) -> Option<String> {
    found.or_else(|| {
        let notes: Vec<_> = [place, causes()].into_iter().flatten().collect();
        (!notes.is_empty()).then(|| notes.join(" "))
    })
}

#[cfg(test)]
mod tests {
    use super::of_uncaught;

    #[test]
    fn what_is_found_in_the_line_counts_more_than_place_and_causes() {
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(of_uncaught(text("found"), text("place"), || panic!("it is not asked")), text("found"));
        assert_eq!(of_uncaught(None, text("place"), || text("causes")), text("place causes"));
        assert_eq!(of_uncaught(None, None, || text("causes")), text("causes"));
        assert_eq!(of_uncaught(None, None, || None), None);
    }
}
