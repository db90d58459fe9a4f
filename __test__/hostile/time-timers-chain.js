// attack: timers that replace themselves for ever and whose host timer is replaced each time
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800,"maxToolCalls":10000000,"globals":["timers"]}
let delay = 2 ** 31 - 1;
const again = () => setTimeout(again, 0);
again();
for (;;) {
  clearTimeout(setTimeout(() => {}, (delay -= 1)));
  await later();
}
