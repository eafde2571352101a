import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { dirname, resolve } from "node:path"
import { readRegularText, TextFileError } from "@rollcall/files"
import { MAX_KUBECONFIG_BYTES } from "./limits.ts"

const MAX_LINKS = 40

/** Returns the target of symbolic links, existing or not: a rename onto a link would replace the link. */
export const linkTarget = (file: string): string => {
  let path = resolve(file)
  for (let links = 0; links < MAX_LINKS; links++) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return path
    path = resolve(dirname(path), readlinkSync(path))
  }
  throw new Error("too many symbolic links")
}

/**
 * Returns why the target of a path must not be replaced, because more than its text would be lost; undefined if it may
 * be replaced, or does not exist.
 */
export const replacementObstacle = (real: string, user: number | undefined): string | undefined => {
  const status = statSync(real, { throwIfNoEntry: false })
  if (status === undefined) return undefined
  if (!status.isFile()) return "is not a file: name another"
  if (user !== undefined && status.uid !== user) {
    return `belongs to another user (${status.uid}, not ${user}): it is not changed; name another file`
  }
  if (status.nlink > 1) return "has several names (hard links), which a new file would not have: it is not changed"
  if (status.size > MAX_KUBECONFIG_BYTES) return `is longer than ${MAX_KUBECONFIG_BYTES >> 20} MiB: it is no kubeconfig`
  return undefined
}

/** Reads a file; returns an empty text when it does not exist. */
export const presentText = (file: string): string => {
  try {
    return readRegularText(file, MAX_KUBECONFIG_BYTES)
  } catch (cause) {
    if (cause instanceof TextFileError && cause.reason === "missing") return ""
    throw cause
  }
}

/** Opens a file or folder, runs `act`, and flushes the result to disk (fsync) before it returns. */
const onDisk = (path: string, flags: "wx" | "r", act: (handle: number) => void): void => {
  const handle = openSync(path, flags, 0o600)
  try {
    act(handle)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Replaces a file atomically, readable by its owner only from the first byte. The caller holds the file's lock: the
 * temporary file has a fixed name.
 */
export const replaceFile = (real: string, text: string): void => {
  const draft = `${real}.draft`
  rmSync(draft, { force: true })
  try {
    onDisk(draft, "wx", (handle) => writeFileSync(handle, text))
    renameSync(draft, real)
    onDisk(dirname(real), "r", () => {})
  } catch (cause) {
    rmSync(draft, { force: true })
    throw cause
  }
}
