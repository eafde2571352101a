import type { Node, NodeAddress } from "@rollcall/api"
import type { Rng } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { CloudError, type CloudProviderShape, type InstanceMetadata } from "./CloudProvider.ts"

/** A machine of a modelled cloud. */
export interface ModelledInstance {
  readonly instanceType: string
  readonly zone: string
  readonly region: string
  readonly addresses: ReadonlyArray<NodeAddress>
  readonly labels: Readonly<Record<string, string>>
  /** Set if the ID is not derived from the name. */
  readonly providerID?: string
}

export interface ModelledCloudOptions {
  /** The scheme of provider IDs. */
  readonly name: string
  /** The machine of this name; undefined if the cloud has none. */
  readonly instanceOf: (name: string) => ModelledInstance | undefined
  /** When the machine was switched off; undefined if it is on. */
  readonly offSinceMs: (name: string) => number | undefined
  readonly nowMs: () => number
  readonly random: Rng
  /** The duration of a call. */
  readonly latencyMs?: number
  /** The fraction of calls that fail, 0 to 1. */
  readonly errorRate?: number
  /** A machine that has been off for this long is deleted; if absent it is kept forever. */
  readonly keepStoppedMs?: number | undefined
}

/**
 * A cloud with modelled machines. Machines can be removed, and replaced by new ones; the cloud can be slow, fail, and
 * report existing machines as missing.
 */
export interface ModelledCloud {
  readonly provider: CloudProviderShape
  /** The cloud's data of an existing machine, whatever the cloud reports; undefined if there is no such machine. */
  readonly metadataOf: (name: string) => InstanceMetadata | undefined
  /** The cloud's answer about a machine now; undefined when the call fails, or there is no such machine. */
  readonly answerTo: (name: string) => InstanceMetadata | undefined
  /** Removes the machine permanently. */
  readonly remove: (name: string) => void
  /** Creates a new machine with the name of a removed one. */
  readonly replace: (name: string) => void
  /** Makes the cloud report the machine as missing although it exists, until called with false. */
  readonly deny: (name: string, denied: boolean) => void
  /** Sets the fraction of calls that fail; undefined restores the initial one. */
  readonly setErrorRate: (rate: number | undefined) => void
  /** Sets the duration of a call; undefined restores the initial one. */
  readonly setLatencyMs: (ms: number | undefined) => void
}

const UNAVAILABLE = "the cloud does not answer"

export const makeModelledCloud = (options: ModelledCloudOptions): ModelledCloud => {
  const { random, instanceOf, keepStoppedMs = Number.POSITIVE_INFINITY, name, nowMs, offSinceMs } = options
  const removed = new Set<string>()
  const denied = new Set<string>()
  const generations = new Map<string, number>()
  let errorRate = options.errorRate ?? 0
  let latencyMs = options.latencyMs ?? 0

  const instanceID = (node: string): string => {
    const generation = generations.get(node) ?? 0
    return generation === 0 ? `i-${node}` : `i-${node}-${generation}`
  }
  const existingInstance = (node: string): ModelledInstance | undefined => {
    const offSince = offSinceMs(node)
    // A deleted machine does not reappear when it is switched on.
    if (offSince !== undefined && nowMs() - offSince >= keepStoppedMs) removed.add(node)
    return removed.has(node) ? undefined : instanceOf(node)
  }
  const metadataOf = (node: string): InstanceMetadata | undefined => {
    const instance = existingInstance(node)
    if (instance === undefined) return undefined
    const { addresses, instanceType, labels, region, zone } = instance
    const first = generations.has(node) ? undefined : instance.providerID
    const providerID = first ?? `${name}://${instanceID(node)}`
    return { providerID, instanceType, zone, region, nodeAddresses: addresses, additionalLabels: labels }
  }
  /** A Node may refer to a machine that was replaced since: the provider ID tells them apart. */
  const metadataFor = ({ metadata, spec }: Node): InstanceMetadata | undefined => {
    const found = metadataOf(metadata.name ?? "")
    return spec?.providerID === undefined || spec.providerID === "" || spec.providerID === found?.providerID
      ? found
      : undefined
  }

  const fails = (): boolean => errorRate > 0 && random() < errorRate

  const call = <A>(answer: () => Effect.Effect<A, CloudError>): Effect.Effect<A, CloudError> =>
    Effect.suspend(() => {
      const isFailed = fails()
      const response = Effect.suspend(() =>
        isFailed ? Effect.fail(new CloudError({ reason: "Unknown", message: UNAVAILABLE })) : answer()
      )
      return latencyMs > 0 ? Effect.delay(response, latencyMs) : response
    })
  const exists = (node: Node): boolean => metadataFor(node) !== undefined && !denied.has(node.metadata.name ?? "")

  return {
    answerTo: (node) => (fails() || denied.has(node) ? undefined : metadataOf(node)),
    provider: {
      name,
      instances: {
        instanceExists: (node) => call(() => Effect.succeed(exists(node))),
        instanceShutdown: (node) =>
          call(() => Effect.succeed(exists(node) && offSinceMs(node.metadata.name ?? "") !== undefined)),
        instanceMetadata: (node) =>
          call(() => {
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
