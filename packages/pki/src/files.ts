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
import { dirname } from "node:path"
import { makeFolder, readRegularText } from "@rollcall/files"
import { PkiError } from "./PkiError.ts"

/** Plain code that throws `PkiError`: `openPki` makes a typed failure of it. */

/** More than any certificate or key that is made here. */
const MAX_BYTES = 4 << 20

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Makes the folder, readable by its owner only. One that is there keeps its mode. */
export const makeOwnFolder = (folder: string): void => {
  try {
    makeFolder(folder, 0o700)
  } catch (cause) {
    throw new PkiError({ file: folder, message: `cannot make the folder ${folder}: ${reasonOf(cause)}` })
  }
}

/** The text of a file, undefined when there is none. What only its owner may read is made so. */
export const readOwn = (file: string): string | undefined => {
  if (!existsSync(file)) return undefined
  try {
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
    return readRegularText(file, MAX_BYTES)
  } catch (cause) {
    throw new PkiError({ file, message: `cannot read ${file}: ${reasonOf(cause)}` })
  }
}

/** What is done to a file, or to a folder's names, is on the disk when this returns. */
const onDisk = (path: string, flags: "wx" | "r", act: (descriptor: number) => void): void => {
  const descriptor = openSync(path, flags, 0o600)
  try {
    act(descriptor)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Writes a file in one step, readable by its owner only: a crash leaves the old text or the new one, never half of it. */
export const writeOwn = (file: string, text: string): void => {
  const draft = `${file}.new`
  try {
    rmSync(draft, { force: true })
    onDisk(draft, "wx", (descriptor) => writeFileSync(descriptor, text))
    renameSync(draft, file)
    onDisk(dirname(file), "r", () => {})
  } catch (cause) {
    rmSync(draft, { force: true })
    throw new PkiError({ file, message: `cannot write ${file}: ${reasonOf(cause)}` })
  }
}
