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

let startedBefore: Journal | undefined

/**
 * Starts the thread of the first store that this process opens. A program calls it while its own modules are loaded, if it
 * knows that it opens a store: a thread takes about 50 ms to start. The thread does not keep the process alive.
 */
export const startThread = (): void => {
  startedBefore ??= makeJournal()
}

/** Returns the thread that was started before, or starts one. */
export const startJournal = (): Journal => {
  const journal = startedBefore ?? makeJournal()
  startedBefore = undefined
  return journal
}

const makeJournal = (): Journal => {
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
  // After the listeners: one of messages keeps the process alive.
  worker.unref()

  const ask: Journal["ask"] = (name, input, reply) => {
    if (ended !== undefined) {
      const message = ended
      return queueMicrotask(() => reply({ ok: false, message }))
    }
    worker.ref()
    waiting.push(reply as AnswerCallback)
    worker.postMessage({ name, input })
  }
  const closed = () => new Promise<void>((resolve) => ask("close", undefined, () => resolve()))
  return { ask, stop: () => closed().then(() => worker.terminate()) }
}
