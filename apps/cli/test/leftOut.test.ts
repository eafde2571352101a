import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { makeFolder, run } from "./cli.ts"

interface Item {
  readonly kind: string
}
const completeSnapshot: { readonly items: ReadonlyArray<Item> } = JSON.parse(
  readFileSync(new URL("../fixtures/allKinds.json", import.meta.url), "utf8")
)
const kinds = [...new Set(completeSnapshot.items.map(({ kind }) => kind))]

const scenario = (file: string): string => `
apiVersion: rollcall.dev/v1alpha1
kind: Scenario
metadata: { name: outage }
spec:
  duration: 9m
  cluster: { snapshot: [${file}] }
  events:
    - { at: 1m, fault: partition, nodes: { zone: zone-b } }
`

interface Entry {
  readonly at: number
  readonly type: string
  readonly by?: string
  readonly pod?: string
}

interface CommandResult {
  readonly warnings: string
  readonly table: string
  readonly code: number
}

interface IncompleteSnapshotResults {
  readonly entries: ReadonlyArray<Entry>
  readonly simulate: CommandResult
  readonly drain: CommandResult
  readonly evictions: CommandResult
}

/** Runs the readers on the snapshot without the objects of one kind. */
const runWithoutKind = async (kind: string): Promise<IncompleteSnapshotResults> => {
  const items = completeSnapshot.items.filter((item) => item.kind !== kind)
  const at = makeFolder({ "c.json": JSON.stringify({ ...completeSnapshot, items }), "s.yaml": scenario("c.json") })
  const runCommand = async (...args: ReadonlyArray<string>): Promise<CommandResult> => {
    const { code, stderr, stdout } = await run(...args)
    return { code, warnings: stderr, table: stdout }
  }
  const result = await run("simulate", at("s.yaml"), "--quiet", "-o", "json")
  return {
    entries: result.stdout === "" ? [] : JSON.parse(result.stdout).trace,
    simulate: await runCommand("simulate", at("s.yaml")),
    drain: await runCommand(
      "plan",
      "drain",
      "b-0",
      "b-1",
      "--ignore-daemonsets",
      "--force",
      "--snapshot",
      at("c.json")
    ),
    evictions: await runCommand("plan", "evictions", "--snapshot", at("c.json"))
  }
}

const pods = ({ entries }: IncompleteSnapshotResults, type: string, is: (entry: Entry) => boolean = () => true) =>
  entries.flatMap((entry) => (entry.type === type && is(entry) ? [entry.pod ?? ""] : [])).toSorted()

/**
 * The warnings for each missing kind, by reader. The other readers do not need it here: no claim waits for its class, driver or
 * room, no pod selects namespaces, and all pods have their priority.
 */
const expectedWarnings: Readonly<
  Record<string, Readonly<Partial<Record<"simulate" | "drain" | "evictions", RegExp>>>>
> = {
  Pod: { simulate: /has no Pod: /, drain: /has no Pod: /, evictions: /has no Pod: / },
  ReplicaSet: { simulate: /lacks 2 ReplicaSets of 6 Pods/, drain: /lacks 2 ReplicaSets of 6 Pods/ },
  Deployment: { simulate: /lacks 1 Deployment of 1 ReplicaSet/, drain: /lacks 1 Deployment of 1 ReplicaSet/ },
  StatefulSet: { simulate: /lacks 1 StatefulSet of 3 Pods/, drain: /lacks 1 StatefulSet of 3 Pods/ },
  DaemonSet: { simulate: /lacks 1 DaemonSet of 7 Pods/, drain: /lacks 1 DaemonSet of 7 Pods/ },
  Job: { simulate: /lacks 1 Job of 2 Pods/ },
  ControllerRevision: { simulate: /lacks the ControllerRevisions of / },
  PodDisruptionBudget: { simulate: /has no PodDisruptionBudget: /, drain: /has no PodDisruptionBudget: / },
  PriorityClass: { simulate: /has no PriorityClass: pods name gold/ },
  EndpointSlice: { simulate: /has no EndpointSlice: / },
  Service: { simulate: /has no Service: /, drain: /has no Service: / },
  VolumeAttachment: { simulate: /has no VolumeAttachment: / },
  PersistentVolumeClaim: { simulate: /volumes of 3 claims are not/, drain: /volumes of 3 claims are not/ },
  PersistentVolume: { simulate: /volumes of 3 claims are not/, drain: /volumes of 3 claims are not/ },
  CSINode: { simulate: /has no CSINode: /, drain: /has no CSINode: / },
  Lease: { simulate: /has no Lease: /, evictions: /no Lease of kube-node-lease can be read/ }
}

