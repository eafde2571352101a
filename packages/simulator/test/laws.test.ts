import type { Node, PersistentVolume, Pod, PodDisruptionBudget } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { budgets } from "../src/invariants/budgets.ts"
import { capacity } from "../src/invariants/capacity.ts"
import { cidrs } from "../src/invariants/cidrs.ts"
import type { ClusterState, Invariant } from "../src/invariants/Invariant.ts"
import { kubeletKills } from "../src/invariants/kubeletKills.ts"
import { revisions } from "../src/invariants/revisions.ts"
import { shutdownOrder } from "../src/invariants/shutdownOrder.ts"
import { volumes } from "../src/invariants/volumes.ts"
import type { TraceEntry } from "../src/trace/TraceEntry.ts"

const node = (name: string, more: Partial<Node> = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, uid: `uid-${name}` },
  status: { allocatable: { cpu: "2", memory: "4Gi", pods: "3" } },
  ...more
})

const pod = (name: string, { cpu = "1", nodeName = "", phase = "Pending", ready = false } = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", uid: `uid-${name}`, labels: { app: "web" } },
  spec: {
    ...(nodeName === "" ? {} : { nodeName }),
    containers: [{ name: "c", image: "x", resources: { requests: { cpu } } }]
  },
  status: { phase, conditions: [{ type: "Ready", status: ready ? "True" : "False" }] }
})

const emptyView: ClusterState = {
  node: () => undefined,
  pod: () => undefined,
  pods: () => [],
  budgets: () => [],
  claim: () => undefined,
  volume: () => undefined
}

/** Returns what an invariant reports on a sequence of changes. */
const reportsOf = (
  make: (report: (message: string) => void) => Invariant,
  steps: (invariant: Required<Invariant>) => void
): ReadonlyArray<string> => {
  const reports: Array<string> = []
  const quiet = {
    entry: () => {},
    pod: () => {},
    node: () => {},
    volume: () => {},
    passEnded: () => {},
    tick: () => {}
  }
  steps({ ...quiet, ...make((message) => reports.push(message)) })
  return reports
}

describe("capacity", () => {
  const known: ClusterState = { ...emptyView, node: (name) => node(name) }
  const bind = (see: Required<Invariant>, name: string, at: number, cpu = "1") => {
    see.pod(undefined, pod(name, { cpu }), at)
    see.pod(pod(name, { cpu }), pod(name, { cpu, nodeName: "a" }), at)
  }
  const check = (steps: (see: Required<Invariant>) => void) => reportsOf((report) => capacity(known, report), steps)

  it("limits the requests of the pods that are bound to a node", () => {
    const full = (see: Required<Invariant>) => {
      for (const name of ["p", "q"]) bind(see, name, 10)
    }
    assert.deepStrictEqual(check(full), [])
    const over = check((see) => {
      full(see)
      bind(see, "r", 20, "1m")
    })
    assert.deepStrictEqual(over, ["default/r was bound to a, which has 2 of cpu; its pods request 2.001"])
  })

  it("is free again when a pod is terminated or deleted", () => {
    for (const next of [undefined, pod("p", { nodeName: "a", phase: "Succeeded" })]) {
      const reports = check((see) => {
        bind(see, "p", 10, "2")
        see.pod(pod("p", { cpu: "2", nodeName: "a" }), next, 20)
        bind(see, "q", 30, "2")
      })
      assert.deepStrictEqual(reports, [])
    }
  })

  it("counts pods bound by others once the scheduler must know them, and waits after a change of the node", () => {
    const steps = (see: Required<Invariant>, at: number) => {
      see.pod(undefined, pod("direct", { cpu: "2", nodeName: "a" }), 0)
      see.tick(at)
      bind(see, "p", at)
    }
    assert.deepStrictEqual(
      check((see) => steps(see, 60)),
      []
    )
    assert.lengthOf(
      check((see) => steps(see, 120)),
      1
    )
    const shrunk = check((see) => {
      see.node(node("a", { status: { allocatable: { cpu: "8" } } }), node("a"), 110)
      steps(see, 120)
    })
    assert.deepStrictEqual(shrunk, [])
  })

  it("counts what a pod requests after it was resized, once the scheduler must know it", () => {
    const resized = (before: string, after: string, at: number) =>
      check((see) => {
        bind(see, "p", 10, before)
        see.pod(pod("p", { cpu: before, nodeName: "a" }), pod("p", { cpu: after, nodeName: "a" }), 20)
        bind(see, "q", at)
      })
    assert.deepStrictEqual(resized("2", "1", 30), [])
    assert.deepStrictEqual(resized("2", "1", 200), [])
    assert.deepStrictEqual(resized("1", "2", 139), [])
    assert.deepStrictEqual(resized("1", "2", 140), ["default/q was bound to a, which has 2 of cpu; its pods request 3"])
  })

  it("counts pods too", () => {
    const reports = check((see) => {
      for (const name of ["p", "q", "r", "s"]) bind(see, name, 10, "0")
    })
    assert.deepStrictEqual(reports, ["default/s was bound to a, which has 3 of pods; its pods request 4"])
  })
})

