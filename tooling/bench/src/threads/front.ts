/** A thread in front of the main one: sends it requests and waits for their answers, so many at a time in each message. */
import { parentPort, workerData } from "node:worker_threads"

const { batch, body, count } = workerData as { readonly batch: number; readonly body: string; readonly count: number }

let sent = 0
const send = () => {
  if (sent >= count) return parentPort?.postMessage("done")
  sent += batch
  parentPort?.postMessage(Array.from({ length: batch }, () => body))
}
parentPort?.on("message", send)
send()
