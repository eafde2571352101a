/** The thread that owns the file: fsync, checkpoints and compaction stall it, and not those who use the store. */
import { parentPort } from "node:worker_threads"
import { answerTo, type Message, makeCalls } from "./internal/calls.ts"

const calls = makeCalls()

parentPort?.on("message", (message: Message) => {
  parentPort?.postMessage(answerTo(calls, message))
})
