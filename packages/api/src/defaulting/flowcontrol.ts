import type {
  FlowSchema,
  LimitedPriorityLevelConfiguration,
  PriorityLevelConfiguration,
  QueuingConfiguration
} from "../objects/FlowControl.ts"
import { withDefaults, withFields } from "./fill.ts"

/** Upstream: pkg/apis/flowcontrol/v1/defaults.go. */

/** Returns the object with the defaults of its missing numbers. Zero counts as missing, as in Go without a pointer. */
const withNumbers = <A extends object>(object: A, defaults: { readonly [K in keyof A]?: number }): A => {
  const lacking = Object.entries(defaults).filter(([key]) => !object[key as keyof A])
  return lacking.length === 0 ? object : { ...object, ...Object.fromEntries(lacking) }
}

export const defaultFlowSchema = (schema: FlowSchema): FlowSchema => {
  const { spec } = schema
  if (spec === undefined) return schema
  return withFields(schema, { spec: withNumbers(spec, { matchingPrecedence: 1000 }) })
}

const queuingDefaults = { handSize: 8, queues: 64, queueLengthLimit: 50 }

const defaultQueuing = (queuing: QueuingConfiguration): QueuingConfiguration => withNumbers(queuing, queuingDefaults)

const defaultLimited = (limited: LimitedPriorityLevelConfiguration): LimitedPriorityLevelConfiguration => {
  const { limitResponse } = limited
  const queuing = limitResponse?.queuing
  const completed = withDefaults(limited, { nominalConcurrencyShares: 30, lendablePercent: 0 })
  return limitResponse === undefined || queuing === undefined
    ? completed
    : withFields(completed, { limitResponse: withFields(limitResponse, { queuing: defaultQueuing(queuing) }) })
}

export const defaultPriorityLevelConfiguration = (level: PriorityLevelConfiguration): PriorityLevelConfiguration => {
  const { spec } = level
  if (spec === undefined) return level
  const exempt = spec.exempt && withDefaults(spec.exempt, { nominalConcurrencyShares: 0, lendablePercent: 0 })
  const limited = spec.limited && defaultLimited(spec.limited)
  return withFields(level, { spec: withFields(spec, { exempt, limited }) })
}
