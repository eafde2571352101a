import { assert, describe, it } from "@effect/vitest"
import type { Endpoints, Service } from "@rollcall/api"
import { type Connection, cancellable, isConflict } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { StaleEndpoints } from "../src/endpoints/StaleEndpoints.ts"
import { withControllers } from "./withControllers.ts"

const endpointsAt = (resourceVersion: string): Endpoints => ({
  apiVersion: "v1",
  kind: "Endpoints",
  metadata: { name: "web", namespace: "default", resourceVersion }
})

describe("StaleEndpoints", () => {
  it("refuses the version that was replaced, until it is forgotten", () => {
    const stale = new StaleEndpoints()
    assert.isUndefined(stale.errorOf(endpointsAt("5")))
    stale.updated(endpointsAt("5"), endpointsAt("6"))
    assert.strictEqual(
      stale.errorOf(endpointsAt("5"))?.message,
      "endpoints informer cache is out of date, resource version 5 already processed for endpoints default/web"
    )
    assert.isUndefined(stale.errorOf(endpointsAt("6")))
    stale.updated(endpointsAt("6"), endpointsAt("6"))
    assert.isUndefined(stale.errorOf(endpointsAt("6")), "an update that changed nothing")
    stale.updated(endpointsAt("6"), endpointsAt("7"))
    stale.forget("default/web")
    assert.isUndefined(stale.errorOf(endpointsAt("6")))
  })
})

describe("endpoints-controller", () => {
  it("updates no Endpoints that its cache has in an old version", () => {
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
          yield* Effect.sleep("3 seconds")
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
            const isOurs = request.kind === "Endpoints" && request.verb === "update"
            if (isOurs && Result.isFailure(answer) && isConflict(answer.failure)) conflicts++
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
