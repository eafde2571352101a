import * as fc from "fast-check"
import { randomEvent } from "./randomEvents.ts"
import { cloud, extraEvent, heartbeats } from "./randomExtras.ts"
import {
  type BareSpec,
  barePod,
  bareSpec,
  budget,
  daemonSet,
  diskClass,
  urgentClass,
  withVolumeClaims,
  workload,
  workloadSpec,
  zones
} from "./randomObjects.ts"

const size = fc.integer({ min: 1, max: 4 })
const limit = fc.oneof(
  fc.record({ minAvailable: fc.integer({ min: 0, max: 4 }) }),
  fc.constantFrom<Record<string, number | string>>(
    { maxUnavailable: 1 },
    { minAvailable: "50%" },
    { maxUnavailable: 0 }
  )
)

/** The random choices: a few zones with a few nodes, pods of all kinds, faults and actions at any time. */
const choices = fc.record({
  seed: fc.nat(1000),
  release: fc.constantFrom("1.36", "1.36", "1.36", "1.35", "1.31", "1.26"),
  sizes: fc.tuple(size, size, size),
  pods: fc.array(bareSpec, { maxLength: 10 }),
  web: workloadSpec,
  webBudget: fc.option(limit),
  db: fc.option(workloadSpec),
  dbBudget: fc.option(limit),
  /** The reach of the database's disks, if it has any. */
  dbData: fc.constantFrom(undefined, undefined, "zone", "everywhere"),
  daemons: fc.boolean(),
  events: fc.array(randomEvent, { minLength: 1, maxLength: 8, size: "max" }),
  rate: fc.constantFrom(0.1, 0.5),
  largeClusterSizeThreshold: fc.constantFrom(3, 50),
  qps: fc.constantFrom(5, 20),
  /** The cluster CIDR, which is large enough for some nodes or for all; undefined if nodes get no CIDRs. */
  clusterCIDR: fc.constantFrom(undefined, "10.0.0.0/22", "10.0.0.0/16"),
  replicas: fc.constantFrom(1, 1, 2, 3),
  shutdown: fc.constantFrom<Record<string, unknown> | undefined>(
    undefined,
    { shutdownGracePeriod: "60s", shutdownGracePeriodCriticalPods: "20s" },
    {
      shutdownGracePeriodByPodPriority: [
        { priority: 0, shutdownGracePeriodSeconds: 20 },
        { priority: 1000, shutdownGracePeriodSeconds: 5 }
      ]
    }
  ),
  cloud,
  heartbeats,
  extraEvents: fc.array(extraEvent, { maxLength: 3, size: "max" })
})
type Choices = typeof choices extends fc.Arbitrary<infer A> ? A : never

const objectsOf = ({ daemons, db, dbBudget, dbData, pods, sizes, web, webBudget }: Choices) => {
  const nodeOf = ({ member, zone }: BareSpec) => `${zone}-${member % (sizes[zones.indexOf(zone)] ?? 1)}`
  return [
    ...(web.priority || db?.priority === true ? [urgentClass] : []),
    ...pods.map((pod, index) => barePod(`p-${index}`, nodeOf(pod), pod)),
    workload("Deployment", "web", web),
    ...(webBudget === null ? [] : [budget("web", webBudget)]),
    ...(db === null ? [] : [withVolumeClaims(workload("StatefulSet", "db", db), dbData)]),
    ...(db === null || dbData === undefined ? [] : [diskClass(dbData)]),
    ...(db === null || dbBudget === null ? [] : [budget("db", dbBudget)]),
    ...(daemons ? [daemonSet] : [])
  ]
}

const settingsOf = ({ cloud, clusterCIDR, heartbeats, largeClusterSizeThreshold, qps, rate, shutdown }: Choices) => ({
  kubeControllerManager: {
    nodeLifecycleController: { nodeEvictionRate: rate, largeClusterSizeThreshold },
    generic: { clientConnection: { qps, burst: qps } },
    ...(clusterCIDR === undefined ? {} : { kubeCloudShared: { allocateNodeCIDRs: true, clusterCIDR } })
  },
  ...(shutdown === undefined && heartbeats === undefined ? {} : { kubelet: { ...shutdown, ...heartbeats } }),
  ...(cloud === null ? {} : { cloudProvider: withoutUndefined(cloud) })
})

const withoutUndefined = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** A random scenario in the form of a file. */
export const randomScenario = choices.map((chosen) => ({
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Scenario",
  metadata: { name: "whatever" },
  spec: {
    release: chosen.release,
    seed: chosen.seed,
    duration: "15m",
    cluster: {
      nodes: zones.map((name, index) => ({ name, zone: `zone-${name}`, count: chosen.sizes[index] })),
      objects: objectsOf(chosen),
      controlPlane: { replicas: chosen.replicas }
    },
    config: settingsOf(chosen),
    events: [
      ...chosen.events.filter((event) => chosen.db !== null || !isOfDb(event)),
      ...chosen.extraEvents.filter((event) => chosen.cloud !== null || !isOfCloud(event))
    ]
  }
}))
export type RandomScenario = typeof randomScenario extends fc.Arbitrary<infer A> ? A : never

const isOfDb = (event: object): boolean =>
  "object" in event && (event.object as { readonly kind: string }).kind === "StatefulSet"

const isOfCloud = (event: object): boolean => {
  const { component = "", fault = "" } = event as { readonly component?: string; readonly fault?: string }
  return fault.startsWith("cloud-") || component === "cloud-controller-manager"
}
