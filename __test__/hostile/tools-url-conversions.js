// attack: conversions to text within URL, atob and TextDecoder that call tools and give the final answer
// outcome: final 'from a conversion'
// state: READY
const evil = {
  toString() {
    echo(new URL('http://a/').href);
    final_answer('from a conversion');
    return 'http://b/';
  },
};
new URLSearchParams([[evil, evil]]);
new URL(evil, evil);
atob(evil);
new TextDecoder(evil);
echo('too late');
final_answer('forged');
