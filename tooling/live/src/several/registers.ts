import type { ConfigMap } from "@rollcall/api"
import { ApiError, type ApiRequest, type Connection, type WatchEvent } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Operation } from "./linearizable.ts"

const NAMESPACE = "default"
export const INITIAL = "0"

const registerOf = (name: string, value: string, resourceVersion?: string): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: NAMESPACE, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
  data: { value }
})

const heldBy = (object: unknown): string => (object as ConfigMap).data?.value ?? ""

/** Sends a request; succeeds with the object, or with the code of the refusal, 0 if no answer came. */
const ask = (connection: Connection, request: ApiRequest): Effect.Effect<ConfigMap | number> =>
  Effect.callback((resume) => {
    const cancel = connection.send(request, (answer) => {
      if (Result.isSuccess(answer)) return resume(Effect.succeed(answer.success as ConfigMap))
      const { failure } = answer
      resume(Effect.succeed(failure instanceof ApiError ? (failure.status.code ?? 0) : 0))
    })
    return Effect.sync(cancel)
  })

const CONFLICT = 409

export const createRegister = (connection: Connection, name: string) =>
  Effect.flatMap(
    ask(connection, { verb: "create", kind: "ConfigMap", namespace: NAMESPACE, object: registerOf(name, INITIAL) }),
    (made) => (typeof made === "number" ? Effect.die(new Error(`${name}: ${made}`)) : Effect.succeed(made))
  )

export const readRegister = (connection: Connection, name: string) =>
  ask(connection, { verb: "get", kind: "ConfigMap", namespace: NAMESPACE, name })

/** Reads a register, swaps what it read for a new value, and adds what it was told to the history. */
export const swapOnce = Effect.fnUntraced(function* (
  connection: Connection,
  { now }: TimersShape,
  name: string,
  to: string,
  history: Array<Operation>
) {
  const beganMs = now()
  const found = yield* readRegister(connection, name)
  if (typeof found === "number") return
  const readMs = now()
  const from = heldBy(found)
  history.push({ beganMs, endedMs: readMs, did: { type: "read", value: from } })
  const object = registerOf(name, to, found.metadata.resourceVersion)
  const answer = yield* ask(connection, { verb: "update", kind: "ConfigMap", namespace: NAMESPACE, name, object })
  const told = typeof answer !== "number" ? "swapped" : answer === CONFLICT ? "refused" : "unknown"
  const endedMs = told === "unknown" ? Number.POSITIVE_INFINITY : now()
  history.push({ beganMs: readMs, endedMs, did: { type: "swap", from, to, told } })
})

/** What a watch has delivered of all registers, over all its resumptions. */
export interface Delivered {
  readonly events: Array<{ readonly name: string; readonly revision: number; readonly value: string }>
  /** How often it went on at its last revision. */
  resumed: number
  /** The error for which it could not go on. */
  gone: string | undefined
}

const RESUME_MS = 50

/** Watches the registers after this revision, and goes on after the last one that it got whenever its server is gone. */
export const watchRegisters = (
  connectionNow: () => Connection,
  timers: TimersShape,
  after: number
): { readonly delivered: Delivered; readonly stop: () => void } => {
  const delivered: Delivered = { events: [], resumed: 0, gone: undefined }
  let revision = after
  let isOver = false
  let cancel = () => {}
  const take = ({ object }: WatchEvent) => {
    const { metadata } = object as ConfigMap
    if (metadata.namespace !== NAMESPACE || metadata.name?.startsWith("register-") !== true) return
    revision = Number(metadata.resourceVersion)
    delivered.events.push({ name: metadata.name, revision, value: heldBy(object) })
  }
  const follow = () => {
    if (isOver) return
    const request = {
      verb: "watch",
      kind: "ConfigMap",
      namespace: NAMESPACE,
      resourceVersion: String(revision)
    } as const
    cancel = connectionNow().watch(request, {
      events: (batch) => batch.forEach(take),
      end: (error) => {
        if (error instanceof ApiError && error.status.code === 410) delivered.gone = error.message
        delivered.resumed++
        timers.after(RESUME_MS, follow)
      }
    })
  }
  follow()
  return {
    delivered,
    stop: () => {
      isOver = true
      cancel()
    }
  }
}
