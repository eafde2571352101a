import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { parse } from "yaml"
import { kubeconfigFor, sharedName, shareKubeconfig, unshareKubeconfig } from "../src/index.ts"
import { replacementObstacle } from "../src/kubeconfig/replaceFile.ts"
import { withFolder } from "./pki.ts"
import { makeMachine } from "./processes.ts"

/** As kubeadm writes it, with what a person and another program added to it. */
const PRODUCTION_KUBECONFIG = `# mine: do not lose
apiVersion: v1
kind: Config
preferences: {}
clusters:
  - name: kubernetes # the real one
    cluster:
      server: https://prod.example.com:6443
      certificate-authority-data: QUJD
contexts:
  - context: { cluster: kubernetes, user: kubernetes-admin }
    name: kubernetes-admin@kubernetes
users:
  - name: kubernetes-admin
    user:
      client-certificate-data: UFJPRA==
      client-key-data: UFJPRA==
      strange: [yes, 1]
current-context: kubernetes-admin@kubernetes
extensions:
  - name: tool.example.com
    extension: { provider: other }
`

const entriesForPort = (port = 6443) =>
  kubeconfigFor({ name: "x", user: "kubernetes-admin", server: `https://127.0.0.1:${port}`, token: "own" })

/** A folder with a kubeconfig, and the processes 1 to 3 on a machine. */
const setUp = (folder: string, text?: string) => {
  const file = join(folder, "config")
  if (text !== undefined) writeFileSync(file, text)
  const machine = makeMachine(1, 2, 3)
  const options = (process: number, name?: string, files = [file]) => ({
    files,
    name,
    processes: machine.process(process)
  })
  return {
    file,
    kill: machine.kill,
    options,
    share: (process: number, name?: string, files?: Array<string>) =>
      Effect.runSync(shareKubeconfig(entriesForPort(6440 + process), options(process, name, files))),
    refused: (process: number, name?: string, files?: Array<string>) => {
      const given = options(process, name, files)
      const told = Effect.runSync(Effect.flip(shareKubeconfig(entriesForPort(), given))).message
      return told
    },
    unshare: (process: number, name: string, files = [file]) =>
      Effect.runSync(unshareKubeconfig({ file: files[0] ?? "", name }, options(process, undefined, files))),
    read: (path = file) => parse(readFileSync(path, "utf8")),
    names: () => parse(readFileSync(file, "utf8")).contexts.map(({ name }: { readonly name: string }) => name)
  }
}

