import type { Timers } from "@rollcall/time"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { residentMiB } from "../process/processMemory.ts"
import type { Attack } from "./Attack.ts"
import { type Observer, startObserver } from "./observer/Observer.ts"
import type { Observation } from "./observer/protocol.ts"
import { startTarget, type Target } from "./Target.ts"

/** An attack that has not ended after this time counts as successful. */
const ATTACK_TIMEOUT_MS = 90_000
/** The timeout of the observer's answers; generous, because the attack keeps the machine busy. */
const OBSERVER_TIMEOUT_MS = 60_000
const SAMPLE_INTERVAL_MS = 100
/** After an attack, memory must return to within `MEMORY_TOLERANCE_MIB` of its start value within this time. */
const MEMORY_RECOVERY_MS = 30_000
export const MEMORY_TOLERANCE_MIB = 100

/** The effects of one attack on the server. */
export interface Damage {
  readonly name: string
  readonly finding: string
  readonly holds: boolean
  readonly tookMs: number
  readonly observation: Observation
  readonly startMiB: number
  readonly peakMiB: number
  /** Resident memory at most 30 s after the attack. */
  readonly endMiB: number
  readonly survived: boolean
}

/** A server and its observer. */
export interface AttackedServer {
  readonly target: Target
  readonly observer: Observer
}

/** The time in which each node renews its Lease once, so that the memory of its connection is allocated. */
const SETTLE_MS = 15_000
/** Waits this long after an attack for delayed effects. */
const AFTERMATH_MS = 1000
/** Short attacks wait for at least this share of `AFTERMATH_MS`. */
const MIN_AFTERMATH_SCALE = 0.1

/** Starts a fresh server on which `nodes` nodes renew their Leases. */
export const startAttackedServer = Effect.fnUntraced(function* (nodes: number, settleMs = SETTLE_MS) {
  const target = yield* startTarget(nodes)
  const nodeTokens = Array.from({ length: nodes }, (_, index) => `token-node-${index}`)
  const observer = yield* startObserver({ port: target.port, ca: target.ca, nodeTokens, leaderToken: "token-leader" })
  yield* Effect.sleep(settleMs)
  const attacked: AttackedServer = { target, observer }
  return attacked
})

/** The observation of a server that has ended, or of an observer that does not answer. */
const unresponsive: Observation = {
  probes: 0,
  failedProbes: 1,
  longestStallMs: OBSERVER_TIMEOUT_MS,
  renewals: 0,
  leaderRenewals: 0,
  lost: { unanswered: 1 },
  slowestRenewalMs: OBSERVER_TIMEOUT_MS
}

const observe = ({ observer }: AttackedServer) =>
  observer.observe.pipe(
    Effect.timeoutOrElse({ duration: OBSERVER_TIMEOUT_MS, orElse: () => Effect.succeed(unresponsive) })
  )

/** Waits until the server's memory has returned to its start value, or for `MEMORY_RECOVERY_MS`. */
const waitForMemory = Effect.fnUntraced(function* (pid: number, startMiB: number) {
  const startedMs = yield* Clock.currentTimeMillis
  while (residentMiB(pid) > startMiB + MEMORY_TOLERANCE_MIB) {
    if ((yield* Clock.currentTimeMillis) - startedMs > MEMORY_RECOVERY_MS) break
    yield* Effect.sleep(SAMPLE_INTERVAL_MS)
  }
  return residentMiB(pid)
})

/** Runs one attack against the server, with an external observer. */
export const runAttack = Effect.fnUntraced(function* (
  attacked: AttackedServer,
  attack: Attack,
  scale: number
): Effect.fn.Return<Damage, never, Scope.Scope | Timers> {
  const { target } = attacked
  const { pid } = target.program
  yield* observe(attacked)
  const startMiB = residentMiB(pid)
  let peakMiB = startMiB
  const sample = Effect.sync(() => {
    peakMiB = Math.max(peakMiB, residentMiB(pid))
  }).pipe(Effect.andThen(Effect.sleep(SAMPLE_INTERVAL_MS)), Effect.forever)
  const sampler = yield* Effect.forkScoped(sample)
  const startedMs = yield* Clock.currentTimeMillis
  const outcome = yield* attack.run(target, scale).pipe(
    Effect.scoped,
    Effect.timeoutOrElse({
      duration: ATTACK_TIMEOUT_MS,
      orElse: () => Effect.succeed({ finding: `not over after ${ATTACK_TIMEOUT_MS / 1000} s`, holds: false })
    }),
    Effect.catchCause((cause) => Effect.succeed({ finding: String(cause).slice(0, 300), holds: false }))
  )
  const tookMs = (yield* Clock.currentTimeMillis) - startedMs
  yield* Effect.sleep(AFTERMATH_MS * Math.max(scale, MIN_AFTERMATH_SCALE))
  const observation = target.program.hasEnded() ? unresponsive : yield* observe(attacked)
  const endMiB = yield* waitForMemory(pid, startMiB)
  sampler.interruptUnsafe()
  const survived = !target.program.hasEnded()
  return { name: attack.name, ...outcome, tookMs, observation, startMiB, peakMiB, endMiB, survived }
})

/**
 * Returns the reasons why an attack counts as successful. The list is empty if the server withstood it. Stalls are not
 * among them: the command checks them, because a test asserts no duration.
 */
export const faultsOf = ({
  endMiB,
  holds,
  observation,
  finding,
  startMiB,
  survived
}: Damage): ReadonlyArray<string> => [
  ...(survived ? [] : ["the server ended"]),
  ...(holds ? [] : [finding]),
  ...Object.entries(observation.lost).map(([how, count]) => `${count} renewals lost: ${how}`),
  ...(endMiB - startMiB > MEMORY_TOLERANCE_MIB ? [`${Math.round(endMiB - startMiB)} MiB never came back`] : [])
]
