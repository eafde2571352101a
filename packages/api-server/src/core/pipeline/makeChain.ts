import type { KubeObject, Status } from "@rollcall/api"
import { isSteps, type MaybeSteps, type Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import type { AdmissionAttributes, AdmissionContext, ChainPlugin, Reinvocation } from "../admission/Admission.ts"
import type { AdmissionMeter, AdmissionStep } from "../metrics/AdmissionMeter.ts"
import type { AdmissionChain, Reserve } from "./AdmissionChain.ts"

type Mutated = Result.Result<KubeObject | undefined, Status>

/** For chains none of whose plugins runs again. */
const oneRound: Reinvocation = { isReinvoke: true, shouldReinvoke: false, states: new Map() }

/**
 * Makes one chain of plugins. It returns steps only if a plugin does; the plugins after that one run once it is done. With a
 * meter, one reading of the clock ends the time of a plugin and begins that of the next.
 */
export const makeChain = (
  plugins: ReadonlyArray<ChainPlugin>,
  context: AdmissionContext,
  meter?: AdmissionMeter
): AdmissionChain => {
  const mutating = new Chain<Mutated>(plugins, "admit", Result.isFailure, meter)
  const validating = new Chain<Status | undefined>(plugins, "validate", (refusal) => refusal !== undefined, meter)
  const isBusy = ({ isIdle, mutate }: ChainPlugin) => mutate !== undefined && isIdle !== undefined && !isIdle()
  const checks = plugins.flatMap(({ check }) => check ?? [])
  return {
    check: checks.length === 0 ? undefined : (attributes) => checks.flatMap((check) => check(attributes, context)),
    reserve: reserveOf(plugins, context),
    mutate: (attributes) => {
      if (!plugins.some(isBusy)) return mutateOnce(mutating, attributes, context, oneRound)
      const round: Reinvocation = { isReinvoke: false, shouldReinvoke: false, states: new Map() }
      return mutateTwice(mutating, attributes, context, round)
    },
    validate: (attributes) => validating.run(undefined, (plugin) => plugin.validate?.(attributes, context))
  }
}

const withObject = (attributes: AdmissionAttributes, object: KubeObject | undefined): AdmissionAttributes =>
  object === attributes.object ? attributes : { ...attributes, object }

type Mutate = (
  chain: Chain<Mutated>,
  attributes: AdmissionAttributes,
  context: AdmissionContext,
  round: Reinvocation
) => MaybeSteps<Mutated>

const mutateOnce: Mutate = (chain, attributes, context, round) => {
  let current = attributes
  return chain.run(Result.succeed(attributes.object), (plugin, before) => {
    if (Result.isSuccess(before)) current = withObject(current, before.success)
    const isEarly = plugin.mutatesLast === true && round.shouldReinvoke && !round.isReinvoke
    return (isEarly ? undefined : plugin.mutate?.(current, context, round)) ?? before
  })
}

/** Runs all plugins, and once more if one of them asks for it. */
const mutateTwice = function* (
  chain: Chain<Mutated>,
  attributes: AdmissionAttributes,
  context: AdmissionContext,
  round: Reinvocation
): Steps<Mutated> {
  const mutating = mutateOnce(chain, attributes, context, round)
  const first = isSteps(mutating) ? yield* mutating : mutating
  if (Result.isFailure(first) || !round.shouldReinvoke) return first
  const again = mutateOnce(chain, withObject(attributes, first.success), context, { ...round, isReinvoke: true })
  return isSteps(again) ? yield* again : again
}

/** Asks a plugin, given the answer of the one before. */
type Call<A> = (plugin: ChainPlugin, before: A) => MaybeSteps<A>

/** A plugin that has a part in the step, and its place in the chain. */
interface Link {
  readonly plugin: ChainPlugin
  readonly index: number
}

/** Calls the plugins in turn, until one rejects, and measures them. */
class Chain<A> {
  private readonly links: ReadonlyArray<Link>
  private readonly type: AdmissionStep
  private readonly isRejected: (answer: A) => boolean
  private readonly meter: AdmissionMeter | undefined

  constructor(
    plugins: ReadonlyArray<ChainPlugin>,
    type: AdmissionStep,
    isRejected: (answer: A) => boolean,
    meter: AdmissionMeter | undefined
  ) {
    this.links = plugins
      .map((plugin, index) => ({ plugin, index }))
      .filter(({ plugin }) => (type === "admit" ? plugin.mutate : plugin.validate) !== undefined)
    this.type = type
    this.isRejected = isRejected
    this.meter = meter
  }

  /** Returns the answer of the last plugin, or of the first one that rejects. */
  run(answer: A, call: Call<A>): MaybeSteps<A> {
    return this.runFrom(0, answer, call, undefined, undefined)
  }

  /** `beganMs` is when the first plugin began, and `readMs` the last reading of the clock; undefined before any has begun. */
  private runFrom(
    start: number,
    given: A,
    call: Call<A>,
    beganMs: number | undefined,
    readMs: number | undefined
  ): MaybeSteps<A> {
    const { links, meter, type } = this
    let answer = given
    for (let at = start; at < links.length; at++) {
      const { index, plugin } = links[at] as Link
      if (plugin.isIdle?.() === true) continue
      readMs ??= meter?.now()
      beganMs ??= readMs
      const next = call(plugin, answer)
      if (isSteps(next)) return this.runAfter(next, at, call, beganMs, readMs)
      answer = next
      readMs = meter?.plugin(type, index, readMs ?? 0, this.isRejected(answer))
      if (this.isRejected(answer)) break
    }
    meter?.step(type, (readMs ?? 0) - (beganMs ?? 0), this.isRejected(answer))
    return answer
  }

  /** Goes on after a plugin that takes steps. */
  private *runAfter(
    steps: Steps<A>,
    at: number,
    call: Call<A>,
    beganMs: number | undefined,
    readMs: number | undefined
  ): Steps<A> {
    const { links, meter, type } = this
    const answer = yield* steps
    const now = meter?.plugin(type, (links[at] as Link).index, readMs ?? 0, this.isRejected(answer))
    const next = this.isRejected(answer) ? links.length : at + 1
    const rest = this.runFrom(next, answer, call, beganMs, now)
    return isSteps(rest) ? yield* rest : rest
  }
}

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
