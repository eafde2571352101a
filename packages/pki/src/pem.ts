export interface PemBlock {
  readonly type: string
  readonly bytes: Uint8Array
  readonly hasHeaders: boolean
}

const BEGIN = "-----BEGIN "
const END = "\n-----END "
const DASHES = "-----"

interface Line {
  readonly line: string
  /** Where the next one begins. */
  readonly next: number
}

const lineAt = (text: string, at: number): Line => {
  const end = text.indexOf("\n", at)
  const line = end < 0 ? text.slice(at) : text.slice(at, end).replace(/\r$/, "")
  return { line: line.replace(/[ \t]+$/, ""), next: end < 0 ? text.length : end + 1 }
}

/** Decodes base64 as Go's StdEncoding does, which skips line ends; undefined for another text. */
const decoded = (text: string): Uint8Array | undefined => {
  const digits = text.replace(/[ \t\r\n]/g, "")
  const isWhole = digits.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(digits)
  return isWhole ? Buffer.from(digits, "base64") : undefined
}

/** Returns the block between the start of its BEGIN line and the line end before its END. */
const blockIn = (text: string, begin: number, end: number): (PemBlock & { readonly next: number }) | undefined => {
  const start = lineAt(text, begin + BEGIN.length)
  if (!start.line.endsWith(DASHES)) return undefined
  const type = start.line.slice(0, -DASHES.length)
  const last = lineAt(text, end + END.length)
  if (last.line !== type + DASHES) return undefined
  let at = start.next
  // A header, which has a colon, may be anywhere: an END line has none.
  for (let line = lineAt(text, at); at < text.length && line.line.includes(":"); line = lineAt(text, at)) at = line.next
  const hasHeaders = at > start.next
  if (hasHeaders && at > end) return undefined
  const bytes = at > end ? new Uint8Array() : decoded(text.slice(at, end))
  return bytes === undefined ? undefined : { type, bytes, hasHeaders, next: last.next }
}

/**
 * Returns the blocks of a PEM text; all else in it is ignored. A block is from an END line back to the last BEGIN line
 * before it. Upstream: Go's encoding/pem, Decode.
 */
export const pemBlocks = (text: string): ReadonlyArray<PemBlock> => {
  const blocks: Array<PemBlock> = []
  let from = 0
  for (let end = text.indexOf(END); end >= 0; end = text.indexOf(END, from)) {
    const offset = text.slice(from, end).lastIndexOf(BEGIN)
    const isLine = offset === 0 || (offset > 0 && text[from + offset - 1] === "\n")
    const block = isLine ? blockIn(text, from + offset, end) : undefined
    if (block === undefined) from = end + END.length
    else {
      const { next, ...rest } = block
      blocks.push(rest)
      from = next
    }
  }
  return blocks
}
