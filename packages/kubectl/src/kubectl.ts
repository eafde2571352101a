import type { ClusterError } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type CommandError, failure, serverErrorText } from "./CommandError.ts"
import { apply, applyFlags } from "./commands/apply.ts"
import { cordon, cordonFlags, uncordon } from "./commands/cordon.ts"
import { deleteFlags, remove } from "./commands/delete.ts"
import { describe, describeFlags } from "./commands/describe.ts"
import { drain, drainFlags } from "./commands/drain.ts"
import { get, getFlags } from "./commands/get.ts"
import { annotate, label, labelFlags } from "./commands/label.ts"
import { scale, scaleFlags } from "./commands/scale.ts"
import { taint, taintFlags } from "./commands/taint.ts"
import { type Arguments, type Flag, parseFlags } from "./flags.ts"
import type { Host } from "./Host.ts"

interface Command {
  readonly flags: ReadonlyArray<Flag>
  readonly run: (host: Host, args: Arguments) => Effect.Effect<void, CommandError | ClusterError>
}

const commands: Readonly<Record<string, Command>> = {
  get: { flags: getFlags, run: get },
  describe: { flags: describeFlags, run: describe },
  cordon: { flags: cordonFlags, run: cordon },
  uncordon: { flags: cordonFlags, run: uncordon },
  drain: { flags: drainFlags, run: drain },
  taint: { flags: taintFlags, run: taint },
  label: { flags: labelFlags, run: label },
  annotate: { flags: labelFlags, run: annotate },
  apply: { flags: applyFlags, run: apply },
  delete: { flags: deleteFlags, run: remove },
  scale: { flags: scaleFlags, run: scale }
}

/** The verbs that `kubectl` here knows. */
export const kubectlVerbs: ReadonlyArray<string> = Object.keys(commands)

const tell = (host: Host, error: CommandError | ClusterError): number => {
  const text = error._tag === "CommandError" ? error.text : serverErrorText(error, host.server)
  host.stderr(text.endsWith("\n") ? text : `${text}\n`)
  return 1
}

/**
 * Runs a command line as kubectl v1.32 would, from its verb on: `["get", "nodes", "-o", "wide"]`. Everything it prints goes to
 * the host; the exit code is returned. It never fails.
 */
export const kubectl = (host: Host, argv: ReadonlyArray<string>): Effect.Effect<number> => {
  const [verb = "", ...rest] = argv
  const command = Object.hasOwn(commands, verb) ? commands[verb] : undefined
  if (command === undefined)
    return Effect.sync(() => tell(host, failure(`unknown command ${JSON.stringify(verb)} for "kubectl"`)))
  const args = parseFlags(verb, command.flags, rest)
  if (Result.isFailure(args)) return Effect.sync(() => tell(host, args.failure))
  return command.run(host, args.success).pipe(
    Effect.as(0),
    Effect.catch((error) => Effect.sync(() => tell(host, error)))
  )
}
