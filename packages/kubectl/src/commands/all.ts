import type { ClusterError } from "@rollcall/cluster"
import type * as Effect from "effect/Effect"
import type { CommandError } from "../CommandError.ts"
import type { Arguments, Flag } from "../flags.ts"
import type { Host } from "../Host.ts"
import { apply, applyFlags } from "./apply.ts"
import { cordon, cordonFlags, uncordon } from "./cordon.ts"
import { deleteFlags, remove } from "./delete.ts"
import { describe, describeFlags } from "./describe.ts"
import { drain, drainFlags } from "./drain.ts"
import { get, getFlags } from "./get.ts"
import { annotate, label, labelFlags } from "./label.ts"
import { scale, scaleFlags } from "./scale.ts"
import { taint, taintFlags } from "./taint.ts"

export interface Command {
  readonly flags: ReadonlyArray<Flag>
  readonly run: (host: Host, args: Arguments) => Effect.Effect<void, CommandError | ClusterError>
}

export const commands: Readonly<Record<string, Command>> = {
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

/** Returns the flags of a verb; undefined if the verb does not exist. */
export const commandFlags = (verb: string): ReadonlyArray<Flag> | undefined =>
  Object.hasOwn(commands, verb) ? commands[verb]?.flags : undefined
