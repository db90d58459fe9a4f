import { idOf, nameOf } from '../session-names';

/** The last part of subjects, and the key, of a session. Neither can have `%`. */
export function subjectOf(id: string): string {
  return nameOf(id).replaceAll('%', '=');
}

/** The id that has a subject; undefined if none has. */
export function sessionOf(subject: string): string | undefined {
  return idOf(subject.replaceAll('=', '%'));
}
