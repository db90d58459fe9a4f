// Tagged templates are calls.
const name = 'x';
t1`a${name}b`;
((strings, tool) => tool(1))`a${t2}b`;
const tag = ns.x;
tag`c`;
