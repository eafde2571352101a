import { kindNames } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { modelledKinds } from "../src/input/kinds.ts"
import { snapshotKinds } from "../src/snapshot/snapshotKinds.ts"
import { entriesOf, planOf, run } from "./run.ts"

const zones = ["zone-a", "zone-b", "zone-c"]
const reference = (apiVersion: string, kind: string, name: string) => ({
  apiVersion,
  kind,
  name,
  uid: `uid-${name}`,
  controller: true
})

const nodes = zones.map((zone) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: zone.slice(-1), labels: { "topology.kubernetes.io/zone": zone } }
}))

const template = (app: string) => ({
  metadata: { labels: { app } },
  spec: { priorityClassName: "gold", containers: [{ name: "c", image: app }] }
})

const pod = (name: string, app: string, node: string, owner: object) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    namespace: "shop",
    uid: `uid-${name}`,
    labels: { app, "pod-template-hash": "1" },
    ownerReferences: [owner]
  },
  spec: { nodeName: node, priority: 1000, ...template(app).spec },
  status: { phase: "Running" }
})

const set = (kind: string, name: string, more: object, spec: object) => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name, namespace: "shop", uid: `uid-${name}`, ...more },
  spec: {
    selector: { matchLabels: { app: name.split("-")[0] } },
    template: template(name.split("-")[0] ?? ""),
    ...spec
  }
})

const web = reference("apps/v1", "ReplicaSet", "web-1")
const ownedPods = [
  ...nodes.map(({ metadata: { name } }) => pod(`web-1-${name}`, "web", name, web)),
  ...nodes.map(({ metadata: { name } }) =>
    pod(`agent-${name}`, "agent", name, reference("apps/v1", "DaemonSet", "agent"))
  ),
  pod("db-0", "db", "b", reference("apps/v1", "StatefulSet", "db")),
  pod("roll-0", "roll", "c", reference("argoproj.io/v1alpha1", "Rollout", "roll"))
]
const deployment = set("Deployment", "web", {}, { replicas: 3 })
const replicaSet = {
  ...set("ReplicaSet", "web-1", { ownerReferences: [reference("apps/v1", "Deployment", "web")] }, {}),
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web", "pod-template-hash": "1" } },
    template: { ...template("web"), metadata: { labels: { app: "web", "pod-template-hash": "1" } } }
  }
}
const budget = (more: object = {}) => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "web", namespace: "shop" },
  spec: { maxUnavailable: 1, selector: { matchLabels: { app: "web" } } },
  ...more
})

const scenarioOfSnapshot = (items: ReadonlyArray<object>, more: object = {}) =>
  ({
    spec: { duration: "15m", cluster: { snapshot: ["snapshot.json"] }, ...more },
    options: {
      files: { "snapshot.json": JSON.stringify({ apiVersion: "v1", kind: "List", items: [...nodes, ...items] }) }
    }
  }) as const

const outage = { events: [{ at: "1m", fault: "partition", nodes: { zone: "zone-b" } }] }

describe("a snapshot that lacks the owners of its pods", () => {
  const { options, spec } = scenarioOfSnapshot(ownedPods, outage)
  const result = run(spec, options)

  it("keeps the pods as they are, and creates none", () => {
    const unasked = entriesOf(result, "PodDeletionRequested").filter(({ by }) => by !== "taint-eviction")
    assert.deepStrictEqual(unasked, [])
    assert.deepStrictEqual(entriesOf(result, "PodCreated"), [])
    assert.deepStrictEqual(
      entriesOf(result, "PodDeletionRequested")
        .map((entry) => entry.pod)
        .toSorted(),
      ["agent-b", "db-0", "web-1-b"]
    )
  })

  it("reports what is missing, the consequences, and the pods that were not replaced", () => {
    const warningText = result.warnings.join("\n")
    assert.include(
      warningText,
      "lacks 1 ReplicaSet of 3 Pods (shop/web-1-a, shop/web-1-b and 1 more): the objects that they own are kept as they are"
    )
    assert.include(warningText, "lacks 1 DaemonSet of 3 Pods")
    assert.include(warningText, "lacks 1 StatefulSet of 1 Pod ")
    assert.include(
      warningText,
      "lacks 1 Rollout.argoproj.io of 1 Pod (shop/roll-0): Rollcall does not know what their controllers do"
    )
    assert.include(warningText, "has no PodDisruptionBudget: ")
    assert.include(warningText, "rollcall snapshot takes all kinds")
    assert.include(result.context.outside, "shop/StatefulSet/db")
    assert.deepInclude(result.context.owners, { "shop/db-0": "StatefulSet/db", "shop/web-1-b": "ReplicaSet/web-1" })
  })

  it("lets a drain assume that DaemonSets exist, as they do in the cluster", () => {
    const drained = scenarioOfSnapshot(ownedPods, {
      events: [{ at: "1m", do: "drain", ignoreDaemonsets: true, nodes: { names: ["c"] } }]
    })
    const after = run(drained.spec, drained.options)
    assert.notInclude(after.warnings.join("\n"), "not found")
    assert.deepStrictEqual(
      entriesOf(after, "PodDeleted")
        .map((entry) => entry.pod)
        .toSorted(),
      ["roll-0", "web-1-c"]
    )
  })
})

