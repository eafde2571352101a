import {
  AddressFault,
  isMapped,
  maskedAddress,
  type Prefix,
  parsePrefix,
  prefixText,
  sharesPrefix
} from "../addresses.ts"
import { ONE, plus, type Range, STRING_FACTOR, timesFactor } from "../estimateSizes.ts"
import type { CelFunction } from "../operators.ts"
import { opaque } from "../types.ts"
import { CelError, Extension, sizeOf, type Value } from "../values.ts"
import { IP, readIP } from "./ip.ts"
import { type Cost, constantEstimate, type Estimator, type Library, parsing, parsingEstimate } from "./Library.ts"

const NAME = "net.CIDR"

class CIDR extends Extension {
  readonly typeName = NAME
  readonly prefix: Prefix
  constructor(prefix: Prefix) {
    super()
    this.prefix = prefix
  }
  get key(): string {
    const { address, length } = this.prefix
    return `${address.family} ${address.bits} ${length}`
  }
  /** The size of the prefix in bytes, not of the address. */
  override get size(): number {
    return Math.ceil(this.prefix.length / 8)
  }
}

const CONVERSION = "network address parse error during conversion from string: "

/** Parses a CIDR. Upstream: cidr.go, stringToCIDR and parseCIDR, each of which puts the prefix before the error. */
const readCIDR = (text: string): CIDR | CelError => {
  try {
    const prefix = parsePrefix(text)
    if (!isMapped(prefix.address)) return new CIDR(prefix)
    return new CelError(`${CONVERSION}IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`)
  } catch (error) {
    if (!(error instanceof AddressFault)) throw error
    return new CelError(CONVERSION + CONVERSION + error.message)
  }
}

const ofCIDR =
  (act: (prefix: Prefix, other: Value | undefined) => Value | undefined): CelFunction =>
  ([cidr, other], meter) => {
    if (!(cidr instanceof CIDR)) return undefined
    if (typeof other === "string") meter.make(4 * other.length)
    return act(cidr.prefix, other)
  }

const ofText =
  (act: (text: string) => Value): CelFunction =>
  ([text], meter) => {
    if (typeof text !== "string") return undefined
    meter.make(4 * text.length)
    return act(text)
  }

const containsIP = ofCIDR(({ address, length }, other) => {
  const ip = typeof other === "string" ? readIP(other) : other
  // Upstream drops the reason for which a text is no address.
  if (ip instanceof CelError) return new CelError("no such overload")
  return ip instanceof IP ? sharesPrefix(address, ip.address, length) : undefined
})

const containsCIDR = ofCIDR(({ address, length }, other) => {
  const inner = typeof other === "string" ? readCIDR(other) : other
  if (inner instanceof CelError) return inner
  if (!(inner instanceof CIDR)) return undefined
  return length <= inner.prefix.length && sharesPrefix(address, inner.prefix.address, length)
})

const traversal = (size: number): number => Math.ceil(size * STRING_FACTOR)

/** The cost of comparing the bytes of two addresses up to the prefix length; a text is parsed before. */
const prefixCost =
  (more: (size: number) => number): Cost =>
  ([cidr = null, other = null], meter, overload) => {
    const size = sizeOf(cidr)
    const parsed = overload?.endsWith("_string") === true ? parsing([other], meter) : 0
    return traversal(2 * size) + more(size) + parsed
  }

/** The size of an address in bytes. */
const ADDRESS: Range = { min: 4, max: 16 }

const prefixCostEstimate =
  (more: Range): Estimator =>
  (_, [other]) => {
    if (other === undefined) return undefined
    const cost = plus(timesFactor(plus(ADDRESS, ADDRESS), STRING_FACTOR), more)
    return {
      cost:
        other.type.kind === "string" || other.type.kind === "dyn"
          ? plus(cost, timesFactor(other.sizeByPath(), STRING_FACTOR))
          : cost
    }
  }

/** The functions of CIDRs. Upstream: apiserver/pkg/cel/library/cidr.go. */
export const cidrLibrary: Library = {
  types: { cidr: opaque(NAME) },
  typeNames: ["cidr"],
  overloads: [
    "cidr string -> cidr = string_to_cidr",
    ".containsIP cidr string -> bool = cidr_contains_ip_string",
    ".containsIP cidr ip -> bool = cidr_contains_ip_ip",
    ".containsCIDR cidr string -> bool = cidr_contains_cidr_string",
    ".containsCIDR cidr cidr -> bool = cidr_contains_cidr",
    ".ip cidr -> ip = cidr_ip",
    ".prefixLength cidr -> int = cidr_prefix_length",
    ".masked cidr -> cidr = cidr_masked",
    "isCIDR string -> bool = is_cidr",
    "string cidr -> string = cidr_to_string"
  ],
  functions: {
    cidr: ofText(readCIDR),
    containsCIDR,
    containsIP,
    ip: ofCIDR(({ address }) => new IP(address)),
    isCIDR: ofText((text) => readCIDR(text) instanceof CIDR),
    masked: ofCIDR(({ address, length }) => new CIDR({ address: maskedAddress(address, length), length })),
    prefixLength: ofCIDR(({ length }) => BigInt(length)),
    string: ofCIDR(prefixText)
  },
  costs: {
    cidr: parsing,
    containsCIDR: prefixCost((size) => traversal(size) + 1),
    containsIP: prefixCost(() => 0),
    isCIDR: parsing
  },
  estimates: {
    cidr: parsingEstimate,
    containsCIDR: prefixCostEstimate(plus(timesFactor(ADDRESS, STRING_FACTOR), ONE)),
    containsIP: prefixCostEstimate({ min: 0, max: 0 }),
    isCIDR: parsingEstimate
  },
  equality: { [NAME]: constantEstimate }
}
