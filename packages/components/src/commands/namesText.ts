const MAX_NAMES = 10

/** Returns a short list of names: `a-0, a-1 and 7 more`. */
export const namesText = (names: ReadonlyArray<string>): string =>
  names.length <= MAX_NAMES
    ? names.join(", ")
    : `${names.slice(0, MAX_NAMES).join(", ")} and ${names.length - MAX_NAMES} more`
