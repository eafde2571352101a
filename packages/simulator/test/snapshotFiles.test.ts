import { parseDocuments } from "@rollcall/input/documents"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { loadScenarioText } from "../src/input/text.ts"
import { objectsOfDocuments } from "../src/snapshot/index.ts"
import { planOf } from "./run.ts"

const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } }
const named = (apiVersion: string, kind: string, name: string, more: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name, namespace: "default" },
  ...more
})
const pod = (name: string, metadata: object = {}, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", ...metadata },
  spec: { nodeName: "n1", containers: [{ name: "c", image: "x" }], ...spec }
})

const documentsOf = (values: ReadonlyArray<object>) =>
  values.flatMap((value, index) => Result.getOrThrow(parseDocuments(`${index}.json`, JSON.stringify(value))))
const listOf = (...items: ReadonlyArray<object>) => ({ apiVersion: "v1", kind: "List", items })
/** The objects of a drain plan. */
const read = (...values: ReadonlyArray<object>) => Effect.runSync(objectsOfDocuments(documentsOf(values)))
const gapTexts = (...values: ReadonlyArray<object>) =>
  read(...values)
    .gaps.map(({ kind, message }) => `${kind}: ${message}`)
    .join("\n")
/** The plan of a rehearsal of a snapshot of these objects. */
const rehearsed = (items: ReadonlyArray<object>, more: object = {}) =>
  planOf(
    { duration: "1m", cluster: { snapshot: ["s.json"] }, ...more },
    { files: { "s.json": JSON.stringify(listOf(node, ...items)) } }
  )

describe("an object of another API with the name of a modelled kind", () => {
  const namesakes = [
    named("longhorn.io/v1beta2", "Node", "n1", { spec: { allowScheduling: true } }),
    named("serving.knative.dev/v1", "Service", "web", { spec: { template: {} } }),
    named("batch.volcano.sh/v1alpha1", "Job", "train", { spec: { minAvailable: 1 } }),
    named("events.k8s.io/v1", "Event", "e", { reason: "x" })
  ]

  it("is left out with a warning, whatever its fields are", () => {
    const plan = rehearsed([...namesakes, ...namesakes])
    assert.deepStrictEqual(
      plan.warnings
        .filter((warning) => warning.includes("not modelled"))
        .map((warning) => warning.split("s.json: ")[1]),
      [
        "Node of longhorn.io/v1beta2 is not modelled, left out",
        "Service of serving.knative.dev/v1 is not modelled, left out",
        "Job of batch.volcano.sh/v1alpha1 is not modelled, left out",
        "Event of events.k8s.io/v1 is not modelled, left out"
      ]
    )
    assert.lengthOf(read(listOf(node, ...namesakes)).of("Node"), 1)
  })

  it("is no evidence of the kind", () => {
    const empty = { apiVersion: "serving.knative.dev/v1", kind: "ServiceList", items: [] }
    assert.include(gapTexts(listOf(node, pod("a")), empty), "the snapshot has no Service")
  })

  it("is not taken for a misspelt version", () => {
    const wrong = () => rehearsed([named("extensions/v1beta1", "Deployment", "web")])
    assert.throws(wrong, /apiVersion: found "extensions\/v1beta1", expected "apps\/v1"/)
  })
})

describe("an object of a former version", () => {
  const specOf = (object: object): object => ({ ...rehearsed([object]).snapshot.at(-1)?.object })

  it("is read as the current one, with what changed between them", () => {
    const budget = (selector: object) =>
      named("policy/v1beta1", "PodDisruptionBudget", "web", { spec: { minAvailable: 1, selector } })
    assert.deepInclude(specOf(budget({ matchLabels: { app: "web" } })), {
      apiVersion: "policy/v1",
      spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } }
    })
    // An empty selector selected no pod in v1beta1.
    const key = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"
    assert.deepInclude(specOf(budget({})), {
      spec: { minAvailable: 1, selector: { matchExpressions: [{ key, operator: "Exists" }] } }
    })
    const topology = { "topology.kubernetes.io/zone": "a", "kubernetes.io/hostname": "n1" }
    const endpoints = [{ addresses: ["10.0.0.1"], topology }]
    assert.deepInclude(
      specOf(named("discovery.k8s.io/v1beta1", "EndpointSlice", "web", { addressType: "IPv4", endpoints })),
      {
        endpoints: [{ addresses: ["10.0.0.1"], zone: "a", deprecatedTopology: { "kubernetes.io/hostname": "n1" } }]
      }
    )
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" }
    const autoscaler = { scaleTargetRef, maxReplicas: 5 }
    assert.deepInclude(
      specOf(
        named("autoscaling/v1", "HorizontalPodAutoscaler", "web", {
          spec: { ...autoscaler, targetCPUUtilizationPercentage: 50 }
        })
      ),
      {
        spec: {
          ...autoscaler,
          metrics: [
            { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }
          ]
        }
      }
    )
  })
})

