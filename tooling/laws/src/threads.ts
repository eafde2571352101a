import { Worker } from "node:worker_threads"
import type { BrokenLaw } from "./laws.ts"

export interface CheckOptions {
  readonly from: number
  /** The number of seeds. */
  readonly count: number
  readonly threads: number
  /** A script that answers each seed with the law that it broke, or with undefined. */
  readonly script: URL
}

/** Checks one seed in a thread. Fails if the thread ends before it has answered. */
const checkIn = (thread: Worker, seed: number): Promise<BrokenLaw | undefined> =>
  new Promise((resolve, reject) => {
    const ended = (code: number) => failed(new Error(`the thread ended with code ${code}`))
    const answered = (broken: BrokenLaw | undefined) => {
      thread.off("error", failed).off("exit", ended)
      resolve(broken)
    }
    const failed = (cause: unknown) => {
      thread.off("message", answered).off("exit", ended)
      reject(new Error(`seed ${seed} could not be checked`, { cause }))
    }
    thread.once("message", answered).once("error", failed).once("exit", ended)
    thread.postMessage(seed)
  })

/**
 * Checks seeds in threads, each of which takes the next seed when it has checked one. Calls `checked` once for each seed,
 * in the order of the seeds, whatever the number of threads.
 */
export const checkInThreads = async (
  { count, from, script, threads }: CheckOptions,
  checked: (seed: number, broken: BrokenLaw | undefined) => void
): Promise<void> => {
  const early = new Map<number, BrokenLaw | undefined>()
  let [next, told] = [from, from]
  const work = async (): Promise<void> => {
    const thread = new Worker(script, { execArgv: ["--disable-warning=ExperimentalWarning"] })
    try {
      while (next < from + count) {
        const seed = next++
        early.set(seed, await checkIn(thread, seed))
        for (; early.has(told); told++) {
          checked(told, early.get(told))
          early.delete(told)
        }
      }
    } finally {
      await thread.terminate()
    }
  }
  await Promise.all(Array.from({ length: threads }, work))
}
