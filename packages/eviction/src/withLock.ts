import type * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { EvictionZone } from "./EvictionZones.ts"

/** The lock of each zone. Zones themselves are plain code, without Effect. */
const locks = new WeakMap<EvictionZone, Semaphore.Semaphore>()

/** Runs `act` while nothing else acts on a member of this zone or changes its rate. Upstream: limiterLock. */
export const withLock = <A, E, R>(zone: EvictionZone, act: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const lock = locks.get(zone) ?? Semaphore.makeUnsafe(1)
  locks.set(zone, lock)
  return lock.withPermit(act)
}
