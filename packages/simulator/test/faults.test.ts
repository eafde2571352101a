import { faults as faultNames } from "@rollcall/machines"
import { assert, describe, it } from "vitest"
import type { ScenarioResult } from "../src/index.ts"
import type { ScenarioDocument } from "../src/input/Scenario.ts"
import { entriesOf, podWithoutOwner, run } from "./run.ts"

type Event = NonNullable<ScenarioDocument["spec"]["events"]>[number]

const cluster = {
  nodes: [
    { name: "a", count: 3, zone: "zone-a" },
    { name: "b", count: 3, zone: "zone-b" }
  ],
  objects: [podWithoutOwner("p", "a-0")]
}
const a0 = { names: ["a-0"] }

/** A fault at 2 min, for 3 min, in a cluster of two zones with one pod on a-0. */
const runDuring = (
  event: Omit<Event, "at" | "for">,
  given: { readonly for?: string | undefined; readonly events?: ReadonlyArray<Event> } = {}
): ScenarioResult => {
  const end = "for" in given ? given.for : "3m"
  const fault = { at: "2m", ...(end === undefined ? {} : { for: end }), ...event }
  return run({ duration: "8m", cluster, events: [fault, ...(given.events ?? [])] }, { traceLeases: true })
}

/** The changes of a node's condition: status and second, rounded down. */
const conditionChanges = (result: ScenarioResult, node: string, condition: string) =>
  entriesOf(result, "ConditionChanged")
    .filter((entry) => entry.node === node && entry.condition === condition && entry.at >= 60)
    .map(({ at, to }) => `${to} ${Math.floor(at)}`)

const readiness = (result: ScenarioResult, pod: string) =>
  entriesOf(result, "PodReadyChanged")
    .filter((entry) => entry.pod === pod && entry.at >= 60)
    .map(({ at, ready }) => `${ready} ${Math.floor(at)}`)

const renewals = (result: ScenarioResult, node: string, from: number, to: number) =>
  entriesOf(result, "LeaseRenewed").filter((entry) => entry.node === node && entry.at > from && entry.at < to)

const faultTimes = (result: ScenarioResult) =>
  [...entriesOf(result, "FaultStarted"), ...entriesOf(result, "FaultEnded")].map(({ at, fault, nodes, type }) => [
    at,
    type,
    fault,
    ...nodes
  ])

/** Ready is Unknown from within the grace period on, and True again within 20 s of the end. */
const assertSilentThenReady = (result: ScenarioResult) => {
  const [lost, back, ...more] = conditionChanges(result, "a-0", "Ready")
  assert.match(lost ?? "", /^Unknown 1[67]\d$/)
  assert.match(back ?? "", /^True 3[01]\d$/)
  assert.deepStrictEqual(more, [])
  assert.deepStrictEqual(conditionChanges(result, "a-1", "Ready"), [])
  assert.lengthOf(renewals(result, "a-0", 131, 300), 0)
  assert.isAbove(renewals(result, "a-0", 300, 480).length, 15)
  assert.isAbove(renewals(result, "a-1", 131, 300).length, 15)
}

const refusedWithoutCloud = (fault: Omit<Event, "at" | "for">) =>
  assert.throws(() => runDuring(fault), /needs spec\.config\.cloudProvider/)

/** A condition that holds during the fault, with the taint that goes with it. */
const assertCondition = (result: ScenarioResult, condition: string, taint: string) => {
  const [on, off, ...more] = conditionChanges(result, "a-0", condition)
  assert.match(on ?? "", /^True 1[23]\d$/)
  assert.match(off ?? "", /^False 3[01]\d$/)
  assert.deepStrictEqual(more, [])
  for (const type of ["TaintAdded", "TaintRemoved"] as const) {
    const [entry, ...others] = entriesOf(result, type).filter(({ key }) => key === `node.kubernetes.io/${taint}`)
    assert.deepInclude(entry, { node: "a-0", effect: "NoSchedule" })
    assert.deepStrictEqual(others, [])
  }
}

