import type { Node, Pod, Taint } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { makeProbe, type Probe } from "../src/expect/probes.ts"
import { makeWorkloads, type Workloads } from "../src/expect/Workloads.ts"
import { planExpectations } from "../src/input/expectations.ts"
import type { Expectation } from "../src/input/Scenario.ts"
import type { TraceEntry } from "../src/trace/TraceEntry.ts"

const END_MS = 600_000
const zones: Readonly<Record<string, string>> = { "a-0": "zone-a", "b-0": "zone-b", "b-1": "zone-b" }
const known = {
  names: new Set<string>(),
  groups: new Set<string>(),
  zones: new Set(["zone-a", "zone-b"]),
  mayGrow: true
}

const probeOf = (spec: Omit<Expectation, "name">, workloads: Workloads = makeWorkloads()): Probe => {
  const { expectations, problems } = planExpectations("s.yaml", [{ name: "x", ...spec }], known)
  assert.deepStrictEqual(problems, [])
  const [expectation] = expectations
  if (expectation === undefined) throw new Error("no expectation")
  return makeProbe(expectation, workloads, (node) => zones[node] ?? "")
}

const outcome = (probe: Probe) => {
  const { at, held, observed } = probe.finish(END_MS)
  return [held, at, observed]
}

const node = (name: string, status: string | undefined, taints: ReadonlyArray<Taint> = []): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  spec: { taints },
  ...(status === undefined ? {} : { status: { conditions: [{ type: "Ready", status: status as "True" }] } })
})

/** Ready from 10 s, Unknown from 100 s, Ready again from 200 s. */
const condition = (
  window: Pick<Expectation, "at" | "by" | "from" | "until">,
  status: "True" | "False" | "Unknown" = "Unknown"
) => {
  const probe = probeOf({ condition: { node: "a-0", type: "Ready", status }, ...window })
  probe.node?.(node("a-0", undefined), "a-0", 5_000)
  probe.node?.(node("a-0", "True"), "a-0", 10_000)
  probe.node?.(node("b-0", "False"), "b-0", 50_000)
  probe.node?.(node("a-0", "Unknown"), "a-0", 100_000)
  probe.node?.(node("a-0", "True"), "a-0", 200_000)
  return outcome(probe)
}

describe("the window of a state", () => {
  it("without fields: throughout, from its first occurrence", () => {
    assert.deepStrictEqual(condition({}), [false, 200, "Ready=True"])
    // True at the end, but not throughout.
    assert.deepStrictEqual(condition({}, "True"), [false, 100, "Ready=Unknown"])
    assert.deepStrictEqual(condition({}, "False"), [false, 600, "Ready=True"])
  })

  it("at: at that time", () => {
    assert.deepStrictEqual(condition({ at: "10m" }, "True"), [true, 600, "Ready=True"])
    assert.deepStrictEqual(condition({ at: "100s" }), [true, 100, "Ready=Unknown"])
    assert.deepStrictEqual(condition({ at: "200s" }), [false, 200, "Ready=True"])
    assert.deepStrictEqual(condition({ at: "7s" }, "True"), [false, 7, "Ready=absent"])
    assert.deepStrictEqual(condition({ at: "11m" }, "True"), [false, 600, "the scenario ended before"])
  })

  it("by: at some time until then", () => {
    assert.deepStrictEqual(condition({ by: "2m" }), [true, 100, "since 01:40.0"])
    assert.deepStrictEqual(condition({ by: 100 }), [true, 100, "since 01:40.0"])
    assert.deepStrictEqual(condition({ by: 99.999 }), [false, 99.999, "Ready=True"])
    assert.deepStrictEqual(condition({ by: "3s" }), [false, 3, "Ready=absent"])
  })

  it("from and by: at some time between", () => {
    assert.deepStrictEqual(condition({ from: 150, by: 170 }), [true, 150, "since 02:30.0"])
    assert.deepStrictEqual(condition({ from: 200, by: 300 }), [false, 300, "Ready=True"])
  })

  it("from: throughout, from that time", () => {
    assert.deepStrictEqual(condition({ from: 200 }, "True"), [true, 600, "throughout"])
    assert.deepStrictEqual(condition({ from: 199.999 }, "True"), [false, 199.999, "Ready=Unknown"])
    assert.deepStrictEqual(condition({ from: 10 }, "True"), [false, 100, "Ready=Unknown"])
  })

  it("until: throughout, up to and including that time", () => {
    assert.deepStrictEqual(condition({ from: 10, until: 99.999 }, "True"), [true, 99.999, "throughout"])
    assert.deepStrictEqual(condition({ from: 10, until: 100 }, "True"), [false, 100, "Ready=Unknown"])
    assert.deepStrictEqual(condition({ until: 50 }, "True"), [false, 0, "Ready=absent"])
  })

  it("ends with the scenario", () => {
    assert.deepStrictEqual(condition({ from: 200, until: "1h" }, "True"), [true, 600, "throughout"])
    assert.deepStrictEqual(condition({ by: "1h" }, "False"), [false, 600, "Ready=True"])
    assert.deepStrictEqual(condition({ from: 601 }, "True"), [false, 600, "the scenario ended before"])
    assert.deepStrictEqual(condition({ from: 601, by: "1h" }, "True"), [false, 600, "the scenario ended before"])
  })
})

