// attack: an output whose getters call tools and the final answer after the run is over
// outcome: value '{ a: [Getter], b: [Getter], c: [Function: c] }'
// state: READY
return {
  get a() {
    return echo('effect after the run');
  },
  get b() {
    return final_answer('late');
  },
  c() {},
};