/** Ready is False, and the node tainted not-ready, during the fault. */
const assertNotReady = (result: ScenarioResult) => {
  const [lost, back, ...more] = conditionChanges(result, "a-0", "Ready")
  assert.match(lost ?? "", /^False 1[2-5]\d$/)
  assert.match(back ?? "", /^True 3[01]\d$/)
  assert.deepStrictEqual(more, [])
  assert.deepStrictEqual(
    entriesOf(result, "TaintAdded")
      .filter(({ at }) => at > 60)
      .map(({ effect, key }) => `${key}:${effect}`),
    ["node.kubernetes.io/not-ready:NoSchedule", "node.kubernetes.io/not-ready:NoExecute"]
  )
  // Heartbeats continue: the node is alive and reports that it is not healthy.
  assert.isAbove(renewals(result, "a-0", 131, 300).length, 15)
}

/** The time until a pod that is created at 3 min on a-0 is ready in the API. */
const startSeconds = (event?: Omit<Event, "at" | "for">): number => {
  const create: Event = { at: "3m", do: "apply", objects: [podWithoutOwner("late", "a-0")] }
  const result =
    event === undefined ? run({ duration: "8m", cluster, events: [create] }) : runDuring(event, { events: [create] })
  const ready = entriesOf(result, "PodReadyChanged").find(({ pod }) => pod === "late")
  return (ready?.at ?? Number.NaN) - 180
}

const table: Readonly<Record<(typeof faultNames)[number], () => void>> = {
  partition: () => {
    const result = runDuring({ fault: "partition", nodes: a0 })
    assertSilentThenReady(result)
    assert.match(readiness(result, "p").join(), /^false 1[67]\d,true 3[01]\d$/)
    assert.deepStrictEqual(faultTimes(result), [
      [120, "FaultStarted", "partition", "a-0"],
      [300, "FaultEnded", "partition", "a-0"]
    ])
  },
  crash: () => {
    const result = runDuring({ fault: "crash", nodes: a0 })
    assertSilentThenReady(result)
    // The crash killed the containers: the pod restarts after the machine does.
    assert.match(readiness(result, "p").join(), /^false 1[67]\d,true 3[01]\d$/)
  },
  "kubelet-stop": () => {
    assertSilentThenReady(runDuring({ fault: "kubelet-stop", nodes: a0 }))
  },
  latency: () => {
    // Half a round trip until the kubelet receives the pod, and a full one to read the pod before it writes the status.
    assert.approximately(startSeconds({ fault: "latency", nodes: a0, by: "4s" }) - startSeconds(), 6, 2)
    assertSilentThenReady(runDuring({ fault: "latency", nodes: a0, by: "30s" }))
  },
  loss: () => {
    assert.isAbove(startSeconds({ fault: "loss", nodes: a0, rate: 0.8 }), startSeconds())
    assertSilentThenReady(runDuring({ fault: "loss", nodes: a0, rate: 1 }))
  },
  "clock-skew": () => {
    const ahead = runDuring({ fault: "clock-skew", nodes: a0, by: "90s" })
    const times = renewals(ahead, "a-0", 150, 170).map(({ at, renewTime }) => [at, renewTime] as const)
    for (const [at, renewTime] of times) {
      const shown = (Date.parse(renewTime) - Date.parse("2026-01-01T00:00:00Z")) / 1000
      assert.approximately(shown - at, 90, 0.5)
    }
    assert.isAbove(times.length, 0)
    // Only the API server's own view of time counts while the clock runs ahead. When it is put back, renewals seem old until
    // the clock has caught up with what it had said.
    assert.match(conditionChanges(ahead, "a-0", "Ready").join(), /^Unknown 3[45]\d,True 3\d\d$/)
    assert.deepStrictEqual(
      conditionChanges(runDuring({ fault: "clock-skew", nodes: a0, by: "-90s" }), "a-1", "Ready"),
      []
    )
  },
  "memory-pressure": () =>
    assertCondition(runDuring({ fault: "memory-pressure", nodes: a0 }), "MemoryPressure", "memory-pressure"),
  "disk-pressure": () =>
    assertCondition(runDuring({ fault: "disk-pressure", nodes: a0 }), "DiskPressure", "disk-pressure"),
  "pid-pressure": () => assertCondition(runDuring({ fault: "pid-pressure", nodes: a0 }), "PIDPressure", "pid-pressure"),
  "network-unavailable": () =>
    assertCondition(
      runDuring({ fault: "network-unavailable", nodes: a0 }),
      "NetworkUnavailable",
      "network-unavailable"
    ),
  "runtime-down": () => assertNotReady(runDuring({ fault: "runtime-down", nodes: a0 })),
  "kubelet-not-ready": () => assertNotReady(runDuring({ fault: "kubelet-not-ready", nodes: a0 })),
  "api-server-down": () => {
    const result = runDuring({ fault: "api-server-down" })
    for (const node of ["a-0", "a-1", "b-2"]) {
      assert.lengthOf(renewals(result, node, 120, 300), 0)
      assert.isAbove(renewals(result, node, 300, 480).length, 10)
    }
    assert.strictEqual(result.summary.evictions.total, 0)
  },
  // This cluster has no cloud; cloud.test.ts tests the cloud faults.
  "cloud-delete": () => refusedWithoutCloud({ fault: "cloud-delete", nodes: a0 }),
  "cloud-deny": () => refusedWithoutCloud({ fault: "cloud-deny", nodes: a0 }),
  "cloud-error": () => refusedWithoutCloud({ fault: "cloud-error" }),
  "cloud-latency": () => refusedWithoutCloud({ fault: "cloud-latency", by: "1s" }),
  "controller-restart": () => {
    // While it is down no node is judged. The new process waits until the Lease of the old one has expired; then it starts with
    // new zones, and every node has its full grace period again.
    const result = runDuring(
      { fault: "controller-restart" },
      { events: [{ at: "2m30s", for: "4m", fault: "partition", nodes: a0 }] }
    )
    const zones = entriesOf(result, "ZoneCreated").map(({ at, zone }) => `${zone} ${Math.floor(at)}`)
    assert.deepStrictEqual(zones.slice(2), ["zone-a 315", "zone-b 315"])
    assert.match(conditionChanges(result, "a-0", "Ready").join(), /^Unknown 3[67]\d,True \d+$/)
  }
}