const taints = (spec: NonNullable<Expectation["taint"]>, window: Pick<Expectation, "by" | "from" | "until"> = {}) => {
  const probe = probeOf({ taint: spec, ...window })
  probe.node?.(node("a-0", "True"), "a-0", 0)
  probe.node?.(node("a-0", "True", [{ key: "k", effect: "NoExecute" }]), "a-0", 60_000)
  probe.node?.(undefined, "a-0", 120_000)
  return outcome(probe)
}

describe("a taint", () => {
  it("is present or absent", () => {
    assert.deepStrictEqual(taints({ node: "a-0", key: "k" }, { by: "2m" }), [true, 60, "since 01:00.0"])
    assert.deepStrictEqual(taints({ node: "a-0", key: "k" }), [false, 120, "not tainted"])
    assert.deepStrictEqual(taints({ node: "a-0", key: "k", present: false }), [false, 60, "tainted"])
    assert.deepStrictEqual(taints({ node: "a-0", key: "other", present: false }), [true, 600, "throughout"])
    assert.deepStrictEqual(taints({ node: "a-0", key: "k", present: false }, { until: "90s" }), [false, 60, "tainted"])
  })

  it("is matched by its effect if that is given", () => {
    assert.strictEqual(taints({ node: "a-0", key: "k", effect: "NoExecute" }, { by: "2m" })[0], true)
    assert.strictEqual(taints({ node: "a-0", key: "k", effect: "NoSchedule" }, { by: "2m" })[0], false)
    assert.strictEqual(taints({ node: "a-0", key: "other" }, { by: "2m" })[0], false)
  })
})

const pod = (
  name: string,
  given: { phase?: string; ready?: boolean; deleting?: boolean; namespace?: string }
): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    namespace: given.namespace ?? "default",
    ...(given.deleting === true ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {})
  },
  spec: { containers: [] },
  status: {
    phase: (given.phase ?? "Pending") as "Pending",
    conditions: [{ type: "Ready", status: given.ready === true ? "True" : "False" }]
  }
})

describe("a pod", () => {
  const states = (
    state: NonNullable<Expectation["pod"]>["state"],
    window: Pick<Expectation, "at" | "by" | "from" | "until">
  ) => {
    const probe = probeOf({ pod: { name: "p", state }, ...window })
    const see = (next: Pod | undefined, atSeconds: number, namespace = "default") =>
      probe.pod?.(next, namespace, "p", atSeconds * 1000)
    see(pod("p", { namespace: "other", phase: "Running", ready: true }), 1, "other")
    see(pod("p", {}), 10)
    see(pod("p", { phase: "Running" }), 20)
    see(pod("p", { phase: "Running", ready: true }), 30)
    see(pod("p", { phase: "Running", ready: true, deleting: true }), 40)
    see(undefined, 50)
    return outcome(probe)
  }

  it("is gone, pending, running, ready, terminating, and gone again", () => {
    assert.deepStrictEqual(states("gone", { until: 9.999 }), [true, 9.999, "throughout"])
    assert.deepStrictEqual(states("pending", { from: 10, until: 19.999 }), [true, 19.999, "throughout"])
    assert.deepStrictEqual(states("running", { by: "1m" }), [true, 20, "since 00:20.0"])
    assert.deepStrictEqual(states("ready", { by: "1m" }), [true, 30, "since 00:30.0"])
    assert.deepStrictEqual(states("terminating", { by: "1m" }), [true, 40, "since 00:40.0"])
    assert.deepStrictEqual(states("gone", { from: 50 }), [true, 600, "throughout"])
  })

  it("is not gone before it is created", () => {
    assert.deepStrictEqual(states("gone", {}), [true, 600, "since 00:50.0"])
    const never = probeOf({ pod: { name: "q", state: "gone" } })
    assert.deepStrictEqual(outcome(never), [false, 600, "never there"])
  })

  it("that is ready is running, too", () => {
    assert.deepStrictEqual(states("running", { from: 20, until: 39.999 }), [true, 39.999, "throughout"])
    assert.deepStrictEqual(states("running", { from: 20, until: 40 }), [false, 40, "terminating"])
  })
})

