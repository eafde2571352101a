import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type HeapInput, heapFlags, heapInput } from "../src/rehearsalHeap.ts"
import { expectationThatHolds, main, makeFolder, node, scenario } from "./cli.ts"

const GIBIBYTE = 1024 ** 3
const laptop: HeapInput = {
  args: ["simulate", "zone-b.yaml"],
  nodeFlags: [],
  memoryBytes: 16 * GIBIBYTE,
  processors: 8,
  limitBytes: 4 * GIBIBYTE
}

describe("the heap of a rehearsal", () => {
  it("is as large as the machine allows", () => {
    assert.deepStrictEqual(heapFlags(laptop), ["--initial-old-space-size=1024", "--max-old-space-size=8192"])
    assert.deepStrictEqual(heapFlags({ ...laptop, memoryBytes: 4 * GIBIBYTE, limitBytes: 2 * GIBIBYTE }), [
      "--initial-old-space-size=512",
      "--max-old-space-size=2304"
    ])
  })

  it("is never made smaller than Node.js makes it", () => {
    assert.deepStrictEqual(heapFlags({ ...laptop, memoryBytes: GIBIBYTE, limitBytes: GIBIBYTE }), [])
  })

  it("is shared by the threads of a comparison", () => {
    const server = { ...laptop, args: ["compare", "settings"], memoryBytes: 40 * GIBIBYTE }
    assert.include(heapFlags(server), "--initial-old-space-size=640")
    assert.deepStrictEqual(heapFlags({ ...laptop, args: ["compare", "settings"] }), ["--max-old-space-size=8192"])
  })

  it("is not set for other commands", () => {
    for (const args of [[], ["up"], ["apiserver", "simulate"], ["--version"]]) {
      assert.deepStrictEqual(heapFlags({ ...laptop, args }), [])
    }
  })

  it("stays as the user has set it", () => {
    const set = ["--max_old_space_size=512", "--initial-heap-size=64"]
    assert.deepStrictEqual(heapFlags({ ...laptop, nodeFlags: set }), [])
    assert.deepStrictEqual(heapFlags({ ...laptop, nodeFlags: ["--max-heap-size=512"] }), [
      "--initial-old-space-size=1024"
    ])
  })

  it("needs one start more at most", () => {
    const commands = fc.constantFrom("simulate", "compare", "plan", "up")
    const flags = fc.constantFrom("--max-old-space-size=1", "--initial_old_space_size=1", "--inspect")
    const inputs = fc.record({
      args: fc.tuple(commands),
      nodeFlags: fc.array(flags, { maxLength: 3 }),
      memoryBytes: fc.nat(64 * GIBIBYTE),
      processors: fc.integer({ min: 1, max: 256 }),
      limitBytes: fc.nat(8 * GIBIBYTE)
    })
    fc.assert(
      fc.property(inputs, (input) => {
        const nodeFlags = [...input.nodeFlags, ...heapFlags(input)]
        return heapFlags({ ...input, nodeFlags }).length === 0
      })
    )
  })

  it("is set in the process that the user started", { timeout: 60_000 }, () => {
    const file = makeFolder({ "holds.yaml": scenario(expectationThatHolds) })
    const starts = file("starts.json")
    const preload = file("preload.cjs")
    writeFileSync(
      preload,
      `require("node:fs").appendFileSync(${JSON.stringify(starts)}, JSON.stringify([process.pid, ...process.execArgv]) + "\\n")`
    )
    const nodeFlags = ["--require", preload]
    const args = ["simulate", file("holds.yaml"), "--quiet"]
    const env = { PATH: process.env.PATH, HOME: file("") }
    const { pid, status, stderr } = spawnSync(node, [...nodeFlags, main, ...args], { encoding: "utf8", env })
    assert.deepStrictEqual({ status, stderr }, { status: 0, stderr: "" })
    const lines = readFileSync(starts, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown)
    // None on a machine with little memory.
    const flags = heapFlags(heapInput(args, nodeFlags))
    const restarts = flags.length > 0 ? [[pid, ...flags, ...nodeFlags]] : []
    assert.deepStrictEqual(lines, [[pid, ...nodeFlags], ...restarts])
  })

  it("stays as it is where Node.js is gone, or may start nothing", { timeout: 60_000 }, () => {
    const file = makeFolder({
      "holds.yaml": scenario(expectationThatHolds),
      "remove.cjs": 'require("node:fs").rmSync(process.execPath)'
    })
    const copy = file("node")
    copyFileSync(node, copy)
    const args = [main, "simulate", file("holds.yaml"), "--quiet"]
    const runs = [
      spawnSync(copy, ["--require", file("remove.cjs"), ...args], { encoding: "utf8" }),
      spawnSync(node, ["--permission", "--allow-fs-read=*", "--allow-fs-write=*", ...args], { encoding: "utf8" })
    ]
    for (const { status, stdout } of runs) {
      assert.strictEqual(status, 0)
      assert.include(stdout, "expectation")
    }
    assert.isFalse(existsSync(copy))
  })
})
