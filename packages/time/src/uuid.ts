const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

const hexOf = (word: number): string =>
  `${hex[word >>> 24]}${hex[(word >>> 16) & 255]}${hex[(word >>> 8) & 255]}${hex[word & 255]}`

/** Returns a version 4 UUID made of four 32-bit random words. */
export const uuidV4 = (word: () => number): string => {
  const first = hexOf(word())
  const second = hexOf((word() & 0xffff0fff) | 0x4000)
  const third = hexOf((word() & 0x3fffffff) | 0x80000000)
  const fourth = hexOf(word())
  return `${first}-${second.slice(0, 4)}-${second.slice(4)}-${third.slice(0, 4)}-${third.slice(4)}${fourth}`
}

/** Turns a number in [0, 1) into a 32-bit word. */
export const toWord = (random: number): number => Math.floor(random * 0x1_0000_0000)
