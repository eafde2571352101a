import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { assert, describe } from "vitest"
import { kubectl } from "../src/index.ts"
import { startServerWithClient } from "./live.ts"

const waitUntil = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.andThen(Effect.sleep(20), waitUntil(holds))))

describe("get -w", () => {
  it.live("prints what there is, then a line for each change", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { client, url } = yield* startServerWithClient
        const post = (name: string) =>
          client.raw({
            method: "POST",
            path: "/api/v1/namespaces/default/configmaps",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ metadata: { name }, data: { k: "v" } })
          })
        yield* post("one")
        const printed: Array<string> = []
        const host = {
          api: client,
          namespace: "default",
          server: url,
          stdout: (text: string) => {
            printed.push(...text.split("\n").filter((line) => line !== ""))
          },
          stderr: () => undefined,
          readFiles: () => Effect.succeed(undefined),
          stdin: Effect.succeed("")
        }
        const running = yield* Effect.forkChild(kubectl(host, ["get", "cm", "-w"]))
        yield* waitUntil(() => printed.length === 2)
        yield* post("two")
        yield* waitUntil(() => printed.length === 3)
        yield* client.raw({ method: "DELETE", path: "/api/v1/namespaces/default/configmaps/one" })
        yield* waitUntil(() => printed.length === 4)
        yield* Fiber.interrupt(running)
        const names = printed.map((line) => line.split(/\s+/).slice(0, 2).join(" "))
        assert.deepStrictEqual(names, ["NAME DATA", "one 1", "two 1", "one 1"])
      })
    )
  )
})
