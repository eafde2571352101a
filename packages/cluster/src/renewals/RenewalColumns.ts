import type { Lease } from "@rollcall/api"
import { draw, nextState, type RngState, type TimersShape } from "@rollcall/time"

/** What keeps a node's Lease renewed: it hands its renewals over to the columns, and takes them back when it must. */
export interface RenewalOwner {
  readonly name: string
  /** The Lease as the API server last returned it. */
  readonly lease: Lease
  /** Receives the Lease of the last renewal, when it is made. */
  readonly leaseMade: (lease: Lease) => void
  /** Takes the renewals back; the next one comes by `fire`, when the columns would have made it. */
  readonly left: (seed: RngState) => void
  readonly fire: () => void
}

/** When a Lease is renewed: `intervalMs` after the last renewal, and up to `jitterMs` later. */
export interface RenewalTimes {
  readonly intervalMs: number
  readonly jitterMs: number
  /** The state of the generator of the jitter. */
  readonly seed: RngState
}

/** What the API server does for the columns. */
export interface RenewalServer {
  /** Stores a renewal without its object, and returns its revision. */
  readonly renew: (id: number, nowMs: number) => number
  /** Makes the Lease of the last renewal, and shows it to readers and watches. */
  readonly make: (id: number) => Lease
  /** Makes all objects that the histories still have of this id, which then stands for another Lease. */
  readonly release: (id: number) => void
}

/** Learns whose renewals are in the columns. */
export interface RenewalFollower {
  readonly entered: (id: number, name: string) => void
  readonly left: (id: number, name: string) => void
}

/** A Lease's stay in the columns. */
export interface RenewalStay {
  /** Takes the renewals out of the columns. Call it before anything changes that a renewal depends on. */
  readonly leave: () => void
  /** As `leave`, and without a next renewal. */
  readonly cancel: () => void
}

const FREE = 0
const IN_COLUMNS = 1
/** It has left, and its numbered timer still has to fire. */
const LEFT = 2
const CANCELLED = 3

const INITIAL_SIZE = 64

const grown = <A extends Float64Array | Int32Array | Uint8Array>(from: A, to: A): A => {
  to.set(from)
  return to
}

/**
 * The Leases of healthy nodes as columns: one row of numbers for each. A renewal writes a few numbers where it otherwise
 * makes and delivers a Lease: it still has its timer, its random number, its renewTime and its revision. The Lease is
 * made when it is read. docs/reference/columns.md lists the columns, who writes them, and when a Lease enters and leaves.
 */
export class RenewalColumns {
  /** When the Lease was last renewed. */
  renewedMs = new Float64Array(INITIAL_SIZE)
  /** The revision of that renewal. */
  revision = new Float64Array(INITIAL_SIZE)
  /** 1 if the stored Lease shows that renewal. */
  private isMade = new Uint8Array(INITIAL_SIZE)
  private intervalMs = new Float64Array(INITIAL_SIZE)
  private jitterMs = new Float64Array(INITIAL_SIZE)
  private seed = new Int32Array(INITIAL_SIZE)
  private state = new Uint8Array(INITIAL_SIZE)
  private readonly owners: Array<RenewalOwner | undefined> = []
  private readonly freeIds: Array<number> = []
  private readonly byName = new Map<string, number>()
  private readonly followers = new Set<RenewalFollower>()
  private readonly server: RenewalServer
  private readonly plan: (id: number, timeMs: number) => void
  private isBlocked = false

  constructor(server: RenewalServer, numbered: NonNullable<TimersShape["numbered"]>) {
    this.server = server
    this.plan = numbered((id, nowMs) => this.fire(id, nowMs))
  }

  get size(): number {
    return this.byName.size
  }

  /** Returns the row of a node's Lease, or undefined if its renewals are not in the columns. */
  idOf(name: string): number | undefined {
    return this.byName.get(name)
  }

  /** Returns the owner of a row that is in the columns. */
  ownerOf(id: number): RenewalOwner {
    return this.owners[id] as RenewalOwner
  }

