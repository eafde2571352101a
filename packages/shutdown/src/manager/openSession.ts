import { formatDuration } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { InhibitorError, type InhibitorSession, type ShutdownInhibitor } from "../ports/ShutdownInhibitor.ts"

/** How often the delay is read after an override, and the first pause between the reads. */
const LOOKS = 5
const FIRST_PAUSE_MS = 100

/** logind reloads its configuration some time after it was signalled. */
const awaitDelay = Effect.fnUntraced(function* (session: InhibitorSession, neededMs: number) {
  let delayMs = 0
  for (let look = 0; look < LOOKS; look++) {
    if (look > 0) yield* Effect.sleep(FIRST_PAUSE_MS * 2 ** (look - 1))
    delayMs = yield* session.inhibitDelayMs
    if (delayMs >= neededMs) return
  }
  return yield* new InhibitorError({
    message:
      `node shutdown manager was timed out after ${LOOKS} attempts waiting for logind InhibitDelayMaxSec to update to ` +
      `${formatDuration(neededMs)} (ShutdownGracePeriod), current value is ${formatDuration(delayMs)}`
  })
})

/** Holds the manager's single lock. */
export interface LockHolder {
  /** Takes a lock with this session, then releases the previous one. */
  readonly take: (session: InhibitorSession) => Effect.Effect<void, InhibitorError>
  readonly release: Effect.Effect<void>
}

export const makeLockHolder = (): LockHolder => {
  let held: Effect.Effect<void> | undefined
  const release = Effect.suspend(() => {
    const lock = held ?? Effect.void
    held = undefined
    return lock
  })
  return {
    take: (session) =>
      Effect.flatMap(session.inhibit, (lock) => {
        const before = held ?? Effect.void
        held = lock
        return before
      }),
    release
  }
}

/**
 * Connects, makes sure that logind allows the seconds needed, takes the lock, and subscribes to the signal. Fails with
 * upstream's messages. Upstream: pkg/kubelet/nodeshutdown/nodeshutdown_manager_linux.go start.
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