describe("a shared kubeconfig", () => {
  it("keeps the other entries while a cluster runs, and is restored when it has ended", () =>
    withFolder((folder) => {
      const { file, read, share, unshare } = setUp(folder, PRODUCTION_KUBECONFIG)
      const before = parse(PRODUCTION_KUBECONFIG)
      assert.deepStrictEqual(share(1), { file, name: "rollcall" })
      const during = read()
      assert.strictEqual(during["current-context"], "rollcall")
      assert.deepInclude(during.contexts[1].context, { cluster: "rollcall", user: "rollcall" })
      assert.strictEqual(during.users[1].user.token, "own")
      for (const section of ["clusters", "contexts", "users"]) {
        assert.deepStrictEqual(during[section].slice(0, 1), before[section])
        assert.deepStrictEqual(
          during[section].slice(1).map(({ name }: { readonly name: string }) => name),
          ["rollcall"]
        )
      }
      assert.match(readFileSync(file, "utf8"), /^# mine: do not lose\n[\s\S]*kubernetes # the real one/)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      unshare(1, "rollcall")
      assert.deepStrictEqual(read(), before)
      assert.deepStrictEqual(readdirSync(folder), ["config"])
    }))

  it("has several clusters at once, which end in any order", () =>
    withFolder((folder) => {
      for (const order of [
        [1, 2, 3],
        [3, 2, 1],
        [2, 3, 1],
        [1, 3, 2]
      ]) {
        const { names, read, share, unshare } = setUp(folder, PRODUCTION_KUBECONFIG)
        const called = [1, 2, 3].map((process) => share(process).name)
        assert.deepStrictEqual(called, ["rollcall", "rollcall-2", "rollcall-3"])
        assert.deepStrictEqual(names(), ["kubernetes-admin@kubernetes", ...called])
        const left = new Set([1, 2, 3])
        for (const process of order) {
          left.delete(process)
          unshare(process, called[process - 1] ?? "")
          const newest = Math.max(0, ...left)
          assert.strictEqual(read()["current-context"], called[newest - 1] ?? "kubernetes-admin@kubernetes")
        }
        assert.deepStrictEqual(read(), parse(PRODUCTION_KUBECONFIG))
      }
    }))

  it("loses the entries of a killed cluster when another one starts or ends", () =>
    withFolder((folder) => {
      const { kill, names, read, share, unshare } = setUp(folder, PRODUCTION_KUBECONFIG)
      share(1)
      assert.strictEqual(share(2).name, "rollcall-2")
      kill(1)
      assert.strictEqual(share(3).name, "rollcall")
      assert.deepStrictEqual(names(), ["kubernetes-admin@kubernetes", "rollcall-2", "rollcall"])
      assert.include(read().clusters[2].cluster.server, ":6443")
      kill(2)
      unshare(3, "rollcall")
      assert.deepStrictEqual(read(), parse(PRODUCTION_KUBECONFIG))
    }))

  it("keeps a current context that was chosen meanwhile, and restores none that is removed", () =>
    withFolder((folder) => {
      const { file, read, share, unshare } = setUp(folder, PRODUCTION_KUBECONFIG)
      share(1)
      writeFileSync(file, readFileSync(file, "utf8").replace(/current-context: .*/, "current-context: other"))
      unshare(1, "rollcall")
      assert.strictEqual(read()["current-context"], "other")
      // kubectl config rename-context, and delete-context of the one before.
      writeFileSync(file, PRODUCTION_KUBECONFIG)
      share(1)
      const config = read()
      config.contexts = [{ ...config.contexts[1], name: "mine" }]
      writeFileSync(file, JSON.stringify({ ...config, "current-context": "mine" }))
      unshare(1, "rollcall")
      assert.deepInclude(read(), { contexts: [], "current-context": "" })
    }))

  it("does not overwrite others' entries, and refuses a requested name that exists", () =>
    withFolder((folder) => {
      const named = PRODUCTION_KUBECONFIG.replaceAll("kubernetes-admin", "rollcall")
      const { file, options, read, refused, share } = setUp(folder, named)
      assert.strictEqual(share(1).name, "rollcall-2")
      assert.deepStrictEqual(read().users[0], parse(named).users[0])
      const text = readFileSync(file, "utf8")
      assert.include(
        refused(2, "rollcall"),
        "has users/rollcall, which is not Rollcall's; give this cluster another name"
      )
      assert.include(refused(2, "rollcall-2"), "is of a cluster that runs (process 1)")
      assert.include(Effect.runSync(Effect.flip(sharedName(options(2, "rollcall-2")))).message, "process 1")
      assert.strictEqual(readFileSync(file, "utf8"), text)
      assert.strictEqual(share(2, "mine").name, "mine")
    }))

  it("is one of several files: the first existing one is changed, as by kubectl, and no name of another is hidden", () =>
    withFolder((folder) => {
      const { read, share, unshare } = setUp(folder)
      const [missing, one, two] = ["missing", "one", "two"].map((name) => join(folder, name)) as [
        string,
        string,
        string
      ]
      writeFileSync(one, "")
      writeFileSync(two, PRODUCTION_KUBECONFIG.replaceAll("kubernetes-admin", "rollcall"))
      assert.deepStrictEqual(share(1, undefined, [missing, one, two]), { file: one, name: "rollcall-2" })
      assert.strictEqual(read(one)["current-context"], "rollcall-2")
      unshare(1, "rollcall-2", [one, two])
      assert.deepInclude(read(one), { clusters: [], contexts: [], users: [], "current-context": "" })
      assert.strictEqual(readFileSync(two, "utf8"), PRODUCTION_KUBECONFIG.replaceAll("kubernetes-admin", "rollcall"))
      assert.strictEqual(share(1, undefined, [missing, join(folder, "none")]).file, join(folder, "none"))
    }))

  it("is written to the target of a symbolic link, which is kept", () =>
    withFolder((folder) => {
      const { file, read, share, unshare } = setUp(folder)
      mkdirSync(join(folder, "dotfiles"))
      const real = join(folder, "dotfiles", "kube")
      symlinkSync(join("dotfiles", "kube"), file)
      share(1)
      assert.strictEqual(read(real)["current-context"], "rollcall")
      writeFileSync(real, PRODUCTION_KUBECONFIG)
      share(1)
      unshare(1, "rollcall")
      assert.isTrue(lstatSync(file).isSymbolicLink())
      assert.deepStrictEqual(read(real), parse(PRODUCTION_KUBECONFIG))
      assert.deepStrictEqual(readdirSync(join(folder, "dotfiles")), ["kube"])
    }))

  it("is refused and unchanged if a change would lose data", () =>
    withFolder((folder) => {
      const { file, refused } = setUp(folder)
      const cases: ReadonlyArray<readonly [string, string]> = [
        ["a: [", "not YAML"],
        ["kind: Pod\n", 'kind: found "Pod"'],
        ["my notes\n", 'found "my notes", expected object'],
        [`${PRODUCTION_KUBECONFIG}---\n${PRODUCTION_KUBECONFIG}`, "holds 2 documents, expected one"],
        ["x-own: &own []\nclusters: *own\n", "clusters: is no list, but refers to one"],
        // 8 to kubectl, 10 to others: written again it would be 10 to both.
        [`${PRODUCTION_KUBECONFIG}number: 010\n`, "cannot be written again without a change to entries of others"]
      ]
      for (const [text, expected] of cases) {
        writeFileSync(file, text)
        assert.include(refused(1), expected)
        assert.strictEqual(readFileSync(file, "utf8"), text)
      }
      writeFileSync(file, PRODUCTION_KUBECONFIG)
      linkSync(file, join(folder, "second"))
      assert.include(refused(1), "has several names (hard links)")
      assert.include(replacementObstacle(file, (process.geteuid?.() ?? 0) + 1) ?? "", "belongs to another user")
      assert.include(refused(1, undefined, [folder]), "is not a file")
      assert.deepStrictEqual(readdirSync(folder).toSorted(), ["config", "second"])
    }))

  it.effect("waits for kubectl's lock, refuses when it stays, and removes that of a killed process", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "rollcall-client-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
      )
      const { file, kill, names, options } = setUp(folder, PRODUCTION_KUBECONFIG)
      const attempt = (process: number) => Effect.exit(shareKubeconfig(entriesForPort(), options(process)))
      writeFileSync(`${file}.lock`, "", { mode: 0 })
      const stuck = yield* Effect.forkChild(attempt(1))
      yield* TestClock.adjust("10 seconds")
      assert.include(JSON.stringify(yield* Fiber.join(stuck)), "is locked by another program")
      assert.strictEqual(readFileSync(file, "utf8"), PRODUCTION_KUBECONFIG)
      const lock = JSON.stringify(options(2).processes.self)
      rmSync(`${file}.lock`)
      writeFileSync(`${file}.lock`, lock)
      kill(2)
      const freed = yield* Effect.forkChild(attempt(1))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(freed))._tag, "Success")
      assert.deepStrictEqual(names(), ["kubernetes-admin@kubernetes", "rollcall"])
      assert.deepStrictEqual(readdirSync(folder), ["config"])
    })
  )
})
