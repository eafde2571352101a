/** Returns the regular expression for a recorded pattern. Flags at its start, `(?s)` or `(?m)`, become JavaScript's flags. */
export const patternOf = (text: string, flags = ""): RegExp => {
  const leading = /^\(\?([a-z]+)\)/.exec(text)
  return leading === null ? new RegExp(text, flags) : new RegExp(text.slice(leading[0].length), flags + leading[1])
}

/** Replaces every match of a recorded pattern. The replacement refers to groups as `\1`. */
export const replaceAll = (text: string, pattern: string, replacement: string): string =>
  text.replace(patternOf(pattern, "g"), replacement.replaceAll("$", "$$$$").replace(/\\(\d)/g, "$$$1"))
