/** The ranges of IPv4 addresses and node ports. Upstream: pkg/registry/core/service/{ipallocator,portallocator}. */

export interface AddressRange {
  /** As on the command line: `10.96.0.0/12`. */
  readonly text: string
  readonly first: number
  readonly size: number
}

const textOf = (address: number): string => [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join(".")

const numberOf = (text: string): number | undefined => {
  const octets = text.split(".")
  if (octets.length !== 4 || !octets.every((octet) => /^(0|[1-9]\d{0,2})$/.test(octet) && Number(octet) < 256)) {
    return undefined
  }
  return octets.reduce((address, octet) => address * 256 + Number(octet), 0)
}

/** Parses an IPv4 CIDR; undefined if it is invalid. */
export const parseAddressRange = (text: string): AddressRange | undefined => {
  const [address = "", bits = ""] = text.split("/")
  const number = numberOf(address)
  if (number === undefined || !/^\d+$/.test(bits) || Number(bits) > 30) return undefined
  const size = 2 ** (32 - Number(bits))
  return { text, first: number - (number % size), size }
}

export const inRange = ({ first, size }: AddressRange, text: string): boolean => {
  const address = numberOf(text)
  return address !== undefined && address > first && address < first + size - 1
}

/** The number of lowest addresses that are reserved for services that request a specific one. */
const reservedAddresses = (size: number): number => Math.min(Math.max(16, Math.floor(size / 16)), 256, size - 2)

/** Returns the first free address, using reserved ones last; undefined when there is none. */
export const nextAddress = (range: AddressRange, taken: (address: string) => boolean): string | undefined => {
  const most = range.size - 2
  const skipped = reservedAddresses(range.size)
  for (let step = 0; step < most; step++) {
    const address = textOf(range.first + 1 + ((skipped + step) % most))
    if (!taken(address)) return address
  }
  return undefined
}

export const FIRST_NODE_PORT = 30_000
export const LAST_NODE_PORT = 32_767
const RESERVED_NODE_PORTS = 86

export const isNodePort = (port: number): boolean => port >= FIRST_NODE_PORT && port <= LAST_NODE_PORT

export const nextNodePort = (taken: (port: number) => boolean): number | undefined => {
  const count = LAST_NODE_PORT - FIRST_NODE_PORT + 1
  for (let step = 0; step < count; step++) {
    const port = FIRST_NODE_PORT + ((RESERVED_NODE_PORTS + step) % count)
    if (!taken(port)) return port
  }
  return undefined
}
