// attack: calls of tools after the final answer is decided
// outcome: final 'decided'
// state: READY
try {
  final_answer('decided');
} finally {
  try {
    echo('effect');
    await later('effect');
  } catch {
    // refused
  }
}
