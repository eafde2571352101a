import { Inhibitors, makePodKiller, type ShutdownMachine } from "@rollcall/machines"
import {
  layerStateFile,
  makeShutdownManager,
  PodKiller,
  type ShutdownManagerShape,
  startLogged
} from "@rollcall/shutdown"
import { containedRunner, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as Scope from "effect/Scope"
import { layerLogind } from "../logind/LogindInhibitor.ts"

export interface LogindInhibitorsOptions {
  /** The folder of the kubelet's state file for shutdown times: `--root-dir`. */
  readonly rootDir: string
  /** The folder that contains logind's configuration; the default is `/`. */
  readonly logindRoot?: string | undefined
}

/**
 * Starts the shutdown manager, which delays the machine's shutdown while pods terminate, for as long as the scope
 * lasts.
 */
const inhibitShutdown = (
  { logindRoot, rootDir }: LogindInhibitorsOptions,
  manager: ShutdownManagerShape,
  kubelet: () => ShutdownMachine["kubelet"]
) =>
  startLogged(manager).pipe(
    Effect.provide(
      Layer.mergeAll(
        layerLogind(logindRoot === undefined ? {} : { root: logindRoot }),
        layerStateFile(rootDir),
        Layer.succeed(PodKiller, makePodKiller(kubelet))
      )
    ),
    Effect.catchTag("ConfigError", ({ message }) => Effect.logError(message))
  )

/**
 * systemd-logind of this machine, from the start of a kubelet until the layer ends. Shutdowns are started from
 * outside.
 */
export const layerLogindInhibitors = (options: LogindInhibitorsOptions) =>
  Layer.effect(
    Inhibitors,
    Effect.gen(function* () {
      const timers = yield* Timers
      const scope = yield* Effect.scope
      const run = yield* containedRunner(timers, "shutdown")
      const context = yield* Effect.context<Timers | FileSystem.FileSystem | Path.Path>()
      return {
        of: ({ config, machine }) => {
          const manager = makeShutdownManager(config)
          const shutdown = inhibitShutdown(options, manager, () => machine().kubelet).pipe(
            Effect.provideContext(context),
            Scope.provide(scope)
          )
          return {
            admit: manager.admit,
            shutdownStatus: manager.shutdownStatus,
            begin: () => undefined,
            cancel: () => undefined,
            kubeletEnded: () => undefined,
            kubeletStarted: () => {
              if (manager.active) run(shutdown)
            }
          }
        }
      }
    })
  )
