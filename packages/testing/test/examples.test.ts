import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** Runs a program of Node in the root of the repository, and returns what it prints. */
const printed = async (...args: ReadonlyArray<string>): Promise<string> => {
  // A test run of its own, not a part of this one.
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_TEST_CONTEXT|TEST$)/.test(name))
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env: Object.fromEntries(own) })
  return stdout
}

describe("examples/testing", () => {
  it("passes with node:test", async () => {
    const output = await printed("--test", "--test-reporter=tap", "examples/testing/node-test/controller.test.ts")
    assert.match(output, /^ok 1 - cordons a lost node, and no other$/m)
  })

  it("passes with vitest", async () => {
    const vitest = ["node_modules/vitest/vitest.mjs", "run", "--root", "examples/testing/vitest"]
    // A busy machine takes its time.
    const output = await printed(...vitest, "--reporter=tap-flat", "--testTimeout=60000")
    assert.match(output, /^ok 1 - controller.test.ts > cordons a lost node, and no other/m)
  })
})
