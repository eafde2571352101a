import type { Node, NodeAddress } from "@rollcall/api"
import type { Rng } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { CloudError, type CloudProviderShape, type InstanceMetadata } from "./CloudProvider.ts"

/** What a machine of a modelled cloud is. */
export interface ModelledInstance {
  readonly instanceType: string
  readonly zone: string
  readonly region: string
  readonly addresses: ReadonlyArray<NodeAddress>
  readonly labels: Readonly<Record<string, string>>
  /** Where its ID does not follow from its name. */
  readonly providerID?: string
}

export interface ModelledCloudOptions {
  /** What provider IDs begin with. */
  readonly name: string
  /** The machine of this name; undefined: the cloud knows none. */
  readonly instanceOf: (name: string) => ModelledInstance | undefined
  /** Since when the machine has been off; undefined: it is on. */
  readonly offSinceMs: (name: string) => number | undefined
  readonly nowMs: () => number
  readonly chance: Rng
  /** How long a call takes. */
  readonly latencyMs?: number
  /** The part of the calls that fail. */
  readonly errorRate?: number
  /** A machine that has been off for so long is no more; absent: it is kept for ever. */
  readonly keepStoppedMs?: number | undefined
}

/**
 * A cloud whose machines are modelled. Machines can be taken away, and brought back as new ones; and the cloud can be slow, fail,
 * and deny what is there.
 */
export interface ModelledCloud {
  readonly provider: CloudProviderShape
  readonly metadataOf: (name: string) => InstanceMetadata | undefined
  /** What the cloud answers to one who asks it for a machine now; undefined when it fails, or says that there is none. */
  readonly answerTo: (name: string) => InstanceMetadata | undefined
  /** The machine is no more; nothing that happens to it matters from now on. */
  readonly remove: (name: string) => void
  /** There is a machine of this name again: another one. */
  readonly replace: (name: string) => void
  /** The cloud says that there is no such machine, although there is; until it is told to stop. */
  readonly deny: (name: string, denied: boolean) => void
  /** Undefined: as at the start. */
  readonly setErrorRate: (rate: number | undefined) => void
  readonly setLatencyMs: (ms: number | undefined) => void
}

const UNAVAILABLE = "the cloud does not answer"

export const makeModelledCloud = (options: ModelledCloudOptions): ModelledCloud => {
  const { chance, instanceOf, keepStoppedMs = Number.POSITIVE_INFINITY, name, nowMs, offSinceMs } = options
  const removed = new Set<string>()
  const denied = new Set<string>()
  const generations = new Map<string, number>()
  let errorRate = options.errorRate ?? 0
  let latencyMs = options.latencyMs ?? 0

  const instanceID = (node: string): string => {
    const generation = generations.get(node) ?? 0
    return generation === 0 ? `i-${node}` : `i-${node}-${generation}`
  }
  const known = (node: string): ModelledInstance | undefined => {
    const off = offSinceMs(node)
    // What was given up is not found again when somebody switches it on.
    if (off !== undefined && nowMs() - off >= keepStoppedMs) removed.add(node)
    return removed.has(node) ? undefined : instanceOf(node)
  }
  const metadataOf = (node: string): InstanceMetadata | undefined => {
    const instance = known(node)
    if (instance === undefined) return undefined
    const { addresses, instanceType, labels, region, zone } = instance
    const first = generations.has(node) ? undefined : instance.providerID
    const providerID = first ?? `${name}://${instanceID(node)}`
    return { providerID, instanceType, zone, region, nodeAddresses: addresses, additionalLabels: labels }
  }
  /** A Node may stand for a machine that was replaced since: the ID tells. */
  const metadataFor = ({ metadata, spec }: Node): InstanceMetadata | undefined => {
    const found = metadataOf(metadata.name ?? "")
    return spec?.providerID === undefined || spec.providerID === "" || spec.providerID === found?.providerID
      ? found
      : undefined
  }

  const fails = (): boolean => errorRate > 0 && chance() < errorRate

  const ask = <A>(answer: () => Effect.Effect<A, CloudError>): Effect.Effect<A, CloudError> =>
    Effect.suspend(() => {
      const isFailed = fails()
      const answered = Effect.suspend(() =>
        isFailed ? Effect.fail(new CloudError({ reason: "Unknown", message: UNAVAILABLE })) : answer()
      )
      return latencyMs > 0 ? Effect.delay(answered, latencyMs) : answered
    })
  const exists = (node: Node): boolean => metadataFor(node) !== undefined && !denied.has(node.metadata.name ?? "")

  return {
    answerTo: (node) => (fails() || denied.has(node) ? undefined : metadataOf(node)),
    provider: {
      name,
      instances: {
        instanceExists: (node) => ask(() => Effect.succeed(exists(node))),
        instanceShutdown: (node) =>
          ask(() => Effect.succeed(exists(node) && offSinceMs(node.metadata.name ?? "") !== undefined)),
        instanceMetadata: (node) =>
          ask(() => {
            const found = exists(node) ? metadataFor(node) : undefined
            return found === undefined
              ? Effect.fail(new CloudError({ reason: "InstanceNotFound", message: "instance not found" }))
              : Effect.succeed(found)
          })
      }
    },
    metadataOf,
    remove: (node) => {
      removed.add(node)
    },
    replace: (node) => {
      if (!removed.delete(node)) return
      generations.set(node, (generations.get(node) ?? 0) + 1)
    },
    deny: (node, isDenied) => {
      if (isDenied) denied.add(node)
      else denied.delete(node)
    },
    setErrorRate: (rate) => {
      errorRate = rate ?? options.errorRate ?? 0
    },
    setLatencyMs: (ms) => {
      latencyMs = ms ?? options.latencyMs ?? 0
    }
  }
}