describe("a snapshot of several files", () => {
  it("has an object once, in its latest state", () => {
    const states = [
      pod("a", { uid: "u", resourceVersion: "12" }, { nodeName: "n2" }),
      pod("a", { uid: "u", resourceVersion: "9" }),
      pod("b", {}, { nodeName: "n2" }),
      pod("b"),
      pod("c", { uid: "c", resourceVersion: "3" }),
      pod("c", { uid: "c", resourceVersion: "3" })
    ]
    const of = read(listOf(node, ...states))
    assert.deepStrictEqual(
      of.of("Pod").map(({ metadata, spec }) => [metadata.name, spec.nodeName]),
      [
        ["a", "n2"],
        ["b", "n1"],
        ["c", "n1"]
      ]
    )
    const { snapshot, warnings } = rehearsed(states)
    assert.lengthOf(snapshot, 4)
    assert.include(
      warnings.join("\n"),
      "several states of Pod default/a, Pod default/b: the one with the highest resourceVersion"
    )
  })

  it("is not complete for a kind that one namespace has none of", () => {
    const sets = (namespace: string, ...names: ReadonlyArray<string>) => ({
      apiVersion: "apps/v1",
      kind: "ReplicaSetList",
      items: names.map((name) => ({
        metadata: { name, namespace, uid: name },
        spec: {
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "b" } }, spec: pod("a").spec }
        }
      }))
    })
    const owned = pod("a", {
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "x", uid: "x", controller: true }]
    })
    assert.include(
      gapTexts(listOf(node, owned), sets("kube-public"), sets("default", "other")),
      "lacks 1 ReplicaSet of 1 Pod"
    )
    assert.notInclude(gapTexts(listOf(node, owned), sets("kube-public")), "lacks 1 ReplicaSet")
  })
})

describe("a snapshot of one namespace", () => {
  it("does not show the other pods of its nodes, unless it was written by hand", () => {
    const message = "all Pods of the snapshot are in namespace default"
    assert.include(gapTexts(listOf(node, pod("a", { resourceVersion: "7" }))), message)
    assert.notInclude(gapTexts(listOf(node, pod("a"))), message)
    const two = [pod("a", { resourceVersion: "7" }), pod("b", { resourceVersion: "8", namespace: "kube-system" })]
    assert.notInclude(gapTexts(listOf(node, ...two)), message)
  })
})

describe("pods of a scheduler that does not run", () => {
  const pods = [pod("a", {}, { schedulerName: "volcano" }), pod("b")]

  it("are reported, because the nodes of their replacements are not known", () => {
    assert.include(
      gapTexts(listOf(node, ...pods)),
      "Scheduler: 1 Pod (default/a) name the scheduler volcano: the nodes that it chooses are not known"
    )
    assert.include(rehearsed(pods).warnings.join("\n"), "new pods that name it stay Pending")
  })

  it("are not reported where the configuration has a profile for them", () => {
    const config = { scheduler: { profiles: [{ schedulerName: "volcano" }, {}] } }
    assert.notInclude(rehearsed(pods, { config }).warnings.join("\n"), "scheduler volcano")
  })
})

describe("a snapshot in the place of a scenario", () => {
  it("is refused with the field where it belongs", () => {
    const load = () => Effect.runSync(loadScenarioText(JSON.stringify(listOf(node)), { name: "pods.json" }))
    assert.throws(load, /^pods\.json:?\d*: is a List, expected a Scenario: name the file in spec\.cluster\.snapshot/)
  })
})
