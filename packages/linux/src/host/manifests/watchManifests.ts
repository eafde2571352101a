import { type FSWatcher, statSync, watch } from "node:fs"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { type ManifestReading, readManifests } from "./readManifests.ts"

/** Who writes a file in pieces is given this time to come to its end. */
const SETTLE = "50 millis"

/** Tells of changes in a folder, or beside a file: one that is replaced is seen from its folder only. */
const listen = (path: string, changed: () => void): FSWatcher | undefined => {
  try {
    const folder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
    const watcher = watch(folder ? path : dirname(path), changed)
    return watcher.on("error", () => watcher.close())
  } catch {
    // Nothing is there to listen at. The next check tries again.
    return undefined
  }
}

/** What the last reading had from a file that is broken now: perhaps it is still being written. */
const withLast = (next: ManifestReading, last: ManifestReading): ManifestReading => {
  const broken = new Set(next.problems.map(({ source }) => source))
  const kept = last.manifests.filter(({ source }) => broken.has(source))
  if (kept.length === 0) return next
  return { ...next, manifests: [...next.manifests, ...kept].sort((a, b) => (a.source < b.source ? -1 : 1)) }
}

/**
 * The manifests of a folder, or the one in a file: at once, and then whenever they are others. Changes are heard of as they happen,
 * and looked for every `checkEveryMs` (`fileCheckFrequency`, 20 s). A file that breaks keeps its pod until that look.
 * Upstream: pkg/kubelet/config/file.go, file_linux.go.
 */
export const watchManifests = (path: string, checkEveryMs: number): Stream.Stream<ManifestReading> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const changes = yield* Queue.sliding<void>(1)
      let watcher: FSWatcher | undefined
      let last: ManifestReading | undefined
      yield* Effect.addFinalizer(() => Effect.sync(() => watcher?.close()))

      // Listens before it reads: nothing may change unheard between the two.
      const look = Effect.sync(() => {
        watcher?.close()
        watcher = listen(path, () => Queue.offerUnsafe(changes, undefined))
        return readManifests(path)
      })
      const heard = (before: ManifestReading) =>
        Effect.gen(function* () {
          yield* Effect.sleep(SETTLE)
          yield* Queue.clear(changes)
          return withLast(readManifests(path), before)
        })
      const following = (before: ManifestReading) =>
        Queue.take(changes).pipe(
          Effect.timeoutOption(checkEveryMs),
          Effect.flatMap(Option.match({ onNone: () => look, onSome: () => heard(before) })),
          Effect.repeat({ until: (next) => !Equal.equals(next, before) })
        )
      const next = Effect.suspend(() => (last === undefined ? look : following(last)))
      return Stream.fromEffectRepeat(
        Effect.tap(next, (reading) =>
          Effect.sync(() => {
            last = reading
          })
        )
      )
    })
  )
