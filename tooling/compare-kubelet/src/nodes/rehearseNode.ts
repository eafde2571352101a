import { defaultRelease } from "@rollcall/api"
import { makeEventRecorder } from "@rollcall/cluster"
import {
  decodeKubeletConfiguration,
  type KubeletConfig,
  modelUpstream,
  NodeHosts,
  noKubeletSettings,
  PodRuntimes,
  resolveKubelet,
  type StaticPodManifest
} from "@rollcall/kubelet"
import { Inhibitors, Links, type Machine, makeMachine } from "@rollcall/machines"
import { makeVirtualTime, rngFor } from "@rollcall/time"
import * as Result from "effect/Result"
import type { KubeletRequest } from "../Life.ts"
import { NODE_NAME, recorded, START_MS, startServer } from "../rehearse.ts"
import { type NodeLife, type NodeShape, type NodeStep, nodeStepsFor } from "./NodeLife.ts"

/** When the first step happens: the API server serves then. */
const FIRST_STEP_MS = START_MS + 1_000

type ModelledKubelet = Machine["kubelet"] & { readonly startKubelet: () => void; readonly stopKubelet: () => void }

const configOf = ({ config = {}, name }: NodeShape): KubeletConfig => {
  const { layer: base } = Result.getOrThrow(decodeKubeletConfiguration(name, config, { embeddedAt: "config" }))
  return Result.getOrThrow(resolveKubelet({ ...noKubeletSettings, base }, defaultRelease)).config
}

/** Plays a shape on a machine with Rollcall's kubelet, and on its API server, in virtual time, and returns what the kubelet did. */
export const rehearseNode = (shape: NodeShape): NodeLife => {
  const time = makeVirtualTime(START_MS)
  const { timers } = time
  const server = startServer(time)
  const requests: Array<KubeletRequest> = []
  // Quiet reports are requests too: none is kept in columns.
  const { heartbeats: _, ...node } = server.connect({
    user: `system:node:${NODE_NAME}`,
    groups: ["system:nodes"],
    userAgent: "kubelet"
  })
  const connection = recorded(node, time, requests, FIRST_STEP_MS)
  const random = rngFor(1, NODE_NAME)
  const machine = makeMachine(
    {
      timers,
      release: defaultRelease,
      seed: 1,
      model: modelUpstream,
      hosts: NodeHosts.modelled(timers),
      links: Links.modelled(timers, 1),
      inhibitors: Inhibitors.modelled(timers, (effect) => void time.fork(effect)),
      runtimes: PodRuntimes.modelled(timers, { runtimeHandlers: ["runc"] }),
      connect: () => connection,
      recorderOf: (host, link) => makeEventRecorder(link, timers, random, { component: "kubelet", host })
    },
    {
      name: NODE_NAME,
      group: undefined,
      config: configOf(shape),
      capacity: { cpu: "8", memory: "32Gi", "ephemeral-storage": "100Gi" },
      runtimeHandlers: ["runc"]
    }
  )
  const kubelet = machine.kubelet as ModelledKubelet
  const admin = server.connect({ user: "admin", groups: ["system:masters"], userAgent: "compare-kubelet/v1" })
  const manifests = new Map<string, StaticPodManifest>()
  const act = (step: NodeStep): void => {
    if ("request" in step) {
      admin.send(step.request, (answer) => {
        if (Result.isFailure(answer)) throw new Error(`${shape.name} at ${step.at} s: ${answer.failure.message}`)
      })
    } else if ("shutdown" in step) {
      if (step.shutdown) machine.shutdown.begin()
      else machine.shutdown.cancel()
    } else if ("manifest" in step) {
      if (step.pod === undefined) manifests.delete(step.manifest)
      else manifests.set(step.manifest, { source: step.manifest, kind: "file", pod: step.pod })
      kubelet.setStaticPods([...manifests.values()])
    } else if (step.process === "start") kubelet.startKubelet()
    else kubelet.stopKubelet()
  }
  for (const step of nodeStepsFor(shape, NODE_NAME)) {
    time.runUntil(FIRST_STEP_MS + step.at * 1000)
    act(step)
  }
  time.runUntil(FIRST_STEP_MS + shape.seconds * 1000)
  return { ...shape, node: NODE_NAME, requests }
}
