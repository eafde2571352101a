import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"

/** Expectations that were not met by then are given up: the informer must have missed something. */
const TIMEOUT_MS = 300_000

interface Expected {
  creations: number
  readonly deletions: Set<string>
  readonly since: number
}

/**
 * What a controller has asked for and not seen yet, by the key of its set: until then its picture of the set is old, and acting
 * on it would create or delete twice. Upstream: pkg/controller/controller_utils.go UIDTrackingControllerExpectations.
 */
export class Expectations {
  private readonly bySet = new Map<string, Expected>()

  expectCreations(key: string, count: number, nowMs: number): void {
    this.bySet.set(key, { creations: count, deletions: new Set(), since: nowMs })
  }

  expectDeletions(key: string, pods: ReadonlyArray<string>, nowMs: number): void {
    this.bySet.set(key, { creations: 0, deletions: new Set(pods), since: nowMs })
  }

  /** Of a round that does both. */
  expect(key: string, creations: number, deletions: ReadonlyArray<string>, nowMs: number): void {
    this.bySet.set(key, { creations, deletions: new Set(deletions), since: nowMs })
  }

  creationObserved(key: string, count = 1): void {
    const expected = this.bySet.get(key)
    if (expected !== undefined) expected.creations -= count
  }

  deletionObserved(key: string, pod: string): void {
    this.bySet.get(key)?.deletions.delete(pod)
  }

  /** True if the set may be acted on. */
  satisfied(key: string, nowMs: number): boolean {
    const expected = this.bySet.get(key)
    if (expected === undefined || nowMs - expected.since > TIMEOUT_MS) return true
    return expected.creations <= 0 && expected.deletions.size === 0
  }

  /** A sync that dies may not have asked for what it set out to do: then nothing is expected, and the next one acts. */
  forgottenOnDefect<A, E, R>(key: string, sync: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.onError(sync, (cause) => (Cause.hasDies(cause) ? Effect.sync(() => this.forget(key)) : Effect.void))
  }

  forget(key: string): void {
    this.bySet.delete(key)
  }
}
