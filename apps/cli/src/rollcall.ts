import { flushCompileCache } from "node:module"
import type { ComponentName } from "@rollcall/components"
import { InvalidInput } from "@rollcall/simulator"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { CommandEnded } from "./CommandEnded.ts"
import { simulateCommand } from "./commands/simulate.ts"
import { ExpectationsFailed } from "./ExpectationsFailed.ts"
import { ReaderGone } from "./output.ts"
import { layerPresenter } from "./presenter.ts"
import { version } from "./version.ts"

/**
 * Exit codes are a public interface: 0 all held, 1 an expectation failed, or a component ended otherwise than it should,
 * 2 wrong input, 70 a bug. A run that was ended from outside has the codes that shells give to SIGINT and SIGPIPE.
 */
export const exitCodes = { held: 0, failed: 1, invalid: 2, bug: 70, interrupted: 130, readerGone: 141 } as const

const abouts: Readonly<Record<ComponentName, string>> = {
  up: "Bring up a live cluster in this process: API server, controllers, scheduler, modelled nodes.",
  apiserver: "Serve the Kubernetes API on a store in one file: kube-apiserver.",
  "controller-manager": "Run the controllers against a cluster: kube-controller-manager.",
  scheduler: "Place the pods of a cluster: kube-scheduler.",
  kubelet: "Run one kubelet on a modelled machine, or a fleet of them.",
  fault: "Let something happen to the nodes of a live cluster, and end it.",
  nodes: "Add modelled nodes to a live cluster, or take some away."
}

const kubectlAbouts: Readonly<Record<string, string>> = {
  get: "Print objects as kubectl prints them.",
  describe: "Tell all about objects, with their events.",
  cordon: "Mark nodes as unschedulable.",
  uncordon: "Mark nodes as schedulable.",
  drain: "Evict the pods of nodes, as their budgets allow.",
  taint: "Change the taints of nodes.",
  label: "Change labels.",
  annotate: "Change annotations.",
  apply: "Make objects what files say.",
  delete: "Delete objects.",
  scale: "Change how many replicas are wanted."
}

/** For the list of commands; each reads its own command line, with Kubernetes' flags. */
const liveCommands = Object.entries({ ...abouts, ...kubectlAbouts }).map(([name, about]) =>
  Command.make(name).pipe(Command.withDescription(about))
)

const isLive = (name: string): name is ComponentName => Object.hasOwn(abouts, name)

const command = Command.make("rollcall").pipe(
  Command.withDescription("Kubernetes nodes, as software you can run, rehearse and embed."),
  Command.withSubcommands([simulateCommand, ...liveCommands])
)

/** Each is loaded when it is asked for: a rehearsal needs no HTTP server. */
const dispatch = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const [name = "", ...rest] = args
  if (Object.hasOwn(kubectlAbouts, name)) {
    const { kubectl } = yield* Effect.promise(() => import("./live.ts"))
    return yield* kubectl(args)
  }
  if (!isLive(name)) return yield* Command.runWith(command, { version })(args).pipe(Effect.provide(layerPresenter))
  const { live } = yield* Effect.promise(() => import("./live.ts"))
  // A server may be killed at any time; what was compiled for it is of use to the next one.
  flushCompileCache()
  yield* live(name, rest)
})

const isUsage = (error: unknown): boolean => CliError.isCliError(error)

/** What a person did wrong, in a file or on the command line. */
const isInput = (error: unknown): error is Error =>
  error instanceof InvalidInput || (error instanceof Error && "_tag" in error && error._tag === "KubeconfigError")

/** What the program says of itself as it ends has been said. */
const isSilent = (error: unknown): boolean =>
  error instanceof ReaderGone || error instanceof ExpectationsFailed || error instanceof CommandEnded || isUsage(error)

/** The whole command line; fails only after it has said on stderr what is wrong. */
export const rollcall = (args: ReadonlyArray<string>) =>
  dispatch(args).pipe(
    Effect.tapError((error) => (isSilent(error) ? Effect.void : Console.error(`rollcall: ${error.message}`))),
    Effect.tapDefect((defect) =>
      Console.error(
        `rollcall: this is a bug. Please report the command, its input and what follows.\nrollcall ${version} ${args.join(" ")}\n${Cause.pretty(Cause.die(defect))}`
      )
    )
  )

/** The exit code that tells a shell, or a CI, how it went. */
export const exitCodeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit)) return exitCodes.held
  if (Cause.hasInterruptsOnly(exit.cause)) return exitCodes.interrupted
  const error = Cause.squash(exit.cause)
  if (error instanceof CommandEnded) return error.code
  if (isInput(error) || isUsage(error)) return exitCodes.invalid
  if (error instanceof ReaderGone) return exitCodes.readerGone
  return Cause.hasDies(exit.cause) ? exitCodes.bug : exitCodes.failed
}
