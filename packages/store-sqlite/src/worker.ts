/** The thread that owns the file: fsync, checkpoints and compaction block it, and not the users of the store. */
import { parentPort } from "node:worker_threads"
import { answerTo, type Message, makeCalls } from "./internal/calls.ts"

const calls = makeCalls()

parentPort?.on("message", (message: Message) => {
  parentPort?.postMessage(answerTo(calls, message))
})
