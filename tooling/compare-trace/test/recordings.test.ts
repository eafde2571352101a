import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { compare } from "../src/compare.ts"
import { type Entry, type Recording, readRecording } from "../src/Recording.ts"
import { rehearse } from "../src/rehearse.ts"

const folder = fileURLToPath(new URL("../fixtures/recordings", import.meta.url))
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
const files = readdirSync(folder).sort()
const recording = readRecording(join(folder, "01-zone-outage.json"))

describe("recordings of kube-controller-manager v1.36", () => {
  for (const name of files) {
    it(`${name}: a rehearsal with its flags agrees`, async () => {
      const file = join(folder, name)
      const comparison = compare(readRecording(file), await rehearse(file))
      assert.deepStrictEqual(comparison.differences, [])
      assert.isAbove(comparison.entries, 30)
    })
  }
})

describe("compare", () => {
  const changed = (change: (entry: Entry) => ReadonlyArray<Entry>): Recording => ({
    ...recording,
    trace: recording.trace.flatMap(change)
  })
  const checksOf = (run: Recording) =>
    [...new Set(compare(recording, run).differences.map(({ check }) => check))].sort()

  it("finds nothing between a recording and itself", () => assert.deepStrictEqual(checksOf(recording), []))

  it("detects a missing and an additional entry", () => {
    const isFirst = (entry: Entry) => entry.type === "PodDeletionRequested" && entry.pod === "p-b-4"
    assert.include(checksOf(changed((entry) => (isFirst(entry) ? [] : [entry]))), "count")
    assert.include(checksOf(changed((entry) => (isFirst(entry) ? [entry, entry] : [entry]))), "count")
  })

  it("detects another reason", () => {
    const run = changed((entry) => [entry.reason === "NodeStatusUnknown" ? { ...entry, reason: "Other" } : entry])
    assert.include(checksOf(run), "count")
  })

  it("detects taints in another order", () => {
    const noExecuteFirst = (entry: Entry) =>
      entry.type === "TaintAdded" && entry.effect === "NoExecute" ? [{ ...entry, at: 28.7 }] : [entry]
    const run = changed(noExecuteFirst)
    const sorted = { ...run, trace: run.trace.toSorted((a, b) => a.at - b.at) }
    assert.include(checksOf(sorted), "order")
  })

  it("detects a missing Event and other metrics", () => {
    assert.deepStrictEqual(checksOf({ ...recording, events: recording.events.slice(0, -1) }), ["event"])
    assert.deepStrictEqual(checksOf({ ...recording, metrics: recording.metrics.slice(0, -3) }), ["metric"])
  })
})

describe("the command", () => {
  const run = (...args: ReadonlyArray<string>) => spawnSync(process.execPath, [main, ...args], { encoding: "utf8" })

  it("compares with a result, and reports agreement by its exit code", { timeout: 60_000 }, () => {
    const file = join(folder, "01-zone-outage.json")
    assert.strictEqual(run(file, file).status, 0)
    const other = run(file, join(folder, "07-tolerations.json"))
    assert.strictEqual(other.status, 1)
    assert.match(other.stdout, /^1 differ: 01-zone-outage$/m)
  })

  it("refuses a file that is not a recording", { timeout: 60_000 }, () => {
    const file = join(mkdtempSync(join(tmpdir(), "compare-")), "01-x.json")
    writeFileSync(file, "{}")
    const result = run(file)
    assert.strictEqual(result.status, 2)
    assert.include(result.stderr, "not a recording")
    assert.strictEqual(run("/nowhere").status, 2)
  })

  it("compares the valid recordings of a folder, and reports the invalid one at the end", () => {
    const recordings = mkdtempSync(join(tmpdir(), "compare-"))
    const name = "12-out-of-service.json"
    writeFileSync(join(recordings, "01-broken.json"), "{")
    cpSync(join(folder, name), join(recordings, name))
    const results = mkdtempSync(join(tmpdir(), "compare-"))
    for (const file of [name, "01-broken.json"]) cpSync(join(folder, name), join(results, file))
    const result = run(recordings, results)
    assert.match(result.stdout, /^agrees {2}12-out-of-service/m)
    assert.match(result.stdout, /^1 could not be compared: 01-broken\.json$/m)
    assert.strictEqual(result.status, 2)
  })
})
