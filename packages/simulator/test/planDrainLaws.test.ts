import { formatTime, type KindName, type KubeObject, milliValue, type Pod } from "@rollcall/api"
import { decideEviction } from "@rollcall/api-server"
import { type DrainPlan, type PlanDrainOptions, type PodDrain, planDrain } from "@rollcall/drain"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { clusterObjects } from "../src/snapshot/cluster/ClusterObjects.ts"
import { drainSnapshotOf } from "../src/snapshot/drain/drainSnapshot.ts"
import { plannedScheduler } from "../src/snapshot/drain/plannedScheduler.ts"

const NOW = Date.UTC(2026, 10, 2)
const CPU = 4000

interface Shape {
  readonly nodes: number
  readonly sets: ReadonlyArray<{
    readonly stateful: boolean
    /** Of each pod: its node, and whether it is ready. */
    readonly pods: ReadonlyArray<readonly [node: number, ready: boolean]>
    readonly cpu: number
    readonly grace: number
    readonly priority: number
    readonly budget: Readonly<Record<string, number | string>> | undefined
  }>
  readonly drained: number
  readonly timeout: number
}

const shapes: fc.Arbitrary<Shape> = fc.record({
  nodes: fc.integer({ min: 1, max: 5 }),
  sets: fc.array(
    fc.record({
      stateful: fc.boolean(),
      pods: fc.array(
        fc.tuple(
          fc.nat(4),
          fc.integer({ min: 0, max: 9 }).map((n) => n > 0)
        ),
        { minLength: 1, maxLength: 7 }
      ),
      cpu: fc.constantFrom(100, 500, 900, 1500),
      grace: fc.constantFrom(0, 1, 30, 61),
      priority: fc.constantFrom(0, 0, 0, 5),
      budget: fc.option(
        fc.oneof(
          fc.record({ minAvailable: fc.oneof(fc.nat(5), fc.constantFrom("50%", "100%")) }),
          fc.record({ maxUnavailable: fc.oneof(fc.nat(3), fc.constantFrom("25%", "34%")) })
        ),
        { nil: undefined }
      )
    }),
    { minLength: 1, maxLength: 4 }
  ),
  drained: fc.integer({ min: 1, max: 3 }),
  timeout: fc.constantFrom(0, 0, 12)
})

/** The objects of a cluster of that shape; pods that do not fit on their node are left out. */
const buildObjects = ({ nodes, sets }: Shape) => {
  const used = new Map<number, number>()
  const objects: Array<{ readonly kind: KindName; readonly object: KubeObject }> = []
  const add = (kind: KindName, object: KubeObject) => objects.push({ kind, object })
  for (let index = 0; index < nodes; index++) {
    add("Node", {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: `n${index}`, labels: { "kubernetes.io/hostname": `n${index}` } },
      status: { allocatable: { cpu: `${CPU}m`, memory: "8Gi", pods: "12" } }
    } as KubeObject)
  }
  for (const [number, set] of sets.entries()) {
    const name = `s${number}`
    const kind = set.stateful ? "StatefulSet" : "ReplicaSet"
    const labels = { app: name }
    const meta = { name, namespace: "default", uid: name }
    const pods = set.pods.filter(([on]) => {
      const node = on % nodes
      const total = (used.get(node) ?? 0) + set.cpu
      if (total > CPU) return false
      used.set(node, total)
      return true
    })
    const spec = { replicas: pods.length, selector: { matchLabels: labels } }
    add(kind, { apiVersion: "apps/v1", kind, metadata: meta, spec } as KubeObject)
    if (set.budget !== undefined) {
      const spec = { ...set.budget, selector: { matchLabels: labels } }
      add("PodDisruptionBudget", {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name, namespace: "default" },
        spec
      } as KubeObject)
    }
    for (const [ordinal, [on, ready]] of pods.entries()) {
      add("Pod", {
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
          name: `${name}-${ordinal}`,
          namespace: "default",
          uid: `${name}-${ordinal}`,
          labels,
          ownerReferences: [{ apiVersion: "apps/v1", kind, name, uid: name, controller: true }]
        },
        spec: {
          nodeName: `n${on % nodes}`,
          priority: set.priority,
          terminationGracePeriodSeconds: set.grace,
          containers: [{ name: "c", image: "i", resources: { requests: { cpu: `${set.cpu}m` } } }]
        },
        status: {
          phase: "Running",
          startTime: formatTime(NOW - 100_000),
          conditions: [
            { type: "Ready", status: ready ? "True" : "False", lastTransitionTime: formatTime(NOW - 93_000) }
          ]
        }
      } as KubeObject)
    }
  }
  return clusterObjects(NOW, objects)
}

const planned = (shape: Shape) => {
  const objects = buildObjects(shape)
  const snapshot = drainSnapshotOf(objects)
  const options: PlanDrainOptions = {
    nodes: Array.from({ length: Math.min(shape.drained, shape.nodes) }, (_, index) => `n${index}`),
    timeoutSeconds: shape.timeout
  }
  const plan = planDrain(snapshot, options, { scheduler: plannedScheduler(objects), decideEviction })
  return { plan, snapshot, options }
}

