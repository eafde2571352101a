import type { ClusterError } from "@rollcall/cluster"
import type * as Effect from "effect/Effect"
import type { Arguments } from "../Arguments.ts"
import type { CommandError } from "../CommandError.ts"
import type { Host } from "../Host.ts"
import { apply } from "./apply.ts"
import { cordon, uncordon } from "./cordon.ts"
import { remove } from "./delete.ts"
import { describe } from "./describe.ts"
import { drain } from "./drain.ts"
import { get } from "./get.ts"
import { annotate, label } from "./label.ts"
import { scale } from "./scale.ts"
import { taint } from "./taint.ts"

/** Runs a verb with its arguments. */
export type RunVerb = (host: Host, args: Arguments) => Effect.Effect<void, CommandError | ClusterError>

/** The implementations of kubectl's verbs, by the names in `verbs`. */
export const verbRunners: Readonly<Record<string, RunVerb>> = {
  get,
  describe,
  cordon,
  uncordon,
  drain,
  taint,
  label,
  annotate,
  apply,
  delete: remove,
  scale
}
