import type { ServiceCIDR } from "@rollcall/api"

/* The ranges of IPv4 addresses and node ports. Upstream: pkg/registry/core/service/{ipallocator,portallocator}. */

export interface AddressRange {
  /** The range as on the command line: `10.96.0.0/12`. */
  readonly text: string
  /** The lowest address as a number of 32 bits. It and the highest one are never allocated. */
  readonly first: number
  /** The number of addresses. */
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

/** Parses an IPv4 CIDR of at least four addresses; returns undefined if it is invalid. */
export const parseAddressRange = (text: string): AddressRange | undefined => {
  const [address = "", bits = ""] = text.split("/")
  const number = numberOf(address)
  if (number === undefined || !/^\d+$/.test(bits) || Number(bits) > 30) return undefined
  const size = 2 ** (32 - Number(bits))
  return { text, first: number - (number % size), size }
}

/** Whether Services can have addresses of a range: its condition Ready is not False, and it is not being deleted. */
const isReady = ({ metadata, status }: ServiceCIDR): boolean =>
  metadata.deletionTimestamp === undefined &&
  (status?.conditions ?? []).find(({ type }) => type === "Ready")?.status !== "False"

/**
 * Returns the ranges that addresses come from: those of the ServiceCIDRs that are ready, the server's own first. A server
 * whose own range is not an object yet has that. Upstream: ipallocator/cidrallocator.go, syncAllocators.
 */
export const readyRanges = (own: AddressRange, stored: ReadonlyArray<ServiceCIDR>): ReadonlyArray<AddressRange> => {
  if (stored.length === 0) return [own]
  const texts = new Set(stored.filter(isReady).flatMap(({ spec }) => spec?.cidrs ?? []))
  const others = [...texts].filter((text) => text !== own.text).flatMap((text) => parseAddressRange(text) ?? [])
  return texts.has(own.text) ? [own, ...others] : others
}

/** Whether the text is an address of the range that can be allocated. */
export const inRange = ({ first, size }: AddressRange, text: string): boolean => {
  const address = numberOf(text)
  return address !== undefined && address > first && address < first + size - 1
}

/**
 * Returns the number of lowest addresses that are left, as long as there are others, to services that request a specific
 * one. Upstream: ipallocator.go, calculateRangeOffset; KEP-3070.
 */
const reservedAddresses = (size: number): number => Math.min(Math.max(16, Math.floor(size / 16)), 256, size - 2)

/** Returns the address of the range itself, which a dry run shows. Upstream: ipallocator.go, allocateNextService. */
export const networkAddress = ({ first }: AddressRange): string => textOf(first)

/*
 * Addresses are tried in order, those of the reserve last: a step is the place of an address in that order. The lowest and
 * the highest address of a range have none.
 */
const stepsOf = ({ size }: AddressRange): number => size - 2

/** Returns the address that is tried at a step. */
export const addressAt = (range: AddressRange, step: number): string =>
  textOf(range.first + 1 + ((reservedAddresses(range.size) + step) % stepsOf(range)))

/** Returns the step at which an address is tried; undefined if it cannot be allocated. */
export const stepOf = (range: AddressRange, text: string): number | undefined => {
  if (!inRange(range, text)) return undefined
  const offset = (numberOf(text) ?? 0) - range.first - 1 - reservedAddresses(range.size)
  return offset < 0 ? offset + stepsOf(range) : offset
}

/** Returns the first step, of those from `from` on, whose address is free; a step behind the last one if there is none. */
export const nextStep = (range: AddressRange, used: (address: string) => boolean, from = 0): number => {
  let step = from
  while (step < stepsOf(range) && used(addressAt(range, step))) step++
  return step
}

/** Whether an address is tried at the step. */
export const isStep = (range: AddressRange, step: number): boolean => step < stepsOf(range)

export const FIRST_NODE_PORT = 30_000
export const LAST_NODE_PORT = 32_767
/** The number of lowest ports that are used last, like reserved addresses: 1/32 of the range. KEP-3668. */
const RESERVED_NODE_PORTS = 86

export const isNodePort = (port: number): boolean => port >= FIRST_NODE_PORT && port <= LAST_NODE_PORT

/** Returns the first free node port, reserved ones last, or undefined if there is none. */
export const nextNodePort = (used: (port: number) => boolean): number | undefined => {
  const count = LAST_NODE_PORT - FIRST_NODE_PORT + 1
  for (let step = 0; step < count; step++) {
    const port = FIRST_NODE_PORT + ((RESERVED_NODE_PORTS + step) % count)
    if (!used(port)) return port
  }
  return undefined
}
