import {
  type Amount,
  addQuantity,
  type Device,
  keyOf,
  type Node,
  subtractQuantity,
  toleratesDeviceTaint
} from "@rollcall/api"
import { consumedCapacity, fitsCapacity } from "./capacity.ts"
import type { Constraint } from "./constraints.ts"
import { Counters } from "./counters.ts"
import { isForNode, type Pool } from "./pools.ts"
import { AllocationFault, type Candidate, MAX_RESULTS, type Wanted } from "./requests.ts"
import type { Selectors } from "./selectors.ts"
import { type DeviceId, type DeviceUsage, deviceId } from "./usage.ts"

/** The most devices that are tried on one node, also in virtual time, in which no time passes meanwhile. */
const MAX_TRIES = 200_000
/** After so many tries the search looks how long it has taken. */
const TRIES_A_LOOK = 256

/** A device that the search gives to a request. */
export interface Allocated extends Candidate {
  readonly wanted: Wanted
  /** What the claim gets of a device that several share; undefined for a device of its own. */
  readonly share: ReadonlyMap<string, Amount | string | number> | undefined
}

/** One claim of the search: its requests, each with its alternatives, and its constraints. */
export interface ClaimToAllocate {
  readonly requests: ReadonlyArray<ReadonlyArray<Wanted>>
  readonly constraints: ReadonlyArray<Constraint>
}

/** `TooMany`: the alternative has more devices than a claim can have, so the next one is tried. */
type Outcome = "Found" | "None" | "TooMany"

interface SearchParts {
  readonly usage: DeviceUsage
  readonly selectors: Selectors
  /** Whether the search has taken too long. */
  readonly isOverdue: (() => boolean) | undefined
}

interface Position {
  readonly pool: number
  readonly slice: number
  readonly device: number
}

const start: Position = { pool: 0, slice: 0, device: 0 }

/** Whether a taint of the device keeps the request from it. Upstream: taintPreventsAllocation. */
const isTainted = ({ taints = [] }: Device, { tolerations = [] }: Wanted): boolean =>
  taints.some(
    (taint) =>
      (taint.effect === "NoSchedule" || taint.effect === "NoExecute") &&
      !tolerations.some((toleration) => toleratesDeviceTaint(toleration, taint))
  )

/**
 * Searches devices for claims on one node, with backtracking: the first device that fits, in the order of pools, slices
 * and devices, and the first alternative. Upstream: allocateOne of
 * staging/src/k8s.io/dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go.
 */
export class Search {
  /** The devices found, by claim. */
  readonly found: ReadonlyArray<Array<Allocated>>
  private readonly node: Node
  private readonly pools: ReadonlyArray<Pool>
  private readonly usage: DeviceUsage
  private readonly selectors: Selectors
  private readonly counters: Counters
  private readonly isOverdue: () => boolean
  private claims: ReadonlyArray<ClaimToAllocate> = []
  /** The claims of this search that have a device. */
  private readonly taken = new Map<DeviceId, Set<number>>()
  /** What this search takes of shared devices. */
  private readonly shared = new Map<DeviceId, { sharers: number; readonly consumed: Map<string, Amount> }>()
  private readonly selected = new Map<Wanted, Map<Device, boolean>>()
  private tries = 0

  constructor(node: Node, pools: ReadonlyArray<Pool>, parts: SearchParts, claims: number) {
    const { isOverdue = () => false, selectors, usage } = parts
    this.node = node
    this.pools = pools
    this.usage = usage
    this.selectors = selectors
    this.isOverdue = isOverdue
    this.counters = new Counters((id) => usage.isTaken(id) || usage.isShared(id))
    this.found = Array.from({ length: claims }, () => [])
  }

  /** Finds devices for all claims; returns false if the node lacks them. Must be called once. */
  run(claims: ReadonlyArray<ClaimToAllocate>): boolean {
    this.claims = claims
    return this.allocateRequest(0, 0) === "Found"
  }

