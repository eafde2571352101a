/**
 * Returns a member of a record whose names are from outside: a resource, a label or a file may be named `constructor`, which every object
 * inherits.
 */
export const memberOf = <A>(record: Readonly<Record<string, A>> | undefined, name: string): A | undefined =>
  record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined
