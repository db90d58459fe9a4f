// Functions of earlier runs see the variables of later ones.
const callLater = () => later('from before');
let register = (tool) => tool('registered');
// ---- next run
const later = (text) => t0(text);
callLater();
register(t1);
// ---- next run
var register;
const unread = 1;