  /** Whether the request selects the device, and the device has room for it. */
  readonly isSelected = (wanted: Wanted, candidate: Candidate): boolean =>
    this.isMatch(wanted, candidate) && this.hasRoom(wanted, candidate)

  private isMatch(wanted: Wanted, candidate: Candidate): boolean {
    const known = this.selected.get(wanted)?.get(candidate.device)
    if (known !== undefined) return known
    const { device, slice } = candidate
    const isMatch =
      this.passes(wanted, candidate) && (slice.spec.perDeviceNodeSelection !== true || isForNode(device, this.node))
    const answers = this.selected.get(wanted) ?? new Map<Device, boolean>()
    this.selected.set(wanted, answers.set(device, isMatch))
    return isMatch
  }

  private passes({ claim, deviceClass, selectors }: Wanted, { device, pool }: Candidate): boolean {
    const ofClass = (deviceClass.spec.selectors ?? []).flatMap(({ cel }) => (cel === undefined ? [] : [cel.expression]))
    const holds = (owner: string) => (expression: string, index: number) => {
      const answer = this.selectors.matches(expression, device, pool.driver)
      if (typeof answer === "string") throw new AllocationFault(`${owner}: selector #${index}: ${answer}`)
      return answer
    }
    return ofClass.every(holds(`class ${deviceClass.metadata.name}`)) && selectors.every(holds(`claim ${keyOf(claim)}`))
  }

  private hasRoom({ capacity }: Wanted, { device, pool }: Candidate): boolean {
    if (device.capacity === undefined && capacity === undefined) return true
    const id = deviceId(pool.driver, pool.name, device.name)
    const own = this.shared.get(id)?.consumed
    return fitsCapacity(device, capacity, (name) =>
      [this.usage.consumed(id, name), own?.get(name)].filter((amount) => amount !== undefined)
    )
  }

  private allocateRequest(claim: number, request: number): Outcome {
    const current = this.claims[claim]
    if (current === undefined) return "Found"
    const alternatives = current.requests[request]
    if (alternatives === undefined) {
      const outcome = this.allocateRequest(claim + 1, 0)
      return outcome === "TooMany" ? "None" : outcome
    }
    let exceeded = true
    for (const wanted of alternatives) {
      const outcome = this.allocateDevice(claim, request, wanted, 0, start)
      if (outcome === "Found") return outcome
      if (outcome === "None") exceeded = false
    }
    return exceeded ? "TooMany" : "None"
  }

  /** Finds the device at this index of a request, from a position on, and all that follows. */
  private allocateDevice(claim: number, request: number, wanted: Wanted, index: number, from: Position): Outcome {
    if (wanted.all?.length === 0) return "None"
    if (index >= wanted.count) return this.allocateRequest(claim, request + 1)
    if ((this.found[claim]?.length ?? 0) + wanted.count - index > MAX_RESULTS) return "TooMany"
    const goOn = (next: Position) => this.allocateDevice(claim, request, wanted, index + 1, next)
    if (wanted.all !== undefined) {
      const candidate = wanted.all[index]
      return candidate === undefined ? "None" : (this.tryDevice(claim, wanted, candidate, () => goOn(start)) ?? "None")
    }
    for (let pool = from.pool; pool < this.pools.length; pool++) {
      const found = this.pools[pool]
      if (found === undefined || found.state !== "Complete") continue
      for (let slice = pool === from.pool ? from.slice : 0; slice < found.slices.length; slice++) {
        const within = found.slices[slice]
        if (within === undefined) continue
        const devices = within.spec.devices ?? []
        const isFirst = pool === from.pool && slice === from.slice
        for (let at = isFirst ? from.device : 0; at < devices.length; at++) {
          const device = devices[at]
          if (device === undefined) continue
          const outcome = this.tryDevice(claim, wanted, { pool: found, slice: within, device }, () =>
            goOn({ pool, slice, device: at + 1 })
          )
          if (outcome === "Found" || outcome === "TooMany") return outcome
        }
      }
    }
    return "None"
  }

