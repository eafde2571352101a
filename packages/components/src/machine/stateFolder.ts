import { renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeFolder, readRegularText, TextFileError } from "@rollcall/files"
import { invalid } from "@rollcall/input"
import type { Checkpoint } from "@rollcall/topology"
import * as Effect from "effect/Effect"

/** The largest checkpoint: a hundred times the CPU and memory assignments of the largest nodes. */
const MAX_CHECKPOINT_BYTES = 64 << 20

const isMissing = (error: unknown): boolean => error instanceof TextFileError && error.reason === "missing"

/** Stores checkpoints as files in a kubelet's folder, each written atomically. */
const checkpointsIn = (folder: string): Checkpoint => ({
  directory: folder,
  read: (name) => {
    try {
      return readRegularText(join(folder, name), MAX_CHECKPOINT_BYTES)
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

/** Opens the folder for a kubelet's persistent state, and creates it if necessary. */
export const stateFolder = (folder: string) =>
  Effect.try({
    try: () => {
      makeFolder(folder, 0o750)
      return checkpointsIn(folder)
    },
    catch: (error) =>
      invalid(
        "command line",
        "--root-dir",
        `${folder} cannot be made: ${error instanceof Error ? error.message : String(error)}; name a folder that can be written`
      )
  })
