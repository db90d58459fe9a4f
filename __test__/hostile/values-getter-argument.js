// attack: getters of an argument that call tools, change the argument and give the final answer
// outcome: final 'from a getter'
// state: READY
const argument = {
  get first() {
    delete argument.second;
    argument.third = echo('inner');
    return echo({
      get deep() {
        return later(1) && 'deep';
      },
    });
  },
  second: 'gone',
  get last() {
    final_answer('from a getter');
  },
};
echo(argument);
return 'passed';
