import { clusterContract } from "@rollcall/cluster/testing"
import { KubeClient } from "@rollcall/kube-client"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LiveServer, type LiveServerShape } from "../src/LiveServer.ts"

const latest: { current?: LiveServerShape } = {}

const layer = Layer.unwrap(
  Effect.map(LiveServer, (live) => {
    latest.current = live
    return KubeClient.layer({ config: live.config, userAgent: "contract/v1" })
  })
).pipe(Layer.provideMerge(LiveServer.layer))

clusterContract("HTTP", layer, {
  forgetHistory: Effect.suspend(() => latest.current?.server.compact ?? Effect.void)
})
