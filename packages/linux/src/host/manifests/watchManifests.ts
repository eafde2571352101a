import { type FSWatcher, statSync, watch } from "node:fs"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { type ManifestReading, readManifests } from "./readManifests.ts"

/** Time for a writer to finish a file that it writes in pieces. */
const SETTLE_TIME = "50 millis"

/** Watches a folder, or the folder of a file: the replacement of a file is only seen from its folder. */
const watchFolder = (path: string, changed: () => void): FSWatcher | undefined => {
  try {
    const folder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
    const watcher = watch(folder ? path : dirname(path), changed)
    return watcher.on("error", () => watcher.close())
  } catch {
    // The path does not exist. The next check tries again.
    return undefined
  }
}

/** Keeps the last pods of a file that is broken now: it may still be being written. */
const keepPodsOfBrokenFiles = (next: ManifestReading, last: ManifestReading): ManifestReading => {
  const broken = new Set(next.problems.map(({ source }) => source))
  const kept = last.manifests.filter(({ source }) => broken.has(source))
  if (kept.length === 0) return next
  return { ...next, manifests: [...next.manifests, ...kept].sort((a, b) => (a.source < b.source ? -1 : 1)) }
}

/**
 * The manifests of a folder, or the single manifest of a file: emits at once, then on each change. Changes are
 * watched, and polled every `checkEveryMs` (`fileCheckFrequency`, 20 s). A file that breaks keeps its pod until the
 * next poll. Upstream: pkg/kubelet/config/file.go, file_linux.go.
 */
export const watchManifests = (path: string, checkEveryMs: number): Stream.Stream<ManifestReading> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const changes = yield* Queue.sliding<void>(1)
      let watcher: FSWatcher | undefined
      let last: ManifestReading | undefined
      yield* Effect.addFinalizer(() => Effect.sync(() => watcher?.close()))

      // Watches before reading, so that no change between the two is missed.
      const readAndWatch = Effect.sync(() => {
        watcher?.close()
        watcher = watchFolder(path, () => Queue.offerUnsafe(changes, undefined))
        return readManifests(path)
      })
      const readAfterChange = (before: ManifestReading) =>
        Effect.gen(function* () {
          yield* Effect.sleep(SETTLE_TIME)
          yield* Queue.clear(changes)
          return keepPodsOfBrokenFiles(readManifests(path), before)
        })
      const nextReading = (before: ManifestReading) =>
        Queue.take(changes).pipe(
          Effect.timeoutOption(checkEveryMs),
          Effect.flatMap(Option.match({ onNone: () => readAndWatch, onSome: () => readAfterChange(before) })),
          Effect.repeat({ until: (next) => !Equal.equals(next, before) })
        )
      const next = Effect.suspend(() => (last === undefined ? readAndWatch : nextReading(last)))
      return Stream.fromEffectRepeat(
        Effect.tap(next, (reading) =>
          Effect.sync(() => {
            last = reading
          })
        )
      )
    })
  )
