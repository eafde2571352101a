import type { ApiServerShape } from "@rollcall/api-server"
import * as Result from "effect/Result"

type Serve = ApiServerShape["serve"]

/**
 * Answers a write of Services once the objects of their addresses are as it needs them: who creates a Service finds them
 * at once, and who has deleted one finds none. Upstream writes them in the same request: pkg/registry/core/service/storage,
 * beginCreate and afterDelete.
 */
export class SettledAddresses {
  private waiting: Array<() => void> = []
  private wake: (() => void) | undefined

  /** Starts to delay answers; `wake` must soon be followed by a pass. */
  open(wake: () => void): void {
    this.wake = wake
  }

  /** Begins a pass, which sees all that was written before. Returns the answers to that: they are given when it has ended. */
  begin(): ReadonlyArray<() => void> {
    const seen = this.waiting
    this.waiting = []
    return seen
  }

  /** No pass follows. Returns the answers that wait. */
  close(): ReadonlyArray<() => void> {
    this.wake = undefined
    return this.begin()
  }

  readonly serve =
    (serve: Serve): Serve =>
    (identity, request, reply, creationRefusal) => {
      const isRead = request.verb === "get" || request.verb === "list"
      if (request.kind !== "Service" || isRead) return serve(identity, request, reply, creationRefusal)
      const whenSettled: typeof reply = (answer, code, warnings) => {
        if (Result.isFailure(answer) || this.wake === undefined) return reply(answer, code, warnings)
        this.waiting.push(() => reply(answer, code, warnings))
        this.wake()
      }
      serve(identity, request, whenSettled, creationRefusal)
    }
}