describe("a snapshot of a live cluster", () => {
  const whole = runWithoutKind("")

  it("has every kind, and is read without a warning", async () => {
    assert.includeMembers(kinds, Object.keys(expectedWarnings))
    const { drain, evictions, simulate } = await whole
    assert.deepStrictEqual([simulate.warnings, drain.warnings, evictions.warnings], ["", "", ""])
    assert.deepStrictEqual([simulate.code, drain.code, evictions.code], [0, 1, 0])
    assert.include(drain.table, "is blocked")
    assert.include(evictions.table, "all nodes are healthy")
  }, 60_000)

  it("is refused without Nodes", async () => {
    const { drain, evictions, simulate } = await runWithoutKind("Node")
    assert.deepStrictEqual([simulate.code, drain.code, evictions.code], [2, 2, 2])
  }, 60_000)

  for (const kind of kinds.filter((one) => one !== "Node")) {
    it(`without ${kind}: says what is not known, and loses no pod for that`, async () => {
      const [all, left] = [await whole, await runWithoutKind(kind)]
      const readers = { simulate: left.simulate, drain: left.drain, evictions: left.evictions }
      for (const [reader, { table, warnings }] of Object.entries(readers)) {
        const gap = expectedWarnings[kind]?.[reader as keyof typeof readers]
        if (gap === undefined) assert.strictEqual(warnings, "", reader)
        else {
          assert.match(warnings, gap, reader)
          assert.match(table.replaceAll(/\s+/g, " "), gap, reader)
        }
      }
      if (kind === "Pod") return
      // Only the outage removes pods, and only the same ones.
      assert.deepStrictEqual(
        pods(left, "PodDeletionRequested", ({ by }) => by !== "taint-eviction"),
        []
      )
      assert.deepStrictEqual(pods(left, "PodDeletionRequested"), pods(all, "PodDeletionRequested"))
      assert.deepStrictEqual(
        pods(left, "PodCreated", ({ at }) => at < 60),
        []
      )
      assert.strictEqual(left.drain.code, kind === "PodDisruptionBudget" ? 0 : 1)
    }, 60_000)
  }

  it("does not count unknown objects", async () => {
    const [unpodded, unbudgeted, unleased] = [
      await runWithoutKind("Pod"),
      await runWithoutKind("PodDisruptionBudget"),
      await runWithoutKind("Lease")
    ]
    assert.match(unpodded.drain.table, /^Draining b-0, b-1: which pods leave, and for how long, is not known\.$/m)
    assert.include(unbudgeted.drain.table, "Nothing known blocks it; budgets are not known.")
    assert.match(unleased.evictions.table, /no node is known to be unhealthy\.$/m)
    assert.notInclude(unleased.evictions.table, "no pod is evicted")
  }, 60_000)

  it("reports kinds of which some objects were removed from the file", async () => {
    const items = completeSnapshot.items.filter(
      (item) => !JSON.stringify(item).includes('"PodDisruptionBudget","metadata":{"name":"db"')
    )
    assert.lengthOf(items, completeSnapshot.items.length - 1)
    const at = makeFolder({ "c.json": JSON.stringify({ ...completeSnapshot, items }) })
    const { stderr } = await run("plan", "drain", "b-0", "--ignore-daemonsets", "--force", "--snapshot", at("c.json"))
    assert.include(stderr, "the snapshot has 1 of the 2 PodDisruptionBudgets that were taken")
  }, 60_000)
})
