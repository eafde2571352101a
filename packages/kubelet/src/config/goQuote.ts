/** Quotes a text as Go's `%q` does. JSON's escapes differ from Go's only for characters that are not printable. */
export const goQuote = (text: string): string => JSON.stringify(text)
