import type { Encoding } from "./mediaTypes.ts"

/** A value on the wire. */
export const encodeBody = (value: unknown, encoding: Encoding, pretty: boolean): Buffer => {
  switch (encoding) {
    case "json":
      return Buffer.from(pretty ? JSON.stringify(value, undefined, 2) : `${JSON.stringify(value)}\n`)
    default:
      return Buffer.from(`${JSON.stringify(value)}\n`)
  }
}
