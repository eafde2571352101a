import { X509Certificate } from "node:crypto"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { processesOf } from "@rollcall/kube-client"
import { openPki } from "@rollcall/pki"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { adminKubeconfig } from "../src/apiserver/adminKubeconfig.ts"
import { keepCertificates } from "../src/apiserver/CertificateKeeper.ts"
import { judgePermissions } from "../src/apiserver/protectFolder.ts"
import { Host, type HostShape, runComponent } from "../src/index.ts"

const NOW_MS = 1_780_000_000_000
const DAY_MS = 86_400_000

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "rollcall-folder-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const hostWith = (wallClockMs: () => number, log: (line: string) => void): HostShape => ({
  environment: {},
  hostname: "test",
  homeFolder: "",
  temporaryFolder: tmpdir(),
  processId: 1,
  wallClockMs,
  print: () => undefined,
  log,
  output: () => undefined,
  error: () => undefined,
  stdin: () => Promise.resolve("")
})

/** Runs an API server until it serves; returns its log, or why it did not start. `during` runs while it serves. */
const serveInFolder = (
  folder: string,
  args: ReadonlyArray<string> = [],
  options: { readonly nowMs?: number; readonly during?: () => void } = {}
) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const ready = yield* Deferred.make<void>()
    const log = (line: string) => {
      lines.push(line)
      if (line.includes("Serving the Kubernetes API")) Deferred.doneUnsafe(ready, Effect.void)
    }
    const all = ["--data-dir", folder, ...(args.includes("--secure-port") ? [] : ["--secure-port=0"]), ...args]
    const server = yield* Effect.forkScoped(
      Effect.provideService(
        runComponent("apiserver", all),
        Host,
        hostWith(() => options.nowMs ?? Date.now(), log)
      )
    )
    yield* Effect.raceFirst(Deferred.await(ready), Fiber.join(server))
    options.during?.()
    yield* Fiber.interrupt(server)
    return lines.join("\n")
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

const refusal = (...args: Parameters<typeof serveInFolder>) =>
  Effect.flip(serveInFolder(...args)).pipe(
    Effect.map((error) => String((error as { readonly message: string }).message))
  )

describe("the folder of a cluster", () => {
  it("belongs to its user alone, or is mended, or refused", () => {
    assert.strictEqual(judgePermissions({ owner: 1000, mode: 0o100600 }, 1000), "leave")
    assert.strictEqual(judgePermissions({ owner: 1000, mode: 0o100640 }, 1000), "restrict")
    assert.strictEqual(judgePermissions({ owner: 1000, mode: 0o40701 }, 1000), "restrict")
    assert.strictEqual(judgePermissions({ owner: 0, mode: 0o40755 }, 1000), "leave")
    assert.strictEqual(judgePermissions({ owner: 1001, mode: 0o40700 }, 1000), "refuse")
    assert.strictEqual(judgePermissions({ owner: 1000, mode: 0o40700 }, 0), "refuse")
  })

  it.live(
    "is mended with a warning, and what it has is not written again",
    () =>
      Effect.gen(function* () {
        const folder = join(yield* temporaryFolder, "data")
        const mode = (name: string) => statSync(join(folder, name)).mode & 0o777
        assert.notInclude(yield* serveInFolder(folder), "narrowed")
        assert.deepStrictEqual([mode(""), mode("admin.conf"), mode("store.sqlite")], [0o700, 0o600, 0o600])
        for (const name of ["", "pki"]) chmodSync(join(folder, name), 0o755)
        for (const name of ["admin.conf", "store.sqlite", "store.sqlite-acked"]) chmodSync(join(folder, name), 0o644)
        const log = yield* serveInFolder(folder)
        for (const name of ["data", "pki", "admin.conf", "store.sqlite", "store.sqlite-acked"]) {
          assert.match(log, new RegExp(`permissions have been narrowed.*${name}"? `), name)
        }
        assert.deepStrictEqual(
          [mode(""), mode("pki"), mode("admin.conf"), mode("store.sqlite")],
          [0o700, 0o700, 0o600, 0o600]
        )
      }),
    60_000
  )

  it.live(
    "is refused when its store lacks what was acknowledged, until that is accepted",
    () =>
      Effect.gen(function* () {
        const folder = join(yield* temporaryFolder, "data")
        const [store, kept] = [join(folder, "store.sqlite"), join(folder, "kept")]
        yield* serveInFolder(folder, [], { during: () => copyFileSync(store, kept) })
        // The file from before the write-ahead log was checkpointed: as if the process had been killed, and the log removed.
        copyFileSync(kept, store)
        const message = yield* refusal(folder)
        assert.match(
          message,
          /store\.sqlite ends at revision 0 but revision \d+ was acknowledged: revisions 1 to \d+ are missing/
        )
        assert.include(message, "--accept-data-loss")
        const log = yield* serveInFolder(folder, ["--accept-data-loss"])
        assert.match(log, /Opened the store without acknowledged writes.*revisions 1 to/)
        assert.notInclude(yield* serveInFolder(folder), "Opened the store without")
      }),
    60_000
  )

  it.live(
    "is not begun when the kubeconfig cannot be put where it was asked for",
    () =>
      Effect.gen(function* () {
        const root = yield* temporaryFolder
        const [folder, file, link] = [join(root, "data"), join(root, "notes"), join(root, "link")]
        writeFileSync(file, "my notes\n")
        symlinkSync(file, link)
        assert.match(
          yield* refusal(folder, ["--kubeconfig-out", file]),
          /--kubeconfig-out.*is no kubeconfig; it is not overwritten/
        )
        assert.match(yield* refusal(folder, ["--kubeconfig-out", link]), /--kubeconfig-out.*is a symbolic link/)
        assert.strictEqual(readFileSync(file, "utf8"), "my notes\n")
        assert.isFalse(existsSync(join(folder, "store.sqlite")))
      }),
    60_000
  )
})

