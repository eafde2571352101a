import { chmodSync, lstatSync, type Stats } from "node:fs"
import { join } from "node:path"
import { type InvalidInput, invalid } from "@rollcall/input"
import * as Effect from "effect/Effect"

const ROOT = 0
const OTHERS_BITS = 0o077

/** The confidential files in a cluster's folder: Secrets, and keys of administrators. */
const CONFIDENTIAL_FILES: ReadonlyArray<string> = [
  "",
  "pki",
  ...["ca.crt", "ca.key", "apiserver.crt", "apiserver.key", "sa.key", "sa.pub"].map((name) => join("pki", name)),
  "store.sqlite",
  "store.sqlite-wal",
  "store.sqlite-acked",
  "admin.conf"
]

/** The mode and owner of a file. */
export interface Permissions {
  readonly owner: number
  readonly mode: number
}

/**
 * Decides what to do about a file of a cluster's folder: `refuse` a file of another user, who could replace it (root
 * may own it), `restrict` a file of this user that others can access, `leave` all others.
 */
export const judgePermissions = ({ mode, owner }: Permissions, userId: number): "leave" | "restrict" | "refuse" => {
  if (owner !== userId && owner !== ROOT) return "refuse"
  return (mode & OTHERS_BITS) !== 0 && owner === userId ? "restrict" : "leave"
}

/** Returns the status of a file; undefined for symbolic links, which are not followed. */
const statusOf = (path: string): Stats | undefined => {
  try {
    const status = lstatSync(path)
    return status.isSymbolicLink() ? undefined : status
  } catch {
    // A file without a status is missing, or is reported when it is opened.
    return undefined
  }
}

const octal = (mode: number): string => `0${(mode & 0o777).toString(8)}`

/**
 * Restricts the files of a cluster's folder to their owner, and logs that; refuses files of another user. On a system
 * without user IDs it does nothing.
 */
export const protectFolder = Effect.fnUntraced(function* (
  folder: string,
  userId: number | undefined
): Effect.fn.Return<void, InvalidInput> {
  if (userId === undefined) return
  for (const name of CONFIDENTIAL_FILES) {
    const path = join(folder, name)
    const status = statusOf(path)
    if (status === undefined) continue
    const verdict = judgePermissions({ owner: status.uid, mode: status.mode }, userId)
    if (verdict === "refuse") {
      const message = `${path} belongs to user ${status.uid}, who could replace it: make it user ${userId}'s, or name another folder`
      return yield* invalid("command line", "--data-dir", message)
    }
    if (verdict === "leave") continue
    const mode = status.isDirectory() ? 0o700 : 0o600
    const restricted = yield* Effect.result(Effect.try({ try: () => chmodSync(path, mode), catch: String }))
    yield* Effect.logWarning(
      restricted._tag === "Success"
        ? "Others could use a file of the cluster; its permissions have been narrowed"
        : "Others can use a file of the cluster, and its permissions cannot be narrowed"
    ).pipe(
      Effect.annotateLogs({
        path,
        mode: octal(status.mode),
        ...(restricted._tag === "Success" ? { now: octal(mode) } : { err: restricted.failure })
      })
    )
  }
})
