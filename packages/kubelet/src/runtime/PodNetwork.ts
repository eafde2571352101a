import { formatIP, type IPAddress, parseCIDR, parseIP } from "@rollcall/api/validation"

/** The first address of a range names the range, the second is the node's own. */
const FIRST_HOST = 2
/** As many addresses are kept track of at first; more when they are needed. */
const FIRST_SLOTS = 64
/** No node has more pods than this: a larger range is used up to here. */
const MAX_HOSTS = 65_536

interface Range {
  readonly cidr: string
  readonly family: IPAddress["family"]
  readonly base: bigint
  /** Host numbers from `FIRST_HOST` up to here, without, are pods'. */
  readonly end: number
}

const rangeOf = (cidr: string): Range | undefined => {
  const parsed = parseCIDR(cidr)
  if (parsed === undefined) return undefined
  const { address, length } = parsed
  const bits = (address.family === 4 ? 32 : 128) - length
  const size = bits > 16 ? MAX_HOSTS : 2 ** bits
  // The last address of an IPv4 range is for broadcasts.
  const end = address.family === 4 ? size - 1 : size
  return { cidr, family: address.family, base: (address.bits >> BigInt(bits)) << BigInt(bits), end }
}

const textOf = ({ base, family }: Range, host: number): string =>
  formatIP({ family, bits: base + BigInt(host), mapped: false, leadingZero: false })

/** Why a pod has no address: the node has no range yet, or all of its range is used. */
export type NoAddress = "noRange" | "exhausted"

/**
 * Hands out the addresses of a node's pods from the node's range, in turn, so that an address is not used again soon. Without a
 * range there is none: a network plugin that works with the Node's podCIDR is not ready before.
 */
export class PodNetwork {
  private range: Range | undefined
  /** By host number: the uid of the pod whose address it is. */
  private owners: Array<string | undefined> = []
  private slots = FIRST_SLOTS
  private next = FIRST_HOST

  /** `cidr`: the range until the Node has one. Absent: there is none until then. */
  constructor(cidr: string | undefined) {
    this.range = cidr === undefined ? undefined : rangeOf(cidr)
  }

  get isReady(): boolean {
    return this.range !== undefined
  }

  /** First and last address of the range, as an error names them. */
  get text(): string {
    return this.range === undefined ? "" : `${textOf(this.range, 1)}-${textOf(this.range, this.range.end - 1)}`
  }

  /** Addresses are taken from another range from now on. Those handed out stay their pods'. */
  setRange(cidr: string): void {
    const range = rangeOf(cidr)
    if (range === undefined || range.cidr === this.range?.cidr) return
    this.range = range
    this.slots = FIRST_SLOTS
    this.next = FIRST_HOST
    this.owners = []
  }

  /** No pod has an address any more. The turn goes on where it was. */
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

  /** Nothing of the pod is left: its address is free. */
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

/** An address, and not the reason why there is none. */
export const isAddress = (answer: string | NoAddress): answer is string =>
  answer !== "noRange" && answer !== "exhausted"
