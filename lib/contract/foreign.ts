/**
 * A value of a framework, a caller or a guest, in one of several forms or versions. Code that receives it checks each
 * member before it relies on the member, at any depth. With `unknown`, each check would need a cast, which would add
 * nothing to this name.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- this is the alias for all such values
export type Foreign = any;
