import type { Pod } from "@rollcall/api"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { makeKubelet, type StaticPodManifest } from "../../src/index.ts"
import { staticPodOf } from "../../src/static/staticPodOf.ts"
import { modelWithoutJitter, setUpKubelet } from "../setUpKubelet.ts"

type StartedKubelet = ReturnType<typeof setUpKubelet>

const manifest = (name: string, image = "pause", spec: Partial<Pod["spec"]> = {}): StaticPodManifest => ({
  source: `/etc/kubernetes/manifests/${name}.yaml`,
  kind: "file",
  pod: {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: name } },
    spec: { containers: [{ name: "c", image }], ...spec }
  }
})

const startKubelet = (
  options: Parameters<typeof setUpKubelet>[0] = {},
  ...manifests: ReadonlyArray<StaticPodManifest>
): StartedKubelet => {
  const testNode = setUpKubelet(options)
  testNode.kubelet.setStaticPods(manifests)
  testNode.kubelet.startKubelet()
  testNode.untilMs(5_000)
  return testNode
}

const stages = ({ kubelet }: StartedKubelet) => kubelet.pods().map(({ name, stage }) => `${name} ${stage}`)

describe("a manifest", () => {
  const seen = "2026-01-01T00:00:00Z"
  const podOf = (of: StaticPodManifest, node = "node-1") => Result.getOrThrow(staticPodOf(of, node, seen))

  it("becomes a pod of the node", () => {
    const { metadata, spec, status } = podOf(manifest("web"))
    assert.strictEqual(metadata.name, "web-node-1")
    assert.strictEqual(metadata.namespace, "default")
    assert.match(metadata.uid ?? "", /^[0-9a-f]{32}$/)
    assert.deepStrictEqual(metadata.annotations, {
      "kubernetes.io/config.hash": metadata.uid ?? "",
      "kubernetes.io/config.source": "file",
      "kubernetes.io/config.seen": seen
    })
    assert.strictEqual(spec.nodeName, "node-1")
    assert.deepStrictEqual(spec.tolerations, [{ operator: "Exists", effect: "NoExecute" }])
    assert.strictEqual(spec.terminationGracePeriodSeconds, 30)
    assert.strictEqual(status?.phase, "Pending")
  })

  it("gives another pod with other content, another path or node, but not with its fields in another order", () => {
    const given = manifest("web")
    const reordered = { ...given, pod: { ...given.pod, spec: { containers: [{ image: "pause", name: "c" }] } } }
    const uid = podOf(given).metadata.uid
    assert.strictEqual(podOf(reordered).metadata.uid, uid)
    const others = [
      podOf(manifest("web", "nginx")),
      podOf({ ...given, source: "/elsewhere" }),
      podOf({ ...given, kind: "http" }),
      podOf(given, "node-2")
    ]
    assert.strictEqual(new Set([uid, ...others.map(({ metadata }) => metadata.uid)]).size, 5)
  })

  it("keeps its own uid, and gets no toleration if it comes from a URL", () => {
    const given = manifest("web")
    const pod = podOf({ ...given, kind: "http", pod: { ...given.pod, metadata: { name: "web", uid: "mine" } } })
    assert.strictEqual(pod.metadata.annotations?.["kubernetes.io/config.hash"], "mine")
    assert.isUndefined(pod.spec.tolerations)
  })

  it("is refused if it is not a pod, or refers to objects of the API", () => {
    const refusal = (given: StaticPodManifest) => {
      const made = staticPodOf(given, "n1", seen)
      return Result.isFailure(made) ? made.failure : "taken"
    }
    assert.include(
      refusal(manifest("web", "pause", { containers: [] })),
      "invalid pod: spec.containers: Required value"
    )
    const claims = { resourceClaims: [{ name: "gpu", resourceClaimName: "gpu" }] }
    assert.include(refusal(manifest("web", "pause", claims)), "ResourceClaims")
    const volumes = [{ name: "v", projected: { sources: [{ clusterTrustBundle: { name: "b", path: "ca.pem" } }] } }]
    assert.include(refusal(manifest("web", "pause", { volumes })), "ClusterTrustBundle")
  })
})

