// attack: an output whose toJSON, toString and valueOf would show something else, or never end
// outcome: value { list: [ 1 ], toJSON: '[Function: toJSON]', toString: '[Function: toString]' }
// state: READY
const forever = {
  toJSON() {
    for (;;);
  },
  toString() {
    for (;;);
  },
};
return { list: [1], ...forever };
