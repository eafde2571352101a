import type { ApiRequest, Connection, WatchEvent, WatchSink } from "@rollcall/cluster"
import * as Result from "effect/Result"

const addedEvent = (name: string): WatchEvent => ({
  type: "ADDED",
  object: { apiVersion: "v1", kind: "Node", metadata: { name } }
})

/** The API server at the other end of a link: it answers at once, and its watches send what the test emits. */
export class TestServer {
  /** The names of the requested objects, in order of arrival. */
  readonly requested: Array<string> = []
  readonly watches = new Set<WatchSink>()
  readonly connection: Connection = {
    send: (request, reply) => {
      const { name = "" } = request as { readonly name?: string }
      this.requested.push(name)
      reply(Result.succeed(`${name} is there`))
      return () => {}
    },
    watch: (_, sink) => {
      this.watches.add(sink)
      return () => void this.watches.delete(sink)
    }
  }

  /** Sends new objects to all watches, as one batch. */
  emit(...names: ReadonlyArray<string>): void {
    for (const sink of [...this.watches]) sink.events(names.map(addedEvent))
  }

  /** Ends all watches normally. */
  endWatches(): void {
    const ended = [...this.watches]
    this.watches.clear()
    for (const sink of ended) sink.end(undefined)
  }
}

/** A client of a link, which records its answers and watch events. */
export class TestClient {
  /** One entry per answer: its text, or the error. */
  readonly answers: Array<string> = []
  /** The objects that its watch received, in order, and finally `end` or the error's kind. */
  readonly received: Array<string> = []
  private readonly connection: Connection

  constructor(connection: Connection) {
    this.connection = connection
  }

  /** Requests an object; returns the cancel function. */
  get(name: string): () => void {
    const request: ApiRequest = { verb: "get", kind: "Node", name }
    return this.connection.send(request, (answer) => {
      this.answers.push(Result.match(answer, { onSuccess: String, onFailure: ({ _tag }) => `${name}: ${_tag}` }))
    })
  }

  /** Watches; returns the function that ends the watch. */
  watch(): () => void {
    return this.connection.watch(
      { verb: "watch", kind: "Node" },
      {
        events: (batch) => {
          for (const event of batch) if (event.type !== "ERROR") this.received.push(event.object.metadata.name ?? "")
        },
        end: (error) => void this.received.push(error?._tag ?? "end")
      }
    )
  }
}
