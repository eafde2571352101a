import type { Resource } from "@rollcall/api"
import type { Distribution, MetricSet, Value } from "@rollcall/time"
import { requestFamilies } from "./requestFamilies.ts"

/** The events that are sent to the clients of one resource's watches. */
export interface SentEvents {
  readonly count: Value
  readonly sizes: Distribution
}

/** Counts and measures what watches send. */
export class WatchMetrics {
  private readonly set: MetricSet
  readonly now: () => number
  private readonly byResource = new WeakMap<Resource, SentEvents>()

  constructor(set: MetricSet, now: () => number) {
    this.set = set
    this.now = now
  }

  /** Returns the counters of a resource's events. */
  sent(resource: Resource): SentEvents {
    const known = this.byResource.get(resource)
    if (known !== undefined) return known
    const labels = labelsOf(resource)
    const made = {
      count: this.set.values(requestFamilies.watchEvents).with(labels),
      sizes: this.set.distributions(requestFamilies.watchEventSizes).with(labels)
    }
    this.byResource.set(resource, made)
    return made
  }

  /** Records how long a watch took to send the list with which it begins. */
  listSent(resource: Resource, scope: string, seconds: number): void {
    this.set
      .distributions(requestFamilies.watchLists)
      .with({ ...labelsOf(resource), scope })
      .observe(seconds)
  }
}

const labelsOf = ({ group, plural, version }: Resource) => ({ group, version, resource: plural })
