// attack: formatters of Intl, whose memory V8's heap does not show
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
const hoard = [];
for (let i = 0; ; i++) {
  hoard.push(new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' }));
  hoard.push(new Intl.DateTimeFormat('en', { dateStyle: 'full', timeZone: 'Europe/Paris' }));
  hoard.push(new Intl.Collator('de'), new Intl.PluralRules('ar'), new Intl.RelativeTimeFormat('ja'));
}
