import {
  type Address,
  AddressFault,
  addressText,
  isGlobalUnicast,
  isLinkLocalMulticast,
  isLinkLocalUnicast,
  isLoopback,
  isMapped,
  isUnspecified,
  parseAddress,
  widthOf
} from "../addresses.ts"
import type { CelFunction } from "../operators.ts"
import { opaque } from "../types.ts"
import { CelError, Extension, type Value } from "../values.ts"
import {
  constantEstimate,
  type Library,
  parsing,
  parsingEstimate,
  twiceParsing,
  twiceParsingEstimate
} from "./Library.ts"

const IP_NAME = "net.IP"

export class IP extends Extension {
  readonly typeName = IP_NAME
  readonly address: Address
  constructor(address: Address) {
    super()
    this.address = address
  }
  get key(): string {
    return `${this.address.family} ${this.address.bits}`
  }
  override get size(): number {
    return widthOf(this.address) / 8
  }
}

/** Parses an address; zones and IPv4-mapped IPv6 addresses are rejected. Upstream: ip.go, parseIPAddr. */
export const readIP = (text: string): IP | CelError => {
  const shown = JSON.stringify(text)
  try {
    const address = parseAddress(text)
    if (address.zone !== "") return new CelError(`IP address ${shown} with zone value is not allowed`)
    if (isMapped(address)) return new CelError(`IPv4-mapped IPv6 address ${shown} is not allowed`)
    return new IP(address)
  } catch (error) {
    if (!(error instanceof AddressFault)) throw error
    return new CelError(`IP Address ${shown} parse error during conversion from string: ${error.message}`)
  }
}

const ofIP =
  (act: (address: Address) => Value): CelFunction =>
  ([ip]) =>
    ip instanceof IP ? act(ip.address) : undefined

const ofText =
  (act: (text: string) => Value): CelFunction =>
  ([text], meter) => {
    if (typeof text !== "string") return undefined
    // Errors contain the text twice.
    meter.make(2 * text.length)
    return act(text)
  }

/** The functions of IP addresses. Upstream: apiserver/pkg/cel/library/ip.go. */
export const ipLibrary: Library = {
  types: { ip: opaque(IP_NAME) },
  typeNames: ["ip"],
  overloads: [
    "ip string -> ip = string_to_ip",
    ".family ip -> int = ip_family",
    "ip.isCanonical string -> bool = ip_is_canonical",
    ".isUnspecified ip -> bool = ip_is_unspecified",
    ".isLoopback ip -> bool = ip_is_loopback",
    ".isLinkLocalMulticast ip -> bool = ip_is_link_local_multicast",
    ".isLinkLocalUnicast ip -> bool = ip_is_link_local_unicast",
    ".isGlobalUnicast ip -> bool = ip_is_global_unicast",
    "isIP string -> bool = is_ip",
    "string ip -> string = ip_to_string"
  ],
  functions: {
    family: ofIP(({ family }) => BigInt(family)),
    ip: ofText(readIP),
    "ip.isCanonical": ofText((text) => {
      const read = readIP(text)
      return read instanceof CelError ? read : addressText(read.address) === text
    }),
    isGlobalUnicast: ofIP(isGlobalUnicast),
    isIP: ofText((text) => readIP(text) instanceof IP),
    isLinkLocalMulticast: ofIP(isLinkLocalMulticast),
    isLinkLocalUnicast: ofIP(isLinkLocalUnicast),
    isLoopback: ofIP(isLoopback),
    isUnspecified: ofIP(isUnspecified),
    string: ofIP(addressText)
  },
  costs: {
    ip: (args, meter) => (typeof args[0] === "string" ? parsing(args, meter) : 1),
    "ip.isCanonical": twiceParsing,
    isIP: parsing
  },
  estimates: {
    ip: (target, args) => (target === undefined ? parsingEstimate : constantEstimate)(target, args),
    "ip.isCanonical": twiceParsingEstimate,
    isIP: parsingEstimate
  },
  equality: { [IP_NAME]: constantEstimate }
}
