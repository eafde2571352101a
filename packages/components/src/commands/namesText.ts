const MOST = 10

/** `a-0, a-1 and 7 more`: no list is longer than a person reads. */
export const namesText = (names: ReadonlyArray<string>): string =>
  names.length <= MOST ? names.join(", ") : `${names.slice(0, MOST).join(", ")} and ${names.length - MOST} more`
