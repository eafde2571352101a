import { familyOf, formatIP, parseCIDR } from "@rollcall/api/validation"

/** A CIDR block: the addresses whose first `length` bits are those of `base`. The other bits of `base` are zero. */
export interface IPRange {
  readonly family: 4 | 6
  readonly base: bigint
  readonly length: number
}

/** Bits of an address of the family. */
export const bitsOf = ({ family }: Pick<IPRange, "family">): number => (family === 4 ? 32 : 128)

const masked = (bits: bigint, width: number, length: number): bigint => {
  const host = BigInt(width - length)
  return (bits >> host) << host
}

/** The IPv6 prefix length of IPv4-mapped addresses. */
const MAPPED_PREFIX = 96

/** Parses `address/length`, also with host bits set; in any spelling that Kubernetes accepts on a command line. */
export const parseRange = (text: string): IPRange | undefined => {
  const cidr = parseCIDR(text)
  if (cidr === undefined) return undefined
  const { address, length } = cidr
  if (familyOf(address) === 4 && length >= MAPPED_PREFIX) {
    const own = length - MAPPED_PREFIX
    return { family: 4, base: masked(address.bits & 0xffff_ffffn, 32, own), length: own }
  }
  return { family: address.family, base: masked(address.bits, bitsOf(address), length), length }
}

/** As Go prints an IPNet. */
export const formatRange = ({ base, family, length }: IPRange): string =>
  `${formatIP({ family, bits: base, mapped: false, leadingZero: false })}/${length}`

/** Whether one contains the other. */
export const overlap = (left: IPRange, right: IPRange): boolean => {
  if (left.family !== right.family) return false
  const shift = BigInt(bitsOf(left) - Math.min(left.length, right.length))
  return left.base >> shift === right.base >> shift
}

/** The last address of a range. */
export const lastOf = (range: IPRange): bigint => range.base | ((1n << BigInt(bitsOf(range) - range.length)) - 1n)
