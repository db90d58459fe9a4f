// attack: lone surrogates, null bytes and byte-order marks in values, names and logs
// outcome: value [ true, true, true ]
// state: READY
const odd = '\ud800 \udc00 \u0000 \ufeff \u2028 \uffff';
console.log(odd);
const back = await later({ [odd]: odd });
return [Object.keys(back)[0] === odd, back[odd] === odd, echo(odd) === odd];
