import {
  apiServerSettings,
  controllerManagerSettings,
  ipamSettings,
  schedulerSettings,
  workloadSettings
} from "@rollcall/control-plane"
import type { SettingNames } from "@rollcall/input"
import { assert, describe, it } from "vitest"
import { entriesOf, podWithoutOwner, run } from "./run.ts"

/** A terminated pod of a snapshot. */
const terminatedPod = (name: string) =>
  JSON.stringify({
    ...podWithoutOwner(name, "a-0"),
    metadata: { name, namespace: "default", uid: name, creationTimestamp: "2025-12-31T00:00:00Z" },
    status: { phase: "Succeeded" }
  })

/**
 * Something for every setting to work on: a zone that is partly dead, pods that cannot be placed until a node is uncordoned, a
 * node without a machine, pods that have ended, and more Events than a client may send at once.
 */
const spec = (
  config: Readonly<Record<string, unknown>>,
  flags: Readonly<Record<string, ReadonlyArray<string>>> = {}
) => ({
  duration: "12m",
  cluster: {
    snapshot: ["done.json"],
    nodes: [
      { name: "a", count: 3, zone: "zone-a" },
      { name: "b", count: 5, zone: "zone-b" }
    ],
    objects: [
      ...["b-0", "b-1", "b-2"].map((node) => podWithoutOwner(`p-${node}`, node)),
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "web", namespace: "default" },
        spec: {
          replicas: 12,
          selector: { matchLabels: { app: "web" } },
          template: {
            metadata: { labels: { app: "web" } },
            spec: {
              nodeSelector: { "topology.kubernetes.io/zone": "zone-a" },
              containers: [{ name: "c", image: "x", resources: { requests: { cpu: "2" } } }]
            }
          }
        }
      }
    ]
  },
  config,
  flags,
  events: [
    { at: 0, do: "cordon", nodes: { group: "a" } },
    { at: "3s", do: "uncordon", nodes: { names: ["a-0"] } },
    { at: "4s", do: "uncordon", nodes: { names: ["a-1"] } },
    { at: "50s", do: "apply", objects: [{ apiVersion: "v1", kind: "Node", metadata: { name: "ghost" } }] },
    { at: "1m", for: "8m", fault: "partition", nodes: { names: ["b-0"] } },
    { at: "2m", do: "uncordon", nodes: { group: "a" } },
    { at: "150s", for: "7m", fault: "partition", nodes: { names: ["b-1", "b-2", "b-3"] } },
    { at: "3m", for: "1m", fault: "runtime-down", nodes: { names: ["a-0"] } }
  ]
})

const digest = (config: Readonly<Record<string, unknown>>, flags?: Readonly<Record<string, ReadonlyArray<string>>>) => {
  const files = {
    "done.json": `{"apiVersion": "v1", "kind": "List", "items": [${terminatedPod("d-0")}, ${terminatedPod("d-1")}]}`
  }
  const result = run(spec(config, flags), { traceLeases: true, files })
  assert.deepStrictEqual([result.warnings, result.bugs ?? []], [[], []])
  return result.summary.traceDigest
}

/** `a.b.c: value` as a configuration file has it. */
const objectAtPath = (path: string, value: unknown): Readonly<Record<string, unknown>> =>
  path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Readonly<Record<string, unknown>>

const values: Readonly<Record<string, unknown>> = {
  nodeMonitorPeriodMs: "2s",
  nodeMonitorGracePeriodMs: "20s",
  nodeStartupGracePeriodMs: "10s",
  nodeEvictionRate: 1.5,
  secondaryNodeEvictionRate: 0.5,
  largeClusterSizeThreshold: 3,
  unhealthyZoneThreshold: 0.9,
  terminatedPodGCThreshold: 1,
  qps: 2,
  burst: 1,
  defaultNotReadyTolerationSeconds: 20,
  defaultUnreachableTolerationSeconds: 20
}

const components = [
  ["kubeControllerManager", "kube-controller-manager", controllerManagerSettings],
  ["kubeApiserver", "kube-apiserver", apiServerSettings],
  ["scheduler", "kube-scheduler", schedulerSettings]
] as const

/** Sets the report frequency explicitly: in a file its default follows the update frequency, with a flag it does not. */
const kubeletFields: ReadonlyArray<readonly [field: string, value: unknown, flag?: string]> = [
  ["nodeStatusUpdateFrequency", "3s", "node-status-update-frequency"],
  ["nodeStatusReportFrequency", "20s"],
  ["nodeLeaseDurationSeconds", 20],
  ["maxPods", 1, "max-pods"],
  ["systemReserved", { cpu: "7500m" }],
  ["registerWithTaints", [{ key: "k", effect: "NoSchedule" }]]
]

/** Other settings that make an effect visible: a rate for large zones, and limits for clients that have used up their burst. */
const neededSettings: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  secondaryNodeEvictionRate: { nodeLifecycleController: { largeClusterSizeThreshold: 3 } },
  "kubeControllerManager qps": { generic: { clientConnection: { burst: 1 } } },
  "scheduler qps": { clientConnection: { burst: 1 } }
}

type Config = Readonly<Record<string, unknown>>

const mergeConfigs = (left: Config, right: Config): Config => {
  const result: Record<string, unknown> = { ...left }
  for (const [key, value] of Object.entries(right)) {
    const old = result[key]
    result[key] =
      typeof old === "object" && typeof value === "object" ? mergeConfigs(old as Config, value as Config) : value
  }
  return result
}

