import type { ApiRequest, Connection, WatchEvent, WatchSink } from "@rollcall/cluster"
import * as Result from "effect/Result"

const event = (name: string): WatchEvent => ({
  type: "ADDED",
  object: { apiVersion: "v1", kind: "Node", metadata: { name } }
})

/** The API server at the far end of a link: it answers at once, and its watches tell what the test lets them tell. */
export class TestServer {
  /** The names of the objects that were asked for, as the requests arrived. */
  readonly arrived: Array<string> = []
  readonly watches = new Set<WatchSink>()
  readonly connection: Connection = {
    send: (request, reply) => {
      const { name = "" } = request as { readonly name?: string }
      this.arrived.push(name)
      reply(Result.succeed(`${name} is there`))
      return () => {}
    },
    watch: (_, sink) => {
      this.watches.add(sink)
      return () => void this.watches.delete(sink)
    }
  }

  /** Tells all that watch of new objects, as one batch. */
  emit(...names: ReadonlyArray<string>): void {
    for (const sink of [...this.watches]) sink.events(names.map(event))
  }

  /** Ends all watches in an orderly way. */
  endWatches(): void {
    const ended = [...this.watches]
    this.watches.clear()
    for (const sink of ended) sink.end(undefined)
  }
}

/** What one client of a link has been answered, and told by its watch. */
export class TestClient {
  /** One entry an answer: what was said, or which error came. */
  readonly answers: Array<string> = []
  /** The objects that its watch told of, in order, and `end` or the error's kind once it was over. */
  readonly seen: Array<string> = []
  private readonly connection: Connection

  constructor(connection: Connection) {
    this.connection = connection
  }

  /** Asks for an object; returns what gives the request up. */
  get(name: string): () => void {
    const request: ApiRequest = { verb: "get", kind: "Node", name }
    return this.connection.send(request, (answer) => {
      this.answers.push(Result.match(answer, { onSuccess: String, onFailure: ({ _tag }) => `${name}: ${_tag}` }))
    })
  }

  /** Watches; returns what ends the watch. */
  watch(): () => void {
    return this.connection.watch(
      { verb: "watch", kind: "Node" },
      {
        events: (batch) => {
          for (const told of batch) if (told.type !== "ERROR") this.seen.push(told.object.metadata.name ?? "")
        },
        end: (error) => void this.seen.push(error?._tag ?? "end")
      }
    )
  }
}
