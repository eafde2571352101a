import type { KubeletConfig } from "@rollcall/kubelet"
import { machinesOfGroup } from "@rollcall/machines"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { loadScenarioText, type Plan } from "../src/index.ts"

interface Given {
  readonly release?: string
  readonly config?: object
  readonly flags?: ReadonlyArray<string>
  readonly groups?: ReadonlyArray<object>
  readonly objects?: ReadonlyArray<object>
}

const load = ({ config, flags, groups = [{}], objects = [], release }: Given) => {
  const nodes = groups.map((group, index) => ({ name: `g${index}`, ...group }))
  const spec = {
    duration: "1m",
    cluster: { nodes, objects },
    ...(release === undefined ? {} : { release }),
    ...(config === undefined ? {} : { config: { kubelet: config } }),
    ...(flags === undefined ? {} : { flags: { kubelet: flags } })
  }
  const document = { apiVersion: "rollcall.dev/v1alpha1", kind: "Scenario", metadata: { name: "s" }, spec }
  return Effect.runSync(Effect.result(loadScenarioText(JSON.stringify(document), { name: "s.yaml" })))
}

const planOf = (given: Given): Plan => Result.getOrThrow(load(given))[0] ?? assert.fail("no plan")

const refusal = (given: Given): string => {
  const loaded = load(given)
  return Result.isFailure(loaded) ? loaded.failure.message : assert.fail("accepted")
}

const configs = (given: Given): ReadonlyArray<KubeletConfig> => planOf(given).groups.map(({ kubelet }) => kubelet)

