import { Cluster } from "@rollcall/cluster"
import type { FlagValues, Parsed } from "@rollcall/flags"
import { writeKubeconfig } from "@rollcall/kube-client"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import { ServerProcess } from "../apiserver/ApiServerProcess.ts"
import { returnMemory } from "../apiserver/returnMemory.ts"
import { Fleet } from "../fleet/Fleet.ts"
import { waitForReadyNodes, waitForSchedulableNodes } from "../fleet/nodesReady.ts"
import { Host } from "../host/Host.ts"
import * as Live from "../live/Live.ts"
import { createDemo, suggestions } from "../up/demo.ts"
import { kubeconfigSharing } from "../up/kubeconfigSharing.ts"
import { warnOfOtherFleet } from "../up/liveScenario.ts"
import { parentProcess } from "../up/parentProcess.ts"
import { readyLine } from "../up/readyLine.ts"
import { playScenario } from "../up/scenario.ts"
import { upSettings } from "../up/upSettings.ts"
import { ownProcesses } from "./runApiserver.ts"
import type { upProgram } from "./up.ts"

/**
 * Runs a whole cluster in this process until it is interrupted (or, with `--exit-when-ready`, until its nodes are
 * Ready).
 */
export const runUp = Effect.fnUntraced(function* (
  values: FlagValues<typeof upProgram.flags>,
  parsed: Pick<Parsed<unknown>, "given">
) {
  const { now } = yield* Timers
  const { environment, hostname, print, processId } = yield* Host
  const startedMs = now()
  const parent = yield* parentProcess(hostname, values["parent-pid"])
  const { plan, settings } = yield* upSettings(values, parsed)
  const sharing = values["merge-kubeconfig"] ? yield* kubeconfigSharing(values.name) : undefined
  const play = Effect.gen(function* () {
    const { kubeconfig, kubeconfigFile, url } = yield* ServerProcess
    const fleet = yield* Fleet
    const cluster = yield* Cluster
    yield* returnMemory
    if (values["kubeconfig-out"] !== "") {
      yield* writeKubeconfig(values["kubeconfig-out"], kubeconfig, yield* ownProcesses)
    }
    const shared = yield* sharing?.addUntilClosed(kubeconfig) ?? Effect.undefined
    if (plan !== undefined || parsed.given.has("nodes") || parsed.given.has("zones")) yield* warnOfOtherFleet(fleet)
    yield* waitForReadyNodes(cluster, fleet.nodesWithoutFault)
    const seconds = (now() - startedMs) / 1000 / values.speed
    const file = (yield* Path.Path).resolve(values["kubeconfig-out"] || kubeconfigFile)
    if (plan !== undefined) yield* playScenario(plan, cluster, fleet)
    if (values.output === "json") {
      print(JSON.stringify({ url, kubeconfig: shared?.file ?? file, nodes: fleet.size(), seconds, pid: processId }))
    } else {
      print(readyLine(fleet, seconds, url))
      const named = `${shared?.name} is the current context of ${shared?.file} until this ends`
      print(shared === undefined ? `export KUBECONFIG=${file}` : named)
    }
    if (values.demo)
      yield* Effect.andThen(waitForSchedulableNodes(cluster, fleet.nodesWithoutFault), createDemo(cluster))
    if (values["exit-when-ready"]) return
    if (values.demo && values.output === "text")
      for (const line of suggestions(environment.npm_lifecycle_event !== undefined)) print(line)
    return yield* Effect.never
  })
  return yield* Effect.raceFirst(Effect.provide(play, Live.layer(settings)), parent)
})
