import { type Pod, parseQuantity, value } from "@rollcall/api"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { type ProbeFailure, probeFailures } from "./ProbeOutcomes.ts"

/**
 * The behaviour of one container of a modelled pod. Seconds count from the container's start, unless stated otherwise.
 * An absent field means that the container behaves normally in this respect.
 */
export interface ContainerBehaviour {
  /** The seconds from the start request until the container runs. */
  readonly startSeconds?: number
  readonly exitAfterSeconds?: number
  /** The exit code when it exits by itself; default 0. */
  readonly exitCode?: number
  /** The number of runs that exit by themselves, after which the next one keeps running; absent if all do. */
  readonly exitTimes?: number
  /** When the startup probe begins to pass. */
  readonly startedAfterSeconds?: number
  readonly readyAfterSeconds?: number
  /** When the readiness probe, after it has passed, begins to fail. */
  readonly unreadyAtSeconds?: number
  readonly readyAgainAtSeconds?: number
  readonly failsLivenessAtSeconds?: number
  /** The seconds from SIGTERM until the container has stopped. */
  readonly stopSeconds?: number
  readonly stopExitCode?: number
  /** The duration of its preStop hook, unless the hook is a sleep. */
  readonly preStopSeconds?: number
  readonly preStop?: "fail"
  /** The seconds that the pull of its image takes on a node that does not have it. */
  readonly imagePullSeconds?: number
  readonly imagePull?: "fail"
  /** Whom the registry lets pull its image: `user:password`. */
  readonly imagePullCredentials?: string
  /** How a pull of its image fails, in the runtime's words; absent if the registry does not have the image. */
  readonly imagePullError?: string
  /** The number of pulls that fail before one succeeds; absent if none fails or, with `imagePull: fail`, if all do. */
  readonly imagePullFailTimes?: number
  /** The duration of its postStart hook, unless the hook is a sleep or its command decides. */
  readonly postStartSeconds?: number
  readonly postStart?: "fail"
  /** How its probes fail when they fail. */
  readonly probeFailure?: ProbeFailure
  /** Whether its HTTP probes, when they pass, are answered with a redirect to another host. */
  readonly probesRedirect?: boolean
  /** The processors that it uses while it runs, as a quantity: `250m`. */
  readonly cpu?: string
  /** The usage of memory, swap, disk and logs while it runs, as quantities. */
  readonly memory?: string
  readonly swap?: string
  readonly disk?: string
  readonly logs?: string
  readonly processes?: number
}

/** The behaviour of a pod's containers by name. `*` applies to all that are not named. */
export type PodBehaviour = Readonly<Record<string, ContainerBehaviour>>

/** The annotation with a modelled pod's behaviour, as JSON: `{"app": {"exitAfterSeconds": 5, "exitCode": 1}}`. */
export const annotationBehaviour = "rollcall.dev/behaviour"

const nonNegativeProblem = (given: unknown): string | undefined =>
  typeof given === "number" && given >= 0 ? undefined : "must be a number, at least 0"
const wholeNumberProblem = (given: unknown): string | undefined =>
  typeof given === "number" && Number.isInteger(given) && given >= 0 ? undefined : "must be a whole number, at least 0"
const quantityProblem = (given: unknown): string | undefined =>
  typeof given === "string" && Result.isSuccess(parseQuantity(given)) ? undefined : "must be a quantity such as 500Mi"
const fail = (given: unknown): string | undefined => (given === "fail" ? undefined : 'must be "fail"')

const textProblem = (given: unknown): string | undefined =>
  typeof given === "string" && given !== "" ? undefined : "must be a text"

const probeFailureProblem = (given: unknown): string | undefined =>
  probeFailures.some((failure) => failure === given) ? undefined : `must be one of ${probeFailures.join(", ")}`
const booleanProblem = (given: unknown): string | undefined =>
  typeof given === "boolean" ? undefined : "must be true or false"

const fieldProblems: Readonly<Record<keyof ContainerBehaviour, (given: unknown) => string | undefined>> = {
  startSeconds: nonNegativeProblem,
  exitAfterSeconds: nonNegativeProblem,
  exitCode: wholeNumberProblem,
  exitTimes: wholeNumberProblem,
  startedAfterSeconds: nonNegativeProblem,
  readyAfterSeconds: nonNegativeProblem,
  unreadyAtSeconds: nonNegativeProblem,
  readyAgainAtSeconds: nonNegativeProblem,
  failsLivenessAtSeconds: nonNegativeProblem,
  stopSeconds: nonNegativeProblem,
  stopExitCode: wholeNumberProblem,
  preStopSeconds: nonNegativeProblem,
  preStop: fail,
  imagePullSeconds: nonNegativeProblem,
  imagePull: fail,
  imagePullError: textProblem,
  imagePullCredentials: textProblem,
  postStartSeconds: nonNegativeProblem,
  postStart: fail,
  probeFailure: probeFailureProblem,
  probesRedirect: booleanProblem,
  imagePullFailTimes: wholeNumberProblem,
  cpu: quantityProblem,
  memory: quantityProblem,
  swap: quantityProblem,
  disk: quantityProblem,
  logs: quantityProblem,
  processes: wholeNumberProblem
}

const isField = (name: string): name is keyof ContainerBehaviour => Object.hasOwn(fieldProblems, name)

const behaviourProblem = (container: string, given: unknown): string | undefined => {
  if (!Predicate.isReadonlyObject(given)) return `${container}: must be an object`
  for (const [field, fieldValue] of Object.entries(given)) {
    if (!isField(field)) return `${container}: unknown field ${JSON.stringify(field)}`
    const problem = fieldProblems[field](fieldValue)
    if (problem !== undefined) return `${container}.${field}: ${problem}`
  }
  return undefined
}

const isBehaviour = (given: Readonly<Record<string, unknown>>): given is PodBehaviour =>
  Object.entries(given).every(([container, behaviour]) => behaviourProblem(container, behaviour) === undefined)

const parseJson = (text: string): Result.Result<unknown, string> =>
  Result.try({
    try: (): unknown => JSON.parse(text),
    catch: (cause) => (cause instanceof Error ? cause.message : String(cause))
  })

/** Parses the text of the annotation. Fails with its first mistake. */
export const parseBehaviour = (text: string): Result.Result<PodBehaviour, string> =>
  Result.flatMap(parseJson(text), (given) => {
    if (!Predicate.isReadonlyObject(given)) return Result.fail("must be an object of containers")
    if (isBehaviour(given)) return Result.succeed(given)
    const problems = Object.entries(given).map(([container, behaviour]) => behaviourProblem(container, behaviour))
    return Result.fail(problems.find((problem) => problem !== undefined) ?? "")
  })

export const behaviourText = ({ metadata }: Pod): string | undefined => metadata.annotations?.[annotationBehaviour]

export const behaviourOf = (behaviour: PodBehaviour | undefined, container: string): ContainerBehaviour | undefined =>
  behaviour?.[container] ?? behaviour?.["*"]

/** Returns a validated quantity in whole units. */
export const bytesOf = (text: string): number => {
  const parsed = parseQuantity(text)
  return Result.isSuccess(parsed) ? value(parsed.success) : 0
}
