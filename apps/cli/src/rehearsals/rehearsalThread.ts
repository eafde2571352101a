/** A thread that rehearses the jobs it is sent, one at a time. */
import "effect/schema/SchemaJITCompiler/enable"
import { parentPort } from "node:worker_threads"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { layerBoundedFiles } from "@rollcall/files"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { type RehearsalJob, type Rehearsed, rehearseFiles } from "./rehearseFiles.ts"

/** The answer to a job. A problem is a value without functions; a defect ends the thread. */
export type ThreadAnswer = { readonly rehearsed: Rehearsed } | { readonly problems: ReadonlyArray<unknown> }

const services = Layer.provideMerge(layerBoundedFiles, NodeServices.layer)

const answerTo = (job: RehearsalJob): Effect.Effect<ThreadAnswer> =>
  rehearseFiles(job).pipe(
    Effect.result,
    Effect.map((result) =>
      Result.isSuccess(result) ? { rehearsed: result.success } : { problems: [...result.failure.problems] }
    ),
    Effect.provide(services)
  )

parentPort?.on("message", (job: RehearsalJob) => {
  void Effect.runPromise(answerTo(job)).then((answer) => parentPort?.postMessage(answer))
})
