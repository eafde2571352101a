import { Buffer } from "./runtime.ts"

/** What is wrong with an expression, and where in its text. */
export interface Fault {
  readonly message: string
  readonly at: number
}

/** The position of faults of the text as a whole. Upstream: cel-go/common/location.go, NoLocation. */
export const NOWHERE = -1

/** The most faults that are shown. Upstream: cel-go/common/errors.go. */
const MAX_FAULTS = 100

/** Collects the faults of an expression. */
export class Faults {
  readonly list: Array<Fault> = []

  add(message: string, at: number): void {
    this.list.push({ message, at })
  }
}

/**
 * Returns faults by their positions, each with its line and a marker below: `ERROR: <input>:1:5: undefined field 'b'`.
 * Upstream: cel-go/common/{error,errors}.go, ToDisplayString.
 */
export const displayFaults = (text: string, faults: ReadonlyArray<Fault>): string => {
  const shown = faults.slice(0, MAX_FAULTS)
  const texts = shown.sort((left, right) => left.at - right.at).map((fault) => displayFault(text, fault))
  if (faults.length > MAX_FAULTS) texts.push(`${faults.length - MAX_FAULTS} more errors were truncated`)
  return texts.join("\n")
}

/** A marker is wide below a character that takes more than one byte. */
const isWide = (character: string | undefined): boolean => character !== undefined && character > "\u007f"

/** Longer lines are not shown. */
const MAX_SHOWN_LENGTH = 16_384

const displayFault = (text: string, { at, message }: Fault): string => {
  if (at === NOWHERE) return `ERROR: <input>:-1:0: ${message}`
  // An empty text has no line, and its end is no column of one.
  if (text === "") return `ERROR: <input>:1:0: ${message}`
  const offset = Math.max(0, Math.min(at, text.length))
  const before = text.slice(0, offset)
  const start = before.lastIndexOf("\n") + 1
  const end = text.indexOf("\n", offset)
  const line = text.slice(start, end < 0 ? undefined : end)
  const row = before.split("\n").length
  const characters = Array.from(text.slice(start, offset))
  const dots = characters.map((each) => (isWide(each) ? "．" : ".")).join("")
  const marker = isWide(Array.from(text.slice(offset, offset + 2))[0]) ? "＾" : "^"
  const place = `ERROR: <input>:${row}:${characters.length + 1}: ${message}`
  if (Buffer.byteLength(line) > MAX_SHOWN_LENGTH) return place
  return `${place}\n | ${line.replaceAll("\t", " ")}\n | ${dots}${marker}`
}
