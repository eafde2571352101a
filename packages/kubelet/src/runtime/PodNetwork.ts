import { formatIP, type IPAddress, parseCIDR, parseIP } from "@rollcall/api/validation"

/** The first address of a range is the network's, the second the node's own. */
const FIRST_HOST = 2
/** The initial size of the table of addresses; it grows. */
const FIRST_SLOTS = 64
/** No node has more pods than this: a larger range is used up to here. */
const MAX_HOSTS = 65_536

interface Range {
  readonly cidr: string
  readonly family: IPAddress["family"]
  readonly base: bigint
  /** Host numbers from `FIRST_HOST` to below this are for pods. */
  readonly end: number
}

const rangeOf = (cidr: string): Range | undefined => {
  const parsed = parseCIDR(cidr)
  if (parsed === undefined) return undefined
  const { address, length } = parsed
  const bits = (address.family === 4 ? 32 : 128) - length
  const size = bits > 16 ? MAX_HOSTS : 2 ** bits
  // The last address of an IPv4 range is the broadcast address.
  const end = address.family === 4 ? size - 1 : size
  return { cidr, family: address.family, base: (address.bits >> BigInt(bits)) << BigInt(bits), end }
}

const textOf = ({ base, family }: Range, host: number): string =>
  formatIP({ family, bits: base + BigInt(host), mapped: false, leadingZero: false })

/** Why a pod has no address: the node has no range yet, or all of its range is in use. */
export type NoAddress = "noRange" | "exhausted"

/**
 * Allocates the addresses of a node's pods from the node's range, round-robin, so that an address is not reused soon.
 * Without a range there are none: a network plugin that uses the Node's podCIDR is not ready before.
 */
export class PodNetwork {
  private range: Range | undefined
  /** By host number: the uid of the pod with this address. */
  private owners: Array<string | undefined> = []
  private slots = FIRST_SLOTS
  private next = FIRST_HOST

  /** `cidr`: the range until the Node has one. Absent: none until then. */
  constructor(cidr: string | undefined) {
    this.range = cidr === undefined ? undefined : rangeOf(cidr)
  }

  get isReady(): boolean {
    return this.range !== undefined
  }

  /** First and last address of the range, for error messages. */
  get text(): string {
    return this.range === undefined ? "" : `${textOf(this.range, 1)}-${textOf(this.range, this.range.end - 1)}`
  }

  /** Allocates from another range from now on. Pods keep their addresses. */
  setRange(cidr: string): void {
    const range = rangeOf(cidr)
    if (range === undefined || range.cidr === this.range?.cidr) return
    this.range = range
    this.slots = FIRST_SLOTS
    this.next = FIRST_HOST
    this.owners = []
  }

  /** Releases all addresses. The round-robin position is kept. */
  clear(): void {
    this.owners = []
  }

  /** The pod has this address already: it ran before the kubelet did. */
  keep(uid: string, address: string): void {
    const host = this.hostOf(address)
    if (host !== undefined) this.owners[host] = uid
  }

  take(uid: string): string | NoAddress {
    const { range } = this
    if (range === undefined) return "noRange"
    for (;;) {
      const end = Math.min(this.slots, range.end)
      for (let tried = FIRST_HOST; tried < end; tried++) {
        const host = this.next < end ? this.next : FIRST_HOST
        this.next = host + 1
        if (this.owners[host] !== undefined) continue
        this.owners[host] = uid
        return textOf(range, host)
      }
      if (this.slots >= range.end) return "exhausted"
      this.next = this.slots
      this.slots *= 2
    }
  }

  /** Releases the pod's address. */
  give(uid: string): void {
    const host = this.owners.indexOf(uid)
    if (host >= 0) this.owners[host] = undefined
  }

  private hostOf(address: string): number | undefined {
    const parsed = parseIP(address)
    const { range } = this
    if (parsed === undefined || range === undefined || parsed.family !== range.family) return undefined
    const host = parsed.bits - range.base
    return host >= FIRST_HOST && host < range.end ? Number(host) : undefined
  }
}

/** Whether the answer is an address, not the reason for having none. */
export const isAddress = (answer: string | NoAddress): answer is string =>
  answer !== "noRange" && answer !== "exhausted"