  /** Takes over the renewals of a Lease that was renewed now, at `revision`. Returns undefined if it does not. */
  enter(owner: RenewalOwner, times: RenewalTimes, nowMs: number, revision: number): RenewalStay | undefined {
    if (this.isBlocked || this.byName.has(owner.name)) return undefined
    const id = this.freeIds.pop() ?? this.owners.length
    if (id >= this.state.length) this.grow()
    this.owners[id] = owner
    this.renewedMs[id] = nowMs
    this.revision[id] = revision
    this.isMade[id] = 1
    this.intervalMs[id] = times.intervalMs
    this.jitterMs[id] = times.jitterMs
    this.seed[id] = times.seed
    this.state[id] = IN_COLUMNS
    this.byName.set(owner.name, id)
    this.planNext(id, nowMs)
    for (const follower of this.followers) follower.entered(id, owner.name)
    return {
      leave: () => {
        if (this.owners[id] === owner) this.leave(id)
      },
      cancel: () => {
        if (this.owners[id] !== owner) return
        this.leave(id)
        this.state[id] = CANCELLED
      }
    }
  }

  private planNext(id: number, nowMs: number): void {
    const jitterMs = this.jitterMs[id] as number
    let at = nowMs + (this.intervalMs[id] as number)
    if (jitterMs > 0) {
      const seed = nextState(this.seed[id] as number)
      this.seed[id] = seed
      at += jitterMs * draw(seed)
    }
    this.plan(id, at)
  }

  private fire(id: number, nowMs: number): void {
    const state = this.state[id] as number
    if (state === IN_COLUMNS) {
      this.revision[id] = this.server.renew(id, nowMs)
      this.renewedMs[id] = nowMs
      this.isMade[id] = 0
      this.planNext(id, nowMs)
      return
    }
    const owner = this.owners[id]
    this.owners[id] = undefined
    this.state[id] = FREE
    this.freeIds.push(id)
    if (state === LEFT) owner?.fire()
  }

  /** Makes the Lease of the last renewal, if it has not been made. */
  make(id: number): void {
    if (this.isMade[id] === 1 || this.state[id] !== IN_COLUMNS) return
    this.isMade[id] = 1
    this.owners[id]?.leaseMade(this.server.make(id))
  }

  /** Makes the Leases of all last renewals. */
  makeAll(): void {
    for (const id of this.byName.values()) this.make(id)
  }

  /** Ends a stay. Does nothing if it has ended. */
  leave(id: number): void {
    const owner = this.owners[id]
    if (owner === undefined || this.state[id] !== IN_COLUMNS) return
    this.make(id)
    this.state[id] = LEFT
    this.byName.delete(owner.name)
    this.server.release(id)
    owner.left(this.seed[id] as number)
    for (const follower of this.followers) follower.left(id, owner.name)
  }

  leaveAll(): void {
    for (const id of [...this.byName.values()]) this.leave(id)
  }

  /** Ends all stays for good: somebody has come who needs an event of every renewal. */
  block(): void {
    this.isBlocked = true
    this.leaveAll()
  }

  /** Adds a follower, which learns of the present stays first; returns a function that removes it. */
  follow(follower: RenewalFollower): () => void {
    this.followers.add(follower)
    for (const [name, id] of this.byName) follower.entered(id, name)
    return () => {
      if (!this.followers.delete(follower)) return
      for (const [name, id] of this.byName) follower.left(id, name)
    }
  }

  private grow(): void {
    const size = this.state.length * 2
    this.renewedMs = grown(this.renewedMs, new Float64Array(size))
    this.revision = grown(this.revision, new Float64Array(size))
    this.isMade = grown(this.isMade, new Uint8Array(size))
    this.intervalMs = grown(this.intervalMs, new Float64Array(size))
    this.jitterMs = grown(this.jitterMs, new Float64Array(size))
    this.seed = grown(this.seed, new Int32Array(size))
    this.state = grown(this.state, new Uint8Array(size))
  }
}
