import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const containerfile = readFileSync(join(root, "Containerfile"), "utf8")
const main = join(root, "apps/cli/src/main.ts")

/** The value of an instruction that is JSON: `CMD ["up"]`, or `HEALTHCHECK … CMD ["rollcall", "get"]`. */
const words = (instruction: string): ReadonlyArray<string> => {
  const found = new RegExp(`^${instruction}(?: .*)? (\\[.*\\])$`, "m").exec(containerfile)?.[1]
  assert.isDefined(found, instruction)
  return JSON.parse(found ?? "[]")
}

/** An engine built and ran it once by hand: docs/how-to/live-cluster.md says what that was. This runs its commands without one. */
describe("Containerfile", () => {
  it("builds from files that exist, on the workspace's release of Node", () => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    const images = [...containerfile.matchAll(/^FROM node:(\d+)-slim/gm)].map(([, major]) => major)
    assert.deepStrictEqual(images, Array(2).fill(devDependencies.node.split(".")[0]))
    const script = /^RUN node (\S+)/m.exec(containerfile)?.[1] ?? ""
    assert.isTrue(existsSync(join(root, script)), script)
  })

  it("runs a cluster that its health check finds healthy", async () => {
    const folder = mkdtempSync(join(tmpdir(), "containerfile-"))
    const local = (word: string) => word.replace("/data", join(folder, "data"))
    const [program, ...entry] = words("ENTRYPOINT")
    assert.strictEqual(program, "rollcall")
    const env = { ...process.env, KUBECONFIG: local(/^ENV KUBECONFIG=(\S+)$/m.exec(containerfile)?.[1] ?? "") }
    const args = [...entry, ...words("CMD"), "--port=0", "--nodes=1"].map(local)
    const up = spawn(process.execPath, [main, ...args], { env, stdio: ["ignore", "pipe", "ignore"] })
    try {
      await once(createInterface(up.stdout), "line")
      const [checker, ...check] = words("HEALTHCHECK")
      assert.strictEqual(checker, "rollcall")
      const { stdout } = await promisify(execFile)(process.execPath, [main, ...check], { env })
      assert.strictEqual(stdout, "ok")
    } finally {
      up.kill("SIGTERM")
      await once(up, "exit")
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
