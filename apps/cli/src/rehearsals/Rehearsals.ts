import type { InvalidInput } from "@rollcall/simulator"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Files, type RehearsalJob, type Rehearsed, rehearseFiles } from "./rehearseFiles.ts"

export interface RehearsalsShape {
  /** The number of jobs that may run at a time. */
  readonly concurrency: number
  readonly run: (job: RehearsalJob) => Effect.Effect<Rehearsed, InvalidInput>
}

/** Where the rehearsals of a comparison run. */
export class Rehearsals extends Context.Service<Rehearsals, RehearsalsShape>()("@rollcall/cli/Rehearsals") {
  /** In this thread, one at a time. */
  static readonly layerInProcess: Layer.Layer<Rehearsals, never, Files> = Layer.effect(
    Rehearsals,
    Effect.map(Effect.context<Files>(), (files) => ({
      concurrency: 1,
      run: (job) => Effect.provideContext(rehearseFiles(job), files)
    }))
  )
}
