import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { Host, type HostShape, runComponent } from "../src/index.ts"
import type { ComponentName } from "../src/programs/index.ts"

/** A process that records its output. */
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

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "rollcall-components-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** Starts a cluster of four nodes in two zones in this process; returns a function that runs commands against it. */
const makeCluster = Effect.gen(function* () {
  const folder = yield* temporaryFolder
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
        const [begun = "", way] = yield* run("fault", "latency", "--zone=zone-a", "--by=200ms")
        if (way === undefined) assert.fail(begun)
        const [, id = ""] = /^(latency-[0-9a-f]{6}) begins on 2 nodes: a-0, a-1$/.exec(begun) ?? []
        assert.strictEqual(way, `rollcall fault end ${id}   ends it`)
        const [head = "", row = ""] = yield* run("fault", "list")
        assert.match(head, /^ID +FAULT +WHERE +NODES +SINCE +FOR$/)
        assert.match(row, new RegExp(`^${id} +latency +zone=zone-a +2 +\\d{4}-\\d\\d-\\d\\dT[\\d:]+Z +until ended$`))
        assert.deepStrictEqual(yield* run("fault", "end", id), [`${id} ends`])
        const [short = ""] = yield* run("fault", "crash", "--node=a-0,b-1", "--for=1s")
        assert.match(short, /^crash-[0-9a-f]{6} begins on 2 nodes for 1s: a-0, b-1$/)
        // A fault with an end is removed from the list.
        while ((yield* run("fault", "list"))[0] !== "No faults are on.") yield* Effect.sleep(50)
        assert.deepStrictEqual(yield* run("fault", "end", "--all"), ["No faults are on."])
        const [some = ""] = yield* run("fault", "memory-pressure", "--group=a", "--count=5", "--available=1Gi")
        assert.match(some, /^memory-pressure-[0-9a-f]{6} begins on 2 nodes of the 5 asked for: a-0, a-1$/)
        const [down = ""] = yield* run("fault", "controller-restart", "--component=kube-scheduler", "--for=10m")
        assert.match(down, /^controller-restart-[0-9a-f]{6} begins for 10m$/)
        assert.lengthOf(yield* run("fault", "end", "--all"), 2)

        const refused: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
          [[], "say which fault"],
          [["partiton", "--node=a-0"], 'FAULT: found "partiton", expected one of partition, crash, '],
          [["partition"], "partition needs --node, --zone, --group, --selector, --count or --fraction"],
          [["partition", "--node=a-0", "--for=soon"], "--for"],
          [["latency", "--node=a-0"], "--by: is required for latency"],
          [["loss", "--node=a-0"], "--rate: is required for loss"],
          [["loss", "--node=a-0", "--rate=0"], "--rate: found 0, expected a number above 0"],
          [["clock-skew", "--node=a-0", "--by=0s"], '--by: found "0s", expected a duration other than 0'],
          [["loss", "--node=a-0", "--rate=2"], "--rate: found 2, expected a number from 0 to 1"],
          [["crash", "--node=a-00"], '--node: no node "a-00" in this cluster; did you mean "a-0"?'],
          [["crash", "--zone=zone-bb"], '--zone: no zone "zone-bb" in this cluster; did you mean "zone-b"?'],
          [["crash", "--group=bb"], '--group: no node group "bb" in this cluster; did you mean "b"?'],
          [
            ["crash", "--selector=topology.kubernetes.io/zone=zone-aa"],
            '--selector: selects none of the 4 modelled nodes; did you mean "topology.kubernetes.io/zone=zone-a"?'
          ],
          [["crash", "--selector=a in (("], "--selector: not a label selector"],
          [["crash", "--zone=zone-a", "--node=b-0"], "selects none of the 4 modelled nodes"],
          [["crash", "--count=0"], "--count: found 0, expected a whole number above 0"],
          [["crash", "--count=1", "--fraction=0.5"], "--count: stands beside fraction"],
          [["crash", "--node=a-0", "--by=1s"], "--by: has no meaning for crash"],
          [["crash", "--node=a-0", "--all"], "--all: has no meaning for fault crash"],
          [["crash", "a-0"], 'found "a-0", fault crash takes flags only'],
          [["list", "a-0"], 'found "a-0", fault list takes flags only'],
          [["end", "--zone=zone-a"], "--zone: has no meaning for fault end"],
          [["cloud-delete", "--node=a-0"], "cloud-delete was refused: the machines of this fleet have no cloud"],
          [["controller-restart", "--component=kube-schduler"], 'did you mean "kube-scheduler"?'],
          [["end"], "say which fault ends, or --all"],
          [["end", "crash-1"], 'no fault "crash-1" is on']
        ]
        for (const [args, message] of refused) assert.include((yield* run("fault", ...args))[0], message)

        assert.deepStrictEqual(yield* run("nodes", "add", "--zone=zone-b", "--count=2"), [
          "2 nodes added to group b in zone-b: b-2, b-3"
        ])
        assert.deepStrictEqual(yield* run("nodes", "add", "--group=c", "--zone=zone-c"), [
          "1 node added to group c in zone-c: c-0"
        ])
        assert.deepStrictEqual(yield* run("nodes", "remove", "b-2", "a-1", "b-2"), ["2 nodes removed: b-2, a-1"])
        // The name of a removed node is not reused.
        assert.deepStrictEqual(yield* run("nodes", "add", "--group=b"), ["1 node added to group b in zone-b: b-4"])
        assert.deepStrictEqual(yield* run("nodes", "remove", "--group=c"), ["1 node removed with group c: c-0"])
        const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
          [["grow"], 'found "grow", expected add or remove'],
          [["add"], "nodes add needs --group or --zone"],
          [["add", "--zone=zone-a", "--count=0"], "--count: found 0"],
          [["add", "--group=a", "--zone=zone-b"], 'group "a" is in zone zone-a'],
          [["add", "--group=A_b"], '--group: found "A_b", expected a name of lower case letters'],
          [["add", "--group=q", "--capacity=cpu=abc"], '--capacity: found "abc", expected a quantity'],
          [["add", "--group=a", "--labels=x=y"], '--labels: group "a" is there already, with its own labels'],
          [["add", "a-9"], 'found "a-9", nodes add takes flags only'],
          [["remove", "a-0", "--count=3"], "--count: has no meaning for nodes remove"],
          [["remove", "a-0", "--group=a"], "nodes remove takes names or --group, not both"],
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
        const folder = yield* temporaryFolder
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
