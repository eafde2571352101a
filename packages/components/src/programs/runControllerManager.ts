import { loadScenarios } from "@rollcall/simulator"
import { checkIpam, controllerManagerSettings } from "@rollcall/simulator/world"
import { Timers } from "@rollcall/time"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { limitedClients } from "../clients/limited.ts"
import { connectTo, remoteConfig } from "../clients/remote.ts"
import type { FlagValues } from "../flags/Flag.ts"
import { settingsGiven } from "../flags/settingFlags.ts"
import { controllerLog } from "../log/controllerLog.ts"
import { serveHealth } from "../serving/serveHealth.ts"
import { ControllerFailed } from "./ControllerFailed.ts"
import { settingsOfFile } from "./configFile.ts"
import { type controllerManagerProgram, liveControllers } from "./controllerManager.ts"
import { releaseOf, userAgentOf } from "./release.ts"
import { whileLeading } from "./whileLeading.ts"

/** kube-controller-manager against the cluster of a kubeconfig, until it is interrupted or no longer leads. */
export const runControllerManager = Effect.fnUntraced(function* (
  values: FlagValues<typeof controllerManagerProgram.flags>
) {
  const release = yield* Effect.fromResult(releaseOf(values.release))
  const file = yield* settingsOfFile(controllerManagerSettings, values.config)
  const plan = values.scenario === "" ? undefined : (yield* loadScenarios([values.scenario]))[0]
  const controllerManager = {
    ...plan?.settings.controllerManager,
    ...file,
    ...settingsGiven(controllerManagerSettings, values)
  }
  yield* Effect.fromResult(checkIpam("command line", "", controllerManager))
  const config = yield* remoteConfig(values)
  const rootCA =
    values["root-ca-file"] === ""
      ? config.tls.ca
      : yield* (yield* FileSystem.FileSystem).readFileString(values["root-ca-file"])
  const connection = yield* connectTo(config, userAgentOf("kube-controller-manager", release))
  const timers = yield* Timers
  yield* serveHealth(values, () => [["ping", () => undefined]])
  const log = Effect.runForkWith(yield* Effect.context<never>())
  const failed = yield* Deferred.make<never, ControllerFailed>()
  const controllers = liveControllers(
    { release, settings: { controllerManager, scheduler: {} } },
    limitedClients(timers, () => connection),
    {
      ...(rootCA === undefined ? {} : { rootCA }),
      observer: controllerLog(timers, (line) => void log(line)),
      onFatal: (message) => Effect.asVoid(Deferred.fail(failed, new ControllerFailed({ message })))
    }
  )
  return yield* Effect.raceFirst(
    whileLeading(values, "kube-controller-manager", connection, controllers),
    Deferred.await(failed)
  )
})
