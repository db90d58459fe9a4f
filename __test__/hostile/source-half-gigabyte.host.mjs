// attack: 400 MB of source, in two-byte characters
// outcome: ERR_VALIDATION_FAILED
// state: READY
// processPeak: 1600 the text is the host's own, and copied on its way
// options: {"timeoutMs":12000}
// peak: 2048 the text itself, as the host made it and as it is measured
export const scenario = ({ run }) => run('\u{1f600}'.repeat(1e8));