  /** Takes a device and goes on; gives it back unless all is found. Returns undefined if the device does not suit. */
  private tryDevice(claim: number, wanted: Wanted, candidate: Candidate, goOn: () => Outcome): Outcome | undefined {
    if (++this.tries > MAX_TRIES || (this.tries % TRIES_A_LOOK === 0 && this.isOverdue())) {
      throw new AllocationFault(`node ${this.node.metadata.name}: timed out trying to allocate devices`)
    }
    const giveBack = this.take(claim, wanted, candidate)
    if (giveBack === undefined) return undefined
    const outcome = goOn()
    if (outcome !== "Found") giveBack()
    return outcome
  }

  private isInUse(id: DeviceId): boolean {
    return this.usage.isTaken(id) || (this.taken.get(id)?.size ?? 0) > 0
  }

  /** Takes a device for a claim; returns what gives it back, or undefined if it cannot be taken. */
  private take(claim: number, wanted: Wanted, candidate: Candidate): (() => void) | undefined {
    const { device, pool } = candidate
    const id = deviceId(pool.driver, pool.name, device.name)
    const isShareable = device.allowMultipleAllocations === true
    const isTaken = wanted.adminAccess ? !isShareable && this.taken.get(id)?.has(claim) === true : this.isInUse(id)
    if (isTaken || !this.isSelected(wanted, candidate) || isTainted(device, wanted)) return undefined
    const isShared = isShareable && (this.usage.isShared(id) || this.shared.has(id))
    const countsNow = !isShared && (device.consumesCounters?.length ?? 0) > 0
    if (countsNow && !this.counters.take(pool, device)) return undefined
    const unconstrain = this.constrain(claim, wanted, candidate)
    if (unconstrain === undefined) {
      if (countsNow) this.counters.giveBack(pool, device)
      return undefined
    }
    const share = isShareable ? consumedCapacity(device, wanted.capacity) : undefined
    const release = share === undefined ? this.takeWhole(id, claim) : this.takeShare(id, share)
    this.found[claim]?.push({ ...candidate, wanted, share })
    return () => {
      this.found[claim]?.pop()
      release()
      unconstrain()
      if (countsNow) this.counters.giveBack(pool, device)
    }
  }

  private takeWhole(id: DeviceId, claim: number): () => void {
    const holders = this.taken.get(id) ?? new Set()
    this.taken.set(id, holders.add(claim))
    return () => holders.delete(claim)
  }

  private takeShare(id: DeviceId, share: ReadonlyMap<string, Amount | string | number>): () => void {
    const device = this.shared.get(id) ?? { sharers: 0, consumed: new Map<string, Amount>() }
    this.shared.set(id, device)
    device.sharers++
    for (const [name, amount] of share) {
      device.consumed.set(name, addQuantity(device.consumed.get(name) ?? "0", amount))
    }
    return () => {
      device.sharers--
      if (device.sharers === 0) this.shared.delete(id)
      for (const [name, amount] of share) {
        device.consumed.set(name, subtractQuantity(device.consumed.get(name) ?? "0", amount))
      }
    }
  }

  /** Adds a device to the claim's constraints; returns what removes it, or undefined if it breaks one. */
  private constrain(claim: number, wanted: Wanted, { device, pool }: Candidate): (() => void) | undefined {
    const added: Array<Constraint> = []
    const remove = () => {
      for (const constraint of added.toReversed()) constraint.remove(wanted.ref)
    }
    for (const constraint of this.claims[claim]?.constraints ?? []) {
      if (constraint.add(wanted.ref, device, pool.driver)) {
        added.push(constraint)
        continue
      }
      remove()
      if (wanted.all === undefined) return undefined
      const id = deviceId(pool.driver, pool.name, device.name)
      const where = `claim ${keyOf(wanted.claim)}, request ${wanted.shortName}`
      throw new AllocationFault(`${where}: cannot add device ${id} because a claim constraint would not be satisfied`)
    }
    return remove
  }
}
