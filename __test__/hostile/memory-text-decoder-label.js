// attack: an encoding whose name has 2^29 characters
// outcome: value [ 'RangeError', 'RangeError' ]
// state: READY
return ['x', ' '].map((character) => {
  try {
    return new TextDecoder(character.repeat(2 ** 29 - 24)).encoding;
  } catch (error) {
    return error.name;
  }
});