describe("a pod CIDR", () => {
  const withBlock = (name: string, podCIDR?: string): Node =>
    node(name, { spec: podCIDR === undefined ? {} : { podCIDR, podCIDRs: [podCIDR] } })
  const check = (...steps: ReadonlyArray<readonly [Node | undefined, Node | undefined]>) =>
    reportsOf(cidrs, (see) => {
      for (const [previous, next] of steps) see.node(previous, next, 0)
    })

  it("belongs to one node", () => {
    const first = [withBlock("a"), withBlock("a", "10.0.0.0/24")] as const
    assert.deepStrictEqual(check(first, [withBlock("b"), withBlock("b", "10.0.1.0/24")]), [])
    assert.lengthOf(check(first, [withBlock("b"), withBlock("b", "10.0.0.0/24")]), 1)
  })

  it("stays with its node until the node is deleted, and can then go to another", () => {
    const mine = withBlock("a", "10.0.0.0/24")
    const next = [withBlock("b"), withBlock("b", "10.0.0.0/24")] as const
    assert.deepStrictEqual(check([undefined, mine], [mine, undefined], next), [])
    assert.lengthOf(check([undefined, mine], [mine, withBlock("a")]), 1)
  })
})

describe("a budget", () => {
  const wants: PodDisruptionBudget = {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "web", namespace: "default" },
    spec: { minAvailable: 2, selector: { matchLabels: { app: "web" } } }
  }
  const all = ["p", "q", "r"].map((name) => pod(name, { ready: true }))
  const evicted = (at: number, name = "p"): TraceEntry => ({
    at,
    type: "PodDeletionRequested",
    namespace: "default",
    pod: name,
    node: "a",
    by: "drain",
    gracePeriodSeconds: 30
  })
  const check = (pods: ReadonlyArray<Pod>, steps: (see: Required<Invariant>) => void) => {
    const known: ClusterState = {
      ...emptyView,
      pod: (_, name) => pods.find(({ metadata }) => metadata.name === name),
      pods: () => pods,
      budgets: () => [wants]
    }
    return reportsOf((report) => budgets(known, report), steps)
  }

  it("is kept by an eviction that leaves enough, and broken by one that does not", () => {
    assert.deepStrictEqual(
      check(all, (see) => see.entry(evicted(10))),
      []
    )
    assert.lengthOf(
      check(all.slice(0, 2), (see) => see.entry(evicted(10))),
      1
    )
  })

  it("may not count a pod that was just lost", () => {
    const lose = (see: Required<Invariant>, at: number) => {
      see.pod(pod("r", { ready: true }), pod("r"), at)
      see.tick(100)
      see.entry(evicted(100))
    }
    assert.deepStrictEqual(
      check(all.slice(0, 2), (see) => lose(see, 95)),
      []
    )
    assert.lengthOf(
      check(all.slice(0, 2), (see) => lose(see, 80)),
      1
    )
  })

  it("does not count pods that were lost while its controller was stopped", () => {
    const reports = check(all.slice(0, 2), (see) => {
      see.entry({ at: 50, type: "FaultStarted", fault: "controller-restart", nodes: [] })
      see.pod(pod("r", { ready: true }), undefined, 60)
      see.tick(200)
      see.entry(evicted(200))
    })
    assert.deepStrictEqual(reports, [])
  })
})

describe("every write", () => {
  it("has a higher resourceVersion", () => {
    const at = (resourceVersion: string): Pod => ({ ...pod("p"), metadata: { name: "p", resourceVersion } })
    const check = (before: string, after: string) => reportsOf(revisions, (see) => see.pod(at(before), at(after), 0))
    assert.deepStrictEqual(check("9", "10"), [])
    assert.lengthOf(check("10", "10"), 1)
    assert.lengthOf(check("10", "9"), 1)
  })
})

