import type { ServiceCIDR } from "@rollcall/api"
import { type CIDR, parseCIDR, parseIP } from "@rollcall/api/validation"

/* Which ranges hold a range or an address. Upstream: pkg/api/servicecidr. */

type IP = NonNullable<ReturnType<typeof parseIP>>

interface Range {
  readonly family: 4 | 6
  readonly first: bigint
  readonly last: bigint
  readonly length: number
}

const rangeOf = ({ address, length }: CIDR): Range => {
  const hostBits = BigInt((address.family === 4 ? 32 : 128) - length)
  const first = (address.bits >> hostBits) << hostBits
  return { family: address.family, first, last: first + (1n << hostBits) - 1n, length }
}

const rangesOf = ({ spec }: ServiceCIDR): ReadonlyArray<Range> =>
  (spec?.cidrs ?? []).flatMap((text) => {
    const cidr = parseCIDR(text)
    return cidr === undefined ? [] : [rangeOf(cidr)]
  })

const overlaps = (one: Range, other: Range): boolean =>
  one.family === other.family && one.first <= other.last && other.first <= one.last

/** Whether Services get the address from the range: not that of the network, nor the broadcast address of IPv4. */
const hasAddress = (range: Range, { bits, family }: IP): boolean =>
  range.family === family && bits > range.first && (family === 4 ? bits < range.last : bits <= range.last)

const namesOf = (all: ReadonlyArray<ServiceCIDR>, test: (range: Range) => boolean): ReadonlyArray<string> =>
  all.filter((cidr) => rangesOf(cidr).some(test)).map(({ metadata }) => metadata.name ?? "")

/** Returns the names of those that share addresses with one. */
export const overlapping = (one: ServiceCIDR, all: ReadonlyArray<ServiceCIDR>): ReadonlyArray<string> => {
  const ranges = rangesOf(one)
  return namesOf(all, (range) => ranges.some((other) => overlaps(range, other)))
}

/** Returns the names of those that an address may come from. */
export const containing = (address: string, all: ReadonlyArray<ServiceCIDR>): ReadonlyArray<string> => {
  const ip = parseIP(address)
  return ip === undefined ? [] : namesOf(all, (range) => hasAddress(range, ip))
}

/** Whether each range of one is within a range of another. */
export const isWithinOthers = (one: ServiceCIDR, all: ReadonlyArray<ServiceCIDR>): boolean => {
  const others = all.filter(({ metadata }) => metadata.name !== one.metadata.name).flatMap(rangesOf)
  return rangesOf(one).every((range) => others.some((other) => overlaps(range, other) && other.length <= range.length))
}
