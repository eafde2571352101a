import { Worker } from "node:worker_threads"
import { InvalidInput, type Problem } from "@rollcall/input"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { Rehearsals, type RehearsalsShape } from "./Rehearsals.ts"
import type { ThreadAnswer } from "./rehearsalThread.ts"
import type { Files, RehearsalJob, Rehearsed } from "./rehearseFiles.ts"

/** Rehearsals that take less than this together are not worth threads, which take seconds to start and are slow at first. */
const WORTHWHILE_MS = 15_000

export interface ThreadOptions {
  /** The number of threads. */
  readonly count: number
  /** Their script; undefined if there is none. */
  readonly script: URL | undefined
  /** The number of jobs that will be run. */
  readonly jobs: number
  /** From how much work threads are used. */
  readonly worthwhileMs?: number
}

const outcomeOf = (answer: ThreadAnswer): Effect.Effect<Rehearsed, InvalidInput> =>
  "rehearsed" in answer
    ? Effect.succeed(answer.rehearsed)
    : Effect.fail(new InvalidInput({ problems: answer.problems as ReadonlyArray<Problem> }))

/** Sends a job to an idle thread. An interrupted job, and one that dies, end their thread. */
const askThread = (thread: Worker, job: RehearsalJob): Effect.Effect<Rehearsed, InvalidInput> =>
  Effect.callback<Rehearsed, InvalidInput>((resume) => {
    const answered = (answer: ThreadAnswer) => settle(outcomeOf(answer))
    const failed = (cause: unknown) => settle(Effect.die(cause))
    const ended = (code: number) => settle(Effect.die(new Error(`the thread of a rehearsal ended with code ${code}`)))
    const settle = (outcome: Effect.Effect<Rehearsed, InvalidInput>) => {
      thread.off("message", answered).off("error", failed).off("exit", ended)
      resume(outcome)
    }
    thread.on("message", answered).on("error", failed).on("exit", ended)
    thread.postMessage(job)
    return Effect.promise(() => thread.terminate())
  })

/** Threads that are started when a job finds none idle, `count` at most: as many as there are jobs at a time. */
const makePool = (script: URL) => {
  const threads = new Set<Worker>()
  const idle: Array<Worker> = []
  const start = (): Worker => {
    const thread = new Worker(script, {
      name: "rollcall-rehearsal",
      execArgv: ["--disable-warning=ExperimentalWarning"]
    })
    threads.add(thread)
    thread.on("exit", () => {
      threads.delete(thread)
      const at = idle.indexOf(thread)
      if (at >= 0) idle.splice(at, 1)
    })
    return thread
  }
  const run = (job: RehearsalJob) =>
    Effect.suspend(() => {
      const thread = idle.pop() ?? start()
      return Effect.tap(askThread(thread, job), () => Effect.sync(() => void idle.push(thread)))
    })
  const end = Effect.promise(() => Promise.all([...threads].map((thread) => thread.terminate())))
  return { run, end }
}

/** Runs the first job in this thread; the others in threads, if they are expected to take long enough. */
const measured = Effect.fnUntraced(function* (
  inProcess: RehearsalsShape,
  script: URL,
  { jobs, worthwhileMs = WORTHWHILE_MS }: ThreadOptions
) {
  const pool = yield* Effect.acquireRelease(
    Effect.sync(() => makePool(script)),
    ({ end }) => end
  )
  const clock = yield* Clock.Clock
  const nowMs = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  const lock = Semaphore.makeUnsafe(1)
  let isWorthwhile: boolean | undefined
  const runHere = Effect.fnUntraced(function* (job: RehearsalJob) {
    if (isWorthwhile === true) return undefined
    const started = nowMs()
    const done = yield* inProcess.run(job)
    isWorthwhile ??= (nowMs() - started) * (jobs - 1) >= worthwhileMs
    return done
  })
  return (job: RehearsalJob) =>
    Effect.flatMap(lock.withPermits(1)(runHere(job)), (done) =>
      done === undefined ? pool.run(job) : Effect.succeed(done)
    )
})

/**
 * In threads, if the rehearsals take long: the first one runs in this thread, and shows it. With one thread, and in an
 * executable of one file, all run in this thread.
 */
export const layerThreads = (options: ThreadOptions): Layer.Layer<Rehearsals, never, Files> => {
  const { count, script } = options
  if (count < 2 || script === undefined) return Rehearsals.layerInProcess
  const shape = Effect.flatMap(Rehearsals, (inProcess) =>
    Effect.map(measured(inProcess, script, options), (run) => ({ concurrency: count, run }))
  )
  return Layer.effect(Rehearsals, shape).pipe(Layer.provide(Rehearsals.layerInProcess))
}
