import type { Pod } from "@rollcall/api"
import type { Answer } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { Env } from "../internal/Env.ts"
import { finalDelete } from "../pod/finalDelete.ts"
import { mirrorOf } from "./staticPodOf.ts"

/** Creates and deletes mirror pods. What is answered after a stop is not heard. */
export class MirrorPods {
  private readonly env: Env
  private turn = 0

  constructor(env: Env) {
    this.env = env
  }

  stop(): void {
    this.turn++
  }

  /** `done` with the mirror, or undefined when that failed. */
  create(pod: Pod, nodeUid: string, done: (mirror: Pod | undefined) => void): void {
    const object = mirrorOf(pod, this.env.name, nodeUid)
    const { namespace = "" } = object.metadata
    this.env.connection.send(
      { verb: "create", kind: "Pod", namespace, object },
      this.heard((answer) => done(Result.isSuccess(answer) ? (answer.success as Pod) : undefined))
    )
  }

  delete(mirror: Pod, done: () => void): void {
    this.env.connection.send(finalDelete(mirror), this.heard(done))
  }

  private heard(listen: (answer: Answer) => void): (answer: Answer) => void {
    const { turn } = this
    return (answer) => {
      if (turn === this.turn) listen(answer)
    }
  }
}
