#!x
let {a=1,...b}=/[/]\//g,c=`x${`y${1}`}`;for await(const x of y)try{z?.[0]??=1n**2n}catch({m}){class A extends B{#p=1;static{}get q(){return super.q}}}finally{if(!a)do{}while(0);else switch(a){case'\u{1F600}𠮷':default:}}async function*f(){yield*await import('x-ok')}// <!--
l:while(1)break l;new.target;x=>({...y})