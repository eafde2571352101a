import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Endpoints } from "./Endpoints.ts"
import type { Failure } from "./errors.ts"

/* How long and for how many keys a lease is used again. Upstream: storage/etcd3/lease_manager.go. */
const MAX_REUSE_MS = 60_000
const REUSE_RATIO = 0.05
const MAX_KEYS = 1000

interface Granted {
  readonly id: bigint
  readonly expiresMs: number
  keys: number
}

/** Grants the leases of keys that etcd deletes after a time. Keys that are written within a minute share one. */
export class Leases {
  private readonly endpoints: Endpoints
  private readonly timeoutMs: number
  private readonly turn = Semaphore.makeUnsafe(1)
  private last: Granted | undefined

  constructor(endpoints: Endpoints, timeoutMs: number) {
    this.endpoints = endpoints
    this.timeoutMs = timeoutMs
  }

  /** Returns the id of a lease that lasts at least this long. */
  readonly lasting = (ttlMs: number): Effect.Effect<bigint, Failure> =>
    this.turn.withPermits(1)(Effect.suspend(() => this.find(ttlMs)))

  /** Grants a new lease next time: etcd does not know the last one. */
  forget(): void {
    this.last = undefined
  }

  private readonly find = Effect.fnUntraced({ self: this }, function* (this: Leases, ttlMs: number) {
    const nowMs = yield* Clock.currentTimeMillis
    const reuseMs = Math.min(MAX_REUSE_MS, ttlMs * REUSE_RATIO)
    const { last } = this
    const lasts = last !== undefined && last.expiresMs >= nowMs + ttlMs && last.expiresMs <= nowMs + ttlMs + reuseMs
    if (last !== undefined && lasts && last.keys < MAX_KEYS) {
      last.keys++
      return last.id
    }
    const seconds = Math.max(1, Math.ceil((ttlMs + reuseMs) / 1000))
    const { ID } = yield* this.endpoints.ask({
      timeoutMs: this.timeoutMs,
      isRepeatable: true,
      send: ({ leaseGrant }, options) => leaseGrant({ TTL: BigInt(seconds) }, options)
    })
    this.last = { id: ID, expiresMs: nowMs + seconds * 1000, keys: 1 }
    return ID
  })
}