describe("the effect of a fault:", () => {
  for (const name of faultNames) it(name, table[name])

  it("controller-restart of the scheduler alone", () => {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "late" },
      spec: { containers: [{ name: "c", image: "x" }] }
    }
    const result = runDuring(
      { fault: "controller-restart", component: "kube-scheduler" },
      { events: [{ at: "3m", do: "apply", objects: [pod] }] }
    )
    assert.deepInclude(entriesOf(result, "PodScheduled")[0], { pod: "late" })
    assert.isAtLeast(entriesOf(result, "PodScheduled")[0]?.at ?? 0, 300)
    assert.lengthOf(entriesOf(result, "ZoneCreated"), 2)
  })
})

describe("a fault without an end", () => {
  it("lasts until the end of the scenario", () => {
    const result = runDuring({ fault: "partition", nodes: a0 }, { for: undefined })
    assert.lengthOf(entriesOf(result, "FaultEnded"), 0)
    assert.match(conditionChanges(result, "a-0", "Ready").join(), /^Unknown 1[67]\d$/)
  })

  it("is instantaneous for controller-restart", () => {
    const result = runDuring({ fault: "controller-restart" }, { for: undefined })
    assert.match(
      entriesOf(result, "ZoneCreated")
        .slice(2)
        .map(({ at, zone }) => `${zone} ${Math.floor(at)}`)
        .join(),
      /^zone-a 135,zone-b 135$/
    )
  })
})

