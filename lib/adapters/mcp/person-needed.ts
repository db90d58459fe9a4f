import type { WaitingCall } from '../../contract/waiting-types';

/** Ends a request whose program waits for a person: the client asks, and repeats the request with the decision. */
export class PersonNeeded extends Error {
  readonly call: WaitingCall;

  constructor(call: WaitingCall) {
    super('a person has to decide');
    this.call = call;
  }
}
