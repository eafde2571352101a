/** A client of many connections in a thread of its own. */
import { parentPort, workerData } from "node:worker_threads"
import type { Request, Target } from "../load/HttpClient.ts"
import { each, runLoad } from "../load/runLoad.ts"

interface Work {
  readonly target: Target
  readonly connections: number
  readonly count: number
  readonly request: Request
}

const { connections, count, request, target } = workerData as Work
await runLoad({ target, connections, processId: process.pid, next: each(count, () => request) })
parentPort?.postMessage("done")
