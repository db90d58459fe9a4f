// attack: invalid bytes, which decode to three times as many, in all encodings and kept
// outcome: value 'refused'
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000}
// peak: 192 the texts that fit, and one that is being made
const bytes = new Uint8Array(8e6).fill(0xff);
const labels = ['utf-8', 'utf-16le', 'gb18030', 'big5', 'euc-kr', 'windows-1252', 'iso-2022-jp', 'x-user-defined'];
const fill = () => {
  const kept = [];
  for (let i = 0; ; i++) kept.push(new TextDecoder(labels[i % labels.length]).decode(bytes.subarray(i)));
};
try {
  fill();
} catch (error) {
  return error.name === 'RangeError' ? 'refused' : String(error);
}
