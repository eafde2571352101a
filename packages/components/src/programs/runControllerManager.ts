import type { FlagValues, Parsed } from "@rollcall/flags"
import { settingsInEffect } from "@rollcall/input"
import { KubeClient } from "@rollcall/kube-client"
import { type MetricSet, Timers } from "@rollcall/time"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { askServer } from "../certificates/mayCreate.ts"
import { accountConnections } from "../clients/accountClients.ts"
import { limitedClients } from "../clients/limited.ts"
import { AUTOSCALER, readApiOver } from "../clients/readApi.ts"
import { managerControllers } from "../flags/controllerNames.ts"
import * as Attach from "../live/Attach.ts"
import { controllerLog } from "../log/controllerLog.ts"
import { componentMetrics } from "../serving/componentMetrics.ts"
import { componentPages } from "../serving/pages.ts"
import { Serving } from "../serving/Serving.ts"
import { ControllerFailed } from "./ControllerFailed.ts"
import { controllerManagerProgram, liveControllers } from "./controllerManager.ts"
import { type ManagerSettings, managerFields, managerSettingsOf } from "./managerSettings.ts"
import { userAgentOf } from "./release.ts"
import { whileLeading } from "./whileLeading.ts"

type ManagerValues = FlagValues<typeof controllerManagerProgram.flags>

const COMPONENT = "kube-controller-manager"

const layerServing = (
  values: ManagerValues,
  { controllerManager, election, isEnabled, release }: ManagerSettings,
  metrics: MetricSet
) =>
  Layer.unwrap(
    Effect.map(Timers, ({ now }) =>
      Serving.layerManager(values, {
        component: COMPONENT,
        metrics,
        electsLeader: election.leaderElect,
        knownControllers: managerControllers,
        isEnabled,
        pages: componentPages({
          program: controllerManagerProgram,
          values,
          release,
          now,
          configName: "kubecontrollermanager.config.k8s.io",
          settings: managerFields,
          inEffect: settingsInEffect(managerFields, { ...controllerManager, ...election }, release)
        })
      })
    )
  )

/** Makes the controllers; one that cannot start fails `failed`. */
const layerControllers = (
  values: ManagerValues,
  { controllerManager, gates, isEnabled, release, rootCA, signing, signToken }: ManagerSettings,
  failed: Deferred.Deferred<never, ControllerFailed>
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { connection } = yield* KubeClient
      const timers = yield* Timers
      const log = Effect.runForkWith(yield* Effect.context<never>())
      const connect = values["use-service-account-credentials"]
        ? yield* accountConnections(connection, userAgentOf(COMPONENT, release))
        : () => connection
      const clients = limitedClients(timers, connect)
      return liveControllers({ release, settings: { controllerManager, scheduler: {}, placing: {} } }, clients, {
        rootCA,
        ...(signToken === undefined ? {} : { signToken }),
        certificates: { ...signing, mayCreate: askServer(connection) },
        gates,
        readMetrics: readApiOver(() => connect(AUTOSCALER)),
        isEnabled,
        observer: controllerLog(timers, (line) => void log(line)),
        onFatal: (message) => Effect.asVoid(Deferred.fail(failed, new ControllerFailed({ message })))
      })
    })
  )

/** Runs kube-controller-manager against the cluster of a kubeconfig until it is interrupted or no longer leads. */
export const runControllerManager = Effect.fnUntraced(function* (
  values: ManagerValues,
  parsed: Pick<Parsed<unknown>, "given">
) {
  const settings = yield* managerSettingsOf(values, parsed)
  const { config, election, gates, release } = settings
  const metrics = componentMetrics(release)
  const failed = yield* Deferred.make<never, ControllerFailed>()
  const leading = { component: COMPONENT, releaseOnExit: gates.ControllerManagerReleaseLeaderElectionLockOnExit }
  return yield* whileLeading(election, leading, layerControllers(values, settings, failed)).pipe(
    Effect.raceFirst(Deferred.await(failed)),
    Effect.provide(
      layerServing(values, settings, metrics).pipe(
        Layer.provideMerge(Attach.layer({ config, userAgent: userAgentOf(COMPONENT, release), metrics }))
      )
    )
  )
})
