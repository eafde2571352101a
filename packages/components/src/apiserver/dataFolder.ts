import { mkdtempSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { makeFolder } from "@rollcall/files"
import { type InvalidInput, invalid } from "@rollcall/input"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Host } from "../host/Host.ts"
import { protectFolder } from "./protectFolder.ts"

/** Returns why a folder cannot be made. The path itself exists only where it is no folder. */
const obstacleText = (cause: unknown): string => {
  const { code, message } = cause as NodeJS.ErrnoException
  return code === "EEXIST" ? "is a file, expected a folder" : message
}

/** Returns the folder of a cluster: the named one, created if necessary; otherwise a temporary one that the scope removes. */
export const dataFolder = (named: string): Effect.Effect<string, InvalidInput, Host | Scope.Scope> =>
  Effect.gen(function* () {
    const { temporaryFolder } = yield* Host
    if (named === "") {
      return yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(temporaryFolder, "rollcall-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
      )
    }
    const folder = resolve(named)
    yield* Effect.try({
      try: () => makeFolder(folder, 0o700),
      catch: (cause) => invalid("command line", "--data-dir", `${folder}: ${obstacleText(cause)}`)
    })
    yield* protectFolder(folder, process.geteuid?.())
    return folder
  })
