import type { KubeObject, Status } from "@rollcall/api"
import type { AnyKind, Subresource } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type {
  AdmissionAttributes,
  AdmissionContext,
  AdmissionPlugin,
  AdmissionVerb,
  UserInfo
} from "../admission/Admission.ts"
import type { Target } from "../registry/KindState.ts"

/** The plugins that handle one kind of write, as one. */
export interface AdmissionChain {
  /** Returns the object after all plugins have changed it, or the first refusal. */
  readonly mutate: (attributes: AdmissionAttributes) => Result.Result<KubeObject | undefined, Status>
  /** Returns the first refusal, or undefined if all plugins accept the object. */
  readonly validate: (attributes: AdmissionAttributes) => Status | undefined
}

/** The targets of writes; undefined is the main resource. */
const subresources: ReadonlyArray<Subresource | undefined> = [
  undefined,
  "status",
  "binding",
  "eviction",
  "scale",
  "finalize",
  "ephemeralcontainers",
  "resize"
]

type BySubresource = ReadonlyMap<Subresource | undefined, AdmissionChain>
type ByVerb = Readonly<Record<AdmissionVerb, BySubresource>>

/** Selects the plugins of a write. The chains of a kind are made once, when it is first written. */
export class AdmissionChains {
  private readonly plugins: ReadonlyArray<AdmissionPlugin>
  private readonly context: AdmissionContext
  private readonly chains = new Map<AnyKind, ByVerb>()

  constructor(plugins: ReadonlyArray<AdmissionPlugin>, context: AdmissionContext) {
    this.plugins = plugins
    this.context = context
  }

  /** Returns the plugins for these writes, or undefined if no plugin handles them. */
  get(kind: AnyKind, verb: AdmissionVerb, subresource: Subresource | undefined): AdmissionChain | undefined {
    return (this.chains.get(kind) ?? this.chainsOf(kind))[verb].get(subresource)
  }

  private chainsOf(kind: AnyKind): ByVerb {
    const bySubresource = (verb: AdmissionVerb): BySubresource => {
      const found = new Map<Subresource | undefined, AdmissionChain>()
      for (const subresource of subresources) {
        const handling = this.plugins.filter((plugin) => plugin.admits(kind, verb, subresource))
        if (handling.length > 0) found.set(subresource, chainOf(handling, this.context))
      }
      return found
    }
    const byVerb: ByVerb = {
      create: bySubresource("create"),
      update: bySubresource("update"),
      delete: bySubresource("delete")
    }
    this.chains.set(kind, byVerb)
    return byVerb
  }
}

const chainOf = (plugins: ReadonlyArray<AdmissionPlugin>, context: AdmissionContext): AdmissionChain => ({
  mutate: (attributes) => {
    let current = attributes
    for (const plugin of plugins) {
      if (plugin.mutate === undefined) continue
      const result = plugin.mutate(current, context)
      if (Result.isFailure(result)) return result
      if (result.success !== current.object) current = { ...current, object: result.success }
    }
    return Result.succeed(current.object)
  },
  validate: (attributes) => {
    for (const plugin of plugins) {
      const refusal = plugin.validate?.(attributes, context)
      if (refusal !== undefined) return refusal
    }
    return undefined
  }
})

/**
 * Returns what plugins see of a write. `object` is the new state (undefined for a delete), `oldObject` the stored one
 * (undefined for a create).
 */
export const attributesOf = (
  userInfo: UserInfo,
  target: Target,
  verb: AdmissionVerb,
  object: KubeObject | undefined,
  oldObject: KubeObject | undefined
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
  dryRun: target.dryRun
})
