import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Ask, makeRequests } from "./Requests.ts"
import type { Target } from "./Target.ts"

/** The environment in which cases run against one server. */
export interface Workshop {
  readonly target: Target
  readonly ask: Ask
  /** The parent of the cases' folders. */
  readonly folder: string
  /** The path of kubectl; undefined if it is not installed. */
  readonly kubectl: string | undefined
  readonly environment: Readonly<Record<string, string>>
}

/** Creates a temporary folder; closing the scope removes it. */
export const temporaryFolder = (prefix: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), prefix))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

/** Opens an environment in which commands find the given kubectl by name, with a new home folder and without the user's settings. */
export const openWorkshop = Effect.fnUntraced(function* (target: Target, kubectl: string | undefined) {
  const folder = yield* temporaryFolder("transcripts-")
  const bin = join(folder, "bin")
  const path = yield* Config.String("PATH").pipe(Config.withDefault("/usr/bin:/bin"))
  mkdirSync(bin)
  if (kubectl !== undefined) symlinkSync(kubectl, join(bin, "kubectl"))
  const workshop: Workshop = {
    target,
    ask: yield* makeRequests(target),
    folder,
    kubectl: kubectl === undefined ? undefined : join(bin, "kubectl"),
    environment: {
      PATH: `${bin}:${path}`,
      HOME: folder,
      TZ: "UTC",
      LANG: "C",
      LC_ALL: "C",
      KUBECACHEDIR: join(folder, "cache"),
      TERM: "dumb"
    }
  }
  return workshop
})
