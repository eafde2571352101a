import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const workspaceNode = fileURLToPath(new URL("../../../node_modules/.bin/node", import.meta.url))
const module = new URL("../src/start/holdCompilers.ts", import.meta.url).href

// Bits 4 and 5 of the status: V8's src/runtime/runtime.h, OptimizationStatus.
const SCRIPT = `
const { holdCompilers } = await import(${JSON.stringify(module)})
const sum = (count) => { let total = 0; for (let at = 0; at < count; at++) total += at % 7; return total }
const isOptimized = (withinMs) => {
  const until = performance.now() + withinMs
  while (performance.now() < until && (%GetOptimizationStatus(sum) & 48) === 0) sum(1000)
  return (%GetOptimizationStatus(sum) & 48) !== 0
}
// Otherwise it may hold sum, inlined.
%NeverOptimizeFunction(isOptimized)
holdCompilers()
const held = isOptimized(500)
await new Promise((resume) => setTimeout(resume, 10))
console.log(JSON.stringify([held, isOptimized(5000)]))
`

describe("V8's optimizing compilers", () => {
  it("do nothing while a server loads, and work afterwards", { timeout: 30_000 }, () => {
    const node = existsSync(workspaceNode) ? workspaceNode : process.execPath
    const args = ["--allow-natives-syntax", "--input-type=module", "--eval", SCRIPT]
    assert.deepStrictEqual(JSON.parse(execFileSync(node, args, { encoding: "utf8" })), [false, true])
  })
})
