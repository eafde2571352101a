/** Answers a later seed sooner, and says that odd ones broke a law. The seed 13 ends the thread. */
import { parentPort } from "node:worker_threads"

parentPort?.on("message", (seed: number) => {
  if (seed === 13) process.exit(3)
  setTimeout(() => parentPort?.postMessage(seed % 2 === 1 ? { seed, problem: "odd" } : undefined), seed < 4 ? 50 : 0)
})
