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

/** The plugins that handle one kind of write. */
export interface AdmissionChain {
  readonly mutate: (attributes: AdmissionAttributes) => Result.Result<KubeObject | undefined, Status>
  readonly validate: (attributes: AdmissionAttributes) => Status | undefined
}

const subresources: ReadonlyArray<Subresource | undefined> = [
  undefined,
  "status",
  "binding",
  "eviction",
  "scale",
  "finalize"
]

type BySubresource = ReadonlyMap<Subresource | undefined, AdmissionChain>
type ByVerb = Readonly<Record<AdmissionVerb, BySubresource>>

/**
 * Selects the plugins of a write. Computed once for every combination when its kind is first written; undefined where
 * no plugin handles it.
 */
export class AdmissionChains {
  private readonly plugins: ReadonlyArray<AdmissionPlugin>
  private readonly context: AdmissionContext
  private readonly chains = new Map<AnyKind, ByVerb>()

  constructor(plugins: ReadonlyArray<AdmissionPlugin>, context: AdmissionContext) {
    this.plugins = plugins
    this.context = context
  }

  get(kind: AnyKind, verb: AdmissionVerb, subresource: Subresource | undefined): AdmissionChain | undefined {
    return (this.chains.get(kind) ?? this.settle(kind))[verb].get(subresource)
  }

  private settle(kind: AnyKind): ByVerb {
    const bySubresource = (verb: AdmissionVerb): BySubresource => {
      const found = new Map<Subresource | undefined, AdmissionChain>()
      for (const subresource of subresources) {
        const concerned = this.plugins.filter((plugin) => plugin.admits(kind, verb, subresource))
        if (concerned.length > 0) found.set(subresource, chainOf(concerned, this.context))
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
