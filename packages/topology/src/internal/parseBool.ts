/** Parses a text like Go's strconv.ParseBool. Returns undefined if it is not valid. */
export const parseBool = (text: string): boolean | undefined =>
  ["1", "t", "T", "TRUE", "true", "True"].includes(text)
    ? true
    : ["0", "f", "F", "FALSE", "false", "False"].includes(text)
      ? false
      : undefined
