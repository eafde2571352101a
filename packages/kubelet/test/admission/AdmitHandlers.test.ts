import { releases } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { kubeletConfig, makeModelledHost, type PodAdmitHandler } from "../../src/index.ts"
import { makeAdmission, nodeOf, podOf } from "./gate.ts"

const reasonOf = (decision: ReturnType<ReturnType<typeof makeAdmission>["offer"]>): string => {
  const decided = decision.decision()
  return typeof decided === "string" ? decided : decided.reason
}

describe("the chain", () => {
  it("runs in the kubelet's order, and the first refusal decides", () => {
    const asked: Array<string> = []
    const noting =
      (name: string): PodAdmitHandler =>
      () => {
        asked.push(name)
        return undefined
      }
    const extra: PodAdmitHandler = () => ({
      reason: "NodeShutdown",
      message: "Pod was rejected as the node is shutting down."
    })
    const gate = makeAdmission({
      evictionHandler: noting("eviction"),
      resourceManagers: [noting("topology")],
      extra: [noting("extra"), extra]
    })
    const everythingWrong = podOf(
      "p",
      { cpu: "3" },
      { spec: { securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } } }
    )
    assert.strictEqual(reasonOf(gate.offer(everythingWrong)), "SysctlForbidden")
    assert.deepStrictEqual(asked.splice(0), ["eviction"])
    assert.strictEqual(reasonOf(gate.offer(podOf("p", { cpu: "3" }))), "OutOfcpu")
    assert.deepStrictEqual(asked.splice(0), ["eviction", "topology"])
    assert.strictEqual(reasonOf(gate.offer(podOf("p"))), "NodeShutdown")
    assert.deepStrictEqual(asked.splice(0), ["eviction", "topology", "extra"])
  })

  it("reads the Node once when only its labels fail, and uses that version from then on", () => {
    const gate = makeAdmission()
    const picky = podOf("p", {}, { spec: { nodeSelector: { disk: "ssd" } } })
    assert.strictEqual(reasonOf(gate.offer(picky)), "NodeAffinity")
    assert.deepStrictEqual(gate.reads.splice(0), ["get Node"], "no answer: as the watch has it")
    assert.deepStrictEqual(gate.rejections, ["NodeAffinity"], "counted when it was decided")
    const labels = { "kubernetes.io/os": "linux", disk: "ssd" }
    gate.setFresh(nodeOf({}, { metadata: { name: "n1", labels, resourceVersion: "6" } }))
    assert.strictEqual(reasonOf(gate.offer(picky)), "admitted")
    assert.lengthOf(gate.reads.splice(0), 1)
    assert.strictEqual(reasonOf(gate.offer(picky)), "admitted")
    assert.lengthOf(gate.reads, 0, "the read was newer than the watch")
    const relabelled = nodeOf({}, { metadata: { name: "n1", labels: { disk: "hdd" }, resourceVersion: "10" } })
    gate.setFresh(relabelled)
    assert.strictEqual(reasonOf(gate.offer(picky, relabelled)), "NodeAffinity", "revision 10 is newer than 6")
  })

  it("does not read the Node when another predicate fails too", () => {
    const gate = makeAdmission()
    const pod = podOf("p", { cpu: "3" }, { spec: { nodeSelector: { disk: "ssd" } } })
    assert.strictEqual(reasonOf(gate.offer(pod)), "OutOfcpu")
    assert.lengthOf(gate.reads, 0)
  })

  it("uses the Node that it would register until it has read one", () => {
    assert.deepStrictEqual(makeAdmission().offer(podOf("p"), "nothing").decision(), {
      reason: "InvalidNodeInfo",
      message: "Kubelet cannot get node info."
    })
    const full = makeAdmission({ initialNode: () => nodeOf({ pods: "0" }) })
    assert.strictEqual(reasonOf(full.offer(podOf("p"), "nothing")), "OutOfpods")
    assert.strictEqual(reasonOf(full.offer(podOf("p"))), "admitted")
  })
})

