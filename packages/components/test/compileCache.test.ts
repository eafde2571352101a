import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { cacheHome, compileCacheFolder, isOwn, isSafeAncestor } from "../src/start/compileCacheFolder.ts"

const MY_UID = 1000
const OTHER_UID = 1001
const folderInfo = (owner: number, mode: number) => ({ isFolder: true, owner, mode })

describe("the compile cache's home", () => {
  it("is the XDG cache folder, and .cache of the home folder without one", () => {
    const of = (environment: Record<string, string>, homeFolder: string) =>
      cacheHome({ environment, homeFolder, userId: MY_UID })
    assert.strictEqual(of({ XDG_CACHE_HOME: "/caches" }, "/home/me"), "/caches")
    assert.strictEqual(of({ XDG_CACHE_HOME: "" }, "/home/me"), "/home/me/.cache")
    assert.strictEqual(of({ XDG_CACHE_HOME: "relative" }, "/home/me"), "/home/me/.cache")
    assert.isUndefined(of({}, ""))
    assert.isUndefined(of({}, "relative"))
  })

  it("is used only if others can neither write there nor replace it", () => {
    assert.isTrue(isOwn(folderInfo(MY_UID, 0o40700), MY_UID))
    assert.isFalse(isOwn(folderInfo(OTHER_UID, 0o40700), MY_UID))
    assert.isFalse(isOwn(folderInfo(0, 0o40700), MY_UID))
    assert.isFalse(isOwn(folderInfo(MY_UID, 0o40770), MY_UID))
    assert.isFalse(isOwn(folderInfo(MY_UID, 0o41777), MY_UID))
    assert.isFalse(isOwn({ ...folderInfo(MY_UID, 0o120777), isFolder: false }, MY_UID))
    assert.isTrue(isSafeAncestor(folderInfo(0, 0o40755), MY_UID))
    assert.isTrue(isSafeAncestor(folderInfo(0, 0o41777), MY_UID))
    assert.isFalse(isSafeAncestor(folderInfo(0, 0o40777), MY_UID))
    // sudo that keeps the HOME of another user.
    assert.isFalse(isSafeAncestor(folderInfo(MY_UID, 0o40700), 0))
  })
})

describe("compileCacheFolder", () => {
  const inHome = (use: (home: string, folder: () => string | undefined) => void) => {
    const home = mkdtempSync(join(tmpdir(), "home-"))
    const userId = lstatSync(home).uid
    try {
      use(home, () => compileCacheFolder({ environment: {}, homeFolder: home, userId }))
    } finally {
      chmodSync(home, 0o700)
      rmSync(home, { recursive: true, force: true })
    }
  }

  it("creates a folder for this user alone, and reuses it", () =>
    inHome((home, folder) => {
      const made = folder()
      assert.isDefined(made)
      assert.isTrue(made?.startsWith(join(home, ".cache")))
      assert.strictEqual(lstatSync(made as string).mode & 0o777, 0o700)
      assert.strictEqual(folder(), made)
    }))

  it("uses no folder that others can write to", () =>
    inHome((home, folder) => {
      chmodSync(folder() as string, 0o770)
      assert.isUndefined(folder())
      chmodSync(join(home, ".cache", "rollcall", "compile"), 0o700)
      chmodSync(join(home, ".cache"), 0o777)
      assert.isUndefined(folder())
    }))

  it("uses no folder behind a symbolic link", () =>
    inHome((home, folder) => {
      mkdirSync(join(home, ".cache"))
      mkdirSync(join(home, "elsewhere"), { mode: 0o700 })
      symlinkSync(join(home, "elsewhere"), join(home, ".cache", "rollcall"))
      assert.isUndefined(folder())
    }))

  it("uses no folder of another user (as root only)", (context) =>
    inHome((_, folder) => {
      try {
        chownSync(folder() as string, 12_345, 12_345)
      } catch {
        return context.skip("only root can give a folder away")
      }
      assert.isUndefined(folder())
    }))

  it("is undefined if no folder can be created", () => {
    const folder = (homeFolder: string, environment = {}) =>
      compileCacheFolder({ environment, homeFolder, userId: process.geteuid?.() })
    assert.isUndefined(folder(""))
    assert.isUndefined(folder("/proc/missing"))
    assert.isUndefined(folder("", { XDG_CACHE_HOME: "/proc/missing" }))
    assert.isUndefined(compileCacheFolder({ environment: {}, homeFolder: "/", userId: undefined }))
  })
})
