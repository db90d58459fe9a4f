abstract class A<in out T extends B = C> implements D {
  private static readonly a?: b;
  constructor(public c = 1) { super(); }
  declare d: e; [f: string]: g; h!: i; get j(): k { return <l>m }
}
enum N { o = 'p', q = o + `r`, s = 1 << 2, t }
namespace u.v { export const { w, x: [y] } = z as aa, ab = 1; export enum ac {} }
function ad(this: ae, af?: ag): asserts af is ah;
let ai: typeof aj<ak> | keyof al[], am = <an,>(ao: ap): aq => ar! satisfies as;
at ? (au) : (av) => aw;
type ax<ay> = ay extends infer az extends ba ? { -readonly [bb in bc as `${bd}`]+?: be } : unique symbol;
for (;;) bf<bg>(bh < bi);
bj as const