describe("predicates", () => {
  it("reject another operating system by label and by field, before missing resources", () => {
    const { offer } = makeAdmission()
    const labelled = podOf("p", { cpu: "3" }, { metadata: { labels: { "kubernetes.io/os": "windows" } } })
    assert.strictEqual(reasonOf(offer(labelled)), "PodOSSelectorNodeLabelDoesNotMatch")
    assert.strictEqual(reasonOf(offer(podOf("p", {}, { spec: { os: { name: "windows" } } }))), "PodOSNotSupported")
    const windows = makeAdmission({ host: makeModelledHost({ name: "n1", operatingSystem: "windows" }) })
    assert.strictEqual(reasonOf(windows.offer(podOf("p", {}, { spec: { os: { name: "windows" } } }))), "admitted")
  })

  it("ignore a node's label of another operating system, in selectors too", () => {
    const mislabelled = nodeOf({}, { metadata: { name: "n1", labels: { "kubernetes.io/os": "plan9" } } })
    const pod = podOf("p", {}, { spec: { nodeSelector: { "kubernetes.io/os": "linux" } } })
    assert.strictEqual(reasonOf(makeAdmission().offer(pod, mislabelled)), "admitted")
    const bare = nodeOf({}, { metadata: { name: "n1", labels: {} } })
    assert.strictEqual(reasonOf(makeAdmission().offer(pod, bare)), "NodeAffinity", "there is nothing to correct")
  })

  it("require a node that honours strict supplemental groups", () => {
    const pod = podOf("p", {}, { spec: { securityContext: { supplementalGroupsPolicy: "Strict" } } })
    const able = nodeOf({}, { status: { features: { supplementalGroupsPolicy: true } } })
    const allocatable = { ...able, status: { ...nodeOf().status, ...able.status } }
    assert.strictEqual(reasonOf(makeAdmission().offer(pod)), "SupplementalGroupsPolicyNotSupported")
    assert.strictEqual(reasonOf(makeAdmission().offer(pod, allocatable)), "admitted")
    const old = makeAdmission({ config: kubeletConfig({}, releases["1.26"]), release: releases["1.26"] })
    assert.strictEqual(reasonOf(old.offer(pod)), "admitted", "a release that does not know the policy")
  })

  it("ignore extended resources that the node does not have, but not huge pages", () => {
    const { offer } = makeAdmission()
    assert.strictEqual(reasonOf(offer(podOf("p", { "example.com/gpu": "4" }))), "admitted")
    assert.strictEqual(
      reasonOf(offer(podOf("p", { "example.com/gpu": "4" }), nodeOf({ "example.com/gpu": "0" }))),
      "OutOfexample.com/gpu"
    )
    assert.strictEqual(reasonOf(offer(podOf("p", { "hugepages-1Gi": "1Gi" }))), "OutOfhugepages-1Gi")
    const claimed = podOf(
      "p",
      { "example.com/gpu": "4" },
      {
        status: {
          extendedResourceClaimStatus: {
            requestMappings: [{ containerName: "c", resourceName: "example.com/gpu", requestName: "r" }]
          }
        }
      }
    )
    assert.strictEqual(
      reasonOf(offer(claimed, nodeOf({ "example.com/gpu": "1" }))),
      "admitted",
      "a claim provides them"
    )
  })

  it("count the allocated resources of a resized pod", () => {
    const resized = podOf(
      "o",
      { cpu: "500m" },
      { status: { containerStatuses: [{ name: "c", resources: { requests: { cpu: "1500m" } } }] } }
    )
    const refusal = makeAdmission()
      .offer(podOf("p", { cpu: "1" }), nodeOf(), [resized])
      .decision()
    assert.deepStrictEqual(refusal, {
      reason: "OutOfcpu",
      message: "Node didn't have enough resource: cpu, requested: 1000, used: 1500, capacity: 2000"
    })
  })

  it("reject a pod with another node's name, and host ports in use, also by sidecars", () => {
    const { offer } = makeAdmission()
    assert.strictEqual(reasonOf(offer(podOf("p", {}, { spec: { nodeName: "n2" } }))), "NodeName")
    const ports = [{ containerPort: 1, hostPort: 80 }]
    const sidecar = podOf("o", {}, { spec: { initContainers: [{ name: "s", restartPolicy: "Always", ports }] } })
    const init = podOf("o", {}, { spec: { initContainers: [{ name: "i", ports }] } })
    const wants = podOf("p", {}, { spec: { containers: [{ name: "c", ports }] } })
    assert.strictEqual(reasonOf(offer(wants, nodeOf(), [sidecar])), "NodePorts")
    assert.strictEqual(reasonOf(offer(wants, nodeOf(), [init])), "admitted")
  })

  it("reject no static pod", () => {
    const tainted = nodeOf({}, { spec: { taints: [{ key: "k", effect: "NoExecute" }] } })
    const annotations = { "kubernetes.io/config.source": "file" }
    assert.strictEqual(reasonOf(makeAdmission().offer(podOf("p"), tainted)), "TaintToleration")
    assert.strictEqual(
      reasonOf(makeAdmission().offer(podOf("p", {}, { metadata: { annotations } }), tainted)),
      "admitted"
    )
  })
})

