import { Worker } from "node:worker_threads"
import type { Answer, CallInput, CallName, Calls } from "./internal/calls.ts"
import { workerScript } from "./workerScript.ts"

type AnswerCallback = (answer: Answer<unknown>) => void

/** The worker thread that owns the file, as the main thread sees it. */
export interface Journal {
  /** Answers in the order of the calls, never within one; with a failure once the thread has ended. */
  readonly ask: <K extends CallName>(
    name: K,
    input: CallInput<K>,
    reply: (answer: Answer<ReturnType<Calls[K]>>) => void
  ) => void
  /** Closes the file after the pending calls, and ends the thread. */
  readonly stop: () => Promise<unknown>
}

/** Starts the thread. */
export const startJournal = (): Journal => {
  const worker = new Worker(workerScript, {
    name: "rollcall-store",
    // Node 22 calls SQLite experimental on standard error.
    execArgv: ["--disable-warning=ExperimentalWarning"],
    resourceLimits: { maxYoungGenerationSizeMb: 16 }
  })
  let waiting: Array<AnswerCallback> = []
  let ended: string | undefined

  const end = (message: string) => {
    ended ??= message
    const unanswered = waiting
    waiting = []
    for (const reply of unanswered) reply({ ok: false, message: ended })
  }
  worker.on("message", (answer: Answer<unknown>) => waiting.shift()?.(answer))
  worker.on("error", (cause) => end(`the store's thread failed: ${cause instanceof Error ? cause.message : cause}`))
  worker.on("exit", () => end("the store is closed"))

  const ask: Journal["ask"] = (name, input, reply) => {
    if (ended !== undefined) {
      const message = ended
      return queueMicrotask(() => reply({ ok: false, message }))
    }
    waiting.push(reply as AnswerCallback)
    worker.postMessage({ name, input })
  }
  const closed = () => new Promise<void>((resolve) => ask("close", undefined, () => resolve()))
  return { ask, stop: () => closed().then(() => worker.terminate()) }
}
