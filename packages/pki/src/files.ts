import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { makeFolder, readRegularText } from "@rollcall/files"
import { PkiError } from "./PkiError.ts"

/* File access in plain code. All functions throw `PkiError`, which `openPki` turns into a typed failure. */

/** The largest file to read, far above the size of any certificate or key made here. */
const MAX_BYTES = 4 << 20

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Makes the folder, readable by its owner only. An existing folder keeps its mode. */
export const makeOwnFolder = (folder: string): void => {
  try {
    makeFolder(folder, 0o700)
  } catch (cause) {
    throw new PkiError({ file: folder, message: `cannot make the folder ${folder}: ${reasonOf(cause)}` })
  }
}

/** Reads a file, undefined when there is none. A file that other users can read is first set to mode 0600. */
export const readOwn = (file: string): string | undefined => {
  if (!existsSync(file)) return undefined
  try {
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
    return readRegularText(file, MAX_BYTES)
  } catch (cause) {
    throw new PkiError({ file, message: `cannot read ${file}: ${reasonOf(cause)}` })
  }
}

/** Opens a file or folder, runs `act`, and flushes the result to disk (fsync) before it returns. */
const writeSynced = (path: string, flags: "wx" | "r", act: (descriptor: number) => void): void => {
  const descriptor = openSync(path, flags, 0o600)
  try {
    act(descriptor)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Writes a file atomically, readable by its owner only: a crash leaves the old text or the new one. The new name is on disk
 * only after `syncFolder`; file systems with a journal keep the order of several.
 */
export const writeOwn = (file: string, text: string): void => {
  const temporaryFile = `${file}.new`
  try {
    rmSync(temporaryFile, { force: true })
    writeSynced(temporaryFile, "wx", (descriptor) => writeFileSync(descriptor, text))
    renameSync(temporaryFile, file)
  } catch (cause) {
    rmSync(temporaryFile, { force: true })
    throw new PkiError({ file, message: `cannot write ${file}: ${reasonOf(cause)}` })
  }
}

/** Flushes the names of the files of a folder to disk. */
export const syncFolder = (folder: string): void => {
  try {
    writeSynced(folder, "r", () => {})
  } catch (cause) {
    throw new PkiError({ file: folder, message: `cannot write ${folder}: ${reasonOf(cause)}` })
  }
}
