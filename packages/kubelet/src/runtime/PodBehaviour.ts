import { type Pod, parseQuantity, value } from "@rollcall/api"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/**
 * The behaviour of one container of a modelled pod. Seconds count from the container's start, unless stated otherwise.
 */
export interface ContainerBehaviour {
  /** From the start request until it runs. */
  readonly startSeconds?: number
  readonly exitAfterSeconds?: number
  /** The exit code of an exit by itself; default 0. */
  readonly exitCode?: number
  /** This many runs exit by themselves, the next one keeps running. Absent: all do. */
  readonly exitTimes?: number
  /** The startup probe passes from then on. */
  readonly startedAfterSeconds?: number
  readonly readyAfterSeconds?: number
  /** The readiness probe passes, fails from then on, and passes again later. */
  readonly unreadyAtSeconds?: number
  readonly readyAgainAtSeconds?: number
  readonly failsLivenessAtSeconds?: number
  /** From SIGTERM on. */
  readonly stopSeconds?: number
  readonly stopExitCode?: number
  /** The duration of its preStop hook, unless that only sleeps. */
  readonly preStopSeconds?: number
  readonly imagePull?: "fail"
  /** This many pulls fail, the next one succeeds. Absent: with `imagePull: fail`, all do. */
  readonly imagePullFailTimes?: number
  /** Its usage while it runs: quantities. */
  readonly memory?: string
  readonly disk?: string
  readonly logs?: string
  readonly processes?: number
}

/** By container; `*` applies to all that are not named. */
export type PodBehaviour = Readonly<Record<string, ContainerBehaviour>>

/** The annotation with a modelled pod's behaviour, as JSON: `{"app": {"exitAfterSeconds": 5, "exitCode": 1}}`. */
export const annotationBehaviour = "rollcall.dev/behaviour"

const fromZero = (given: unknown): string | undefined =>
  typeof given === "number" && given >= 0 ? undefined : "must be a number, at least 0"
const count = (given: unknown): string | undefined =>
  typeof given === "number" && Number.isInteger(given) && given >= 0 ? undefined : "must be a whole number, at least 0"
const quantity = (given: unknown): string | undefined =>
  typeof given === "string" && Result.isSuccess(parseQuantity(given)) ? undefined : "must be a quantity such as 500Mi"
const fail = (given: unknown): string | undefined => (given === "fail" ? undefined : 'must be "fail"')

const checks: Readonly<Record<keyof ContainerBehaviour, (given: unknown) => string | undefined>> = {
  startSeconds: fromZero,
  exitAfterSeconds: fromZero,
  exitCode: count,
  exitTimes: count,
  startedAfterSeconds: fromZero,
  readyAfterSeconds: fromZero,
  unreadyAtSeconds: fromZero,
  readyAgainAtSeconds: fromZero,
  failsLivenessAtSeconds: fromZero,
  stopSeconds: fromZero,
  stopExitCode: count,
  preStopSeconds: fromZero,
  imagePull: fail,
  imagePullFailTimes: count,
  memory: quantity,
  disk: quantity,
  logs: quantity,
  processes: count
}

const isField = (name: string): name is keyof ContainerBehaviour => Object.hasOwn(checks, name)

const mistakeIn = (container: string, given: unknown): string | undefined => {
  if (!Predicate.isReadonlyObject(given)) return `${container}: must be an object`
  for (const [field, held] of Object.entries(given)) {
    if (!isField(field)) return `${container}: unknown field ${JSON.stringify(field)}`
    const mistake = checks[field](held)
    if (mistake !== undefined) return `${container}.${field}: ${mistake}`
  }
  return undefined
}

const isBehaviour = (given: Readonly<Record<string, unknown>>): given is PodBehaviour =>
  Object.entries(given).every(([container, behaviour]) => mistakeIn(container, behaviour) === undefined)

const asJson = (text: string): Result.Result<unknown, string> =>
  Result.try({
    try: (): unknown => JSON.parse(text),
    catch: (cause) => (cause instanceof Error ? cause.message : String(cause))
  })

/** Parses the text of the annotation; fails with the mistakes. */
export const parseBehaviour = (text: string): Result.Result<PodBehaviour, string> =>
  Result.flatMap(asJson(text), (given) => {
    if (!Predicate.isReadonlyObject(given)) return Result.fail("must be an object of containers")
    if (isBehaviour(given)) return Result.succeed(given)
    const mistakes = Object.entries(given).map(([container, behaviour]) => mistakeIn(container, behaviour))
    return Result.fail(mistakes.find((mistake) => mistake !== undefined) ?? "")
  })

export const behaviourText = ({ metadata }: Pod): string | undefined => metadata.annotations?.[annotationBehaviour]

export const behaviourOf = (behaviour: PodBehaviour | undefined, container: string): ContainerBehaviour | undefined =>
  behaviour?.[container] ?? behaviour?.["*"]

/** A validated quantity, in whole units. */
export const bytesOf = (text: string): number => {
  const parsed = parseQuantity(text)
  return Result.isSuccess(parsed) ? value(parsed.success) : 0
}
