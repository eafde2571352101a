/** A thread that checks the seeds it is sent, one at a time. */
import { parentPort } from "node:worker_threads"
import { checkSeed } from "./laws.ts"

parentPort?.on("message", (seed: number) => parentPort?.postMessage(checkSeed(seed)))
