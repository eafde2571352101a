import type { KubeObject } from "@rollcall/api"
import { grown, type NumberedTimers, type RngState, type TimersShape } from "@rollcall/time"

/** The last heartbeat in the columns, and the next one that its numbered timer is planned for. */
export interface LastHeartbeat {
  readonly timeMs: number
  /** The state of the generator of the jitter when the next one was planned, and after that. */
  readonly seed: RngState
  readonly nextMs: number
  readonly nextSeed: RngState
}

/** What sends a node's heartbeats: it hands them over to the columns, and takes them back when it must. */
export interface HeartbeatOwner {
  /** The name of the node. */
  readonly name: string
  /** The object as the API server last returned it. */
  readonly object: KubeObject
  /** Receives the object of the last heartbeat, when it is made. */
  readonly made: (object: KubeObject) => void
  /** Takes the heartbeats back; the next one comes by `fire`, when the columns would have made it. */
  readonly left: (last: LastHeartbeat) => void
  readonly fire: () => void
}

/** What the API server does for the columns. */
export interface HeartbeatServer {
  /** Stores a heartbeat without its object, and returns its revision. */
  readonly write: (id: number, nowMs: number) => number
  /** Makes the object of the last heartbeat, and shows it to its owner, to readers and to watches, in this order. */
  readonly make: (id: number) => void
  /** Returns the object as it was written by a heartbeat. */
  readonly valueOf: (id: number, revision: number, timeMs: number) => KubeObject
  /** Makes all objects that the histories still have of this id, if any, which then stands for another object. */
  readonly release: (id: number, hasHistory: boolean) => void
}

/** Learns whose heartbeats are in the columns. */
export interface HeartbeatFollower {
  readonly entered: (id: number, name: string) => void
  readonly left: (id: number, name: string) => void
}

/** An object's stay in the columns. */
export interface HeartbeatStay {
  /** Makes the object of the last heartbeat. */
  readonly make: () => void
  /** Takes the heartbeats out of the columns. Call it before anything changes that a heartbeat depends on. */
  readonly leave: () => void
  /** As `leave`, and without a next heartbeat. */
  readonly cancel: () => void
}

// The flags of a row.
const IN_COLUMNS = 1
/** It has left, and its numbered timer still has to fire. */
const LEFT = 2
/** The stored object shows the last heartbeat. */
const MADE = 4
/** It is in the list that `makeAll` goes through. */
const LISTED = 8
/** There was a heartbeat since it entered. */
const HAS_HISTORY = 16

export const INITIAL_SIZE = 64

/**
 * Objects of healthy nodes of which only heartbeats change, as columns: one row of numbers for each. A heartbeat writes a
 * few numbers where it otherwise makes and delivers an object: it still has its timer, its random number, its time and
 * its revision. The object is made when it is read. docs/reference/columns.md lists the columns, who writes them, and
 * when an object enters and leaves.
 */
export abstract class HeartbeatColumns {
  /** When the last heartbeat was. */
  heartbeatMs = new Float64Array(INITIAL_SIZE)
  /** The revision of that heartbeat. */
  revision = new Float64Array(INITIAL_SIZE)
  private flags = new Uint8Array(INITIAL_SIZE)
  /** Of each row the state of the generator of the jitter when the last heartbeat was, and when the next one is. */
  protected seeds = new Int32Array(INITIAL_SIZE * 2)
  private readonly owners: Array<HeartbeatOwner | undefined> = []
  private readonly freeIds: Array<number> = []
  private readonly byName = new Map<string, number>()
  /** The rows whose object is not made, and perhaps some others, from `unmadeFrom` on. */
  private readonly unmade: Array<number> = []
  private unmadeFrom = 0
  private readonly followers = new Set<HeartbeatFollower>()
  private readonly server: HeartbeatServer
  private readonly timers: NumberedTimers
  private isBlocked = false

  /** `usualMs` is longer than the times between heartbeats usually are. */
  constructor(server: HeartbeatServer, numbered: NonNullable<TimersShape["numbered"]>, usualMs?: number) {
    this.server = server
    this.timers = numbered((id, nowMs) => this.fire(id, nowMs), usualMs)
  }

  /** Returns when the heartbeat after one that was now comes, and sets the second of the row's `seeds`. */
  protected abstract next(id: number, nowMs: number): number

  get size(): number {
    return this.byName.size
  }

  /** Returns the row of a node's object, or undefined if its heartbeats are not in the columns. */
  idOf(name: string): number | undefined {
    return this.byName.get(name)
  }

  /** Returns the owner of a row that is in the columns. */
  ownerOf(id: number): HeartbeatOwner {
    return this.owners[id] as HeartbeatOwner
  }

