import type { Node, ObjectOf, Pod } from "@rollcall/api"
import type { Answer, ApiRequest } from "@rollcall/cluster"
import { type Answered, FakeServer, refused } from "@rollcall/cluster/testing"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"

interface NotedEvent {
  readonly at: number
  readonly reason: string
  readonly about: string
  readonly message: string
}

/** A fake server that records Events separately. It refuses reads and updates of Events, so that each repeat is a new Event. */
export class NodeApi extends FakeServer {
  readonly events: Array<NotedEvent> = []

  constructor(timers: TimersShape) {
    super(timers, { answersLater: true })
  }

  /** The answered requests but those for Events. */
  get noted(): ReadonlyArray<Answered> {
    return this.answered.filter(({ request }) => request.kind !== "Event")
  }

  node(name: string): Node {
    return this.find("Node", name) as Node
  }

  pod(name: string): Pod | undefined {
    return this.find("Pod", name, "default")
  }

  protected override answer(request: ApiRequest): Answer {
    if (request.kind !== "Event" || request.verb === "list") return super.answer(request)
    if (request.verb !== "create") return refused(404, "NotFound")
    const event = request.object as ObjectOf<"Event">
    const { involvedObject, message = "", reason = "" } = event
    this.events.push({ at: this.timers.now(), reason, about: involvedObject.name ?? "", message })
    return Result.succeed(event)
  }
}
