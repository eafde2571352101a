import type { ConfigMap } from "@rollcall/api"
import type { Connection } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import { listOf } from "../process/listOf.ts"

const PAUSE_MS = 50

const written = (name: string): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" }
})

/** Creates one object after the other until `stop`, and records those that were acknowledged. */
export const startWriter = Effect.fnUntraced(function* (connection: Connection, prefix: string) {
  const log = { acknowledged: [] as Array<string>, failed: 0, isOver: false }
  const create = (name: string) =>
    Effect.callback<boolean>((resume) => {
      const request = { verb: "create", kind: "ConfigMap", namespace: "default", object: written(name) } as const
      const cancel = connection.send(request, (answer) => resume(Effect.succeed(Result.isSuccess(answer))))
      return Effect.sync(cancel)
    })
  const writeAll = Effect.gen(function* () {
    for (let number = 0; !log.isOver; number++) {
      const name = `${prefix}-${number}`
      if (yield* create(name)) log.acknowledged.push(name)
      else log.failed++
      yield* Effect.sleep(PAUSE_MS)
    }
  })
  const fiber = yield* Effect.forkScoped(writeAll)
  const stop = Effect.suspend(() => {
    log.isOver = true
    return Fiber.join(fiber)
  })
  return { log, stop }
})

/** Returns acknowledged objects that a server does not list. */
export const lostWrites = (connection: Connection, acknowledged: ReadonlyArray<string>) =>
  Effect.map(listOf(connection, "ConfigMap"), ({ items }) => {
    const names = new Set(items.map(({ metadata }) => metadata.name))
    return acknowledged.filter((name) => !names.has(name))
  })
