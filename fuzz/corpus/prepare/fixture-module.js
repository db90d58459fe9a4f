import a, { b as c } from 'x-ok';
import * as ns from 'x-ok';
export * from 'x-ok';
export { a as default, c };
export const d = () => { while (a) c() };
export class E { static m() { try { ns.f() } catch ({ g }) { return import('x-ok') } } }
await d();