describe("the kubelets of a scenario", () => {
  it("use the configuration of all kubelets, and that of their group as a drop-in over it", () => {
    const [plain, own] = configs({
      config: { maxPods: 50, systemReserved: { cpu: "1", memory: "1Gi" }, allowedUnsafeSysctls: ["a"] },
      groups: [
        {},
        { kubelet: { maxPods: 20, systemReserved: { cpu: "2" }, allowedUnsafeSysctls: ["b"], podsPerCore: 4 } }
      ]
    })
    assert.deepInclude(plain, { maxPods: 50, allowedUnsafeSysctls: ["a"], podsPerCore: 0 })
    assert.deepStrictEqual(plain?.systemReserved, { cpu: "1", memory: "1Gi" })
    assert.deepInclude(own, { maxPods: 20, allowedUnsafeSysctls: ["b"], podsPerCore: 4 })
    assert.deepStrictEqual(own?.systemReserved, { cpu: "2", memory: "1Gi" })
  })

  it("use a group's configuration as the main file if there is none for all kubelets", () => {
    const [own] = configs({ groups: [{ kubelet: { evictionHard: { "memory.available": "1Gi" } } }] })
    assert.deepStrictEqual(own?.evictionHard, { "memory.available": "1Gi" })
    const [over] = configs({ config: {}, groups: [{ kubelet: { evictionHard: { "memory.available": "1Gi" } } }] })
    assert.strictEqual(Object.keys(over?.evictionHard ?? {}).length, 5)
  })

  it("let flags override the configuration, also for kubelets of a snapshot's Nodes", () => {
    const given = { config: { maxPods: 50 }, flags: ["--max-pods=7"], groups: [{ kubelet: { maxPods: 20 } }] }
    assert.strictEqual(configs(given)[0]?.maxPods, 7)
    assert.strictEqual(planOf(given).kubelet.maxPods, 7)
  })

  it("are registered with the labels and taints of both", () => {
    const plan = planOf({
      config: { registerWithTaints: [{ key: "a", effect: "NoSchedule" }] },
      flags: ["--node-labels=team=blue,zone=x"],
      groups: [{ zone: "z", labels: { team: "red" }, taints: [{ key: "b", effect: "NoExecute" }] }]
    })
    const [machine] = plan.groups.flatMap((group) => machinesOfGroup(group))
    assert.deepStrictEqual(machine?.config.nodeLabels, {
      team: "red",
      zone: "x",
      "topology.kubernetes.io/zone": "z"
    })
    assert.deepStrictEqual(
      machine?.config.registerWithTaints.map(({ key }) => key),
      ["a", "b"]
    )
  })

  it("follow their release", () => {
    const swapping = { featureGates: { NodeSwap: true }, memorySwap: { swapBehavior: "UnlimitedSwap" } }
    assert.strictEqual(configs({ release: "1.26", config: swapping })[0]?.swapBehavior, "UnlimitedSwap")
    assert.include(
      refusal({ release: "1.31", config: swapping }),
      'memorySwap.swapBehavior "UnlimitedSwap" must be one of'
    )
  })

  const refused: ReadonlyArray<readonly [Given, string]> = [
    [
      { config: { maxPods: "5" } },
      'spec.config.kubelet.maxPods: found "5", expected a whole number of at most 32 bits'
    ],
    [{ config: { maxPod: 5 } }, 'spec.config.kubelet.maxPod: unknown field; did you mean "maxPods"?'],
    [
      { config: { shutdownGracePeriod: "1ms" } },
      "spec.config.kubelet: invalid configuration: shutdownGracePeriod {1ms} must be either zero or otherwise >= 1 sec"
    ],
    [
      { groups: [{}, { kubelet: { memorySwap: { swapBehaviour: "" } } }] },
      'spec.cluster.nodes[1].kubelet.memorySwap.swapBehaviour: unknown field; did you mean "swapBehavior"?'
    ],
    [
      { config: { shutdownGracePeriod: "10s" }, groups: [{ kubelet: { shutdownGracePeriodCriticalPods: "20s" } }] },
      "spec.cluster.nodes[0].kubelet: invalid configuration: shutdownGracePeriodCriticalPods {20s} must be <= shutdownGracePeriod {10s}"
    ],
    [
      { config: { featureGates: { Nonsense: true } } },
      "spec.config.kubelet.featureGates: unrecognized feature gate: Nonsense"
    ],
    [
      { groups: [{ capacity: { cpu: 2 }, kubelet: { systemReserved: { cpu: "3" } } }] },
      'spec.cluster.nodes[0].kubelet: the kubelet would not start: invalid Node Allocatable configuration. Resource "cpu" has a reservation of 3 but capacity of 2. Expected capacity >= reservation.'
    ],
    [
      {
        config: { systemReserved: { cpu: "3" } },
        objects: [{ apiVersion: "v1", kind: "Node", metadata: { name: "n" }, status: { capacity: { cpu: "2" } } }]
      },
      'spec.config.kubelet: the kubelet of n would not start: invalid Node Allocatable configuration. Resource "cpu" has a reservation of 3 but capacity of 2. Expected capacity >= reservation.'
    ],
    [{ config: { kind: "Pod" } }, 'spec.config.kubelet.kind: found "Pod", expected KubeletConfiguration'],
    [
      { flags: ["--max-pods"] },
      "spec.flags.kubelet[0]: flag needs an argument: --max-pods; expected a whole number of at most 32 bits"
    ],
    [
      { flags: ["--max-pods=-1"] },
      "spec.flags.kubelet: invalid configuration: maxPods (--max-pods) -1 must not be a negative number"
    ],
    [
      { config: {}, flags: ["--node-ip=1.1.1.1,2.2.2.2"] },
      'spec.flags.kubelet: --node-ip: bad --node-ip "1.1.1.1,2.2.2.2": must contain either a single IP or a dual-stack pair of IPs'
    ],
    [
      { flags: ["--register-with-taints=k=v:Never"] },
      'spec.flags.kubelet[0]: invalid argument "k=v:Never" for "--register-with-taints" flag: invalid taint effect: Never, unsupported taint effect'
    ]
  ]
  for (const [given, message] of refused) {
    it(`are refused: ${message}`, () => assert.strictEqual(refusal(given), `s.yaml: ${message}`))
  }

  it("warn of a static pod path, because modelled machines have no manifests", () => {
    const { warnings } = planOf({
      config: { staticPodPath: "/etc/kubernetes/manifests" },
      groups: [{}, { kubelet: { staticPodURL: "http://here" } }]
    })
    const none = "machines of a scenario have the static pods that staticPods of their group names"
    assert.deepStrictEqual(warnings, [
      `s.yaml: spec.config.kubelet: staticPodPath "/etc/kubernetes/manifests" is not read: ${none}`,
      `s.yaml: spec.cluster.nodes[1].kubelet: staticPodPath "/etc/kubernetes/manifests" is not read: ${none}`,
      `s.yaml: spec.cluster.nodes[1].kubelet: staticPodURL "http://here" is not read: ${none}`
    ])
  })

  it("warn of fields without effect", () => {
    const { warnings } = planOf({
      config: { clusterDNS: ["10.0.0.10"] },
      flags: ["--rotate-certificates"],
      groups: [{ kubelet: { featureGates: { KubeletTracing: true } } }]
    })
    assert.deepStrictEqual(warnings, [
      "s.yaml: spec.cluster.nodes[0].kubelet.featureGates.KubeletTracing is not supported and has no effect",
      "s.yaml: spec.config.kubelet: rotateCertificates has no effect: kubelets of a scenario have no certificates",
      "s.yaml: spec.config.kubelet.clusterDNS is not supported and has no effect"
    ])
  })
})