describe("features", () => {
  const localhost = { type: "Localhost", localhostProfile: "tight" } as const

  it("enforce AppArmor where the machine can, for pods that are to be started", () => {
    const host = makeModelledHost({ name: "n1" })
    const bare = makeAdmission({ host: { machine: () => ({ ...host.machine(), appArmor: false }), booted: () => {} } })
    const spec = { securityContext: { appArmorProfile: localhost } }
    assert.strictEqual(reasonOf(makeAdmission().offer(podOf("p", {}, { spec }))), "admitted")
    assert.deepStrictEqual(bare.offer(podOf("p", {}, { spec })).decision(), {
      reason: "AppArmor",
      message: "Cannot enforce AppArmor: AppArmor is not enabled on the host"
    })
    assert.strictEqual(reasonOf(bare.offer(podOf("p", {}, { spec, status: { phase: "Running" } }))), "admitted")
    const unconfined = { securityContext: { appArmorProfile: { type: "Unconfined" } } }
    assert.strictEqual(reasonOf(bare.offer(podOf("p", {}, { spec: unconfined }))), "admitted")
    const annotated = { "container.apparmor.security.beta.kubernetes.io/c": "localhost/tight" }
    assert.strictEqual(reasonOf(bare.offer(podOf("p", {}, { metadata: { annotations: annotated } }))), "AppArmor")
  })

  it("refuse pod-level resources without their gate", () => {
    const pod = podOf("p", {}, { spec: { resources: { requests: { cpu: "1" } } } })
    const { featureGates } = kubeletConfig()
    const config = kubeletConfig({ featureGates: { ...featureGates, PodLevelResources: false } })
    assert.strictEqual(reasonOf(makeAdmission().offer(pod)), "admitted")
    assert.deepStrictEqual(makeAdmission({ config }).offer(pod).decision(), {
      reason: "PodLevelResourcesNotSupported",
      message: "PodLevelResources feature gate is disabled"
    })
    assert.strictEqual(
      reasonOf(makeAdmission({ config }).offer(podOf("p", {}, { spec: { resources: {} } }))),
      "admitted"
    )
  })

  it("refuse what the node does not declare", () => {
    const rules = [{ action: "RestartAllContainers", exitCodes: { operator: "In", values: [3] } } as const]
    const pod = podOf(
      "p",
      {},
      { spec: { containers: [{ name: "c", restartPolicy: "Never", restartPolicyRules: rules }] } }
    )
    const { featureGates } = kubeletConfig()
    const without = { ...featureGates, RestartAllContainersOnContainerExits: false }
    assert.strictEqual(reasonOf(makeAdmission().offer(pod)), "admitted")
    assert.deepStrictEqual(
      makeAdmission({ config: kubeletConfig({ featureGates: without }) })
        .offer(pod)
        .decision(),
      {
        reason: "PodFeatureUnsupported",
        message: "Pod requires node features that are not available: RestartAllContainersOnContainerExits"
      }
    )
    const isolated = podOf("q", {}, { spec: { hostNetwork: true, hostUsers: false } })
    assert.strictEqual(reasonOf(makeAdmission().offer(isolated)), "PodFeatureUnsupported")
    const silent = kubeletConfig({ featureGates: { ...without, NodeDeclaredFeatures: false } })
    assert.strictEqual(reasonOf(makeAdmission({ config: silent }).offer(pod)), "admitted")
  })
})