const deletion = (node: string, by: "taint-eviction" | "user", namespace = "default"): TraceEntry => ({
  at: 0,
  type: "PodDeletionRequested",
  namespace,
  pod: "p",
  node,
  by,
  gracePeriodSeconds: 30
})

describe("evictions", () => {
  const count = (
    evictions: NonNullable<Expectation["evictions"]>,
    bounds: Pick<Expectation, "by" | "from" | "until" | "min" | "max">
  ) => {
    const probe = probeOf({ evictions, ...bounds })
    probe.entry?.(deletion("a-0", "user"), 50_000)
    probe.entry?.(deletion("b-0", "taint-eviction"), 100_000)
    probe.entry?.(deletion("b-1", "taint-eviction", "prod"), 200_000)
    probe.entry?.({ at: 0, type: "PodDeleted", namespace: "default", pod: "p", node: "b-0" }, 250_000)
    probe.entry?.(deletion("a-0", "taint-eviction"), 300_000)
    return outcome(probe)
  }

  it("are those of the taint-eviction controller, or of the controller that the scenario names", () => {
    assert.deepStrictEqual(count({}, { min: 3, max: 3 }), [true, 600, "3"])
    assert.deepStrictEqual(count({ by: "user" }, { min: 1, max: 1 }), [true, 600, "1"])
    assert.deepStrictEqual(count({ by: "drain" }, { max: 0 }), [true, 600, "0"])
  })

  it("are counted by zone, node and namespace", () => {
    assert.strictEqual(count({ zone: "zone-b" }, { max: 9 })[2], "2")
    assert.strictEqual(count({ node: "b-1" }, { max: 9 })[2], "1")
    assert.strictEqual(count({ zone: "zone-b", namespace: "default" }, { max: 9 })[2], "1")
  })

  it("are counted within the window, both ends included", () => {
    assert.strictEqual(count({}, { from: 100, until: 200, max: 9 })[2], "2")
    assert.strictEqual(count({}, { from: 100.001, until: 199.999, max: 9 })[2], "0")
    assert.strictEqual(count({}, { by: 100, max: 9 })[2], "1")
  })

  it("report when they became too many or enough", () => {
    assert.deepStrictEqual(count({}, { max: 1 }), [false, 200, "3"])
    assert.deepStrictEqual(count({}, { max: 0 }), [false, 100, "3"])
    assert.deepStrictEqual(count({}, { min: 2 }), [true, 200, "3"])
    assert.deepStrictEqual(count({}, { min: 4 }), [false, 600, "3"])
  })
})

describe("trace entries", () => {
  it("are counted by any of their fields", () => {
    const probe = probeOf({ trace: { type: "TaintAdded", key: "k", effect: "NoExecute" }, min: 2, max: 2 })
    const taint = (type: "TaintAdded" | "TaintRemoved", key: string, effect: string): TraceEntry => ({
      at: 0,
      type,
      node: "a-0",
      key,
      effect,
      value: "",
      timeAdded: null
    })
    for (const entry of [
      taint("TaintAdded", "k", "NoExecute"),
      taint("TaintAdded", "k", "NoSchedule"),
      taint("TaintAdded", "other", "NoExecute"),
      taint("TaintRemoved", "k", "NoExecute"),
      taint("TaintAdded", "k", "NoExecute")
    ]) {
      probe.entry?.(entry, 1_000)
    }
    assert.deepStrictEqual(outcome(probe), [true, 600, "2"])
  })
})

