const OPEN = new Set(["{", "["].map((sign) => sign.charCodeAt(0)))
const CLOSE = new Set(["}", "]"].map((sign) => sign.charCodeAt(0)))
const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Space, tab, line feed, carriage return. */
const WHITESPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

/** One object or array: the offsets of its first character, and of the first one after it. */
export interface Part {
  readonly from: number
  readonly to: number
}

/**
 * The objects and arrays of a text that holds them one after another, as programs write a stream of JSON; none where
 * the text is anything else. Only brackets are looked at: whether each is JSON its parser says.
 */
export const jsonStream = (text: string): ReadonlyArray<Part> => {
  const found: Array<Part> = []
  let depth = 0
  let start = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === BACKSLASH) index++
      else if (code === QUOTE) inString = false
    } else if (OPEN.has(code)) {
      if (depth++ === 0) start = index
    } else if (depth === 0) {
      if (!WHITESPACE.has(code)) return []
    } else if (code === QUOTE) inString = true
    else if (CLOSE.has(code) && --depth === 0) found.push({ from: start, to: index + 1 })
  }
  return depth === 0 ? found : []
}
