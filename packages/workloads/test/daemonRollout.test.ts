import { assert, describe, it } from "@effect/vitest"
import { type DaemonSet, formatTime, type Node, type Pod } from "@rollcall/api"
import * as fc from "fast-check"
import { targetNodeOf } from "../src/daemonset/placement.ts"
import { type DaemonChanges, type DaemonInput, daemonPlan, podsByNode } from "../src/daemonset/plan.ts"
import { daemonRollingUpdate } from "../src/daemonset/rollingUpdate.ts"
import { START, template } from "./withControllers.ts"

const labels = { "controller-revision-hash": "new" }

const setOf = (rollingUpdate: { maxSurge: number | string; maxUnavailable: number | string }): DaemonSet => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "agent", namespace: "default" },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: template(),
    updateStrategy: { type: "RollingUpdate", rollingUpdate }
  }
})

const nodeOf = (index: number): Node => ({ apiVersion: "v1", kind: "Node", metadata: { name: `n${index}` } })

/** A cluster of one daemon set, where pods become ready and leave when they are told to. */
class ModelledRollout {
  readonly set: DaemonSet
  readonly nodes: ReadonlyArray<Node>
  pods: ReadonlyArray<Pod> = []
  private made = 0

  constructor(set: DaemonSet, count: number) {
    this.set = set
    this.nodes = Array.from({ length: count }, (_, index) => nodeOf(index))
    for (const { metadata } of this.nodes) this.make(metadata.name ?? "", { "controller-revision-hash": "old" })
    for (const pod of this.pods) this.ready(pod)
  }

  step(): void {
    const plan = daemonPlan(this.input(), () => true)
    this.move(plan)
    if (plan.create.length === 0 && plan.remove.length === 0) this.move(daemonRollingUpdate(this.input()))
  }

  ready(pod: Pod): void {
    const since = formatTime(START)
    const conditions = [{ type: "Ready", status: "True" as const, lastTransitionTime: since }]
    this.pods = this.pods.map((other) => (other === pod ? { ...pod, status: { phase: "Running", conditions } } : other))
  }

  leave(pod: Pod): void {
    this.pods = this.pods.filter((other) => other !== pod)
  }

  /** Nodes with a pod that serves and stays. */
  get served(): number {
    const serving = this.pods.filter(
      ({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.conditions?.[0]?.status === "True"
    )
    return new Set(serving.map(targetNodeOf)).size
  }

  private input(): DaemonInput {
    const anywhere = { shouldRun: true, shouldContinueRunning: true }
    const pods = podsByNode(this.pods, targetNodeOf)
    return { set: this.set, nodes: this.nodes, eligibilityOf: () => anywhere, pods, hash: "new", nowMs: START + 1000 }
  }

  private move({ create, remove }: DaemonChanges): void {
    const going = new Set(remove)
    const deletionTimestamp = formatTime(START)
    this.pods = this.pods.map((pod) =>
      going.has(pod) ? { ...pod, metadata: { ...pod.metadata, deletionTimestamp } } : pod
    )
    for (const node of create) this.make(node, labels)
  }

  private make(nodeName: string, own: Readonly<Record<string, string>>): void {
    const name = `p${String(this.made++).padStart(4, "0")}`
    const metadata = { name, uid: name, namespace: "default", labels: own, creationTimestamp: formatTime(START) }
    this.pods = [...this.pods, { apiVersion: "v1", kind: "Pod", metadata, spec: { nodeName, containers: [] } }]
  }
}

describe("the rollout of a DaemonSet", () => {
  const bounds = fc.oneof(
    fc.record({ maxSurge: fc.constantFrom(1, 2, "34%", "100%"), maxUnavailable: fc.constant(0) }),
    fc.record({ maxSurge: fc.constant(0), maxUnavailable: fc.constantFrom(1, 3, "25%", "100%") })
  )
  const act = fc.record({ kind: fc.constantFrom("sync", "sync", "ready", "leave"), pick: fc.nat(20) })

  it("keeps to its bounds in whatever order pods come and go, and comes to its end", () => {
    fc.assert(
      fc.property(bounds, fc.integer({ min: 1, max: 8 }), fc.array(act, { maxLength: 60 }), (update, count, acts) => {
        const fleet = new ModelledRollout(setOf(update), count)
        const limit = (value: number | string) =>
          typeof value === "number" ? value : Math.ceil((Number.parseInt(value, 10) * count) / 100)
        const check = () => {
          assert.isAtLeast(fleet.served, count - limit(update.maxUnavailable))
          for (const there of podsByNode(fleet.pods, targetNodeOf).values()) {
            const staying = there.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
            assert.isAtMost(staying.length, update.maxSurge === 0 ? 1 : 2)
          }
          const surging = [...podsByNode(fleet.pods, targetNodeOf).values()].filter(
            (there) => there.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length > 1
          )
          assert.isAtMost(surging.length, limit(update.maxSurge))
        }
        const pick = (pods: ReadonlyArray<Pod>, at: number) => pods[at % Math.max(1, pods.length)]
        const waiting = () => fleet.pods.filter(({ status }) => status === undefined)
        const leaving = () => fleet.pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
        for (const { kind, pick: at } of acts) {
          const pod = kind === "ready" ? pick(waiting(), at) : kind === "leave" ? pick(leaving(), at) : undefined
          if (kind === "sync") fleet.step()
          else if (pod !== undefined) kind === "ready" ? fleet.ready(pod) : fleet.leave(pod)
          check()
        }
        for (let round = 0; round < 6 * count; round++) {
          fleet.step()
          check()
          for (const pod of leaving()) fleet.leave(pod)
          for (const pod of waiting()) fleet.ready(pod)
        }
        assert.deepStrictEqual(
          fleet.pods.map(({ metadata }) => metadata.labels?.["controller-revision-hash"]),
          Array.from({ length: count }, () => "new")
        )
      }),
      { numRuns: 300 }
    )
  })
})
