import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { InhibitorError } from "@rollcall/shutdown"
import * as Effect from "effect/Effect"

const FOLDER = "/etc/systemd/logind.conf.d"
const FILE = "99-kubelet.conf"

export const overrideText = (seconds: number): string =>
  `# Kubelet logind override\n[Login]\nInhibitDelayMaxSec=${seconds.toFixed(0)}\n`

const attempt = (failure: string, act: () => unknown): Effect.Effect<void, InhibitorError> =>
  Effect.try({
    try: act,
    catch: (cause) =>
      new InhibitorError({ message: `${failure}: ${cause instanceof Error ? cause.message : String(cause)}` })
  })

/** Writes the file that asks logind for a longer delay, below `root`. It is never taken away. Upstream: OverrideInhibitDelay. */
export const writeOverride = (root: string, seconds: number): Effect.Effect<void, InhibitorError> => {
  const folder = join(root, FOLDER)
  const file = join(folder, FILE)
  return Effect.andThen(
    attempt(`failed creating ${folder} directory`, () => mkdirSync(folder, { recursive: true, mode: 0o755 })),
    attempt(`failed writing logind shutdown inhibit override file ${file}`, () =>
      writeFileSync(file, overrideText(seconds), { mode: 0o644 })
    )
  )
}
