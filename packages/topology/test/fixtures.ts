import { type Container, defaultRelease, featureGatesOf, type Pod } from "@rollcall/api"
import * as Result from "effect/Result"
import {
  type Checkpoint,
  type MachineTopology,
  makeResourceManagers,
  type ResourceManagers,
  type ResourceManagersConfig,
  type ResourceManagersOptions,
  resourceManagersConfig,
  uniformMachine
} from "../src/index.ts"

export const Gi = 1024 ** 3

/** Nodes with cores of two threads, 8 GiB, and 1 GiB of that in huge pages of 2 MiB. */
export const machineOf = (nodes: number, coresPerNode = 4): MachineTopology =>
  uniformMachine({
    numaNodes: nodes,
    coresPerNode,
    memoryPerNode: 8 * Gi,
    hugePages: [{ pageSizeKiB: 2048, count: 512 }]
  })

export const gates = featureGatesOf(defaultRelease)

/** One CPU and 1 GiB of node 0 are the system's. */
export const configOf = (given: Partial<ResourceManagersConfig> = {}): ResourceManagersConfig =>
  resourceManagersConfig({
    cpuManagerPolicy: "static",
    memoryManagerPolicy: "Static",
    reservedMemory: [{ numaNode: 0, limits: { memory: "1Gi" } }],
    kubeReserved: { cpu: "1", memory: "924Mi" },
    ...given
  })

export interface RequestedResources {
  readonly cpu?: string
  readonly memory?: string
  readonly hugePages?: string
  readonly gpu?: string
  readonly sidecar?: boolean
}

export const containerOf = (
  name: string,
  { cpu = "1", gpu, hugePages, memory = "1Gi", sidecar }: RequestedResources
): Container => {
  const own = { cpu, memory, ...(hugePages === undefined ? {} : { "hugepages-2Mi": hugePages }) }
  const limits = gpu === undefined ? own : { ...own, "example.com/gpu": gpu }
  return {
    name,
    resources: { requests: limits, limits },
    ...(sidecar === true ? { restartPolicy: "Always" } : {})
  }
}

/** Guaranteed, as requests equal limits. */
export const podOf = (
  uid: string,
  containers: Readonly<Record<string, RequestedResources>>,
  initContainers: Readonly<Record<string, RequestedResources>> = {}
): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: uid, namespace: "default", uid },
  spec: {
    initContainers: Object.entries(initContainers).map(([name, asked]) => containerOf(name, asked)),
    containers: Object.entries(containers).map(([name, asked]) => containerOf(name, asked))
  }
})

/** Managers with a list of the pods that are on the node, admitted or not. */
export interface TestManagers extends ResourceManagers {
  readonly pods: Map<string, Pod>
  /** Puts it on the node and asks; what is refused stays out. */
  readonly place: (pod: Pod) => string | undefined
  readonly end: (uid: string) => void
}

export const tryTestManagers = (
  options: Partial<Omit<ResourceManagersOptions, "activePods">> = {},
  pods = new Map<string, Pod>()
): Result.Result<TestManagers, string> =>
  Result.map(
    makeResourceManagers({
      machine: machineOf(2),
      config: configOf(),
      ...options,
      activePods: () => [...pods.values()]
    }),
    (managers) => ({
      ...managers,
      pods,
      place: (pod) => {
        const refusal = managers.admit({ pod })
        if (refusal === undefined) pods.set(pod.metadata.uid ?? "", pod)
        return refusal === undefined ? undefined : `${refusal.reason}: ${refusal.message}`
      },
      end: (uid) => {
        pods.delete(uid)
        managers.remove(uid)
      }
    })
  )

export const testManagersOf = (
  options: Partial<Omit<ResourceManagersOptions, "activePods">> = {},
  pods?: Map<string, Pod>
): TestManagers => Result.getOrThrow(tryTestManagers(options, pods))

export const filesOf = (files = new Map<string, string>()): Checkpoint & { readonly files: Map<string, string> } => ({
  files,
  read: (name) => files.get(name),
  write: (name, text) => {
    files.set(name, text)
  }
})
