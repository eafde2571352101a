import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { platform, tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { makeFolder } from "../src/index.ts"

const folder = mkdtempSync(join(tmpdir(), "folders-"))
afterAll(() => rmSync(folder, { recursive: true }))

const modeOf = (path: string) => statSync(path).mode & 0o777

describe("makeFolder", () => {
  it("creates missing folders, each with its mode, and leaves existing ones", () => {
    const mode = modeOf(folder)
    makeFolder(join(folder, "a", "b", "c"), 0o700)
    assert.strictEqual(modeOf(join(folder, "a")), 0o700)
    assert.strictEqual(modeOf(join(folder, "a", "b", "c")), 0o700)
    makeFolder(join(folder, "a"), 0o755)
    assert.strictEqual(modeOf(join(folder, "a")), 0o700)
    assert.strictEqual(modeOf(folder), mode)
  })

  it("fails with the path of the obstacle", () => {
    writeFileSync(join(folder, "file"), "")
    assert.throws(() => makeFolder(join(folder, "file"), 0o700), /EEXIST/)
    assert.throws(() => makeFolder(join(folder, "file", "below"), 0o700), /EEXIST|ENOTDIR/)
  })

  it.skipIf(platform() !== "linux")("ends where nothing new can be named", () => {
    assert.throws(() => makeFolder("/proc/rollcall", 0o700), /ENOENT|EACCES/)
    assert.throws(() => makeFolder("/proc/rollcall/below", 0o700), /ENOENT|EACCES/)
  })
})
