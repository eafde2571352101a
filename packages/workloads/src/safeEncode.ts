/**
 * The characters of hashes: no vowels, so that no words result, and none that look alike. Upstream:
 * apimachinery/pkg/util/rand SafeEncodeString.
 */
const alphabet = "bcdfghjklmnpqrstvwxz2456789"

/** Returns the digits of a hash as characters that names and labels may have. */
export const safeEncode = (hash: number): string =>
  String(hash).replace(/./g, (digit) => alphabet.charAt(digit.charCodeAt(0) % alphabet.length))
