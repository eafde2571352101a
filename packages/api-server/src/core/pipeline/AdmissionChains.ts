import type { KubeObject } from "@rollcall/api"
import type { AnyKind } from "@rollcall/cluster"
import type {
  AdmissionAttributes,
  AdmissionContext,
  AdmissionExchange,
  AdmissionSubresource,
  AdmissionVerb,
  ChainPlugin,
  ConnectedSubresource,
  UserInfo
} from "../admission/Admission.ts"
import { AdmissionMeter } from "../metrics/AdmissionMeter.ts"
import type { ServerMetrics } from "../metrics/ServerMetrics.ts"
import type { Target } from "../registry/KindState.ts"
import type { AdmissionChain } from "./AdmissionChain.ts"
import { makeChain } from "./makeChain.ts"

/** The targets of writes; undefined is the main resource. */
const subresources: ReadonlyArray<AdmissionSubresource | undefined> = [
  undefined,
  "status",
  "binding",
  "eviction",
  "scale",
  "finalize",
  "ephemeralcontainers",
  "resize",
  "approval",
  "token"
]

const connections: ReadonlyArray<ConnectedSubresource> = ["attach", "exec", "portforward", "proxy"]

type BySubresource = ReadonlyMap<AdmissionSubresource | undefined, AdmissionChain>
type ByVerb = Readonly<Record<AdmissionVerb, BySubresource>>

/** Selects the plugins of a write. The chains of a kind are made once, when it is first written. */
export class AdmissionChains {
  private readonly plugins: ReadonlyArray<ChainPlugin>
  private readonly context: AdmissionContext
  private readonly metrics: ServerMetrics | undefined
  private readonly chains = new Map<AnyKind, ByVerb>()

  constructor(plugins: ReadonlyArray<ChainPlugin>, context: AdmissionContext, metrics?: ServerMetrics) {
    this.plugins = plugins
    this.context = context
    this.metrics = metrics
    if (metrics !== undefined) for (const plugin of plugins) plugin.addMetrics?.(metrics, context)
  }

  /** Returns the plugins for these writes, or undefined if no plugin handles them. */
  get(kind: AnyKind, verb: AdmissionVerb, subresource: AdmissionSubresource | undefined): AdmissionChain | undefined {
    return (this.chains.get(kind) ?? this.chainsOf(kind))[verb].get(subresource)
  }

  private chainsOf(kind: AnyKind): ByVerb {
    const bySubresource = (verb: AdmissionVerb, targets = subresources): BySubresource => {
      const found = new Map<AdmissionSubresource | undefined, AdmissionChain>()
      for (const subresource of targets) {
        const handling = this.plugins.filter((plugin) => plugin.admits(kind, verb, subresource))
        if (handling.length > 0) found.set(subresource, this.chainOf(handling, verb))
      }
      return found
    }
    let connecting: BySubresource | undefined
    const byVerb: ByVerb = {
      create: bySubresource("create"),
      update: bySubresource("update"),
      delete: bySubresource("delete"),
      // Few kinds have connections, and few clients use them.
      get connect() {
        connecting ??= bySubresource("connect", connections)
        return connecting
      }
    }
    this.chains.set(kind, byVerb)
    return byVerb
  }

  private chainOf(plugins: ReadonlyArray<ChainPlugin>, verb: AdmissionVerb): AdmissionChain {
    const names = plugins.map(({ name }) => name)
    const meter = this.metrics && new AdmissionMeter(this.metrics, verb.toUpperCase(), names)
    return makeChain(plugins, this.context, meter)
  }
}

/** The target of a write or of a connection. */
type AdmissionTarget = Omit<Target, "subresource"> & { readonly subresource: AdmissionSubresource | undefined }

/**
 * Returns what plugins see of a write or a connection. `object` is the new state (undefined for a delete), `oldObject` the stored one
 * (undefined for a create).
 */
export const attributesOf = (
  userInfo: UserInfo,
  target: AdmissionTarget,
  verb: AdmissionVerb,
  object: KubeObject | undefined,
  oldObject: KubeObject | undefined,
  exchange?: AdmissionExchange
): AdmissionAttributes => ({
  verb,
  kind: target.state.definition.key,
  resource: target.state.definition.resource,
  subresource: target.subresource,
  namespace: target.namespace,
  name: target.name,
  object,
  oldObject,
  userInfo,
  dryRun: target.dryRun,
  exchange
})
