import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { Host, type HostShape, runComponent } from "../src/index.ts"
import type { ComponentName } from "../src/programs/index.ts"

/** A process that keeps what it prints. */
const makeHost = (folder: string, told: (line: string) => void = () => undefined) => {
  const printed: Array<string> = []
  const host: HostShape = {
    environment: {},
    hostname: "test",
    homeFolder: folder,
    temporaryFolder: folder,
    wallClockMs: Date.now,
    processId: 1,
    print: (line) => {
      printed.push(line)
      told(line)
    },
    log: () => undefined,
    output: () => undefined,
    error: () => undefined,
    stdin: () => Promise.resolve("")
  }
  return { host, printed }
}

const folderOf = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "rollcall-components-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** A cluster of four nodes in two zones in this process; answers what runs commands against it. */
const makeCluster = Effect.gen(function* () {
  const folder = yield* folderOf
  const ready = yield* Deferred.make<void>()
  const { host } = makeHost(folder, (line) => {
    if (line.startsWith("export KUBECONFIG")) Deferred.doneUnsafe(ready, Effect.void)
  })
  const data = join(folder, "data")
  const up = runComponent("up", ["--nodes=4", "--zones=2", "--port=0", "--data-dir", data])
  yield* Effect.forkScoped(Effect.provideService(up, Host, host))
  yield* Deferred.await(ready)
  return (name: ComponentName, ...args: ReadonlyArray<string>) => {
    const own = makeHost(folder)
    return runComponent(name, [...args, "--kubeconfig", join(data, "admin.conf")]).pipe(
      Effect.provideService(Host, own.host),
      Effect.match({ onFailure: ({ message }) => [message], onSuccess: () => own.printed })
    )
  }
})

describe("commands that change a live fleet", () => {
  it.live(
    "begin, list and end faults, add nodes and take them away, and refuse what makes no sense",
    () =>
      Effect.gen(function* () {
        const run = yield* makeCluster
        assert.deepStrictEqual(yield* run("fault", "list"), ["No faults are on."])
        const [begun = ""] = yield* run("fault", "latency", "--zone=zone-a", "--by=200ms")
        const [, id = ""] = /^(latency-[0-9a-f]{6}) begins; rollcall fault end \1 ends it$/.exec(begun) ?? []
        const [head = "", row = ""] = yield* run("fault", "list")
        assert.match(head, /^ID +FAULT +WHERE +SINCE +FOR$/)
        assert.match(row, new RegExp(`^${id} +latency +zone=zone-a +\\d{4}-\\d\\d-\\d\\dT[\\d:]+Z +until ended$`))
        assert.deepStrictEqual(yield* run("fault", "end", id), [`${id} ends`])
        const [short = ""] = yield* run("fault", "crash", "--node=a-0,b-1", "--for=1s")
        assert.match(short, /^crash-[0-9a-f]{6} begins, for 1s$/)
        // What has an end takes itself off the list.
        while ((yield* run("fault", "list"))[0] !== "No faults are on.") yield* Effect.sleep(50)

        const refused: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
          [[], "say which fault"],
          [["partiton", "--node=a-0"], 'did you mean "partition"'],
          [["partition"], "partition needs --node, --zone, --group, --selector, --count or --fraction"],
          [["partition", "--node=a-0", "--for=soon"], "--for"],
          [["latency", "--node=a-0"], "--by: is required for latency"],
          [["loss", "--node=a-0", "--rate=2"], "--rate: is required for loss"],
          [["end"], "say which fault ends, or --all"],
          [["end", "crash-1"], 'no fault "crash-1" is on']
        ]
        for (const [args, message] of refused) assert.include((yield* run("fault", ...args))[0], message)

        assert.deepStrictEqual(yield* run("nodes", "add", "--zone=zone-b", "--count=2"), [
          "node/b-2 added",
          "node/b-3 added"
        ])
        assert.deepStrictEqual(yield* run("nodes", "add", "--group=c", "--zone=zone-c"), ["node/c-0 added"])
        assert.deepStrictEqual(yield* run("nodes", "remove", "b-2", "a-1"), ["node/b-2 removed", "node/a-1 removed"])
        // A name that was taken away is not given again.
        assert.deepStrictEqual(yield* run("nodes", "add", "--group=b"), ["node/b-4 added"])
        assert.deepStrictEqual(yield* run("nodes", "remove", "--group=c"), ["node/c-0 removed"])
        const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
          [["grow"], 'found "grow", expected add or remove'],
          [["add"], "nodes add needs --group or --zone"],
          [["add", "--zone=zone-a", "--count=0"], "--count: found 0"],
          [["add", "--group=a", "--zone=zone-b"], 'group "a" is in zone zone-a'],
          [["remove"], "nodes remove needs names, or --group"],
          [["remove", "a-1"], 'no modelled node "a-1"'],
          [["remove", "--group=d"], 'no group "d"']
        ]
        for (const [args, message] of wrong) assert.include((yield* run("nodes", ...args))[0], message)
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
    60_000
  )

  it.live(
    "say that there is no fleet, where there is none",
    () =>
      Effect.gen(function* () {
        const folder = yield* folderOf
        const { host } = makeHost(folder)
        const started = yield* Deferred.make<void>()
        const watching = { ...host, log: () => void Deferred.doneUnsafe(started, Effect.void) }
        const server = runComponent("apiserver", ["--secure-port=0", "--data-dir", join(folder, "data")])
        yield* Effect.forkScoped(Effect.provideService(server, Host, watching))
        yield* Deferred.await(started)
        const failed = yield* runComponent("nodes", [
          "add",
          "--zone=z",
          "--kubeconfig",
          join(folder, "data", "admin.conf")
        ]).pipe(Effect.provideService(Host, host), Effect.flip)
        assert.include(failed.message, "this cluster has no fleet of modelled nodes")
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
    60_000
  )
})