describe("a static pod", () => {
  it("runs, and has a mirror pod with its status", () => {
    const testNode = startKubelet({}, manifest("web"))
    const mirror = testNode.api.pod("web-n1")
    const uid = testNode.kubelet.pods()[0]?.uid ?? ""
    assert.strictEqual(mirror?.metadata.annotations?.["kubernetes.io/config.mirror"], uid)
    assert.strictEqual(mirror?.metadata.labels?.app, "web")
    const node = testNode.api.node("n1")
    assert.deepStrictEqual(mirror?.metadata.ownerReferences, [
      { apiVersion: "v1", kind: "Node", name: "n1", uid: node?.metadata.uid ?? "", controller: true }
    ])
    assert.notStrictEqual(mirror?.metadata.uid, uid)
    assert.strictEqual(mirror?.status?.phase, "Running")
    assert.strictEqual(mirror?.status?.podIP, "10.244.0.2")
    assert.deepStrictEqual(stages(testNode), ["web-n1 running"])
    const { length } = testNode.api.requests
    testNode.untilMs(9_000)
    assert.lengthOf(testNode.api.requests, length, "nothing more to say")
  })

  it("runs without an API server, and gets a mirror pod when there is one", () => {
    const testNode = setUpKubelet()
    testNode.link.setCut(true)
    testNode.kubelet.setStaticPods([manifest("web")])
    testNode.kubelet.startKubelet()
    testNode.untilMs(20_000)
    assert.deepStrictEqual(stages(testNode), ["web-n1 running"])
    testNode.link.setCut(false)
    testNode.untilMs(60_000)
    assert.strictEqual(testNode.api.pod("web-n1")?.status?.phase, "Running")
  })

  it("does not stop when its mirror pod is deleted, which is created again", () => {
    const testNode = startKubelet({}, manifest("web"))
    const first = testNode.api.pod("web-n1")?.metadata.uid
    testNode.api.deletePod("web-n1", 0)
    testNode.untilMs(64_999)
    assert.isUndefined(testNode.api.pod("web-n1"), "made anew by the next sync of the pod")
    testNode.untilMs(65_001)
    const second = testNode.api.pod("web-n1")
    assert.notStrictEqual(second?.metadata.uid, first)
    assert.strictEqual(second?.status?.phase, "Running")
    testNode.api.deletePod("web-n1")
    testNode.untilMs(65_002)
    const third = testNode.api.pod("web-n1")
    assert.notStrictEqual(third?.metadata.uid, second?.metadata.uid)
    assert.isUndefined(third?.metadata.deletionTimestamp)
    assert.deepStrictEqual(stages(testNode), ["web-n1 running"])
    assert.strictEqual(third?.status?.containerStatuses?.[0]?.restartCount, 0)
  })

  it("is replaced when its manifest changes, the old one ending first", () => {
    const testNode = startKubelet({}, manifest("web"))
    const old = testNode.kubelet.pods()[0]?.uid
    testNode.kubelet.setStaticPods([manifest("web", "nginx")])
    assert.deepStrictEqual(stages(testNode), ["web-n1 stopping"])
    testNode.untilMs(14_999)
    assert.deepStrictEqual(stages(testNode), [], "after the back-off of a worker")
    testNode.untilMs(16_000)
    assert.deepStrictEqual(stages(testNode), ["web-n1 running"])
    const uid = testNode.kubelet.pods()[0]?.uid
    assert.notStrictEqual(uid, old)
    const mirror = testNode.api.pod("web-n1")
    assert.strictEqual(mirror?.metadata.annotations?.["kubernetes.io/config.mirror"], uid)
    assert.strictEqual(mirror?.spec.containers[0]?.image, "nginx")
    assert.strictEqual(mirror?.status?.phase, "Running")
  })

  it("terminates with its manifest, and its mirror is deleted", () => {
    const testNode = startKubelet({}, manifest("web"), manifest("db"))
    testNode.kubelet.setStaticPods([manifest("db")])
    testNode.untilMs(5_999)
    assert.isDefined(testNode.api.pod("web-n1"))
    testNode.untilMs(6_001)
    assert.isUndefined(testNode.api.pod("web-n1"))
    assert.lengthOf(testNode.api.asked("delete Pod"), 1)
    const { containerStatuses, phase } = testNode.lastPodStatus() ?? {}
    assert.deepStrictEqual([containerStatuses?.[0]?.state?.terminated?.exitCode, phase], [0, undefined])
    assert.deepStrictEqual(stages(testNode), ["db-n1 running"])
  })

  it("that is refused stays Failed until its manifest changes", () => {
    const refuse = { reason: "NodeShutdown", message: "no" }
    const testNode = startKubelet(
      { admission: [({ pod }) => (pod.spec.containers[0]?.image === "bad" ? refuse : undefined)] },
      manifest("web", "bad")
    )
    assert.strictEqual(testNode.api.pod("web-n1")?.status?.phase, "Failed")
    assert.strictEqual(testNode.api.pod("web-n1")?.status?.reason, "NodeShutdown")
    testNode.api.deletePod("web-n1", 0)
    testNode.kubelet.stopKubelet()
    testNode.kubelet.startKubelet()
    testNode.untilMs(8_000)
    assert.strictEqual(testNode.api.pod("web-n1")?.status?.phase, "Failed")
    testNode.kubelet.setStaticPods([manifest("web", "good")])
    testNode.untilMs(10_000)
    assert.strictEqual(testNode.api.pod("web-n1")?.status?.phase, "Running")
  })

  it("survives the kubelet, and is run again after a loss of power", () => {
    const testNode = startKubelet({}, manifest("web"))
    testNode.kubelet.stopKubelet()
    testNode.untilMs(6_000)
    testNode.kubelet.startKubelet()
    testNode.untilMs(8_000)
    assert.strictEqual(testNode.api.pod("web-n1")?.status?.containerStatuses?.[0]?.restartCount, 0)
    testNode.kubelet.killPod(testNode.kubelet.pods()[0]?.uid ?? "", { reason: "Terminated", message: "shutdown" })
    testNode.untilMs(10_000)
    assert.strictEqual(testNode.api.pod("web-n1")?.status?.reason, "Terminated")
    testNode.kubelet.powerLost()
    testNode.boot()
    testNode.untilMs(13_000)
    assert.strictEqual(testNode.api.pod("web-n1")?.status?.phase, "Running")
    assert.isUndefined(testNode.api.pod("web-n1")?.status?.reason)
  })

  it("leaves no mirror without a manifest", () => {
    const testNode = startKubelet({}, manifest("web"))
    testNode.kubelet.stopKubelet()
    testNode.kubelet.setStaticPods([])
    testNode.untilMs(7_000)
    assert.isDefined(testNode.api.pod("web-n1"))
    testNode.kubelet.startKubelet()
    testNode.untilMs(9_000)
    assert.isUndefined(testNode.api.pod("web-n1"))
    assert.deepStrictEqual(stages(testNode), [])
  })

  it("is adopted by a restarted kubelet that reads its manifest late", () => {
    const testNode = startKubelet({}, manifest("web"))
    const before = testNode.api.pod("web-n1")
    testNode.kubelet.stopKubelet()
    const kubelet = makeKubelet(testNode.time.timers, {
      name: "n1",
      connection: testNode.api.connectionOf("n1"),
      model: modelWithoutJitter
    })
    kubelet.startKubelet()
    testNode.untilMs(6_000)
    assert.deepStrictEqual(
      kubelet.pods().map(({ uid }) => uid),
      [before?.metadata.uid]
    )
    kubelet.setStaticPods([manifest("web")])
    testNode.untilMs(9_000)
    assert.deepStrictEqual(
      kubelet.pods().map(({ stage, uid }) => `${uid} ${stage}`),
      [`${before?.metadata.annotations?.["kubernetes.io/config.hash"]} running`]
    )
    const after = testNode.api.pod("web-n1")?.status
    assert.deepStrictEqual(after?.containerStatuses, before?.status?.containerStatuses)
    assert.strictEqual(after?.startTime, "2026-01-01T00:00:06Z", "no manifest says since when it runs")
    kubelet.setStaticPods([])
    testNode.untilMs(11_000)
    assert.isUndefined(testNode.api.pod("web-n1"))
  })
})
