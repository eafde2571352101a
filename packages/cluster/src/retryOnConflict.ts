import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { type ClusterError, isConflict } from "./ClusterError.ts"

/** The number of attempts, and the pauses between them. Upstream: apimachinery/pkg/util/wait/backoff.go Backoff. */
export interface ConflictBackoff {
  /** Attempts in all. */
  readonly steps: number
  /** The pause after the first attempt. */
  readonly durationMs: number
  /** The factor from one pause to the next. */
  readonly factor: number
  /** The largest random extension of a pause, as a fraction of it. */
  readonly jitter: number
}

/** The back-off for several clients that change the same object. Upstream: client-go/util/retry DefaultRetry. */
export const defaultRetry: ConflictBackoff = { steps: 5, durationMs: 10, factor: 1, jitter: 0.1 }

/** The back-off for a change to an object that controllers write as well. Upstream: client-go/util/retry DefaultBackoff. */
export const defaultBackoff: ConflictBackoff = { steps: 4, durationMs: 10, factor: 5, jitter: 0.1 }

/**
 * Attempts a write until the server answers anything but Conflict, at most `steps` times; fails with the last Conflict.
 * `attempt` receives the number of earlier attempts. From the second attempt on it must read the object again.
 * Upstream: client-go/util/retry RetryOnConflict.
 */
export const retryOnConflict = <A, R>(
  backoff: ConflictBackoff,
  attempt: (before: number) => Effect.Effect<A, ClusterError, R>
): Effect.Effect<A, ClusterError, R> => {
  const attemptFrom = (before: number): Effect.Effect<A, ClusterError, R> =>
    Effect.catchIf(
      attempt(before),
      (error) => isConflict(error) && before + 1 < backoff.steps,
      () =>
        Random.next.pipe(
          Effect.flatMap((drawn) =>
            Effect.sleep(backoff.durationMs * backoff.factor ** before * (1 + backoff.jitter * drawn))
          ),
          Effect.andThen(attemptFrom(before + 1))
        )
    )
  return Effect.suspend(() => attemptFrom(0))
}
