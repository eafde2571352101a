/** The tags of DER that certificates have. */
export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  nothing: 0x05,
  identifier: 0x06,
  utf8: 0x0c,
  numeric: 0x12,
  printable: 0x13,
  t61: 0x14,
  ia5: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmp: 0x1e,
  sequence: 0x30,
  set: 0x31
} as const

/** The tag of an element that only its place tells apart. */
export const context = (number: number, isConstructed = true): number => (isConstructed ? 0xa0 : 0x80) | number

/** Why bytes are no certificate, as Go's crypto/x509 says it. */
export class CertificateFault extends Error {}

/** Returns the value, or throws the fault. */
export const need = <A>(value: A | undefined, fault: string): A => {
  if (value === undefined) throw new CertificateFault(`x509: ${fault}`)
  return value
}

/** Reads elements from the front of bytes, as Go's cryptobyte does. */
export class Reader {
  private readonly bytes: Uint8Array
  private at = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  get isEmpty(): boolean {
    return this.at >= this.bytes.length
  }

  /** The tag of the next element. */
  get tag(): number {
    return this.bytes[this.at] ?? 0
  }

  has(tag: number): boolean {
    return this.bytes[this.at] === tag
  }

  /** Returns the contents of the next element; undefined, and reads nothing, unless it has the tag. */
  read(tag: number): Uint8Array | undefined {
    return this.has(tag) ? this.readAny() : undefined
  }

  /** Returns the contents of the next element; undefined if it is none. */
  readAny(): Uint8Array | undefined {
    const { at, bytes } = this
    const [tag = 0, first = 0] = bytes.subarray(at)
    if (bytes.length - at < 2 || (tag & 0x1f) === 0x1f) return undefined
    let size = first
    let start = at + 2
    if (first >= 0x80) {
      const digits = bytes.subarray(start, start + (first & 0x7f))
      if (digits.length === 0 || digits.length > 4 || digits.length < (first & 0x7f) || digits[0] === 0)
        return undefined
      size = digits.reduce((sum, digit) => sum * 256 + digit, 0)
      if (size < 0x80) return undefined
      start += digits.length
    }
    if (start + size > bytes.length) return undefined
    this.at = start + size
    return bytes.subarray(start, start + size)
  }
}

/** Whether an integer has no needless octet. */
const isInteger = ([first, second, ...rest]: Uint8Array): boolean => {
  if (first === undefined || second === undefined) return first !== undefined && rest.length === 0
  return !((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80))
}

export const readInteger = (reader: Reader): Uint8Array | undefined => {
  const found = reader.read(tags.integer)
  return found !== undefined && isInteger(found) ? found : undefined
}

export const readIdentifier = (reader: Reader): string | undefined => {
  const found = reader.read(tags.identifier)
  if (found === undefined || found.length === 0) return undefined
  // A number begins where the octet before it ends one; it has no needless first octet.
  const isWhole = (found.at(-1) ?? 0) < 0x80
  const isShort = found.every((octet, index) => octet !== 0x80 || (found[index - 1] ?? 0) >= 0x80)
  return isWhole && isShort ? Buffer.from(found).toString("hex") : undefined
}

export const readBits = (reader: Reader): Uint8Array | undefined => {
  const found = reader.read(tags.bits)
  const [unused = 8, ...octets] = found ?? []
  const last = octets.at(-1)
  if (unused > 7 || (last === undefined && unused > 0)) return undefined
  return ((last ?? 0) & ((1 << unused) - 1)) === 0 ? found : undefined
}
