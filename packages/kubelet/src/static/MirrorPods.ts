import type { Pod } from "@rollcall/api"
import { type Answer, type ClusterError, isNotFound, keyOf } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { Env } from "../internal/Env.ts"
import { finalDelete } from "../status/finalDelete.ts"
import { mirrorOf } from "./staticPodOf.ts"

/** Creates and deletes mirror pods. Answers to requests from before a stop are ignored. */
export class MirrorPods {
  private readonly env: Env
  /** The number of the kubelet's process, increased by each stop. */
  private runNumber = 0

  constructor(env: Env) {
    this.env = env
  }

  stop(): void {
    this.runNumber++
  }

  /** Calls `done` with the mirror, or with undefined on a failure. */
  create(pod: Pod, nodeUid: string, done: (mirror: Pod | undefined) => void): void {
    const object = mirrorOf(pod, this.env.name, nodeUid)
    const { namespace = "" } = object.metadata
    this.env.connection.send(
      { verb: "create", kind: "Pod", namespace, object },
      this.unlessStopped((answer) => {
        if (Result.isFailure(answer)) this.logFailure("Failed creating a mirror pod", pod, answer.failure)
        done(Result.isSuccess(answer) ? (answer.success as Pod) : undefined)
      })
    )
  }

  /** Calls `done` after the answer, also if the deletion failed. */
  delete(mirror: Pod, done: () => void): void {
    this.env.connection.send(
      finalDelete(mirror),
      this.unlessStopped((answer) => {
        if (Result.isFailure(answer) && !isNotFound(answer.failure)) {
          this.logFailure("Failed deleting a mirror pod", mirror, answer.failure)
        }
        done()
      })
    )
  }

  private logFailure(message: string, pod: Pod, { message: err }: ClusterError): void {
    this.env.log("error", message, { err, pod: keyOf(pod) })
  }

  private unlessStopped(onAnswer: (answer: Answer) => void): (answer: Answer) => void {
    const { runNumber } = this
    return (answer) => {
      if (runNumber === this.runNumber) onAnswer(answer)
    }
  }
}
