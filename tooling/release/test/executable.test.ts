import { execFile, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { makeExecutable } from "../src/executable.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const linux = process.platform === "linux"
const kubectl = spawnSync("kubectl", ["version", "--client"]).error === undefined

describe.skipIf(!linux)(`the executable${linux ? "" : `: is made on Linux, this is ${process.platform}`}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "executable-"))
  const program = join(folder, "made/rollcall")
  // Neither Node nor any other program is on its path.
  const env = { PATH: "", HOME: folder }
  const run = async (...args: ReadonlyArray<string>) =>
    (await promisify(execFile)(program, args, { env, cwd: folder })).stdout

  beforeAll(() => makeExecutable(root, join(folder, "made")), 120_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("has its version, and less than 130 MB", async () => {
    const { version } = JSON.parse(readFileSync(join(root, "apps/cli/package.json"), "utf8"))
    assert.strictEqual(await run("--version"), `rollcall v${version}\n`)
    assert.isBelow(statSync(program).size, 130e6)
  })

  it("rehearses, also with layers of a code file", async () => {
    const rehearse = (...more: ReadonlyArray<string>) =>
      run("simulate", join(root, "examples/layers/shop.yaml"), "--quiet", "-o", "ndjson", ...more)
    const usual = await rehearse()
    assert.include(usual, '"type":"PodScheduled"')
    assert.notStrictEqual(await rehearse("--layers", join(root, "examples/layers/scheduler-plugin.ts")), usual)
  })

  it("brings up a cluster with the SQLite store", async (test) => {
    const up = spawn(program, ["up", "--nodes=2", "--port=0", `--data-dir=${folder}/data`, "--output=json"], {
      env,
      stdio: ["ignore", "pipe", "ignore"]
    })
    try {
      const [line] = await once(createInterface(up.stdout), "line")
      const { kubeconfig, nodes } = JSON.parse(line)
      assert.strictEqual(nodes, 2)
      assert.match(await run("get", "nodes", "--kubeconfig", kubeconfig), /a-0 +Ready[\s\S]*a-1 +Ready/)
      assert.isAbove(statSync(join(folder, "data/store.sqlite")).size, 0)
      if (kubectl) {
        const { stdout } = await promisify(execFile)("kubectl", ["get", "nodes", "-o=name", "--kubeconfig", kubeconfig])
        assert.strictEqual(stdout, "node/a-0\nnode/a-1\n")
      } else test.annotate("without kubectl, which is not on this machine")
    } finally {
      up.kill("SIGTERM")
      await once(up, "exit")
    }
    // As for every program that is interrupted.
    assert.strictEqual(up.exitCode, 130)
  })

  it("comes with the licenses of what it contains", () => {
    const licenses = readFileSync(join(folder, "made/LICENSES.txt"), "utf8")
    for (const name of ["effect ", "yaml ", "Node.js ", "- V8, ", "- OpenSSL, "]) assert.include(licenses, name)
    assert.include(readFileSync(join(folder, "made/LICENSE"), "utf8"), "Apache License")
  })
})
