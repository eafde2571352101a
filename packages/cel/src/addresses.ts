import { formatIP } from "@rollcall/api/validation"

/* IP addresses as Go's net/netip parses and prints them, with its errors. */

export interface Address {
  readonly family: 4 | 6
  /** The address as a number of 32 or 128 bits. */
  readonly bits: bigint
  /** The zone of an IPv6 address, after `%`; empty if there is none. */
  readonly zone: string
}

/** An address and the length of its network prefix in bits. */
export interface Prefix {
  readonly address: Address
  readonly length: number
}

/** The error that a text is not an address or a prefix, with Go's message. */
export class AddressFault extends Error {}

const quote = (text: string): string => JSON.stringify(text)

/** Makes the errors for one text. */
class AddressErrors {
  private readonly text: string
  constructor(text: string) {
    this.text = text
  }
  /** Returns an error; `at` is the rest of the text from the place of the error. */
  of(message: string, at = ""): AddressFault {
    return new AddressFault(`ParseAddr(${quote(this.text)}): ${message}${at === "" ? "" : ` (at ${quote(at)})`}`)
  }
}

/** Returns the number of bits of an address. */
export const widthOf = ({ family }: Address): number => (family === 4 ? 32 : 128)

/** Whether the address is an IPv4 address in IPv6 form (`::ffff:10.0.0.1`). */
export const isMapped = ({ bits, family }: Address): boolean => family === 6 && bits >> 32n === 0xffffn

/** Formats an address without its zone. */
export const addressText = ({ bits, family }: Address): string =>
  formatIP({ family, bits, mapped: false, leadingZero: false })

export const prefixText = ({ address, length }: Prefix): string => `${addressText(address)}/${length}`

/** Parses the four octets of an IPv4 address, which may be the end of an IPv6 address. */
const parseOctets = (text: string, fault: AddressErrors): bigint => {
  let bits = 0n
  let [value, digits, count] = [0, 0, 0]
  for (const [at, character] of [...text].entries()) {
    const rest = text.slice(at)
    if (character >= "0" && character <= "9") {
      if (digits === 1 && value === 0) throw fault.of("IPv4 field has octet with leading zero")
      value = value * 10 + Number(character)
      digits++
      if (value > 255) throw fault.of("IPv4 field has value >255")
    } else if (character === ".") {
      const isEmpty = at === 0 || at === text.length - 1 || text[at - 1] === "."
      if (isEmpty) throw fault.of("IPv4 field must have at least one digit", rest)
      if (count === 3) throw fault.of("IPv4 address too long")
      bits = (bits << 8n) | BigInt(value)
      count++
      value = 0
      digits = 0
    } else throw fault.of("unexpected character", rest)
  }
  if (count < 3) throw fault.of("IPv4 address too short")
  return (bits << 8n) | BigInt(value)
}

const HEXADECIMAL = /^[0-9a-fA-F]*/

/** Returns the hexadecimal digits of an IPv6 group. */
const hexDigitsOf = (text: string, fault: AddressErrors): string => {
  const [digits = ""] = HEXADECIMAL.exec(text.slice(0, 5)) ?? []
  if (digits.length > 4) throw fault.of("each group must have 4 or less digits", text)
  if (digits === "") throw fault.of("each colon-separated field must have at least one digit", text)
  return digits
}

/** Reads the groups of an IPv6 address one by one. */
class GroupReader {
  /** The groups of 16 bits read so far. */
  readonly groups: Array<bigint> = []
  /** The number of groups before the `::`; -1 if there is none. */
  gap = -1
  /** The text that has not been read. */
  rest: string
  private readonly fault: AddressErrors

  constructor(text: string, fault: AddressErrors) {
    this.fault = fault
    this.rest = text
    if (!text.startsWith("::")) return
    this.gap = 0
    this.rest = text.slice(2)
  }

  /** Reads one group and the separator after it; returns false at the end of the text. */
  next(): boolean {
    const { fault, groups } = this
    const digits = hexDigitsOf(this.rest, fault)
    if (this.rest[digits.length] === ".") {
      this.readEmbeddedIPv4()
      return false
    }
    groups.push(BigInt(`0x${digits}`))
    this.rest = this.rest.slice(digits.length)
    if (this.rest === "") return false
    if (!this.rest.startsWith(":")) throw fault.of("unexpected character, want colon", this.rest)
    if (this.rest.length === 1) throw fault.of("colon must be followed by more characters", this.rest)
    this.rest = this.rest.slice(1)
    if (!this.rest.startsWith(":")) return true
    if (this.gap >= 0) throw fault.of("multiple :: in address", this.rest)
    this.gap = groups.length
    this.rest = this.rest.slice(1)
    return this.rest !== ""
  }

