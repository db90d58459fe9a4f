/**
 * A value of a framework, a caller or a guest, in one of several forms or versions. The code that gets it looks at each member
 * before it relies on it, also at members of members. With `unknown`, each look would need a cast that says no more than this name.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- this is the alias for all such values
export type Foreign = any;
