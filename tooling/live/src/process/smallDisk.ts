import { execFileSync } from "node:child_process"
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"

const mountTmpfs = (folder: string, mebibytes: number): boolean => {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", folder], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** Mounts a small file system until the scope closes. Returns its folder, or undefined if the user may not mount. */
export const smallDisk = (mebibytes: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "rollcall-disk-"))
      if (mountTmpfs(folder, mebibytes)) return folder
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

/** Fills the free space except `keepFreeBytes` with one file. Returns a function that removes the file. */
export const fillDisk = (folder: string, keepFreeBytes: number): (() => void) => {
  const filler = join(folder, "ballast")
  writeFileSync(filler, new Uint8Array(Math.max(0, freeBytes(folder) - keepFreeBytes)))
  return () => rmSync(filler)
}
