import { type Address, parseAddress, sharesPrefix } from "./netip.ts"

/** A block of addresses, as an address and the bits of its prefix. */
const within = (text: string): ((address: Address) => boolean) => {
  const [start = "", length] = text.split("/")
  const block = parseAddress(start)
  return (address) => sharesPrefix(address, block, Number(length))
}

const inAny = (...texts: ReadonlyArray<string>): ((address: Address) => boolean) => {
  const blocks = texts.map(within)
  return (address) => blocks.some((holds) => holds(address))
}

export const unspecified = inAny("0.0.0.0/32", "::/128")
export const loopback = inAny("127.0.0.0/8", "::1/128")
export const linkLocalUnicast = inAny("169.254.0.0/16", "fe80::/10")
const multicast = inAny("224.0.0.0/4", "ff00::/8")
/** The second of the groups' bytes says how far a multicast goes; its flags may be any. */
export const linkLocalMulticast = ({ bits, family }: Address): boolean =>
  family === 4 ? bits >> 8n === 0xe00000n : ((bits >> 112n) & 0xff0fn) === 0xff02n
const broadcast = inAny("255.255.255.255/32")
/** Neither this machine, nor its link, nor many at once. Upstream: Go's net.IP.IsGlobalUnicast. */
export const globalUnicast = (address: Address): boolean =>
  ![unspecified, broadcast, loopback, multicast, linkLocalUnicast].some((holds) => holds(address))
