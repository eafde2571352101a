import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { expectationThatFails, expectationThatHolds, main, makeFolder, node, scenario } from "./cli.ts"

const runProgram = (...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(node, [main, ...args], { encoding: "utf8" })
  return { code: status, stdout, stderr }
}

describe("the program", { timeout: 60_000 }, () => {
  const file = makeFolder({
    "holds.yaml": scenario(expectationThatHolds),
    "fails.yaml": scenario(expectationThatFails),
    "bad.yaml": "kind: Scenario"
  })

  it("ends with the exit codes of its contract", () => {
    assert.deepInclude(runProgram("simulate", file("holds.yaml"), "--quiet"), { code: 0, stderr: "" })
    assert.deepInclude(runProgram("simulate", file("fails.yaml"), "--quiet"), { code: 1, stderr: "" })
    assert.deepInclude(runProgram("simulate", file("bad.yaml")), { code: 2, stdout: "" })
    assert.deepInclude(runProgram("simulate", file("holds.yaml"), "--bogus"), { code: 2, stdout: "" })
  })

  it("removes a cluster from the user's kubeconfig when its terminal is closed", async () => {
    const home = file("home")
    mkdirSync(home, { mode: 0o700 })
    const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home }
    const kubeconfig = `${home}/.kube/config`
    const args = [main, "up", "--nodes=1", "--port=0", "--merge-kubeconfig"]
    const up = spawn(node, args, { env, stdio: ["ignore", "pipe", "ignore"] })
    const ended = once(up, "exit")
    let told = ""
    for await (const chunk of up.stdout) {
      told += String(chunk)
      if (told.includes("current context")) break
    }
    assert.include(readFileSync(kubeconfig, "utf8"), 'name: "rollcall"')
    up.kill("SIGHUP")
    await ended
    assert.notInclude(readFileSync(kubeconfig, "utf8"), "rollcall")
    assert.deepStrictEqual(readdirSync(`${home}/.kube`), ["config"])
  })

  it("keeps compiled code in the user's own cache folder, never in the shared temporary one", () => {
    const [caches, temporary] = [file("caches"), file("temporary")]
    for (const made of [caches, temporary]) mkdirSync(made, { mode: 0o700 })
    const env = { PATH: process.env.PATH, HOME: temporary, XDG_CACHE_HOME: caches, TMPDIR: temporary }
    const { status } = spawnSync(node, [main, "--version"], { encoding: "utf8", env })
    assert.strictEqual(status, 0)
    assert.deepStrictEqual(readdirSync(temporary), [])
    assert.strictEqual(readdirSync(`${caches}/rollcall/compile`).length, 1)
    // Read-only, or not a folder.
    const without = spawnSync(node, [main, "--version"], { encoding: "utf8", env: { ...env, XDG_CACHE_HOME: main } })
    assert.strictEqual(without.status, 0)
    assert.deepStrictEqual(readdirSync(temporary), [])
  })

  it("limits the size of devices and endless files like that of any file", () => {
    const long = file("long.yaml")
    writeFileSync(long, "")
    truncateSync(long, 257 * 1024 * 1024)
    for (const endless of ["/dev/zero", long]) {
      const { code, stderr } = runProgram("simulate", endless, "--quiet")
      assert.strictEqual(code, 2)
      assert.include(stderr, `${endless}: is longer than 256 MiB`)
    }
  })

  it("limits the size of kubeconfigs, configurations, token files and standard input", () => {
    const told = [
      [["get", "nodes", "--kubeconfig", "/dev/zero"], "/dev/zero: is too long: at most 8 MiB are read"],
      [["get", "nodes", "--kubeconfig", file(".")], "is a folder, expected a file"],
      [["apiserver", "--token-auth-file", "/dev/zero"], "/dev/zero: is too long: at most 128 MiB are read"],
      [["kubelet", "--config", "/dev/zero"], "/dev/zero: is longer than 256 MiB"],
      [["simulate", file(".")], "is a folder, expected a file"]
    ] as const
    for (const [args, expected] of told) {
      const { code, stderr } = runProgram(...args)
      assert.strictEqual(code, 2, args.join(" "))
      assert.include(stderr, expected)
    }
    const zeros = openSync("/dev/zero", "r")
    const piped = spawnSync(node, [main, "plan", "drain", "n1", "--snapshot", "-"], {
      encoding: "utf8",
      stdio: [zeros, "pipe", "pipe"]
    })
    closeSync(zeros)
    assert.strictEqual(piped.status, 2)
    assert.include(piped.stderr, "standard input: is too long: at most 256 MiB are read")
  })

  it("gives another process the same trace", () => {
    const trace = () => runProgram("simulate", file("holds.yaml"), "-o", "ndjson").stdout
    assert.strictEqual(trace(), trace())
  })

  it("ends quietly when the reader closes the pipe", async () => {
    const child = spawn(node, [
      main,
      "simulate",
      file("holds.yaml"),
      "--until",
      "3h",
      "--trace",
      "leases",
      "-o",
      "ndjson"
    ])
    let stderr = ""
    child.stderr.on("data", (chunk) => {
      stderr += chunk
    })
    child.stdout.once("data", () => child.stdout.destroy())
    const code = await new Promise((resolve) => child.once("exit", resolve))
    assert.deepStrictEqual([code, stderr], [141, ""])
  })

  for (const args of [
    ["get", "--help"],
    ["fault", "--help"]
  ]) {
    it(`ends quietly when nothing reads its output: ${args.join(" ")}`, async () => {
      const child = spawn(node, [main, ...args])
      child.stdout.destroy()
      let stderr = ""
      child.stderr.on("data", (chunk) => {
        stderr += chunk
      })
      const code = await new Promise((resolve) => child.once("exit", resolve))
      assert.strictEqual(stderr, "")
      assert.notStrictEqual(code, 1)
    })
  }
})
