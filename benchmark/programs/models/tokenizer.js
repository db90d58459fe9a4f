// A calculator: tokens by a sticky regular expression, then recursive descent.
function tokenize(source) {
  const pattern = /\s*(?:(\d+(?:\.\d+)?)|([a-z]+)|(.))/y;
  const tokens = [];
  pattern.lastIndex = 0;
  let match;
  while (pattern.lastIndex < source.length && (match = pattern.exec(source))) {
    if (match[1]) tokens.push({ type: 'number', value: Number(match[1]) });
    else if (match[2]) tokens.push({ type: 'name', value: match[2] });
    else tokens.push({ type: 'op', value: match[3] });
  }
  return tokens;
}
function evaluate(source, variables) {
  const tokens = tokenize(source);
  let position = 0;
  const peek = () => tokens[position]?.value;
  const factor = () => {
    const token = tokens[position++];
    if (token.type === 'number') return token.value;
    if (token.type === 'name') return variables[token.value] ?? 0;
    if (token.value === '(') {
      const value = expression();
      position++;
      return value;
    }
    if (token.value === '-') return -factor();
    throw new SyntaxError(`Unexpected ${token.value}`);
  };
  const term = () => {
    let value = factor();
    while (peek() === '*' || peek() === '/') {
      if (tokens[position++].value === '*') value *= factor();
      else value /= factor();
    }
    return value;
  };
  const expression = () => {
    let value = term();
    while (peek() === '+' || peek() === '-') {
      if (tokens[position++].value === '+') value += term();
      else value -= term();
    }
    return value;
  };
  return expression();
}
let total = 0;
for (let i = 1; i <= 5000; i++) {
  total += evaluate(`(x + ${i}) * 3.5 - y / ${i} + -(${i % 7} - rate * (2 + ${i}))`, { x: i, y: 7, rate: 0.25 });
}
return total.toFixed(6);
