// attack: microtasks that go on after the value of the run is there
// outcome: value 'returned'
// state: READY
// options: {"timeoutMs":800}
const again = () => Promise.resolve().then(again);
again();
return 'returned';
