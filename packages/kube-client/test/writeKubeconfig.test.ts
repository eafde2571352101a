import { linkSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  clientConfig,
  type Kubeconfig,
  kubeconfigFor,
  loadKubeconfig,
  ownedKubeconfig,
  processesOf,
  writeKubeconfig
} from "../src/index.ts"
import { pki, withFolder } from "./pki.ts"
import { makeMachine } from "./processes.ts"

const kubeconfigForPort = (port: number) =>
  kubeconfigFor({ name: "c", user: "kubernetes-admin", server: `https://127.0.0.1:${port}`, token: "t" })

describe("writing a kubeconfig", () => {
  const machine = makeMachine(1, 2)
  const ownedBy = (process: number, port = 6443) =>
    ownedKubeconfig(kubeconfigForPort(port), { cluster: "rollcall", ...machine.process(process).self })
  const write = (file: string, config: Kubeconfig, process = 1) =>
    Effect.runSync(writeKubeconfig(file, config, machine.process(process)))
  const refused = (file: string, process = 1) =>
    Effect.runSync(Effect.flip(writeKubeconfig(file, ownedBy(process), machine.process(process)))).message

  it("loads as it was written, and only its owner can read it", () =>
    withFolder((folder) => {
      const file = join(folder, "deep", "config")
      const made = kubeconfigFor({ name: "c", server: "https://127.0.0.1:6443", ca: pki().ca.cert, token: "1e3" })
      write(file, made)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.include(readFileSync(file, "utf8"), 'token: "1e3"')
      const loaded = Effect.runSync(Effect.flatMap(loadKubeconfig({ file }), (config) => clientConfig(config)))
      assert.deepStrictEqual(loaded, {
        server: "https://127.0.0.1:6443",
        tls: { ca: pki().ca.cert },
        auth: { type: "token", token: "1e3" },
        namespace: "default"
      })
      assert.deepStrictEqual(readdirSync(join(folder, "deep")), ["config"])
    }))

  it("names all entries of a cluster by the cluster, and replaces only its own entries", () =>
    withFolder((folder) => {
      const file = join(folder, "config")
      write(file, ownedBy(1))
      write(file, ownedBy(1, 7443))
      const { clusters, contexts, users } = Effect.runSync(loadKubeconfig({ file }))
      assert.strictEqual(clusters.get("rollcall")?.entry.server, "https://127.0.0.1:7443")
      assert.deepStrictEqual([...users.keys(), ...contexts.keys()], ["rollcall", "rollcall"])
      // Of a cluster that runs, then of one that was killed.
      assert.include(refused(file, 2), "is of the cluster rollcall, which runs (process 1)")
      machine.kill(1)
      write(file, ownedBy(2), 2)
      // As Rollcall wrote it once.
      writeFileSync(file, JSON.stringify(kubeconfigFor({ name: "rollcall", user: "kubernetes-admin", server: "x" })))
      write(file, ownedBy(2), 2)
      for (const other of ["my notes\n", JSON.stringify(kubeconfigForPort(1)), "clusters: [", "kind: Pod\n"]) {
        writeFileSync(file, other)
        assert.include(refused(file, 2), "it is not overwritten")
        assert.strictEqual(readFileSync(file, "utf8"), other)
      }
      assert.deepStrictEqual(readdirSync(folder), ["config"])
    }))

  it("neither follows nor replaces links, and leaves folders alone", () =>
    withFolder((folder) => {
      const [file, link] = [join(folder, "config"), join(folder, "link")]
      write(file, ownedBy(2), 2)
      symlinkSync(file, link)
      symlinkSync(join(folder, "nowhere"), join(folder, "dangling"))
      assert.include(refused(link), "is a symbolic link")
      assert.include(refused(join(folder, "dangling")), "is a symbolic link")
      assert.include(refused(folder), "is not a file")
      linkSync(file, join(folder, "second"))
      assert.include(refused(file, 2), "has several names (hard links)")
      assert.deepStrictEqual(readdirSync(folder).toSorted(), ["config", "dangling", "link", "second"])
    }))
})

describe("processesOf", () => {
  it("distinguishes this process from ended ones, and from a later one with the same PID", () => {
    const { isRunning, self } = processesOf("here", process.pid)
    assert.isTrue(isRunning(self))
    assert.isTrue(isRunning({ ...self, started: "" }))
    assert.strictEqual(isRunning({ ...self, started: "earlier" }), self.started === "" && true)
    assert.isFalse(isRunning({ ...self, process: 2 ** 30 }))
    assert.isTrue(isRunning({ ...self, host: "elsewhere", process: 2 ** 30 }))
  })
})
