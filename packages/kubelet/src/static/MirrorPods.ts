import type { Pod } from "@rollcall/api"
import { type Answer, type ClusterError, isNotFound, keyOf } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { Env } from "../internal/Env.ts"
import { finalDelete } from "../status/finalDelete.ts"
import { mirrorOf } from "./staticPodOf.ts"

/** Creates and deletes mirror pods. Answers after a stop are ignored. */
export class MirrorPods {
  private readonly env: Env
  private turn = 0

  constructor(env: Env) {
    this.env = env
  }

  stop(): void {
    this.turn++
  }

  /** Calls `done` with the mirror, or with undefined on a failure. */
  create(pod: Pod, nodeUid: string, done: (mirror: Pod | undefined) => void): void {
    const object = mirrorOf(pod, this.env.name, nodeUid)
    const { namespace = "" } = object.metadata
    this.env.connection.send(
      { verb: "create", kind: "Pod", namespace, object },
      this.heard((answer) => {
        if (Result.isFailure(answer)) this.tell("Failed creating a mirror pod", pod, answer.failure)
        done(Result.isSuccess(answer) ? (answer.success as Pod) : undefined)
      })
    )
  }

  delete(mirror: Pod, done: () => void): void {
    this.env.connection.send(
      finalDelete(mirror),
      this.heard((answer) => {
        if (Result.isFailure(answer) && !isNotFound(answer.failure)) {
          this.tell("Failed deleting a mirror pod", mirror, answer.failure)
        }
        done()
      })
    )
  }

  private tell(message: string, pod: Pod, { message: err }: ClusterError): void {
    this.env.log("error", message, { err, pod: keyOf(pod) })
  }

  private heard(listen: (answer: Answer) => void): (answer: Answer) => void {
    const { turn } = this
    return (answer) => {
      if (turn === this.turn) listen(answer)
    }
  }
}
