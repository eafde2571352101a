import { formatIP, type IPAddress, parseCIDR, parseIP } from "@rollcall/api/validation"

/**
 * The message of a runtime about its network until a plugin is configured. Upstream: containerd,
 * internal/cri/server/status.go.
 */
export const NETWORK_NOT_READY =
  "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized"

/** The number of the first address for pods: address 0 is the network's, and 1 the node's own. */
const FIRST_HOST = 2
/** How many addresses of a range are used at first. The number is doubled when they are exhausted. */
const FIRST_SLOTS = 64
/** How many addresses of a larger range are used at most: no node has more pods. */
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

/** Why a pod gets no address: the node has no range yet, or all addresses of the range are in use. */
export type NoAddress = "noRange" | "exhausted"

/**
 * Allocates the addresses of a node's pods from the node's range, round-robin, so that an address is not reused soon.
 * Before the node has a range, nothing can be allocated: a network plugin that uses the Node's podCIDR is not ready
 * then.
 */
export class PodNetwork {
  private range: Range | undefined
  /** The uid of the pod with each address, by the address's number in the range. */
  private owners: Array<string | undefined> = []
  /** The uids and addresses of pods that ran before the kubelet: their numbers are found before the next allocation. */
  private reserved: Array<readonly [uid: string, address: string]> = []
  private usedSlots = FIRST_SLOTS
  private next = FIRST_HOST

  /** `cidr` is the range until the Node has one; undefined if there is none until then. */
  constructor(cidr: string | undefined) {
    this.range = cidr === undefined ? undefined : rangeOf(cidr)
  }

  get isReady(): boolean {
    return this.range !== undefined
  }

  /** The first and the last address of the range, for error messages. */
  get rangeText(): string {
    return this.range === undefined ? "" : `${textOf(this.range, 1)}-${textOf(this.range, this.range.end - 1)}`
  }

  /** Changes the range for later allocations. Pods keep their addresses. */
  setRange(cidr: string): void {
    const range = rangeOf(cidr)
    if (range === undefined || range.cidr === this.range?.cidr) return
    this.range = range
    this.usedSlots = FIRST_SLOTS
    this.next = FIRST_HOST
    this.clear()
  }

  /** Releases all addresses. The round-robin position is kept. */
  clear(): void {
    this.owners = []
    this.reserved = []
  }

  /** Marks the address of a pod that ran before the kubelet as in use. */
  reserve(uid: string, address: string): void {
    if (this.range !== undefined) this.reserved.push([uid, address])
  }

  private settleReserved(): void {
    for (const [uid, address] of this.reserved) {
      const host = this.hostOf(address)
      if (host !== undefined) this.owners[host] = uid
    }
    this.reserved = []
  }

  /** Allocates an address for a pod, or returns why there is none. */
  allocate(uid: string): string | NoAddress {
    const { range } = this
    if (range === undefined) return "noRange"
    this.settleReserved()
    for (;;) {
      const end = Math.min(this.usedSlots, range.end)
      for (let tried = FIRST_HOST; tried < end; tried++) {
        const host = this.next < end ? this.next : FIRST_HOST
        this.next = host + 1
        if (this.owners[host] !== undefined) continue
        this.owners[host] = uid
        return textOf(range, host)
      }
      if (this.usedSlots >= range.end) return "exhausted"
      this.next = this.usedSlots
      this.usedSlots *= 2
    }
  }

  /** Releases the pod's address. */
  release(uid: string): void {
    this.settleReserved()
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

/** Whether the result of an allocation is an address. */
export const isAddress = (answer: string | NoAddress): answer is string =>
  answer !== "noRange" && answer !== "exhausted"
