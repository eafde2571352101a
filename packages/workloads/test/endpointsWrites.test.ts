import { assert, describe, it } from "@effect/vitest"
import type { Service } from "@rollcall/api"
import { type Connection, cancellable, isAlreadyExists, isConflict } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { withControllers } from "./withControllers.ts"

describe("endpoints-controller", () => {
  it("writes no Endpoints before its cache has those that it wrote", () => {
    let conflicts = 0
    withControllers(
      ({ cluster }) =>
        Effect.gen(function* () {
          const service: Service = {
            apiVersion: "v1",
            kind: "Service",
            metadata: { name: "web", namespace: "default" },
            spec: { selector: { app: "web" }, ports: [{ port: 80 }], publishNotReadyAddresses: true }
          }
          yield* cluster.create("Service", service)
          yield* Effect.sleep("100 millis")
          for (let number = 1; number <= 5; number++) {
            const pod = yield* cluster.create("Pod", {
              apiVersion: "v1",
              kind: "Pod",
              metadata: { name: `web-${number}`, namespace: "default", labels: { app: "web" } },
              spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] }
            })
            const podIP = `10.0.0.${number}`
            const status = { phase: "Running", podIP, podIPs: [{ ip: podIP }] } as const
            yield* cluster.updateStatus("Pod", { ...pod, status: { ...pod.status, ...status } })
            yield* Effect.sleep("200 millis")
          }
          yield* Effect.sleep("30 seconds")
          const { subsets = [] } = yield* cluster.get("Endpoints", { namespace: "default", name: "web" })
          assert.strictEqual(subsets?.[0]?.addresses?.length, 5)
          assert.strictEqual(conflicts, 0)
        }),
      (connection: Connection, timers: TimersShape): Connection => ({
        send: cancellable((request, reply) =>
          connection.send(request, (answer) => {
            const failure = Result.isFailure(answer) ? answer.failure : undefined
            const isRefused = failure !== undefined && (isConflict(failure) || isAlreadyExists(failure))
            if (request.kind === "Endpoints" && isRefused) conflicts++
            reply(answer)
          })
        ),
        watch: (request, sink) => {
          const late = {
            ...sink,
            events: (batch: Parameters<typeof sink.events>[0]) => void timers.after(700, () => sink.events(batch))
          }
          return connection.watch(request, request.kind === "Endpoints" ? late : sink)
        }
      })
    )
  })
})
