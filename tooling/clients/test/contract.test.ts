import { clusterContract } from "@rollcall/cluster/testing"
import { KubeClient } from "@rollcall/kube-client"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LiveServer, type LiveServerShape } from "../src/LiveServer.ts"

const current: { current?: LiveServerShape; close?: () => void } = {}

const layer = Layer.unwrap(
  Effect.map(LiveServer, (live) => {
    current.current = live
    const client = KubeClient.layer({ config: live.config, userAgent: "contract/v1" })
    const noteClose = Effect.map(KubeClient, ({ connection }) => {
      current.close = connection.close
    })
    return Layer.effectDiscard(noteClose).pipe(Layer.provideMerge(client))
  })
).pipe(Layer.provideMerge(LiveServer.layer))

clusterContract("HTTP", layer, {
  forgetHistory: Effect.suspend(() => current.current?.server.compact ?? Effect.void),
  close: Effect.sync(() => current.close?.())
})
