import { assert, describe, it } from "@effect/vitest"
import { defaultPod, type Pod } from "@rollcall/api"
import { makeInterner } from "../src/world/interning.ts"

const pod = (name: string, changes: { readonly metadata?: object; readonly spec?: object; readonly status?: object }) =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      labels: { app: "web" },
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "rs", controller: true }],
      ...changes.metadata
    },
    spec: {
      nodeName: "a",
      containers: [{ name: "c", image: "i:1", resources: { requests: { cpu: "1" } } }],
      tolerations: [{ operator: "Exists" }],
      ...changes.spec
    },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }], ...changes.status }
  }) as Pod

/** Pods that follow a plain replica of the same owner. */
const successors: Readonly<Record<string, Pod>> = {
  "another replica": pod("next", { spec: { nodeName: "b" } }),
  "no node": pod("next", { spec: { nodeName: undefined } }),
  "another image": pod("next", { spec: { containers: [{ name: "c", image: "i:2" }] } }),
  "another grace period": pod("next", { spec: { terminationGracePeriodSeconds: 5 } }),
  "requests of its own": pod("next", { spec: { resources: { limits: { cpu: "2" } } } }),
  "host network": pod("next", { spec: { hostNetwork: true } }),
  "an annotation that is dropped": pod("next", {
    metadata: { annotations: { "pod.beta.kubernetes.io/init-containers": "[]", kept: "yes" } }
  }),
  "no labels": pod("next", { metadata: { labels: undefined } }),
  "another status": pod("next", { status: { conditions: [], containerStatuses: [] } }),
  "no owner": pod("next", { metadata: { ownerReferences: undefined } })
}

describe("makeInterner", () => {
  for (const [what, next] of Object.entries(successors)) {
    it(`returns the defaulted pod, text by text: ${what}`, () => {
      for (const pods of [
        [pod("first", {}), next, pod("last", {})],
        [next, pod("first", {}), next]
      ]) {
        const intern = makeInterner()
        const texts = pods.map((one) => JSON.stringify(intern(one)))
        assert.deepStrictEqual(
          texts,
          pods.map((one) => JSON.stringify(defaultPod(one)))
        )
      }
    })
  }

  it("shares equal parts, between replicas and between workloads", () => {
    const intern = makeInterner()
    const [first, second, other] = [
      pod("first", {}),
      pod("second", { spec: { nodeName: "b" } }),
      pod("other", { metadata: { labels: { app: "db" }, ownerReferences: [] } })
    ].map((one) => intern(one) as Pod)
    assert.strictEqual(first?.spec.containers, second?.spec.containers)
    assert.strictEqual(first?.spec.containers, other?.spec.containers)
    assert.strictEqual(first?.metadata.labels, second?.metadata.labels)
    assert.notStrictEqual(first?.metadata.labels, other?.metadata.labels)
    assert.strictEqual(first?.status?.conditions, other?.status?.conditions)
  })
})