describe("a snapshot without", () => {
  it("Jobs lets their pods be deleted, although no Job counts them", () => {
    const job = pod("job-x", "job", "a", reference("batch/v1", "Job", "job"))
    const held = { ...job, metadata: { ...job.metadata, finalizers: ["batch.kubernetes.io/job-tracking"] } }
    const events = [{ at: "1m", do: "drain", nodes: { names: ["a"] } }]
    const { options, spec } = scenarioOfSnapshot([held], { events })
    const result = run(spec, options)
    assert.deepStrictEqual(
      entriesOf(result, "PodDeleted").map((entry) => entry.pod),
      ["job-x"]
    )
    assert.include(result.warnings.join("\n"), "lacks 1 Job of 1 Pod (shop/job-x)")
  })

  it("ReplicaSets does not let its Deployments create all pods again, and leaves their replicas unknown", () => {
    const expect = [{ name: "x", ready: { kind: "Deployment", namespace: "shop", name: "web" }, min: 0 }]
    const { options, spec } = scenarioOfSnapshot([deployment, ...ownedPods], { ...outage, expect })
    const result = run(spec, options)
    assert.deepStrictEqual(entriesOf(result, "PodCreated"), [])
    assert.deepInclude(result.expectations[0], {
      held: false,
      observed: "not known: the snapshot lacks its ReplicaSets"
    })
    assert.deepStrictEqual(result.summary.workloads, [])
  })

  it("Deployments lets its ReplicaSets replace pods, with the priority of the existing pods", () => {
    const { options, spec } = scenarioOfSnapshot([replicaSet, ...ownedPods], outage)
    const result = run(spec, options)
    assert.lengthOf(entriesOf(result, "PodCreated"), 1)
    assert.strictEqual(result.context.owners["shop/web-1-b"], "ReplicaSet/web-1")
    assert.deepStrictEqual(
      result.summary.workloads.map(({ kind, name }) => `${kind}/${name}`),
      ["ReplicaSet/web-1"]
    )
    assert.include(result.warnings.join("\n"), "lacks 1 Deployment of 1 ReplicaSet (shop/web-1)")
    assert.include(result.warnings.join("\n"), "has no PriorityClass: pods name gold; new pods get the priority")
  })

  it("ControllerRevisions rolls out nothing", () => {
    const sets = [set("DaemonSet", "agent", {}, {}), set("StatefulSet", "db", {}, { replicas: 1, serviceName: "db" })]
    const { options, spec } = scenarioOfSnapshot([...sets, ...ownedPods])
    const result = run(spec, options)
    assert.deepStrictEqual(entriesOf(result, "PodDeletionRequested"), [])
    assert.include(result.warnings.join("\n"), "lacks the ControllerRevisions of shop/agent, shop/db: ")
  })

  it("the owners that a budget counts keeps the budget's last desiredHealthy", () => {
    const status = { disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2, expectedPods: 3 }
    const events = [{ at: "1m", do: "drain", ignoreDaemonsets: true, force: true, nodes: { names: ["a", "b"] } }]
    const deleted = (more: object) => {
      const { options, spec } = scenarioOfSnapshot([budget(more), ...ownedPods], { events })
      const result = run(spec, options)
      const pods = entriesOf(result, "PodDeleted").map((entry) => entry.pod)
      return { web: pods.filter((name) => name.startsWith("web")), warnings: result.warnings.join("\n") }
    }
    // The first pod is not replaced, so the second must stay.
    assert.lengthOf(deleted({ status }).web, 1)
    const without = deleted({})
    assert.lengthOf(without.web, 0)
    assert.include(without.warnings, "budget shop/web has no status, and the snapshot lacks owners of its pods")
  })

  it("a kind that it declares empty lacks nothing", () => {
    const bare = { ...pod("bare", "x", "a", web), metadata: { name: "bare", namespace: "shop" } }
    const unowned = { ...bare, spec: { nodeName: "a", containers: [{ name: "c", image: "x" }] } }
    const warnings = (...more: ReadonlyArray<object>) => {
      const { options, spec } = scenarioOfSnapshot([unowned, ...more])
      return planOf(spec, options).warnings
    }
    assert.lengthOf(warnings(), 3)
    const empty = (apiVersion: string, kind: string) => ({ apiVersion, kind: `${kind}List`, items: [] })
    assert.deepStrictEqual(warnings(empty("policy/v1", "PodDisruptionBudget"), empty("v1", "Service")), [])
  })
})

