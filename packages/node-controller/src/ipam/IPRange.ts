import { familyOf, formatIP, parseCIDR } from "@rollcall/api/validation"

/** A CIDR block: the addresses whose first `length` bits are those of `base`. The other bits of `base` are zero. */
export interface IPRange {
  readonly family: 4 | 6
  readonly base: bigint
  readonly length: number
}

/** The number of bits of an address of the family. */
export const bitsOf = ({ family }: Pick<IPRange, "family">): number => (family === 4 ? 32 : 128)

const clearHostBits = (bits: bigint, width: number, length: number): bigint => {
  const hostBits = BigInt(width - length)
  return (bits >> hostBits) << hostBits
}

/** The IPv6 prefix length of IPv4-mapped addresses. */
const MAPPED_PREFIX = 96

/**
 * Parses `address/length` in any spelling that Kubernetes accepts on a command line. Host bits may be set and are
 * cleared. Returns undefined for any other text.
 */
export const parseRange = (text: string): IPRange | undefined => {
  const cidr = parseCIDR(text)
  if (cidr === undefined) return undefined
  const { address, length } = cidr
  if (familyOf(address) === 4 && length >= MAPPED_PREFIX) {
    const ipv4Length = length - MAPPED_PREFIX
    return { family: 4, base: clearHostBits(address.bits & 0xffff_ffffn, 32, ipv4Length), length: ipv4Length }
  }
  return { family: address.family, base: clearHostBits(address.bits, bitsOf(address), length), length }
}

/** Formats the range as Go prints an IPNet: `address/length`. */
export const formatRange = ({ base, family, length }: IPRange): string =>
  `${formatIP({ family, bits: base, mapped: false, leadingZero: false })}/${length}`

/** Whether two ranges overlap: CIDR blocks do if one contains the other. */
export const overlaps = (left: IPRange, right: IPRange): boolean => {
  if (left.family !== right.family) return false
  const shift = BigInt(bitsOf(left) - Math.min(left.length, right.length))
  return left.base >> shift === right.base >> shift
}

/** The last address of a range. */
export const lastAddressOf = (range: IPRange): bigint =>
  range.base | ((1n << BigInt(bitsOf(range) - range.length)) - 1n)
