const s = 'a\u{1F600}\x41\
 b' + "\0\u2028" + `${`n${1}`}\u0061` + String.raw`\u`;
const r = /(?<y>\d{4})[/\]]\/(?:x|y)+?(?=z)(?!w)\k<y>/giu;
[s.length, r.flags, 0b1 + 0o7 + 0xF + 1_0 + .5 + 5., 1n ** 2n]
