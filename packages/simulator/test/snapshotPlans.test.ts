import type { KubeObject } from "@rollcall/api"
import { runWithApiServer } from "@rollcall/api-server/testing"
import { type ClusterError, type ClusterShape, fromConnection } from "@rollcall/cluster"
import { parseDocuments } from "@rollcall/input/documents"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import {
  drainGapsOf,
  evictionObjectsOfCluster,
  evictionObjectsOfDocuments,
  objectsOfCluster,
  objectsOfDocuments,
  planClusterDrain,
  podsOfDocuments,
  renderSnapshot,
  takeSnapshot
} from "../src/snapshot/index.ts"

const labels = { app: "web" }
const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u", controller: true }
const node = (name: string) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  status: {
    capacity: { cpu: "4", memory: "8Gi", pods: "10" },
    allocatable: { cpu: "4", memory: "8Gi", pods: "10" },
    conditions: [{ type: "Ready", status: "True" }]
  }
})
const pod = (name: string, nodeName: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", labels, ownerReferences: [owner] },
  spec: { nodeName, containers: [{ name: "c", image: "x" }] },
  status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] }
})
const set = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name: "web", namespace: "default", uid: "u", labels },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "x" }] } }
  }
}
const budget = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "web", namespace: "default" },
  spec: { maxUnavailable: 1, selector: { matchLabels: labels } }
}

const documents = (...items: ReadonlyArray<object>) =>
  Result.getOrThrow(parseDocuments("c.json", JSON.stringify({ apiVersion: "v1", kind: "List", items })))

const messageOf = <A>(effect: Effect.Effect<A, { readonly message: string }>): string =>
  Effect.runSync(Effect.flip(effect)).message

/** Runs a test against an API server that has these objects. */
const withServer = <A>(
  objects: ReadonlyArray<object>,
  test: (cluster: ClusterShape) => Effect.Effect<A, ClusterError>
): A =>
  runWithApiServer(
    Effect.fnUntraced(function* (admin) {
      const cluster = fromConnection(admin)
      for (const object of objects as ReadonlyArray<KubeObject & { kind: "Node" | "Pod" }>) {
        const made = yield* cluster.create(object.kind, object as never)
        if ("status" in object)
          yield* cluster.updateStatus(object.kind, {
            ...made,
            status: { ...made.status, ...(object.status as object) }
          } as never)
      }
      return yield* test(cluster)
    })
  )

const all = [node("n1"), node("n2"), set, budget, pod("web-a", "n1"), pod("web-b", "n1")]

describe("a drain planned over a snapshot", () => {
  it("uses the scheduler, and the status that a budget would have", () => {
    const objects = Effect.runSync(objectsOfDocuments(documents(...all)))
    const plan = planClusterDrain(objects, { nodes: ["n1"] })
    assert.isFalse(plan.blocked)
    const pods = plan.nodes[0]?.pods ?? []
    assert.deepStrictEqual(
      pods.map(({ replacement }) => replacement?.kind === "placed" && replacement.node),
      ["n2", "n2"]
    )
    // The budget allows one at a time.
    assert.strictEqual(pods[0]?.leaves.expected, 0)
    assert.isAbove(pods[1]?.leaves.expected ?? 0, 0)
  })

  it("is the same over the cluster that the snapshot is taken of", () => {
    const [live, taken, gaps] = withServer(all, (cluster) =>
      Effect.gen(function* () {
        const objects = yield* objectsOfCluster(cluster)
        const lines = renderSnapshot(yield* takeSnapshot(cluster, () => Effect.void), Uint8Array.of(1))
        const read = yield* Effect.orDie(
          Effect.flatMap(Effect.fromResult(parseDocuments("c.json", lines.join(""))), objectsOfDocuments)
        )
        const planOf = (one: typeof objects) => planClusterDrain(one, { nodes: ["n1"], disableEviction: true })
        return [planOf(objects), planOf(read), drainGapsOf(read, false)] as const
      })
    )
    assert.deepStrictEqual(gaps, [])
    const shape = (plan: typeof live) =>
      plan.nodes.map(({ outcome, pods }) => [outcome, pods.map((one) => [one.pod.metadata.name, one.replacement])])
    assert.deepStrictEqual(shape(taken), shape(live))
  })

  it("reports what a file lacks", () => {
    assert.match(
      messageOf(objectsOfDocuments(documents(pod("p", "n1")))),
      /^c\.json: holds no Node: kubectl get all leaves/
    )
    const placeless = { ...pod("p", "n1"), metadata: { name: "p" } }
    assert.include(messageOf(objectsOfDocuments(documents(placeless))), "items[0].metadata.namespace: is required")
    const lacking = Effect.runSync(objectsOfDocuments(documents(node("n1"), pod("p", "n1"))))
    const kinds = (disableEviction: boolean) => drainGapsOf(lacking, disableEviction).map(({ kind }) => kind)
    assert.include(kinds(false), "PodDisruptionBudget")
    assert.notInclude(kinds(true), "PodDisruptionBudget")
  })
})

