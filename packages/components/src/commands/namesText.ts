const MOST = 10

/** Returns a short list of names: `a-0, a-1 and 7 more`. */
export const namesText = (names: ReadonlyArray<string>): string =>
  names.length <= MOST ? names.join(", ") : `${names.slice(0, MOST).join(", ")} and ${names.length - MOST} more`
