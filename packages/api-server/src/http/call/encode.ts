import { isSteps, type MaybeSteps, type Steps } from "../../core/turns/Steps.ts"
import { encodingBody } from "../codec/index.ts"
import { type Encoding, mediaTypeOf } from "../request/mediaTypes.ts"

type Encoded = Buffer | string | undefined

/** A value on the wire; undefined when it has no such form. */
export const encodingValue = (value: unknown, encoding: Encoding, pretty: boolean): MaybeSteps<Encoded> => {
  if (encoding === "json") return pretty ? prettyJson(value) : `${JSON.stringify(value)}\n`
  const encoded = encodingBody(mediaTypeOf[encoding], value)
  return isSteps(encoded) ? asBuffer(encoded) : bufferOf(encoded)
}

const asBuffer = function* (steps: Steps<string | Uint8Array | undefined>): Steps<Encoded> {
  return bufferOf(yield* steps)
}

const bufferOf = (encoded: string | Uint8Array | undefined): Encoded =>
  encoded === undefined || typeof encoded === "string"
    ? encoded
    : Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength)

const INDENT = 2
/** Items that are written between two pauses. */
const PART = 256

const prettyJson = (value: unknown): MaybeSteps<string> => {
  const items = typeof value === "object" && value !== null && "items" in value ? value.items : undefined
  return Array.isArray(items) && items.length > PART
    ? prettyList(value as object, items)
    : JSON.stringify(value, undefined, INDENT)
}

/** As JSON.stringify writes it, in parts. */
const prettyList = function* (list: object, items: ReadonlyArray<unknown>): Steps<string> {
  const parts: Array<string> = []
  for (let at = 0; at < items.length; at += PART) {
    const text = JSON.stringify({ items: items.slice(at, at + PART) }, undefined, INDENT)
    parts.push(text.slice("{\n".length, -"\n}".length).slice(START.length, -END.length))
    yield
  }
  // There is one such place: within a text, quotes and breaks of lines are escaped, and what is deeper is indented further.
  const shell = JSON.stringify({ ...list, items: [null] }, undefined, INDENT)
  return shell.replace(`${START}    null${END}`, () => `${START}${parts.join(",\n")}${END}`)
}

const START = '  "items": [\n'
const END = "\n  ]"
