import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { makeFolder, run } from "./cli.ts"

const BROWSER = "chromium"
const isInstalled = spawnSync(BROWSER, ["--version"]).status === 0
const example = fileURLToPath(new URL("../../../examples/incidents/statefulset-on-a-dead-node.yaml", import.meta.url))

/** Returns the number of start tags of each element. */
const elementsOf = (html: string): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const [, name = ""] of html.matchAll(/<([a-z][a-z0-9]*)[\s>]/g)) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** Returns the page as a browser parses and serializes it. */
const asBrowserSerializes = (page: string): string => {
  const profile = mkdtempSync(join(tmpdir(), "rollcall-browser-"))
  try {
    const quiet = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
    const alone = ["--disable-component-update", "--disable-sync", `--user-data-dir=${profile}`]
    const { stdout } = spawnSync(
      BROWSER,
      ["--headless", "--no-sandbox", ...quiet, ...alone, "--dump-dom", `file://${page}`],
      {
        encoding: "utf8",
        maxBuffer: 64 * 1024 * 1024
      }
    )
    return stdout
  } finally {
    rmSync(profile, { recursive: true, force: true })
  }
}

describe.skipIf(!isInstalled)(isInstalled ? "a browser" : "a browser: skipped, there is none", () => {
  it("has nothing to correct in a page", { timeout: 120_000 }, async () => {
    const page = makeFolder({})("page.html")
    const { code } = await run("simulate", example, "-o", "html", "--out", page, "--quiet")
    assert.strictEqual(code, 0)
    const written = elementsOf(readFileSync(page, "utf8"))
    assert.isAbove(written.rect ?? 0, 10)
    // Browsers add tbody elements.
    const { tbody, ...seen } = elementsOf(asBrowserSerializes(page))
    assert.strictEqual(tbody, written.table)
    assert.deepStrictEqual(seen, written)
  })
})
