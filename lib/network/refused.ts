/** A refusal by the host's policy or limits. Guests see the message. */
export class RefusedRequest extends Error {}