  /** Reads an IPv4 address at the end, which stands for two groups. */
  private readEmbeddedIPv4(): void {
    const { fault, groups, rest } = this
    if (this.gap < 0 && groups.length !== 6) {
      throw fault.of("embedded IPv4 address must replace the final 2 fields of the address", rest)
    }
    if (groups.length > 6) {
      throw fault.of("too many hex fields to fit an embedded IPv4 at the end of the address", rest)
    }
    const bits = parseOctets(rest, fault)
    groups.push(bits >> 16n, bits & 0xffffn)
    this.rest = ""
  }
}

const parseIPv6 = (text: string, fault: AddressErrors): Address => {
  const percent = text.indexOf("%")
  const zone = percent < 0 ? "" : text.slice(percent + 1)
  if (percent >= 0 && zone === "") throw fault.of("zone must be a non-empty string")
  const reader = new GroupReader(percent < 0 ? text : text.slice(0, percent), fault)
  const { groups } = reader
  if (reader.rest !== "" || reader.gap < 0) while (groups.length < 8 && reader.next());
  if (reader.rest !== "") throw fault.of("trailing garbage after address", reader.rest)
  const { gap } = reader
  const missing = 8 - groups.length
  if (missing > 0 && gap < 0) throw fault.of("address string too short")
  if (missing === 0 && gap >= 0) throw fault.of("the :: must expand to at least one field of zeros")
  const zeros = Array.from({ length: missing }, () => 0n)
  const all = missing === 0 ? groups : [...groups.slice(0, gap), ...zeros, ...groups.slice(gap)]
  return { family: 6, bits: all.reduce((bits, group) => (bits << 16n) | group, 0n), zone }
}

/** Parses an address. Throws `AddressFault`. Upstream: net/netip, ParseAddr. */
export const parseAddress = (text: string): Address => {
  const fault = new AddressErrors(text)
  switch (/[.:%]/.exec(text)?.[0]) {
    case ".":
      return { family: 4, bits: parseOctets(text, fault), zone: "" }
    case ":":
      return parseIPv6(text, fault)
    case "%":
      throw fault.of("missing IPv6 address")
    default:
      throw fault.of("unable to parse IP")
  }
}

/** Parses an address with a prefix length, such as `10.0.0.0/8`. Throws `AddressFault`. Upstream: net/netip, ParsePrefix. */
export const parsePrefix = (text: string): Prefix => {
  const fault = (message: string) => new AddressFault(`netip.ParsePrefix(${quote(text)}): ${message}`)
  const slash = text.lastIndexOf("/")
  if (slash < 0) throw fault("no '/'")
  let address: Address
  try {
    address = parseAddress(text.slice(0, slash))
  } catch (error) {
    throw error instanceof AddressFault ? fault(error.message) : error
  }
  if (address.zone !== "") throw fault("IPv6 zones cannot be present in a prefix")
  const bits = text.slice(slash + 1)
  if (!/^(?:\d|[1-9]\d{1,18})$/.test(bits)) throw fault(`bad bits after slash: ${quote(bits)}`)
  const length = Number(bits)
  if (length > widthOf(address)) throw fault("prefix length out of range")
  return { address, length }
}

/** Returns the address with its host bits cleared. */
export const maskedAddress = (address: Address, length: number): Address => {
  const host = BigInt(widthOf(address) - length)
  return { ...address, bits: (address.bits >> host) << host }
}

/** Whether two addresses have the same first `length` bits. */
export const sharesPrefix = (left: Address, right: Address, length: number): boolean =>
  left.family === right.family && maskedAddress(left, length).bits === maskedAddress(right, length).bits

/** Returns a predicate for the addresses in a CIDR. */
const inBlock = (text: string): ((address: Address) => boolean) => {
  const [start = "", length] = text.split("/")
  const block = parseAddress(start)
  return (address) => sharesPrefix(address, block, Number(length))
}

/** Returns a predicate for the addresses in any of the CIDRs. */
const inAny = (...texts: ReadonlyArray<string>): ((address: Address) => boolean) => {
  const blocks = texts.map(inBlock)
  return (address) => blocks.some((holds) => holds(address))
}

export const isUnspecified = inAny("0.0.0.0/32", "::/128")
export const isLoopback = inAny("127.0.0.0/8", "::1/128")
export const isLinkLocalUnicast = inAny("169.254.0.0/16", "fe80::/10")
const isMulticast = inAny("224.0.0.0/4", "ff00::/8")
/** The scope of an IPv6 multicast address is in its second byte; the flags may be any. */
export const isLinkLocalMulticast = ({ bits, family }: Address): boolean =>
  family === 4 ? bits >> 8n === 0xe00000n : ((bits >> 112n) & 0xff0fn) === 0xff02n
const isBroadcast = inAny("255.255.255.255/32")
/**
 * Whether the address is neither local to this machine or its link, nor multicast. Upstream: Go's
 * net.IP.IsGlobalUnicast.
 */
export const isGlobalUnicast = (address: Address): boolean =>
  ![isUnspecified, isBroadcast, isLoopback, isMulticast, isLinkLocalUnicast].some((holds) => holds(address))
