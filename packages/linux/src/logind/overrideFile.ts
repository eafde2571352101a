import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { makeFolder } from "@rollcall/files"
import { InhibitorError, logindOverrideFile, logindOverrideText } from "@rollcall/shutdown"
import * as Effect from "effect/Effect"

const attempt = (failure: string, act: () => unknown): Effect.Effect<void, InhibitorError> =>
  Effect.try({
    try: act,
    catch: (cause) =>
      new InhibitorError({ message: `${failure}: ${cause instanceof Error ? cause.message : String(cause)}` })
  })

/**
 * Writes the file that requests a longer delay from logind, below `root`. It is never removed.
 * Upstream: OverrideInhibitDelay.
 */
export const writeOverride = (root: string, seconds: number): Effect.Effect<void, InhibitorError> => {
  const file = join(root, logindOverrideFile)
  const folder = dirname(file)
  return Effect.andThen(
    attempt(`failed creating ${folder} directory`, () => makeFolder(folder, 0o755)),
    attempt(`failed writing logind shutdown inhibit override file ${file}`, () =>
      writeFileSync(file, logindOverrideText(seconds), { mode: 0o644 })
    )
  )
}
