import { formatDuration } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { InhibitorError, type InhibitorSession, type ShutdownInhibitor } from "../ports/ShutdownInhibitor.ts"

/**
 * How often the delay is read after an override, and the first pause between the reads, which is doubled each time.
 * Upstream: pkg/kubelet/nodeshutdown/nodeshutdown_manager_linux.go start, its exponential back-off.
 */
const MAX_READS = 5
const FIRST_PAUSE_MS = 100

/** Waits until logind allows the delay: it reloads its configuration some time after it was signalled. */
const awaitDelay = Effect.fnUntraced(function* (session: InhibitorSession, neededMs: number) {
  let delayMs = 0
  for (let read = 0; read < MAX_READS; read++) {
    if (read > 0) yield* Effect.sleep(FIRST_PAUSE_MS * 2 ** (read - 1))
    delayMs = yield* session.inhibitDelayMs
    if (delayMs >= neededMs) return
  }
  return yield* new InhibitorError({
    message:
      `node shutdown manager was timed out after ${MAX_READS} attempts waiting for logind InhibitDelayMaxSec to update to ` +
      `${formatDuration(neededMs)} (ShutdownGracePeriod), current value is ${formatDuration(delayMs)}`
  })
})

/** Holds the manager's delay lock, of which it has at most one. */
export interface LockHolder {
  /** Takes a lock over this session, and then releases the previous one. */
  readonly take: (session: InhibitorSession) => Effect.Effect<void, InhibitorError>
  /** Releases the lock, if one is held. */
  readonly release: Effect.Effect<void>
}

/** Makes a holder without a lock. */
export const makeLockHolder = (): LockHolder => {
  let heldLock: Effect.Effect<void> | undefined
  const release = Effect.suspend(() => {
    const lock = heldLock ?? Effect.void
    heldLock = undefined
    return lock
  })
  return {
    take: (session) =>
      Effect.flatMap(session.inhibit, (lock) => {
        const previous = heldLock ?? Effect.void
        heldLock = lock
        return previous
      }),
    release
  }
}

/**
 * Connects to the inhibitor, makes sure that it allows a delay of `neededSeconds`, takes the lock, and subscribes to
 * the signal. Fails with upstream's messages. Upstream: pkg/kubelet/nodeshutdown/nodeshutdown_manager_linux.go start.
 */
export const openSession = Effect.fnUntraced(function* (
  inhibitor: ShutdownInhibitor["Service"],
  lock: LockHolder,
  neededSeconds: number
) {
  const session = yield* inhibitor.connect
  const delayMs = yield* session.inhibitDelayMs
  const neededMs = neededSeconds * 1000
  if (neededMs > delayMs) {
    yield* session
      .overrideInhibitDelay(neededSeconds)
      .pipe(
        Effect.mapError(
          ({ message }) =>
            new InhibitorError({ message: `unable to override inhibit delay by shutdown manager: ${message}` })
        )
      )
    yield* awaitDelay(session, neededMs)
  }
  yield* lock.take(session)
  const signals = yield* session.prepareForShutdown.pipe(
    Effect.mapError(({ message }) => new InhibitorError({ message: `failed to monitor shutdown: ${message}` })),
    Effect.onError(() => lock.release)
  )
  return { session, signals }
})
