/*
 * A header carries bytes, which Node shows as the characters of Latin-1. In Go, and so in Kubernetes, they are UTF-8.
 */

const BEYOND_ASCII = /[^\0-\x7f]/

/** Returns the text of a header's value; bytes that are not UTF-8 become U+FFFD, as Go writes them in JSON. */
export const textOfHeader = (value: string): string =>
  BEYOND_ASCII.test(value) ? Buffer.from(value, "latin1").toString() : value

/** Returns the value by which a header carries the text. */
export const headerOfText = (text: string): string =>
  BEYOND_ASCII.test(text) ? Buffer.from(text).toString("latin1") : text
