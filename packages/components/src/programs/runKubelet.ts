import type { FlagValues, Parsed } from "@rollcall/flags"
import { invalid } from "@rollcall/input"
import * as Effect from "effect/Effect"
import { kubeletCertificates } from "../certificates/kubelet/kubeletCertificates.ts"
import { remoteConfig } from "../clients/remote.ts"
import { Host } from "../host/Host.ts"
import * as Attach from "../live/Attach.ts"
import { componentMetrics } from "../serving/componentMetrics.ts"
import { kubeletChecks } from "../serving/kubeletChecks.ts"
import { kubeletMetrics } from "../serving/kubeletMetrics.ts"
import { serveHealth } from "../serving/serveHealth.ts"
import { liveScenario, refuseNodeFlags } from "../up/liveScenario.ts"
import type { kubeletProgram } from "./kubelet.ts"
import { runFleet } from "./kubeletFleet.ts"
import { runLinux, runModelled } from "./kubeletOfOne.ts"
import { partOfFlags } from "./kubeletPart.ts"
import { kubeletSettingsOf } from "./kubeletSettings.ts"
import { releaseOf, userAgentOf } from "./release.ts"

type KubeletValues = FlagValues<typeof kubeletProgram.flags>

const checkMachines = Effect.fnUntraced(function* (
  { host, nodes, scenario }: KubeletValues,
  given: ReadonlySet<string>
) {
  if (scenario !== "") yield* refuseNodeFlags("--scenario", given)
  if (host !== "linux" || (scenario === "" && nodes === 0)) return
  const flagName = scenario === "" ? "--nodes" : "--scenario"
  return yield* invalid("command line", flagName, "selects a fleet of modelled machines, which excludes --host linux")
})

/** Runs a kubelet, or a fleet with `--nodes` or a part of one with `--fleet`, against the cluster of a kubeconfig until it is interrupted. */
export const runKubelet = Effect.fnUntraced(function* (
  values: KubeletValues,
  { given: givenFlags }: Pick<Parsed<unknown>, "given">
) {
  if (values.version)
    return (yield* Host).print(`Kubernetes ${(yield* Effect.fromResult(releaseOf(values.release))).version}`)
  yield* checkMachines(values, givenFlags)
  const part = yield* partOfFlags(values, givenFlags)
  const plan = yield* liveScenario(values.scenario, {
    reader: "rollcall kubelet",
    release: values.release,
    seed: givenFlags.has("seed") ? values.seed : undefined
  })
  const start = yield* kubeletSettingsOf(values, plan?.release)
  for (const warning of start.warnings) yield* Effect.logWarning(warning)
  const isFleet = values.nodes > 0 || part !== undefined || plan !== undefined
  const userAgent = userAgentOf("kubelet", start.release)
  const certificates = isFleet ? undefined : kubeletCertificates(values, start, userAgent)
  if (certificates !== undefined) yield* certificates.bootstrap
  const given = yield* remoteConfig({ ...values, master: start.master })
  const config = certificates?.follow(given) ?? given
  const own = componentMetrics(start.release)
  const metrics = yield* kubeletMetrics(own)
  if (start.credentials !== undefined) metrics.credentialConfig(start.credentials.hash)
  yield* serveHealth(start.health, kubeletChecks(metrics.kubelets), {
    collect: metrics.collect,
    metrics: own,
    flagNames: start.healthFlags
  })
  const run = Effect.gen(function* () {
    if (isFleet) return yield* runFleet(values, start, metrics, { part, plan })
    yield* certificates?.keep ?? Effect.void
    return yield* values.host === "linux" ? runLinux(start, metrics, values) : runModelled(start, metrics, values)
  })
  return yield* Effect.provide(run, Attach.layer({ config, userAgent, http2: true, metrics: own }))
})