describe("the state of a zone", () => {
  const probe = (zoneState: NonNullable<Expectation["zoneState"]>, window: Pick<Expectation, "by" | "from"> = {}) => {
    const made = probeOf({ zoneState, ...window })
    const change = (region: string, zone: string, to: string, atMs: number) =>
      made.entry?.({ at: 0, type: "ZoneStateChanged", region, zone, from: "Initial", to }, atMs)
    change("r1", "zone-a", "Normal", 1_000)
    change("r2", "zone-a", "FullDisruption", 2_000)
    change("r1", "zone-b", "PartialDisruption", 3_000)
    return outcome(made)
  }

  it("is that of its region if one is given", () => {
    assert.deepStrictEqual(probe({ zone: "zone-a", region: "r1", state: "Normal" }), [true, 600, "since 00:01.0"])
    assert.deepStrictEqual(probe({ zone: "zone-a", state: "FullDisruption" }), [true, 600, "since 00:02.0"])
    assert.deepStrictEqual(probe({ zone: "zone-b", state: "Normal" }), [false, 600, "PartialDisruption"])
  })

  it("is Initial before the first judgement", () => {
    assert.deepStrictEqual(probe({ zone: "zone-b", state: "Initial" }, { by: "1s" }), [true, 0, "since 00:00.0"])
  })
})

describe("a workload", () => {
  const workloads = makeWorkloads()
  workloads.workload(
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace: "default" },
      spec: { replicas: 3, selector: {}, template: { metadata: {}, spec: { containers: [] } } }
    },
    0
  )
  const web = workloads.find("Deployment", "default", "web")
  for (const [atMs, ready] of [
    [10_000, 3],
    [100_000, 1],
    [130_500, 3]
  ] as const) {
    web?.ready.set(atMs, ready)
  }
  const reference = { kind: "Deployment", name: "web" }
  const finish = (spec: Omit<Expectation, "name">) => outcome(probeOf(spec, workloads))

  it("has the expected number of ready replicas", () => {
    // 3 of 3 at the end, 1 in between.
    assert.deepStrictEqual(finish({ ready: reference, min: 3 }), [false, 100, "1 ready"])
    assert.deepStrictEqual(finish({ ready: reference, min: 1 }), [true, 600, "since 00:10.0"])
    assert.deepStrictEqual(finish({ ready: reference, min: 4 }), [false, 600, "3 ready"])
    assert.deepStrictEqual(finish({ ready: reference, min: 3, at: "10m" }), [true, 600, "3 ready"])
    assert.deepStrictEqual(finish({ ready: reference, min: 3, from: "10s" }), [false, 100, "1 ready"])
    assert.deepStrictEqual(finish({ ready: reference, min: 1, from: "10s" }), [true, 600, "throughout"])
    assert.deepStrictEqual(finish({ ready: reference, max: 1, from: "1m", by: "3m" }), [true, 100, "since 01:40.0"])
    assert.deepStrictEqual(finish({ ready: reference, min: 3, by: "10s" }), [true, 10, "since 00:10.0"])
    assert.deepStrictEqual(finish({ ready: reference, min: 4, by: "1h" }), [false, 600, "3 ready"])
  })

  it("is unavailable no longer than allowed", () => {
    assert.deepStrictEqual(finish({ unavailableSeconds: reference, max: 30.5 }), [true, 600, "30.5s"])
    assert.deepStrictEqual(finish({ unavailableSeconds: reference, max: 30 }), [false, 600, "30.5s"])
  })

  it("that does not exist fails", () => {
    const nobody = { kind: "Deployment", name: "nobody" }
    assert.deepStrictEqual(finish({ ready: nobody, min: 0 }), [false, 0, "no such workload"])
    assert.deepStrictEqual(finish({ unavailableSeconds: nobody, max: 5 }), [false, 0, "no such workload"])
    assert.deepStrictEqual(finish({ ready: { ...reference, namespace: "prod" }, min: 0 })[2], "no such workload")
  })
})
