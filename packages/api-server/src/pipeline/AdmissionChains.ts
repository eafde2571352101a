import { type KindName, type KubeObject, kindNames, type Status } from "@rollcall/api"
import type { Subresource } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin, AdmissionVerb } from "../admission/Admission.ts"

/** The plugins that one sort of write passes. */
export interface AdmissionChain {
  readonly mutate: (attributes: AdmissionAttributes) => Result.Result<KubeObject | undefined, Status>
  readonly validate: (attributes: AdmissionAttributes) => Status | undefined
}

const verbs: ReadonlyArray<AdmissionVerb> = ["create", "update", "delete"]
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

/** Which plugins a write concerns, settled once for every combination; undefined where none is. */
export class AdmissionChains {
  private readonly chains: Readonly<Record<KindName, ByVerb>>

  constructor(plugins: ReadonlyArray<AdmissionPlugin>, context: AdmissionContext) {
    const bySubresource = (kind: KindName, verb: AdmissionVerb): BySubresource => {
      const found = new Map<Subresource | undefined, AdmissionChain>()
      for (const subresource of subresources) {
        const concerned = plugins.filter((plugin) => plugin.admits(kind, verb, subresource))
        if (concerned.length > 0) found.set(subresource, chainOf(concerned, context))
      }
      return found
    }
    const byVerb = (kind: KindName) =>
      Object.fromEntries(verbs.map((verb) => [verb, bySubresource(kind, verb)])) as ByVerb
    this.chains = Object.fromEntries(kindNames.map((kind) => [kind, byVerb(kind)])) as Record<KindName, ByVerb>
  }

  get(kind: KindName, verb: AdmissionVerb, subresource: Subresource | undefined): AdmissionChain | undefined {
    return this.chains[kind][verb].get(subresource)
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
