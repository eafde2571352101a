import type { Pod } from "@rollcall/api"
import { type Answer, type ApiRequest, type ClusterError, isNotFound, keyOf } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { Env } from "../internal/Env.ts"
import { finalDelete } from "../status/finalDelete.ts"
import { mirrorOf } from "./staticPodOf.ts"

/** Creates and deletes mirror pods. Answers to requests from before a stop are ignored. */
export class MirrorPods {
  private readonly env: Env
  /** The number of the kubelet's process, increased by each stop. */
  private runNumber = 0
  /** The uids of the mirrors without a pod that are being deleted. */
  private readonly orphans = new Set<string>()

  constructor(env: Env) {
    this.env = env
  }

  stop(): void {
    this.runNumber++
    this.orphans.clear()
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

  /** Deletes whatever mirror has the name, because no pod of the node has. */
  deleteOrphan(mirror: Pod): void {
    const { name = "", namespace = "", uid = "" } = mirror.metadata
    if (this.orphans.has(uid)) return
    this.orphans.add(uid)
    const request = { verb: "delete", kind: "Pod", namespace, name, options: { gracePeriodSeconds: 0 } } as const
    this.send(request, mirror, (wasDeleted) => {
      if (!wasDeleted) this.orphans.delete(uid)
    })
  }

  /** The API has no mirror with this uid any more. */
  gone(uid: string): void {
    this.orphans.delete(uid)
  }

  /** Deletes this very mirror. Calls `done` after the answer, with whether it was deleted. */
  delete(mirror: Pod, done: (wasDeleted: boolean) => void): void {
    this.send(finalDelete(mirror), mirror, done)
  }

  private send(request: ApiRequest, mirror: Pod, done: (wasDeleted: boolean) => void): void {
    this.env.connection.send(
      request,
      this.unlessStopped((answer) => {
        if (Result.isFailure(answer) && !isNotFound(answer.failure)) {
          this.logFailure("Failed deleting a mirror pod", mirror, answer.failure)
        }
        done(Result.isSuccess(answer))
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
