import type { Container, Pod } from "@rollcall/api"
import type { Timer } from "@rollcall/time"
import type { PullBackOffs } from "../images/PullBackOff.ts"
import type { Env } from "../internal/Env.ts"
import type { PodRuntime, StartFailure } from "../runtime/PodRuntime.ts"
import type { StatusManager } from "../status/StatusManager.ts"
import type { ContainerStarter } from "./ContainerStarter.ts"
import { type Containers, ephemeralCreating, ephemeralStarted, ephemeralWaits } from "./Containers.ts"
import { recordStart } from "./PodEvents.ts"
import type { PodRecord } from "./PodRecord.ts"
import { retryDelayMs } from "./PodRetries.ts"

const ephemeralNamed = ({ spec }: Pod, name: string): Container | undefined =>
  spec.ephemeralContainers?.find((container) => container.name === name)

export const isEphemeral = (pod: Pod, name: string): boolean => ephemeralNamed(pod, name) !== undefined

/**
 * Starts the ephemeral containers that running pods have got, each once its image is there, and never again. Upstream:
 * pkg/kubelet/kuberuntime/kuberuntime_manager.go, SyncPod, step 6.
 */
export class EphemeralContainers {
  private readonly env: Env
  private readonly runtime: PodRuntime
  private readonly statusManager: StatusManager
  private readonly starter: () => ContainerStarter
  /** The back-offs of their pulls; none before the first. They end with the kubelet's process. */
  private pulls = new WeakMap<PodRecord, PullBackOffs>()
  /** Those that the runtime was told to start, by pod: it starts them whether or not the kubelet's process runs. */
  private readonly begun = new WeakMap<PodRecord, Set<string>>()
  private readonly retries = new Set<Timer>()

  constructor(env: Env, runtime: PodRuntime, statusManager: StatusManager, starter: () => ContainerStarter) {
    this.env = env
    this.runtime = runtime
    this.statusManager = statusManager
    this.starter = starter
  }

  /** Starts those that are new. Returns the statuses of all containers. */
  start(record: PodRecord): Containers {
    const before = record.containers
    let containers = before
    for (const container of record.pod.spec.ephemeralContainers ?? []) {
      if (this.runtime.containers === undefined || before.ephemeral?.some(({ name }) => name === container.name))
        continue
      containers = this.startOne(record, container, ephemeralCreating(containers, container))
    }
    return containers
  }

  /** Ends with the kubelet's process: pulls in progress are not heard of any more. */
  stopProcess(): void {
    this.pulls = new WeakMap()
    for (const timer of this.retries) this.env.timers.cancel(timer)
    this.retries.clear()
  }

  /** Goes on with those of a running pod whose image the process before has not pulled. */
  resume(record: PodRecord): void {
    for (const container of record.pod.spec.ephemeralContainers ?? []) {
      const shown = record.containers.ephemeral?.find(({ name }) => name === container.name)
      if (shown?.state?.waiting === undefined || this.begun.get(record)?.has(container.name) === true) continue
      this.statusManager.setPodStatus(record, this.startOne(record, container, record.containers))
    }
  }

  /** Records that an ephemeral container runs. Returns the statuses, or undefined if the container is none. */
  started(record: PodRecord, name: string): Containers | undefined {
    const container = ephemeralNamed(record.pod, name)
    if (container === undefined) return undefined
    recordStart(this.env.recorder, record.pod, container, "ephemeralContainers")
    return ephemeralStarted(record.pod, record.containers, name, this.env.wallTime())
  }

  private startOne(record: PodRecord, container: Container, containers: Containers): Containers {
    const pulls = this.pulls.get(record) ?? new Map()
    this.pulls.set(record, pulls)
    const settled = (failure: StartFailure | undefined) => {
      if (record.stage !== "running" || !this.statusManager.isActive) return
      if (failure === undefined) this.startNow(record, container)
      else this.statusManager.setPodStatus(record, this.failed(record, container, failure, record.containers))
    }
    const user = { container, isInit: "ephemeralContainers" } as const
    const asked = this.starter().ensureImage(record, user, pulls, settled)
    if (asked === "pulling") return containers
    if (asked !== undefined) return this.failed(record, container, asked, containers)
    this.startNow(record, container)
    return containers
  }

  private startNow(record: PodRecord, { name }: Container): void {
    const begun = this.begun.get(record) ?? new Set()
    this.begun.set(record, begun.add(name))
    this.runtime.containers?.startContainer(record.pod, name, false, record)
  }

  /** Tries again after the back-off of a sync that has failed. */
  private failed(record: PodRecord, container: Container, failure: StartFailure, containers: Containers): Containers {
    this.retryLater(record, container)
    return ephemeralWaits(containers, container.name, failure)
  }

  private retryLater(record: PodRecord, container: Container): void {
    const timer = this.env.timers.after(retryDelayMs(this.env), () => {
      this.retries.delete(timer)
      if (record.stage !== "running" || !this.statusManager.isActive) return
      this.statusManager.setPodStatus(record, this.startOne(record, container, record.containers))
    })
    this.retries.add(timer)
  }
}
