import { formatTime, getPodCondition, type ObjectMeta, type Pod, parseTime, type Service } from "@rollcall/api"

/** Upstream: core/v1 EndpointsLastChangeTriggerTime. */
const annotation = "endpoints.kubernetes.io/last-change-trigger-time"

/** Times as texts, so that an unchanged one is compared without parsing. */
interface Seen {
  readonly service: string
  readonly pods: ReadonlyMap<string, string>
}

/**
 * When the inputs of a service's endpoints last changed: for measuring the propagation delay.
 * Upstream: staging/src/k8s.io/endpointslice/util/trigger_time_tracker.go.
 */
export class TriggerTimes {
  private readonly seen = new Map<string, Seen>()

  /** The earliest change since the last call; undefined if there was none. For a new service its creation. */
  next(key: string, service: Service, pods: Iterable<Pod>): number | undefined {
    const before = this.seen.get(key)
    const created = service.metadata.creationTimestamp ?? ""
    const times = new Map<string, string>()
    let earliest = Number.POSITIVE_INFINITY
    const consider = (time: string, known: string | undefined) => {
      if (time === known) return
      const at = parseTime(time)
      if (known === undefined || at > parseTime(known)) earliest = Math.min(earliest, at)
    }
    for (const { metadata, status } of pods) {
      const since = getPodCondition(status, "Ready")?.lastTransitionTime
      if (since === undefined) continue
      const name = metadata.name ?? ""
      times.set(name, since)
      if (before !== undefined) consider(since, before.pods.get(name))
    }
    this.seen.set(key, { service: created, pods: times })
    if (created !== "") consider(created, before?.service)
    return Number.isFinite(earliest) ? earliest : undefined
  }

  forget(key: string): void {
    this.seen.delete(key)
  }
}

/**
 * The metadata with the annotation of the change that triggered the write; without the annotation if there was none.
 */
export const withTriggerTime = (metadata: ObjectMeta, at: number | undefined): ObjectMeta => {
  const { [annotation]: before, ...others } = metadata.annotations ?? {}
  if (at !== undefined) return { ...metadata, annotations: { ...others, [annotation]: formatTime(at) } }
  return before === undefined ? metadata : { ...metadata, annotations: others }
}
