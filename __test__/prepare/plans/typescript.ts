// Types, enums and namespaces.
type t1 = string;
declare const t2: (n: number) => void;
enum Kind {
  A = 'a',
  B = t0('initializer') === undefined ? 1 : 2,
}
namespace Inner {
  export const call = (n: number): unknown => t1(n as t1 & number);
  call(1);
}
Inner.call(2);
class Point {
  constructor(private tool = t3) {}
  use() {
    return this.tool('property');
  }
}
new Point().use();
t2(1);
ns.x<string>(Kind.A!);