  /**
   * Takes over the heartbeats of an object whose last one was at `lastMs`, with this revision; `setRow` sets what else
   * belongs to the row, and returns when the next heartbeat is. Returns undefined if it does not.
   */
  protected enterRow(
    owner: HeartbeatOwner,
    seed: RngState,
    lastMs: number,
    revision: number,
    setRow: (id: number) => number
  ): HeartbeatStay | undefined {
    if (this.isBlocked || this.byName.has(owner.name)) return undefined
    const id = this.freeIds.pop() ?? this.owners.length
    if (id >= this.flags.length) this.grow(this.flags.length * 2)
    this.owners[id] = owner
    this.heartbeatMs[id] = lastMs
    this.revision[id] = revision
    this.seeds[id * 2] = seed
    this.flags[id] = IN_COLUMNS | MADE | ((this.flags[id] as number) & LISTED)
    this.byName.set(owner.name, id)
    this.timers.plan(id, setRow(id))
    for (const follower of this.followers) follower.entered(id, owner.name)
    return {
      make: () => {
        if (this.owners[id] === owner) this.make(id)
      },
      leave: () => {
        if (this.owners[id] === owner) this.leave(id)
      },
      cancel: () => {
        if (this.owners[id] !== owner) return
        this.leave(id)
        this.timers.cancel(id)
        this.free(id)
      }
    }
  }

  private free(id: number): void {
    this.owners[id] = undefined
    this.flags[id] = (this.flags[id] as number) & LISTED
    this.freeIds.push(id)
  }

  private fire(id: number, nowMs: number): void {
    const flags = this.flags[id] as number
    if ((flags & IN_COLUMNS) === 0) {
      const owner = this.owners[id]
      this.free(id)
      owner?.fire()
      return
    }
    this.revision[id] = this.server.write(id, nowMs)
    this.heartbeatMs[id] = nowMs
    this.seeds[id * 2] = this.seeds[id * 2 + 1] as number
    this.flags[id] = (flags & ~MADE) | LISTED | HAS_HISTORY
    if ((flags & LISTED) === 0) this.unmade.push(id)
    this.timers.plan(id, this.next(id, nowMs))
  }

  /** Makes the object of the last heartbeat, if it has not been made. */
  make(id: number): void {
    const flags = this.flags[id] as number
    if ((flags & (MADE | IN_COLUMNS)) !== IN_COLUMNS) return
    this.flags[id] = flags | MADE
    this.server.make(id)
  }

  /** Makes the object of a node, if its last heartbeat is in the columns. */
  makeOf(name: string): void {
    const id = this.byName.get(name)
    if (id !== undefined) this.make(id)
  }

  /** Makes the objects of all last heartbeats. */
  makeAll(): void {
    // What is made may be read by a handler, which has the rest made.
    while (this.unmadeFrom < this.unmade.length) {
      const id = this.unmade[this.unmadeFrom++] as number
      this.flags[id] = (this.flags[id] as number) & ~LISTED
      this.make(id)
    }
    this.unmade.length = 0
    this.unmadeFrom = 0
  }

  /** Returns the object of a heartbeat of a row in the columns; that of the last one is made. */
  valueAt(id: number, revision: number, timeMs: number): KubeObject {
    if (this.revision[id] === revision) this.make(id)
    return this.server.valueOf(id, revision, timeMs)
  }

  /** Ends a stay. Does nothing if it has ended. */
  leave(id: number): void {
    const owner = this.owners[id]
    if (owner === undefined || ((this.flags[id] as number) & IN_COLUMNS) === 0) return
    this.make(id)
    const flags = this.flags[id] as number
    this.flags[id] = (flags & ~IN_COLUMNS) | LEFT
    this.byName.delete(owner.name)
    this.server.release(id, (flags & HAS_HISTORY) !== 0)
    owner.left({
      timeMs: this.heartbeatMs[id] as number,
      seed: this.seeds[id * 2] as number,
      nextMs: this.timers.timeOf(id),
      nextSeed: this.seeds[id * 2 + 1] as number
    })
    for (const follower of this.followers) follower.left(id, owner.name)
  }

  leaveAll(): void {
    for (const id of [...this.byName.values()]) this.leave(id)
  }

  /** Ends all stays for good: somebody has come who needs an event of every heartbeat. */
  block(): void {
    this.isBlocked = true
    this.leaveAll()
  }

  /** Adds a follower, which learns of the present stays first; returns a function that removes it. */
  follow(follower: HeartbeatFollower): () => void {
    this.followers.add(follower)
    for (const [name, id] of this.byName) follower.entered(id, name)
    return () => {
      if (!this.followers.delete(follower)) return
      for (const [name, id] of this.byName) follower.left(id, name)
    }
  }

  protected grow(size: number): void {
    this.heartbeatMs = grown(this.heartbeatMs, new Float64Array(size))
    this.revision = grown(this.revision, new Float64Array(size))
    this.flags = grown(this.flags, new Uint8Array(size))
    this.seeds = grown(this.seeds, new Int32Array(size * 2))
  }
}
