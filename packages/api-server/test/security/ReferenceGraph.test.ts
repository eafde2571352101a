import { assert, describe, it } from "@effect/vitest"
import type { KubeObject, Pod } from "@rollcall/api"
import * as fc from "fast-check"
import { type Referenced, ReferenceGraph } from "../../src/security/node/ReferenceGraph.ts"

const pod = (name: string, nodeName: string, secret: string, claim: string, mirror: boolean): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", ...(mirror ? { annotations: { "kubernetes.io/config.mirror": "" } } : {}) },
  spec: {
    containers: [{ name: "c" }],
    serviceAccountName: "default",
    ...(nodeName === "" ? {} : { nodeName }),
    volumes: [
      { name: "s", secret: { secretName: secret } },
      { name: "c", persistentVolumeClaim: { claimName: claim } }
    ]
  }
})

const volume = (name: string, claim: string, secret: string): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      ...(claim === "" ? {} : { claimRef: { namespace: "default", name: claim } }),
      csi: { driver: "d", nodeStageSecretRef: { namespace: "kube-system", name: secret } }
    }
  }) as KubeObject

const nodes = ["", "n1", "n2"]
const names = ["a", "b", "c"]
const of = fc.constantFrom

type Step = readonly [kind: "Pod" | "PersistentVolume", name: string, object: KubeObject | undefined]

const podStep = fc
  .tuple(of(...names), of(...nodes), of(...names), of(...names), fc.boolean(), fc.boolean())
  .map(
    ([name, node, secret, claim, mirror, gone]): Step => [
      "Pod",
      name,
      gone ? undefined : pod(name, node, secret, claim, mirror)
    ]
  )
const volumeStep = fc
  .tuple(of(...names), of("", ...names), of(...names), fc.boolean())
  .map(
    ([name, claim, secret, gone]): Step => ["PersistentVolume", name, gone ? undefined : volume(name, claim, secret)]
  )

const questions: ReadonlyArray<readonly [Referenced, string, string]> = [
  ...names.map((name) => ["pod", "default", name] as const),
  ...names.map((name) => ["secret", "default", name] as const),
  ...names.map((name) => ["secret", "kube-system", name] as const),
  ...names.map((name) => ["persistentvolumeclaim", "default", name] as const),
  ...names.map((name) => ["persistentvolume", "", name] as const),
  ["serviceaccount", "default", "default"],
  ["configmap", "default", "a"]
]

const answersOf = (graph: ReferenceGraph) =>
  questions.map(([type, namespace, name]) => ["n1", "n2"].map((node) => graph.isRelated(type, namespace, name, node)))

describe("ReferenceGraph", () => {
  it("equals after any changes a graph built from the result", () =>
    fc.assert(
      fc.property(fc.array(fc.oneof(podStep, volumeStep), { maxLength: 30 }), (steps) => {
        const followed = new ReferenceGraph()
        const present = new Map<string, KubeObject>()
        for (const [kind, name, object] of steps) {
          const key = `${kind}/${name}`
          const previous = present.get(key)
          if (object === undefined && previous === undefined) continue
          if (kind === "Pod") followed.podChanged(object as Pod | undefined, previous as Pod | undefined)
          else followed.volumeChanged(object, previous)
          if (object === undefined) present.delete(key)
          else present.set(key, object)
        }
        const anew = new ReferenceGraph()
        for (const object of present.values()) {
          if (object.kind === "Pod") anew.podChanged(object as Pod, undefined)
          else anew.volumeChanged(object, undefined)
        }
        assert.deepStrictEqual(answersOf(followed), answersOf(anew))
      })
    ))

  it("leads from a volume's secret by claim and pod to the node", () => {
    const graph = new ReferenceGraph()
    graph.volumeChanged(volume("pv", "a", "stage"), undefined)
    assert.isFalse(graph.isRelated("secret", "kube-system", "stage", "n1"))
    const bound = pod("p", "n1", "s", "a", false)
    graph.podChanged(bound, undefined)
    assert.isTrue(graph.isRelated("secret", "kube-system", "stage", "n1"))
    assert.isTrue(graph.isRelated("persistentvolume", "", "pv", "n1"))
    assert.isFalse(graph.isRelated("persistentvolume", "", "pv", "n2"))
    graph.podChanged(undefined, bound)
    assert.isFalse(graph.isRelated("secret", "kube-system", "stage", "n1"))
  })

  it("allows a node nothing through a mirror pod but the pod", () => {
    const graph = new ReferenceGraph()
    graph.podChanged(pod("p", "n1", "s", "a", true), undefined)
    assert.isTrue(graph.isRelated("pod", "default", "p", "n1"))
    assert.isFalse(graph.isRelated("secret", "default", "s", "n1"))
    assert.isFalse(graph.isRelated("serviceaccount", "default", "default", "n1"))
  })
})