const podsOf = ({ nodes }: DrainPlan): ReadonlyArray<PodDrain> => nodes.flatMap(({ pods }) => pods)
const cpuOf = ({ spec }: Pod): number => milliValue(spec.containers[0]?.resources?.requests?.cpu ?? "0")
const isReady = ({ status }: Pod): boolean => status?.conditions?.[0]?.status === "True"

const runs = { numRuns: 300 }

describe("every plan of a drain", () => {
  it("keeps each budget: there are never more disruptions than it allowed at first", () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const { plan, snapshot } = planned(shape)
        // Preemption is not limited by a budget.
        fc.pre(plan.displaced.length === 0)
        for (const { metadata, status } of snapshot.budgets) {
          const own = podsOf(plan).filter(({ pod }) => pod.metadata.labels?.app === metadata.name)
          // What fits nowhere, or stays, as expected may fit or leave when everything is slower: the plan does not tell then when its
          // replacement is ready.
          const isTold = own.every(
            ({ leaves, replacement }) =>
              replacement?.kind !== "unplaceable" && (leaves.worst === undefined || leaves.expected !== undefined)
          )
          for (const timing of isTold ? (["expected", "worst"] as const) : (["expected"] as const)) {
            const away = own.flatMap(({ leaves, pod }) => (isReady(pod) ? (leaves[timing] ?? []) : []))
            const back = own.flatMap(({ replacement }) =>
              replacement?.kind === "placed" ? (replacement.ready[timing] ?? []) : []
            )
            for (const at of away) {
              const missing = away.filter((time) => time <= at).length - back.filter((time) => time <= at).length
              assert.isAtMost(missing, status?.disruptionsAllowed ?? 0, `${metadata.name} at ${at}s, ${timing}`)
            }
          }
        }
      }),
      runs
    )
  })

  it("places no pod on a node without room or on a drained node", () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const { options, plan, snapshot } = planned(shape)
        // A replacement pod that is preempted itself is not followed here.
        fc.pre(plan.displaced.every(({ pod }) => !(pod.metadata.uid ?? "").startsWith("planned-")))
        const leaving = new Map([
          ...podsOf(plan).map(({ gone, pod }) => [pod.metadata.uid, gone.expected] as const),
          ...plan.displaced.map(({ pod }) => [pod.metadata.uid, 0] as const)
        ])
        const arrivals = [...podsOf(plan), ...plan.displaced].flatMap(({ pod, replacement }) =>
          replacement?.kind === "placed"
            ? [{ at: replacement.at.expected ?? 0, node: replacement.node, cpu: cpuOf(pod) }]
            : []
        )
        for (const { at, node } of arrivals) {
          assert.notInclude(options.nodes, node)
          const stays = snapshot.pods.filter(({ metadata, spec }) => {
            const gone = leaving.has(metadata.uid) ? (leaving.get(metadata.uid) ?? Number.POSITIVE_INFINITY) : undefined
            return spec.nodeName === node && (gone === undefined || gone > at)
          })
          const came = arrivals.filter((other) => other.node === node && other.at <= at)
          const total = [...stays.map(cpuOf), ...came.map(({ cpu }) => cpu)].reduce((sum, cpu) => sum + cpu, 0)
          assert.isAtMost(total, CPU, `${node} at ${at}s`)
        }
      }),
      runs
    )
  })

  it("follows kubectl's order: node after node, pods of a budget in list order, attempts five seconds apart", () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const { options, plan, snapshot } = planned(shape)
        assert.deepStrictEqual(
          plan.nodes.map(({ name }) => name),
          options.nodes
        )
        let before = 0
        for (const { ends, outcome, pods, starts } of plan.nodes) {
          if (outcome === "not-reached") continue
          assert.strictEqual(starts.expected, before)
          before = ends.expected ?? before
          const names = pods.map(({ pod }) => pod.metadata.name ?? "")
          assert.deepStrictEqual(names, names.toSorted())
          const last = new Map<string, number>()
          for (const { leaves, pod, refusals } of pods) {
            const at = leaves.expected
            if (at === undefined) continue
            assert.strictEqual(at, (starts.expected ?? 0) + 5 * refusals)
            const budget = pod.metadata.labels?.app ?? ""
            const has = snapshot.budgets.some(({ metadata }) => metadata.name === budget)
            if (!has || !isReady(pod)) continue
            assert.isAtLeast(at, last.get(budget) ?? 0)
            last.set(budget, at)
          }
        }
      }),
      runs
    )
  })

  it("is no faster in the worst case, reports when and why it is blocked, and is reproducible", () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const { plan } = planned(shape)
        assert.deepStrictEqual(planned(shape).plan, plan)
        const holds = plan.nodes.filter(({ outcome }) => outcome !== "drained")
        assert.strictEqual(plan.blocked, holds.length > 0)
        for (const { outcome, pods } of holds) {
          if (outcome !== "not-reached") assert.isTrue(pods.some(({ block }) => block !== undefined))
        }
        if (plan.displaced.length > 0 || shape.timeout > 0) return
        if (plan.takes.expected !== undefined && plan.takes.worst !== undefined) {
          assert.isAtLeast(plan.takes.worst, plan.takes.expected)
        }
      }),
      runs
    )
  })
})
