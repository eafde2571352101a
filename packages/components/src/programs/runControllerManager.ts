import type { Release } from "@rollcall/api"
import { checkIpam, controllerManagerSettings } from "@rollcall/control-plane"
import { readText } from "@rollcall/files"
import { invalid, type SettingValues } from "@rollcall/input"
import { Timers } from "@rollcall/time"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { surviveErrors } from "../apiserver/processErrors.ts"
import { limitedClients } from "../clients/limited.ts"
import { connectTo, remoteConfig } from "../clients/remote.ts"
import { isEnabled, managerControllers, missingControllers } from "../flags/controllerNames.ts"
import type { FlagValues } from "../flags/Flag.ts"
import { gatesOf } from "../flags/featureGates.ts"
import type { Parsed } from "../flags/parseFlags.ts"
import { settingsGiven } from "../flags/settingFlags.ts"
import { controllerLog } from "../log/controllerLog.ts"
import { componentPages } from "../serving/pages.ts"
import { serveManager } from "../serving/serveManager.ts"
import { liveScenario } from "../up/liveScenario.ts"
import { ControllerFailed } from "./ControllerFailed.ts"
import { settingsOfFile } from "./configFile.ts"
import { managerConfig } from "./configInEffect.ts"
import { controllerManagerProgram, liveControllers } from "./controllerManager.ts"
import { leaderElectionConfig, leaderElectionFields, splitElection } from "./electionConfig.ts"
import { releaseOf, userAgentOf } from "./release.ts"
import { whileLeading } from "./whileLeading.ts"

/** More is no bundle of certificates. */
const MAX_CA_BYTES = 4 << 20

const settings = [...controllerManagerSettings, ...leaderElectionFields("generic.leaderElection")]

const COMPONENT = "kube-controller-manager"

/** What was asked for and has no effect, said in so many words. */
const tellIneffective = Effect.fnUntraced(function* (
  controllers: ReadonlyArray<string>,
  { podEvictionTimeoutMs }: SettingValues,
  release: Release
) {
  for (const controller of missingControllers(controllers, managerControllers)) {
    yield* Effect.logWarning("The controller is not here, and does not run").pipe(Effect.annotateLogs({ controller }))
  }
  if (podEvictionTimeoutMs !== undefined && release.podEviction !== "deletion") {
    yield* Effect.logWarning(
      "--pod-eviction-timeout has no effect: pods leave a lost node by their own tolerationSeconds; the flag is gone since 1.27"
    )
  }
})

/** kube-controller-manager against the cluster of a kubeconfig, until it is interrupted or no longer leads. */
export const runControllerManager = Effect.fnUntraced(function* (
  values: FlagValues<typeof controllerManagerProgram.flags>,
  { given }: Pick<Parsed<unknown>, "given">
) {
  const plan = yield* liveScenario(values.scenario, { reader: "rollcall controller-manager", release: values.release })
  const release = plan?.release ?? (yield* Effect.fromResult(releaseOf(values.release)))
  const said = yield* settingsOfFile(settings, values.config)
  const { election, rest: file } = yield* Effect.fromResult(splitElection(values.config, said, values, given))
  const controllerManager = {
    ...plan?.settings.controllerManager,
    ...file,
    ...settingsGiven(controllerManagerSettings, values)
  }
  yield* Effect.fromResult(checkIpam("command line", "", controllerManager))
  const gates = yield* gatesOf(release, values["feature-gates"])
  yield* tellIneffective(values.controllers, controllerManager, release)
  const config = yield* remoteConfig(values)
  const rootCA =
    values["root-ca-file"] === ""
      ? config.tls.ca
      : yield* Effect.mapError(readText(values["root-ca-file"], MAX_CA_BYTES), ({ message }) =>
          invalid("command line", "--root-ca-file", `${values["root-ca-file"]} ${message}`)
        )
  const connection = yield* connectTo(config, userAgentOf(COMPONENT, release))
  const timers = yield* Timers
  yield* surviveErrors(timers.handleError, timers.now)
  const chosen = (controller: string) =>
    isEnabled(values.controllers, controller) &&
    (controller !== "garbage-collector-controller" || values["enable-garbage-collector"]) &&
    (controller !== "node-ipam-controller" || controllerManager.allocateNodeCIDRs === true)
  const { informers, onLeading, queueMeter, watchDog } = yield* serveManager(values, {
    manager: COMPONENT,
    elects: election["leader-elect"],
    known: managerControllers,
    isEnabled: chosen,
    pages: componentPages({
      program: controllerManagerProgram,
      values,
      release,
      now: timers.now,
      configName: "kubecontrollermanager.config.k8s.io",
      settings,
      inEffect: {
        ...managerConfig(release),
        ...controllerManager,
        ...leaderElectionConfig(election)
      }
    })
  })
  const log = Effect.runForkWith(yield* Effect.context<never>())
  const failed = yield* Deferred.make<never, ControllerFailed>()
  const controllers = liveControllers(
    { release, settings: { controllerManager, scheduler: {}, placing: {} } },
    limitedClients(timers, () => connection),
    {
      ...(rootCA === undefined ? {} : { rootCA }),
      gates,
      isEnabled: chosen,
      queueMeter,
      followInformer: informers.follow,
      observer: controllerLog(timers, (line) => void log(line)),
      onFatal: (message) => Effect.asVoid(Deferred.fail(failed, new ControllerFailed({ message })))
    }
  )
  const leading = {
    component: COMPONENT,
    connection,
    releaseOnExit: gates.ControllerManagerReleaseLeaderElectionLockOnExit,
    onLeading,
    watchDog
  }
  return yield* Effect.raceFirst(whileLeading(election, leading, controllers), Deferred.await(failed))
})
