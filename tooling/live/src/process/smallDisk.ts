import { execFileSync } from "node:child_process"
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"

const mounted = (folder: string, mebibytes: number): boolean => {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", folder], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** Mounts a small file system until the scope closes; undefined: the user may not mount. */
export const smallDisk = (mebibytes: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "rollcall-disk-"))
      if (mounted(folder, mebibytes)) return folder
      rmdirSync(folder)
      return undefined
    }),
    (folder) =>
      Effect.sync(() => {
        if (folder === undefined) return
        execFileSync("umount", ["-l", folder])
        rmSync(folder, { recursive: true, force: true })
      })
  )

const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Fills the free space except `leave` bytes; returns a function that frees it. */
export const fill = (folder: string, leave: number): (() => void) => {
  const ballast = join(folder, "ballast")
  writeFileSync(ballast, new Uint8Array(Math.max(0, freeBytes(folder) - leave)))
  return () => rmSync(ballast)
}
