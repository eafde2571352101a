import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"

describe("README.md of the project", () => {
  it("has an example that runs", () => {
    const page = readFileSync(new URL("../../../README.md", import.meta.url), "utf8")
    const [, example = ""] = /```ts\n([\s\S]*?)```/.exec(page) ?? []
    const cwd = fileURLToPath(new URL("..", import.meta.url))
    const args = ["--input-type=module-typescript", "--eval", example]
    const printed = execFileSync(process.execPath, args, { cwd, encoding: "utf8" })
    assert.include(printed, "node.kubernetes.io/unreachable:NoExecute")
  })
})
