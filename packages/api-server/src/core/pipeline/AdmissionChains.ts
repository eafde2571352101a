import type { KubeObject, Status } from "@rollcall/api"
import type { AnyKind, Subresource } from "@rollcall/cluster"
import { isSteps, type MaybeSteps, type Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import type {
  AdmissionAttributes,
  AdmissionContext,
  AdmissionExchange,
  AdmissionVerb,
  ChainPlugin,
  Reinvocation,
  UserInfo
} from "../admission/Admission.ts"
import { AdmissionMeter } from "../metrics/AdmissionMeter.ts"
import type { ServerMetrics } from "../metrics/ServerMetrics.ts"
import type { Target } from "../registry/KindState.ts"
import type { AdmissionChain, Reserve } from "./AdmissionChain.ts"
import { measuredChain, measuredPlugin } from "./measuredAdmission.ts"

/** The targets of writes; undefined is the main resource. */
const subresources: ReadonlyArray<Subresource | undefined> = [
  undefined,
  "status",
  "binding",
  "eviction",
  "scale",
  "finalize",
  "ephemeralcontainers",
  "resize",
  "approval"
]

type BySubresource = ReadonlyMap<Subresource | undefined, AdmissionChain>
type ByVerb = Readonly<Record<AdmissionVerb, BySubresource>>

/** Selects the plugins of a write. The chains of a kind are made once, when it is first written. */
export class AdmissionChains {
  private readonly plugins: ReadonlyArray<ChainPlugin>
  private readonly context: AdmissionContext
  private readonly meter: AdmissionMeter | undefined
  private readonly chains = new Map<AnyKind, ByVerb>()

  constructor(plugins: ReadonlyArray<ChainPlugin>, context: AdmissionContext, metrics?: ServerMetrics) {
    this.plugins = plugins
    this.context = context
    this.meter = metrics && new AdmissionMeter(metrics)
    if (metrics !== undefined) for (const plugin of plugins) plugin.addMetrics?.(metrics, context)
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
        if (handling.length > 0) found.set(subresource, this.chainOf(handling, verb))
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

  private chainOf(plugins: ReadonlyArray<ChainPlugin>, verb: AdmissionVerb): AdmissionChain {
    const { context, meter } = this
    if (meter === undefined) return chainOf(plugins, context)
    const measured = plugins.map((plugin) => measuredPlugin(plugin, verb, meter))
    return measuredChain(chainOf(measured, context), verb, meter)
  }
}

/** For chains none of whose plugins runs again. */
const oneRound: Reinvocation = { isReinvoke: true, shouldReinvoke: false, states: new Map() }

const reserveOf = (plugins: ReadonlyArray<ChainPlugin>, context: AdmissionContext): Reserve | undefined => {
  const [first, ...others] = plugins.flatMap(({ reserve }) => reserve ?? [])
  if (first === undefined) return undefined
  return (attributes, done) => {
    const from = (reserve: typeof first, rest: typeof others): void =>
      reserve(attributes, context, (refusal) => {
        const [next, ...later] = rest
        if (refusal !== undefined || next === undefined) done(refusal)
        else from(next, later)
      })
    from(first, others)
  }
}

const chainOf = (plugins: ReadonlyArray<ChainPlugin>, context: AdmissionContext): AdmissionChain => {
  const isBusy = ({ isIdle, mutate }: ChainPlugin) => mutate !== undefined && isIdle !== undefined && !isIdle()
  const mutateFrom = (
    start: number,
    attributes: AdmissionAttributes,
    reinvocation: Reinvocation
  ): MaybeSteps<Mutated> => {
    let current = attributes
    for (let index = start; index < plugins.length; index++) {
      const plugin = plugins[index]
      if (plugin?.mutate === undefined || plugin.isIdle?.() === true) continue
      const result = plugin.mutate(current, context, reinvocation)
      if (isSteps(result)) return mutateAfter(result, index, current, reinvocation)
      if (Result.isFailure(result)) return result
      current = withObject(current, result.success)
    }
    if (!reinvocation.shouldReinvoke || reinvocation.isReinvoke) return Result.succeed(current.object)
    return mutateFrom(0, current, { ...reinvocation, isReinvoke: true })
  }
  /** Goes on after a plugin that takes steps. */
  const mutateAfter = function* (
    steps: Steps<Mutated>,
    index: number,
    current: AdmissionAttributes,
    reinvocation: Reinvocation
  ): Steps<Mutated> {
    const result = yield* steps
    if (Result.isFailure(result)) return result
    const rest = mutateFrom(index + 1, withObject(current, result.success), reinvocation)
    return isSteps(rest) ? yield* rest : rest
  }
  const validateFrom = (start: number, attributes: AdmissionAttributes): MaybeSteps<Status | undefined> => {
    for (let index = start; index < plugins.length; index++) {
      const plugin = plugins[index]
      if (plugin?.validate === undefined || plugin.isIdle?.() === true) continue
      const refusal = plugin.validate(attributes, context)
      if (isSteps(refusal)) return validateAfter(refusal, index, attributes)
      if (refusal !== undefined) return refusal
    }
    return undefined
  }
  const validateAfter = function* (
    steps: Steps<Status | undefined>,
    index: number,
    attributes: AdmissionAttributes
  ): Steps<Status | undefined> {
    const refusal = yield* steps
    if (refusal !== undefined) return refusal
    const rest = validateFrom(index + 1, attributes)
    return isSteps(rest) ? yield* rest : rest
  }
  return {
    reserve: reserveOf(plugins, context),
    mutate: (attributes) =>
      mutateFrom(
        0,
        attributes,
        plugins.some(isBusy) ? { isReinvoke: false, shouldReinvoke: false, states: new Map() } : oneRound
      ),
    validate: (attributes) => validateFrom(0, attributes)
  }
}

type Mutated = Result.Result<KubeObject | undefined, Status>

const withObject = (attributes: AdmissionAttributes, object: KubeObject | undefined): AdmissionAttributes =>
  object === attributes.object ? attributes : { ...attributes, object }

/**
 * Returns what plugins see of a write. `object` is the new state (undefined for a delete), `oldObject` the stored one
 * (undefined for a create).
 */
export const attributesOf = (
  userInfo: UserInfo,
  target: Target,
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
