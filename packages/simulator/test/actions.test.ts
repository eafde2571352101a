import { assert, describe, it } from "vitest"
import { actions as actionNames, type ScenarioDocument } from "../src/input/Scenario.ts"
import { entriesOf, podWithoutOwner, run } from "./run.ts"

type Event = NonNullable<ScenarioDocument["spec"]["events"]>[number]

const deployment = (replicas: number, image = "web:1") => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image }] } }
  }
})

const cluster = {
  nodes: [
    { name: "a", count: 2, zone: "zone-a" },
    { name: "b", count: 1, zone: "zone-b", labels: { pool: "b" } }
  ],
  objects: [deployment(2), podWithoutOwner("p", "a-0")]
}
const a0 = { names: ["a-0"] }

/** Actions at the minutes given. */
const runEvents = (...events: ReadonlyArray<Event>) => run({ duration: "8m", cluster, events })

const taints = (result: ReturnType<typeof run>) =>
  [...entriesOf(result, "TaintAdded"), ...entriesOf(result, "TaintRemoved")]
    .filter(({ key }) => !key.startsWith("node.kubernetes.io/") || key.endsWith("out-of-service"))
    .map(({ at, effect, key, node, type, value }) => [at, type, node, key, value, effect])

const deletions = (result: ReturnType<typeof run>, pod: string) =>
  entriesOf(result, "PodDeletionRequested")
    .filter((entry) => entry.pod.startsWith(pod))
    .map(({ at, by, gracePeriodSeconds }) => [Math.floor(at), by, gracePeriodSeconds])

