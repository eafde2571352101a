import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"

/** Expectations that are not met after this time are ignored: the informer must have missed an event. */
const TIMEOUT_MS = 300_000

interface Expected {
  creations: number
  readonly deletions: Set<string>
  readonly sinceMs: number
}

/**
 * The creations and deletions that a controller has requested and not observed yet, by the key of the set. While there
 * are any, the cache is stale, and a controller that acted on it would create or delete twice. Upstream:
 * pkg/controller/controller_utils.go UIDTrackingControllerExpectations.
 */
export class Expectations {
  private readonly bySet = new Map<string, Expected>()

  expectCreations(key: string, count: number, nowMs: number): void {
    this.bySet.set(key, { creations: count, deletions: new Set(), sinceMs: nowMs })
  }

  expectDeletions(key: string, pods: ReadonlyArray<string>, nowMs: number): void {
    this.bySet.set(key, { creations: 0, deletions: new Set(pods), sinceMs: nowMs })
  }

  /** Expects the creations and deletions of one sync; replaces earlier expectations, as the methods above do. */
  expect(key: string, creations: number, deletions: ReadonlyArray<string>, nowMs: number): void {
    this.bySet.set(key, { creations, deletions: new Set(deletions), sinceMs: nowMs })
  }

  creationObserved(key: string, count = 1): void {
    const expected = this.bySet.get(key)
    if (expected !== undefined) expected.creations -= count
  }

  deletionObserved(key: string, pod: string): void {
    this.bySet.get(key)?.deletions.delete(pod)
  }

  /** Whether all expected events were observed, or too much time has passed: then the controller may act on the set. */
  satisfied(key: string, nowMs: number): boolean {
    const expected = this.bySet.get(key)
    if (expected === undefined || nowMs - expected.sinceMs > TIMEOUT_MS) return true
    return expected.creations <= 0 && expected.deletions.size === 0
  }

  /**
   * Runs a sync of a set. If it throws, it may not have sent the requests that it expects, so the set's expectations
   * are dropped.
   */
  runSync<A, E, R>(key: string, sync: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.onError(sync, (cause) => (Cause.hasDies(cause) ? Effect.sync(() => this.forget(key)) : Effect.void))
  }

  forget(key: string): void {
    this.bySet.delete(key)
  }
}
