import { spawnSync } from "node:child_process"
import { existsSync, realpathSync } from "node:fs"
import { homedir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"

/** The version that the cases were recorded with. */
export const RECORDED = "v1.32."

export interface Kubectl {
  readonly path: string
  /** The version that it reports: `v1.32.4`; "unknown" if it reports none. */
  readonly version: string
  readonly isRecorded: boolean
}

const ask = (path: string): Kubectl => {
  const { stdout } = spawnSync(path, ["version", "--client"], { encoding: "utf8" })
  const version = /Client Version:.*?(v\d+\.\d+\.[\w.+-]+)/.exec(stdout ?? "")?.[1] ?? "unknown"
  return { path, version, isRecorded: version.startsWith(RECORDED) }
}

/**
 * Returns the kubectl to run cases with: the named one, else one of the recorded version (on PATH, beside a dispatcher on
 * PATH, or in the user's cache folder), else the first on PATH.
 */
export const findKubectl = Effect.fnUntraced(function* (named: string) {
  if (named !== "") return existsSync(named) ? ask(realpathSync(named)) : undefined
  const path = yield* Config.String("PATH").pipe(Config.withDefault("/usr/bin:/bin"))
  const onPath = path
    .split(delimiter)
    .map((folder) => join(folder, "kubectl"))
    .filter((file) => existsSync(file))
    .map((file) => realpathSync(file))
  const candidates = onPath.flatMap((file) => [join(dirname(file), "kubectl.1.32"), file])
  candidates.push(join(homedir(), ".cache", "rollcall", "kubectl.1.32"))
  const found = [...new Set(candidates)].filter((file) => existsSync(file)).map(ask)
  return found.find(({ isRecorded }) => isRecorded) ?? found.find(({ path: file }) => onPath.includes(file))
})