describe("a snapshot with an autoscaler", () => {
  it("says that nothing scales without metrics", () => {
    const autoscaler = {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "web", namespace: "shop" },
      spec: { scaleTargetRef: { kind: "Deployment", name: "web" }, maxReplicas: 3 }
    }
    const { options, spec } = scenarioOfSnapshot([autoscaler])
    assert.include(
      planOf(spec, options).warnings.join("\n"),
      "the HorizontalPodAutoscalers shop/web keep the numbers of replicas"
    )
  })
})

describe("a snapshot with Jobs", () => {
  const behaviour = { "rollcall.dev/behaviour": '{"*": {"exitAfterSeconds": 9}}' }
  const job = (name: string, more: object = {}, annotations?: object) => ({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace: "shop", uid: `uid-${name}` },
    spec: { template: { metadata: { annotations }, spec: { containers: [{ name: "c", image: "x" }] } } },
    ...more
  })
  const cronJob = (name: string, suspend: boolean, annotations?: object) => ({
    ...job(name),
    kind: "CronJob",
    spec: { schedule: "0 * * * *", suspend, jobTemplate: { spec: job(name, {}, annotations).spec } }
  })
  const owner = { ...reference("batch/v1", "CronJob", "hourly") }
  const complete = { conditions: [{ type: "Complete", status: "True" }] }

  it("says whose containers do not end, as far as they run and nothing says when they do", () => {
    const items = [
      job("open"),
      job("told", {}, behaviour),
      job("done", { status: complete }),
      job("of-hourly", { metadata: { name: "of-hourly", namespace: "shop", ownerReferences: [owner] } }),
      cronJob("hourly", false),
      cronJob("paused", true),
      cronJob("annotated", false, behaviour)
    ]
    const { options, spec } = scenarioOfSnapshot(items)
    const warnings = planOf(spec, options).warnings.filter((warning) => warning.includes("containers of Jobs"))
    assert.deepStrictEqual(
      warnings.map((warning) => /those of (.*) run until/.exec(warning)?.[1]),
      ["CronJob shop/hourly, Job shop/open"]
    )
  })
})

describe("owners written by hand without a uid", () => {
  it("get the uid of the references", () => {
    const { uid: _, ...metadata } = replicaSet.metadata
    const { options, spec } = scenarioOfSnapshot([{ ...replicaSet, metadata }, ...ownedPods.slice(0, 3)], outage)
    const result = run(spec, options)
    assert.lengthOf(entriesOf(result, "PodCreated"), 1)
    assert.notInclude(result.warnings.join("\n"), "lacks 1 ReplicaSet")
  })
})

