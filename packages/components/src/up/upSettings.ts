import { checkIpam, defaultPlacing, ipamSettings, placingHere } from "@rollcall/control-plane"
import type { FlagValues, Parsed } from "@rollcall/flags"
import { invalid, settingsOfFlags } from "@rollcall/input"
import { noKubeletSettings } from "@rollcall/kubelet"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { groupsOf } from "../fleet/FleetDocument.ts"
import { Host } from "../host/Host.ts"
import type { LiveSettings } from "../live/LiveSettings.ts"
import { releaseOf } from "../programs/release.ts"
import { checkServiceRange, serverSettings } from "../programs/runApiserver.ts"
import { upIpam, type upProgram } from "../programs/up.ts"
import { writeClockNote } from "./clusterClock.ts"
import { liveScenario, refuseNodeFlags, withScenario } from "./liveScenario.ts"
import { groupsOfPlan } from "./scenario.ts"

type UpValues = FlagValues<typeof upProgram.flags>

const checkNumbers = ({ nodes, speed, zones }: UpValues) => {
  const refuse = (flag: string, message: string) => Effect.fail(invalid("command line", flag, message))
  if (speed <= 0) return refuse("--speed", `found ${speed}, expected a number above 0`)
  if (nodes < 0) return refuse("--nodes", `found ${nodes}, expected 0 or more`)
  return zones < 1 ? refuse("--zones", `found ${zones}, expected 1 or more`) : Effect.void
}

/** The range of the addresses of Services: the IPv4 one of those that `--service-cluster-ip-range` keeps from nodes. */
const serviceRangeOf = Effect.fnUntraced(function* (given: string | undefined) {
  if (given === undefined) return {}
  const serviceRange = given.split(",").find((range) => !range.includes(":")) ?? given
  yield* checkServiceRange(serviceRange)
  return { serviceRange }
})

/**
 * Returns the settings of `rollcall up` from flags and a scenario, and that scenario. Fails before anything is started.
 */
export const upSettings = Effect.fnUntraced(function* (values: UpValues, { given }: Pick<Parsed<unknown>, "given">) {
  yield* checkNumbers(values)
  if (values.config !== "") yield* refuseNodeFlags("--config", given)
  const plan = yield* liveScenario(values.config, {
    reader: "rollcall up",
    hasLayers: values.layers !== "",
    release: values.release,
    seed: given.has("seed") ? values.seed : undefined
  })
  const release = plan?.release ?? (yield* Effect.fromResult(releaseOf(values.release)))
  const ipam = settingsOfFlags(ipamSettings, values)
  const server = yield* serverSettings(withScenario(values, given, plan), {
    port: values.port,
    portFlag: "--port",
    release,
    ...(yield* serviceRangeOf(ipam.serviceClusterIPRange))
  })
  const controllerManager = {
    ...upIpam,
    ...plan?.settings.controllerManager,
    ...ipam
  }
  yield* Effect.fromResult(checkIpam("command line", "", controllerManager))
  const { hostname, wallClockMs } = yield* Host
  const placing = { ...(yield* placingHere(plan?.settings.placing ?? defaultPlacing)), hostname }
  if (values["data-dir"] !== "") {
    const { now } = yield* Timers
    yield* writeClockNote(server.folder, { wallMs: wallClockMs(), clusterMs: now(), speed: values.speed })
  }
  const settings: LiveSettings = {
    release,
    seed: plan?.seed ?? values.seed,
    server,
    controlPlane: { scheduler: {}, ...plan?.settings, placing, controllerManager },
    kubelet: plan?.settings.kubelet ?? noKubeletSettings,
    groups: plan === undefined ? groupsOf(values) : groupsOfPlan(plan),
    cloud: plan?.cloud,
    scenario: plan
  }
  return { plan, settings }
})