describe("two faults of one kind that overlap", () => {
  const both = (first: Omit<Event, "at">, second: Omit<Event, "at">) =>
    run(
      {
        duration: "10m",
        cluster,
        events: [
          { at: "2m", ...first },
          { at: "3m", ...second }
        ]
      },
      { traceLeases: true }
    )

  it("last until the later end on the nodes of both", () => {
    const result = both(
      { fault: "partition", for: "5m", nodes: { zone: "zone-a" } },
      { fault: "partition", for: "1m", nodes: { names: ["a-0", "b-0"] } }
    )
    assert.lengthOf(renewals(result, "a-0", 131, 420), 0)
    assert.isAbove(renewals(result, "a-0", 420, 600).length, 15)
    assert.isAbove(renewals(result, "b-0", 240, 420).length, 15)
    assert.match(conditionChanges(result, "a-0", "Ready").join(), /^Unknown 1[67]\d,True 4[23]\d$/)
  })

  it("restore the parameters of the one that continues", () => {
    const result = both(
      { fault: "latency", for: "5m", nodes: a0, by: "30s" },
      { fault: "latency", for: "1m", nodes: a0, by: "100ms" }
    )
    // A latency of 30 s acts like a partition; for a minute in between the link is fast.
    assert.lengthOf(renewals(result, "a-0", 131, 180), 0)
    assert.isAbove(renewals(result, "a-0", 180, 240).length, 3)
    assert.lengthOf(renewals(result, "a-0", 251, 420), 0)
    assert.isAbove(renewals(result, "a-0", 420, 600).length, 15)
  })

  it("keep the API server down, and a component stopped", () => {
    const down = both({ fault: "api-server-down", for: "3m" }, { fault: "api-server-down", for: "1m" })
    assert.lengthOf(renewals(down, "a-0", 120, 300), 0)
    const restart = { fault: "controller-restart" } as const
    for (const second of [{ ...restart, for: "1m" }, restart]) {
      const away = both({ ...restart, for: "3m" }, second)
      const zones = entriesOf(away, "ZoneCreated").map(({ at, zone }) => `${zone} ${Math.floor(at)}`)
      assert.deepStrictEqual(zones.slice(2), ["zone-a 315", "zone-b 315"])
    }
  })
})

describe("a fault that ends after the scenario", () => {
  it("is active at the end of the scenario", () => {
    const result = runDuring({ fault: "partition", nodes: a0 }, { for: "1h" })
    assert.lengthOf(entriesOf(result, "FaultEnded"), 0)
  })
})

describe("events at the same time", () => {
  it("happen in file order, all of them before their effects", () => {
    const result = run({
      duration: "3m",
      cluster,
      events: [
        { at: "2m", do: "cordon", nodes: { group: "b" } },
        { at: "1m", do: "cordon", nodes: { names: ["a-1"] } },
        { at: "1m", do: "uncordon", nodes: { names: ["a-1"] } }
      ]
    })
    assert.deepStrictEqual(
      entriesOf(result, "Action").map(({ at, do: what, nodes }) => [at, what, ...nodes]),
      [
        [60, "cordon", "a-1"],
        [60, "uncordon", "a-1"],
        [120, "cordon", "b-0", "b-1", "b-2"]
      ]
    )
    assert.deepStrictEqual(
      entriesOf(result, "CordonChanged").map(({ node, unschedulable }) => [node, unschedulable]),
      [
        ["a-1", true],
        ["a-1", false],
        ["b-0", true],
        ["b-1", true],
        ["b-2", true]
      ]
    )
  })
})

describe("a random choice of nodes", () => {
  const chosen = (seed: number, fault: Partial<Event>) =>
    entriesOf(
      run({ seed, duration: "2m", cluster, events: [{ at: "1m", fault: "partition", ...fault }] }),
      "FaultStarted"
    ).flatMap(({ nodes }) => nodes)

  it("follows from the seed", () => {
    const half = { nodes: { fraction: 0.5 } }
    assert.lengthOf(chosen(1, half), 3)
    assert.deepStrictEqual(chosen(1, half), chosen(1, half))
    const seeds = new Set([1, 2, 3, 4, 5].map((seed) => chosen(seed, half).join()))
    assert.isAbove(seeds.size, 1)
  })

  it("uses one order for all events of a scenario: a smaller choice is a subset of a larger one", () => {
    const [two, four] = [chosen(3, { nodes: { count: 2 } }), chosen(3, { nodes: { count: 4 } })]
    assert.isTrue(two.every((name) => four.includes(name)))
  })
})
