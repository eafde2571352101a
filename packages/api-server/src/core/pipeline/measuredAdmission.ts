import { isSteps, type MaybeSteps, type Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import type { AdmissionVerb, ChainPlugin } from "../admission/Admission.ts"
import type { AdmissionMeter, AdmissionStep } from "../metrics/AdmissionMeter.ts"
import type { AdmissionChain } from "./AdmissionChain.ts"

/** Calls `done` with an answer, once it is there. */
const afterwards = <A>(answer: MaybeSteps<A>, done: (answer: A) => void): MaybeSteps<A> => {
  if (isSteps(answer)) return afterSteps(answer, done)
  done(answer)
  return answer
}

const afterSteps = function* <A>(steps: Steps<A>, done: (answer: A) => void): Steps<A> {
  const answer = yield* steps
  done(answer)
  return answer
}

const isRefusal = (refusal: unknown): boolean => refusal !== undefined

/** Returns a chain of which each step is measured as a whole. */
export const measuredChain = (chain: AdmissionChain, verb: AdmissionVerb, meter: AdmissionMeter): AdmissionChain => {
  const { now } = meter
  const measured = <Given, A>(
    type: AdmissionStep,
    work: (given: Given) => MaybeSteps<A>,
    isRejected: (answer: A) => boolean
  ) => {
    const record = meter.step(verb.toUpperCase(), type)
    return (given: Given): MaybeSteps<A> => {
      const began = now()
      return afterwards(work(given), (answer) => record((now() - began) / 1000, isRejected(answer)))
    }
  }
  return {
    mutate: measured("admit", chain.mutate, Result.isFailure),
    validate: measured("validate", chain.validate, isRefusal),
    reserve: chain.reserve
  }
}

/** Returns a plugin that is measured. */
export const measuredPlugin = (plugin: ChainPlugin, verb: AdmissionVerb, meter: AdmissionMeter): ChainPlugin => {
  const { now } = meter
  const measured = <Given extends ReadonlyArray<unknown>, A>(
    type: AdmissionStep,
    work: (...given: Given) => MaybeSteps<A>,
    isRejected: (answer: A) => boolean
  ) => {
    const { accepted, rejected } = meter.plugin(plugin.name, verb.toUpperCase(), type)
    return (...given: Given): MaybeSteps<A> => {
      const began = now()
      return afterwards(work(...given), (answer) => {
        const distribution = isRejected(answer) ? rejected() : accepted
        distribution.observe((now() - began) / 1000)
      })
    }
  }
  const { admits, isIdle, mutate, name, reserve, validate } = plugin
  return {
    name,
    admits,
    ...(isIdle === undefined ? {} : { isIdle: isIdle.bind(plugin) }),
    ...(reserve === undefined ? {} : { reserve: reserve.bind(plugin) }),
    ...(mutate === undefined ? {} : { mutate: measured("admit", mutate.bind(plugin), Result.isFailure) }),
    ...(validate === undefined ? {} : { validate: measured("validate", validate.bind(plugin), isRefusal) })
  }
}
