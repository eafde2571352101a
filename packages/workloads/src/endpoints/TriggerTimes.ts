import { formatTime, getPodCondition, type ObjectMeta, type Pod, parseTime, type Service } from "@rollcall/api"

/** Upstream: core/v1 EndpointsLastChangeTriggerTime. */
const annotation = "endpoints.kubernetes.io/last-change-trigger-time"

/** Times as they are written, so that one that stays is compared and not read. */
interface Seen {
  readonly service: string
  readonly pods: ReadonlyMap<string, string>
}

/**
 * When what a service's endpoints follow from last changed: by it one measures how long a change takes to become known.
 * Upstream: staging/src/k8s.io/endpointslice/util/trigger_time_tracker.go.
 */
export class TriggerTimes {
  private readonly seen = new Map<string, Seen>()

  /** The earliest change since the last call; undefined when there was none. Of a new service it is its creation. */
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

/** The metadata with the time of the change that it is written for; without the last one when there is none. */
export const withTriggerTime = (metadata: ObjectMeta, at: number | undefined): ObjectMeta => {
  const { [annotation]: before, ...others } = metadata.annotations ?? {}
  if (at !== undefined) return { ...metadata, annotations: { ...others, [annotation]: formatTime(at) } }
  return before === undefined ? metadata : { ...metadata, annotations: others }
}
