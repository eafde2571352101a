import type { Timers } from "@rollcall/time"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { residentMiB } from "../process/processMemory.ts"
import type { Attack } from "./Attack.ts"
import { type Observer, startObserver } from "./observer/Observer.ts"
import type { Observation } from "./observer/protocol.ts"
import { startTarget, type Target } from "./Target.ts"

/** An attack that has not ended after this time counts as won. */
const ATTACK_MS = 90_000
/** The timeout of the observer's answers; generous, because the attack keeps the machine busy. */
const OBSERVER_MS = 60_000
const SAMPLE_MS = 100
/** After an attack, memory must return to within `MEMORY_BACK_MIB` of its start value within this time. */
const MEMORY_BACK_MS = 30_000
export const MEMORY_BACK_MIB = 100

/** The effects of one attack on the server. */
export interface Damage {
  readonly name: string
  readonly seen: string
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
const LEAST_SHARE = 0.1

/** Starts a fresh server on which `nodes` nodes renew their Leases. */
export const startAttackedServer = Effect.fnUntraced(function* (nodes: number, settleMs = SETTLE_MS) {
  const target = yield* startTarget(nodes)
  const nodeTokens = Array.from({ length: nodes }, (_, index) => `token-node-${index}`)
  const observer = yield* startObserver({ port: target.port, ca: target.ca, nodeTokens, leaderToken: "token-leader" })
  yield* Effect.sleep(settleMs)
  const range: AttackedServer = { target, observer }
  return range
})

const silent: Observation = {
  probes: 0,
  failedProbes: 1,
  longestStallMs: OBSERVER_MS,
  renewals: 0,
  leaderRenewals: 0,
  lost: { unanswered: 1 },
  slowestRenewalMs: OBSERVER_MS
}

const observe = ({ observer }: AttackedServer) =>
  observer.observe.pipe(Effect.timeoutOrElse({ duration: OBSERVER_MS, orElse: () => Effect.succeed(silent) }))

/** Waits until the server's memory has returned to its start value, or for `MEMORY_BACK_MS`. */
const memoryBack = Effect.fnUntraced(function* (pid: number, startMiB: number) {
  const since = yield* Clock.currentTimeMillis
  while (residentMiB(pid) > startMiB + MEMORY_BACK_MIB) {
    if ((yield* Clock.currentTimeMillis) - since > MEMORY_BACK_MS) break
    yield* Effect.sleep(SAMPLE_MS)
  }
  return residentMiB(pid)
})

/** Runs one attack against the server, with an external observer. */
export const runAttack = Effect.fnUntraced(function* (
  range: AttackedServer,
  attack: Attack,
  scale: number
): Effect.fn.Return<Damage, never, Scope.Scope | Timers> {
  const { target } = range
  const { pid } = target.program
  yield* observe(range)
  const startMiB = residentMiB(pid)
  let peakMiB = startMiB
  const sample = Effect.sync(() => {
    peakMiB = Math.max(peakMiB, residentMiB(pid))
  }).pipe(Effect.andThen(Effect.sleep(SAMPLE_MS)), Effect.forever)
  const sampling = yield* Effect.forkScoped(sample)
  const since = yield* Clock.currentTimeMillis
  const outcome = yield* attack.run(target, scale).pipe(
    Effect.scoped,
    Effect.timeoutOrElse({
      duration: ATTACK_MS,
      orElse: () => Effect.succeed({ seen: `not over after ${ATTACK_MS / 1000} s`, holds: false })
    }),
    Effect.catchCause((cause) => Effect.succeed({ seen: String(cause).slice(0, 300), holds: false }))
  )
  const tookMs = (yield* Clock.currentTimeMillis) - since
  yield* Effect.sleep(AFTERMATH_MS * Math.max(scale, LEAST_SHARE))
  const observation = target.program.hasEnded() ? silent : yield* observe(range)
  const endMiB = yield* memoryBack(pid, startMiB)
  sampling.interruptUnsafe()
  const survived = !target.program.hasEnded()
  return { name: attack.name, ...outcome, tookMs, observation, startMiB, peakMiB, endMiB, survived }
})

/** Returns why an attack counts as won; empty: the server withstood it. The command judges stalls, because a test asserts no duration. */
export const faultsOf = ({ endMiB, holds, observation, seen, startMiB, survived }: Damage): ReadonlyArray<string> => [
  ...(survived ? [] : ["the server ended"]),
  ...(holds ? [] : [seen]),
  ...Object.entries(observation.lost).map(([how, count]) => `${count} renewals lost: ${how}`),
  ...(endMiB - startMiB > MEMORY_BACK_MIB ? [`${Math.round(endMiB - startMiB)} MiB never came back`] : [])
]
