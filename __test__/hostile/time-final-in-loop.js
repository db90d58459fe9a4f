// attack: going on in a loop after final_answer
// outcome: final 0
// state: READY
for (let i = 0; ; i++) {
  try {
    final_answer(i);
  } catch {
    continue;
  } finally {
    continue;
  }
}