describe("a pod that its kubelet ended", () => {
  it("must have phase Failed", () => {
    const condition = { type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet" } as const
    const killed: Pod = { ...pod("p"), status: { phase: "Running", conditions: [condition] } }
    const check = (phase: string) =>
      reportsOf(kubeletKills, (see) => see.pod(killed, { ...killed, status: { ...killed.status, phase } }, 0))
    assert.deepStrictEqual(check("Failed"), [])
    assert.lengthOf(check("Succeeded"), 1)
  })
})

describe("the phases of a shutdown", () => {
  const started: TraceEntry = { at: 0, type: "ShutdownStarted", node: "a", delaySeconds: 60 }
  const phase = (priority: number, graceSeconds = 10, grace = 10): TraceEntry => ({
    at: 1,
    type: "ShutdownPhase",
    node: "a",
    priority,
    graceSeconds,
    pods: [{ namespace: "default", pod: "p", graceSeconds: grace }]
  })
  const check = (...entries: ReadonlyArray<TraceEntry>) =>
    reportsOf(shutdownOrder, (see) => {
      for (const entry of entries) see.entry(entry)
    })

  it("go in ascending priority, each within its grace period", () => {
    assert.deepStrictEqual(check(started, phase(0), phase(1000)), [])
    assert.lengthOf(check(started, phase(1000), phase(0)), 1)
    assert.lengthOf(check(started, phase(0, 10, 30)), 1)
  })

  it("start again with the next shutdown", () => {
    const over: TraceEntry = { at: 2, type: "ShutdownFinished", node: "a", cutOff: false }
    assert.deepStrictEqual(check(started, phase(1000), over, started, phase(0)), [])
  })
})

describe("volumes", () => {
  const zonal = (zone: string): Node => node(`in-${zone}`, { metadata: { name: `in-${zone}`, labels: { zone } } })
  const volume = (claim?: string): PersistentVolume => ({
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "v" },
    spec: {
      ...(claim === undefined ? {} : { claimRef: { kind: "PersistentVolumeClaim", name: claim, uid: `uid-${claim}` } }),
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }] }] }
      }
    }
  })
  const known: ClusterState = {
    ...emptyView,
    node: (name) => zonal(name.slice(-1)),
    claim: (name) => ({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name },
      spec: { volumeName: "v" }
    }),
    volume: (name) => (name === "v" ? volume("data") : undefined)
  }
  const check = (steps: (see: Required<Invariant>) => void) => reportsOf((report) => volumes(known, report), steps)
  const mounting = (nodeName: string): Pod => {
    const made = pod("db-0", { nodeName })
    const data = { name: "data", persistentVolumeClaim: { claimName: "data" } }
    return { ...made, spec: { ...made.spec, volumes: [data] } }
  }

  it("belong to one claim until they are released", () => {
    const kept = check((see) => {
      see.volume(undefined, volume())
      see.volume(volume(), volume("data"))
      see.volume(volume("data"), volume("data"))
      see.volume(volume("data"), volume())
      see.volume(volume(), volume("other"))
    })
    assert.deepStrictEqual(kept, [])
    assert.deepStrictEqual(
      check((see) => see.volume(volume("data"), volume("other"))),
      ["volume v was bound to claim uid-other while bound to claim uid-data"]
    )
  })

  it("must be reachable from the nodes that the scheduler chooses", () => {
    const bind = (name: string, at: number) => (see: Required<Invariant>) => see.pod(mounting(""), mounting(name), at)
    assert.deepStrictEqual(check(bind("in-a", 10)), [])
    assert.deepStrictEqual(check(bind("in-b", 10)), ["db-0 was bound to in-b, which cannot reach volume v"])
    // A pod that is created with a nodeName is not checked.
    assert.deepStrictEqual(
      check((see) => see.pod(undefined, mounting("in-b"), 10)),
      []
    )
  })

  it("are not checked on a node whose labels have just changed", () => {
    const relabelled = (at: number) =>
      check((see) => {
        see.node(zonal("a"), zonal("b"), 100)
        see.pod(mounting(""), mounting("in-a"), at)
        see.pod(mounting(""), mounting("in-b"), at)
      })
    assert.lengthOf(relabelled(400), 1)
    assert.deepStrictEqual(
      check((see) => {
        see.node({ ...zonal("b"), metadata: { name: "in-b", labels: { zone: "a" } } }, zonal("b"), 100)
        see.pod(mounting(""), mounting("in-b"), 110)
      }),
      []
    )
  })
})
