import { execFile, spawnSync } from "node:child_process"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const run = promisify(execFile)

const PYTHON = "/usr/bin/python3"
const hasPython = spawnSync(PYTHON, ["-c", "import kubernetes"]).status === 0
const hasGo = spawnSync("go", ["version"]).status === 0

/** Runs a program with `rollcall` on its path, and returns what it prints. */
const printed = async (folder: string, program: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const path = [join(root, "node_modules/.bin"), process.env.PATH].join(delimiter)
  const { stderr, stdout } = await run(program, args, { cwd: join(root, folder), env: { ...process.env, PATH: path } })
  return `${stdout}${stderr}`
}

describe("a test in another language starts a cluster, cuts a node off and waits", () => {
  it.skipIf(!hasPython)(
    "examples/testing/python, with the official client",
    async () => {
      const output = await printed("examples/testing/python", PYTHON, "-m", "unittest", "-v", "test_partition.py")
      assert.match(output, /test_a_cut_off_node_becomes_unknown .*ok/)
    },
    120_000
  )

  it.skipIf(!hasGo)(
    "examples/testing/go, with the standard library",
    async () => {
      const output = await printed("examples/testing/go", "go", "test", "-count=1", "-v", ".")
      assert.include(output, "--- PASS: TestACutOffNodeBecomesUnknown")
    },
    120_000
  )
})
