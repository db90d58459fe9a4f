// attack: calls of tools that never answer, left behind
// outcome: value 'left'
// state: READY
for (let i = 0; i < 100; i++) never(i);
never().then(() => final_answer('late'));
return 'left';