const table: Readonly<Record<(typeof actionNames)[number], () => void>> = {
  apply: () => {
    const result = runEvents(
      { at: "1m", do: "apply", objects: [podWithoutOwner("late", "a-1")] },
      { at: "2m", do: "apply", objects: [deployment(3)] }
    )
    assert.deepInclude(
      entriesOf(result, "PodCreated").find(({ pod }) => pod === "late"),
      { at: 60, node: "a-1", owner: null }
    )
    const web = entriesOf(result, "PodCreated").filter(({ pod }) => pod.startsWith("web"))
    assert.lengthOf(web, 3)
    assert.isAtLeast(web[2]?.at ?? 0, 120)
  },
  delete: () => {
    const result = runEvents(
      { at: "1m", do: "delete", object: { kind: "Pod", name: "p" } },
      { at: "2m", do: "delete", objects: [deployment(2)] },
      { at: "3m", do: "delete", object: { kind: "Pod", name: "nobody" } }
    )
    assert.deepStrictEqual(deletions(result, "p")[0], [60, "user", 30])
    assert.isTrue(entriesOf(result, "PodDeleted").some(({ pod }) => pod === "p"))
    assert.deepStrictEqual(result.warnings, [])
    const gone = entriesOf(result, "PodDeleted").filter(({ pod }) => pod.startsWith("web"))
    assert.lengthOf(gone, 2)
    assert.deepStrictEqual(
      deletions(result, "web")
        .map(([, by]) => by)
        .filter((by) => by !== "workload"),
      []
    )
  },
  patch: () => {
    const result = runEvents({
      at: "1m",
      do: "patch",
      object: { kind: "Node", name: "a-1" },
      patch: { spec: { unschedulable: true } }
    })
    assert.deepStrictEqual(
      entriesOf(result, "CordonChanged").map(({ at, node }) => [at, node]),
      [[60, "a-1"]]
    )
  },
  cordon: () => {
    const result = runEvents(
      { at: "1m", do: "cordon", nodes: { zone: "zone-a" } },
      {
        at: "2m",
        do: "scale",
        object: { kind: "Deployment", name: "web" },
        replicas: 6
      }
    )
    const late = entriesOf(result, "PodScheduled").filter(({ at }) => at > 60)
    assert.deepStrictEqual(new Set(late.map(({ node }) => node)), new Set(["b-0"]))
  },
  uncordon: () => {
    const result = runEvents({ at: "1m", do: "cordon", nodes: a0 }, { at: "2m", do: "uncordon", nodes: a0 })
    assert.deepStrictEqual(
      entriesOf(result, "CordonChanged").map(({ at, unschedulable }) => [at, unschedulable]),
      [
        [60, true],
        [120, false]
      ]
    )
  },
  drain: () => {
    const result = runEvents({ at: "1m", do: "drain", nodes: a0, force: true, gracePeriodSeconds: 5 })
    assert.deepInclude(entriesOf(result, "CordonChanged")[0], { node: "a-0", unschedulable: true })
    assert.deepStrictEqual(deletions(result, "p")[0], [60, "drain", 5])
    assert.isTrue(result.warnings.some((text) => text.endsWith("deleting Pods that declare no controller: default/p")))
  },
  taint: () => {
    const result = runEvents({ at: "1m", do: "taint", nodes: a0, taint: { key: "k", value: "v", effect: "NoExecute" } })
    assert.deepStrictEqual(taints(result), [[60, "TaintAdded", "a-0", "k", "v", "NoExecute"]])
    assert.deepStrictEqual(deletions(result, "p")[0], [60, "taint-eviction", 30])
  },
  untaint: () => {
    const result = runEvents(
      { at: "1m", do: "taint", nodes: a0, taint: { key: "k", effect: "NoSchedule" } },
      { at: "1m", do: "taint", nodes: a0, taint: { key: "k", effect: "PreferNoSchedule" } },
      { at: "2m", do: "untaint", nodes: a0, taint: { key: "k", effect: "NoSchedule" } },
      { at: "3m", do: "untaint", nodes: a0, taint: { key: "k" } }
    )
    assert.deepStrictEqual(
      taints(result).map(([at, type, , , , effect]) => [at, type, effect]),
      [
        [60, "TaintAdded", "NoSchedule"],
        [60, "TaintAdded", "PreferNoSchedule"],
        [120, "TaintRemoved", "NoSchedule"],
        [180, "TaintRemoved", "PreferNoSchedule"]
      ]
    )
  },
  label: () => {
    const result = runEvents(
      { at: "1m", do: "label", nodes: a0, labels: { pool: "b" } },
      { at: "2m", do: "cordon", nodes: { selector: "pool=b" } },
      { at: "3m", do: "label", nodes: { selector: "pool=b" }, labels: { pool: null } },
      { at: "4m", do: "uncordon", nodes: { selector: "pool=b" } },
      { at: "5m", do: "label", nodes: a0, labels: { "topology.kubernetes.io/zone": "zone-z" } },
      { at: "6m", do: "taint", nodes: { zone: "zone-z" }, taint: { key: "moved", effect: "PreferNoSchedule" } }
    )
    assert.deepStrictEqual(
      entriesOf(result, "TaintAdded").flatMap(({ key, node }) => (key === "moved" ? [node] : [])),
      ["a-0"]
    )
    assert.deepStrictEqual(
      entriesOf(result, "CordonChanged").map(({ at, node }) => [at, node]),
      [
        [120, "a-0"],
        [120, "b-0"]
      ]
    )
  },
  resize: () => {
    const web = { kind: "Deployment", name: "web" }
    const result = runEvents(
      { at: "1m", do: "resize", object: web, resources: { requests: { cpu: "2" } } },
      { at: "1m", do: "resize", object: { kind: "Pod", name: "p" }, resources: { requests: { cpu: "100m" } } },
      { at: "2m", do: "resize", object: web, container: "web", resources: { requests: { cpu: "900" } } }
    )
    // Pods without requests would change their quality of service.
    assert.lengthOf(result.warnings, 3)
    assert.match(result.warnings[0] ?? "", /Pod QOS Class may not change as a result of resizing/)
    assert.deepStrictEqual(entriesOf(result, "PodConditionChanged"), [])
    const requests = { cpu: "100m" }
    const sized = deployment(2)
    const [container] = sized.spec.template.spec.containers
    const objects = [
      {
        ...sized,
        spec: {
          ...sized.spec,
          template: { ...sized.spec.template, spec: { containers: [{ ...container, resources: { requests } }] } }
        }
      }
    ]
    const resized = run({
      duration: "3m",
      cluster: { ...cluster, objects },
      events: [{ at: "1m", do: "resize", object: web, resources: { requests: { cpu: "2" } } }]
    })
    assert.deepStrictEqual(
      entriesOf(resized, "PodConditionChanged").map(({ at, condition, status }) => [Math.floor(at), condition, status]),
      [
        [60, "PodResizeInProgress", "True"],
        [60, "PodResizeInProgress", "True"],
        [60, "PodResizeInProgress", "False"],
        [60, "PodResizeInProgress", "False"]
      ]
    )
  },
  scale: () => {
    const result = runEvents(
      { at: "1m", do: "scale", object: { kind: "Deployment", name: "web" }, replicas: 4 },
      { at: "2m", do: "scale", object: { kind: "Deployment", name: "web" }, replicas: 1 }
    )
    assert.lengthOf(
      entriesOf(result, "PodCreated").filter(({ at, pod }) => pod.startsWith("web") && at >= 60),
      2
    )
    assert.deepStrictEqual(
      deletions(result, "web")
        .filter(([, , grace]) => grace === 30)
        .map(([at, by]) => [at, by]),
      [
        [120, "workload"],
        [120, "workload"],
        [120, "workload"]
      ]
    )
  },
  poweroff: () => {
    const result = runEvents({ at: "2m", do: "poweroff", nodes: a0 })
    const lost = entriesOf(result, "ConditionChanged").filter((entry) => entry.condition === "Ready" && entry.at > 60)
    assert.deepStrictEqual(
      lost.map(({ node, to }) => [node, to]),
      [["a-0", "Unknown"]]
    )
  },
  boot: () => {
    const result = runEvents({ at: "2m", do: "poweroff", nodes: a0 }, { at: "5m", do: "boot", nodes: a0 })
    assert.deepStrictEqual(
      entriesOf(result, "ConditionChanged")
        .filter((entry) => entry.condition === "Ready" && entry.at > 60)
        .map(({ node, to }) => [node, to]),
      [
        ["a-0", "Unknown"],
        ["a-0", "True"]
      ]
    )
  },
  shutdown: () => {
    const result = runEvents({ at: "2m", do: "shutdown", nodes: a0 })
    assert.deepStrictEqual(
      entriesOf(result, "ShutdownFinished").map(({ at, node }) => [at, node]),
      [[121, "a-0"]]
    )
  },
  "cancel-shutdown": () => {
    const kubelet = { shutdownGracePeriod: "20s" }
    const result = run({
      duration: "8m",
      cluster: { ...cluster, nodes: [{ name: "a", kubelet }] },
      events: [
        { at: "2m", do: "shutdown", nodes: a0 },
        { at: "2m", do: "cancel-shutdown", nodes: a0 }
      ]
    })
    assert.deepStrictEqual(
      entriesOf(result, "ShutdownCancelled").map(({ at, node }) => [at, node]),
      [[121, "a-0"]]
    )
    assert.isEmpty(entriesOf(result, "ShutdownFinished"))
  },
  "out-of-service": () => {
    const result = runEvents({ at: "2m", do: "poweroff", nodes: a0 }, { at: "4m", do: "out-of-service", nodes: a0 })
    assert.deepStrictEqual(taints(result), [
      [240, "TaintAdded", "a-0", "node.kubernetes.io/out-of-service", "nodeshutdown", "NoExecute"]
    ])
    // The taint evicts it at once, and the pod garbage collector deletes it, because no kubelet will confirm.
    assert.deepStrictEqual(deletions(result, "p")[0], [240, "taint-eviction", 30])
    assert.isTrue(entriesOf(result, "PodDeleted").some(({ pod }) => pod === "p"))
  },
  "clear-out-of-service": () => {
    const result = runEvents(
      { at: "2m", do: "poweroff", nodes: a0 },
      { at: "4m", do: "out-of-service", nodes: a0 },
      { at: "5m", do: "clear-out-of-service", nodes: a0 }
    )
    assert.deepStrictEqual(
      taints(result).map(([at, type]) => [at, type]),
      [
        [240, "TaintAdded"],
        [300, "TaintRemoved"]
      ]
    )
  }
}

describe("the effect of an action:", () => {
  for (const name of actionNames) it(name, table[name])
})

describe("an action that the API refuses", () => {
  it("is a warning that names the event", () => {
    const result = runEvents(
      { at: "1m", do: "scale", object: { kind: "Deployment", name: "nobody" }, replicas: 1 },
      { at: "2m", do: "patch", object: { kind: "Node", name: "a-0" }, patch: { spec: { taints: [{ key: "" }] } } }
    )
    assert.deepStrictEqual(
      result.warnings.map((warning) => warning.slice(0, 46)),
      ["spec.events[0]: the API refused: deployments.a", 'spec.events[1]: the API refused: Node "a-0" is']
    )
    assert.lengthOf(entriesOf(result, "Action"), 2)
  })
})