describe("the objects that evictions depend on", () => {
  it("are read from a cluster and from a file", () => {
    const live = withServer(all, evictionObjectsOfCluster)
    assert.strictEqual(live.nowMs, Date.UTC(2026, 0, 1))
    assert.deepStrictEqual(
      live.gaps.map(({ kind }) => kind),
      ["Lease"]
    )
    const asOf = Date.UTC(2026, 1, 1)
    const filed = Effect.runSync(evictionObjectsOfDocuments(documents(...all), asOf))
    assert.strictEqual(filed.nowMs, asOf)
    for (const { nodes, pods } of [live, filed]) assert.deepStrictEqual([nodes.length, pods.length], [2, 2])
  })
})

describe("the pods of a file", () => {
  const gold = { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name: "gold" }, value: 7 }
  const classed = (name: string) => {
    const { spec, ...rest } = pod("p", "n1")
    return { ...rest, spec: { ...spec, priorityClassName: name } }
  }

  it("are grouped by node, with priorities from the PriorityClasses in the file", () => {
    const read = Effect.runSync(podsOfDocuments("c.json", documents(node("n1"), gold, classed("gold"), pod("q", "n2"))))
    assert.deepStrictEqual(read.nodes, ["n1", "n2"])
    const { object, pods } = Result.getOrThrow(read.of("n1"))
    assert.strictEqual(object?.metadata.name, "n1")
    assert.deepStrictEqual(
      pods.map(({ metadata, spec }) => [metadata.name, spec.priority]),
      [["p", 7]]
    )
  })

  it("are those of a node, not those that wait for one; a node may have none", () => {
    const { nodeName: _, ...spec } = pod("p", "n1").spec
    const manifest = { ...pod("manifest", "n1"), spec }
    const waits = { ...manifest, metadata: { ...manifest.metadata, name: "waits", resourceVersion: "7" } }
    const read = Effect.runSync(podsOfDocuments("c.json", documents(node("n2"), pod("p", "n1"), manifest, waits)))
    assert.deepStrictEqual([read.nodes, read.knownNodes], [["n1"], ["n1", "n2"]])
    const namesOn = (name: string) => Result.getOrThrow(read.of(name)).pods.map(({ metadata }) => metadata.name)
    assert.deepStrictEqual([namesOn("n1"), namesOn("n2")], [["p", "manifest"], ["manifest"]])
  })

  it("are refused if a class is missing", () => {
    const refused = Effect.runSync(podsOfDocuments("c.json", documents(gold, classed("gald")))).of("n1")
    assert.isTrue(Result.isFailure(refused))
    if (Result.isFailure(refused)) {
      assert.include(refused.failure.message, 'no PriorityClass "gald" in the file; did you mean "gold"?')
    }
    assert.strictEqual(messageOf(podsOfDocuments("c.json", documents(gold))), "c.json: holds no Pod")
  })
})