/** Settings with tests of their own: they need a special cluster, concern pod addresses, or affect only release 1.4. */
const testedElsewhere: ReadonlyArray<string> = [
  "podEvictionTimeoutMs",
  "disableForceDetachOnTimeout",
  "pvClaimBinderSyncPeriodMs",
  ...Object.keys(ipamSettings),
  ...Object.keys(workloadSettings),
  "percentageOfNodesToScore",
  "podInitialBackoffSeconds",
  "podMaxBackoffSeconds"
]

describe("a setting that has an effect:", () => {
  for (const [field, component, settings] of components) {
    for (const [key, { flag, path = "" }] of Object.entries<SettingNames>(settings)) {
      if (testedElsewhere.includes(key)) continue
      it(`${field}: ${path}${flag === undefined ? "" : `, --${flag}`}`, () => {
        const base = neededSettings[`${field} ${key}`] ?? neededSettings[key] ?? {}
        const configured = digest({ [field]: mergeConfigs(base, objectAtPath(path, values[key])) })
        assert.notStrictEqual(configured, digest({ [field]: base }))
        if (flag === undefined) return
        assert.strictEqual(digest({ [field]: base }, { [component]: [`--${flag}=${values[key]}`] }), configured)
      })
    }
  }

  for (const [field, value, flag] of kubeletFields) {
    it(`kubelet: ${field}${flag === undefined ? "" : `, --${flag}`}`, () => {
      const base = { nodeStatusReportFrequency: "1m" }
      const configured = digest({ kubelet: { ...base, [field]: value } })
      assert.notStrictEqual(configured, digest({ kubelet: base }))
      if (flag === undefined) return
      assert.strictEqual(digest({ kubelet: base }, { kubelet: [`--${flag}=${value}`] }), configured)
    })
  }

  const unbound = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p" },
    spec: { containers: [{ name: "c", image: "x" }] }
  }

  it("kubeControllerManager: resourceQuotaController.resourceQuotaSyncPeriod, after pods on a lost node", () => {
    const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "x" }] } }
    const replacedAt = (resourceQuotaSyncPeriod: string) =>
      entriesOf(
        run({
          duration: "20m",
          cluster: {
            nodes: [{ name: "a", count: 2 }],
            objects: [
              { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "q" }, spec: { hard: { pods: "2" } } },
              {
                apiVersion: "apps/v1",
                kind: "Deployment",
                metadata: { name: "web" },
                spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template }
              }
            ]
          },
          config: { kubeControllerManager: { resourceQuotaController: { resourceQuotaSyncPeriod } } },
          events: [{ at: "1m", for: "18m", fault: "partition", nodes: { names: ["a-0"] } }]
        }),
        "PodCreated"
      ).filter(({ at }) => at > 60)[0]?.at ?? 0
    assert.isAbove(replacedAt("15m"), replacedAt("10s") + 60)
  })

  it("scheduler: percentageOfNodesToScore, from a hundred nodes on", () => {
    const placed = (percentage: number) =>
      run({
        duration: "10s",
        cluster: { nodes: [{ name: "a", count: 300 }], objects: [unbound] },
        config: { scheduler: { percentageOfNodesToScore: percentage } }
      }).summary.traceDigest
    assert.notStrictEqual(placed(1), placed(100))
  })

  it("scheduler: profiles, by which pods are packed and not spread", () => {
    const strategy = { type: "MostAllocated", resources: [{ name: "cpu", weight: 1 }] }
    const pluginConfig = [{ name: "NodeResourcesFit", args: { scoringStrategy: strategy } }]
    const score = { disabled: [{ name: "*" }], enabled: [{ name: "NodeResourcesFit", weight: 1 }] }
    const nodesUsed = (scheduler: Readonly<Record<string, unknown>>) => {
      const pods = ["p", "q", "r"].map((name) => ({
        ...unbound,
        metadata: { name, namespace: "default" },
        spec: { containers: [{ name: "c", image: "app", resources: { requests: { cpu: "1" } } }] }
      }))
      const result = run({
        duration: "10s",
        cluster: { nodes: [{ name: "a", count: 3 }], objects: pods },
        config: { scheduler }
      })
      return new Set(entriesOf(result, "PodScheduled").map(({ node }) => node)).size
    }
    assert.strictEqual(nodesUsed({}), 3)
    assert.strictEqual(nodesUsed({ profiles: [{ plugins: { score }, pluginConfig }] }), 1)
  })

  it("scheduler: podInitialBackoffSeconds, podMaxBackoffSeconds, after errors", () => {
    // The API server is down for a moment while the pod is being bound; the back-off is checked each second.
    const placedAt = (scheduler: Readonly<Record<string, number>>) =>
      entriesOf(
        run({
          duration: "1m",
          cluster: { nodes: [{ name: "a" }] },
          config: { scheduler },
          events: [
            { at: 10, do: "apply", objects: [unbound] },
            { at: 10.0005, for: 0.2, fault: "api-server-down" }
          ]
        }),
        "PodScheduled"
      ).map(({ at }) => Math.round(at))
    assert.deepStrictEqual(placedAt({}), [12])
    assert.deepStrictEqual(placedAt({ podInitialBackoffSeconds: 7 }), [18])
    assert.deepStrictEqual(placedAt({ podInitialBackoffSeconds: 4, podMaxBackoffSeconds: 4 }), [15])
  })
})