const pkiIn = (folder: string, nowMs: number) => openPki({ folder: join(folder, "pki"), nowMs })

describe("the administrator's kubeconfig", () => {
  it.effect("is written only if the file is outdated, and a failed write does not stop the server", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const file = join(folder, "admin.conf")
      const pki = yield* pkiIn(folder, NOW_MS)
      const options = {
        file,
        name: "rollcall",
        url: "https://127.0.0.1:6443",
        pki,
        nowMs: NOW_MS,
        ownMs: NOW_MS,
        processes: processesOf("test", process.pid)
      }
      const made = yield* adminKubeconfig(options)
      const { ino } = statSync(file)
      assert.deepStrictEqual(yield* adminKubeconfig({ ...options, nowMs: NOW_MS + 300 * DAY_MS }), made)
      assert.strictEqual(statSync(file).ino, ino)
      const moved = yield* adminKubeconfig({ ...options, url: "https://127.0.0.1:7443" })
      assert.deepStrictEqual(moved.users, made.users)
      assert.include(readFileSync(file, "utf8"), ":7443")
      for (const days of [-400, 400]) {
        const nowMs = NOW_MS + days * DAY_MS
        const { users } = yield* adminKubeconfig({ ...options, nowMs })
        const pem = Buffer.from(users?.[0]?.user["client-certificate-data"] ?? "", "base64").toString()
        const { validFromDate, validToDate } = new X509Certificate(pem)
        for (const time of [nowMs, NOW_MS]) {
          assert.isBelow(validFromDate.getTime(), time)
          assert.isAbove(validToDate.getTime(), time)
        }
      }
      const nowhere = yield* adminKubeconfig({ ...options, file: "/dev/null/admin.conf" })
      assert.strictEqual(nowhere.clusters?.[0]?.cluster.server, options.url)
    })
  )
})

describe("a clock that is set while a server runs", () => {
  it.effect("is checked again after a check that throws, which is logged", () =>
    Effect.gen(function* () {
      const pki = yield* pkiIn(yield* temporaryFolder, NOW_MS)
      let looks = 0
      yield* keepCertificates({
        openKeys: () => {
          looks++
          if (looks === 2) throw new Error("by hand")
          return looks === 3 ? Effect.die(new Error("by hand")) : Effect.succeed(pki)
        },
        pki,
        listening: { host: "", port: 0, renew: () => {} },
        updateDerived: () => Effect.void
      }).pipe(
        Effect.provideService(
          Host,
          hostWith(
            () => NOW_MS,
            () => undefined
          )
        )
      )
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(looks, 4)
    })
  )

  it.effect("has it serve certificates that are good by the new time, in both directions", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      let nowMs = NOW_MS
      const pki = yield* pkiIn(folder, nowMs)
      const certificates: Array<X509Certificate> = []
      const logged: Array<number> = []
      yield* keepCertificates({
        openKeys: (at) => pkiIn(folder, at),
        pki,
        listening: {
          host: "",
          port: 0,
          renew: ({ cert }) => void certificates.push(new X509Certificate(cert))
        },
        updateDerived: (_, at) => Effect.sync(() => void logged.push(at))
      }).pipe(
        Effect.provideService(
          Host,
          hostWith(
            () => nowMs,
            () => undefined
          )
        )
      )
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(certificates, [])
      for (const days of [400, 0, -400]) {
        nowMs = NOW_MS + days * DAY_MS
        yield* TestClock.adjust("30 seconds")
        const { validFromDate, validToDate } = certificates.at(-1) as X509Certificate
        assert.isBelow(validFromDate.getTime(), nowMs, `${days} days`)
        assert.isAbove(validToDate.getTime(), nowMs, `${days} days`)
        assert.strictEqual(logged.at(-1), nowMs)
      }
      assert.strictEqual(certificates.length, 3)
      // Before the CA is valid: the current certificate stays.
      nowMs = NOW_MS - 4000 * DAY_MS
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(certificates.length, 3)
    })
  )
})
