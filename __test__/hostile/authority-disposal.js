// attack: disposal of a stack that throws from every resource, while the final answer unwinds
// outcome: final 'kept'
// state: READY
const stack = new DisposableStack();
for (let i = 0; i < 100; i++) {
  stack.defer(() => {
    throw new Error(`disposal ${i}`);
  });
}
try {
  final_answer('kept');
} finally {
  stack.dispose();
}
