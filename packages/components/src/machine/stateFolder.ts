import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { invalid } from "@rollcall/simulator/input"
import type { Checkpoint } from "@rollcall/topology"
import * as Effect from "effect/Effect"

const isMissing = (error: unknown): boolean => (error as { readonly code?: string }).code === "ENOENT"

/** Files in a kubelet's folder, each written whole or not at all. */
const checkpointsIn = (folder: string): Checkpoint => ({
  directory: folder,
  read: (name) => {
    try {
      return readFileSync(join(folder, name), "utf8")
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  },
  write: (name, text) => {
    const file = join(folder, name)
    writeFileSync(`${file}.tmp`, text)
    renameSync(`${file}.tmp`, file)
  }
})

/** The folder in which a kubelet keeps what outlives it, made if it is not there. */
export const stateFolder = (folder: string) =>
  Effect.try({
    try: () => {
      mkdirSync(folder, { recursive: true, mode: 0o750 })
      return checkpointsIn(folder)
    },
    catch: (error) =>
      invalid(
        "command line",
        "--root-dir",
        `${folder} cannot be made: ${error instanceof Error ? error.message : String(error)}; name a folder that can be written`
      )
  })