describe("sets written by hand without a uid and a namespace", () => {
  const ofHand = (kind: string, name: string) => {
    const { metadata: _, ...rest } = set(kind, name, {}, { replicas: 1, serviceName: name })
    return { ...rest, metadata: { name } }
  }
  const podOf = (name: string, more: object = {}) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, ...more },
    spec: { containers: [{ name: "c", image: "x" }] }
  })
  const warningsOf = (items: ReadonlyArray<object>) => {
    const { options, spec } = scenarioOfSnapshot(items)
    return planOf(spec, options).warnings.filter((warning) => warning.includes("ControllerRevisions"))
  }

  it("lack no revisions if they have no pods", () => {
    assert.deepStrictEqual(warningsOf([ofHand("StatefulSet", "db"), podOf("alone")]), [])
  })

  it("are named as those of the default namespace", () => {
    const owned = podOf("db-0", { ownerReferences: [reference("apps/v1", "StatefulSet", "db")] })
    const [warning = ""] = warningsOf([ofHand("StatefulSet", "db"), owned, podOf("alone")])
    assert.include(warning, "lacks the ControllerRevisions of default/db: ")
  })
})

describe("a snapshot that was taken during an outage", () => {
  const condition = (type: string, status: string) => ({ type, status, lastTransitionTime: "2026-01-01T00:00:00Z" })
  const unwell = (name: string, conditions: ReadonlyArray<object>, taints: ReadonlyArray<object> = []) => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "topology.kubernetes.io/zone": "zone-x" } },
    spec: { taints },
    status: { conditions }
  })
  const unreachable = (effect: string) => ({ key: "node.kubernetes.io/unreachable", effect })
  const items = [
    unwell("dead", [condition("Ready", "Unknown")], [unreachable("NoSchedule"), unreachable("NoExecute")]),
    unwell("unready", [condition("Ready", "False")]),
    unwell("full", [condition("Ready", "True"), condition("DiskPressure", "True")]),
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "on-dead", namespace: "shop" },
      spec: {
        nodeName: "dead",
        containers: [{ name: "c", image: "x" }],
        tolerations: [{ ...unreachable("NoExecute"), operator: "Exists", tolerationSeconds: 300 }]
      },
      status: { phase: "Running" }
    }
  ]
  const states = (more: object) => {
    const expect = [
      ["dead", "Ready", "Unknown"],
      ["unready", "Ready", "False"],
      ["full", "DiskPressure", "True"],
      ["a", "Ready", "True"]
    ].map(([node, type, status]) => ({ name: node, condition: { node, type, status }, from: "2m" }))
    const { options, spec } = scenarioOfSnapshot(items, { duration: "10m", expect, ...more })
    return run(spec, options)
  }

  it("keeps the state of its nodes, with a warning", () => {
    const result = states({})
    assert.deepStrictEqual(
      result.expectations.map(({ held }) => held),
      [true, true, true, true]
    )
    const table = result.warnings.join("\n")
    assert.include(table, "1 node of the snapshot was not heard of (dead): switched off until a `do: boot`")
    assert.include(table, "1 node of the snapshot was not ready (unready)")
    assert.include(table, "1 node of the snapshot was under DiskPressure (full)")
    assert.deepStrictEqual(
      entriesOf(result, "PodDeletionRequested").map((entry) => [entry.pod, entry.by, Math.round(entry.at)]),
      [["on-dead", "taint-eviction", 301]]
    )
  })

  it("recovers when the scenario boots the machines", () => {
    const events = [{ at: "1m", do: "boot", nodes: { names: ["dead", "unready", "full"] } }]
    const result = states({ events })
    assert.deepStrictEqual(
      result.expectations.map(({ held }) => held),
      [false, false, false, true]
    )
    assert.deepStrictEqual(entriesOf(result, "PodDeletionRequested"), [])
  })
})

describe("the kinds of a snapshot", () => {
  it("are distinct, without Secrets and ConfigMaps", () => {
    const names = snapshotKinds.map(({ kind }): string => kind)
    assert.strictEqual(new Set(names).size, names.length)
    assert.includeMembers([...kindNames], names)
    for (const kind of ["Secret", "ConfigMap", "Event"]) assert.notInclude(names, kind)
    assert.includeMembers([...modelledKinds], names)
  })
})
